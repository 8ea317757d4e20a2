/* Simulated time of a compiled factorization. See simulate.h. */
#include "lu/simulate.h"

#include <string.h>

#include "base/sort.h"

typedef struct simulator {
    const wlu_program *program;
    const wlu_tiles *tiles;
    const wlu_path_cost *c;
    double *ready;           /* nslots: when the slot is final; 0 where it is loaded */
    double *done;            /* tiles: when each is eliminated, */
    double *turn;            /* and when it can be a source: not before those whose L has rows of it */
    int32_t *tile;           /* of the tiled pivots */
    wlu_tile_source *source; /* a copy of a tile's, */
    wlu_sort_entry *entries; /* and twice as many to sort them by */
    int64_t *digits;
} simulator;

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* When record r is done, which does not start before `at`. */
static double run_record(const simulator *s, int64_t r, double at)
{
    const wlu_stream *d = &s->program->dot;
    if (d->divisor[r] >= 0) at = later(at, s->ready[d->divisor[r]]);
    if (d->opcode[r] == WLU_RCP && at > 0.0) return at;
    for (int64_t q = 2 * d->begin[r], end = 2 * d->begin[r + 1]; q < end; q++) at = later(at, s->ready[d->operand[q]]);
    int64_t steps = (wlu_stream_terms(d, r) + 7) / 8;
    return at + s->c->ns_per_handoff + (double)steps * s->c->ns_per_dot_step;
}

/* Records of vectors begin .. end-1; returns when the last is done. in_panels: nobody else reads what they write. */
static double run_vectors(const simulator *s, int64_t begin, int64_t end, int in_panels)
{
    const wlu_stream *d = &s->program->dot;
    double last = 0.0;
    for (int64_t k = begin; k < end; k++)
        for (int64_t r = d->vector[k].first; r < d->vector[k].first + d->vector[k].count; r++) {
            double done = run_record(s, r, in_panels ? 0.0 : s->ready[d->start[r]]);
            if (!in_panels) s->ready[d->target[r]] = done;
            last = later(last, done);
        }
    return last;
}

/* When tile t is done, turns of those that have rows of its L are no earlier: as sources of one tile these rows are
 * updated first. */
static void take_turn(const simulator *s, int32_t t)
{
    s->turn[t] = later(s->turn[t], s->done[t]);
    for (int64_t q = s->tiles->row_ptr[t] + s->tiles->above[t]; q < s->tiles->row_ptr[t + 1]; q++) {
        double *turn = &s->turn[s->tile[s->tiles->row[q]]];
        *turn = later(*turn, s->turn[t]);
    }
}

static uint64_t key_of(double turn)
{
    uint64_t bits;
    memcpy(&bits, &turn, sizeof bits); /* not negative: in the order of the numbers */
    return bits;
}

/* A tile's sources by their turns, ascending where these are the same. */
static void order_sources(const simulator *s, int32_t t)
{
    wlu_tile_source *source = s->tiles->source + s->tiles->source_ptr[t];
    int64_t count = s->tiles->source_ptr[t + 1] - s->tiles->source_ptr[t];
    for (int64_t g = 0; g < count; g++) {
        s->source[g] = source[g];
        s->entries[g] = (wlu_sort_entry){key_of(s->turn[source[g].tile]), g};
    }
    const wlu_sort_entry *sorted = wlu_sort(s->entries, s->entries + count, count, s->digits);
    for (int64_t g = 0; g < count; g++) source[g] = s->source[sorted[g].record];
}

static double run_tile(const simulator *s, int32_t t)
{
    double at = run_vectors(s, s->tiles->vector[t], s->tiles->vector[t + 1], 1);
    order_sources(s, t);
    for (int64_t g = s->tiles->source_ptr[t]; g < s->tiles->source_ptr[t + 1]; g++) {
        int32_t from = s->tiles->source[g].tile;
        at = later(at, s->done[from]) + s->c->ns_per_tile_source + s->c->ns_per_tile_row * s->tiles->below[from];
    }
    return at + s->c->ns_per_tile + s->c->ns_per_tile_pivot * wlu_tile_width(s->tiles, t);
}

static double find_work(const wlu_program *p)
{
    const wlu_cost *cost = p->cost;
    const wlu_tiles *tiles = &wlu_lu_of(p)->tiles;
    double loads = (double)(p->load.count + p->list.count);
    double ns = (double)p->dot.nterms * cost->ns_per_dot_term + (double)p->dot.nrecords * cost->ns_per_dot_record +
                loads * cost->ns_per_load;
    for (int32_t t = 0; t < tiles->count; t++) {
        ns += wlu_cost_tile(cost, wlu_tile_width(tiles, t), tiles->below[t]).ns;
        for (int64_t g = tiles->source_ptr[t]; g < tiles->source_ptr[t + 1]; g++)
            ns += wlu_cost_sources(cost, 1.0, tiles->below[tiles->source[g].tile], tiles->source[g].pivots).ns;
    }
    return ns;
}

static void run_tiles(const simulator *s, wlu_simulation *out)
{
    wlu_tiles_map(s->tiles, s->tile);
    for (int32_t t = 0; t < s->tiles->count; t++) {
        s->done[t] = run_tile(s, t);
        take_turn(s, t);
        out->path_ns = later(out->path_ns, s->done[t]);
    }
}

static int64_t most_sources(const wlu_tiles *tiles)
{
    int64_t most = 0;
    for (int32_t t = 0; t < tiles->count; t++)
        if (tiles->source_ptr[t + 1] - tiles->source_ptr[t] > most)
            most = tiles->source_ptr[t + 1] - tiles->source_ptr[t];
    return most;
}

warplu_status wlu_lu_simulate(wlu_context *ctx, wlu_program *p, wlu_simulation *out)
{
    const wlu_tiles *tiles = &wlu_lu_of(p)->tiles;
    simulator s = {.program = p, .tiles = tiles, .c = &p->cost->path};
    int64_t most = most_sources(tiles);
    s.ready = WLU_CALLOC(ctx, p->nslots, double);
    s.done = WLU_ALLOC(ctx, tiles->count, double);
    s.turn = WLU_CALLOC(ctx, tiles->count, double);
    s.tile = WLU_ALLOC(ctx, tiles->m, int32_t);
    s.source = WLU_ALLOC(ctx, most, wlu_tile_source);
    s.entries = WLU_ALLOC(ctx, 2 * most, wlu_sort_entry);
    s.digits = WLU_ALLOC(ctx, WLU_SORT_DIGITS, int64_t);
    warplu_status status = WARPLU_SUCCESS;
    if (!s.ready || !s.done || !s.turn || !s.tile || !s.source || !s.entries || !s.digits) {
        status = wlu_fail_memory(ctx, "simulation of the program");
    } else {
        out->path_ns = out->dot_path_ns = run_vectors(&s, 0, p->part[p->parts + 1], 0);
        run_tiles(&s, out);
        out->work_ns = find_work(p);
        out->ns = wlu_cost_time(p->cost, out->path_ns, out->work_ns);
    }
    wlu_free(ctx, s.ready);
    wlu_free(ctx, s.done);
    wlu_free(ctx, s.turn);
    wlu_free(ctx, s.tile);
    wlu_free(ctx, s.source);
    wlu_free(ctx, s.entries);
    wlu_free(ctx, s.digits);
    return status;
}
