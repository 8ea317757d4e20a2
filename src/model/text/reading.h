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

/* Characters of the text, or of other memory that stays, without a zero behind them. */
typedef struct wlm_word {
    const char *text;
    int32_t length;
} wlm_word;

typedef enum wlm_token_type {
    WLM_TOKEN_END,  /* the end of the text */
    WLM_TOKEN_LINE, /* the end of a line, or a semicolon */
    WLM_TOKEN_NUMBER,
    WLM_TOKEN_NAME,
    WLM_TOKEN_STRING, /* its word is what stands between the quotes */
    WLM_TOKEN_SIGN    /* its word has one or two characters */
} wlm_token_type;

typedef struct wlm_token {
    wlm_token_type type;
    wlm_place place;
    wlm_word word;
    double number;
    int tight; /* 1: no blank stands in front of it */
} wlm_token;

typedef struct wlm_lexer {
    int32_t at, line, line_at; /* the next character; its line, from 1; the line's first character */
    int32_t open;              /* brackets that are open: ends of lines are blanks within them */
} wlm_lexer;

/* A global is the meaning of a name outside of elements. */
typedef enum wlm_global_type {
    WLM_GLOBAL_CONSTANT,
    WLM_GLOBAL_KIND,
    WLM_GLOBAL_SET,
    WLM_GLOBAL_FUNCTION,
    WLM_GLOBAL_TABLE
} wlm_global_type;

typedef struct wlm_global {
    wlm_global_type type;
    int32_t index; /* a number of model->kind, model->set or reading->function */
    double value;  /* the value of a constant */
    int32_t unit;  /* and its unit (units.h) */
    wlm_place place;
    const wlm_table *table; /* a table */
} wlm_global;

/* Returns "a constant", as messages call what a name means. */
const char *wlm_global_text(wlm_global_type type);

/* How long the unit of the time is, and the line that says it. */
typedef struct wlm_time_unit {
    int is_known;
    double size; /* the decimal logarithm of its seconds */
    wlm_place place;
} wlm_time_unit;

typedef struct wlm_reading {
    wlu_context *ctx;
    const char *name; /* the name of the model's text, for messages */
    const char *file; /* the name of the included text that is read; NULL: the model's */
    warplu_status status;
    char *text; /* a copy with a zero behind it, into which the lexer puts others for a moment */
    int32_t length;
    wlm_lexer lexer;
    wlm_token token; /* the one that is looked at */
    int32_t depth;   /* expressions and blocks that are open */
    int32_t rates;   /* x' and ddt(...) in expressions so far */
    int32_t deepest; /* the largest depth since a function began */
    wlu_numbers *numbers;
    wlm_arena scratch; /* memory that ends with the reading */
    wlm_arena *kept;   /* memory that lives as long as the model */
    wlm_model *model;
    wlm_names names; /* names of globals */
    wlm_global *global;
    struct wlm_included *
        *included; /* includes: texts that are included; the first is the model's, once there are any */
    int32_t includes;
    struct wlm_body *body; /* bodies: the lines of each kind that has been read */
    int32_t bodies;
    struct wlm_routine **function; /* functions */
    int32_t functions;
    struct wlm_unit *unit; /* units: of units.h; 0 while the text has none */
    int32_t units, unit_room;
    wlm_time_unit time;
    int64_t values;                /* values that sets and uses have taken so far */
    struct wlm_asked_for *watched; /* names that are looked up at the end */
    int32_t watches;
} wlm_reading;

/* Returns how many characters of a word messages show. */
int wlm_shown(wlm_word word);
#define WLM_SHOWN(word) wlm_shown(word), (word).text

wlm_word wlm_word_of(const char *text);
int wlm_word_is(wlm_word word, const char *text);
int wlm_words_equal(wlm_word a, wlm_word b);

/* Fails with "NAME:LINE:COLUMN: error: ..." unless a failure was said already. Returns the first failure's status. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
warplu_status
wlm_fail_at(wlm_reading *r, warplu_status status, wlm_place place, const char *format, ...);
/* Fails with "expected WHAT, found 'TOKEN'" at the present token. */
warplu_status wlm_expected(wlm_reading *r, const char *what);
warplu_status wlm_fail_taking(wlm_reading *r);
/* Takes a piece of the arena; NULL and a failure where there is no memory. */
void *wlm_take_for(wlm_reading *r, wlm_arena *arena, int64_t count, size_t size);
/* Makes room for one element behind `count` of the array at that address; 0 and a failure where there is no memory. */
int wlm_more_for(wlm_reading *r, wlm_arena *arena, void *array_address, int32_t count, size_t size);

/* Adds the name of a constant, an element, a set or a function; 0 and a failure where the name is taken. */
int wlm_add_global(wlm_reading *r, wlm_word name, wlm_global global);

/* A search for the known name that is nearest to a word by insertions, deletions, replacements (Levenshtein 1966). */
typedef struct wlm_nearest {
    wlm_word wanted;
    int distance; /* of the best name so far; at first one that is too far to be of help */
    char best[48];
    char text[80]; /* " (did you mean 'best'?)" once wlm_nearest_text has been asked */
} wlm_nearest;

void wlm_nearest_init(wlm_nearest *n, wlm_word wanted);
void wlm_nearest_try(wlm_nearest *n, const char *name);
void wlm_nearest_try_all(wlm_nearest *n, const wlm_names *names);
/* Returns the text to be put behind a message; "" where no name is near. */
const char *wlm_nearest_text(wlm_nearest *n);

#endif
