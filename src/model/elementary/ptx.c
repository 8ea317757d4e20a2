/* Writes elementary functions as lines of a kernel. See ptx.h. */
#include "model/elementary/ptx.h"

#include <stdio.h>

#include "model/elementary/algebra_ptx.h"
#include "model/elementary/functions.h"

/* Runs each function with registers in place of numbers. */
#define WLM_ONE(name) \
    static V lines_of_##name(V a, V b) \
    { \
        (void)b; \
        return wlm_##name(a); \
    }
#define WLM_TWO(name) \
    static V lines_of_##name(V a, V b) \
    { \
        return wlm_##name(a, b); \
    }
#include "model/elementary/functions.def"
#undef WLM_ONE
#undef WLM_TWO

int32_t wlm_ptx_function(wlm_ptx *writer, wlm_function f, int32_t a, int32_t b)
{
    static V (*const lines[])(V, V) = {
#define WLM_ONE(name) lines_of_##name,
#define WLM_TWO(name) lines_of_##name,
#include "model/elementary/functions.def"
#undef WLM_ONE
#undef WLM_TWO
    };
    return lines[f]((V){writer, a, 0}, (V){writer, b, 0}).number;
}
