/* Scalar programs. See scalar.h. O(records) time; 72 bytes a record while one is made. */
#include "scalar.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"

typedef struct making {
    scalar_program *p;
    const double *entries;
    int64_t y, capacity, level_capacity;
    wlu_record *record; /* in the order of emission */
    int32_t *level;
    uint8_t *first; /* by level: the opcode that it sees first */
} making;

static warplu_status reserve(making *m, int64_t level)
{
    wlu_context *ctx = m->p->ctx;
    int64_t count = m->p->nrecords, more = 2 * count + 4096, levels = 2 * level + 1024;
    if (count == m->capacity) {
        wlu_record *record = wlu_resize(ctx, m->record, m->capacity, more, sizeof *record);
        if (record != NULL) m->record = record;
        int32_t *of = record != NULL ? wlu_resize(ctx, m->level, m->capacity, more, sizeof *of) : NULL;
        if (of == NULL) return wlu_fail_memory(ctx, "scalar records");
        m->level = of;
        m->capacity = more;
    }
    if (level >= m->level_capacity) {
        uint8_t *first = wlu_resize(ctx, m->first, m->level_capacity, levels, sizeof *first);
        if (first == NULL) return wlu_fail_memory(ctx, "scalar records");
        memset(first + m->level_capacity, WLU_OPCODES, (size_t)(levels - m->level_capacity));
        m->first = first;
        m->level_capacity = levels;
    }
    return count < INT32_MAX ? WARPLU_SUCCESS : wlu_fail(ctx, WARPLU_OVERFLOW, "more than 2^31 scalar records");
}

static void execute(scalar_program *p, const wlu_record *r)
{
    double *v = p->end;
    float *f = p->end_float;
    if (r->opcode == WLU_MSUB) {
        v[r->t] = fma(-v[r->a], v[r->b], v[r->t]);
        f[r->t] = fmaf(-f[r->a], f[r->b], f[r->t]);
    } else {
        v[r->t] /= v[r->a];
        f[r->t] /= f[r->a];
    }
}

static warplu_status take(void *user, const wlu_record *r, int32_t level)
{
    making *m = user;
    scalar_program *p = m->p;
    if (r->opcode == WLU_LOAD) {
        double x = ldexp(r->t < m->y ? m->entries[r->a] : 1.0, r->b);
        p->start[r->t] = p->end[r->t] = x;
        p->start_float[r->t] = p->end_float[r->t] = (float)x;
    }
    if (level == 0) return WARPLU_SUCCESS;
    warplu_status status = reserve(m, level);
    if (status < 0) return status;
    if (m->first[level] == WLU_OPCODES) m->first[level] = (uint8_t)r->opcode;
    m->record[p->nrecords] = *r;
    m->level[p->nrecords++] = level;
    execute(p, r);
    return WARPLU_SUCCESS;
}

static int starts_vector(const wlu_sort_entry *sorted, int64_t k)
{
    return k == 0 || sorted[k].key != sorted[k - 1].key;
}

/* Records in their order into the program, and its vectors. */
static warplu_status put(making *m, const wlu_sort_entry *sorted)
{
    scalar_program *p = m->p;
    for (int64_t k = 0; k < p->nrecords; k++) p->nvectors += starts_vector(sorted, k);
    p->vector = WLU_ALLOC(p->ctx, p->nvectors, scalar_vector);
    if (p->vector == NULL) return wlu_fail_memory(p->ctx, "scalar vectors");
    scalar_vector *v = p->vector - 1;
    for (int64_t k = 0; k < p->nrecords; k++) {
        const wlu_record *r = &m->record[sorted[k].record];
        if (starts_vector(sorted, k)) *++v = (scalar_vector){(int32_t)k, 0, r->opcode};
        if (r->opcode != v->opcode) v->opcode = WLU_OPCODES;
        if (++v->count > p->longest) p->longest = v->count;
        p->t[k] = r->t;
        p->a[k] = r->a;
        p->b[k] = r->b;
        p->opcode[k] = (uint8_t)r->opcode;
    }
    return WARPLU_SUCCESS;
}

static warplu_status order(making *m, int split)
{
    scalar_program *p = m->p;
    wlu_context *ctx = p->ctx;
    wlu_sort_entry *entries = WLU_ALLOC(ctx, 2 * p->nrecords, wlu_sort_entry);
    int64_t *digits = WLU_ALLOC(ctx, WLU_SORT_DIGITS, int64_t);
    warplu_status status = WARPLU_SUCCESS;
    p->t = WLU_ALLOC(ctx, p->nrecords, int32_t);
    p->a = WLU_ALLOC(ctx, p->nrecords, int32_t);
    p->b = WLU_ALLOC(ctx, p->nrecords, int32_t);
    p->opcode = WLU_ALLOC(ctx, p->nrecords, uint8_t);
    if (entries == NULL || digits == NULL || p->t == NULL || p->a == NULL || p->b == NULL || p->opcode == NULL) {
        status = wlu_fail_memory(ctx, "scalar records");
    } else {
        for (int64_t k = 0; k < p->nrecords; k++) {
            int second = split && m->record[k].opcode != m->first[m->level[k]];
            entries[k] = (wlu_sort_entry){(uint64_t)m->level[k] << 1 | (uint64_t)second, k};
        }
        status = put(m, wlu_sort(entries, entries + p->nrecords, p->nrecords, digits));
    }
    wlu_free(ctx, entries);
    wlu_free(ctx, digits);
    return status;
}

warplu_status scalar_create(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots, const double *entries,
                            int split, scalar_program *out)
{
    wlu_layout layout = wlu_layout_of(pivots, 1);
    making m = {.p = out, .entries = entries, .y = layout.y};
    *out = (scalar_program){.ctx = ctx, .slots = layout.count};
    out->start = WLU_CALLOC(ctx, layout.count, double);
    out->end = WLU_CALLOC(ctx, layout.count, double);
    out->start_float = WLU_CALLOC(ctx, layout.count, float);
    out->end_float = WLU_CALLOC(ctx, layout.count, float);
    warplu_status status = out->start != NULL && out->end != NULL && out->start_float != NULL && out->end_float != NULL
                               ? WARPLU_SUCCESS
                               : wlu_fail_memory(ctx, "slots of a scalar program");
    if (status == WARPLU_SUCCESS) status = wlu_levels_walk(ctx, a, pivots, 1, take, &m);
    if (status == WARPLU_SUCCESS) status = order(&m, split);
    wlu_free(ctx, m.record);
    wlu_free(ctx, m.level);
    wlu_free(ctx, m.first);
    if (status < 0) scalar_free(out);
    return status;
}

void scalar_free(scalar_program *p)
{
    void *owned[] = {p->vector, p->t, p->a, p->b, p->opcode, p->start, p->end, p->start_float, p->end_float};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(p->ctx, owned[k]);
    *p = (scalar_program){0};
}
