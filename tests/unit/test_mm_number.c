/* Decimal text to double: bit for bit strtod's, over random decimals of 15 to 900 digits, doubles' own
 * digits, midpoints of doubles and chosen hard cases. Prints its seed; WARPLU_SEED in the environment sets
 * it. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "base/decimal.h"

static wlu_context ctx;
static wlu_numbers *numbers;

/* Whether the text gives strtod's bits. */
static int as_strtod(char *text)
{
    char *end;
    double got = -1, want = strtod(text, NULL);
    size_t length = strlen(text);
    wlu_number_result result = wlu_number_parse(numbers, text, text + length, &end, &got);
    if (isinf(want)) return result == WLU_NUMBER_NOT_FINITE;
    return result == WLU_NUMBER_OK && end == text + length && memcmp(&got, &want, sizeof got) == 0;
}

static void random_text(uint64_t *seed, int digits, int range, char *text)
{
    int n = 0, point = check_below(seed, digits + 1);
    if (check_below(seed, 2)) text[n++] = '-';
    for (int k = 0; k < digits; k++) {
        if (k == point) text[n++] = '.';
        text[n++] = (char)('0' + check_below(seed, 10));
    }
    sprintf(text + n, "e%d", check_below(seed, 2 * range + 1) - range);
}

static void numbers_are_strtods(void)
{
    const char *set = getenv("WARPLU_SEED");
    uint64_t seed = set != NULL ? strtoull(set, NULL, 0) : UINT64_C(0x5eed0001);
    if (seed == 0) seed = 1;
    printf("# seed 0x%llx\n", (unsigned long long)seed);
    char text[2048];
    for (int k = 0; k < 400000; k++) { /* 17 digits and their neighbours, at all exponents */
        random_text(&seed, 15 + check_below(&seed, 6), k % 4 == 0 ? 340 : 30, text);
        CHECK_SAY(as_strtod(text), "%s", text);
    }
    for (int k = 0; k < 200000; k++) { /* every double's own digits */
        uint64_t bits = check_random(&seed);
        double v;
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v)) continue;
        sprintf(text, "%.*e", 14 + check_below(&seed, 8), v);
        CHECK_SAY(as_strtod(text), "%s", text);
    }
    for (int k = 0; k < 20000; k++) { /* midpoints of two doubles, exact and a digit beyond */
        double v = ldexp((double)(check_random(&seed) >> 11), check_below(&seed, 120) - 110),
               w = nextafter(v, INFINITY);
        long double middle = ((long double)v + (long double)w) / 2;
        int n = sprintf(text, "%.*Lf", 200, middle);
        CHECK_SAY(as_strtod(text), "%s", text);
        strcpy(text + n, "1");
        CHECK_SAY(as_strtod(text), "%s", text);
        sprintf(text, "%.18Le", middle);
        CHECK_SAY(as_strtod(text), "%s", text);
    }
    for (int k = 0; k < 2000; k++) {
        random_text(&seed, 1 + check_below(&seed, 900), 400, text);
        CHECK_SAY(as_strtod(text), "%s", text);
    }
}

static void chosen_numbers(void)
{
    static const char *const good[] = {
        "0",
        "-0",
        "+0.0",
        "0e999999999999",
        "1",
        "+1",
        "1.",
        ".5",
        "-.5e-1",
        "1e22",
        "1e23",
        "9007199254740993",
        "9007199254740992.999999999999999999999999999999",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "4.9406564584124654e-324",
        "2.4703282292062328e-324",
        "2.4703282292062327e-324",
        "1e-400",
        "-1e-999999999999",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "1e999999999999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "00000000000000000000000000000000000001.50",
        "0.000000000000000000000000000000000000000000000012345678901234567",
        "1.0000000000000000e+00",
        "5.0000000000000000000000000000e-01",
        "12345678901234567890e-20",
        "9999999999999999999e290",
        "6.0221407600000000e+23",
    };
    static const char *const bad[] = {"",     "-",    "+",   ".",   "e5",  "1e",        "1e+",
                                      "1e-",  "0x10", "1f",  "--1", "1_0", "1e5.0",     "na",
                                      "info", "nanx", "1,5", "1/2", "1:",  "12345678/", "0.1234567:"};
    static const char *const infinite[] = {"nan", "NaN", "-nan", "nan(1)", "inf", "+INF", "-Infinity"};
    char text[128], *end;
    double v;
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++)
        CHECK_SAY(as_strtod(strcpy(text, good[k])), "%s", good[k]);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        strcpy(text, bad[k]);
        CHECK_SAY(wlu_number_parse(numbers, text, text + strlen(text), &end, &v) == WLU_NUMBER_MALFORMED, "%s", bad[k]);
    }
    for (size_t k = 0; k < sizeof infinite / sizeof infinite[0]; k++) {
        strcpy(text, infinite[k]);
        CHECK_SAY(wlu_number_parse(numbers, text, text + strlen(text), &end, &v) == WLU_NUMBER_NOT_FINITE, "%s",
                  infinite[k]);
    }
    strcpy(text, "2.4703282292062328D-324 7");
    CHECK(wlu_number_parse(numbers, text, text + strlen(text), &end, &v) == WLU_NUMBER_OK);
    CHECK(v == 0x1p-1074 && *end == ' ');
    strcpy(text, "1.5d2");
    CHECK(wlu_number_parse(numbers, text, text + strlen(text), &end, &v) == WLU_NUMBER_OK && v == 150.0);
}

int main(void)
{
    wlu_context_init(&ctx, NULL);
    numbers = wlu_numbers_create(&ctx);
    RUN(numbers_are_strtods);
    RUN(chosen_numbers);
    wlu_numbers_destroy(&ctx, &numbers);
    return check_done();
}
