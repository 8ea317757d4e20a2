/* First cost constants: the CPU's are fitted to one core of a 2 GHz-class server, see docs/analysis.md. */
#include "cost/cost.h"

#include <stddef.h>

const wlu_cost wlu_cost_cpu = {
    .ns_per_dot_term = 0.9,
    .ns_per_dot_record = 0.7,
    .ns_per_load = 0.7,
    .ns_per_tile = 20.0,
    .ns_per_tile_pivot = 10.0,
    .ns_per_panel_row = 6.0,
    .ns_per_tile_source = 5.0,
    .ns_per_tile_row = 0.9,
    .ns_per_far_row = 2.2,
    .ns_per_tile_step = 0.17,
    .ns_per_part = 30000.0,
    .ns_per_level = 20.0,
    .cache_bytes = 1.5e6,
    .tile_zeros = 0.4,
    .tile_few_rows = 8,
    .solve_pivots = 16,
    .chunk_slots = 131072.0,
    .chunk_records = 131072.0,
};

/* One persistent kernel on the whole chip, launch and wait included: fitted to an H200 (docs/performance.md), 44
 * matrices with regions that begin at 0.3 to 6 times where they are chosen to, off by 5 % in the median, 9 in the mean
 * of squares. */
const wlu_cost wlu_cost_cuda = {
    .ns_per_dot_term = 0.032,
    .ns_per_dot_record = 0.21,
    .ns_per_load = 0.014,
    .ns_per_tile = 44.0,
    .ns_per_tile_source = 1.0,
    .ns_per_tile_step = 0.012,
    .ns_per_part = 1e30, /* one part, */
    .cache_bytes = 1e30, /* one cache, chunks none */
    .path =
        {
            .ns_per_launch = 18000.0,
            .ns_per_handoff = 930.0,
            .ns_per_dot_step = 20.0,
            .ns_per_tile = 650.0,
            .ns_per_tile_pivot = 120.0,
            .ns_per_tile_source = 500.0,
            .ns_per_tile_row = 5.0,
            /* Fitted to 47 orders of 17 matrices of 1 000 to 29 000 unknowns, of 2 to 1 591 levels, on an H200: off by
             * 35 % in the mean, of what a solve adds; 4 us more are the same for all. */
            .ns_per_solve_level = 140.0,
            .ns_per_wide_level = 550.0,
            /* 20 to 25 us for the check, a solve for a correction: four matrices took 29 to 135 us more with them. */
            .ns_per_check = 40000.0,
            .solve_tile_levels = 7,
        },
    .tile_zeros = 0.4,
    .tile_few_rows = 8,
    .solve_pivots = 48,
    /* 1024 terms take 2.6 us in one record; in partial sums two handoffs and the steps of one, whatever their number.
     * 192 terms are what a warp asks for at once. */
    .record_terms = 1024,
    .partial_sum_terms = 192,
};

/* The same chip, a launch for each vector of records: 2.5 us a kernel of a graph, three vectors for a pivot of the
 * path. Tiles have no kernel. */
const wlu_cost wlu_cost_levels = {
    .ns_per_dot_term = 0.012,
    .ns_per_dot_record = 0.1,
    .ns_per_load = 0.02,
    .ns_per_tile = 1e30,
    .ns_per_part = 1e30,
    .ns_per_level = 7500.0,
    .cache_bytes = 1e30,
    .tile_zeros = 0.4,
    .tile_few_rows = 8,
    .solve_pivots = 16,
};

uint64_t wlu_cost_fingerprint(const wlu_cost *c)
{
    const wlu_path_cost *p = &c->path;
    const double constant[] = {c->ns_per_dot_term,    c->ns_per_dot_record, c->ns_per_load,        c->ns_per_tile,
                               c->ns_per_tile_pivot,  c->ns_per_panel_row,  c->ns_per_tile_source, c->ns_per_tile_row,
                               c->ns_per_far_row,     c->ns_per_tile_step,  c->ns_per_level,       c->ns_per_part,
                               c->cache_bytes,        p->ns_per_launch,     p->ns_per_handoff,     p->ns_per_dot_step,
                               p->ns_per_tile,        p->ns_per_tile_pivot, p->ns_per_tile_source, p->ns_per_tile_row,
                               p->ns_per_solve_level, p->ns_per_wide_level, p->ns_per_check,       p->solve_tile_levels,
                               c->tile_zeros,         c->tile_few_rows,     c->solve_pivots,       c->chunk_slots,
                               c->chunk_records,      c->record_terms,      c->partial_sum_terms};
    const unsigned char *byte = (const unsigned char *)constant;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 0; k < sizeof constant; k++) hash = (hash ^ byte[k]) * UINT64_C(0x100000001b3);
    return hash;
}
