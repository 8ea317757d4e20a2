/* Tables of texts: rows, and what is made of them (graph/table.h). */
#ifndef WLU_MODEL_TEXT_TABLE_H
#define WLU_MODEL_TEXT_TABLE_H

#include "model/text/build.h"

/* What a table is between its rows, and beyond the ends. */
typedef enum wlm_shape { WLM_SHAPE_LINEAR, WLM_SHAPE_CUBIC, WLM_SHAPE_STEPS } wlm_shape;
typedef enum wlm_beyond { WLM_BEYOND_HELD, WLM_BEYOND_LINEAR, WLM_BEYOND_NAN } wlm_beyond;

typedef struct wlm_table_rows {
    int32_t count;   /* at least 2 */
    const double *x; /* ascending */
    const double *y;
    wlm_shape shape;
    wlm_beyond beyond; /* of a table that is not periodic */
    int is_periodic;   /* 1: the last row is the first one of the next period */
} wlm_table_rows;

/* Makes a table, which does not keep the rows. NULL where there is no memory. *trouble: the row behind which the table
 * is steeper than numbers are large; -1: none is. */
wlm_table *wlm_table_make(wlm_arena *kept, const char *name, const wlm_table_rows *rows, int32_t *trouble);

#endif
