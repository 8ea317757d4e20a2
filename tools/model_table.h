/* What a model was told to watch, kept until it is written: a table of times and values for each member. */
#ifndef WLU_MODEL_TABLE_H
#define WLU_MODEL_TABLE_H

#include <stdio.h>

#include "base/context.h"

typedef struct model_table {
    wlu_context *ctx;
    int64_t members, rows, columns; /* rows: of each member, as many as it has come to; at most `rows` */
    const char *const *name;        /* of columns */
    int64_t *filled;                /* rows that each member has */
    double *time;                   /* [member][row] */
    double *value;                  /* [member][row][column] */
    int full;                       /* a row beyond `rows` came, or memory ended */
} model_table;

/* Room for rows of all members. WARPLU_OUT_OF_MEMORY. */
warplu_status model_table_create(wlu_context *ctx, int64_t members, int64_t rows, int64_t columns,
                                 const char *const *names, model_table *out);
void model_table_free(model_table *table);

/* A warplu_row_fn, whose user is a table. */
int model_table_row(int64_t member, double t, int32_t watched, const double *values, void *user);

/* CSV: a line of names, then a line a row, members one after the other; the column member is there where there are
 * several. Numbers have 17 digits, so that they are read again as they were. Returns 0, or -1 with errno. */
int model_table_write(const model_table *table, FILE *out);

/* Curves over time as a drawing in SVG, one panel a column; of many members the first ones. The same. */
enum { MODEL_PLOT_MEMBERS = 16 };
int model_table_plot(const model_table *table, const char *title, FILE *out);

#endif
