/* Kernels of the packed DOT streams and their loads; a part of kernels.h. */

static void run_load(const wlu_packed *packed, const wlu_loads *l, const double *source, double *v)
{
    double *out = v + l->first;
    for (int64_t r = 0; r < packed->nranges; r++) {
        int64_t k = packed->range[r].first, end = k + packed->range[r].count;
        for (; k + 8 <= end; k += 8)
            v8_store(out + k, v8_mul(v8_load(l->scale + k), v8_gather_or_zero(source, l->source + k)));
        for (; k < end; k++) out[k] = l->source[k] < 0 ? 0.0 : l->scale[k] * source[l->source[k]];
    }
}

typedef struct stream_source {
    const wlu_loads *loads;
    const double *values;
} stream_source;

/* Where a bundle's chains start. */
static inline v8 chain_start(const stream_source *source, const double *v, const int32_t *start, int64_t target,
                             int in_place, int fused)
{
    if (!in_place) return v8_gather(v, start);
    if (!fused) return v8_load(v + target);
    int64_t k = target - source->loads->first;
    return v8_mul(v8_load(source->loads->scale + k),
                  v8_gather_or_zero(source->values, source->loads->source + k));
}

static inline const int32_t *run_across(const wlu_run *run, const stream_source *source, const int32_t *w, double *v,
                                        int scaled, int in_place, int contiguous, int fused)
{
    for (int64_t b = 0; b < run->count; b++) {
        int64_t target = run->first + 8 * b;
        const int32_t *t = w;
        if (!contiguous) w += 8;
        const int32_t *start = in_place ? t : w;
        if (!in_place) w += 8;
        v8 acc = contiguous || !in_place ? chain_start(source, v, start, target, in_place, fused) : v8_gather(v, t);
        v8 scale = scaled ? v8_gather(v, w) : v8_zero();
        if (scaled) w += 8;
        for (int32_t s = 0; s < run->steps; s++, w += 16) acc = v8_fnma(v8_gather(v, w), v8_gather(v, w + 8), acc);
        if (scaled) acc = v8_mul(acc, scale);
        if (contiguous)
            v8_store(v + target, acc);
        else
            v8_scatter(v, t, acc);
    }
    return w;
}

/* One instance for each form of bundle, so that none of them branches inside. */
static const int32_t *run_bundles(const wlu_run *run, const stream_source *source, const int32_t *w, double *v)
{
    switch (run->scaled << 3 | run->in_place << 2 | run->contiguous << 1 | run->fused) {
    case 15: return run_across(run, source, w, v, 1, 1, 1, 1);
    case 14: return run_across(run, source, w, v, 1, 1, 1, 0);
    case 12: return run_across(run, source, w, v, 1, 1, 0, 0);
    case 10: return run_across(run, source, w, v, 1, 0, 1, 0);
    case 8: return run_across(run, source, w, v, 1, 0, 0, 0);
    case 7: return run_across(run, source, w, v, 0, 1, 1, 1);
    case 6: return run_across(run, source, w, v, 0, 1, 1, 0);
    case 4: return run_across(run, source, w, v, 0, 1, 0, 0);
    case 2: return run_across(run, source, w, v, 0, 0, 1, 0);
    default: return run_across(run, source, w, v, 0, 0, 0, 0);
    }
}

static inline const int32_t *run_long(const wlu_run *run, const int32_t *w, double *v, int scaled)
{
    for (int64_t b = 0; b < run->count; b++) {
        const int32_t *head = w;
        v8 acc = v8_zero();
        w += 8;
        for (int32_t s = 0; s < run->steps; s++, w += 16) acc = v8_fma(v8_gather(v, w), v8_gather(v, w + 8), acc);
        double x = v[head[1]] - v8_tree(acc);
        v[head[0]] = scaled ? x * v[head[2]] : x;
    }
    return w;
}

/* A group's records, one after the other; len is a constant in most instances. */
static inline const int32_t *run_group(const int32_t *w, double *v, int32_t count, int32_t len, int scaled, double scale)
{
    for (int32_t r = 0; r < count; r++) {
        int32_t t = w[0];
        double acc = v[w[1]];
        w += 2;
        for (int32_t k = 0; k < len; k++, w += 2) acc = fma(-v[w[0]], v[w[1]], acc);
        v[t] = scaled ? acc * scale : acc;
    }
    return w;
}

/* The pivot goes from link to link in a register. */
static inline const int32_t *run_links(const int32_t *w, double *v, int32_t count, double pivot)
{
    for (int32_t k = 0; k < count; k++, w += 4) {
        double r = 1.0 / pivot, l = v[w[1]] * r;
        pivot = fma(-l, v[w[2]], v[w[3]]);
        v[w[0]] = r;
        v[w[1]] = l;
        v[w[3]] = pivot;
    }
    return w;
}

static inline double take_reciprocal(const int32_t *head, double *v)
{
    double r = 1.0 / v[head[1]];
    v[head[2]] = r;
    return r;
}

static inline const int32_t *run_few(const wlu_run *run, const int32_t *w, double *v)
{
    const int32_t *begin = w;
    for (int64_t g = 0; g < run->count; g++) {
        const int32_t *head = w;
        int32_t kind = head[0] & ((1 << WLU_FEW_KIND_BITS) - 1), count = head[0] >> WLU_FEW_KIND_BITS;
        w += WLU_FEW_HEAD;
        switch (kind) {
#define WLU_CASES(form, scaled, scale) \
    case form * (WLU_FEW_LENGTHS + 1): w = run_group(w, v, count, 0, scaled, scale); break; \
    case form * (WLU_FEW_LENGTHS + 1) + 1: w = run_group(w, v, count, 1, scaled, scale); break; \
    case form * (WLU_FEW_LENGTHS + 1) + 2: w = run_group(w, v, count, 2, scaled, scale); break; \
    case form * (WLU_FEW_LENGTHS + 1) + 3: w = run_group(w, v, count, 3, scaled, scale); break; \
    case form * (WLU_FEW_LENGTHS + 1) + 4: w = run_group(w, v, count, 4, scaled, scale); break; \
    case form * (WLU_FEW_LENGTHS + 1) + 5: w = run_group(w, v, count, head[3], scaled, scale); break
            WLU_CASES(WLU_FEW_DOT, 0, 1.0);
            WLU_CASES(WLU_FEW_DOTS, 1, v[head[1]]);
            WLU_CASES(WLU_FEW_PIVOT, 1, take_reciprocal(head, v));
#undef WLU_CASES
        default: w = run_links(w, v, count, v[head[1]]); break;
        }
    }
    return begin + (w - begin + 7) / 8 * 8;
}

static inline const int32_t *run_rcp(const wlu_run *run, const int32_t *w, double *v)
{
    for (int64_t b = 0; b < run->count; b++) {
        const int32_t *t = w;
        if (!run->contiguous) w += 8;
        v8 r = v8_div(v8_set(1.0), v8_gather(v, w));
        w += 8;
        if (run->contiguous)
            v8_store(v + run->first + 8 * b, r);
        else
            v8_scatter(v, t, r);
    }
    return w;
}

/* Runs first .. end - 1, whose words begin at w. */
static inline void run_range(const wlu_packed *packed, int64_t first, int64_t end, const int32_t *w,
                             const stream_source *source, double *v)
{
    for (int64_t r = first; r < end; r++) {
        const wlu_run *run = &packed->run[r];
        switch (run->form) {
        case WLU_RUN_ACROSS: w = run_bundles(run, source, w, v); break;
        case WLU_RUN_LONG: w = run->scaled ? run_long(run, w, v, 1) : run_long(run, w, v, 0); break;
        case WLU_RUN_FEW: w = run_few(run, w, v); break;
        default: w = run_rcp(run, w, v); break;
        }
    }
}

static void run_stream(const wlu_packed *packed, const wlu_loads *loads, const double *values, double *v)
{
    stream_source source = {loads, values};
    run_range(packed, 0, packed->tile != NULL ? packed->tile[0].run : packed->nruns, packed->word, &source, v);
}
