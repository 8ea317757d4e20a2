/* Decimal text to double, correctly rounded (round to nearest, ties to even): bit for bit what strtod gives
 * in the C locale, whatever the caller's locale is.
 *
 * Grammar: [+-] digits [. digits] [eEdD [+-] digits], a digit before or after the point at least. Of other
 * words only nan and inf(inity) are told apart, so that the reader can name them. */
#ifndef WLU_BASE_DECIMAL_H
#define WLU_BASE_DECIMAL_H

#include "base/context.h"

typedef enum wlu_number_result {
    WLU_NUMBER_OK,
    WLU_NUMBER_MALFORMED,  /* not a number, or more characters behind it */
    WLU_NUMBER_NOT_FINITE, /* nan, inf, or too large for a double */
    WLU_NUMBER_NO_MEMORY   /* no C locale could be had */
} wlu_number_result;

/* Powers of ten to 128 bits, and the C locale once it is needed. About 11 KB; built in microseconds. */
typedef struct wlu_numbers wlu_numbers;

wlu_numbers *wlu_numbers_create(wlu_context *ctx);
void wlu_numbers_destroy(wlu_context *ctx, wlu_numbers **numbers);

/* Converts the word at text, which ends at a blank or at the line's end limit, where *limit is '\0'. *end:
 * behind the word. A Fortran exponent letter may be overwritten by 'e'. */
wlu_number_result wlu_number_parse(wlu_numbers *numbers, char *text, const char *limit, char **end, double *value);

static inline int wlu_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static inline int wlu_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

#endif
