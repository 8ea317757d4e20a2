/* What the forms of runs have. See forms.h. */
#include "exec/cpu/forms.h"

const wlu_run_traits wlu_run_traits_of[WLU_RUN_FORMS] = {
#define WLU_ACROSS(name, scaled, in_place, contiguous, fused, judged) \
    [WLU_RUN_##name] = {1, scaled, in_place, contiguous, fused, judged},
#include "exec/cpu/across.def"
#undef WLU_ACROSS
    [WLU_RUN_LONG_DOTS] = {.scaled = 1},
    [WLU_RUN_RCP_ROW] = {.contiguous = 1, .judged = 1},
};
