/* Ranges of options. See ranges.h. */
#include "solver/ranges.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double value_of(const void *options, const wlu_option_range *r)
{
    const char *at = (const char *)options + r->offset;
    double number = 0.0;
    int64_t count;
    int small;
    switch (r->type) {
    case WLU_OPTION_INT: memcpy(&small, at, sizeof small); return small;
    case WLU_OPTION_INT64: memcpy(&count, at, sizeof count); return (double)count;
    case WLU_OPTION_DOUBLE: memcpy(&number, at, sizeof number); break;
    }
    return number;
}

void wlu_option_refuse(wlu_wrong_option *wrong, const char *name, const char *why)
{
    wrong->name = name;
    snprintf(wrong->why, sizeof wrong->why, "%s", why);
}

int wlu_option_holds(const wlu_option_range *r, double value, wlu_wrong_option *wrong)
{
    if (value >= r->least && value <= r->most) return 1;
    wrong->name = r->name;
    if (r->most < DBL_MAX)
        snprintf(wrong->why, sizeof wrong->why, "%.17g is out of its range: from %g to %g", value, r->least, r->most);
    else
        snprintf(wrong->why, sizeof wrong->why, "%.17g is out of its range: %g or more%s", value, r->least,
                 isinf(r->most) ? "" : ", and finite");
    return 0;
}

int wlu_options_hold(const void *options, const wlu_option_range *ranges, size_t count, wlu_wrong_option *wrong)
{
    for (size_t k = 0; k < count; k++)
        if (!wlu_option_holds(&ranges[k], value_of(options, &ranges[k]), wrong)) return 0;
    return 1;
}
