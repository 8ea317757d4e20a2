/* The bits of elementary functions: all instruction sets of this machine agree, and a hash of results is the
 * committed one, which every machine and every GPU has to give.
 *
 *     test_bits [POINTS]     so many points of each function, 100 000 without
 *     test_bits --update     rewrites hashes.csv */
#include "check.h"

#include "hashed.h"

static int64_t points = 100000;
static int update;

static void instruction_sets_agree(void)
{
    const wlm_elementary *best = wlm_elementary_table(0), *other;
    for (int f = 0; f < WLM_ELEMENTARY_FUNCTIONS; f++) {
        uint64_t seed = 99 + (uint64_t)f;
        for (int64_t p = 0; p < points / check_every(); p += POINTS_AT_A_TIME) {
            double a[POINTS_AT_A_TIME], b[POINTS_AT_A_TIME], y[POINTS_AT_A_TIME], z[POINTS_AT_A_TIME];
            points_draw((wlm_function)f, &seed, a, b);
            best->function[f](y, a, b, POINTS_AT_A_TIME);
            for (int set = 1; (other = wlm_elementary_table(set)) != NULL; set++) {
                other->function[f](z, a, b, POINTS_AT_A_TIME);
                for (int k = 0; k < POINTS_AT_A_TIME; k++)
                    CHECK_SAY(points_agree(y[k], z[k]), "%s(%a, %a): %s %a, %s %a", function_name((wlm_function)f),
                              a[k], b[k], best->name, y[k], other->name, z[k]);
            }
        }
    }
}

static void hashes_are_the_committed_ones(void)
{
    uint64_t found[WLM_ELEMENTARY_FUNCTIONS];
    for (int f = 0; f < WLM_ELEMENTARY_FUNCTIONS; f++)
        found[f] = hashed_function((wlm_function)f, wlm_elementary_table(0));
    if (update) {
        CHECK(hashed_write(WLM_HASHES_CSV, found));
        return;
    }
    uint64_t expected[WLM_ELEMENTARY_FUNCTIONS];
    CHECK(hashed_read(WLM_HASHES_CSV, expected));
    for (int f = 0; f < WLM_ELEMENTARY_FUNCTIONS; f++)
        CHECK_SAY(found[f] == expected[f], "%s: if the change is wanted: test_bits --update",
                  function_name((wlm_function)f));
}

static void arguments_may_be_results(void)
{
    double a[8] = {0.5, 1, 2, 3, 4, 5, 6, 7}, b[8] = {3, 2, 1, 0.5, -1, -2, -3, 0}, y[8];
    wlm_elementary_table(0)->function[WLM_FUNCTION_pow](y, a, b, 8);
    wlm_elementary_table(0)->function[WLM_FUNCTION_pow](b, a, b, 8);
    CHECK(memcmp(y, b, sizeof y) == 0);
}

int main(int argc, char **argv)
{
    update = argc > 1 && strcmp(argv[1], "--update") == 0;
    if (argc > 1 && !update) points = atoll(argv[1]);
    RUN(instruction_sets_agree);
    RUN(hashes_are_the_committed_ones);
    RUN(arguments_may_be_results);
    return check_done();
}
