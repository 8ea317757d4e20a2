/* Registers of a resident system's kernel as values of the algebra of PTX, so that steps and their control are written
 * by method/control.h's arithmetic; and the waits and stages, for the files that write it. */
#include <stdio.h>

#include "model/elementary/algebra_ptx.h"
#include "model/method/control.h"
#include "model/system/resident_parts.h"

static inline V wlm_resident_real(const wlm_resident_kernel *k, int32_t fd)
{
    return (V){k->w, fd, 0};
}

static inline void wlm_resident_let(const wlm_resident_kernel *k, int32_t fd, V x)
{
    wlm_ptx_line(k->w, "mov.f64 %%fd%d, %s;", (int)fd, of_v(x).text);
}

static inline void wlm_resident_jump_if(const wlm_resident_kernel *k, M m, const char *label)
{
    wlm_ptx_line(k->w, "@%%p%d bra %s;", (int)m.number, label);
}

/* resident_wait.c. The address of a word of the record. */
int32_t wlm_resident_record(const wlm_resident_kernel *k, int word);
/* Waits for the threads of the block; for all threads, whose stores before are there for all behind; for those that
 * share the tile. is_end: SEES is whether a number was not finite; it is told between the last two waits of a step
 * alone, so that all blocks see the same. */
void wlm_resident_wait_here(const wlm_resident_kernel *k);
void wlm_resident_wait(const wlm_resident_kernel *k, int is_end);
void wlm_resident_wait_tile(const wlm_resident_kernel *k);
/* Tell that a number is not finite; the greatest error over its tolerance. */
void wlm_resident_tell_bad(const wlm_resident_kernel *k);
void wlm_resident_tell_norm(const wlm_resident_kernel *k);

/* resident_stages.c. Loads the description of the tile at hand. */
void wlm_resident_describe(const wlm_resident_kernel *k);
/* Writes a step from T by H, into NEXT. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_resident_step(const wlm_resident_kernel *k);
