/* Batches of the attack on hubs. See hub_player.h. */
#include "emulator/emulate.h"
#include "hub_player.h"

#include <warplu/batch.h>

#include "draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MEMBERS = 12, CALLS = 6 };

/* Members' values and right-hand sides, one after the other; `of`: their genes. Nobody looks at members' rows, so that
 * those whose solves go unchecked have smaller l. */
static void draw_members(hub_player *p, int transposed, int32_t count, hub_genes *of, double *values, double *b)
{
    const int64_t nnz = test_matrix_values(&p->h.m);
    for (int32_t m = 0; m < count; m++) {
        of[m] = hub_draw_genes(p, transposed);
        of[m].diagonal *= exp2(10.0 * check_uniform(&p->seed));
        hub_express(&p->h, &of[m]);
        memcpy(values + m * nnz, p->h.m.x, (size_t)nnz * sizeof *values);
        hub_draw_rhs(&p->h, &p->seed, hub_op_of(p, transposed, 0), b + m * hub_doubles_of(p));
    }
}

static void judge_members(hub_player *p, const warplu_batch *batch, int transposed, int32_t count, const hub_genes *of,
                          const double *b, const double *x)
{
    const int64_t n = hub_doubles_of(p);
    warplu_batch_member member[MOST_MEMBERS];
    warplu_status status = warplu_batch_get_members(batch, 0, count, member, sizeof *member);
    if (status != WARPLU_SUCCESS) hub_say_odd(p, "records of members", status);
    for (int32_t m = 0; m < count; m++) {
        p->now = of[m];
        if (member[m].status != WARPLU_SUCCESS) {
            p->tally->of[HUB_BY_BATCH][p->numbers][transposed].refused++;
            continue;
        }
        hub_express(&p->h, &of[m]);
        int checked = member[m].backward_error != -1.0;
        hub_keep(p, transposed,
                 hub_judge(p, HUB_BY_BATCH, transposed, hub_op_of(p, transposed, 0), checked, b + m * n, x + m * n));
    }
}

static void call_batch(hub_player *p, warplu_batch *batch, int32_t count, int keeps)
{
    const size_t n = (size_t)(count * hub_doubles_of(p)), nnz = (size_t)(count * test_matrix_values(&p->h.m));
    double *values = malloc(nnz * sizeof *values), *b = malloc(2 * n * sizeof *b), *x = b + n;
    hub_genes of[MOST_MEMBERS];
    for (int k = 0; k < CALLS; k++) {
        int transposed = draw_one_in(&p->seed, 4);
        draw_members(p, transposed, count, of, values, b);
        warplu_status status;
        if (keeps) {
            status = warplu_batch_refactor(batch, values, NULL);
            if (status >= 0) status = warplu_batch_solve(batch, NULL, transposed, 1, b, x);
        } else {
            status = warplu_batch_refactor_solve(batch, values, NULL, transposed, 1, b, x);
        }
        if (status >= 0) judge_members(p, batch, transposed, count, of, b, x);
    }
    free(values);
    free(b);
}

void hub_play_batch(hub_player *p)
{
    warplu_batch_options o;
    warplu_batch *batch = NULL;
    int32_t count = 1 + check_below(&p->seed, MOST_MEMBERS);
    hub_rest(p);
    warplu_batch_init_options(&o);
    o.keep_factors = check_below(&p->seed, 2);
    o.threads = draw_one_in(&p->seed, 4) ? 2 : 1;
    if (p->options.executor == TEST_EXECUTOR_EMULATE) { /* has no batches */
        o.executor =
            p->numbers == HUB_FP32 || p->numbers == HUB_MIXED ? WARPLU_EXECUTOR_REFERENCE : WARPLU_EXECUTOR_CPU;
    }
    if (warplu_batch_create(&batch, p->solver, count, &o) == WARPLU_SUCCESS)
        call_batch(p, batch, count, o.keep_factors);
    warplu_batch_destroy(&batch);
}
