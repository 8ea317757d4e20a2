/* Random patterns: a full diagonal and round(density * n) distinct places elsewhere, uniformly at random.
 *
 * The rows are drawn first; then each row draws its columns by Floyd's sampling (Bentley and Floyd,
 * Programming pearls: a sample of brilliance, CACM 30, 1987) with marks instead of a set: O(n + nnz),
 * whatever the density. Off the diagonal values lie in (-1, 1) and swing by 30 % in time; a diagonal is
 * larger than the sum of its row's magnitudes by 0.1 to 1, with either sign, so that no row order or scale is
 * needed. */
#include "gen/gen.h"
#include "gen/random.h"
#include "gen/wave.h"

enum { ROW, COLUMN, VALUE, PHASE, DIAGONAL, RHS };

/* How many places each row gets; at most n - 1. */
static void draw_rows(const gen_params *p, int32_t n, int64_t places, int32_t *count)
{
    for (int64_t e = 0; e < places; e++) {
        int32_t r = gen_below(p->seed, ROW, e, n);
        while (count[r] == n - 1) r = r + 1 < n ? r + 1 : 0;
        count[r]++;
    }
}

/* Stamps one row; mark[c] == row tells a taken column. number: the row's first place. */
static void emit_row(stamp *s, const gen_params *p, int32_t row, int32_t count, int64_t number, int32_t *mark)
{
    double time = gen_step_time(p->step), sum = 0;
    int32_t others = s->n - 1;
    for (int32_t k = 0; k < count; k++) {
        int64_t e = number + k;
        int32_t last = others - count + k; /* Floyd: among the first last + 1, or last itself if taken */
        int32_t c = gen_below(p->seed, COLUMN, e, last + 1);
        if (mark[c] == row) c = last;
        mark[c] = row;
        double value = gen_between(p->seed, VALUE, e, -1.0, 1.0);
        value *= 1 + 0.3 * gen_wave(time / 100 + gen_uniform(p->seed, PHASE, e));
        sum += value < 0 ? -value : value;
        stamp_add(s, row, c + (c >= row), value);
    }
    double excess = gen_between(p->seed, DIAGONAL, row, 0.1, 1.0) * (1 + 0.3 * gen_wave(time / 100));
    double sign = gen_below(p->seed, DIAGONAL, (int64_t)s->n + row, 2) == 0 ? 1.0 : -1.0;
    stamp_add(s, row, row, sign * (sum + excess));
    stamp_current(s, row, gen_between(p->seed, RHS, row, -1.0, 1.0));
}

void gen_emit_random(stamp *s, const gen_params *p)
{
    int32_t n = (int32_t)p->size;
    int32_t *count = NULL, *mark = NULL;
    double wanted = p->density * n + 0.5, most = (double)n * (n - 1);
    int64_t places = (int64_t)(wanted < most ? wanted : most), number = 0;
    if (!stamp_begin(s, n, n + places)) return;
    count = WLU_CALLOC(s->ctx, n, int32_t);
    mark = WLU_ALLOC(s->ctx, n, int32_t);
    if (count == NULL || mark == NULL) {
        s->status = wlu_fail_memory(s->ctx, "random pattern");
        goto done;
    }
    draw_rows(p, n, places, count);
    for (int32_t c = 0; c < n; c++) mark[c] = -1;
    for (int32_t r = 0; r < n; r++) {
        emit_row(s, p, r, count[r], number, mark);
        number += count[r];
    }
done:
    wlu_free(s->ctx, count);
    wlu_free(s->ctx, mark);
}
