/* The functions over arrays, after an algebra and functions.h; WLM_TABLE is the table's name, WLM_NAME the
 * instruction set's. */
#include "model/elementary/elementary.h"

#define WLM_ONE(name) \
    static void name##_of_array(double *out, const double *a, const double *b, int count) \
    { \
        (void)b; \
        for (int k = 0; k < count; k += WLM_WIDTH) v_store(out + k, wlm_##name(v_load(a + k))); \
    }
#define WLM_TWO(name) \
    static void name##_of_array(double *out, const double *a, const double *b, int count) \
    { \
        for (int k = 0; k < count; k += WLM_WIDTH) v_store(out + k, wlm_##name(v_load(a + k), v_load(b + k))); \
    }
#include "model/elementary/functions.def"
#undef WLM_ONE
#undef WLM_TWO

const wlm_elementary WLM_TABLE = {WLM_NAME,
                                  {
#define WLM_ONE(name) [WLM_FUNCTION_##name] = name##_of_array,
#define WLM_TWO(name) [WLM_FUNCTION_##name] = name##_of_array,
#include "model/elementary/functions.def"
#undef WLM_ONE
#undef WLM_TWO
                                  }};
