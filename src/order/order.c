/* The table of orderings, from order_list.def. */
#include "order/order.h"

#include "build_features.h"
#include <string.h>

static const wlu_ordering orderings[] = {
#define WLU_ORDERING(enumerator, name, function, compiled, race, ns_per_row, ns_per_entry, block_min) \
    {name, function, compiled, race, ns_per_row, ns_per_entry, block_min},
#define WLU_ORDERING_WORD(enumerator, name) {name, NULL, 1, WLU_RACE_NEVER, 0.0, 0.0, 0},
#include "order/order_list.def"
#undef WLU_ORDERING
#undef WLU_ORDERING_WORD
};

/* The list is in the order of the public numbers. */
enum {
#define WLU_ORDERING(enumerator, ...) PLACE_##enumerator,
#define WLU_ORDERING_WORD(enumerator, name) PLACE_##enumerator,
#include "order/order_list.def"
#undef WLU_ORDERING
#undef WLU_ORDERING_WORD
    ORDERINGS
};
#define WLU_ORDERING(enumerator, ...) \
    _Static_assert((int)PLACE_##enumerator == (int)WARPLU_ORDERING_##enumerator, "order_list.def: " #enumerator);
#define WLU_ORDERING_WORD(enumerator, name) WLU_ORDERING(enumerator, name)
#include "order/order_list.def"

const int wlu_orderings = ORDERINGS;

const wlu_ordering *wlu_ordering_get(warplu_ordering ordering)
{
    int place = (int)ordering;
    return place >= 0 && place < ORDERINGS ? &orderings[place] : NULL;
}

wlu_order_fn wlu_order_function(warplu_ordering ordering)
{
    const wlu_ordering *o = wlu_ordering_get(ordering);
    return o != NULL ? o->function : NULL;
}

int wlu_ordering_compiled(warplu_ordering ordering)
{
    const wlu_ordering *o = wlu_ordering_get(ordering);
    return o != NULL && o->compiled;
}

const char *wlu_ordering_name(warplu_ordering ordering)
{
    const wlu_ordering *o = wlu_ordering_get(ordering);
    return o != NULL ? o->name : "?";
}

int wlu_ordering_parse(const char *name, warplu_ordering *out)
{
    for (int k = 0; k < ORDERINGS; k++)
        if (strcmp(orderings[k].name, name) == 0) {
            *out = (warplu_ordering)k;
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
