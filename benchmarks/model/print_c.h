/* Programs as C, for compilers to be compared with. */
#ifndef BENCHMARKS_MODEL_PRINT_C_H
#define BENCHMARKS_MODEL_PRINT_C_H

#include "model/program/program.h"

/* void NAME(const double *in, double *out, long blocks): of each block of 64 lanes inputs [input][lane], then
 * outputs. By vectors of the algebra of isa and the library's own elementary functions; or, where isa is NULL, one
 * lane after the other with those of the C library. */
void print_c(const wlm_program *p, const char *isa, const char *name, FILE *out);

#endif
