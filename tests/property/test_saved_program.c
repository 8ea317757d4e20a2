/* Programs in a file: what comes back is the program itself, number by number, for every kind of program; what is
 * broken is refused, and what has been tampered with is refused or is a program of the pivots. */
#include "check.h"

#include "lu/saved.h"
#include "program/verify.h"
#include "support/build.h"
#include "support/options.h"

#include <string.h>

enum { TRIES = 240, NMAX = 60, HEADER = (int)sizeof(wlu_saved_lu) };

static int same(const void *a, const void *b, int64_t count, size_t size)
{
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, (size_t)count * size) == 0);
}

/* Structures with gaps, number by number. */
static int same_vectors(const wlu_stream *a, const wlu_stream *b)
{
    for (int64_t k = 0; k < a->nvectors; k++) {
        const wlu_vector *x = &a->vector[k], *y = &b->vector[k];
        if (x->chunk != y->chunk || x->level != y->level || x->opcode != y->opcode || x->first != y->first ||
            x->count != y->count)
            return 0;
    }
    return 1;
}

static int same_sources(const wlu_tiles *a, const wlu_tiles *b)
{
    for (int64_t k = 0; k < a->source_ptr[a->count]; k++) {
        const wlu_tile_source *x = &a->source[k], *y = &b->source[k];
        if (x->tile != y->tile || x->at != y->at || x->pivots != y->pivots || x->to != y->to) return 0;
    }
    return 1;
}

static int same_streams(const wlu_stream *a, const wlu_stream *b)
{
    int64_t n = a->nrecords;
    return n == b->nrecords && a->nterms == b->nterms && a->nvectors == b->nvectors && a->nlevels == b->nlevels &&
           a->longest_vector == b->longest_vector && same_vectors(a, b) && same(a->opcode, b->opcode, n, 1) &&
           same(a->target, b->target, n, 4) && same(a->start, b->start, n, 4) && same(a->divisor, b->divisor, n, 4) &&
           same(a->finished, b->finished, n, 4) && same(a->begin, b->begin, n + 1, 8) &&
           same(a->operand, b->operand, 2 * a->nterms, 4);
}

static int same_triangulars(const wlu_triangular *a, const wlu_triangular *b, int32_t n, int32_t m)
{
    return a->regions == b->regions && same(a->region, b->region, a->regions, sizeof *a->region) &&
           same(a->segment, b->segment, a->regions + 2, 8) && same(a->load.source, b->load.source, n, 4) &&
           same(a->load.scale, b->load.scale, n, 8) && same(a->index, b->index, n, 4) &&
           same(a->scale, b->scale, n, 8) && same(a->tile_y, b->tile_y, m, 4) && same(a->tile_x, b->tile_x, m, 4) &&
           same_streams(&a->stream, &b->stream);
}

static int same_tiles(const wlu_tiles *a, const wlu_tiles *b, int32_t parts)
{
    int64_t k = a->count;
    return a->m == b->m && k == b->count && same(a->position, b->position, a->m, 4) &&
           same(a->first, b->first, k + 1, 4) && same(a->above, b->above, k, 4) && same(a->below, b->below, k, 4) &&
           same(a->row_ptr, b->row_ptr, k + 1, 8) && same(a->row, b->row, a->row_ptr[k], 4) &&
           same(a->panel, b->panel, k + 1, 8) && same(a->load, b->load, k + 1, 8) &&
           same(a->vector, b->vector, k + 1, 8) && same(a->source_ptr, b->source_ptr, k + 1, 8) && same_sources(a, b) &&
           a->ntargets == b->ntargets && same(a->target, b->target, a->ntargets, 4) && same(a->owner, b->owner, k, 4) &&
           same(a->turn, b->turn, k, 4) && same(a->list, b->list, k, 4) &&
           same(a->list_ptr, b->list_ptr, 2 * parts + 1, 4) && a->terms == b->terms && a->steps == b->steps;
}

static int same_programs(const wlu_program *a, const wlu_program *b)
{
    const wlu_lu *x = wlu_lu_of(a), *y = wlu_lu_of(b);
    const wlu_guards *g = &x->guard, *h = &y->guard;
    return a->n == b->n && a->split == b->split && a->parts == b->parts && same(a->part, b->part, a->parts + 2, 8) &&
           a->nslots == b->nslots && a->region_slots == b->region_slots && a->sums == b->sums && a->y == b->y &&
           a->x == b->x && a->zero == b->zero && a->minus_one == b->minus_one && a->solve_sums == b->solve_sums &&
           a->load.count == b->load.count && same(a->load.source, b->load.source, a->load.count, 4) &&
           same(a->load.scale, b->load.scale, a->load.count, 8) && a->list.count == b->list.count &&
           same(a->list.target, b->list.target, a->list.count, 4) &&
           same(a->list.source, b->list.source, a->list.count, 4) &&
           same(a->list.scale, b->list.scale, a->list.count, 8) && same_streams(&a->dot, &b->dot) &&
           same_triangulars(&a->solve, &b->solve, a->n, x->tiles.m) && a->has_transposed == b->has_transposed &&
           (!a->has_transposed || same_triangulars(&a->transposed, &b->transposed, a->n, 0)) &&
           a->predicted_ns == b->predicted_ns && a->path_ns == b->path_ns &&
           same(&x->areas, &y->areas, 1, sizeof x->areas) && same(x->tiled, y->tiled, a->n, 1) &&
           same_tiles(&x->tiles, &y->tiles, a->parts) && g->count == h->count &&
           same(g->u_column, h->u_column, g->count, 4) && same(g->a_source, h->a_source, g->entries, 4);
}

/* ------------------------------------------------------------- round trip */

typedef struct case_of {
    test_build b;
    wlu_cost cost;
    uint8_t *bytes;
    int64_t count;
} case_of;

/* A program of the kind, with or without its transposed solve, and its section. */
static int open_case(case_of *c, const test_recipe *r, uint64_t *seed, test_region region, int threads, int chunks,
                     int transposed)
{
    warplu_options o;
    test_matrix m;
    check_init_options(&o);
    o.threads = threads;
    c->cost = test_region_cost(region);
    if (threads > 1) c->cost.ns_per_part = 1e-3;
    if (chunks) {
        c->cost.chunk_slots = 1.0;
        c->cost.chunk_records = 1.0;
    }
    test_matrix_random(&m, seed, r);
    warplu_status status = test_build_pivots(&c->b, &o, &m);
    test_matrix_free(&m);
    if (status == WARPLU_SUCCESS) status = test_build_program(&c->b, &c->cost);
    if (status == WARPLU_SUCCESS && !transposed) {
        wlu_program_destroy(&c->b.ctx, &c->b.program);
        status = wlu_lu_compile(&c->b.ctx, &o, &c->cost, c->b.analysis->a, c->b.pivots, &c->b.program);
    }
    if (status == WARPLU_SUCCESS)
        status = wlu_lu_save(&c->b.ctx, c->b.program, c->b.pivots, threads, &c->bytes, &c->count);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s", c->b.ctx.last_message);
    return status == WARPLU_SUCCESS;
}

static void close_case(case_of *c)
{
    wlu_free(&c->b.ctx, c->bytes);
    test_build_free(&c->b);
}

/* The program of these bytes, or NULL. */
static warplu_status restore(const case_of *c, wlu_context *ctx, const uint8_t *bytes, int64_t count, wlu_program **out)
{
    wlu_lu_saved saved;
    int fits = 0;
    *out = NULL;
    warplu_status status = wlu_lu_saved_open(ctx, "bytes", (wlu_saved_program){bytes, count}, c->b.pivots->n,
                                             c->b.options.threads, &c->cost, &saved, &fits);
    if (status < 0 || !fits) return status;
    return wlu_lu_restore(ctx, &c->b.options, &c->cost, c->b.analysis->a, c->b.pivots, &saved, out);
}

static void check_same(case_of *c, const char *what)
{
    wlu_program *again;
    uint8_t *bytes;
    int64_t count;
    CHECK_SAY(restore(c, &c->b.ctx, c->bytes, c->count, &again) == WARPLU_SUCCESS && again != NULL, "%s: %s", what,
              c->b.ctx.last_message);
    if (again == NULL) return;
    CHECK_SAY(same_programs(c->b.program, again), "%s: another program", what);
    CHECK_SAY(wlu_program_verify(&c->b.ctx, again) == WARPLU_SUCCESS, "%s: %s", what, c->b.ctx.last_message);
    CHECK(wlu_lu_save(&c->b.ctx, again, c->b.pivots, c->b.options.threads, &bytes, &count) == WARPLU_SUCCESS);
    CHECK_SAY(count == c->count && memcmp(bytes, c->bytes, (size_t)count) == 0, "%s: other bytes", what);
    wlu_free(&c->b.ctx, bytes);
    wlu_program_destroy(&c->b.ctx, &again);
}

/* Whether the levelled records stand in several chunks. */
static int is_cut(const wlu_program *p)
{
    for (int64_t v = 1; v < p->part[p->parts + 1]; v++)
        if (p->dot.vector[v].chunk != p->dot.vector[0].chunk) return 1;
    return 0;
}

static void programs_come_back(void)
{
    uint64_t seed = 20261123;
    int tiled = 0, dependent = 0, chunked = 0, summed = 0, mixed = 0, regions = 0;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < TRIES; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        test_region region = (test_region)(t % TEST_REGIONS);
        int threads = region != TEST_DEVICE && t % 3 > 0 ? 1 + t % 5 : 1;
        char what[120];
        case_of c;
        if (region == TEST_DEVICE && t % 8 < 4) r = (test_recipe){.shape = TEST_ARROW, .n = 100 + t % 60};
        snprintf(what, sizeof what, "try %d, %s of %d, region %d, %d threads", t, test_shape_name(r.shape), r.n, region,
                 threads);
        if (!open_case(&c, &r, &seed, region, threads, region != TEST_DEVICE && t % 7 < 3, t % 2)) continue;
        check_same(&c, what);
        const wlu_program *p = c.b.program;
        tiled += wlu_lu_of(p)->tiles.count > 1;
        mixed += wlu_lu_of(p)->tiles.m > 0 && wlu_lu_of(p)->tiles.m < p->n;
        dependent += p->parts > 1;
        chunked += p->parts == 1 && is_cut(p);
        summed += p->y > p->sums && p->nslots > p->solve_sums;
        regions += p->solve.regions > 1;
        close_case(&c);
    }
    CHECK_SAY(tiled > 60 && mixed > 20 && dependent > 40 && chunked > 10 && summed > 20 && regions > 5,
              "%d tiled, %d mixed, %d in parts, %d in chunks, %d with sums, %d with regions", tiled, mixed, dependent,
              chunked, summed, regions);
}

/* ------------------------------------------------------------ broken bytes */

/* Small programs of every kind. */
static int open_sample(case_of *c, int kind)
{
    static const struct {
        test_recipe recipe;
        test_region region;
        int threads, chunks;
    } samples[] = {
        {{.shape = TEST_GRID, .n = 64}, TEST_MIXED, 1, 0},      {{.shape = TEST_GRID, .n = 81}, TEST_ALL_TILE, 2, 0},
        {{.shape = TEST_BLOCKS, .n = 60}, TEST_ALL_TILE, 3, 1}, {{.shape = TEST_BAND, .n = 40}, TEST_MIXED, 2, 1},
        {{.shape = TEST_GRID, .n = 100}, TEST_DEVICE, 1, 0},    {{.shape = TEST_SPARSE, .n = 60}, TEST_ALL_DOT, 2, 0}};
    uint64_t seed = 99 + (uint64_t)kind;
    if (kind >= (int)(sizeof samples / sizeof *samples)) return 0;
    CHECK(open_case(c, &samples[kind].recipe, &seed, samples[kind].region, samples[kind].threads, samples[kind].chunks,
                    1));
    return 1;
}

static void short_sections_are_refused(void)
{
    case_of c;
    for (int kind = 0; open_sample(&c, kind); kind++) {
        for (int64_t count = 0; count < c.count; count++) {
            wlu_program *p;
            uint8_t *part = malloc((size_t)count + 1); /* of its own, so that a sanitizer sees its end */
            memcpy(part, c.bytes, (size_t)count);
            CHECK_SAY(restore(&c, &c.b.ctx, part, count, &p) == WARPLU_BAD_FORMAT && p == NULL, "%lld bytes",
                      (long long)count);
            CHECK(strncmp(c.b.ctx.last_message, "bytes: program: ", 16) == 0);
            free(part);
        }
        close_case(&c);
    }
}

/* Whatever is not refused is a sound program of these pivots: of all their terms, by records or by tiles. */
static void check_sound(case_of *c, wlu_program *p, int64_t at)
{
    int64_t terms = p->dot.nterms - test_partial_sums(p, &p->dot) + wlu_lu_of(p)->tiles.terms;
    CHECK_SAY(wlu_program_verify(&c->b.ctx, p) == WARPLU_SUCCESS, "byte %lld: %s", (long long)at,
              c->b.ctx.last_message);
    CHECK_SAY(terms == c->b.pivots->terms, "byte %lld: %lld terms, not %lld", (long long)at, (long long)terms,
              (long long)c->b.pivots->terms);
}

static void tampered_sections_do_no_harm(void)
{
    static const uint8_t masks[] = {1, 2, 3, 4, 5, 8, 0x10, 0x80, 0xff};
    int refused = 0, taken = 0, passed = 0;
    case_of c;
    for (int kind = 0; open_sample(&c, kind); kind++) {
        wlu_context quiet = c.b.ctx;
        for (int64_t at = 0; at < c.count; at++)
            for (size_t m = 0; m < sizeof masks; m++) {
                wlu_program *p;
                c.bytes[at] ^= masks[m];
                warplu_status status = restore(&c, &quiet, c.bytes, c.count, &p);
                c.bytes[at] ^= masks[m];
                CHECK_SAY(status == WARPLU_SUCCESS || status == WARPLU_BAD_FORMAT, "byte %lld: %s, %s", (long long)at,
                          warplu_status_name(status), quiet.last_message);
                refused += status < 0;
                passed += status == WARPLU_SUCCESS && p == NULL;
                taken += p != NULL;
                if (p != NULL) check_sound(&c, p, at);
                wlu_program_destroy(&quiet, &p);
            }
        close_case(&c);
    }
    printf("# %d refused, %d passed over, %d harmless\n", refused, passed, taken);
    CHECK(refused > 10000 && passed > 50 && taken > 100);
}

/* Two numbers of a section change places: records of a vector may, few others. */
static void exchanged_numbers_do_no_harm(void)
{
    int refused = 0, taken = 0;
    case_of c;
    for (int kind = 0; open_sample(&c, kind); kind++) {
        wlu_context quiet = c.b.ctx;
        uint64_t seed = 7;
        for (int t = 0; t < 1500; t++) {
            wlu_program *p;
            uint8_t *x = c.bytes + HEADER + 4 * check_below(&seed, (int)((c.count - HEADER) / 4));
            uint8_t *y = check_below(&seed, 2) && x + 8 <= c.bytes + c.count
                             ? x + 4
                             : c.bytes + HEADER + 4 * check_below(&seed, (int)((c.count - HEADER) / 4));
            uint8_t kept[2][4];
            memcpy(kept[0], x, 4);
            memcpy(kept[1], y, 4);
            memcpy(x, kept[1], 4);
            memcpy(y, kept[0], 4);
            warplu_status status = restore(&c, &quiet, c.bytes, c.count, &p);
            memcpy(x, kept[0], 4);
            memcpy(y, kept[1], 4);
            CHECK(status == WARPLU_SUCCESS || status == WARPLU_BAD_FORMAT);
            refused += status < 0;
            taken += p != NULL;
            if (p != NULL) check_sound(&c, p, x - c.bytes);
            wlu_program_destroy(&quiet, &p);
        }
        close_case(&c);
    }
    printf("# %d refused, %d harmless\n", refused, taken);
    CHECK(refused > 4000 && taken > 500);
}

/* ----------------------------------------------------------- what is fitting */

/* Each constant of a target tells it from others. */
static void targets_are_told_apart(void)
{
    const wlu_cost *tables[] = {&wlu_cost_cpu, &wlu_cost_cuda, &wlu_cost_levels};
    wlu_cost changed;
    int unseen = 0;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < k; j++) CHECK(wlu_cost_fingerprint(tables[k]) != wlu_cost_fingerprint(tables[j]));
    for (size_t at = 0; at < sizeof changed; at += 4) {
        memcpy(&changed, &wlu_cost_cuda, sizeof changed);
        ((unsigned char *)&changed)[at] ^= 1;
        unseen += wlu_cost_fingerprint(&changed) == wlu_cost_fingerprint(&wlu_cost_cuda);
    }
    CHECK_SAY(unseen <= 2, "%d words that nobody looks at", unseen); /* what rounds the struct and its part up */
}

int main(void)
{
    RUN(programs_come_back);
    RUN(short_sections_are_refused);
    RUN(tampered_sections_do_no_harm);
    RUN(exchanged_numbers_do_no_harm);
    RUN(targets_are_told_apart);
    return check_done();
}
