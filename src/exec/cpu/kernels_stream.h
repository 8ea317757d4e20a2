/* Kernels of the packed DOT streams and their loads; a part of kernels.h. */

/* Words of the stream are wanted this far ahead, once a line: hardware does not follow across pages, and forgets the
 * stream between gathers. 30 % of a replay of 7 MB, nothing where the stream stays in the second cache. */
enum { PREFETCH_WORDS = 1024 };

static inline void prefetch(const int32_t *w)
{
#if defined(__GNUC__)
    __builtin_prefetch((const void *)((uintptr_t)w + PREFETCH_WORDS * sizeof *w));
#else
    (void)w;
#endif
}

/* Largest magnitudes by wlu_area; what does not count goes into NONE. */
typedef struct area_maxima {
    v8 of[WLU_AREAS];
} area_maxima;

static inline area_maxima no_maxima(void)
{
    area_maxima m;
    for (int k = 0; k < WLU_AREAS; k++) m.of[k] = v8_zero();
    return m;
}

static inline void add_maxima(const area_maxima *m, wlu_maxima *largest)
{
    largest->u = wlu_larger_bits(largest->u, largest_bits_of(m->of[WLU_AREA_U]));
    largest->l = wlu_larger_bits(largest->l, largest_bits_of(m->of[WLU_AREA_L]));
    largest->f = wlu_larger_bits(largest->f, largest_bits_of(m->of[WLU_AREA_F]));
    largest->reciprocal = wlu_larger_bits(largest->reciprocal, largest_bits_of(m->of[WLU_AREA_RECIPROCAL]));
}

static inline v8 load_map(const int32_t *w, const double *source, int unit)
{
    v8 x = v8_gather_or_zero(source, w);
    return unit ? x : v8_mul(v8_load_powers((const uint16_t *)(const void *)(w + 8)), x);
}

static inline void run_ranges(const wlu_packed *packed, const wlu_place *first, const wlu_place *end,
                              const double *source, double *v, int unit, area_maxima *m)
{
    const int32_t *w = packed->word + first->word;
    for (int64_t r = first->run; r < end->run; r++) {
        const wlu_range *range = &packed->load.range[r];
        double *out = v + range->first, left[8];
        int64_t k = 0;
        v8 largest = m->of[range->area];
        for (; k < range->count; k += 8, w += unit ? UNIT_MAP_WORDS : MAP_WORDS) {
            prefetch(w);
            v8 x = load_map(w, source, unit);
            largest = v8_max_bits(largest, v8_abs(x));
            if (k + 8 <= range->count) {
                v8_store(out + k, x);
            } else {
                v8_store(left, x);
                for (int64_t q = k; q < range->count; q++) out[q] = left[q - k];
            }
        }
        m->of[range->area] = largest;
    }
}

static void run_load(const wlu_packed *packed, int32_t first, int32_t end, const double *source, double *v,
                     wlu_maxima *largest)
{
    area_maxima m = no_maxima();
    if (packed->unit)
        run_ranges(packed, packed->share + first, packed->share + end, source, v, 1, &m);
    else
        run_ranges(packed, packed->share + first, packed->share + end, source, v, 0, &m);
    if (largest != NULL) add_maxima(&m, largest);
}

static inline const int32_t *run_across(const wlu_run *run, const double *source, const int32_t *w, double *v,
                                        v8 *largest, int scaled, int in_place, int contiguous, int fused, int unit)
{
    v8 m = largest != NULL ? *largest : v8_zero();
    for (int64_t b = 0; b < run->count; b++) {
        int64_t target = run->first + 8 * b;
        const int32_t *t = w;
        v8 acc;
        prefetch(w);
        if (!contiguous) w += 8;
        if (fused) {
            acc = load_map(w, source, unit);
            w += unit ? UNIT_MAP_WORDS : MAP_WORDS;
        } else if (in_place) {
            acc = contiguous ? v8_load(v + target) : v8_gather(v, t);
        } else {
            acc = v8_gather(v, w);
            w += 8;
        }
        v8 scale = scaled ? v8_gather(v, w) : v8_zero();
        if (scaled) w += 8;
        for (int32_t s = 0; s < run->steps; s++, w += 16) {
            prefetch(w);
            acc = v8_fnma(v8_gather(v, w), v8_gather(v, w + 8), acc);
        }
        if (scaled) acc = v8_mul(acc, scale);
        if (largest != NULL) m = v8_max_bits(m, v8_abs(acc));
        if (contiguous)
            v8_store(v + target, acc);
        else
            v8_scatter(v, t, acc);
    }
    if (largest != NULL) *largest = m;
    return w;
}

/* Bundles that are not fused. One instance for each form, so that none of them branches inside. */
static const int32_t *run_bundles(const wlu_run *run, const int32_t *w, double *v, v8 *largest)
{
    int judged = run->area != WLU_AREA_NONE;
    switch (run->scaled << 3 | run->in_place << 2 | run->contiguous << 1 | judged) {
    case 15: return run_across(run, NULL, w, v, largest, 1, 1, 1, 0, 0);
    case 14: return run_across(run, NULL, w, v, NULL, 1, 1, 1, 0, 0);
    case 12: return run_across(run, NULL, w, v, NULL, 1, 1, 0, 0, 0);
    case 10: return run_across(run, NULL, w, v, NULL, 1, 0, 1, 0, 0);
    case 8: return run_across(run, NULL, w, v, NULL, 1, 0, 0, 0, 0);
    case 7: return run_across(run, NULL, w, v, largest, 0, 1, 1, 0, 0);
    case 6: return run_across(run, NULL, w, v, NULL, 0, 1, 1, 0, 0);
    case 4: return run_across(run, NULL, w, v, NULL, 0, 1, 0, 0, 0);
    case 2: return run_across(run, NULL, w, v, NULL, 0, 0, 1, 0, 0);
    default: return run_across(run, NULL, w, v, NULL, 0, 0, 0, 0, 0);
    }
}

static const int32_t *run_fused(const wlu_run *run, const double *source, const int32_t *w, double *v, int unit,
                                v8 *largest)
{
    int judged = run->area != WLU_AREA_NONE;
    switch (run->scaled << 2 | unit << 1 | judged) {
    case 7: return run_across(run, source, w, v, largest, 1, 1, 1, 1, 1);
    case 6: return run_across(run, source, w, v, NULL, 1, 1, 1, 1, 1);
    case 5: return run_across(run, source, w, v, largest, 1, 1, 1, 1, 0);
    case 4: return run_across(run, source, w, v, NULL, 1, 1, 1, 1, 0);
    case 3: return run_across(run, source, w, v, largest, 0, 1, 1, 1, 1);
    case 2: return run_across(run, source, w, v, NULL, 0, 1, 1, 1, 1);
    case 1: return run_across(run, source, w, v, largest, 0, 1, 1, 1, 0);
    default: return run_across(run, source, w, v, NULL, 0, 1, 1, 1, 0);
    }
}

static inline const int32_t *run_long(const wlu_run *run, const int32_t *w, double *v, int scaled)
{
    for (int64_t b = 0; b < run->count; b++) {
        const int32_t *head = w;
        v8 acc = v8_zero();
        w += 8;
        for (int32_t s = 0; s < run->steps; s++, w += 16) {
            prefetch(w);
            acc = v8_fma(v8_gather(v, w), v8_gather(v, w + 8), acc);
        }
        double x = v[head[1]] - v8_tree(acc);
        v[head[0]] = scaled ? x * v[head[2]] : x;
    }
    return w;
}

/* A group's records, one after the other; len is a constant in most instances. */
static inline const int32_t *run_group(const int32_t *w, double *v, int32_t count, int32_t len, int scaled,
                                       double scale)
{
    for (int32_t r = 0; r < count; r++) {
        int32_t t = w[0];
        prefetch(w);
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
    for (int64_t g = 0; g < run->count; g++) {
        const int32_t *head = w;
        int32_t kind = head[0] & ((1 << WLU_FEW_KIND_BITS) - 1), count = head[0] >> WLU_FEW_KIND_BITS;
        w += WLU_FEW_HEAD;
        switch (kind) {
#define WLU_CASES(form, scaled, scale) \
    case form *(WLU_FEW_LENGTHS + 1): w = run_group(w, v, count, 0, scaled, scale); break; \
    case form *(WLU_FEW_LENGTHS + 1) + 1: w = run_group(w, v, count, 1, scaled, scale); break; \
    case form *(WLU_FEW_LENGTHS + 1) + 2: w = run_group(w, v, count, 2, scaled, scale); break; \
    case form *(WLU_FEW_LENGTHS + 1) + 3: w = run_group(w, v, count, 3, scaled, scale); break; \
    case form *(WLU_FEW_LENGTHS + 1) + 4: w = run_group(w, v, count, 4, scaled, scale); break; \
    case form *(WLU_FEW_LENGTHS + 1) + 5: w = run_group(w, v, count, head[3], scaled, scale); break
            WLU_CASES(WLU_FEW_DOT, 0, 1.0);
            WLU_CASES(WLU_FEW_DOTS, 1, v[head[1]]);
            WLU_CASES(WLU_FEW_PIVOT, 1, take_reciprocal(head, v));
#undef WLU_CASES
        default: w = run_links(w, v, count, v[head[1]]); break;
        }
    }
    return w;
}

static inline const int32_t *run_rcp(const wlu_run *run, const int32_t *w, double *v, v8 *largest)
{
    v8 m = *largest;
    for (int64_t b = 0; b < run->count; b++) {
        const int32_t *t = w;
        if (!run->contiguous) w += 8;
        v8 r = v8_div(v8_set(1.0), v8_gather(v, w));
        w += 8;
        m = v8_max_bits(m, v8_abs(r));
        if (run->contiguous)
            v8_store(v + run->first + 8 * b, r);
        else
            v8_scatter(v, t, r);
    }
    *largest = m;
    return w;
}

/* The runs from one place to another. */
static inline void run_range(const wlu_packed *packed, const wlu_place *first, const wlu_place *end,
                             const double *source, double *v, area_maxima *m)
{
    const int32_t *w = packed->word + first->word;
    for (int64_t r = first->run; r < end->run; r++) {
        const wlu_run *run = &packed->run[r];
        switch (run->form) {
        case WLU_RUN_ACROSS:
            w = run->fused ? run_fused(run, source, w, v, packed->unit, &m->of[run->area])
                           : run_bundles(run, w, v, &m->of[run->area]);
            break;
        case WLU_RUN_LONG: w = run->scaled ? run_long(run, w, v, 1) : run_long(run, w, v, 0); break;
        case WLU_RUN_SINGLES: w = run_few(run, w, v); break;
        default: w = run_rcp(run, w, v, &m->of[run->area]); break;
        }
    }
}

static void run_stream(const wlu_packed *packed, int32_t first, int32_t end, const double *source, double *v,
                       wlu_maxima *largest)
{
    area_maxima m = no_maxima();
    run_range(packed, packed->place + first, packed->place + end, source, v, &m);
    if (largest != NULL) add_maxima(&m, largest);
}
