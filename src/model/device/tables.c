/* Lists tables and lays them out in a block. See tables.h. O(instructions that read a table times tables). */
#include "model/device/tables.h"

#include <string.h>

static int64_t numbers_of(const wlm_table *table)
{
    return table->knots + ((int64_t)table->knots + 1) * (1 + table->terms);
}

int64_t wlm_device_table_at(const wlm_device_tables *tables, const wlm_table *table)
{
    int32_t k = 0;
    while (tables->table[k].table != table) k++;
    return tables->table[k].at;
}

static void add(wlm_device_tables *tables, const wlm_table *table)
{
    for (int32_t k = 0; k < tables->count; k++)
        if (tables->table[k].table == table) return;
    tables->table[tables->count++] = (wlm_device_table){table, tables->numbers};
    tables->numbers += numbers_of(table);
}

warplu_status wlm_device_tables_create(wlu_context *ctx, const wlm_program *const *program, int32_t programs,
                                       wlm_device_tables *out)
{
    int64_t most = 0;
    *out = (wlm_device_tables){0};
    for (int32_t k = 0; k < programs; k++) most += program[k] != NULL ? program[k]->tables : 0;
    out->table = WLU_ALLOC(ctx, most, wlm_device_table);
    if (out->table == NULL) return wlu_fail_memory(ctx, "tables on a device");
    for (int32_t k = 0; k < programs; k++)
        for (int32_t i = 0; program[k] != NULL && i < program[k]->tables; i++) add(out, program[k]->table[i]);
    return WARPLU_SUCCESS;
}

void wlm_device_tables_free(wlu_context *ctx, wlm_device_tables *tables)
{
    wlu_free(ctx, tables->table);
    tables->table = NULL;
}

void wlm_device_tables_fill(const wlm_device_tables *tables, double *block)
{
    for (int32_t k = 0; k < tables->count; k++) {
        const wlm_table *t = tables->table[k].table;
        double *to = block + tables->table[k].at;
        memcpy(to, t->knot, (size_t)t->knots * sizeof *to);
        memcpy(to + t->knots, t->piece, (size_t)(numbers_of(t) - t->knots) * sizeof *to);
    }
}
