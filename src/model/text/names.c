/* A hash table of FNV-1a with linear probing, which doubles when it is half full; nothing is ever removed. Names with
 * owners, written and split. */
#include "model/text/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

enum { PLACES_FIRST = 16 };

static uint32_t hash_of(const char *text, int32_t length)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (int32_t k = 0; k < length; k++) hash = (hash ^ (unsigned char)text[k]) * 16777619u;
    return hash;
}

/* Returns the place of the table where the name stands, or would. */
static int32_t place_of(const wlm_names *names, const char *text, int32_t length)
{
    int32_t at = (int32_t)(hash_of(text, length) & (uint32_t)(names->places - 1));
    for (; names->table[at] != 0; at = (at + 1) & (names->places - 1)) {
        const char *name = names->name[names->table[at] - 1];
        if (strncmp(name, text, (size_t)length) == 0 && name[length] == '\0') break;
    }
    return at;
}

int32_t wlm_names_find(const wlm_names *names, const char *text, int32_t length)
{
    return names->places > 0 ? names->table[place_of(names, text, length)] - 1 : -1;
}

static int grow(wlm_names *names, wlm_arena *arena)
{
    int32_t places = names->places > 0 ? 2 * names->places : PLACES_FIRST;
    int32_t *table = wlm_take(arena, places, sizeof *table);
    if (table == NULL) return 0;
    names->table = table;
    names->places = places;
    for (int32_t k = 0; k < names->count; k++) {
        const char *name = names->name[k];
        names->table[place_of(names, name, (int32_t)strlen(name))] = k + 1;
    }
    return 1;
}

int32_t wlm_names_add(wlm_names *names, wlm_arena *arena, char *name)
{
    char **more = wlm_take_more(arena, names->name, names->count, sizeof *more);
    if (more == NULL) return -1;
    names->name = more;
    if (2 * names->count >= names->places && !grow(names, arena)) return -1;
    names->name[names->count] = name;
    names->table[place_of(names, name, (int32_t)strlen(name))] = names->count + 1;
    return names->count++;
}

void wlm_names_write(char *text, size_t bytes, const char *owner, int64_t of, int64_t number, const char *name)
{
    if (of == 1)
        snprintf(text, bytes, "%s.%s", owner, name);
    else
        snprintf(text, bytes, "%s[%lld].%s", owner, (long long)number, name);
}

int wlm_names_split(const char *text, int32_t *owner_length, int64_t *number, const char **name)
{
    const char *dot = strchr(text, '.'), *bracket = strchr(text, '[');
    if (dot == NULL) return 0;
    *name = dot + 1;
    *number = 0;
    *owner_length = (int32_t)(dot - text);
    if (bracket == NULL || bracket > dot) return 1;
    char *end = NULL;
    *owner_length = (int32_t)(bracket - text);
    *number = strtoll(bracket + 1, &end, 10);
    return wlu_is_digit(bracket[1]) && end[0] == ']' && end + 1 == dot;
}

int wlm_names_match(const char *name, const char *asked)
{
    for (; *name != '\0' && *asked != '\0'; name++, asked++) {
        if (*name == *asked) continue;
        if (strncmp(asked, "[0].", 4) != 0 || *name != '.') return 0;
        asked += 3;
    }
    return *name == *asked;
}
