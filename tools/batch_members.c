/* Members of warplu batch: each file's values in the places of the first one's pattern, or the first one's values,
 * changed. Memory: the values of all members, and one more matrix while a file is read. */
#include "base/clock.h"
#include "batch.h"
#include "gen/perturb.h"
#include "same_pattern.h"

#include <string.h>

static warplu_status read_files(batch_run *r)
{
    const batch_request *q = r->q;
    warplu_status status = WARPLU_SUCCESS;
    memcpy(r->values, r->a.values, (size_t)batch_values(r) * sizeof *r->values);
    for (int32_t m = 1; m < r->count && status >= 0; m++) {
        bench_progress_show(&r->progress, q->paths[m], "member", "is read");
        status = same_pattern_read(&r->setup, q->paths[m], q->paths[0], &r->a, 1, r->values + m * batch_values(r));
        bench_progress_step(&r->progress);
    }
    return status;
}

static void make_members(batch_run *r)
{
    for (int32_t m = 0; m < r->count; m++) {
        double *values = r->values + m * batch_values(r);
        gen_perturb(r->a.values, batch_values(r), r->q->perturb, r->q->seed, (uint64_t)m, values);
    }
}

warplu_status batch_read(batch_run *r)
{
    const batch_request *q = r->q;
    int64_t start = wlu_now_ns();
    warplu_status status = load_system(&r->setup, q->paths[0], &r->a);
    if (status >= 0) status = load_rhs(&r->setup, q->rhs, q->paths[0], &r->a, &r->nrhs, &r->b);
    if (status < 0) return status;
    r->doubles = load_doubles(&r->a);
    r->values = WLU_ALLOC(&r->setup.ctx, r->count * batch_values(r), double);
    if (r->values == NULL) return wlu_fail_memory(&r->setup.ctx, "values of members");
    if (q->count > 0)
        make_members(r);
    else
        status = read_files(r);
    r->read_ns = wlu_now_ns() - start;
    return status;
}
