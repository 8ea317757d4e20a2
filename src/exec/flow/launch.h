/* What `flow` enqueues: see wlu_residence. */
#ifndef WLU_EXEC_FLOW_LAUNCH_H
#define WLU_EXEC_FLOW_LAUNCH_H

#include "exec/flow/image.h"

extern const wlu_residence wlu_flow_residence;

#endif
