/* The table of orderings. */
#include "order/order.h"

#include <string.h>

static const struct {
    warplu_ordering ordering;
    const char *name;
    wlu_order_fn function;
} orderings[] = {
    {WARPLU_ORDERING_AUTO, "auto", NULL},
    {WARPLU_ORDERING_NATURAL, "natural", wlu_order_natural},
    {WARPLU_ORDERING_AMD, "amd", wlu_order_amd},
    {WARPLU_ORDERING_COLAMD, "colamd", wlu_order_colamd},
    {WARPLU_ORDERING_METIS, "metis", wlu_order_metis},
    {WARPLU_ORDERING_GIVEN, "given", NULL},
};

enum { ORDERINGS = sizeof orderings / sizeof orderings[0] };

wlu_order_fn wlu_order_function(warplu_ordering ordering)
{
    for (int k = 0; k < ORDERINGS; k++)
        if (orderings[k].ordering == ordering) return orderings[k].function;
    return NULL;
}

int wlu_ordering_compiled(warplu_ordering ordering)
{
#ifndef WLU_WITH_METIS
    if (ordering == WARPLU_ORDERING_METIS) return 0;
#endif
    for (int k = 0; k < ORDERINGS; k++)
        if (orderings[k].ordering == ordering) return 1;
    return 0;
}

const char *wlu_ordering_name(warplu_ordering ordering)
{
    for (int k = 0; k < ORDERINGS; k++)
        if (orderings[k].ordering == ordering) return orderings[k].name;
    return "?";
}

int wlu_ordering_parse(const char *name, warplu_ordering *out)
{
    for (int k = 0; k < ORDERINGS; k++)
        if (strcmp(orderings[k].name, name) == 0) {
            *out = orderings[k].ordering;
            return 1;
        }
    return 0;
}

warplu_status wlu_order_natural(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order)
{
    (void)ctx;
    for (int32_t k = 0; k < block->n; k++) order[k] = k;
    return WARPLU_SUCCESS;
}
