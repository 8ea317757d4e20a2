/* Decimal text to double in three steps, each exact or handing on to the next.
 *
 * 1. Up to 19 digits w and a decimal exponent q are scanned. Where w <= 2^53 and |q| <= 22, both w and 10^|q|
 *    are doubles and one multiplication or division rounds once (W. D. Clinger, How to read floating point
 *    numbers accurately, PLDI 1990).
 * 2. Otherwise w 10^q is enclosed in an interval [p, p + e] 2^x by one product with a 128-bit lower bound of
 *    5^q. Rounding is monotone: where both ends round to the same double, so does the number between them.
 *    The ends differ only within e of a midpoint of two doubles: about once in 2^64 numbers of 19 digits or
 *    fewer, once in hundreds where more digits were cut off.
 * 3. The rest (midpoints, subnormals, overflow) goes to strtod in the C locale.
 *
 * The bounds of 5^q come from 5^0 = 2^127 2^-127 by multiplying with or dividing by 5, truncated to 128 bits.
 * Each step loses less than 2^-127 of the value, so after k steps, k <= 342, the bound is short by less than
 * 2k + 1 <= 685 units; the product adds one more. ERROR_UNITS covers both. Without a 128-bit type, step 2 is
 * left out.
 *
 * Cost: a number of 17 digits takes a fifth of strtod's time. */
#include "base/decimal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"

enum {
    POWER_MIN = -342, /* 10^19 10^-342 < 2^-1022: below, every number is subnormal or zero */
    POWER_MAX = 308,  /* 10^309 overflows */
    POWER_COUNT = POWER_MAX - POWER_MIN + 1,
    MAX_DIGITS = 19,    /* 10^19 - 1 < 2^64 */
    ERROR_UNITS = 1024, /* see above */
    EXACT_POWER = 22,   /* 10^22 = 5^22 2^22, 5^22 < 2^53 */
    EXPONENT_LIMIT = 100000000
};

#if defined(__SIZEOF_INT128__)
#define HAVE_INTERVAL 1
__extension__ typedef unsigned __int128 wide;
#else
#define HAVE_INTERVAL 0
#endif

struct wlu_numbers {
#if HAVE_INTERVAL
    uint64_t high[POWER_COUNT];    /* lower bound of 5^q, in [2^127, 2^128): its halves, as 16-byte alignment */
    uint64_t low[POWER_COUNT];     /* is more than a caller's allocator need give */
    int16_t exponent[POWER_COUNT]; /* 5^q is the bound times 2^exponent, or a little more */
#endif
    wlu_c_locale c_locale; /* made when strtod is needed */
};

/* What is scanned from the text: the number is (w or a little more, if cut) 10^q. */
typedef struct decimal {
    uint64_t w;
    int64_t q;
    int negative;
    int cut; /* non-zero digits behind the first 19 were dropped */
} decimal;

#if HAVE_INTERVAL
static void set_power(wlu_numbers *t, int k, wide bound, int exponent)
{
    t->high[k] = (uint64_t)(bound >> 64);
    t->low[k] = (uint64_t)bound;
    t->exponent[k] = (int16_t)exponent;
}

static void fill_powers(wlu_numbers *t)
{
    const wide top = (wide)1 << 127;
    wide b = top;
    int exponent = -127;
    set_power(t, -POWER_MIN, b, exponent);
    for (int k = -POWER_MIN + 1; k < POWER_COUNT; k++) { /* b 5/8 2^3 or b 5/4 2^2, without overflow */
        wide eighth = (b >> 3) * 5 + (((b & 7) * 5) >> 3);
        int fits = (eighth & top) != 0;
        b = fits ? eighth : (b >> 2) * 5 + (((b & 3) * 5) >> 2);
        exponent += fits ? 3 : 2;
        set_power(t, k, b, exponent);
    }
    b = top;
    exponent = -127;
    for (int k = -POWER_MIN - 1; k >= 0; k--) { /* b 4/5 2^-2 or b 8/5 2^-3 */
        wide fifth = b / 5, rest = b % 5, quarter = fifth * 4 + rest * 4 / 5;
        int fits = (quarter & top) != 0;
        b = fits ? quarter : fifth * 8 + rest * 8 / 5;
        exponent -= fits ? 2 : 3;
        set_power(t, k, b, exponent);
    }
}

static int leading_zeros(uint64_t v)
{
    return __builtin_clzll(v); /* __int128 implies GCC's built-ins */
}

/* Rounds p 2^x, p >= 2^126, to a double's bits without its sign; 0 where it is not safely a normal number. */
static uint64_t round_to_bits(wide p, int x)
{
    uint64_t high = (uint64_t)(p >> 64);
    int shift = 11 - leading_zeros(high); /* leaves 53 bits */
    int biased = 64 + shift + x + 52 + 1023;
    if (biased < 1 || biased > 2045) return 0;
    uint64_t m = high >> shift, rest = high & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    m += rest > half || (rest == half && ((uint64_t)p != 0 || (m & 1) != 0));
    return ((uint64_t)(biased - 1) << 52) + m; /* m's leading bit, or its carry, adds into the exponent */
}

/* Step 2. Returns 1 and the magnitude's bits where the interval settles them. */
static int convert_interval(const wlu_numbers *t, const decimal *d, uint64_t *bits)
{
    if (d->q < POWER_MIN || d->q > POWER_MAX) return 0;
    int k = (int)d->q - POWER_MIN, shift = leading_zeros(d->w);
    uint64_t w = d->w << shift;
    wide p = (wide)w * t->high[k] + (((wide)w * t->low[k]) >> 64); /* the upper 128 of 192 bits */
    wide e = ERROR_UNITS;
    if (d->cut) e += (wide)1 << (64 + shift); /* w + 1: less than 2^128 << shift more, in units of 2^64 */
    if (p > ~(wide)0 - e) return 0;
    int x = t->exponent[k] + (int)d->q + 64 - shift;
    *bits = round_to_bits(p, x);
    if (*bits == 0) return 0;
    if ((uint64_t)p != 0 && (p + e) >> 64 == p >> 64) return 1; /* nearly always: the ends' last bits differ alone */
    return *bits == round_to_bits(p + e, x);
}
#endif

/* Step 1. Returns 1 and the magnitude where two doubles and one operation give it. */
static int convert_exact(const decimal *d, double *value)
{
    static const double power[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
    if (d->cut || d->w > UINT64_C(1) << 53 || d->q < -EXACT_POWER || d->q > EXACT_POWER) return 0;
    *value = d->q < 0 ? (double)d->w / power[-d->q] : (double)d->w * power[d->q];
    return 1;
#else
    (void)d, (void)value, (void)power; /* excess precision would round twice */
    return 0;
#endif
}

/* Step 3. */
static wlu_number_result convert_strtod(wlu_numbers *t, char *text, char *letter, double *value)
{
    if (!wlu_c_locale_make(&t->c_locale)) return WLU_NUMBER_NO_MEMORY;
    if (letter != NULL) *letter = 'e';
    wlu_c_locale_enter(&t->c_locale);
    *value = strtod(text, NULL);
    wlu_c_locale_leave(&t->c_locale);
    return isfinite(*value) ? WLU_NUMBER_OK : WLU_NUMBER_NOT_FINITE;
}

/* Scans the first 19 significant digits again where there are more; point is behind them or among them. */
static void rescan_long(const char *p, const char *stop, decimal *d)
{
    int digits = 0, behind_point = 0;
    d->w = 0;
    d->q = 0;
    for (; p < stop; p++) {
        if (*p == '.') {
            behind_point = 1;
            continue;
        }
        if (digits < MAX_DIGITS) {
            d->w = d->w * 10 + (uint64_t)(*p - '0');
            digits += d->w != 0;
            d->q -= behind_point;
        } else {
            d->cut |= *p != '0';
            d->q += !behind_point;
        }
    }
}

/* Adds digits to w as long as they come; w may wrap. Eight at a time by the multiplications of D. Lemire,
 * Number parsing at a gigabyte per second (Software: Practice and Experience 51, 2021). */
static char *scan_digits(char *p, const char *limit, uint64_t *w)
{
    uint64_t v = *w;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t zeros = UINT64_C(0x3030303030303030), high_halves = UINT64_C(0xf0f0f0f0f0f0f0f0);
    const uint64_t sixes = UINT64_C(0x0606060606060606), pairs = UINT64_C(0x000000ff000000ff);
    while (limit - p >= 8) {
        uint64_t eight;
        memcpy(&eight, p, 8);
        if ((eight & high_halves) != zeros || ((eight + sixes) & high_halves) != zeros) break;
        eight = (eight - zeros) * 10 + ((eight - zeros) >> 8); /* every second byte: two digits */
        eight = ((eight & pairs) * (100 + (UINT64_C(1000000) << 32)) +
                 ((eight >> 16) & pairs) * (1 + (UINT64_C(10000) << 32))) >>
                32;
        v = v * 100000000 + (uint32_t)eight;
        p += 8;
    }
#else
    (void)limit;
#endif
    for (; wlu_is_digit(*p); p++) v = v * 10 + (uint64_t)(*p - '0');
    *w = v;
    return p;
}

/* The exponent's digits; *p moves behind them. Returns 0 where there are none. */
static int scan_exponent(char **text, int64_t *exponent)
{
    char *p = *text;
    int negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    if (!wlu_is_digit(*p)) return 0;
    int64_t e = 0;
    for (; wlu_is_digit(*p); p++)
        if (e < EXPONENT_LIMIT) e = e * 10 + (*p - '0');
    *exponent = negative ? -e : e;
    *text = p;
    return 1;
}

static int starts_with_word(const char *p, const char *word)
{
    for (; *word != '\0'; p++, word++)
        if ((*p | 0x20) != *word) return 0;
    return 1;
}

/* No digit where one should be: names nan and inf, all else is malformed. */
static wlu_number_result judge_word(const char *p)
{
    static const char *const words[] = {"nan", "infinity", "inf"};
    for (int k = 0; k < 3; k++) {
        if (!starts_with_word(p, words[k])) continue;
        char next = p[strlen(words[k])];
        if (next == '\0' || wlu_is_blank(next) || (k == 0 && next == '(')) return WLU_NUMBER_NOT_FINITE;
    }
    return WLU_NUMBER_MALFORMED;
}

/* Scans the number at text. *letter: its exponent's letter, or NULL. */
static wlu_number_result scan(char *text, const char *limit, char **end, char **letter, decimal *d)
{
    char *p = text;
    d->w = 0;
    d->q = 0;
    d->cut = 0;
    d->negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    char *first = p;
    for (; wlu_is_digit(*p); p++) d->w = d->w * 10 + (uint64_t)(*p - '0'); /* few; may wrap */
    int64_t digits = p - first;
    if (*p == '.') {
        char *fraction = p + 1;
        p = scan_digits(fraction, limit, &d->w);
        d->q = fraction - p;
        digits -= d->q;
    }
    if (digits == 0) return judge_word(first);
    if (digits > MAX_DIGITS) {
        for (const char *z = first; z < p && (*z == '0' || *z == '.'); z++) digits -= *z == '0';
        if (digits > MAX_DIGITS) rescan_long(first, p, d); /* w wrapped, or may have */
    }
    *letter = NULL;
    if ((*p | 0x20) == 'e' || (*p | 0x20) == 'd') {
        int64_t exponent;
        *letter = p++;
        if (!scan_exponent(&p, &exponent)) return WLU_NUMBER_MALFORMED;
        d->q += exponent;
    }
    *end = p;
    return *p == '\0' || wlu_is_blank(*p) ? WLU_NUMBER_OK : WLU_NUMBER_MALFORMED;
}

wlu_number_result wlu_number_parse(wlu_numbers *numbers, char *text, const char *limit, char **end, double *value)
{
    decimal d;
    char *letter;
    wlu_number_result result = scan(text, limit, end, &letter, &d);
    if (result != WLU_NUMBER_OK) return result;
    if (d.w == 0) {
        *value = d.negative ? -0.0 : 0.0;
        return WLU_NUMBER_OK;
    }
    double magnitude;
    if (convert_exact(&d, &magnitude)) {
        *value = d.negative ? -magnitude : magnitude;
        return WLU_NUMBER_OK;
    }
#if HAVE_INTERVAL
    uint64_t bits;
    if (convert_interval(numbers, &d, &bits)) {
        bits |= (uint64_t)d.negative << 63;
        memcpy(value, &bits, sizeof *value);
        return WLU_NUMBER_OK;
    }
#endif
    return convert_strtod(numbers, text, letter, value);
}

wlu_numbers *wlu_numbers_create(wlu_context *ctx)
{
    wlu_numbers *t = WLU_ALLOC(ctx, 1, wlu_numbers);
    if (t == NULL) return NULL;
    t->c_locale = (wlu_c_locale){0};
#if HAVE_INTERVAL
    fill_powers(t);
#endif
    return t;
}

void wlu_numbers_destroy(wlu_context *ctx, wlu_numbers **numbers)
{
    if (*numbers != NULL) wlu_c_locale_free(&(*numbers)->c_locale);
    wlu_free(ctx, *numbers);
    *numbers = NULL;
}
