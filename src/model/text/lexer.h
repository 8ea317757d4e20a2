/* Tokens of a text. Comments go from '#' to the end of the line; a line goes on while a bracket is open and behind a
 * backslash at its end. */
#ifndef WLU_MODEL_TEXT_LEXER_H
#define WLU_MODEL_TEXT_LEXER_H

#include "model/text/reading.h"

/* The first token is looked at; BAD_FORMAT where it is none. */
void wlm_start(wlm_reading *r);
/* Looks at the next token. After a failure that is the end of the text. */
void wlm_next(wlm_reading *r);
/* What follows the token that is looked at, up to `end` on the same line, as it is written; then looks behind that. */
wlm_word wlm_raw_until(wlm_reading *r, char end);

/* Whether the token is this sign, or this name. */
int wlm_sees(const wlm_reading *r, const char *sign);
int wlm_sees_name(const wlm_reading *r, const char *name);
/* The same, and goes behind it if so. */
int wlm_takes(wlm_reading *r, const char *sign);
int wlm_takes_name(wlm_reading *r, const char *name);
/* Goes behind a sign, or fails: expected WHAT. 1 or 0. */
int wlm_needs(wlm_reading *r, const char *sign, const char *what);
/* Goes behind the end of a line, of the text or of what stands in front of `stop`. */
void wlm_needs_line_end(wlm_reading *r);
/* Goes behind a name that is no reserved word; fails: expected WHAT. */
wlm_word wlm_needs_name(wlm_reading *r, const char *what);
/* Words that are no names. */
int wlm_reserved(wlm_word word);

#endif
