/* Writes elementary functions as lines of a kernel: the code of functions.h is run once with registers in place of
 * numbers, so that the GPU does the same operations in the same order and gets the same bits. */
#ifndef WLU_MODEL_ELEMENTARY_PTX_H
#define WLU_MODEL_ELEMENTARY_PTX_H

#include "model/elementary/elementary.h"
#include "model/ptx/writer.h"

/* Adds the lines of f(%fd<a>, %fd<b>); returns the number of the register that holds the result. b is not used by
 * functions of one argument. a and b are left as they are. Angles of 2^21 and more are reduced behind a branch. */
int32_t wlm_ptx_function(wlm_ptx *writer, wlm_function f, int32_t a, int32_t b);

#endif
