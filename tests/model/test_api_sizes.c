/* Sized structs of warplu/model.h, of callers whose header is older or newer (docs/abi.md). Each caller's struct is of
 * its size alone, so that a read or write behind its end is one of the address sanitizer's. */
#include <stddef.h>
#include <string.h>

#include "api.h"

enum { NEWER = 64 };

/* The caller's struct of so many bytes, of which the first are those of `like`. */
static void *cut(const void *like, size_t bytes, size_t size)
{
    void *short_one = calloc(1, size > sizeof size ? size : sizeof size);
    memcpy(short_one, like, size < bytes ? size : bytes);
    memcpy(short_one, &size, sizeof size);
    return short_one;
}

static const size_t not_sizes[] = {0, 3, 7};

/* ----------------------------------------------------------------- options */

static warplu_status read_by(const void *options)
{
    warplu_model *model = NULL;
    warplu_status status = warplu_model_parse(&model, "text", decay_text, (int64_t)strlen(decay_text), options);
    warplu_model_destroy(&model);
    return status;
}

static warplu_status make_by(const void *options)
{
    warplu_model *model = parsed(decay_text);
    warplu_sim *sim = NULL;
    warplu_status status = warplu_sim_create(&sim, model, options);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
    return status;
}

static void take(const void *options, size_t bytes, warplu_status (*by)(const void *))
{
    for (size_t size = sizeof size; size <= bytes + NEWER; size += sizeof size) {
        void *o = cut(options, bytes, size);
        CHECK_SAY((by(o) == WARPLU_SUCCESS) == (size <= bytes), "%zu of %zu bytes", size, bytes);
        free(o);
    }
    for (size_t k = 0; k < sizeof not_sizes / sizeof *not_sizes; k++) {
        void *o = cut(options, bytes, not_sizes[k]);
        CHECK(by(o) == WARPLU_INVALID_ARGUMENT);
        free(o);
    }
}

static void older_options_get_defaults_for_the_rest(void)
{
    warplu_model_options m;
    warplu_sim_options s;
    warplu_model_init_options(&m);
    warplu_sim_init_options(&s);
    take(&m, sizeof m, read_by);
    take(&s, sizeof s, make_by);
    s.members = 3;
    s.size = offsetof(warplu_sim_options, method);
    s.method = (warplu_method)-7; /* behind the end: not read */
    warplu_model *model = parsed(decay_text);
    warplu_sim *sim = made(model, &s);
    warplu_sim_statistics t = {.size = sizeof t};
    CHECK(warplu_sim_get_statistics(sim, &t) == WARPLU_SUCCESS && t.members == 3 && t.method == WARPLU_METHOD_RODAS4);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

/* ------------------------------------------------------- what is filled in */

static warplu_model *asked;
static warplu_sim *asked_sim;

static warplu_status count(void *to)
{
    return warplu_model_get_counts(asked, to);
}

static warplu_status tell(void *to)
{
    return warplu_sim_get_statistics(asked_sim, to);
}

static void fill(size_t bytes, warplu_status (*by)(void *))
{
    char *whole = calloc(1, bytes);
    memcpy(whole, &bytes, sizeof bytes);
    CHECK(by(whole) == WARPLU_SUCCESS);
    for (size_t size = sizeof size; size <= bytes + NEWER; size += sizeof size) {
        char *part = calloc(1, size);
        const size_t known = size < bytes ? size : bytes;
        memcpy(part, &size, sizeof size);
        CHECK(by(part) == WARPLU_SUCCESS && memcmp(part, &known, sizeof known) == 0);
        CHECK_SAY(memcmp(part + sizeof size, whole + sizeof size, known - sizeof size) == 0, "%zu bytes", size);
        for (size_t k = known; k < size; k++) CHECK(part[k] == 0);
        free(part);
    }
    for (size_t k = 0; k < sizeof not_sizes / sizeof *not_sizes; k++) {
        void *none = cut(whole, bytes, not_sizes[k]);
        CHECK(by(none) == WARPLU_INVALID_ARGUMENT);
        free(none);
    }
    CHECK(by(NULL) == WARPLU_INVALID_ARGUMENT);
    free(whole);
}

static void callers_get_what_their_header_knows(void)
{
    asked = parsed(decay_text);
    asked_sim = made(asked, NULL);
    fill(sizeof(warplu_model_counts), count);
    fill(sizeof(warplu_sim_statistics), tell);
    warplu_sim_destroy(&asked_sim);
    warplu_model_destroy(&asked);
}

static void records_of_another_size_are_refused(void)
{
    warplu_model *model = parsed(decay_text);
    warplu_sim *sim = made(model, NULL);
    warplu_sim_member member;
    CHECK(warplu_sim_get_members(sim, 0, 1, &member, sizeof member) == WARPLU_SUCCESS);
    CHECK(warplu_sim_get_members(sim, 0, 1, &member, sizeof member + 8) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_get_members(sim, 0, 1, &member, 0) == WARPLU_INVALID_ARGUMENT);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

int main(void)
{
    RUN(older_options_get_defaults_for_the_rest);
    RUN(callers_get_what_their_header_knows);
    RUN(records_of_another_size_are_refused);
    return check_done();
}
