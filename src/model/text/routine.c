/* Finds functions of a text by their names. */
#include "model/text/routine.h"

const wlm_routine *wlm_routine_find(const wlm_reading *r, wlm_word name)
{
    int32_t k = wlm_names_find(&r->names, name.text, name.length);
    return k >= 0 && r->global[k].type == WLM_GLOBAL_FUNCTION ? r->function[r->global[k].index] : NULL;
}

void wlm_refuse_routine(wlm_reading *r, wlm_word name, wlm_place place)
{
    int32_t k = wlm_routine_find(r, name) != NULL ? wlm_names_find(&r->names, name.text, name.length) : -1;
    if (k >= 0)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "'%.*s' is defined already, as a function at line " WLM_LINE_FORMAT "",
                    WLM_SHOWN(name), WLM_LINE(r->global[k].place));
}
