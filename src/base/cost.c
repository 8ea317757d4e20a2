/* The CPU's first cost constants, fitted to one core of a 2 GHz-class server; see docs/architecture.md. */
#include "base/cost.h"

const wlu_cost wlu_cost_cpu = {
    .ns_per_dot_term = 0.7,
    .ns_per_dot_record = 1.5,
    .ns_per_load = 0.8,
    .ns_per_tile = 60.0,
    .ns_per_panel_row = 2.5,
    .ns_per_tile_source = 15.0,
    .ns_per_tile_row = 1.0,
    .ns_per_tile_step = 0.27,
    .ns_per_part = 30000.0,
    .ns_per_level = 25.0,
    .chunk_slots = 131072.0,
    .chunk_records = 131072.0,
};
