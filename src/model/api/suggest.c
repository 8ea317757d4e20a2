/* Compares a wrong name with every name that the model declares, of quantities of nodes and of states, unknowns and
 * definitions of kinds. Cost: one distance of words for each, whatever the number of instances. */
#include "model/api/suggest.h"

#include <stdio.h>
#include <string.h>

static void try_name(wlm_nearest *nearest, const char *owner, const char *owned)
{
    char name[64];
    int length = snprintf(name, sizeof name, "%s.%s", owner, owned);
    if (length < (int)sizeof name) wlm_nearest_try(nearest, name);
}

void wlm_suggest(wlm_suggestion *suggestion, const wlm_model *model, const char *name)
{
    const wlm_model *m = model;
    wlm_nearest *nearest = &suggestion->nearest;
    const char *bracket = strchr(name, '['), *rest = bracket != NULL ? strchr(bracket, ']') : NULL;
    int owner = rest != NULL ? (int)(bracket - name) : 0;
    snprintf(suggestion->bare, sizeof suggestion->bare, "%.*s%s", owner, name, rest != NULL ? rest + 1 : name);
    wlm_nearest_init(nearest, wlm_word_of(suggestion->bare));
    for (int32_t s = 0; s < m->sets; s++)
        for (int32_t q = 0; q < m->set[s].quantities; q++)
            try_name(nearest, m->set[s].name, m->set[s].quantity[q].name);
    for (int32_t k = 0; k < m->kinds; k++) {
        const wlm_kind *kind = &m->kind[k];
        for (int32_t i = 0; i < kind->states; i++) try_name(nearest, kind->name, kind->state[i].name);
        for (int32_t i = 0; i < kind->unknowns; i++) try_name(nearest, kind->name, kind->unknown[i].name);
        for (int32_t i = 0; i < kind->locals; i++) try_name(nearest, kind->name, kind->local[i].name);
    }
}
