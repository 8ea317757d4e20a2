/* The pattern of a system's matrix, by columns: the union over all instances, and where each contribution goes.
 *
 * Cost: O(contributions + unknowns), by counting. */
#ifndef WLU_MODEL_SYSTEM_PATTERN_H
#define WLU_MODEL_SYSTEM_PATTERN_H

#include "model/system/pass.h"

typedef struct wlm_pattern {
    int32_t n;
    int32_t *ptr;      /* n + 1: where columns begin */
    int32_t *idx;      /* rows, ascending */
    int32_t *diagonal; /* n: the number of the value at (i, i), or -1 */
} wlm_pattern;

/* Rows and columns. */
typedef struct wlm_places {
    int32_t count, *row, *column;
} wlm_places;

/* Makes the pattern, and fills pass->entry. wanted[i]: 1 where the diagonal has an entry even without a contribution;
 * extra: other entries without one. WARPLU_OVERFLOW, WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_pattern_create(const wlm_layout *layout, wlm_pass *pass, const unsigned char *wanted,
                                 const wlm_places *extra, wlm_pattern *out);
void wlm_pattern_free(wlu_context *ctx, wlm_pattern *pattern);

#endif
