/* Packed images: the verifier passes what the packer makes, for random shapes, regions and parts; and sees every change
 * of one: each word, and each field of runs, places, shares, ranges, right-hand sides and solutions. */
#include "check.h"

#include "exec/cpu/verify.h"
#include "support/build.h"
#include "support/options.h"

#include <string.h>

static uint64_t seed;
static test_build built;
static wlu_cpu_image *image;

static void close_image(void)
{
    wlu_image *im = image != NULL ? &image->base : NULL;
    wlu_image_destroy(&built.ctx, &im);
    image = NULL;
    test_build_free(&built);
}

static int build(const test_matrix *m, test_region region, int split, int threads)
{
    warplu_options o;
    const wlu_target target = {.executor = &wlu_executor_cpu};
    wlu_image *im = NULL;
    wlu_cost cost = test_region_cost(region);
    check_init_options(&o);
    o.threads = threads;
    if (threads > 1) cost.ns_per_part = 1e-3; /* so that there are as many parts */
    warplu_status status = test_build_pivots(&built, &o, m);
    built.ctx.unsplit = !split;
    if (status == WARPLU_SUCCESS) status = test_build_program(&built, &cost);
    if (status == WARPLU_SUCCESS) status = wlu_image_load(&built.ctx, &target, built.program, &im);
    image = (wlu_cpu_image *)im;
    if (status == WARPLU_SUCCESS) status = wlu_cpu_image_verify(&built.ctx, built.program, image);
    CHECK_SAY(status == WARPLU_SUCCESS, "n = %d, region %d, split %d, threads %d: %s", (int)m->n, (int)region, split,
              threads, built.ctx.last_message);
    if (status < 0) close_image();
    return status == WARPLU_SUCCESS;
}

static void what_is_packed_passes(void)
{
    seed = 90210;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 100; k++) {
        test_recipe r = test_recipe_random(&seed, k % 10 == 0 ? 400 : 60);
        test_matrix m;
        if (!check_due()) continue;
        test_matrix_random(&m, &seed, &r);
        for (int region = 0; region < TEST_REGIONS; region++)
            if (build(&m, (test_region)region, k % 2, 1 + check_below(&seed, 4))) close_image();
        test_matrix_free(&m);
    }
}

/* Long chains, many records of a level, several parts. */
static void large_ones_pass(void)
{
    static const struct {
        test_shape shape;
        int32_t n;
    } large[] = {{TEST_GRID, 2500}, {TEST_BLOCKS, 3000}, {TEST_ARROW, 300}, {TEST_SPARSE, 2000}, {TEST_BAND, 2000}};
    seed = 4711;
    for (int k = 0; k < 5; k++) {
        const test_recipe r = {.shape = large[k].shape, .n = check_every() > 1 ? large[k].n / 4 : large[k].n};
        test_matrix m;
        test_matrix_random(&m, &seed, &r);
        for (int threads = 1; threads <= 4; threads += 3)
            if (build(&m, TEST_MIXED, 1, threads)) close_image();
        test_matrix_free(&m);
    }
}

static int64_t changes;

/* Whether the verifier sees what has been done to the image. */
static void expect_caught(const char *what, int64_t at, int64_t value)
{
    if (!check_due()) return;
    changes++;
    built.ctx.last_message[0] = '\0';
    warplu_status status = wlu_cpu_image_verify(&built.ctx, built.program, image);
    CHECK_SAY(status == WARPLU_INTERNAL && strncmp(built.ctx.last_message, "image verification: ", 20) == 0,
              "%s %lld made %lld: status %d", what, (long long)at, (long long)value, (int)status);
}

/* Each of these values in turn, where it is another one. */
static void change_word(int32_t *word, const char *what, int64_t at)
{
    const wlu_program *p = built.program;
    const int32_t was = *word, bit = (int32_t)(1u << check_below(&seed, 31));
    const int32_t value[] = {was + 1,          was - 1,           was ^ bit, check_below(&seed, (int32_t)p->nslots),
                             (int32_t)p->zero, (int32_t)p->trash, -1,        INT32_MAX,
                             INT32_MIN};
    for (size_t k = 0; k < sizeof value / sizeof *value && check_failures < 20; k++) {
        if (value[k] == was) continue;
        *word = value[k];
        expect_caught(what, at, value[k]);
        *word = was;
    }
}

static void change_long(int64_t *number, const char *what, int64_t at)
{
    const int64_t was = *number, value[] = {was + 1, was - 1, was + 8, 0, -1, INT64_MAX, INT64_MIN};
    for (size_t k = 0; k < sizeof value / sizeof *value && check_failures < 20; k++) {
        if (value[k] == was) continue;
        *number = value[k];
        expect_caught(what, at, value[k]);
        *number = was;
    }
}

static void change_byte(uint8_t *byte, const char *what, int64_t at)
{
    const uint8_t was = *byte;
    for (int value = 0; value < 256 && check_failures < 20; value++) {
        if (value == was) continue;
        *byte = (uint8_t)value;
        expect_caught(what, at, value);
    }
    *byte = was;
}

/* Words up to the first run end where lines of the cache do: what is between is nobody's. */
static void change_words(wlu_packed *packed, int64_t shares)
{
    for (int64_t k = 0; k < packed->nwords; k++)
        if (k < packed->share[shares].word || k >= packed->place[0].word) change_word(&packed->word[k], "word", k);
}

static void change_packed(wlu_packed *packed, int64_t shares)
{
    change_words(packed, shares);
    for (int64_t k = 0; k < packed->nruns; k++) {
        change_byte(&packed->run[k].form, "form of run", k);
        change_byte(&packed->run[k].area, "area of run", k);
        change_word(&packed->run[k].first, "first of run", k);
        change_word(&packed->run[k].steps, "steps of run", k);
        change_long(&packed->run[k].count, "count of run", k);
    }
    for (int64_t k = 0; k < packed->nplaces; k++) {
        change_long(&packed->place[k].run, "run of place", k);
        change_long(&packed->place[k].word, "word of place", k);
    }
    for (int64_t k = 0; k <= shares; k++) {
        change_long(&packed->share[k].run, "run of share", k);
        change_long(&packed->share[k].word, "word of share", k);
    }
    wlu_cpu_ranges *ranges[] = {&packed->load, &packed->judged};
    for (int q = 0; q < 2; q++) {
        for (int64_t k = 0; k < ranges[q]->count; k++) {
            change_long(&ranges[q]->range[k].first, "first of range", k);
            change_long(&ranges[q]->range[k].count, "count of range", k);
            change_word(&ranges[q]->range[k].area, "area of range", k);
        }
    }
    packed->unit = !packed->unit;
    expect_caught("unit", 0, packed->unit);
    packed->unit = !packed->unit;
    packed->nruns--;
    expect_caught("runs", 0, packed->nruns);
    packed->nruns++;
    packed->nwords--;
    expect_caught("words", 0, packed->nwords);
    packed->nwords++;
    packed->nplaces--;
    expect_caught("places", 0, packed->nplaces);
    packed->nplaces++;
}

static void change_places(wlu_cpu_places *s, const char *what)
{
    for (int32_t k = 0; k < s->n; k++) {
        change_word(&s->place[k], what, k);
        if (s->scale == NULL) continue;
        s->scale[k] *= 2.0;
        expect_caught(what, k, 2);
        s->scale[k] *= 0.5;
    }
    change_word(&s->n, what, s->n);
}

static void change_image(test_shape shape, int32_t n, test_region region, int threads)
{
    const test_recipe r = {.shape = shape, .n = n, .weak_diagonal = 1};
    test_matrix m;
    test_matrix_random(&m, &seed, &r);
    if (build(&m, region, 1, threads)) {
        changes = 0;
        change_packed(&image->dot, built.program->parts);
        for (int k = 0; k < 2; k++) {
            change_packed(&image->solve[k].packed, 1);
            change_places(&image->solve[k].loads, "load");
            change_places(&image->solve[k].stores, "store");
        }
        printf("# %s, n = %d, region %d, %d parts: %lld changes\n", test_shape_name(shape), (int)n, (int)region,
               (int)built.program->parts, (long long)changes);
        CHECK(wlu_cpu_image_verify(&built.ctx, built.program, image) == WARPLU_SUCCESS);
        close_image();
    }
    test_matrix_free(&m);
}

static void every_change_is_seen(void)
{
    seed = 5150;
    printf("# seed %llu\n", (unsigned long long)seed);
    change_image(TEST_GRID, 36, TEST_ALL_DOT, 1);
    change_image(TEST_GRID, 64, TEST_MIXED, 2);
    change_image(TEST_ARROW, 24, TEST_ALL_DOT, 1);
    change_image(TEST_BLOCKS, 30, TEST_ALL_TILE, 1);
    change_image(TEST_BLOCKS, 40, TEST_MIXED, 3);
    change_image(TEST_SPARSE, 40, TEST_DEVICE, 1);
}

static int caught(const char *what)
{
    built.ctx.last_message[0] = '\0';
    return wlu_cpu_image_verify(&built.ctx, built.program, image) == WARPLU_INTERNAL &&
           strstr(built.ctx.last_message, what) != NULL;
}

static void exchange(int32_t *one, int32_t *two, int count)
{
    for (int k = 0; k < count; k++) {
        int32_t word = one[k];
        one[k] = two[k];
        two[k] = word;
    }
}

/* The order of execution: two records of one length, neighbours in a group, are exchanged where the second needs the
 * first. */
static void a_wrong_order_is_seen(void)
{
    const test_recipe r = {.shape = TEST_BAND, .n = 60};
    test_matrix m;
    int found = 0;
    seed = 316;
    test_matrix_random(&m, &seed, &r);
    if (build(&m, TEST_ALL_DOT, 1, 1)) {
        wlu_packed *packed = &image->solve[0].packed;
        for (int size = 2; size <= 16; size += 2) { /* t, s, terms */
            for (int64_t k = packed->place[0].word; k + 2 * size <= packed->nwords; k++) {
                if (!check_due()) continue;
                exchange(packed->word + k, packed->word + k + size, size);
                found += caught("read before it is written");
                exchange(packed->word + k, packed->word + k + size, size);
            }
        }
        CHECK(found > 0);
        close_image();
    }
    test_matrix_free(&m);
}

/* What another part writes stands only when all parts are done. */
static void a_need_of_another_part_is_seen(void)
{
    const test_recipe r = {.shape = TEST_GRID, .n = 400};
    test_matrix m;
    int found = 0;
    seed = 2718;
    test_matrix_random(&m, &seed, &r);
    if (build(&m, TEST_MIXED, 1, 2)) {
        wlu_tiles *t = &wlu_lu_edit(built.program)->tiles;
        CHECK(built.program->parts == 2);
        for (int32_t k = 0; k < t->count && built.program->parts == 2; k++) {
            t->owner[k] = 1 - t->owner[k];
            found += t->turn[k] == 0 && caught("operand of another part");
            t->owner[k] = 1 - t->owner[k];
        }
        CHECK(found > 0);
        close_image();
    }
    test_matrix_free(&m);
}

int main(void)
{
    RUN(what_is_packed_passes);
    RUN(large_ones_pass);
    RUN(every_change_is_seen);
    RUN(a_wrong_order_is_seen);
    RUN(a_need_of_another_part_is_seen);
    return check_done();
}
