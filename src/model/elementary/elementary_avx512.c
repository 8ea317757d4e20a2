/* Elementary functions over arrays: avx512. */
#include "model/elementary/algebra_avx512.h"
#include "model/elementary/functions.h"

#define WLM_TABLE wlm_elementary_avx512
#define WLM_NAME "avx512"
#include "model/elementary/arrays.h"
