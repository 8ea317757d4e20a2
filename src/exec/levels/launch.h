/* What `levels` enqueues: see wlu_residence. */
#ifndef WLU_EXEC_LEVELS_LAUNCH_H
#define WLU_EXEC_LEVELS_LAUNCH_H

#include "exec/levels/image.h"

extern const wlu_residence wlu_levels_residence;

#endif
