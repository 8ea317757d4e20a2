/* The state of reading one text: where it stands, what has been found, and how failures are said.
 *
 * The first failure stays: it is said once, and then every step does nothing, so that callers ask for the status where
 * it matters alone. */
#ifndef WLU_MODEL_TEXT_READING_H
#define WLU_MODEL_TEXT_READING_H

#include "base/decimal.h"
#include "model/text/arena.h"
#include "model/text/model.h"
#include "model/text/names.h"

/* Characters of the text, or of something else that stays; no zero behind them. */
typedef struct wlm_word {
    const char *text;
    int32_t length;
} wlm_word;

typedef enum wlm_token_type {
    WLM_TOKEN_END,  /* of the text */
    WLM_TOKEN_LINE, /* its end, or a semicolon */
    WLM_TOKEN_NUMBER,
    WLM_TOKEN_NAME,
    WLM_TOKEN_STRING, /* the word: what stands between the quotes */
    WLM_TOKEN_SIGN    /* the word: one or two characters */
} wlm_token_type;

typedef struct wlm_token {
    wlm_token_type type;
    wlm_place place;
    wlm_word word;
    double number;
    int tight; /* nothing stands between it and the one before */
} wlm_token;

typedef struct wlm_lexer {
    int32_t at, line, line_at; /* the next character; its line, from 1; where that begins */
    int32_t open;              /* brackets: line ends are blanks within them */
} wlm_lexer;

/* A global is what a name outside of elements means. */
typedef enum wlm_global_type { WLM_GLOBAL_CONSTANT, WLM_GLOBAL_KIND, WLM_GLOBAL_SET } wlm_global_type;

typedef struct wlm_global {
    wlm_global_type type;
    int32_t index; /* of kinds or sets */
    double value;  /* of a constant */
    wlm_place place;
} wlm_global;

typedef struct wlm_reading {
    wlu_context *ctx;
    const char *name; /* of the text, for messages */
    warplu_status status;
    char *text; /* a copy, which numbers are read from; zero behind it */
    int32_t length;
    wlm_lexer lexer;
    wlm_token token; /* the one that is looked at */
    int32_t depth;   /* of expressions and blocks that are open */
    wlu_numbers *numbers;
    wlm_arena scratch; /* what ends with the reading */
    wlm_arena *kept;   /* what lives as long as the model */
    wlm_model *model;
    wlm_names names; /* of globals */
    wlm_global *global;
    int64_t values;                /* of sets and uses, so far */
    struct wlm_asked_for *watched; /* names that are looked up at the end */
    int32_t watches;
} wlm_reading;

/* Messages show the first characters of a long word, so many. */
int wlm_shown(wlm_word word);
#define WLM_SHOWN(word) wlm_shown(word), (word).text

wlm_word wlm_word_of(const char *text);
int wlm_word_is(wlm_word word, const char *text);

/* "NAME:LINE:COLUMN: error: ..." unless there is a failure already. Returns the first failure's status. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
warplu_status
wlm_fail_at(wlm_reading *r, warplu_status status, wlm_place place, const char *format, ...);
/* "expected WHAT, found 'TOKEN'" at the token that is looked at. */
warplu_status wlm_expected(wlm_reading *r, const char *what);
warplu_status wlm_fail_taking(wlm_reading *r);
/* A piece of the arena, or NULL and a failure. */
void *wlm_take_for(wlm_reading *r, wlm_arena *arena, int64_t count, size_t size);
/* Room for an element behind count; 0 and a failure where there is none. */
int wlm_more_for(wlm_reading *r, wlm_arena *arena, void *array_address, int32_t count, size_t size);

/* A name of a constant, an element or a set; 0 and a failure where it is there already. */
int wlm_add_global(wlm_reading *r, wlm_word name, wlm_global global);

/* The known name that is nearest to a word, by insertions, deletions and replacements (Levenshtein, 1966). */
typedef struct wlm_nearest {
    wlm_word wanted;
    int distance; /* of the best so far; at first what is no help */
    char best[48];
    char text[80]; /* " (did you mean 'best'?)" once wlm_nearest_text has been asked */
} wlm_nearest;

void wlm_nearest_init(wlm_nearest *n, wlm_word wanted);
void wlm_nearest_try(wlm_nearest *n, const char *name);
void wlm_nearest_try_all(wlm_nearest *n, const wlm_names *names);
/* "" where none is near. */
const char *wlm_nearest_text(wlm_nearest *n);

#endif
