/* `include`: reads another text as if its lines stood here. A text that has been read is not read again, by whichever
 * path it is named; one that is still being read closes a circle. Paths are compared without "." and "..", and texts by
 * their bytes where paths agree, for a folder may be a link. Cost: a comparison of paths with each text before. */
#include <string.h>

#include "model/text/csv.h"
#include "model/text/lexer.h"
#include "model/text/statements.h"

struct wlm_included {
    const char *path; /* without "." and ".." */
    char *text;
    int32_t length;
    int is_open;
};

/* Returns a path without empty segments, "." and, behind a name, "..". */
static char *tidied(wlm_reading *r, const char *path)
{
    int32_t at = 0, floor = path[0] == '/';
    char *out = wlm_take_for(r, &r->scratch, (int64_t)strlen(path) + 2, 1);
    if (out == NULL) return NULL;
    if (floor) out[at++] = '/';
    while (*path != '\0') {
        int32_t length = (int32_t)strcspn(path, "/");
        wlm_word segment = {path, length};
        path += length + (path[length] == '/');
        if (length == 0 || wlm_word_is(segment, ".")) continue;
        if (wlm_word_is(segment, "..") && at > floor) {
            while (at > floor && out[at - 1] != '/') at--; /* the name before */
            at -= at > floor;
            continue;
        }
        if (at > floor) out[at++] = '/';
        memcpy(out + at, segment.text, (size_t)length);
        at += length;
        if (wlm_word_is(segment, "..")) floor = at;
    }
    out[at] = '\0';
    return out;
}

/* Adds a text, which is open; NULL after a failure. */
static struct wlm_included *add_source(wlm_reading *r, const char *path, char *text, int32_t length)
{
    struct wlm_included *source = wlm_take_for(r, &r->scratch, 1, sizeof *source);
    if (source == NULL || !wlm_more_for(r, &r->scratch, &r->included, r->includes, sizeof *r->included)) return NULL;
    *source = (struct wlm_included){path, text, length, 1};
    r->included[r->includes++] = source;
    return source;
}

/* Fails where the text is being read, or too many are. */
static void check_open(wlm_reading *r, const char *path, wlm_place place)
{
    int32_t open = 0;
    for (int32_t k = 0; k < r->includes; k++) {
        open += r->included[k]->is_open;
        if (r->included[k]->is_open && strcmp(r->included[k]->path, path) == 0)
            wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "expected includes without a circle, found that '%.200s' is open",
                        path);
    }
    if (open > WLM_DEPTH_MOST)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "includes are nested more than %d deep", WLM_DEPTH_MOST);
}

/* Reads the statements of a text, and goes on where it was included. */
static void read_source(wlm_reading *r, struct wlm_included *source, const char *file)
{
    const wlm_reading around = *r;
    r->text = source->text, r->length = source->length, r->file = file;
    wlm_start(r);
    wlm_parse_statements(r);
    r->text = around.text, r->length = around.length, r->file = around.file;
    r->lexer = around.lexer, r->token = around.token;
    source->is_open = 0;
}

/* Opens a text, unless it has been read. */
static void read_file(wlm_reading *r, const char *file, const char *path)
{
    char *read;
    int64_t length;
    r->status = wlm_file_read(r->ctx, file, &read, &length);
    if (r->status != WARPLU_SUCCESS) return;
    int is_known = 0;
    for (int32_t k = 0; k < r->includes; k++) {
        const struct wlm_included *s = r->included[k];
        is_known |= strcmp(s->path, path) == 0 && s->length == length && memcmp(s->text, read, (size_t)length) == 0;
    }
    char *text = is_known || length > INT32_MAX - 1 ? NULL : wlm_take_text(&r->scratch, read, length);
    wlu_free(r->ctx, read);
    if (is_known) return;
    if (length > INT32_MAX - 1)
        r->status = wlu_fail(r->ctx, WARPLU_OVERFLOW, "%.200s: more than %d bytes", file, INT32_MAX - 1);
    else if (text == NULL)
        wlm_fail_taking(r);
    struct wlm_included *source = r->status == WARPLU_SUCCESS ? add_source(r, path, text, (int32_t)length) : NULL;
    if (source != NULL) read_source(r, source, file);
}

void wlm_parse_include(wlm_reading *r)
{
    wlm_place place = r->token.place;
    if (r->token.type != WLM_TOKEN_STRING || r->token.word.length == 0 || wlm_word_is(r->token.word, "-")) {
        wlm_expected(r, "the name of a file in double quotes");
        return;
    }
    char *file = wlm_path_of(r, r->token.word);
    wlm_next(r);
    if (r->token.type != WLM_TOKEN_LINE && r->token.type != WLM_TOKEN_END) wlm_expected(r, "the end of the line");
    if (r->status != WARPLU_SUCCESS) return;
    if (r->includes == 0) add_source(r, tidied(r, r->name), r->text, r->length);
    char *path = tidied(r, file);
    if (r->status == WARPLU_SUCCESS) check_open(r, path, place);
    if (r->status == WARPLU_SUCCESS) read_file(r, file, path);
}
