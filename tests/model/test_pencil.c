/* The index of small pencils (src/model/method/pencil.h), their columns in each order, and memory that fails. */
#include "model/method/pencil.h"

#include <string.h>

#include "support/build.h"
#include "support/check.h"

enum { MOST = 4 };

/* charge y' = rate y, by rows; index, and power of each unknown. */
typedef struct pencil {
    const char *name;
    int32_t n, index;
    double charge[MOST][MOST], rate[MOST][MOST];
    unsigned char power[MOST];
} pencil;

static const pencil pencils[] = {
    {"rates alone", 2, 1, {{1.0, 0.0}, {0.0, 2.0}}, {{-1.0, 3.0}, {0.5, -2.0}}, {0, 0}},
    {"an algebraic row", 2, 1, {{1.0, 0.0}}, {{-1.0, 3.0}, {0.5, -2.0}}, {0, 0}},
    {"charges that cancel", 2, 1, {{1.0, -1.0}, {-1.0, 1.0}}, {{-2.0, 1.0}, {1.0, -3.0}}, {0, 0}},
    {"a source beside a capacitor", 2, 2, {{3.0, 0.0}}, {{-1.0, -1.0}, {1.0, 0.0}}, {0, 1}},
    {"a rod", 3, 3, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}, {{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}}, {1, 0, 2}},
    {"a source and a cell beside it",
     4,
     2,
     {{2.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}},
     {{-1.0, -1.0, 0.0, 0.5}, {0.0, 0.0, 2.0, -1.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 1.0}},
     {0, 1, 0, 0}},
    {"a source, and small charges that rates alone would tie to each other",
     4,
     2,
     {{1e-20, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 1e-20, 0.0}, {0.0, 0.0, 0.0, 1e-20}},
     {{-1.0, -1.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, -1.0, 1.0}, {0.0, 0.0, 1.0, -1.0}},
     {0, 1, 0, 0}},
    {"a source beside a capacitor that another one hides",
     3,
     2,
     {{4.412, -4.412, 0.0}, {-4.412, 4.412001, 0.0}},
     {{-3.2, 0.0, 0.0}, {0.0, -0.2, -1.0}, {0.0, 1.0, 0.0}},
     {0, 0, 1}},
    {"a rod beside a cell",
     4,
     3,
     {{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 2.0}},
     {{0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.3}, {0.0, 0.5, 0.0, -1.0}, {1.0, 0.0, 0.0, 0.0}},
     {1, 0, 2, 0}},
};

/* By columns in this order, rows turned by so many; places where both are zero are left out. */
static warplu_status judge(wlu_context *ctx, const pencil *p, const int32_t *order, int32_t turned,
                           unsigned char *power, int32_t *index)
{
    int32_t ptr[MOST + 1] = {0}, idx[MOST * MOST], entries = 0;
    double charge[MOST * MOST], rate[MOST * MOST];
    unsigned char dynamic[MOST] = {0};
    for (int32_t j = 0; j < p->n; j++) {
        for (int32_t i = 0; i < p->n; i++) {
            const int32_t row = (i + turned) % p->n;
            const double c = p->charge[row][order[j]], r = p->rate[row][order[j]];
            dynamic[i] |= c != 0.0;
            if (c == 0.0 && r == 0.0) continue;
            idx[entries] = i, charge[entries] = c, rate[entries++] = r;
        }
        ptr[j + 1] = entries;
    }
    const wlm_pencil made = {p->n, ptr, idx, charge, rate, dynamic};
    return wlm_pencil_judge(ctx, &made, power, index);
}

static void check_orders(const pencil *p, int32_t *order, int32_t placed)
{
    for (int32_t k = placed; k < p->n; k++) {
        const int32_t kept = order[placed];
        order[placed] = order[k], order[k] = kept;
        check_orders(p, order, placed + 1);
        order[k] = order[placed], order[placed] = kept;
    }
    if (placed < p->n) return;
    wlu_context ctx;
    unsigned char power[MOST];
    int32_t index = -1;
    wlu_context_init(&ctx, NULL);
    for (int32_t turned = 0; turned < p->n; turned++) {
        CHECK(judge(&ctx, p, order, turned, power, &index) == WARPLU_SUCCESS);
        CHECK_SAY(index == p->index, "%s: %d", p->name, (int)index);
        for (int32_t j = 0; j < p->n; j++)
            CHECK_SAY(power[j] == p->power[order[j]], "%s, unknown %d: %d", p->name, (int)order[j], power[j]);
    }
}

static void test_indices(void)
{
    for (size_t k = 0; k < sizeof pencils / sizeof pencils[0]; k++) {
        int32_t order[MOST] = {0, 1, 2, 3};
        check_orders(&pencils[k], order, 0);
    }
}

static void test_singular(void)
{
    static const pencil open = {"open", 2, 0, {{1.0, 0.0}}, {{-1.0, 0.0}, {1.0, 0.0}}, {0, 1}};
    const int32_t order[MOST] = {0, 1};
    unsigned char power[MOST];
    int32_t index = -1;
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    CHECK(judge(&ctx, &open, order, 0, power, &index) == WARPLU_SUCCESS);
    CHECK(index == 0 && memcmp(power, open.power, 2) == 0);
    /* the first two may move together, and nothing of the third is anywhere */
    static const pencil float_together = {
        "float", 3, 0, {{1.0, -1.0, 0.0}}, {{-2.0, 2.0, 0.0}, {1.0, -1.0, 1.0}, {3.0, -3.0, 0.0}}, {1, 1, 0}};
    const int32_t all[MOST] = {0, 1, 2};
    CHECK(judge(&ctx, &float_together, all, 0, power, &index) == WARPLU_SUCCESS);
    CHECK(index == 0 && memcmp(power, float_together.power, 3) == 0);
}

/* Each allocation fails, alone and with all after it. */
static void test_memory(void)
{
    const pencil *p = &pencils[sizeof pencils / sizeof pencils[0] - 1];
    const int32_t order[MOST] = {0, 1, 2, 3};
    for (int lasting = 0; lasting < 2; lasting++) {
        int failed = 0;
        test_allocator a = {0};
        for (int64_t k = 1; a.calls >= k - 1 && k < 1000; k++) {
            wlu_context ctx;
            warplu_options options;
            unsigned char power[MOST];
            int32_t index = -1;
            warplu_init_options(&options);
            test_use_allocator(&options, &a);
            wlu_context_init(&ctx, &options);
            a = (test_allocator){.fail_at = k, .lasting = lasting};
            const warplu_status status = judge(&ctx, p, order, 0, power, &index);
            failed += status != WARPLU_SUCCESS;
            CHECK(status == WARPLU_OUT_OF_MEMORY ? ctx.last_message[0] != '\0'
                                                 : status == WARPLU_SUCCESS && index == p->index);
            CHECK(a.alive == 0);
        }
        CHECK_SAY(a.calls < a.fail_at && failed > 20, "%d", failed);
    }
}

int main(void)
{
    RUN(test_indices);
    RUN(test_singular);
    RUN(test_memory);
    return check_done();
}
