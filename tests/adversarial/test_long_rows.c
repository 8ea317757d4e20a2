/* Never a wrong answer with a success code where rows and columns are long: hubs of 500 to 64 000 unknowns, whose sums
 * round badly: equal values, few decimals, chosen low bits, sums that rise and fall. Beside the searching attacker
 * (test_search.c), whose judge is dense. Each case has a solver of its own, whose values climb (hub_play.h).
 *
 *     test_long_rows [--successes N | --seconds S] [--numbers NAME] [--least N] [--most N] [--seed S]
 *     test_long_rows --case K [--seed S]
 *
 *     --successes N   until so many right-hand sides were answered with a success code (10000, thinned by WARPLU_EVERY)
 *     --seconds S     cases until the time is up
 *     --numbers NAME  double, complex, single or mixed alone
 *     --least N       fewest unknowns (500; half of those in FP32 have as few as 8)
 *     --most N        most unknowns (64000)
 *     --case K        this case alone
 *     --executor cuda all cases are played by a GPU
 *     --say N         so many wrong answers are described (5)
 *     --seed S        of all that is drawn (3) */
#include "check.h"
#include "hub_play.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static int64_t successes = 10000, only_case = -1, seconds, least = 500, most = 64000, say = 5;
static uint64_t seed = 3;
static const char *numbers;

static void print_line(const hub_counts *c, const char *way, const char *of, const char *op)
{
    if (c->successes + c->refused == 0) return;
    printf("#   %-8s %-8s %-2s successes %" PRId64 ", checked %" PRId64 ", limited %" PRId64 ", wrong %" PRId64
           ", refused %" PRId64 "; error at most %.2e of what is promised unchecked, %.2e checked\n",
           way, of, op, c->successes, c->checked, c->limited, c->wrong, c->refused, c->worst, c->seen);
}

static void add(hub_counts *to, const hub_counts *c)
{
    to->successes += c->successes;
    to->checked += c->checked;
    to->limited += c->limited;
    to->wrong += c->wrong;
    to->refused += c->refused;
    if (!(c->worst <= to->worst)) to->worst = c->worst;
    if (!(c->seen <= to->seen)) to->seen = c->seen;
}

static int64_t print(const hub_tally *t)
{
    hub_counts all = {0};
    printf("# %" PRId64 " cases, seed %" PRIu64 "\n", t->cases, seed);
    for (int w = 0; w < HUB_WAYS; w++)
        for (int k = 0; k < HUB_NUMBERS; k++)
            for (int transposed = 0; transposed <= 1; transposed++) {
                const hub_counts *c = &t->of[w][k][transposed];
                print_line(c, hub_way_name((hub_way)w), hub_numbers_name((hub_numbers)k), transposed ? "A'" : "A");
                add(&all, c);
            }
    print_line(&all, "all", "", "");
    return all.wrong;
}

static int number_named(const char *name)
{
    int k = 0;
    while (k < HUB_NUMBERS && strcmp(name, hub_numbers_name((hub_numbers)k)) != 0) k++;
    return k;
}

static void long_rows(void)
{
    static hub_tally t;
    const time_t end = time(NULL) + (time_t)seconds; /* the clock says when to end, and nothing else */
    t.say = say;
    t.least = (int32_t)least;
    t.most = (int32_t)most;
    t.only = numbers != NULL ? number_named(numbers) : -1;
    if (only_case >= 0)
        hub_play(seed, only_case, &t);
    else if (seconds > 0)
        while (time(NULL) < end) hub_play(seed, t.cases, &t);
    else
        while (hub_successes(&t) < successes / check_every()) hub_play(seed, t.cases, &t);
    int64_t wrong = print(&t);
    CHECK_SAY(wrong == 0, "%" PRId64 " wrong answers with a success code", wrong);
    CHECK_SAY(t.odd == 0, "%" PRId64 " calls failed that must not", t.odd);
}

static int64_t *number_of(const char *option)
{
    static const struct {
        const char *name;
        int64_t *out;
    } all[] = {{"--successes", &successes}, {"--case", &only_case}, {"--say", &say},
               {"--seconds", &seconds},     {"--least", &least},    {"--most", &most}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strcmp(all[k].name, option) == 0) return all[k].out;
    return NULL;
}

static int parse_one(const char *option, char *text)
{
    char *end = text;
    int64_t *out = number_of(option);
    if (strcmp(option, "--numbers") == 0) {
        numbers = text;
        return number_named(text) < HUB_NUMBERS;
    }
    if (strcmp(option, "--executor") == 0) return hub_has_device = strcmp(text, "cuda") == 0;
    if (out != NULL)
        *out = strtoll(text, &end, 10);
    else if (strcmp(option, "--seed") == 0)
        seed = strtoull(text, &end, 10);
    return end != text && *end == '\0' && (out == NULL || *out >= 0);
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k += 2)
        if (k + 1 == argc || !parse_one(argv[k], argv[k + 1]) || least < 8 || most < least || most > 1000000) {
            fprintf(stderr, "usage: test_long_rows [--successes N | --seconds S | --case K] [--numbers NAME]\n"
                            "                      [--least N] [--most N] [--say N] [--seed S] [--executor cuda]\n");
            return 2;
        }
    RUN(long_rows);
    return check_done();
}
