/* The emitter: its scalar streams, executed on an array of slots with plain arithmetic, give L, U, F and the
 * solutions; walks that are stopped and begun anew give the same stream; TILE pivots leave exactly their records
 * out. */
#include "check.h"

#include "lu/emit.h"
#include "support/build.h"
#include "support/dense.h"
#include "support/options.h"
#include "support/records.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NMAX = 40, TRIES = 250 };

static uint64_t seed;

static test_records emit(test_build *b, wlu_emit_options options)
{
    wlu_emitter *e = NULL;
    test_records l = {0};
    options.whole = 1;
    CHECK(wlu_lu_emitter_create(&b->ctx, b->analysis->a, b->pivots, &options, &e) == WARPLU_SUCCESS);
    if (e != NULL) l = test_records_of(e, -1);
    wlu_emitter_destroy(&b->ctx, &e);
    CHECK(e == NULL);
    return l;
}

/* An emitter that has been stopped gives a first part of the stream, and then all of it, with or without its loads and
 * guards. */
static void check_again(test_build *b, wlu_emit_options options)
{
    test_records whole = emit(b, options);
    wlu_emitter *e = NULL;
    for (options.whole = 0; options.whole <= 1; options.whole++) {
        CHECK(wlu_lu_emitter_create(&b->ctx, b->analysis->a, b->pivots, &options, &e) == WARPLU_SUCCESS);
        if (e == NULL) break;
        test_records part = test_records_of(e, check_below(&seed, 4)), again = test_records_of(e, -1);
        CHECK(part.count <= again.count &&
              (part.count == 0 || memcmp(part.at, again.at, (size_t)part.count * sizeof *part.at) == 0));
        int64_t at = 0;
        for (int64_t k = 0; k < whole.count; k++) {
            if (!options.whole && (whole.at[k].opcode == WLU_LOAD || whole.at[k].opcode == WLU_GUARD)) continue;
            CHECK_SAY(at < again.count && memcmp(&again.at[at], &whole.at[k], sizeof *whole.at) == 0,
                      "record %lld, kind %d, whole %d", (long long)k, options.kind, options.whole);
            at++;
        }
        CHECK(at == again.count);
        wlu_emitter_destroy(&b->ctx, &e);
        free(part.at);
        free(again.at);
    }
    free(whole.at);
}

static void execute(const test_records *l, const double *source, double *v, int64_t *count)
{
    for (int64_t k = 0; k < l->count; k++) {
        wlu_record r = l->at[k];
        count[r.opcode]++;
        switch (r.opcode) {
        case WLU_LOAD: v[r.t] = ldexp(source[r.a], r.b); break;
        case WLU_MOVE: v[r.t] = v[r.a]; break;
        case WLU_MSUB: v[r.t] -= v[r.a] * v[r.b]; break;
        case WLU_MUL: v[r.t] *= v[r.a]; break;
        case WLU_DIV: v[r.t] /= v[r.a]; break;
        case WLU_RCP: v[r.t] = 1.0 / v[r.a]; break;
        case WLU_GUARD: break;
        default: CHECK_SAY(0, "opcode %d", r.opcode);
        }
    }
}

static void check_factor(test_build *b, double *v)
{
    const wlu_pivots *p = b->pivots;
    int32_t n = p->n;
    int64_t count[WLU_OPCODES] = {0};
    test_records l = emit(b, (wlu_emit_options){.kind = WLU_STREAM_FACTOR, .reciprocals = 1});
    execute(&l, b->entries, v, count);
    double *m = test_dense_permuted(n, b->dense, p), *lu = test_factors(b, v, NULL);
    double error = test_dense_factor_error(n, m, lu, p);
    CHECK_SAY(error <= (n + 4) * DBL_EPSILON, "%g", error);
    for (int32_t k = 0; k < n; k++) CHECK(v[n + k] == 1.0 / v[k]);
    CHECK(count[WLU_LOAD] == b->analysis->a->nnz && count[WLU_MSUB] == p->terms);
    CHECK(count[WLU_MUL] == p->lp[n] && count[WLU_DIV] == 0 && count[WLU_RCP] == n && count[WLU_GUARD] == n);
    free(m);
    free(lu);
    free(l.at);
    l = emit(b, (wlu_emit_options){.kind = WLU_STREAM_FACTOR});
    memset(count, 0, sizeof count);
    memset(v, 0, (size_t)wlu_layout_of(p, 0).count * sizeof *v); /* fill-in starts from 0 */
    execute(&l, b->entries, v, count);
    CHECK(count[WLU_RCP] == 0 && count[WLU_MUL] == 0 && count[WLU_DIV] == p->lp[n]);
    free(l.at);
}

static void check_solve(test_build *b, double *v, int transposed, int in_place)
{
    const wlu_pivots *p = b->pivots;
    int32_t n = p->n;
    int64_t count[WLU_OPCODES] = {0};
    wlu_layout o = wlu_layout_of(p, in_place);
    double rhs[NMAX], x[NMAX], *lu = test_factors(b, v, NULL);
    int reciprocals = (int)check_below(&seed, 2);
    for (int32_t i = 0; i < n; i++) rhs[i] = check_uniform(&seed) - 0.5;
    for (int32_t k = 0; k < n; k++) v[o.reciprocal + k] = 1.0 / v[k];
    test_records l = emit(b, (wlu_emit_options){.kind = transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE,
                                                .in_place = in_place,
                                                .reciprocals = reciprocals});
    execute(&l, rhs, v, count);
    for (int32_t k = 0; k < n; k++) {
        int32_t i = transposed ? p->row[k] : p->col[k];
        x[i] = ldexp(v[o.x + k], transposed ? p->exponent[i] : wlu_pivots_col_exponent(p, i));
    }
    double error = test_dense_solve_error(n, b->dense, lu, p, transposed, rhs, x);
    CHECK_SAY(error <= (4 * n + 8) * DBL_EPSILON, "%g, transposed %d, in place %d", error, transposed, in_place);
    CHECK(count[WLU_MSUB] == p->lp[n] + p->up[n] + p->fp[n] && count[WLU_LOAD] == n);
    CHECK(count[reciprocals ? WLU_MUL : WLU_DIV] == n && count[reciprocals ? WLU_DIV : WLU_MUL] == 0);
    CHECK(count[WLU_MOVE] == (in_place ? 0 : n));
    free(lu);
    free(l.at);
}

/* The column of L that logical slot t belongs to. */
static int32_t column_of_l(const wlu_pivots *p, int64_t t)
{
    int32_t k = 0;
    while (t - 2 * (int64_t)p->n >= p->lp[k + 1]) k++;
    return k;
}

/* Drawn TILE sets, closed upwards: the stream is the full one without the region's own records. */
static void check_tiled(test_build *b)
{
    const wlu_pivots *p = b->pivots;
    uint8_t tiled[NMAX];
    int32_t first = check_below(&seed, p->n + 1);
    for (int32_t k = 0; k < p->n; k++) tiled[k] = k >= first;
    wlu_emit_options options = {.kind = WLU_STREAM_FACTOR, .reciprocals = 1};
    test_records whole = emit(b, options);
    options.tiled = tiled;
    test_records part = emit(b, options);
    int64_t at = 0;
    for (int64_t k = 0; k < whole.count; k++) {
        wlu_record r = whole.at[k];
        int dropped = (r.opcode == WLU_MSUB && tiled[column_of_l(p, r.a)]) ||
                      (r.opcode == WLU_MUL && tiled[column_of_l(p, r.t)]) || (r.opcode == WLU_RCP && tiled[r.a]);
        if (dropped) continue;
        CHECK(at < part.count && memcmp(&part.at[at], &r, sizeof r) == 0);
        at++;
    }
    CHECK(at == part.count);
    free(whole.at);
    free(part.at);
    check_again(b, options);
}

static void streams_factor_and_solve(void)
{
    seed = 314159;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < TRIES; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        warplu_options o;
        test_matrix m;
        test_build b;
        check_init_options(&o);
        o.btf = check_below(&seed, 4) > 0;
        o.matching = (warplu_matching)check_below(&seed, 3);
        test_matrix_random(&m, &seed, &r);
        if (test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS) {
            int before = check_failures;
            double *v = calloc((size_t)wlu_layout_of(b.pivots, 0).count, sizeof *v);
            check_factor(&b, v);
            for (int way = 0; way < 4; way++) check_solve(&b, v, way / 2, way % 2);
            check_tiled(&b);
            for (int kind = 0; kind < 3; kind++)
                check_again(&b, (wlu_emit_options){.kind = (wlu_stream_kind)kind, .in_place = check_below(&seed, 2)});
            if (check_failures > before) printf("#   in try %d: %s, n = %d\n", t, test_shape_name(r.shape), r.n);
            free(v);
            test_build_free(&b);
        } else {
            CHECK_SAY(0, "try %d: %s, n = %d", t, test_shape_name(r.shape), r.n);
        }
        test_matrix_free(&m);
    }
}

int main(void)
{
    RUN(streams_factor_and_solve);
    return check_done();
}
