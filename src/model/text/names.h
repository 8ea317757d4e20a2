/* Names to numbers: a hash table with linear probing, at most half full. Numbers count up from 0 in the order in which
 * names come in. The text of a name stays where it is: the table keeps pointers. Cost: O(1) a name. */
#ifndef WLU_MODEL_TEXT_NAMES_H
#define WLU_MODEL_TEXT_NAMES_H

#include "model/text/arena.h"

typedef struct wlm_names {
    int32_t count, places;
    char **name;    /* count */
    int32_t *table; /* number + 1, or 0 */
} wlm_names;

/* Returns the number of a name, or -1. */
int32_t wlm_names_find(const wlm_names *names, const char *text, int32_t length);
/* Adds a name that is not there. Returns its number, or -1 where there is no memory. */
int32_t wlm_names_add(wlm_names *names, wlm_arena *arena, char *name);

#endif
