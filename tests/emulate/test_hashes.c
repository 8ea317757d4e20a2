/* L, U and a solution as the emulated device computes them against committed hashes, which a GPU has to reproduce as
 * well (tests/cuda/test_gpu.c).
 *
 *     test_hashes            compares with hashes.csv beside this file
 *     test_hashes --update   rewrites it */
#include "emulator/emulate.h"
#include "check.h"

#include "hashed.h"

#include <math.h>
#include <string.h>

static int update;

static void hashes_are_the_committed_ones(void)
{
    hashed_line *expected, *found = calloc((size_t)hashed_count(), sizeof *found);
    int count = hashed_read(WLU_HASHES_CSV, &expected);
    for (int k = 0; k < hashed_count(); k++) {
        if (!update && !check_due()) continue;
        CHECK(hashed_compute(k, &wlu_executor_emulate, &found[k]) == WARPLU_SUCCESS);
        if (update) continue;
        const hashed_line *line = hashed_find(expected, count, &found[k]);
        CHECK_SAY(line != NULL && memcmp(&line->hashes, &found[k].hashes, sizeof line->hashes) == 0,
                  "%s, n = %d, %s, %s; if the change is wanted: test_hashes --update", found[k].name, found[k].n,
                  found[k].order, found[k].program);
    }
    if (update)
        CHECK(hashed_write(WLU_HASHES_CSV, found, hashed_count()));
    else
        CHECK_SAY(count == hashed_count(), "%d lines, expected %d", count, hashed_count());
    free(expected);
    free(found);
}

static void the_reference_gives_them_too(void)
{
    for (int k = 0; k < hashed_count(); k++) {
        hashed_line emulated, reference;
        if (!check_due()) continue;
        CHECK(hashed_compute(k, &wlu_executor_emulate, &emulated) == WARPLU_SUCCESS);
        CHECK(hashed_compute(k, &wlu_executor_reference, &reference) == WARPLU_SUCCESS);
        CHECK_SAY(memcmp(&emulated.hashes, &reference.hashes, sizeof emulated.hashes) == 0, "%s, n = %d, %s, %s",
                  emulated.name, emulated.n, emulated.order, emulated.program);
    }
}

/* The hash tells any bit, and no NaN from another. */
static void a_bit_changes_a_hash(void)
{
    double x[] = {1.0, NAN, 3.0}, y[] = {1.0, -NAN, 3.0};
    uint64_t hash = test_hash_numbers(TEST_HASH_SEED, x, 3);
    CHECK(hash == test_hash_numbers(TEST_HASH_SEED, y, 3));
    y[2] = nextafter(3.0, 4.0);
    CHECK(hash != test_hash_numbers(TEST_HASH_SEED, y, 3));
    CHECK(test_hash_numbers(TEST_HASH_SEED, x, 0) == TEST_HASH_SEED);
    x[0] = 0.0;
    y[0] = -0.0;
    CHECK(test_hash_numbers(TEST_HASH_SEED, x, 1) != test_hash_numbers(TEST_HASH_SEED, y, 1));
}

int main(int argc, char **argv)
{
    update = argc > 1 && strcmp(argv[1], "--update") == 0;
    RUN(hashes_are_the_committed_ones);
    RUN(the_reference_gives_them_too);
    RUN(a_bit_changes_a_hash);
    return check_done();
}
