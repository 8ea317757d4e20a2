/* Tokens of a text. Comments go from '#' to the end of the line; a line goes on while a bracket is open and behind a
 * backslash at its end. */
#ifndef WLU_MODEL_TEXT_LEXER_H
#define WLU_MODEL_TEXT_LEXER_H

#include "model/text/reading.h"

/* Begins: looks at the first token. WARPLU_BAD_FORMAT where there is no token. */
void wlm_start(wlm_reading *r);
/* Looks at the next token; after a failure it is the end of the text. */
void wlm_next(wlm_reading *r);
/* Returns the text from behind the present token up to `end`, on the same line; looks at the token behind `end`. */
wlm_word wlm_raw_until(wlm_reading *r, char end);

/* Returns 1 where the token is this sign, or this name. */
int wlm_sees(const wlm_reading *r, const char *sign);
int wlm_sees_name(const wlm_reading *r, const char *name);
/* Returns the same, and goes behind the token if it is. */
int wlm_takes(wlm_reading *r, const char *sign);
int wlm_takes_name(wlm_reading *r, const char *name);
/* Goes behind a sign and returns 1, or fails with "expected WHAT" and returns 0. */
int wlm_needs(wlm_reading *r, const char *sign, const char *what);
/* Goes behind the end of a line, or stays at the end of the text; fails at anything else. */
void wlm_needs_line_end(wlm_reading *r);
/* Goes behind a name that is no reserved word and returns it, or fails with "expected WHAT". */
wlm_word wlm_needs_name(wlm_reading *r, const char *what);
/* Returns 1 of words that no name may be. */
int wlm_reserved(wlm_word word);

#endif
