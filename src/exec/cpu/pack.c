/* Packing a DOT stream into runs of bundles. See image.h for the form. Two passes, the first only finds bundles and
 * counts: O(records + terms). */
#include "exec/cpu/pack.h"

#include "base/sort.h"

#include <string.h>

enum {
    FEW_RECORDS = 2, /* a bundle with this many lanes or fewer is packed as single records */
    NARROW = 7,      /* vectors of this many records or fewer, ... */
    SPAN_MIN = 8     /* this many of them in a row, run record by record in the order of emission */
};

static void close_run(wlu_cpu_packer *p)
{
    if (p->open.count == 0) return;
    if (p->run != NULL) p->run[p->nruns] = p->open;
    p->nruns++;
    p->open.count = 0;
}

void wlu_pack_extend(wlu_cpu_packer *p, wlu_run next)
{
    const wlu_run *open = &p->open;
    if (open->count > 0 && open->form == next.form && open->steps == next.steps && open->area == next.area &&
        (!wlu_run_traits_of[next.form].contiguous || next.first == open->first + LANES * open->count)) {
        p->open.count += next.count;
        return;
    }
    close_run(p);
    p->open = next;
}

/* Whether the bundle's targets are neighbours, and whether its records start from them. */
static void compare_targets(const wlu_stream *s, int64_t first, int count, int *contiguous, int *in_place)
{
    const int32_t *target = s->target + first, *start = s->start + first;
    int32_t apart = 0, moved = 0;
    if (count == LANES) {
        for (int k = 0; k < LANES; k++) {
            apart |= target[k] ^ (target[0] + k);
            moved |= target[k] ^ start[k];
        }
    } else {
        apart = 1;
        for (int k = 0; k < count; k++) moved |= target[k] ^ start[k];
    }
    *contiguous = apart == 0;
    *in_place = moved == 0;
}

/* Eight words: the field of each record of the bundle, padding in the other lanes. */
static void put_lanes(wlu_cpu_packer *p, const int32_t *field, int64_t first, int count, int64_t padding)
{
    int32_t *w = wlu_pack_take(p, LANES);
    if (w == NULL) return;
    memcpy(w, field + first, (size_t)count * sizeof *w);
    for (int k = count; k < LANES; k++) w[k] = (int32_t)padding;
}

/* Records' operands follow each other. */
static void put_across_terms(wlu_cpu_packer *p, int64_t first, int count, int64_t steps)
{
    const int64_t *begin = p->s->begin + first;
    const int32_t *operand = p->s->operand + 2 * begin[0];
    const int32_t zero = (int32_t)p->program->zero;
    int32_t *w = wlu_pack_take(p, 2 * LANES * steps);
    if (w == NULL) return;
    if (begin[LANES <= count ? LANES : 0] == begin[0] + LANES * steps) { /* most bundles: all are as long */
        for (int64_t step = 0; step < steps; step++, w += 2 * LANES)
            for (int k = 0; k < LANES; k++) {
                w[k] = operand[2 * (k * steps + step)];
                w[LANES + k] = operand[2 * (k * steps + step) + 1];
            }
        return;
    }
    for (int k = 0; k < LANES; k++) {
        int32_t *at = w + k, *end = at + 2 * LANES * steps;
        for (int64_t terms = k < count ? begin[k + 1] - begin[k] : 0; terms > 0; terms--) {
            at[0] = operand[0];
            at[LANES] = operand[1];
            at += 2 * LANES;
            operand += 2;
        }
        for (; at < end; at += 2 * LANES) at[0] = at[LANES] = zero;
    }
}

/* The form of bundles that have these traits; WLU_RUN_NONE where there is none. */
static wlu_run_form across_form(int opcode, int in_place, int contiguous, int fused, int judged)
{
#define WLU_TRAITS(opcode, in_place, contiguous, fused, judged) \
    ((opcode) << 4 | (in_place) << 3 | (contiguous) << 2 | (fused) << 1 | (judged))
    static const uint8_t form[] = {
#define WLU_ACROSS(name, ...) [WLU_TRAITS(__VA_ARGS__)] = WLU_RUN_##name,
#include "exec/cpu/across.def"
#undef WLU_ACROSS
    };
    return (wlu_run_form)form[WLU_TRAITS(opcode, in_place, contiguous, fused, judged)];
#undef WLU_TRAITS
}

/* Neighbouring records of one opcode and one class of length, at most eight of them; steps: terms of the longest. */
static wlu_pack_bundle group(const wlu_stream *s, int64_t first, int64_t end)
{
    const uint8_t *opcode = s->opcode + first;
    const int64_t *begin = s->begin + first;
    int64_t longest = 0, own = begin[1] - begin[0];
    int count, most = end - first < LANES ? (int)(end - first) : LANES, others = 0,
               is_long = own > WLU_DOT_IN_ORDER_MAX;
    for (int k = 0; k < most; k++) {
        int64_t length = begin[k + 1] - begin[k];
        longest = length > longest ? length : longest;
        others |= opcode[k] ^ opcode[0];
    }
    if (others == 0 && longest <= WLU_DOT_IN_ORDER_MAX) /* most bundles */
        return (wlu_pack_bundle){.steps = (int32_t)longest, .count = (uint8_t)most};
    longest = own;
    for (count = 1; count < most && opcode[count] == opcode[0]; count++) {
        int64_t length = begin[count + 1] - begin[count];
        if ((length > WLU_DOT_IN_ORDER_MAX) != is_long) break;
        longest = length > longest ? length : longest;
    }
    return (wlu_pack_bundle){.steps = (int32_t)longest, .count = (uint8_t)count};
}

static wlu_pack_bundle find_bundle(wlu_cpu_packer *p, int64_t first, int64_t end)
{
    const wlu_stream *s = p->s;
    wlu_pack_bundle bundle = group(s, first, end);
    if (bundle.count <= FEW_RECORDS || bundle.steps > WLU_DOT_IN_ORDER_MAX) return bundle;
    int opcode = s->opcode[first], chain = wlu_opcode_is_chain(opcode), contiguous, in_place;
    compare_targets(s, first, bundle.count, &contiguous, &in_place);
    if (!chain) in_place = 1;
    int fused = chain && in_place && contiguous && wlu_pack_fuse(p, s->target[first]);
    if (in_place && contiguous) bundle.area = (uint8_t)wlu_pack_area(p, s->target[first]);
    bundle.form = (uint8_t)across_form(opcode, in_place, contiguous, fused, bundle.area != WLU_AREA_NONE);
    return bundle;
}

static void pack_across(wlu_cpu_packer *p, int64_t first, wlu_pack_bundle bundle)
{
    const wlu_stream *s = p->s;
    const wlu_run_traits *traits = &wlu_run_traits_of[bundle.form];
    int32_t target = s->target[first];
    wlu_pack_extend(
        p, (wlu_run){.form = bundle.form, .area = bundle.area, .first = target, .steps = bundle.steps, .count = 1});
    if (traits->fused) wlu_pack_map(p, target, LANES);
    if (!traits->contiguous) put_lanes(p, s->target, first, bundle.count, p->program->trash);
    if (!traits->in_place) put_lanes(p, s->start, first, bundle.count, p->program->zero);
    if (wlu_opcode_has_divisor(traits->opcode)) put_lanes(p, s->divisor, first, bundle.count, p->program->zero);
    put_across_terms(p, first, bundle.count, bundle.steps);
}

/* Groups whose vectors follow each other level by level: of the factorization parts and the top, of a solve segments.
 */
static int64_t levelled_groups(const wlu_cpu_packer *p)
{
    return 1 + (int64_t)(p->solve != NULL ? p->solve->regions : p->program->parts);
}

/* And those of tiles, which are one vector each. All have places of their own. */
static int64_t group_count(const wlu_cpu_packer *p)
{
    return levelled_groups(p) + (p->solve != NULL ? 0 : wlu_lu_of(p->program)->tiles.count);
}

static int64_t first_vector(const wlu_cpu_packer *p, int64_t group)
{
    const wlu_program *q = p->program;
    if (p->solve != NULL) return p->solve->segment[group];
    return group <= q->parts + 1 ? q->part[group] : wlu_lu_of(q)->tiles.vector[group - q->parts - 1];
}

/* The vector behind the span of narrow vectors that begins at v, before last; v itself if there is none. */
static int64_t span_end(const wlu_stream *s, int64_t v, int64_t last)
{
    int64_t end = v;
    while (end < last && s->vector[end].count <= NARROW) end++;
    return end - v >= SPAN_MIN ? end : v;
}

static void pack_vector(wlu_cpu_packer *p, const wlu_vector *vector)
{
    for (int64_t r = vector->first, end = r + vector->count; r < end;) {
        wlu_pack_bundle *bundle = &p->bundle[p->nbundles++];
        if (p->word == NULL) {
            *bundle = find_bundle(p, r, end);
            for (int k = 0; bundle->form == WLU_RUN_NONE && k < bundle->count; k++) p->order[r + k] = r + k;
        }
        if (bundle->form == WLU_RUN_NONE)
            wlu_pack_singles(p, r, r + bundle->count);
        else
            pack_across(p, r, *bundle);
        r += bundle->count;
    }
}

/* The vectors of a levelled group. */
static void pack_levels(wlu_cpu_packer *p, int64_t v, int64_t last)
{
    const wlu_stream *s = p->s;
    while (v < last) {
        int64_t behind = span_end(s, v, last);
        if (behind == v) {
            pack_vector(p, &s->vector[v++]);
            continue;
        }
        int64_t end = s->vector[behind - 1].first + s->vector[behind - 1].count;
        wlu_pack_singles(p, s->vector[v].first, end);
        v = behind;
    }
}

static void pack_records(wlu_cpu_packer *p)
{
    p->nruns = p->nbundles = p->open.count = 0;
    for (int64_t g = 0; g < group_count(p); g++) {
        int64_t v = first_vector(p, g), last = first_vector(p, g + 1);
        if (p->place != NULL) p->place[g] = (wlu_place){p->nruns, p->nwords};
        if (g < levelled_groups(p)) pack_levels(p, v, last);
        for (; v < last && g >= levelled_groups(p); v++) pack_vector(p, &p->s->vector[v]);
        close_run(p);
    }
    if (p->place != NULL) p->place[group_count(p)] = (wlu_place){p->nruns, p->nwords};
}

/* Sorts the records of each narrow span by when they were emitted; equal ones keep the order of levels. */
static void order_span(wlu_cpu_packer *p, int64_t v, int64_t behind, wlu_sort_entry *entries, int64_t *count)
{
    const wlu_stream *s = p->s;
    int64_t first = s->vector[v].first, n = s->vector[behind - 1].first + s->vector[behind - 1].count - first;
    for (int64_t k = 0; k < n; k++) entries[k] = (wlu_sort_entry){(uint64_t)s->finished[first + k], first + k};
    const wlu_sort_entry *sorted = wlu_sort(entries, entries + n, n, count);
    for (int64_t k = 0; k < n; k++) p->order[first + k] = sorted[k].record;
}

static void order_spans(wlu_cpu_packer *p, wlu_sort_entry *entries, int64_t *count)
{
    for (int64_t g = 0; g < levelled_groups(p); g++)
        for (int64_t v = first_vector(p, g), last = first_vector(p, g + 1); v < last;) {
            int64_t behind = span_end(p->s, v, last);
            if (behind > v) order_span(p, v, behind, entries, count);
            v = behind > v ? behind : v + 1;
        }
}

/* What runs take with them is known when they have been counted, and says what ranges are left. */
static warplu_status pack(wlu_cpu_packer *p, wlu_context *ctx, wlu_packed *out)
{
    const size_t align = WORD_ALIGN * sizeof *out->word;
    wlu_pack_find_areas(p);
    wlu_pack_mark_targets(p);
    p->nwords = 0;
    pack_records(p);
    warplu_status status = wlu_pack_find_ranges(p, ctx, out);
    if (status < 0) return status;
    int64_t runs = p->nwords;
    wlu_pack_put_ranges(p, &out->load);
    out->unit = p->unit;
    out->nruns = p->nruns;
    out->nwords = p->nwords + runs;
    out->run = WLU_ALLOC(ctx, out->nruns, wlu_run);
    out->block = WLU_ALLOC(ctx, out->nwords + WORD_ALIGN, int32_t);
    out->nplaces = group_count(p) + 1;
    out->place = WLU_ALLOC(ctx, out->nplaces, wlu_place);
    if (out->run == NULL || out->block == NULL || out->place == NULL) return wlu_fail_memory(ctx, "packed program");
    out->word = (int32_t *)(((uintptr_t)out->block + align - 1) / align * align);
    p->run = out->run;
    p->word = out->word;
    p->place = out->place;
    wlu_pack_put_ranges(p, &out->load);
    pack_records(p);
    return WARPLU_SUCCESS;
}

warplu_status wlu_pack_stream(wlu_context *ctx, const wlu_program *program, const wlu_triangular *solve,
                              wlu_packed *out)
{
    const wlu_stream *stream = solve != NULL ? &solve->stream : &program->dot;
    const wlu_loads *loads = solve != NULL ? &solve->load : &program->load;
    wlu_cpu_packer p = {
        .program = program, .solve = solve, .s = stream, .loads = loads, .unit = wlu_pack_is_unit(loads)};
    memset(out, 0, sizeof *out);
    p.mark = WLU_CALLOC(ctx, program->nslots, uint8_t);
    p.order = WLU_ALLOC(ctx, stream->nrecords, int64_t);
    p.bundle = WLU_ALLOC(ctx, stream->nrecords, wlu_pack_bundle);
    wlu_sort_entry *entries = WLU_ALLOC(ctx, 2 * stream->nrecords, wlu_sort_entry);
    int64_t *count = WLU_ALLOC(ctx, WLU_SORT_DIGITS, int64_t);
    warplu_status status = WARPLU_SUCCESS;
    if (!WLU_ALL_THERE(p.mark, p.order, p.bundle, entries, count)) {
        status = wlu_fail_memory(ctx, "packed program");
    } else {
        order_spans(&p, entries, count);
        status = pack(&p, ctx, out);
    }
    wlu_free(ctx, p.mark);
    wlu_free(ctx, p.order);
    wlu_free(ctx, p.bundle);
    wlu_free(ctx, entries);
    wlu_free(ctx, count);
    if (status < 0) wlu_packed_free(ctx, out);
    return status;
}

void wlu_packed_free(wlu_context *ctx, wlu_packed *packed)
{
    wlu_free(ctx, packed->run);
    wlu_free(ctx, packed->place);
    wlu_free(ctx, packed->share);
    wlu_free(ctx, packed->load.range);
    wlu_free(ctx, packed->judged.range);
    wlu_free(ctx, packed->block);
    memset(packed, 0, sizeof *packed);
}

int64_t wlu_packed_bytes(const wlu_packed *packed)
{
    return packed->nruns * (int64_t)sizeof *packed->run +
           (packed->load.count + packed->judged.count) * (int64_t)sizeof *packed->load.range +
           packed->nplaces * (int64_t)sizeof *packed->place + packed->nwords * (int64_t)sizeof *packed->word;
}
