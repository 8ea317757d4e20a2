/* The tables that programs of a kernel read, in one block of the device's memory: of each its knots, then its pieces
 * (graph/table.h). */
#ifndef WLU_MODEL_DEVICE_TABLES_H
#define WLU_MODEL_DEVICE_TABLES_H

#include "model/device/shape.h"

/* A table, and where it stands in the block: its first number. */
typedef struct wlm_device_table {
    const wlm_table *table;
    int64_t at;
} wlm_device_table;

typedef struct wlm_device_tables {
    int32_t count, word; /* word: the %rd of the kernel that has the block's address */
    wlm_device_table *table;
    int64_t numbers; /* of the block; 0: there is none */
} wlm_device_tables;

/* Lists the tables that programs read, each once. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_device_tables_create(wlu_context *ctx, const wlm_program *const *program, int32_t programs,
                                       wlm_device_tables *out);
void wlm_device_tables_free(wlu_context *ctx, wlm_device_tables *tables);
/* Writes the numbers of the block. */
void wlm_device_tables_fill(const wlm_device_tables *tables, double *block);
/* Returns where a table stands. */
int64_t wlm_device_table_at(const wlm_device_tables *tables, const wlm_table *table);

#endif
