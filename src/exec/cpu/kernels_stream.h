/* Kernels of the packed DOT streams and their loads; a part of kernels.h. */

/* Largest magnitudes by wlu_area; what does not count goes into NONE. */
typedef struct area_maxima {
    v8 of[WLU_SLOT_AREAS];
} area_maxima;

static inline void clear_maxima(area_maxima *m)
{
    for (int k = 0; k < WLU_SLOT_AREAS; k++) m->of[k] = v8_zero();
}

static inline void add_maxima(const area_maxima *m, wlu_maxima *largest)
{
    for (int k = WLU_AREA_U; k < WLU_SLOT_AREAS; k++) wlu_maxima_add(largest, (wlu_area)k, largest_bits_of(m->of[k]));
}

WLU_INSTANCE n8 load_map(const int32_t *w, const double *source, int unit)
{
    n8 x = n8_gather_or_zero(source, w);
    return unit ? x : n8_scaled(v8_load_powers((const uint16_t *)(const void *)(w + 8)), x);
}

static inline void run_ranges(const wlu_packed *packed, const wlu_place *first, const wlu_place *end,
                              const double *source, double *v, int unit, area_maxima *m)
{
    const int32_t *w = packed->word + first->word;
    for (int64_t r = first->run; r < end->run; r++) {
        const wlu_range *range = &packed->load.range[r];
        double *out = numbers_from(v, range->first);
        double left[2][8];
        int64_t k = 0;
        v8 largest = m->of[range->area];
        for (; k < range->count; k += 8, w += unit ? UNIT_MAP_WORDS : MAP_WORDS) {
            prefetch(w);
            n8 x = load_map(w, source, unit);
            largest = v8_max_bits(largest, n8_size(x));
            if (k + 8 <= range->count) {
                n8_store(numbers_from(out, k), x);
            } else {
                double *last = left[0];
                n8_store(last, x);
                for (int64_t q = k; q < range->count; q++) wlu_number_put(out, q, wlu_number_at(last, q - k));
            }
        }
        m->of[range->area] = largest;
    }
}

static void run_load(const wlu_packed *packed, int32_t first, int32_t end, const double *source,
                     const wlu_host_slots *slots, wlu_maxima *largest)
{
    double *v = slots->v;
    area_maxima m;
    clear_maxima(&m);
    if (packed->unit)
        run_ranges(packed, packed->share + first, packed->share + end, source, v, 1, &m);
    else
        run_ranges(packed, packed->share + first, packed->share + end, source, v, 0, &m);
    if (largest != NULL) add_maxima(&m, largest);
}

/* The end of a single record, as ends_of. */
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_STREAM_OPCODE(name, shape, flops, compiled, semantics, end, stages) \
    case WLU_##name: return end;

WLU_INSTANCE wlu_number end_of(int opcode, wlu_number x, wlu_number d)
{
    switch (opcode) {
#define TIMES(a, b) wlu_mul(a, b)
#define MINUS(a, b) wlu_sub(a, b)
#define OVER(a) wlu_invert(a)
#include "program/opcodes.def"
#undef OVER
#undef MINUS
#undef TIMES
    }
    return wlu_number_of(NAN, NAN);
}
#undef WLU_OPCODE

WLU_INSTANCE const int32_t *run_across(const wlu_run *run, const double *source, const int32_t *w, double *v,
                                       v8 *largest, int opcode, int in_place, int contiguous, int fused, int unit)
{
    int32_t steps = wlu_opcode_is_chain(opcode) ? run->steps : 0;
    v8 m = largest != NULL ? *largest : v8_zero();
    for (int64_t b = 0; b < run->count; b++) {
        int64_t target = run->first + 8 * b;
        const int32_t *t = w;
        n8 acc = n8_zero();
        prefetch(w);
        if (!contiguous) w += 8;
        if (fused) {
            acc = load_map(w, source, unit);
            w += unit ? UNIT_MAP_WORDS : MAP_WORDS;
        } else if (in_place && wlu_opcode_is_chain(opcode)) {
            acc = contiguous ? n8_load(numbers_from(v, target)) : n8_gather(v, t);
        } else if (!in_place) {
            acc = n8_gather(v, w);
            w += 8;
        }
        n8 divisor = wlu_opcode_has_divisor(opcode) ? n8_gather(v, w) : n8_zero();
        if (wlu_opcode_has_divisor(opcode)) w += 8;
        for (int32_t s = 0; s < steps; s++, w += 16) {
            prefetch(w);
            acc = n8_fnma(n8_gather(v, w), n8_gather(v, w + 8), acc);
        }
        acc = ends_of(opcode, n8_settled(acc), divisor);
        if (largest != NULL) m = v8_max_bits(m, n8_size(acc));
        if (contiguous)
            n8_store(numbers_from(v, target), acc);
        else
            n8_scatter(v, t, acc);
    }
    if (largest != NULL) *largest = m;
    return w;
}

/* A group's records, one after the other; len is a constant in most instances. */
static inline const int32_t *run_group(const int32_t *w, double *v, int32_t count, int32_t len, int opcode,
                                       wlu_number divisor)
{
    for (int32_t r = 0; r < count; r++) {
        int32_t t = w[0];
        prefetch(w);
        wlu_number acc = wlu_number_at(v, w[1]);
        w += 2;
        for (int32_t k = 0; k < len; k++, w += 2) acc = wlu_fnma(wlu_number_at(v, w[0]), wlu_number_at(v, w[1]), acc);
        wlu_number_put(v, t, end_of(opcode, wlu_settled(acc), divisor));
    }
    return w;
}

/* The same of long chains. */
static inline const int32_t *run_long(const int32_t *w, double *v, int32_t count, int32_t len, int opcode,
                                      wlu_number divisor)
{
    for (int32_t r = 0; r < count; r++) {
        const int32_t *head = w, *end = w + 2 + 2 * (int64_t)len;
        n8 acc = n8_zero();
        for (w += 2; w < end; w += 16) {
            prefetch(w);
            acc = n8_fma(n8_gather(v, w), n8_gather(v, w + 8), acc);
        }
        wlu_number_put(v, head[0],
                       end_of(opcode, wlu_settled(wlu_sub(wlu_number_at(v, head[1]), n8_tree(acc))), divisor));
    }
    return w;
}

/* The pivot goes from link to link in a register. */
static inline const int32_t *run_links(const int32_t *w, double *v, int32_t count, wlu_number pivot)
{
    for (int32_t k = 0; k < count; k++, w += 4) {
        wlu_number r = wlu_invert(pivot), l = wlu_mul(wlu_settled(wlu_number_at(v, w[1])), r);
        pivot = wlu_settled(wlu_fnma(l, wlu_number_at(v, w[2]), wlu_number_at(v, w[3])));
        wlu_number_put(v, w[0], r);
        wlu_number_put(v, w[1], l);
        wlu_number_put(v, w[3], pivot);
    }
    return w;
}

static inline wlu_number take_reciprocal(const int32_t *head, double *v)
{
    wlu_number r = wlu_invert(wlu_number_at(v, head[1]));
    wlu_number_put(v, head[2], r);
    return r;
}

/* A form, or a kind of group, that no packer makes and the verifier of images (verify.h) refuses: the run's first
 * target and what the guards see are no numbers, so that nobody takes the result for one. */
static const int32_t *run_unknown(const wlu_run *run, const int32_t *w, double *v, area_maxima *m)
{
    wlu_number_put(v, run->first, wlu_number_of(NAN, NAN));
    for (int k = 0; k < WLU_SLOT_AREAS; k++) m->of[k] = v8_set(NAN);
    return w;
}

static inline const int32_t *run_singles(const wlu_run *run, const int32_t *w, double *v, area_maxima *m)
{
    for (int64_t g = 0; g < run->count; g++) {
        const int32_t *head = w;
        int32_t count = head[0] >> WLU_SINGLES_KIND_BITS;
        w += WLU_SINGLES_HEAD;
        switch ((wlu_singles_kind)(head[0] & ((1 << WLU_SINGLES_KIND_BITS) - 1))) {
#define WLU_CASES(form, opcode, divisor) \
    case WLU_SINGLES_##form##_0: w = run_group(w, v, count, 0, opcode, divisor); continue; \
    case WLU_SINGLES_##form##_1: w = run_group(w, v, count, 1, opcode, divisor); continue; \
    case WLU_SINGLES_##form##_2: w = run_group(w, v, count, 2, opcode, divisor); continue; \
    case WLU_SINGLES_##form##_3: w = run_group(w, v, count, 3, opcode, divisor); continue; \
    case WLU_SINGLES_##form##_4: w = run_group(w, v, count, 4, opcode, divisor); continue; \
    case WLU_SINGLES_##form##_ANY: w = run_group(w, v, count, head[3], opcode, divisor); continue; \
    case WLU_SINGLES_##form##_LONG: \
        w = run_long(w, v, count, head[3], opcode, divisor); \
        continue
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_CHAIN_OPCODE(name, shape, flops, compiled, semantics, end, stages) \
    WLU_CASES(name, WLU_##name, wlu_opcode_has_divisor(WLU_##name) ? wlu_number_at(v, head[1]) : wlu_zero());
#include "program/opcodes.def"
#undef WLU_OPCODE
            WLU_CASES(PIVOT, WLU_DOTS, take_reciprocal(head, v));
#undef WLU_CASES
        case WLU_SINGLES_LINKS: w = run_links(w, v, count, wlu_number_at(v, head[1])); continue;
        case WLU_SINGLES_KINDS: break;
        }
        return run_unknown(run, w, v, m);
    }
    return w;
}

/* One instance for each form, so that none of them branches inside. */
WLU_INSTANCE const int32_t *run_one(const wlu_packed *packed, const wlu_run *run, const double *source,
                                    const int32_t *w, double *v, area_maxima *m)
{
    v8 *largest = &m->of[run->area];
    switch ((wlu_run_form)run->form) {
#define WLU_ACROSS(name, opcode, in_place, contiguous, fused, judged) \
    case WLU_RUN_##name: \
        return fused && packed->unit \
                   ? run_across(run, source, w, v, judged ? largest : NULL, opcode, in_place, contiguous, fused, 1) \
                   : run_across(run, source, w, v, judged ? largest : NULL, opcode, in_place, contiguous, fused, 0);
#include "exec/cpu/across.def"
#undef WLU_ACROSS
    case WLU_RUN_SINGLES: return run_singles(run, w, v, m);
    case WLU_RUN_NONE:
    case WLU_RUN_FORMS: break;
    }
    return run_unknown(run, w, v, m);
}

/* The runs from one place to another. */
static void run_range(const wlu_packed *packed, const wlu_place *first, const wlu_place *end, const double *source,
                      double *v, area_maxima *m)
{
    const int32_t *w = packed->word + first->word;
    for (int64_t r = first->run; r < end->run; r++) w = run_one(packed, &packed->run[r], source, w, v, m);
}

static void run_stream(const wlu_packed *packed, int32_t first, int32_t end, const double *source,
                       const wlu_host_slots *slots, wlu_maxima *largest)
{
    double *v = slots->v;
    area_maxima m;
    clear_maxima(&m);
    run_range(packed, packed->place + first, packed->place + end, source, v, &m);
    if (largest != NULL) add_maxima(&m, largest);
}
