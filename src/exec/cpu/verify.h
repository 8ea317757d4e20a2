/* Verification of a program packed for the CPU, in debug builds and in tests: the packed streams are decoded and
 * compared with the program's records.
 *
 * Every record is packed once, in its part, with its own operands; forms and kinds are among those that kernels know;
 * every operand is written before it is read, and by a part that is done by then; lanes that are left over compute 0 -
 * 0 * 0 into the trash slot; every load, by a range or by a run, is the program's, once; every slot that the guards
 * want goes into the maximum of its area once, when it is final; places, shares, right-hand sides and solutions are the
 * program's. Every word that a kernel reads is compared, so that no change of one passes. O(words) time, 9 bytes a
 * slot. */
#ifndef WLU_EXEC_CPU_VERIFY_H
#define WLU_EXEC_CPU_VERIFY_H

#include "exec/cpu/image.h"

/* The transposed solve too, once it is packed. WARPLU_INTERNAL with a message that says what is wrong, and in which
 * stream, group, run and slot; WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_cpu_image_verify(wlu_context *ctx, const wlu_program *program, const wlu_cpu_image *image);

#endif
