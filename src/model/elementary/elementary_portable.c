/* Elementary functions over arrays: portable. */
#include "model/elementary/algebra_portable.h"
#include "model/elementary/functions.h"

#define WLM_TABLE wlm_elementary_portable
#define WLM_NAME "portable"
#include "model/elementary/arrays.h"
