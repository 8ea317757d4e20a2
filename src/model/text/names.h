/* Names: a table of their numbers, and names that are written with their owner's.
 *
 * The table is a hash table with linear probing, at most half full. Numbers count up from 0 in the order in which names
 * come in. The text of a name stays where it is: the table keeps pointers. Cost: O(1) a name. */
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

/* Writes "owner[number].name", or "owner.name" where `of`, the number of owners, is 1. */
void wlm_names_write(char *text, size_t bytes, const char *owner, int64_t of, int64_t number, const char *name);
/* Splits "owner[number].name", or "owner.name", whose number is 0; returns 0 where it is neither. */
int wlm_names_split(const char *text, int32_t *owner_length, int64_t *number, const char **name);
/* Returns 1 where the names are equal; the index of a single instance or node may be left out of `name`. */
int wlm_names_match(const char *name, const char *asked);

#endif
