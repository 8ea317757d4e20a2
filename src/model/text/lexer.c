/* Makes tokens from the text, one look ahead, without a copy of it: a word points into the text. Numbers are converted
 * by base/decimal.h, which rounds once and knows no locale. */
#include "model/text/lexer.h"

#include <string.h>

#include "model/text/csv.h"

static int letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int part_of_name(char c)
{
    return letter(c) || wlu_is_digit(c);
}

static char peek(const wlm_reading *r, int32_t ahead)
{
    return r->lexer.at + ahead < r->length ? r->text[r->lexer.at + ahead] : '\0';
}

static wlm_place place_here(const wlm_reading *r)
{
    return (wlm_place){r->lexer.line, r->lexer.at - r->lexer.line_at + 1, r->file};
}

static void new_line(wlm_lexer *l)
{
    l->at++;
    l->line++;
    l->line_at = l->at;
}

/* Goes behind blanks, comments, and ends of lines that go on. */
static void skip(wlm_reading *r)
{
    wlm_lexer *l = &r->lexer;
    while (l->at < r->length) {
        char c = r->text[l->at];
        if (c == '#') {
            const char *end = memchr(r->text + l->at, '\n', (size_t)(r->length - l->at));
            l->at = end != NULL ? (int32_t)(end - r->text) : r->length;
        } else if (c == '\\' && (peek(r, 1) == '\n' || (peek(r, 1) == '\r' && peek(r, 2) == '\n'))) {
            l->at += peek(r, 1) == '\r' ? 2 : 1;
            new_line(l);
        } else if (c == '\n' && l->open > 0) {
            new_line(l);
        } else if (wlu_is_blank(c)) {
            l->at++;
        } else {
            return;
        }
    }
}

/* Returns the place behind the number that stands here; ".." is the sign of a range and no part of it. */
static int32_t end_of_number(const wlm_reading *r)
{
    int32_t k = 0;
    while (wlu_is_digit(peek(r, k))) k++;
    if (peek(r, k) == '.' && peek(r, k + 1) != '.')
        for (k++; wlu_is_digit(peek(r, k)); k++) {
        }
    if (peek(r, k) == 'e' || peek(r, k) == 'E') {
        int32_t digits = peek(r, k + 1) == '+' || peek(r, k + 1) == '-' ? k + 2 : k + 1;
        if (wlu_is_digit(peek(r, digits)))
            for (k = digits; wlu_is_digit(peek(r, k)); k++) {
            }
    }
    while (part_of_name(peek(r, k))) k++; /* letters behind a number spoil it */
    return k;
}

static void read_number(wlm_reading *r)
{
    wlm_token *t = &r->token;
    char *begin = r->text + r->lexer.at, *end;
    t->type = WLM_TOKEN_NUMBER;
    t->word.length = end_of_number(r);
    r->lexer.at += t->word.length;
    char behind = begin[t->word.length];
    begin[t->word.length] = '\0';
    int fortran =
        memchr(begin, 'd', (size_t)t->word.length) != NULL || memchr(begin, 'D', (size_t)t->word.length) != NULL;
    wlu_number_result result = WLU_NUMBER_MALFORMED;
    if (!fortran) result = wlu_number_parse(r->numbers, begin, begin + t->word.length, &end, &t->number);
    begin[t->word.length] = behind;
    if (result == WLU_NUMBER_NO_MEMORY) wlm_fail_taking(r);
    if (result == WLU_NUMBER_NOT_FINITE)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, t->place, "'%.*s' is too large for a number", WLM_SHOWN(t->word));
    if (result == WLU_NUMBER_MALFORMED)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, t->place, "expected a number, found '%.*s'", WLM_SHOWN(t->word));
}

static void read_string(wlm_reading *r)
{
    wlm_token *t = &r->token;
    int32_t length = 0;
    t->type = WLM_TOKEN_STRING;
    r->lexer.at++;
    while (r->lexer.at + length < r->length && peek(r, length) != '"' && peek(r, length) != '\n' &&
           peek(r, length) != '\0')
        length++;
    t->word = (wlm_word){r->text + r->lexer.at, length};
    r->lexer.at += length;
    if (peek(r, 0) == '"')
        r->lexer.at++;
    else
        wlm_fail_at(r, WARPLU_BAD_FORMAT, t->place, "expected a '\"' at the end of the string, found %s",
                    r->lexer.at < r->length ? "the end of the line" : "the end of the text");
}

static void read_sign(wlm_reading *r)
{
    static const char *const doubles[] = {"..", "+=", "<=", ">=", "<>", "!=", "=="};
    wlm_token *t = &r->token;
    char c = peek(r, 0);
    t->type = WLM_TOKEN_SIGN;
    t->word.length = 1;
    for (size_t k = 0; k < sizeof doubles / sizeof *doubles; k++)
        if (c == doubles[k][0] && peek(r, 1) == doubles[k][1]) t->word.length = 2;
    if (t->word.length == 1 && (c == '\0' || strchr("()[]{}+-*/^<>=,:.'", c) == NULL)) {
        if (c > ' ' && c < 0x7f)
            wlm_fail_at(r, WARPLU_BAD_FORMAT, t->place, "expected a name, a number or a sign, found '%c'", c);
        else
            wlm_fail_at(r, WARPLU_BAD_FORMAT, t->place, "expected a name, a number or a sign, found byte 0x%02x",
                        (unsigned)(unsigned char)c);
    }
    if (c == '(' || c == '[' || c == '{') r->lexer.open++;
    if ((c == ')' || c == ']' || c == '}') && r->lexer.open > 0) r->lexer.open--;
    r->lexer.at += t->word.length;
}

void wlm_next(wlm_reading *r)
{
    wlm_token *t = &r->token;
    int32_t before = r->lexer.at;
    skip(r);
    t->place = place_here(r);
    t->tight = before == r->lexer.at;
    t->word = (wlm_word){r->text + r->lexer.at, 0};
    t->type = WLM_TOKEN_END;
    if (r->status != WARPLU_SUCCESS || r->lexer.at >= r->length) return;
    char c = peek(r, 0);
    if (c == '\n') {
        t->type = WLM_TOKEN_LINE;
        new_line(&r->lexer);
    } else if (c == ';') {
        t->type = WLM_TOKEN_LINE;
        r->lexer.at++;
    } else if (letter(c)) {
        t->type = WLM_TOKEN_NAME;
        while (part_of_name(peek(r, t->word.length))) t->word.length++;
        r->lexer.at += t->word.length;
    } else if (wlu_is_digit(c) || (c == '.' && wlu_is_digit(peek(r, 1)))) {
        read_number(r);
    } else if (c == '"') {
        read_string(r);
    } else {
        read_sign(r);
    }
    if (r->status != WARPLU_SUCCESS) t->type = WLM_TOKEN_END;
}

void wlm_start(wlm_reading *r)
{
    int32_t mark = wlm_mark_length(r->text, r->length);
    r->lexer = (wlm_lexer){.at = mark, .line = 1, .line_at = mark};
    wlm_next(r);
}

wlm_word wlm_raw_until(wlm_reading *r, char end)
{
    wlm_lexer *l = &r->lexer;
    wlm_word word = {r->text + l->at, 0};
    while (l->at < r->length && r->text[l->at] != end && r->text[l->at] != '\n') l->at++;
    word.length = (int32_t)(r->text + l->at - word.text);
    wlm_next(r);
    return word;
}

int wlm_sees(const wlm_reading *r, const char *sign)
{
    return r->token.type == WLM_TOKEN_SIGN && wlm_word_is(r->token.word, sign);
}

int wlm_sees_name(const wlm_reading *r, const char *name)
{
    return r->token.type == WLM_TOKEN_NAME && wlm_word_is(r->token.word, name);
}

int wlm_takes(wlm_reading *r, const char *sign)
{
    if (!wlm_sees(r, sign)) return 0;
    wlm_next(r);
    return 1;
}

int wlm_takes_name(wlm_reading *r, const char *name)
{
    if (!wlm_sees_name(r, name)) return 0;
    wlm_next(r);
    return 1;
}

int wlm_needs(wlm_reading *r, const char *sign, const char *what)
{
    if (wlm_takes(r, sign)) return 1;
    wlm_expected(r, what);
    return 0;
}

void wlm_needs_line_end(wlm_reading *r)
{
    if (r->token.type == WLM_TOKEN_LINE)
        wlm_next(r);
    else if (r->token.type != WLM_TOKEN_END)
        wlm_expected(r, "the end of the line");
}

int wlm_reserved(wlm_word word)
{
    static const char *const words[] = {"and",   "balance", "batch",   "const", "ddt",   "discrete", "div",   "element",
                                        "else",  "end",     "event",   "fixed", "for",   "function", "gate",  "if",
                                        "in",    "include", "input",   "limit", "mod",   "nodes",    "not",   "or",
                                        "param", "pi",      "pulse",   "run",   "state", "step",     "store", "sum",
                                        "t",     "then",    "unknown", "use",   "watch"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (wlm_word_is(word, words[k])) return 1;
    return 0;
}

wlm_word wlm_needs_name(wlm_reading *r, const char *what)
{
    wlm_word word = r->token.word;
    if (r->token.type == WLM_TOKEN_NAME && wlm_reserved(word))
        wlm_fail_at(r, WARPLU_BAD_FORMAT, r->token.place, "expected %s, found '%.*s', which is a word of the language",
                    what, WLM_SHOWN(word));
    else if (r->token.type != WLM_TOKEN_NAME)
        wlm_expected(r, what);
    wlm_next(r);
    return word;
}
