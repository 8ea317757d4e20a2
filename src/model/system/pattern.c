/* Lists entries in the order of instances, sorts them stably by row and by column, and makes one of equal places. */
#include "model/system/pattern.h"

#include <string.h>

#include "base/sort.h"

enum { BARE = INT32_MIN }; /* of an entry without a contribution */

typedef struct entries {
    int32_t count, room;
    int32_t *row, *column, *at; /* at: the contribution, as gather.h takes it, or BARE */
    int32_t *order, *other, *place, *target;
} entries;

static void add(entries *e, int32_t row, int32_t column, int32_t at)
{
    e->row[e->count] = row;
    e->column[e->count] = column;
    e->at[e->count++] = at;
}

static void collect(const wlm_pass *pass, const wlm_layout *layout, const unsigned char *wanted,
                    const wlm_places *extra, entries *e)
{
    for (int32_t i = 0; i < layout->n; i++)
        if (wanted[i]) add(e, i, i, BARE);
    for (int32_t k = 0; k < extra->count; k++) add(e, extra->row[k], extra->column[k], BARE);
    for (int32_t u = 0; u < pass->uses; u++)
        for (int32_t i = 0; i < pass->bank[u].count; i++)
            for (int32_t k = 0; k < pass->bank[u].addends; k++) {
                const wlm_bank_addend *a = &pass->bank[u].addend[k];
                if (a->role == WLM_ROLE_ENTRY)
                    add(e, wlm_where_at(&a->row, i), wlm_where_at(&a->column, i),
                        wlm_addend_of(pass->bank[u].output, a, i));
            }
}

static int32_t key_of(const void *keys, int32_t record)
{
    return ((const int32_t *)keys)[record];
}

/* Fills the pattern's columns and rows, and the value that each entry belongs to. */
static void unite(const entries *e, const int32_t *order, wlm_pattern *p)
{
    int32_t values = 0, column = -1, row = -1;
    for (int32_t k = 0; k < e->count; k++) {
        int32_t entry = order[k];
        if (e->column[entry] != column || e->row[entry] != row) {
            row = e->row[entry];
            while (column < e->column[entry]) p->ptr[++column] = values;
            p->idx[values] = row;
            if (row == column) p->diagonal[row] = values;
            values++;
        }
        e->target[entry] = values - 1;
    }
    while (column < p->n) p->ptr[++column] = values;
}

static warplu_status count_entries(const wlm_pass *pass, const wlm_layout *layout, const wlm_places *extra,
                                   int32_t *room)
{
    wlu_context *ctx = layout->ctx;
    int64_t count = (int64_t)layout->n + extra->count;
    for (int32_t u = 0; u < pass->uses; u++)
        for (int32_t k = 0; k < pass->bank[u].addends; k++)
            if (pass->bank[u].addend[k].role == WLM_ROLE_ENTRY) count += pass->bank[u].count;
    if (count > INT32_MAX) return wlu_fail(ctx, WARPLU_OVERFLOW, "the matrix: more than 2^31 - 1 contributions");
    *room = (int32_t)count;
    return WARPLU_SUCCESS;
}

static warplu_status make(const wlm_layout *layout, wlm_pass *pass, const unsigned char *wanted,
                          const wlm_places *extra, entries *e, wlm_pattern *p)
{
    wlu_context *ctx = layout->ctx;
    int32_t n = layout->n;
    int32_t *all[7];
    for (int k = 0; k < 7; k++) all[k] = WLU_ALLOC(ctx, k == 5 ? n : e->room, int32_t);
    e->row = all[0], e->column = all[1], e->at = all[2], e->order = all[3], e->other = all[4], e->place = all[5];
    e->target = all[6];
    p->n = n;
    p->ptr = WLU_ALLOC(ctx, (int64_t)n + 1, int32_t);
    p->diagonal = WLU_ALLOC(ctx, n, int32_t);
    p->idx = WLU_ALLOC(ctx, e->room, int32_t);
    for (int k = 0; k < 7; k++)
        if (all[k] == NULL) return wlu_fail_memory(ctx, "the matrix' pattern");
    if (p->ptr == NULL || p->diagonal == NULL || p->idx == NULL) return wlu_fail_memory(ctx, "the matrix' pattern");
    for (int32_t i = 0; i < n; i++) p->diagonal[i] = -1;
    collect(pass, layout, wanted, extra, e);
    wlu_sort_by(e->row, key_of, n, e->count, NULL, e->other, e->place);
    wlu_sort_by(e->column, key_of, n, e->count, e->other, e->order, e->place);
    unite(e, e->order, p);
    int32_t kept = 0; /* contributions in the order of instances, without bare entries */
    for (int32_t k = 0; k < e->count; k++)
        if (e->at[k] != BARE) {
            e->target[kept] = e->target[k];
            e->at[kept++] = e->at[k];
        }
    return wlm_gather_make(ctx, p->ptr[n], kept, e->target, e->at, &pass->entry);
}

warplu_status wlm_pattern_create(const wlm_layout *layout, wlm_pass *pass, const unsigned char *wanted,
                                 const wlm_places *extra, wlm_pattern *out)
{
    entries e = {0};
    memset(out, 0, sizeof *out);
    warplu_status status = count_entries(pass, layout, extra, &e.room);
    if (status == WARPLU_SUCCESS) status = make(layout, pass, wanted, extra, &e, out);
    int32_t *all[7] = {e.row, e.column, e.at, e.order, e.other, e.place, e.target};
    for (int k = 0; k < 7; k++) wlu_free(layout->ctx, all[k]);
    if (status != WARPLU_SUCCESS) wlm_pattern_free(layout->ctx, out);
    return status;
}

void wlm_pattern_free(wlu_context *ctx, wlm_pattern *pattern)
{
    wlu_free(ctx, pattern->ptr);
    wlu_free(ctx, pattern->idx);
    wlu_free(ctx, pattern->diagonal);
    memset(pattern, 0, sizeof *pattern);
}
