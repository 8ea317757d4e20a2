/* Elementary functions over arrays, for each instruction set; the lanes of kernels take the functions themselves
 * (functions.h). */
#ifndef WLU_MODEL_ELEMENTARY_ELEMENTARY_H
#define WLU_MODEL_ELEMENTARY_ELEMENTARY_H

/* In the order of functions.def. */
typedef enum wlm_function {
#define WLM_ONE(name) WLM_FUNCTION_##name,
#define WLM_TWO(name) WLM_FUNCTION_##name,
#include "model/elementary/functions.def"
#undef WLM_ONE
#undef WLM_TWO
    WLM_ELEMENTARY_FUNCTIONS
} wlm_function;

/* out[k] = f(a[k], b[k]) for count numbers, a multiple of 8 (portable: any); b is not read by functions of one
 * argument; out may be a or b. */
typedef void wlm_array_function(double *out, const double *a, const double *b, int count);

typedef struct wlm_elementary {
    const char *name; /* of the instruction set */
    wlm_array_function *function[WLM_ELEMENTARY_FUNCTIONS];
} wlm_elementary;

extern const wlm_elementary wlm_elementary_portable, wlm_elementary_avx2, wlm_elementary_avx512, wlm_elementary_neon;

/* Those compiled for this kind of machine which it can run, the fastest first; NULL from the last one on. */
const wlm_elementary *wlm_elementary_table(int k);

/* One value, with the bits of all of them. */
double wlm_function_value(wlm_function f, double a, double b);
/* 1 or 2. */
int wlm_function_arguments(wlm_function f);

#endif
