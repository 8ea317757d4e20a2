/* Writes how threads of a resident system's kernel wait for each other, and what they tell. */
#include <inttypes.h>

#include "model/system/resident_text.h"

int32_t wlm_resident_record(const wlm_resident_kernel *k, int word)
{
    int32_t at = k->w->words++;
    wlm_ptx_line(k->w, "add.u64 %%rd%d, %%rd%d, %" PRId64 ";", (int)at, WLM_RA_BLOCK,
                 k->plan->record + (int64_t)word * (int64_t)sizeof(double));
    return at;
}

void wlm_resident_wait_here(const wlm_resident_kernel *k)
{
    wlm_ptx_line(k->w, "bar.sync 0;");
}

/* The first thread of each block counts, and looks until all blocks have. */
void wlm_resident_wait(const wlm_resident_kernel *k, int is_end)
{
    wlm_ptx *w = k->w;
    int32_t at = wlm_resident_record(k, WLM_RESIDENT_COUNT), look = ++w->labels, behind = ++w->labels,
            count = w->halves++, seen = w->halves++;
    int32_t early = w->truths++, bad = w->truths++;
    wlm_ptx_line(w, "setp.ne.s32 %%p%d, %%r%d, %%r%d;", (int)bad, WLM_RW_DUE, WLM_RW_DUE);
    wlm_ptx_line(w, "bar.sync 0;");
    wlm_ptx_line(w, "@!%%p%d bra L%d;", WLM_RP_FIRST, (int)behind);
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, %%r%d;", WLM_RW_DUE, WLM_RW_DUE, WLM_RW_BLOCKS);
    wlm_ptx_line(w, "red.release.gpu.global.add.u32 [%%rd%d], 1;", (int)at);
    wlm_ptx_line(w, "L%d: ld.acquire.gpu.global.u32 %%r%d, [%%rd%d];", (int)look, (int)seen, (int)at);
    wlm_ptx_line(w, "and.b32 %%r%d, %%r%d, 0x7fffffff;", (int)count, (int)seen);
    wlm_ptx_line(w, "setp.lt.u32 %%p%d, %%r%d, %%r%d;", (int)early, (int)count, WLM_RW_DUE);
    wlm_ptx_line(w, "@%%p%d bra L%d;", (int)early, (int)look);
    wlm_ptx_line(w, "setp.ne.s32 %%p%d, %%r%d, %%r%d;", (int)bad, (int)count, (int)seen);
    wlm_ptx_line(w, "L%d:", (int)behind);
    if (is_end)
        wlm_ptx_line(w, "bar.red.or.pred %%p%d, 0, %%p%d;", WLM_RP_SEES, (int)bad);
    else
        wlm_ptx_line(w, "bar.sync 0;");
}

void wlm_resident_wait_tile(const wlm_resident_kernel *k)
{
    if (k->plan->shared)
        wlm_resident_wait_here(k);
    else
        wlm_resident_wait(k, 0);
}

void wlm_resident_tell_bad(const wlm_resident_kernel *k)
{
    int32_t at = wlm_resident_record(k, WLM_RESIDENT_COUNT);
    wlm_ptx_line(k->w, "@%%p%d red.relaxed.gpu.global.or.b32 [%%rd%d], 0x80000000;", WLM_RP_BAD, (int)at);
}

/* A NaN has more bits than any number. */
void wlm_resident_tell_norm(const wlm_resident_kernel *k)
{
    int32_t at = wlm_resident_record(k, WLM_RESIDENT_NORM);
    I bits = v_bits(wlm_resident_real(k, WLM_RF_NORM));
    wlm_ptx_line(k->w, "red.relaxed.gpu.global.max.u64 [%%rd%d], %s;", (int)at, of_i(bits).text);
}
