/* The table of calls and phases. See phase.h. */
#include "solver/phase.h"

typedef enum next { SAME, UNFACTORED, ANALYZED, FACTORED, REPLAYED, ENQUEUED } next;

static const struct transition {
    const char *name;
    unsigned char allowed[WLU_PHASES];
    unsigned char needs_program;
    next success, failure;
} table[WLU_CALLS] = {
#define WLU_CALL(ID, name, e, a, p, f, r, q, program, success, failure) \
    {"warplu_" #name, {e, a, p, f, r, q}, program, success, failure},
#include "solver/phase.def"
#undef WLU_CALL
};

const char *wlu_call_name(wlu_call call)
{
    return table[call].name;
}

const char *wlu_phase_text(wlu_phase phase)
{
    static const char *const text[WLU_PHASES] = {
        "nothing has been analyzed",     "no pivots have been chosen",
        "there are no factors",          "there are factors of new pivots",
        "there are factors of a replay", "warplu_finish_device has not judged the replay on the device"};
    return text[phase];
}

int wlu_phase_allows(wlu_phase phase, wlu_call call)
{
    return table[call].allowed[phase];
}

int wlu_call_needs_program(wlu_call call)
{
    return table[call].needs_program;
}

wlu_phase wlu_phase_unfactored(int has_pivots)
{
    return has_pivots ? WLU_PIVOTED : WLU_ANALYZED;
}

wlu_phase wlu_phase_after(wlu_call call, int failed, wlu_phase now, int has_pivots)
{
    switch (failed ? table[call].failure : table[call].success) {
    case SAME: return now;
    case UNFACTORED: return wlu_phase_unfactored(has_pivots);
    case ANALYZED: return WLU_ANALYZED;
    case FACTORED: return WLU_FACTORED;
    case REPLAYED: return now == WLU_FACTORED ? now : WLU_REPLAYED; /* pivots have been chosen */
    case ENQUEUED: return WLU_ENQUEUED;
    }
    return now;
}
