/* The CPU's first cost constants, fitted to one core of a 2 GHz-class server; see docs/architecture.md. */
#include "base/cost.h"

const wlu_cost wlu_cost_cpu = {
    .ns_per_dot_term = 0.7,
    .ns_per_dot_record = 1.5,
    .ns_per_load = 0.8,
    .ns_per_column = 40.0,
    .ns_per_segment = 10.0,
    .ns_per_column_term = 0.25,
    .ns_per_column_row = 0.6,
    .ns_per_level = 100.0,
    .chunk_slots = 131072.0,
    .chunk_records = 131072.0,
};
