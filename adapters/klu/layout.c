/* What a klu_defaults fills, seen in memory that has been filled with something else. See foreign.h. */
#define WK_TYPES_ALONE
#include "klu_abi.h"

#include "foreign.h"

#include <string.h>

enum { ROOM = 4096, UNTOUCHED = 0xa5 };

/* Members that stand elsewhere in other layouts, and those at the ends of the parts. */
static int is_default(const wk_common *c)
{
    return c->tol == 0.001 && c->scale == 2 && c->user_order == NULL && c->user_data == NULL &&
           c->halt_if_singular == 1 && c->status == WK_OK && c->structural_rank == WK_EMPTY &&
           c->noffdiag == WK_EMPTY && c->rcond == WK_EMPTY && c->rgrowth == WK_EMPTY && c->mempeak == 0;
}

int WK_SHARED_INNER(layout_fits)(void *defaults)
{
    union {
        wk_common common;
        unsigned char bytes[ROOM];
    } u;
    wk_flag (*fill)(wk_common *);
    memset(&u, UNTOUCHED, sizeof u);
    memcpy(&fill, &defaults, sizeof fill);
    fill(&u.common);
    for (size_t k = sizeof u.common; k < ROOM; k++)
        if (u.bytes[k] != UNTOUCHED) return 0;
    return is_default(&u.common);
}
