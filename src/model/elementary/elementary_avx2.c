/* Elementary functions over arrays: avx2. */
#include "model/elementary/algebra_avx2.h"
#include "model/elementary/functions.h"

#define WLM_TABLE wlm_elementary_avx2
#define WLM_NAME "avx2"
#include "model/elementary/arrays.h"
