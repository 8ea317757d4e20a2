/* The CPU's first cost constants, fitted to one core of a 2 GHz-class server; see docs/architecture.md. */
#include "base/cost.h"

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
    .chunk_slots = 131072.0,
    .chunk_records = 131072.0,
};
