/* The list of instruction sets of the elementary functions. See elementary.h. */
#include "model/elementary/elementary.h"

#include <stddef.h>

#include "base/vectors.h"
#include "build_features.h"

const wlm_elementary *wlm_elementary_table(int k)
{
    const wlm_elementary *found[4] = {NULL};
    int count = 0;
#if defined(WLU_WITH_X86_KERNELS)
    if (wlu_has_avx512()) found[count++] = &wlm_elementary_avx512;
    if (wlu_has_avx2()) found[count++] = &wlm_elementary_avx2;
#endif
#if defined(WLU_WITH_NEON_KERNELS)
    found[count++] = &wlm_elementary_neon;
#endif
    found[count++] = &wlm_elementary_portable;
    return k < count ? found[k] : NULL;
}

double wlm_function_value(wlm_function f, double a, double b)
{
    double value;
    wlm_elementary_portable.function[f](&value, &a, &b, 1);
    return value;
}

int wlm_function_arguments(wlm_function f)
{
    static const int arguments[] = {
#define WLM_ONE(name) 1,
#define WLM_TWO(name) 2,
#include "model/elementary/functions.def"
#undef WLM_ONE
#undef WLM_TWO
    };
    return arguments[f];
}
