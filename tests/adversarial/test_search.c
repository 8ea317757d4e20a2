/* Never a wrong answer with a success code, searched for: an attacker that keeps what came nearest and varies it. Its answers
 * are judged as the other attacker's are (judge.h). Cases are data (genome.h), so that a wrong one is printed as a C program.
 *
 *     test_search                                 what the tests run: the kinds, a few thousand successes of each
 *     test_search --kind K [--successes N] [--seed S] [--first K] [--say N] [--dump FOLDER]
 *
 *     --kind K         of the attacks that are drawn (kinds.h), 1 to 4: this one alone
 *     --successes N    until so many right-hand sides were answered with a success code
 *     --seed S         of all that is drawn
 *     --case N         this one alone, printed
 *     --say N          so many wrong answers are described (20)
 *     --dump FOLDER    and each of them is written there as a C program */
#include "draw.h"
#include "kinds.h"
#include "play.h"
#include "wide.h"

#include <inttypes.h>
#include <string.h>

static int64_t only_kind, successes = 4000, only_case = -1, say = 20;
static uint64_t seed = 314159;
static const char *folder;

typedef struct tally {
    counts count[2];
    double worst[2]; /* of unchecked successes */
    int64_t cases, wrong_cases, odd;
} tally;

static void add(counts *to, const counts *from)
{
    to->successes += from->successes;
    to->checked += from->checked;
    to->loose += from->loose;
    to->wrong += from->wrong;
    to->refused += from->refused;
}

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

/* One case; what it found is said, up to `say` times. */
static void run_case(const kind *k, int64_t number, tally *t)
{
    genome g;
    outcome o;
    uint64_t s = draw_seed(seed, number);
    k->draw(&s, &g);
    play(&g, &o);
    for (int transposed = 0; transposed <= 1; transposed++) {
        add(&t->count[transposed], &o.count[transposed]);
        if (o.worst[transposed].error > t->worst[transposed]) t->worst[transposed] = o.worst[transposed].error;
    }
    t->cases++;
    t->odd += o.odd;
    if (o.wrong.error > 0.0 && t->wrong_cases++ < say) {
        printf("# WRONG: seed %" PRIu64 ", case %" PRId64 ": ", seed, number);
        play_say(&g, &o.wrong);
        if (folder != NULL) dump(&g, k->name, number);
    }
    if (only_case >= 0) genome_print(&g, stdout, "# ");
    genome_free(&g);
}

static void print(const kind *k, const tally *t)
{
    printf("# %s: %s; %" PRId64 " cases\n", k->name, k->what, t->cases);
    for (int transposed = 0; transposed <= 1; transposed++) {
        const counts *c = &t->count[transposed];
        printf("#   %-2s successes %" PRId64 ", checked %" PRId64 ", wrong %" PRId64 ", refused %" PRId64 ", checked and loose %" PRId64
               "; unchecked, the largest error %.2e of what is promised\n",
               transposed ? "A'" : "A", c->successes, c->checked, c->wrong, c->refused, c->loose, t->worst[transposed]);
    }
}

static void run_kind(const kind *k)
{
#ifdef WIDE_MISSING
    SKIP("this compiler has no arithmetic wider than double");
#endif
    tally t = {0};
    const counts *c = t.count;
    if (only_case >= 0) {
        run_case(k, only_case, &t);
    } else {
        while (c[0].successes + c[1].successes < successes) run_case(k, t.cases, &t);
    }
    print(k, &t);
    CHECK_SAY(c[0].wrong + c[1].wrong == 0, "%" PRId64 " wrong answers with a success code", c[0].wrong + c[1].wrong);
    CHECK_SAY(t.odd == 0, "%" PRId64 " calls failed that must not", t.odd);
}

static void guards(void)
{
    run_kind(&kinds[0]);
}

static void single(void)
{
    run_kind(&kinds[1]);
}

static void probation(void)
{
    run_kind(&kinds[2]);
}

static void overflow(void)
{
    run_kind(&kinds[3]);
}

static int usage(void)
{
    fprintf(stderr, "usage: test_search [--kind K] [--successes N] [--seed S] [--case N] [--say N] [--dump FOLDER]\n");
    return 2;
}

static int64_t *number_of(const char *option)
{
    static const struct {
        const char *name;
        int64_t *out;
    } all[] = {{"--kind", &only_kind}, {"--successes", &successes}, {"--case", &only_case}, {"--say", &say}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strcmp(all[k].name, option) == 0) return all[k].out;
    return NULL;
}

static int parse(int argc, char **argv)
{
    for (int k = 1; k + 1 < argc; k += 2) {
        char *end = argv[k + 1];
        int64_t *out = number_of(argv[k]);
        if (strcmp(argv[k], "--dump") == 0) {
            folder = argv[k + 1];
            continue;
        }
        if (out == NULL && strcmp(argv[k], "--seed") != 0) return usage();
        if (out != NULL)
            *out = strtoll(argv[k + 1], &end, 10);
        else
            seed = strtoull(argv[k + 1], &end, 10);
        if (end == argv[k + 1] || *end != '\0' || (out != NULL && *out < 0)) return usage();
    }
    return argc % 2 == 0 || only_kind > KINDS ? usage() : 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[KINDS] = {{"guards", guards}, {"single", single}, {"probation", probation}, {"overflow", overflow}};
    int code = parse(argc, argv);
    if (code != 0) return code;
    for (int k = 0; k < KINDS; k++)
        if (only_kind == 0 || only_kind == k + 1) check_run(all[k].name, all[k].run);
    return check_done();
}
