/* Levels of scalar streams: hand-computed cases, the split among them, and a quadratic oracle that knows only the
 * definition. */
#include "check.h"

#include "levels/scalar_levels.h"
#include "support/build.h"
#include "support/options.h"
#include "support/records.h"

#include <string.h>

enum { NMAX = 14, TRIES = 200 };

static uint64_t seed;

static warplu_status collect(void *user, const wlu_record *record)
{
    if (record->opcode == WLU_MSUB || record->opcode == WLU_DIV) test_records_add(user, *record);
    return WARPLU_SUCCESS;
}

/* Records of the factorization and the in-place solve, loads left out. */
static test_records records_of(test_build *b, int solve)
{
    test_records list = {0};
    for (int kind = 0; kind <= solve; kind++) {
        wlu_scalar_options options = {.kind = (wlu_stream_kind)kind, .in_place = 1};
        CHECK(wlu_scalar_stream(&b->ctx, b->analysis->a, b->pivots, &options, collect, &list) == WARPLU_SUCCESS);
    }
    return list;
}

static int reads(const wlu_record *r, int32_t slot)
{
    return r->a == slot || (r->opcode == WLU_MSUB && r->b == slot);
}

/* By the definition: chosen records, in their order, 32 a warp; every opcode of a warp is a pass over it. */
static void oracle_warps(wlu_warps *w, const wlu_record *list, const int64_t *level, int64_t count, int64_t wanted,
                         int opcodes)
{
    int64_t records = 0, passes = 0, lanes = 0, of[2] = {0, 0};
    for (int64_t k = 0; k <= count; k++) {
        int last = k == count, chosen = !last && level[k] == wanted && (opcodes >> (list[k].opcode == WLU_DIV) & 1);
        if (chosen) of[list[k].opcode == WLU_DIV]++;
        if (of[0] + of[1] == 32 || last) {
            passes += (of[0] > 0) + (of[1] > 0);
            lanes += (of[0] + of[1]) * ((of[0] > 0) + (of[1] > 0));
            records += of[0] + of[1];
            of[0] = of[1] = 0;
        }
    }
    if (records == 0) return;
    double filling = (double)records / (double)(32 * passes), agreement = (double)records / (double)lanes;
    int first = w->passes == 0;
    w->passes += passes;
    if (passes > w->most_passes) w->most_passes = passes;
    if (first || filling < w->least_filling) w->least_filling = filling;
    if (first || agreement < w->least_agreement) w->least_agreement = agreement;
    if (filling > w->best_filling) w->best_filling = filling;
    if (agreement > w->best_agreement) w->best_agreement = agreement;
    w->mean_filling += filling;
    w->mean_agreement += agreement;
}

static void divide_means(wlu_warps *w, int64_t vectors)
{
    if (vectors == 0) return;
    w->mean_filling /= (double)vectors;
    w->mean_agreement /= (double)vectors;
}

/* By the definition: one more than every earlier record that wrote an operand or the target, or read the target. */
static wlu_levels oracle(const wlu_record *list, int64_t count)
{
    wlu_levels out = {.records = count};
    int64_t *level = calloc((size_t)count + 1, sizeof *level);
    for (int64_t k = 0; k < count; k++) {
        for (int64_t e = 0; e < k; e++) {
            int before = list[e].t == list[k].t || reads(&list[k], list[e].t) || reads(&list[e], list[k].t);
            if (before && level[e] > level[k]) level[k] = level[e];
        }
        level[k]++;
        if (level[k] > out.levels) out.levels = level[k];
        if (list[k].opcode == WLU_DIV)
            out.divisions++;
        else
            out.multiply_subtracts++;
    }
    for (int64_t l = 1; l <= out.levels; l++) {
        int64_t width[2] = {0, 0};
        for (int64_t k = 0; k < count; k++)
            if (level[k] == l) width[list[k].opcode == WLU_DIV]++;
        if (width[0] + width[1] > out.longest_level) out.longest_level = width[0] + width[1];
        for (int d = 0; d < 2; d++) {
            int bin = 0;
            if (width[d] == 0) continue;
            while (width[d] >= (INT64_C(2) << bin)) bin++;
            out.width[bin]++;
            out.vectors++;
            if (width[d] > out.longest_vector) out.longest_vector = width[d];
            oracle_warps(&out.split, list, level, count, l, 1 << d);
        }
        oracle_warps(&out.unsplit, list, level, count, l, 3);
    }
    divide_means(&out.unsplit, out.levels);
    divide_means(&out.split, out.vectors);
    free(level);
    return out;
}

static void levels_match_their_definition(void)
{
    seed = 161803;
    printf("# seed %llu\n", (unsigned long long)seed);
    int split = 0, wide = 0;
    for (int t = 0; t < TRIES; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        warplu_options o;
        test_matrix m;
        test_build b;
        check_init_options(&o);
        o.btf = check_below(&seed, 2);
        o.matching = (warplu_matching)check_below(&seed, 3);
        test_matrix_random(&m, &seed, &r);
        if (test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS) {
            for (int solve = 0; solve <= 1; solve++) {
                wlu_levels found;
                test_records list = records_of(&b, solve);
                wlu_levels expected = oracle(list.at, list.count);
                CHECK(wlu_levels_find(&b.ctx, b.analysis->a, b.pivots, solve, &found) == WARPLU_SUCCESS);
                CHECK_SAY(memcmp(&found, &expected, sizeof found) == 0,
                          "try %d, solve %d, %s, n = %d: levels %lld, %lld; vectors %lld, %lld", t, solve,
                          test_shape_name(r.shape), r.n, (long long)found.levels, (long long)expected.levels,
                          (long long)found.vectors, (long long)expected.vectors);
                split += found.vectors > found.levels;
                wide += found.split.most_passes > 1;
                free(list.at);
            }
            test_build_free(&b);
        } else {
            CHECK_SAY(0, "try %d", t);
        }
        test_matrix_free(&m);
    }
    CHECK_SAY(split > TRIES / 4, "only %d programs held a mixed level", split);
    CHECK_SAY(wide > 0, "no vector was longer than a warp");
}

/* Levels of a dense array in natural order and one block. */
static wlu_levels levels_of(int32_t n, const double *dense, int solve)
{
    warplu_options o;
    test_matrix m;
    test_build b;
    wlu_levels found = {0};
    check_init_options(&o);
    o.btf = 0;
    o.ordering = WARPLU_ORDERING_NATURAL;
    test_matrix_from_dense(&m, n, dense);
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
    if (b.pivots != NULL) {
        CHECK(wlu_levels_find(&b.ctx, b.analysis->a, b.pivots, solve, &found) == WARPLU_SUCCESS);
        for (int32_t k = 0; k < n; k++) CHECK(b.pivots->row[k] == k && b.pivots->col[k] == k);
        test_build_free(&b);
    }
    test_matrix_free(&m);
    return found;
}

static void check_counts(wlu_levels l, int64_t msub, int64_t div, int64_t levels, int64_t vectors,
                         int64_t longest_level, int64_t longest_vector)
{
    CHECK(l.multiply_subtracts == msub && l.divisions == div && l.records == msub + div);
    CHECK_SAY(l.levels == levels && l.vectors == vectors, "levels %lld, vectors %lld", (long long)l.levels,
              (long long)l.vectors);
    CHECK_SAY(l.longest_level == longest_level && l.longest_vector == longest_vector, "longest %lld, %lld",
              (long long)l.longest_level, (long long)l.longest_vector);
}

static void two_by_two(void)
{
    const double dense[] = {4, 1, 1, 4};
    /* DIV l10 | MSUB d1 */
    check_counts(levels_of(2, dense, 0), 1, 1, 2, 2, 1, 1);
    /* DIV l10 | MSUB d1, MSUB y1 | DIV y1 | MSUB y0 | DIV y0 */
    check_counts(levels_of(2, dense, 1), 3, 3, 5, 5, 2, 2);
}

static void an_arrow(void)
{
    const double dense[] = {4, 0, 1, 0, 4, 1, 1, 1, 4};
    /* DIV l20, l21 | MSUB d2 | MSUB d2 */
    check_counts(levels_of(3, dense, 0), 2, 2, 3, 3, 2, 2);
    /* ... MSUB d2, y2 | MSUB d2, y2 | DIV y2 | MSUB y0, y1 | DIV y0, y1 */
    check_counts(levels_of(3, dense, 1), 6, 5, 6, 6, 2, 2);
}

/* y0 and y1 are divided at once but for their readers: write after read. L only: no MSUB into them. */
static void a_write_waits_for_readers(void)
{
    const double dense[] = {4, 0, 1, 0, 4, 1, 0, 0, 4};
    /* DIV l20, l21 | MSUB y2 (reads y0) | MSUB y2 (reads y1), DIV y0 | DIV y2, y1 */
    check_counts(levels_of(3, dense, 1), 2, 5, 4, 5, 2, 2);
}

/* A dense 3 by 3 block and an arrow beside each other: level 3 holds a DIV and a MSUB and is split. */
static void a_mixed_level_is_split(void)
{
    double dense[36] = {0};
    const double block[] = {4, 1, 1, 1, 4, 1, 1, 1, 4}, arrow[] = {4, 0, 1, 0, 4, 1, 1, 1, 4};
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            dense[6 * j + i] = block[3 * j + i];
            dense[6 * (j + 3) + i + 3] = arrow[3 * j + i];
        }
    wlu_levels l = levels_of(6, dense, 0);
    check_counts(l, 7, 5, 4, 5, 5, 5);
    CHECK(l.width[0] == 3 && l.width[1] == 0 && l.width[2] == 2);
    /* DIV 4 | MSUB 5 | DIV 1, MSUB 1 | MSUB 1: the third passes twice over its two lanes. */
    CHECK(l.unsplit.passes == 5 && l.unsplit.most_passes == 2 && l.split.passes == 5 && l.split.most_passes == 1);
    CHECK(l.unsplit.least_agreement == 0.5 && l.unsplit.best_agreement == 1 && l.unsplit.mean_agreement == 3.5 / 4);
    CHECK(l.unsplit.least_filling == 1 / 32.0 && l.unsplit.best_filling == 5 / 32.0);
    CHECK(l.unsplit.mean_filling == (4 + 5 + 1 + 1) / 32.0 / 4 &&
          l.split.mean_filling == (4 + 5 + 1 + 1 + 1) / 32.0 / 5);
    CHECK(l.split.least_agreement == 1 && l.split.mean_agreement == 1 && l.split.best_agreement == 1);
}

/* 40 columns of L below their pivots: a vector of 40 records is a warp and a quarter of one. */
static void a_long_vector_takes_more_warps(void)
{
    enum { N = 41 };
    double *dense = calloc(N * N, sizeof *dense);
    for (int j = 0; j < N; j++) dense[N * j + j] = 4;
    for (int j = 0; j < N - 1; j++) dense[N * j + N - 1] = 1;
    wlu_levels l = levels_of(N, dense, 0);
    check_counts(l, 0, N - 1, 1, 1, N - 1, N - 1);
    CHECK(l.unsplit.passes == 2 && l.split.passes == 2 && l.split.most_passes == 2);
    CHECK(l.split.mean_filling == 40 / 64.0 && l.unsplit.least_agreement == 1);
    free(dense);
}

int main(void)
{
    RUN(levels_match_their_definition);
    RUN(two_by_two);
    RUN(an_arrow);
    RUN(a_write_waits_for_readers);
    RUN(a_mixed_level_is_split);
    RUN(a_long_vector_takes_more_warps);
    return check_done();
}
