/* Finds the kernels of an instruction set. */
#include "model/exec/isa.h"

#include "model/elementary/elementary.h"
#include "model/exec/kernel.h"
#include "build_features.h"

static int machine_has(const wlm_elementary *wanted)
{
    int k = 0;
    while (wlm_elementary_table(k) != NULL && wlm_elementary_table(k) != wanted) k++;
    return wlm_elementary_table(k) == wanted;
}

const wlm_kernels *wlm_kernels_of(wlm_isa isa)
{
#if defined(WLU_WITH_X86_KERNELS)
    if ((isa == WLM_ISA_BEST || isa == WLM_ISA_AVX512) && machine_has(&wlm_elementary_avx512))
        return &wlm_kernels_avx512;
    if ((isa == WLM_ISA_BEST || isa == WLM_ISA_AVX2) && machine_has(&wlm_elementary_avx2)) return &wlm_kernels_avx2;
#endif
#if defined(WLU_WITH_NEON_KERNELS)
    if ((isa == WLM_ISA_BEST || isa == WLM_ISA_NEON) && machine_has(&wlm_elementary_neon)) return &wlm_kernels_neon;
#endif
    if ((isa == WLM_ISA_BEST || isa == WLM_ISA_PORTABLE) && machine_has(&wlm_elementary_portable))
        return &wlm_kernels_portable;
    return NULL;
}
