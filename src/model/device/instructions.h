/* Writes instructions of programs as lines of PTX. Slots are registers, each written once: the driver's compiler
 * allocates them. Every operation is rounded to nearest and keeps subnormals, so that the GPU has the bits of the CPU's
 * executors. */
#ifndef WLU_MODEL_DEVICE_INSTRUCTIONS_H
#define WLU_MODEL_DEVICE_INSTRUCTIONS_H

#include "model/device/tables.h"
#include "model/ptx/writer.h"

/* Adds the lines of a program. registers[slot]: of each slot the number of the register that holds it; those of inputs
 * are the caller's, those of outputs are written here. At least program->slots places. tables: has those that the
 * program reads; NULL: it reads none. */
void wlm_ptx_program(wlm_ptx *writer, const wlm_program *program, const wlm_device_tables *tables, int32_t *registers);

/* Returns the number of a fresh register for a double. */
int32_t wlm_ptx_real(wlm_ptx *writer);

#endif
