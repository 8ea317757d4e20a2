/* Elementary functions over arrays: neon. */
#include "model/elementary/algebra_neon.h"
#include "model/elementary/functions.h"

#define WLM_TABLE wlm_elementary_neon
#define WLM_NAME "neon"
#include "model/elementary/arrays.h"
