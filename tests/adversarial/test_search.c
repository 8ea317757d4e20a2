/* Never a wrong answer with a success code, searched for: attackers that draw cases and judge each answer (kinds.h),
 * and one that keeps what came nearest to a wrong success and varies it (search.h). Cases are data (genome.h): a wrong
 * one can be had as a C program.
 *
 *     test_search                                       as the tests run it: some thousand successes of each kind, and
 *                                                       a search
 *     test_search --kinds K [--successes N | --case N]  attacks that are drawn, kind K of 1 to 5 alone
 *     test_search [--seconds S] [--family NAME] [--precision NAME]
 *
 *     --seed S         of all that is drawn (2)
 *     --successes N    of each kind, until so many right-hand sides were answered with a success code (6000)
 *     --case N         this case alone, printed
 *     --seconds S      the search alone, in rounds until the time is up
 *     --family NAME    the search alone, of this family of families.def
 *     --precision NAME the same: double, single or mixed
 *     --evaluations N  cases of each class in a round (250); the first N are the same whatever N is
 *     --repeatable N   plays all cases with this option: 3 for strictly repeatable solvers, by columns and lists
 *     --executor NAME  reference, emulate, cuda, or cuda-device: plays all cases, the last on device pointers
 *     --say N          so many wrong answers of a kind are described (5)
 *     --dump FOLDER    these are written there as C programs, and what the search found of each class: the first wrong
 *                      answer, the worst, the one that its health told least of */
#include "emulator/emulate.h"
#include "draw.h"
#include "kinds.h"
#include "on_device.h"
#include "search.h"
#include "wide.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { PRECISIONS = 3, CLASSES = FAMILIES * PRECISIONS * 2 };

static int64_t only_kind, successes = 6000, only_case = -1, say = 5, evaluations = 250, seconds;
static uint64_t seed = 2;
static const char *folder, *family, *precision, *executor;

static void dump(const genome *g, const char *name, int64_t number)
{
    size_t bytes = strlen(folder) + strlen(name) + 64;
    char *path = malloc(bytes);
    snprintf(path, bytes, "%s/%s-%" PRIu64 "-%" PRId64 ".c", folder, name, seed, number);
    FILE *out = fopen(path, "w");
    if (out != NULL) genome_print(g, out, "");
    CHECK_SAY(out != NULL && fclose(out) == 0, "%s cannot be written", path);
    free(path);
}

/* ------------------------------------------------------------------- kinds */

typedef struct tally {
    counts count[2];
    double worst[2]; /* of unchecked successes */
    int64_t cases, wrong_cases, programs, odd;
} tally;

/* One case; what it found is said, up to `say` times. */
static void run_case(const kind *k, int64_t number, tally *t)
{
    genome g;
    outcome o;
    uint64_t s = draw_seed(seed, number);
    k->draw(&s, &g);
    uint64_t apart = draw_seed(s, number); /* cases without growth are what they were before there was any */
    if (check_below(&apart, 2)) kind_grow(&g, &apart);
    play(&g, &o);
    for (int transposed = 0; transposed <= 1; transposed++) {
        counts_add(&t->count[transposed], &o.count[transposed]);
        if (o.worst[transposed].error > t->worst[transposed]) t->worst[transposed] = o.worst[transposed].error;
    }
    t->cases++;
    t->odd += o.odd;
    t->programs += o.programs;
    if (o.wrong.error > 0.0 && t->wrong_cases++ < say) {
        printf("# WRONG: --kinds %d --seed %" PRIu64 " --case %" PRId64 ": ", (int)(k - kinds) + 1, seed, number);
        play_say(&g, &o.wrong);
        if (folder != NULL) dump(&g, k->name, number);
    }
    if (only_case >= 0) genome_print(&g, stdout, "# ");
    genome_free(&g);
}

static void print_counts(const counts *c)
{
    printf("successes %" PRId64 ", checked %" PRId64 ", wrong %" PRId64 ", refused %" PRId64, c->successes, c->checked,
           c->wrong, c->refused);
}

static void run_kind(const kind *k)
{
    tally t = {0};
    const counts *c = t.count;
    int64_t enough = successes / check_every();
    if (only_case >= 0)
        run_case(k, only_case, &t);
    else
        while (c[0].successes + c[1].successes < enough) run_case(k, t.cases, &t);
    printf("# %s: %s; %" PRId64 " cases, %" PRId64 " programs\n", k->name, k->what, t.cases, t.programs);
    for (int transposed = 0; transposed <= 1; transposed++) {
        printf("#   %-2s ", transposed ? "A'" : "A");
        print_counts(&c[transposed]);
        printf("; unchecked, error at most %.2e of what is promised\n", t.worst[transposed]);
    }
    CHECK_SAY(c[0].wrong + c[1].wrong == 0, "%" PRId64 " wrong answers with a success code", c[0].wrong + c[1].wrong);
    CHECK_SAY(t.odd == 0, "%" PRId64 " calls failed that must not", t.odd);
}

static const kind *kind_at_hand;

static void drawn(void)
{
#ifdef WIDE_MISSING
    SKIP("this compiler has no arithmetic wider than double");
#endif
    run_kind(kind_at_hand);
}

/* ------------------------------------------------------------------ search */

static const char *const precisions[PRECISIONS] = {"double", "single", "mixed"};

/* The classes that are wanted. */
static int begin_searches(search *all)
{
    int count = 0;
    for (int k = 0; k < CLASSES; k++) {
        int f = k / (2 * PRECISIONS), p = k / 2 % PRECISIONS;
        if ((family != NULL && strcmp(family, family_name((family_kind)f)) != 0) ||
            (precision != NULL && strcmp(precision, precisions[p]) != 0) || !check_due())
            continue;
        search_begin(&all[count++], (family_kind)f, (warplu_precision)p, k % 2, seed);
    }
    return count;
}

static void say_record(const search *s, const char *what, const record *r)
{
    if (!r->alive) return;
    printf("#   %s, evaluation %" PRId64 ": ", what, r->at);
    play_say(&r->g, &r->f);
    if (folder == NULL) return;
    char name[96];
    snprintf(name, sizeof name, "%s-%s-%s-%s", what, family_name(s->family), precisions[s->precision],
             s->transposed ? "transposed" : "plain");
    dump(&r->g, name, r->at);
}

/* Returns whether all is well. */
static int say_search(const search *s)
{
    printf("# %s: %" PRId64 " cases, ", search_name(s), s->evaluations);
    print_counts(&s->count);
    printf("\n");
    say_record(s, "worst", &s->worst);
    say_record(s, "hidden", &s->hidden);
    return s->count.wrong == 0 && s->odd == 0;
}

/* What is wrong is said at once: a run may be long. */
static void run_round(search *s)
{
    int said = s->wrong.alive;
    search_run(s, evaluations);
    if (said || !s->wrong.alive) return;
    printf("# seed %" PRIu64 ", %s:\n", seed, search_name(s));
    say_record(s, "WRONG", &s->wrong);
    fflush(stdout);
}

static void searched(void)
{
#ifdef WIDE_MISSING
    SKIP("this compiler has no arithmetic wider than double");
#endif
    static search all[CLASSES];
    int count = begin_searches(all), wrong = 0;
    time_t end = time(NULL) + (time_t)seconds;
    do { /* the clock says when to end, and nothing else */
        for (int k = 0; k < count; k++) run_round(&all[k]);
    } while (seconds > 0 && time(NULL) < end);
    for (int k = 0; k < count; k++) {
        wrong += !say_search(&all[k]);
        search_end(&all[k]);
    }
    CHECK_SAY(wrong == 0, "%d of %d classes have wrong answers with a success code, or calls that failed", wrong,
              count);
    CHECK(count > 0);
}

/* --------------------------------------------------------------------- main */

static int usage(void)
{
    fprintf(
        stderr,
        "usage: test_search [--kinds K [--case N] | [--seconds S] [--family NAME] [--precision NAME]]\n"
        "                   [--successes N] [--evaluations N] [--seed S] [--repeatable N] [--executor NAME] [--say N] "
        "[--dump FOLDER]\n");
    return 2;
}

static int64_t *number_of(const char *option)
{
    static const struct {
        const char *name;
        int64_t *out;
    } all[] = {{"--kinds", &only_kind},
               {"--successes", &successes},
               {"--case", &only_case},
               {"--say", &say},
               {"--seconds", &seconds},
               {"--evaluations", &evaluations},
               {"--repeatable", &play_repeatable}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strcmp(all[k].name, option) == 0) return all[k].out;
    return NULL;
}

static const char **text_of(const char *option)
{
    return strcmp(option, "--dump") == 0        ? &folder
           : strcmp(option, "--family") == 0    ? &family
           : strcmp(option, "--precision") == 0 ? &precision
           : strcmp(option, "--executor") == 0  ? &executor
                                                : NULL;
}

static int parse_one(const char *option, char *text)
{
    char *end = text;
    int64_t *out = number_of(option);
    if (text_of(option) != NULL) {
        *text_of(option) = text;
        return 1;
    }
    if (out != NULL)
        *out = strtoll(text, &end, 10);
    else if (strcmp(option, "--seed") == 0)
        seed = strtoull(text, &end, 10);
    return end != text && *end == '\0' && (out == NULL || *out >= 0);
}

static int is_precision(const char *name)
{
    int k = 0;
    while (k < PRECISIONS && strcmp(name, precisions[k]) != 0) k++;
    return k < PRECISIONS;
}

/* 0 where there is none of that name, or no device for it. */
static int choose_executor(void)
{
    static const struct {
        const char *name;
        warplu_executor executor;
    } all[] = {{"reference", WARPLU_EXECUTOR_REFERENCE},
               {"emulate", TEST_EXECUTOR_EMULATE},
               {"cuda", WARPLU_EXECUTOR_CUDA},
               {"cuda-device", WARPLU_EXECUTOR_CUDA}};
    if (executor == NULL) return 1;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strcmp(all[k].name, executor) == 0) play_executor = all[k].executor;
    play_on_device = strcmp(executor, "cuda-device") == 0;
    return play_executor != WARPLU_EXECUTOR_AUTO && (!play_on_device || on_device_open());
}

static int searches_alone(void)
{
    return seconds > 0 || family != NULL || precision != NULL;
}

static int parse(int argc, char **argv)
{
    for (int k = 1; k < argc; k += 2)
        if (k + 1 == argc || !parse_one(argv[k], argv[k + 1])) return 0;
    if (only_kind == 0 ? only_case >= 0 : searches_alone()) return 0;
    if ((family != NULL && family_find(family) == FAMILIES) || (precision != NULL && !is_precision(precision)))
        return 0;
    return only_kind <= KINDS && evaluations > 0 && choose_executor();
}

int main(int argc, char **argv)
{
    if (!parse(argc, argv)) return usage();
    for (int k = 0; k < KINDS; k++) {
        if (searches_alone() || (only_kind != 0 && only_kind != k + 1)) continue;
        kind_at_hand = &kinds[k];
        check_run(kinds[k].name, drawn);
    }
    if (only_kind == 0) RUN(searched);
    return check_done();
}
