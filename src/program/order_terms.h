/* The order of terms within a chain, for targets that wait for each operand by itself. */
#ifndef WLU_PROGRAM_ORDER_TERMS_H
#define WLU_PROGRAM_ORDER_TERMS_H

#include "program/program.h"

/* Sorts the terms of every chain of a compiled stream by the level at which their later operand is there, so that what
 * is early is summed while what is late is waited for. A choice of the program like any other: executors sum in the
 * order that stands there. solve: whose stream it is, or NULL. O(terms), 4 bytes a slot and 32 a term of the longest
 * chain. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_order_terms(wlu_context *ctx, const wlu_program *program, wlu_stream *stream,
                              const wlu_triangular *solve);

#endif
