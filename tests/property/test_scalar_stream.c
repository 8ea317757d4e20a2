/* Scalar streams, executed on an array of slots with plain arithmetic, give L, U, F and the solutions; those that are
 * stopped are the first part of the whole; TILE pivots leave exactly their records out; and compiled programs have the
 * chains that such a stream has when its records are gathered by target, with the same terms in the same order. */
#include "check.h"

#include "levels/scalar_stream.h"
#include "support/build.h"
#include "support/dense.h"
#include "support/options.h"
#include "support/records.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NMAX = 40, TRIES = 250 };

static uint64_t seed;

typedef struct collector {
    test_records list;
    int64_t takes; /* before it fails; below 0: it never does */
} collector;

static warplu_status collect(void *user, const wlu_record *record)
{
    collector *c = user;
    if (c->takes-- == 0) return WARPLU_CANCELLED;
    test_records_add(&c->list, *record);
    return WARPLU_SUCCESS;
}

static test_records emit(test_build *b, wlu_scalar_options options)
{
    collector c = {.takes = -1};
    CHECK(wlu_scalar_stream(&b->ctx, b->analysis->a, b->pivots, &options, collect, &c) == WARPLU_SUCCESS);
    return c.list;
}

/* A stream that is stopped is a first part of the whole. */
static void check_stopped(test_build *b, wlu_scalar_options options)
{
    test_records whole = emit(b, options);
    collector c = {.takes = check_below(&seed, (int32_t)whole.count)};
    int64_t expected = c.takes;
    CHECK(wlu_scalar_stream(&b->ctx, b->analysis->a, b->pivots, &options, collect, &c) == WARPLU_CANCELLED);
    CHECK(c.list.count == expected);
    CHECK(expected == 0 || memcmp(c.list.at, whole.at, (size_t)expected * sizeof *whole.at) == 0);
    free(c.list.at);
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
    test_records l = emit(b, (wlu_scalar_options){.kind = WLU_STREAM_FACTOR, .reciprocals = 1});
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
    l = emit(b, (wlu_scalar_options){.kind = WLU_STREAM_FACTOR});
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
    test_records l = emit(b, (wlu_scalar_options){.kind = transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE,
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
    wlu_scalar_options options = {.kind = WLU_STREAM_FACTOR, .reciprocals = 1};
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
    check_stopped(b, options);
}

/* Pivots that the regions of a solve make. */
static void mark_solved(const test_build *b, const wlu_triangular *t, uint8_t *tiled)
{
    const wlu_tiles *tiles = &wlu_lu_of(b->program)->tiles;
    memset(tiled, 0, NMAX);
    for (int32_t r = 0; r < t->regions; r++)
        for (int32_t at = t->region[r].first; at < t->region[r].behind; at++) tiled[tiles->position[at]] = 1;
}

typedef struct gathered {
    int32_t start, divisor, opcode, terms, written;
} gathered;

/* A record of the program: start, divisor, opcode, and its terms one by one as the stream gives them. */
static void check_record(const wlu_program *p, const wlu_stream *s, int64_t r, const gathered *g,
                         const test_records *list, int32_t t)
{
    const int32_t *slot = p->slot, *pair = s->operand + 2 * s->begin[r];
    int64_t terms = wlu_stream_terms(s, r);
    CHECK(s->start[r] == slot[g->start] && s->opcode[r] == g->opcode && terms == g->terms);
    CHECK(s->divisor[r] == (g->divisor >= 0 ? slot[g->divisor] : -1));
    for (int64_t k = 0; k < list->count && terms > 0; k++) {
        wlu_record e = list->at[k];
        if (e.opcode != WLU_MSUB || e.t != t) continue;
        CHECK(pair[0] == slot[e.a] && pair[1] == slot[e.b]);
        pair += 2;
        terms--;
    }
}

static void check_chains(test_build *b, const wlu_stream *s, wlu_stream_kind kind, const uint8_t *tiled)
{
    const wlu_program *p = b->program;
    int64_t slots = wlu_layout_of(b->pivots, 0).count, chains = 0;
    gathered *g = calloc((size_t)slots, sizeof *g);
    int32_t *logical = malloc((size_t)p->nslots * sizeof *logical);
    test_records list = emit(b, (wlu_scalar_options){.kind = kind, .reciprocals = 1, .tiled = tiled});
    for (int32_t t = 0; t < slots; t++) {
        g[t] = (gathered){t, -1, WLU_DOT, 0, 0};
        logical[p->slot[t]] = t; /* y and x as this stream has them, or of no use */
    }
    for (int64_t k = 0; k < list.count; k++) {
        wlu_record r = list.at[k];
        gathered *to = &g[r.t];
        if (r.opcode == WLU_LOAD || r.opcode == WLU_GUARD) continue;
        chains += !to->written;
        to->written = 1;
        if (r.opcode == WLU_MSUB) to->terms++;
        if (r.opcode == WLU_MOVE) to->start = r.a;
        if (r.opcode == WLU_MUL || r.opcode == WLU_RCP) to->divisor = r.a;
        if (r.opcode == WLU_MUL || r.opcode == WLU_RCP) to->opcode = r.opcode == WLU_MUL ? WLU_DOTS : WLU_RCP;
    }
    CHECK_SAY(chains == s->nrecords, "%lld chains, %lld records", (long long)chains, (long long)s->nrecords);
    for (int64_t r = 0; r < s->nrecords; r++) {
        int32_t t = logical[s->target[r]];
        CHECK(g[t].written);
        g[t].written = 0; /* no second record of it */
        check_record(p, s, r, &g[t], &list, t);
    }
    free(g);
    free(logical);
    free(list.at);
}

/* The transposed solve was compiled last: y and x stand where it has them. Names those of the solve. */
static void place_solve(const test_build *b)
{
    wlu_program *p = b->program;
    wlu_layout o = wlu_layout_of(b->pivots, 0);
    for (int32_t i = 0; i < p->n; i++) {
        p->slot[o.y + b->pivots->row_pos[p->solve.load.source[i]]] = (int32_t)p->y + i;
        p->slot[o.x + b->pivots->col_pos[p->solve.index[i]]] = (int32_t)p->x + i;
    }
}

static void check_program(test_build *b)
{
    static const test_region region[] = {TEST_ALL_DOT, TEST_MIXED, TEST_ALL_TILE};
    uint8_t tiled[NMAX];
    for (int k = 0; k < 3; k++) {
        wlu_cost cost = test_region_cost(region[k]);
        if (test_build_program(b, &cost) < 0) {
            CHECK(0);
            continue;
        }
        check_chains(b, &b->program->dot, WLU_STREAM_FACTOR, wlu_lu_of(b->program)->tiled);
        check_chains(b, &b->program->transposed.stream, WLU_STREAM_SOLVE_TRANSPOSED, NULL);
        mark_solved(b, &b->program->solve, tiled);
        place_solve(b);
        check_chains(b, &b->program->solve.stream, WLU_STREAM_SOLVE, tiled);
    }
}

static void streams_factor_and_solve(void)
{
    seed = 314159;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < TRIES; t++) {
        if (!check_due()) continue;
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
                check_stopped(&b,
                              (wlu_scalar_options){.kind = (wlu_stream_kind)kind, .in_place = check_below(&seed, 2)});
            check_program(&b);
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
