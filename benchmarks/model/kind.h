/* Kinds of elements of models as programs, with inputs to run them on. */
#ifndef BENCHMARKS_MODEL_KIND_H
#define BENCHMARKS_MODEL_KIND_H

#include "model/program/program.h"
#include "model/text/model.h"

/* The rates of all states and what is added to nodes; inputs are time, states, unknowns and nodes' quantities, in the
 * order of the kind's leaves. Parameters are numbers. */
warplu_status kind_compile(wlu_context *ctx, const wlm_kind *kind, wlm_program **out);
/* Numbers like those of a cell at work, for [block][input][lane]: voltages for what nodes have, times, states near
 * their initial ones. */
warplu_status kind_inputs(wlu_context *ctx, const wlm_kind *kind, long blocks, double *in);

#endif
