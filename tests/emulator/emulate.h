/* The emulate executor, for tests that want other schedules than its own, or other images than the packer's. */
#ifndef WLU_EMULATOR_EMULATE_H
#define WLU_EMULATOR_EMULATE_H

#include "emulator/machine.h"
#include "exec/exec.h"

/* In FP64 and FP32. Who links it has it by its number too. */
extern const wlu_executor wlu_executor_emulate;
#define TEST_EXECUTOR_EMULATE WLU_EXECUTOR_REGISTERED

/* How the state's replays are scheduled from here on. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_emulate_schedule(wlu_context *ctx, wlu_state *state, const wlu_emulate_mode *mode);

/* What was packed; states that are scheduled afterwards see what was changed in it. */
const wlu_device_image *wlu_emulate_image(const wlu_image *image, wlu_stream_kind kind);

/* Looks that found a slot missing, of the state's last replay or of its last solve; 0 before the first one. */
int64_t wlu_emulate_looks_in_vain(const wlu_state *state, wlu_stream_kind kind);
/* The buffer that a replay writes: `ahead` of the last one. */
double *wlu_emulate_slots(const wlu_state *state, uint32_t ahead);

#endif
