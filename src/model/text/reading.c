/* Says failures with their place, once, and looks for the nearest name where one is unknown: by the least distance of
 * edits, of which a different case is the cheapest. Cost of that: a product of two lengths for each known name, once,
 * for the first failure stays. */
#include "model/text/reading.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_MOST = 40, NAME_SHOWN_MOST = 200, COMPARED_MOST = 47 };

int wlm_shown(wlm_word word)
{
    return word.length < SHOWN_MOST ? word.length : SHOWN_MOST;
}

wlm_word wlm_word_of(const char *text)
{
    return (wlm_word){text, (int32_t)strlen(text)};
}

int wlm_word_is(wlm_word word, const char *text)
{
    return strncmp(word.text, text, (size_t)word.length) == 0 && text[word.length] == '\0';
}

int wlm_words_equal(wlm_word a, wlm_word b)
{
    return a.length == b.length && memcmp(a.text, b.text, (size_t)a.length) == 0;
}

warplu_status wlm_fail_at(wlm_reading *r, warplu_status status, wlm_place place, const char *format, ...)
{
    char text[WLU_MESSAGE_BYTES];
    va_list args;
    if (r->status != WARPLU_SUCCESS) return r->status;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->status = status;
    return wlu_fail(r->ctx, status, "%.*s:%d:%d: error: %s", NAME_SHOWN_MOST, place.file != NULL ? place.file : r->name,
                    place.line, place.column, text);
}

warplu_status wlm_expected(wlm_reading *r, const char *what)
{
    const wlm_token *t = &r->token;
    switch (t->type) {
    case WLM_TOKEN_END:
        return wlm_fail_at(r, WARPLU_BAD_FORMAT, t->place, "expected %s, found the end of the text", what);
    case WLM_TOKEN_LINE:
        return wlm_fail_at(r, WARPLU_BAD_FORMAT, t->place, "expected %s, found the end of the line", what);
    default: return wlm_fail_at(r, WARPLU_BAD_FORMAT, t->place, "expected %s, found '%.*s'", what, WLM_SHOWN(t->word));
    }
}

warplu_status wlm_fail_taking(wlm_reading *r)
{
    if (r->status == WARPLU_SUCCESS) r->status = wlu_fail_memory(r->ctx, "the text of a model");
    return r->status;
}

void *wlm_take_for(wlm_reading *r, wlm_arena *arena, int64_t count, size_t size)
{
    void *piece = wlm_take(arena, count, size);
    if (piece == NULL) wlm_fail_taking(r);
    return piece;
}

int wlm_more_for(wlm_reading *r, wlm_arena *arena, void *array_address, int32_t count, size_t size)
{
    void *array;
    memcpy(&array, array_address, sizeof array);
    array = wlm_take_more(arena, array, count, size);
    if (array == NULL) return wlm_fail_taking(r), 0;
    memcpy(array_address, &array, sizeof array);
    return 1;
}

const char *wlm_global_text(wlm_global_type type)
{
    static const char *const texts[] = {"a constant", "an element", "a set of nodes", "a function", "a table"};
    return texts[type];
}

int wlm_add_global(wlm_reading *r, wlm_word name, wlm_global global)
{
    if (r->status != WARPLU_SUCCESS) return 0;
    int32_t known = wlm_names_find(&r->names, name.text, name.length);
    if (known >= 0) {
        wlm_fail_at(r, WARPLU_BAD_FORMAT, global.place, "'%.*s' is defined already, as %s at line " WLM_LINE_FORMAT "",
                    WLM_SHOWN(name), wlm_global_text(r->global[known].type), WLM_LINE(r->global[known].place));
        return 0;
    }
    if (!wlm_more_for(r, &r->scratch, &r->global, r->names.count, sizeof *r->global)) return 0;
    char *text = wlm_take_text(r->kept, name.text, name.length);
    r->global[r->names.count] = global;
    if (text == NULL || wlm_names_add(&r->names, &r->scratch, text) < 0) return wlm_fail_taking(r), 0;
    return 1;
}

/* A replacement, an insertion or a deletion costs 2, another case 1. One edit in three letters is still near; of a
 * single letter only the other case is. */
void wlm_nearest_init(wlm_nearest *n, wlm_word wanted)
{
    int most = wanted.length == 1 ? 1 : wanted.length < 6 ? 2 : 2 * (wanted.length / 3);
    *n = (wlm_nearest){.wanted = wanted, .distance = most + 1};
}

static int cost_of(char a, char b)
{
    int is_letter = (a >= 'a' && a <= 'z') || (a >= 'A' && a <= 'Z');
    return a == b ? 0 : is_letter && (a ^ b) == ('a' ^ 'A') ? 1 : 2;
}

/* Returns the distance of two words of at most COMPARED_MOST characters. */
static int distance_of(wlm_word a, wlm_word b)
{
    int row[COMPARED_MOST + 1];
    for (int j = 0; j <= b.length; j++) row[j] = 2 * j;
    for (int i = 1; i <= a.length; i++) {
        int diagonal = row[0];
        row[0] = 2 * i;
        for (int j = 1; j <= b.length; j++) {
            int least = diagonal + cost_of(a.text[i - 1], b.text[j - 1]);
            diagonal = row[j];
            if (row[j] + 2 < least) least = row[j] + 2;
            if (row[j - 1] + 2 < least) least = row[j - 1] + 2;
            row[j] = least;
        }
    }
    return row[b.length];
}

void wlm_nearest_try(wlm_nearest *n, const char *name)
{
    wlm_word other = wlm_word_of(name);
    int apart = other.length > n->wanted.length ? other.length - n->wanted.length : n->wanted.length - other.length;
    if (n->wanted.length > COMPARED_MOST || other.length > COMPARED_MOST || 2 * apart >= n->distance) return;
    int distance = distance_of(n->wanted, other);
    if (distance >= n->distance) return;
    n->distance = distance;
    memcpy(n->best, name, (size_t)other.length + 1);
}

void wlm_nearest_try_all(wlm_nearest *n, const wlm_names *names)
{
    for (int32_t k = 0; k < names->count; k++) wlm_nearest_try(n, names->name[k]);
}

const char *wlm_nearest_text(wlm_nearest *n)
{
    n->text[0] = '\0';
    if (n->best[0] != '\0') snprintf(n->text, sizeof n->text, " (did you mean '%s'?)", n->best);
    return n->text;
}
