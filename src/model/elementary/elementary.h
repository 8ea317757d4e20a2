/* Tables of the elementary functions over arrays, one for each instruction set. Kernels include the functions for lanes
 * themselves (functions.h). */
#ifndef WLU_MODEL_ELEMENTARY_ELEMENTARY_H
#define WLU_MODEL_ELEMENTARY_ELEMENTARY_H

/* The functions, in the order of functions.def. */
typedef enum wlm_function {
#define WLM_ONE(name) WLM_FUNCTION_##name,
#define WLM_TWO(name) WLM_FUNCTION_##name,
#include "model/elementary/functions.def"
#undef WLM_ONE
#undef WLM_TWO
    WLM_ELEMENTARY_FUNCTIONS
} wlm_function;

/* Computes out[k] = f(a[k], b[k]) for count numbers, a multiple of 8 (portable: any). Functions of one argument do not
 * read b; out may be a or b. */
typedef void wlm_array_function(double *out, const double *a, const double *b, int count);

typedef struct wlm_elementary {
    const char *name; /* the instruction set's */
    wlm_array_function *function[WLM_ELEMENTARY_FUNCTIONS];
} wlm_elementary;

extern const wlm_elementary wlm_elementary_portable, wlm_elementary_avx2, wlm_elementary_avx512, wlm_elementary_neon;

/* Returns the table number k of those that this machine can run, the fastest first; NULL behind the last one. */
const wlm_elementary *wlm_elementary_table(int k);

/* Returns one value, with the bits of all tables. */
double wlm_function_value(wlm_function f, double a, double b);
/* Returns 1 or 2. */
int wlm_function_arguments(wlm_function f);

#endif
