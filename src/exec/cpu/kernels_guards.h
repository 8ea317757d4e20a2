/* Kernels of the guards: maxima over areas of slots, drift, bounds on growth; a part of kernels.h. */

/* What neither loads nor stream have looked at. */
static inline wlu_maxima judge_ranges(const wlu_packed *packed, double *v, wlu_maxima largest)
{
    area_maxima m;
    clear_maxima(&m);
    for (int64_t r = 0; r < packed->judged.count; r++) {
        const wlu_range *range = &packed->judged.range[r];
        double *x = numbers_from(v, range->first);
        v8 a = m.of[range->area];
        int64_t k = 0;
        for (; k + 8 <= range->count; k += 8) a = v8_max_bits(a, n8_size(n8_load(numbers_from(x, k))));
        for (; k < range->count; k++) a = v8_max_bits(a, v8_set(wlu_size(wlu_number_at(x, k))));
        m.of[range->area] = a;
    }
    add_maxima(&m, &largest);
    return largest;
}

typedef struct largest_entries {
    v8 inverse, drift; /* largest of columns, of rows */
} largest_entries;

/* Places first .. end - 1 of the guards' entries, columns or rows or both; row: of the first place. inverse: by column,
 * or NULL. */
static inline void scan_entries(const wlu_guards *g, const double *source, int32_t first, int32_t end, int column,
                                const uint16_t *row, double *inverse, largest_entries *largest)
{
    largest_entries m = *largest;
    for (int32_t k = first; k < end; k += 8) {
        int32_t at[8];
        uint16_t a_scale[8], row_scale[8];
        double last[8];
        const int32_t *entry = g->a_source + k;
        const uint16_t *a = g->a_scale + k, *r = row != NULL ? row + (k - first) : NULL;
        if (end - k < 8) { /* the last ones: lanes that are left repeat the first */
            for (int32_t q = 0; q < 8; q++) {
                int32_t from = k + q < end ? q : 0;
                at[q] = entry[from];
                if (column) a_scale[q] = a[from];
                if (row != NULL) row_scale[q] = r[from];
            }
            entry = at;
            a = a_scale;
            r = row_scale;
        }
        n8 x = n8_gather(source, entry);
        if (column) {
            v8 i = inverse_magnitude(n8_size(n8_scaled(v8_load_powers(a), x)));
            m.inverse = v8_max_bits(m.inverse, i);
            if (inverse != NULL && end - k >= 8) v8_store(inverse + k, i);
            if (inverse != NULL && end - k < 8) {
                v8_store(last, i);
                memcpy(inverse + k, last, (size_t)(end - k) * sizeof *inverse);
            }
        }
        if (row != NULL) {
            v8 down = inverse_magnitude(n8_size(n8_scaled(v8_load_powers(r), x)));
            m.drift = v8_max_bits(v8_max_bits(m.drift, down), inverse_magnitude(down));
        }
    }
    *largest = m;
}

/* The largest computed |u| relative to its column's entry, by bits; not below 1. */
static inline double largest_relative(const wlu_program *p, wlu_cpu_state *state, const double *source)
{
    const wlu_guards *g = &wlu_lu_of(p)->guard;
    largest_entries unused = {v8_zero(), v8_zero()};
    if (!state->by_column) scan_entries(g, source, 0, g->n, 1, NULL, state->inverse, &unused);
    const double *inverse = state->inverse;
    double *u = state->slots.v + wlu_areas_of(p).u;
    v8 worst = v8_set(1.0);
    int64_t k = 0;
    for (; k + 8 <= g->count; k += 8)
        worst = v8_max_bits(worst, v8_mul(n8_size(n8_load(numbers_from(u, k))), v8_gather(inverse, g->u_column + k)));
    for (; k < g->count; k++)
        worst = v8_max_bits(worst, v8_set(wlu_size(wlu_number_at(u, k)) * inverse[g->u_column[k]]));
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    for (int32_t tile = 0; tile < t->count; tile++)
        for (int32_t at = t->first[tile]; at < t->first[tile + 1]; at++)
            worst = v8_max_bits(worst, v8_set(state->slots.umax[WLU_TILE_WIDTH * (int64_t)tile + at - t->first[tile]] *
                                              inverse[g->column[t->position[at]]]));
    return largest_bits_of(worst);
}

static void run_entries(const wlu_program *p, wlu_cpu_state *state, const double *source)
{
    const wlu_guards *g = &wlu_lu_of(p)->guard;
    largest_entries m = {v8_zero(), v8_set(1.0)};
    double *inverse = state->by_column ? state->inverse : NULL;
    scan_entries(g, source, 0, g->shared, 1, g->row_scale, inverse, &m);
    scan_entries(g, source, g->shared, g->n, 1, NULL, inverse, &m);
    scan_entries(g, source, g->n, g->entries, 0, g->row_scale + g->shared, NULL, &m);
    state->largest = (wlu_maxima){{0}};
    wlu_maxima_add(&state->largest, WLU_AREA_INVERSE, largest_bits_of(m.inverse));
    wlu_maxima_add(&state->largest, WLU_AREA_DRIFT, largest_bits_of(m.drift));
}

static void run_guards(const wlu_packed *packed, const wlu_program *p, wlu_cpu_state *state, const double *source)
{
    const wlu_criteria *c = &wlu_lu_of(p)->guard.criteria;
    wlu_maxima largest = judge_ranges(packed, state->slots.v, state->largest);
    int open = wlu_growth_is_open(&largest, c);
    if (open) wlu_maxima_add(&largest, WLU_AREA_RELATIVE, largest_relative(p, state, source));
    state->by_column = open;
    state->health = wlu_health_conclude(&largest, c, 0);
}
