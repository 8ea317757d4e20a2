/* Cell models for measurements. */
#ifndef BENCHMARKS_MODEL_CELLS_H
#define BENCHMARKS_MODEL_CELLS_H

#include "model/graph/graph.h"

enum { CELLS = 4, STATES_MOST = 8 };

typedef struct cell_text {
    const char *name, *text;
} cell_text;
extern const cell_text cell_texts[CELLS];

/* The rates of the states, which are the inputs; returns how many there are. */
int32_t read_cell(wlm_graph *graph, const char *text, wlm_node *rate);

#endif
