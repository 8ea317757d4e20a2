/* What warplu_save and warplu_restore do. */
#ifndef WLU_API_SAVE_H
#define WLU_API_SAVE_H

#include <warplu/save.h>

#include "solver/parts.h"

warplu_status wlu_solver_save(warplu_solver *s, const char *path);
warplu_status wlu_solver_save_program(warplu_solver *s, const char *path);
warplu_status wlu_solver_restore_file(warplu_solver *s, const char *path);
/* The same of a file's bytes; name: for messages. */
warplu_status wlu_solver_restore(warplu_solver *s, const char *name, const uint8_t *bytes, int64_t size);

#endif
