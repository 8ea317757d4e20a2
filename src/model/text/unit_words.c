/* Reads units: words that may have a prefix, with powers, `mS/cm^2`, `kg.m2.s-3`, `J/(mol K)`, `1/ms`. Blanks, `.` and
 * `*` multiply, `/` divides by the next factor alone, or by what stands in brackets, one within no other. A note in
 * quotes is no unit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/text/lexer.h"
#include "model/text/units.h"

/* A word is `size` times a product of powers of base units. */
static const struct {
    const char *text;
    int has_prefix; /* 1: may have one */
    double size;
    signed char power[WLM_BASES];
} words[] = {
    {"m", 1, 1.0, {1}},
    {"g", 1, 1e-3, {0, 1}},
    {"s", 1, 1.0, {0, 0, 1}},
    {"A", 1, 1.0, {0, 0, 0, 1}},
    {"K", 1, 1.0, {0, 0, 0, 0, 1}},
    {"mol", 1, 1.0, {0, 0, 0, 0, 0, 1}},
    {"cd", 1, 1.0, {0, 0, 0, 0, 0, 0, 1}},
    {"%", 0, 1e-2, {0}},
    {"rad", 1, 1.0, {0}},
    {"sr", 1, 1.0, {0}},
    {"deg", 0, 3.14159265358979323846 / 180.0, {0}},
    {"min", 0, 60.0, {0, 0, 1}},
    {"h", 0, 3600.0, {0, 0, 1}},
    {"d", 0, 86400.0, {0, 0, 1}},
    {"Hz", 1, 1.0, {0, 0, -1}},
    {"N", 1, 1.0, {1, 1, -2}},
    {"Pa", 1, 1.0, {-1, 1, -2}},
    {"bar", 1, 1e5, {-1, 1, -2}},
    {"atm", 0, 101325.0, {-1, 1, -2}},
    {"mmHg", 0, 133.322387415, {-1, 1, -2}},
    {"J", 1, 1.0, {2, 1, -2}},
    {"eV", 1, 1.602176634e-19, {2, 1, -2}},
    {"cal", 1, 4.184, {2, 1, -2}},
    {"W", 1, 1.0, {2, 1, -3}},
    {"C", 1, 1.0, {0, 0, 1, 1}},
    {"V", 1, 1.0, {2, 1, -3, -1}},
    {"F", 1, 1.0, {-2, -1, 4, 2}},
    {"ohm", 1, 1.0, {2, 1, -3, -2}},
    {"Ohm", 1, 1.0, {2, 1, -3, -2}},
    {"S", 1, 1.0, {-2, -1, 3, 2}},
    {"Wb", 1, 1.0, {2, 1, -2, -1}},
    {"T", 1, 1.0, {0, 1, -2, -1}},
    {"H", 1, 1.0, {2, 1, -2, -2}},
    {"degC", 0, 1.0, {0, 0, 0, 0, 1}},
    {"L", 1, 1e-3, {3}},
    {"l", 1, 1e-3, {3}},
    {"M", 1, 1e3, {-3, 0, 0, 0, 0, 1}},
    {"kat", 1, 1.0, {0, 0, -1, 0, 0, 1}},
    {"Bq", 1, 1.0, {0, 0, -1}},
    {"Gy", 1, 1.0, {2, 0, -2}},
    {"Sv", 1, 1.0, {2, 0, -2}},
    {"lm", 1, 1.0, {0, 0, 0, 0, 0, 0, 1}},
    {"lx", 1, 1.0, {-2, 0, 0, 0, 0, 0, 1}},
};
enum { WORDS = sizeof words / sizeof *words };

/* The first one is none. */
static const struct {
    const char *text;
    int power; /* of ten */
} prefixes[] = {{"", 0},          {"da", 1}, {"d", -1},  {"c", -2},  {"m", -3},  {"u", -6},
                {"\xc2\xb5", -6}, {"n", -9}, {"p", -12}, {"f", -15}, {"a", -18}, {"h", 2},
                {"k", 3},         {"M", 6},  {"G", 9},   {"T", 12},  {"P", 15}};
enum { PREFIXES = sizeof prefixes / sizeof *prefixes };

/* What is left of the text between the brackets. */
typedef struct rest {
    wlm_reading *r;
    wlm_place place;
    const char *at, *end;
} rest;

static int sees(const rest *s, const char *signs)
{
    return s->at < s->end && strchr(signs, *s->at) != NULL;
}

static int is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || (unsigned char)c >= 0x80;
}

static void fail_word(rest *s, wlm_word word)
{
    wlm_nearest nearest;
    wlm_nearest_init(&nearest, word);
    for (int k = 0; k < WORDS; k++)
        for (int p = 0; p < (words[k].has_prefix ? PREFIXES : 1); p++) {
            char text[16];
            snprintf(text, sizeof text, "%s%s", prefixes[p].text, words[k].text);
            wlm_nearest_try(&nearest, text);
        }
    wlm_fail_at(s->r, WARPLU_BAD_FORMAT, s->place, "'%.*s' is no unit%s; what is a note alone stands in quotes",
                WLM_SHOWN(word), wlm_nearest_text(&nearest));
}

/* Finds a word, as it is or else behind a prefix; 0 after a failure. */
static int find_word(rest *s, wlm_word word, wlm_unit *unit)
{
    for (int p = 0; p < PREFIXES; p++) {
        int32_t before = (int32_t)strlen(prefixes[p].text);
        if (word.length <= before || memcmp(word.text, prefixes[p].text, (size_t)before) != 0) continue;
        for (int k = 0; k < WORDS; k++) {
            if (!wlm_word_is((wlm_word){word.text + before, word.length - before}, words[k].text)) continue;
            if (p > 0 && !words[k].has_prefix) continue;
            for (int base = 0; base < WLM_BASES; base++) unit->power[base] = words[k].power[base];
            unit->size = log10(words[k].size) + prefixes[p].power;
            return 1;
        }
    }
    fail_word(s, word);
    return 0;
}

/* Reads a whole number behind a word, as in cm2, cm^2, s-1; 1 where there is none, 0 after a failure. */
static int read_power(rest *s)
{
    enum { POWER_MOST = 99 };
    const char *begin = s->at;
    int is_written = sees(s, "^"), sign = 1, power = 0;
    if (is_written) s->at++;
    if (sees(s, "-")) sign = -1, s->at++;
    for (begin = s->at; sees(s, "0123456789") && power <= POWER_MOST; s->at++) power = 10 * power + (*s->at - '0');
    if (s->at == begin && !is_written && sign > 0) return 1;
    if (power == 0 || power > POWER_MOST)
        wlm_fail_at(s->r, WARPLU_BAD_FORMAT, s->place, "expected a power from 1 to %d in a unit", POWER_MOST);
    return sign * power;
}

/* Reads 1, or a word with its power, and multiplies the unit by it. */
static void read_factor(rest *s, wlm_unit *unit, int sign)
{
    wlm_unit factor = {.size = 0.0};
    wlm_word word = {s->at, 0};
    while (s->at < s->end && is_of_word(*s->at)) s->at++;
    word.length = (int32_t)(s->at - word.text);
    if (word.length == 0 && sees(s, "1")) {
        s->at++;
        return;
    }
    if (word.length == 0) {
        wlm_fail_at(s->r, WARPLU_BAD_FORMAT, s->place, "expected a unit, as [mV] or [uA/cm^2], found '%.*s'",
                    s->end - s->at > 40 ? 40 : (int)(s->end - s->at), s->at);
        return;
    }
    if (find_word(s, word, &factor)) wlm_unit_times(unit, &factor, sign * read_power(s));
}

static void skip_blanks(rest *s)
{
    while (sees(s, " \t")) s->at++;
}

static void read_product(rest *s, wlm_unit *unit)
{
    int group = 1, open = 0; /* what brackets are to the power of; 1 within them */
    const char *begin = s->at;
    do {
        int sign = sees(s, "/") ? -1 : 1;
        if (sign < 0 || (s->at > begin && sees(s, ".*"))) s->at++;
        skip_blanks(s);
        if (sees(s, "(") && !open) {
            group = sign, open = 1, sign = 1, s->at++;
            skip_blanks(s);
        }
        read_factor(s, unit, group * sign);
        skip_blanks(s);
        if (open && sees(s, ")")) {
            group = 1, open = 0, s->at++;
            skip_blanks(s);
        }
    } while (s->at < s->end && s->r->status == WARPLU_SUCCESS);
    if (open) wlm_fail_at(s->r, WARPLU_BAD_FORMAT, s->place, "expected ')' in a unit");
}

int32_t wlm_parse_unit(wlm_reading *r)
{
    wlm_unit unit = {.size = 0.0};
    if (!wlm_sees(r, "[")) return WLM_UNIT_OPEN;
    rest s = {.r = r, .place = r->token.place};
    unit.text = wlm_raw_until(r, ']');
    if (!wlm_needs(r, "]", "']' behind the unit")) return WLM_UNIT_OPEN;
    wlm_word text = unit.text;
    s.at = text.text, s.end = text.text + text.length;
    skip_blanks(&s);
    if (sees(&s, "\"")) {
        if (memchr(s.at + 1, '"', (size_t)(s.end - s.at - 1)) == NULL)
            wlm_fail_at(r, WARPLU_BAD_FORMAT, s.place, "expected a '\"' at the end of the note");
        return WLM_UNIT_OPEN;
    }
    read_product(&s, &unit);
    unit.text = text;
    return r->status == WARPLU_SUCCESS ? wlm_unit_add(r, &unit) : WLM_UNIT_OPEN;
}
