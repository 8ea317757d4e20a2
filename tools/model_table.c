/* Collects the rows of a run, member by member, while threads deliver them: each member has room of its own, so that
 * none waits for another. */
#include "model_table.h"

#include <inttypes.h>
#include <string.h>

warplu_status model_table_create(wlu_context *ctx, int64_t members, int64_t rows, int64_t columns,
                                 const char *const *names, model_table *out)
{
    *out = (model_table){.ctx = ctx, .members = members, .rows = rows, .columns = columns, .name = names};
    if (rows > INT64_MAX / 8 / (members > 0 ? members : 1) / (columns + 1))
        return wlu_fail(ctx, WARPLU_OVERFLOW, "%" PRId64 " rows of %" PRId64 " members", rows, members);
    out->filled = WLU_CALLOC(ctx, members, int64_t);
    out->time = WLU_ALLOC(ctx, members * rows, double);
    out->value = WLU_ALLOC(ctx, members * rows * columns, double);
    if (out->filled != NULL && out->time != NULL && out->value != NULL) return WARPLU_SUCCESS;
    model_table_free(out);
    return wlu_fail_memory(ctx, "rows of output");
}

void model_table_free(model_table *table)
{
    wlu_free(table->ctx, table->filled);
    wlu_free(table->ctx, table->time);
    wlu_free(table->ctx, table->value);
    table->filled = NULL, table->time = NULL, table->value = NULL;
}

int model_table_row(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    model_table *table = user;
    int64_t row = table->filled[member], at = member * table->rows + row;
    if (row >= table->rows) return table->full = 1;
    table->time[at] = t;
    memcpy(table->value + at * table->columns, values, (size_t)watched * sizeof *values);
    table->filled[member]++;
    return 0;
}

/* Names that have a comma, as cell.y[0,1], stand in double quotes (RFC 4180); no name has such a quote. */
static void put_name(const char *name, FILE *out)
{
    const char *quote = strchr(name, ',') != NULL ? "\"" : "";
    fprintf(out, ",%s%s%s", quote, name, quote);
}

int model_table_write(const model_table *table, FILE *out)
{
    fputs(table->members > 1 ? "member,t" : "t", out);
    for (int64_t c = 0; c < table->columns; c++) put_name(table->name[c], out);
    fputc('\n', out);
    for (int64_t m = 0; m < table->members; m++) {
        for (int64_t r = 0; r < table->filled[m]; r++) {
            int64_t at = m * table->rows + r;
            if (table->members > 1) fprintf(out, "%" PRId64 ",", m);
            fprintf(out, "%.17g", table->time[at]);
            for (int64_t c = 0; c < table->columns; c++) fprintf(out, ",%.17g", table->value[at * table->columns + c]);
            fputc('\n', out);
        }
    }
    return ferror(out) ? -1 : 0;
}
