/* Which device a solver of the CUDA executor is on: the one of its number, or the calling thread's; and a status that
 * says how many there are where there is none of that number. */
#include "host.h"

static char said[WLU_MESSAGE_BYTES];

static void hear(warplu_status status, const char *text, void *user)
{
    (void)status;
    (void)user;
    snprintf(said, sizeof said, "%s", text);
}

/* The driver is asked how many there are, and no device is touched. */
static void numbers_that_there_are_not(void)
{
    static const int wrong[] = {FAKE_CUDA_DEVICES, 5, 64, INT32_MAX};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
        warplu_solver *s = NULL;
        char expected[64];
        int64_t calls = fake->calls;
        o.device = wrong[k];
        o.message = hear;
        said[0] = 0;
        snprintf(expected, sizeof expected, "no CUDA device %d: the driver has %d", wrong[k], FAKE_CUDA_DEVICES);
        CHECK(warplu_create(&s, &o) == WARPLU_NO_DEVICE && s == NULL);
        CHECK_SAY(strstr(said, expected) != NULL, "device %d: '%s'", wrong[k], said);
        CHECK(fake->retained == 0 && fake->calls - calls <= 2);
    }
    nothing_is_left("a wrong number");
}

/* The device of a new solver of this number. */
static int32_t device_of(int number)
{
    warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
    warplu_solver *s = NULL;
    o.device = number;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    int32_t found = s != NULL ? s->target.device : -1;
    warplu_destroy(&s);
    return found;
}

/* Its last context's. */
static void the_calling_thread_s_device(void)
{
    CHECK(device_of(-1) == 0); /* it has none: the first */
    fake->depth = 1;
    fake->on[0] = FAKE_CUDA_DEVICES - 1;
    CHECK(device_of(-1) == FAKE_CUDA_DEVICES - 1);
    CHECK(device_of(0) == 0 && fake->depth == 1);
    fake->depth = 0;
    for (int k = 0; k < FAKE_CUDA_DEVICES; k++) CHECK(device_of(k) == k);
}

/* The strategy `levels` computes with real numbers alone. */
static void complex_values_have_one_strategy(void)
{
    for (int k = WARPLU_STRATEGY_AUTO; k <= WARPLU_STRATEGY_LEVELS; k++) {
        warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
        warplu_solver *s = NULL;
        o.scalar = WARPLU_SCALAR_COMPLEX;
        o.device_strategy = (warplu_strategy)k;
        warplu_status status = warplu_create(&s, &o);
        CHECK_SAY(status == (k == WARPLU_STRATEGY_LEVELS ? WARPLU_PRECISION_UNSUPPORTED : WARPLU_SUCCESS), "%d: %s", k,
                  warplu_status_name(status));
        CHECK((s == NULL) == (status < 0));
        warplu_destroy(&s);
        o.precision = WARPLU_PRECISION_MIXED;
        CHECK(warplu_create(&s, &o) == WARPLU_PRECISION_UNSUPPORTED && s == NULL);
    }
}

int main(void)
{
    if (!open_fake()) return 1;
    RUN(numbers_that_there_are_not);
    RUN(the_calling_thread_s_device);
    RUN(complex_values_have_one_strategy);
    return check_done();
}
