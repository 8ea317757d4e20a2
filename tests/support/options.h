/* Options and solvers of tests that are about programs: the defaults, but with so many refactorizations expected that
 * orders race and a program is compiled with the first pivots. tests/unit/test_grow.c has solvers that grow. */
#ifndef TESTS_SUPPORT_OPTIONS_H
#define TESTS_SUPPORT_OPTIONS_H

#include <warplu/warplu.h>

static inline void check_init_options(warplu_options *options)
{
    warplu_init_options(options);
    options->expected_refactors = 1000.0;
}

static inline warplu_status check_create(warplu_solver **out)
{
    warplu_options options;
    check_init_options(&options);
    return warplu_create(out, &options);
}

#endif
