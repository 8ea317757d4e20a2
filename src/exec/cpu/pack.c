/* Packing a DOT stream into runs of bundles. See image.h for the form. Two passes, the first only counts:
 * O(records + terms). */
#include "exec/cpu/pack.h"

#include "base/power.h"
#include "base/sort.h"

#include <string.h>

enum {
    FEW_RECORDS = 2,     /* a bundle with this many lanes or fewer is packed as single records */
    NARROW = 7,          /* vectors of this many records or fewer, ... */
    SHARED_SLOTS = 1024, /* loads are shared between threads by so many */
    SPAN_MIN = 8,        /* this many of them in a row, run record by record in the emitter's order */
    WORD_ALIGN = 16      /* words in 64 bytes */
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
    if (open->count > 0 && open->form == next.form && open->steps == next.steps && open->scaled == next.scaled &&
        open->in_place == next.in_place && open->contiguous == next.contiguous && open->fused == next.fused &&
        open->area == next.area && (!next.contiguous || next.first == open->first + LANES * open->count)) {
        p->open.count += next.count;
        return;
    }
    close_run(p);
    p->open = next;
}

/* Whether the bundle's targets are neighbours. */
static int is_contiguous(const wlu_stream *s, int64_t first, int count)
{
    for (int k = 1; k < count; k++)
        if (s->target[first + k] != s->target[first] + k) return 0;
    return count == LANES;
}

/* The area of a slot whose magnitude the guards want. */
static wlu_area area_of(const wlu_cpu_packer *p, int64_t slot)
{
    const wlu_program *q = p->program;
    if (p->solve != NULL || slot >= q->panels) return WLU_AREA_NONE;
    return slot >= q->reciprocal ? WLU_AREA_RECIPROCAL
           : slot >= q->f        ? WLU_AREA_F
           : slot >= q->l        ? WLU_AREA_L
                                 : WLU_AREA_U;
}

static void mark(wlu_cpu_packer *p, int64_t first, uint8_t what)
{
    for (int k = 0; k < LANES; k++) p->mark[first + k] |= what;
}

/* The area that eight neighbouring targets are in; notes that their run judges them. */
static wlu_area take_area(wlu_cpu_packer *p, int64_t first)
{
    wlu_area area = area_of(p, first);
    if (area == WLU_AREA_NONE || area != area_of(p, first + LANES - 1)) return WLU_AREA_NONE;
    mark(p, first, JUDGED);
    return area;
}

/* Whether a bundle's targets from `first` on are all loaded by the load map; notes that the bundle does it. */
static int take_loads(wlu_cpu_packer *p, int64_t first)
{
    if (first < p->loads->first || first + LANES > p->loads->first + p->loads->count) return 0;
    mark(p, first, LOADED);
    return 1;
}

/* The load map of eight slots from `first` on, or of the first count of them. */
static void put_map(wlu_cpu_packer *p, int64_t first, int64_t count)
{
    if (p->word != NULL) {
        const wlu_loads *l = p->loads;
        int32_t *w = p->word + p->nwords;
        uint16_t upper[LANES] = {0};
        for (int64_t k = 0; k < LANES; k++) {
            int64_t at = first - l->first + k;
            w[k] = k < count ? l->source[at] : -1;
            if (w[k] >= 0) upper[k] = (uint16_t)(wlu_bits_of_double(l->scale[at]) >> 48);
        }
        if (!p->unit) memcpy(w + LANES, upper, sizeof upper);
    }
    p->nwords += p->unit ? LANES : LANES + LANES / 2;
}

static int is_unit(const wlu_loads *l)
{
    for (int64_t k = 0; k < l->count; k++)
        if (l->source[k] >= 0 && l->scale[k] != 1.0) return 0;
    return 1;
}

/* Whether a range has to load slot k, and the area it counts for if it stays as it is. */
static int wanted_load(const wlu_cpu_packer *p, int64_t k, wlu_area *area)
{
    *area = p->mark[k] & TARGET ? WLU_AREA_NONE : area_of(p, k);
    return (p->mark[k] & LOADED) == 0;
}

static int wanted_judgement(const wlu_cpu_packer *p, int64_t k, wlu_area *area)
{
    *area = area_of(p, k);
    return *area != WLU_AREA_NONE && (p->mark[k] & JUDGED) == 0;
}

/* The ranges of slots first .. end - 1 that are wanted; counted only where range is NULL. */
static int64_t find_ranges(const wlu_cpu_packer *p, int64_t first, int64_t end,
                           int (*wanted)(const wlu_cpu_packer *, int64_t, wlu_area *), wlu_range *range)
{
    int64_t count = 0, most = p->solve == NULL && p->program->parts > 1 ? SHARED_SLOTS : INT64_MAX;
    for (int64_t k = first; k < end;) {
        wlu_area area, next;
        if (!wanted(p, k, &area)) {
            k++;
            continue;
        }
        int64_t begin = k++;
        while (k < end && k - begin < most && wanted(p, k, &next) && next == area) k++;
        if (range != NULL) range[count] = (wlu_range){begin, k - begin, (int32_t)area};
        count++;
    }
    return count;
}

static warplu_status make_ranges(const wlu_cpu_packer *p, wlu_context *ctx, int64_t first, int64_t end,
                                 int (*wanted)(const wlu_cpu_packer *, int64_t, wlu_area *), wlu_cpu_ranges *out)
{
    out->count = find_ranges(p, first, end, wanted, NULL);
    out->range = WLU_ALLOC(ctx, out->count, wlu_range);
    if (out->range == NULL) return wlu_fail_memory(ctx, "packed program");
    find_ranges(p, first, end, wanted, out->range);
    return WARPLU_SUCCESS;
}

/* Where each part's loads begin, word by word as they are put; the guards' entries are the last part's first. */
static void share_loads(const wlu_cpu_packer *p, const wlu_cpu_ranges *load, wlu_place *share)
{
    int64_t total = p->solve == NULL ? p->program->guard.entries : 0, before = 0, word = 0;
    int32_t part = 0, parts = p->solve == NULL ? p->program->parts : 1;
    for (int64_t r = 0; r < load->count; r++) total += load->range[r].count;
    for (int64_t r = 0; r < load->count; r++) {
        while (part < parts && before * parts >= total * part) share[part++] = (wlu_place){r, word};
        before += load->range[r].count;
        word += (load->range[r].count + LANES - 1) / LANES * (p->unit ? UNIT_MAP_WORDS : MAP_WORDS);
    }
    while (part <= parts) share[part++] = (wlu_place){load->count, word};
}

static void mark_targets(wlu_cpu_packer *p)
{
    for (int64_t r = 0; r < p->s->nrecords; r++) p->mark[p->s->target[r]] |= TARGET;
}

/* What is loaded, stays and counts is judged by its load. */
static void mark_loads(wlu_cpu_packer *p)
{
    const wlu_loads *l = p->loads;
    for (int64_t k = l->first; k < l->first + l->count; k++)
        if ((p->mark[k] & TARGET) == 0) p->mark[k] |= JUDGED;
}

/* Eight words: f of each record of the bundle, padding in the other lanes. */
static void put_lanes(wlu_cpu_packer *p, const int32_t *field, int64_t first, int count, int64_t padding)
{
    if (p->word != NULL)
        for (int k = 0; k < LANES; k++) p->word[p->nwords + k] = k < count ? field[first + k] : (int32_t)padding;
    p->nwords += LANES;
}

static void put_across_terms(wlu_cpu_packer *p, int64_t first, int count, int64_t steps)
{
    const wlu_stream *s = p->s;
    if (p->word != NULL)
        for (int k = 0; k < LANES; k++) {
            int32_t *w = p->word + p->nwords + k;
            int64_t len = k < count ? wlu_pack_length(s, first + k) : 0;
            const int32_t *operand = k < count ? s->operand + 2 * s->begin[first + k] : NULL;
            for (int64_t i = 0; i < steps; i++) {
                w[2 * LANES * i] = i < len ? operand[2 * i] : (int32_t)p->program->zero;
                w[2 * LANES * i + LANES] = i < len ? operand[2 * i + 1] : (int32_t)p->program->zero;
            }
        }
    p->nwords += 2 * LANES * steps;
}

static void pack_across(wlu_cpu_packer *p, int64_t first, int count)
{
    const wlu_stream *s = p->s;
    wlu_run run = {.form = WLU_RUN_ACROSS, .scaled = s->opcode[first] == WLU_DOTS, .count = 1};
    run.in_place = 1;
    run.contiguous = (uint8_t)is_contiguous(s, first, count);
    run.first = s->target[first];
    for (int k = 0; k < count; k++) {
        int64_t len = wlu_pack_length(s, first + k);
        if (len > run.steps) run.steps = (int32_t)len;
        run.in_place &= s->start[first + k] == s->target[first + k];
    }
    run.fused = run.in_place && run.contiguous && take_loads(p, run.first);
    if (run.in_place && run.contiguous) run.area = (uint8_t)take_area(p, run.first);
    wlu_pack_extend(p, run);
    if (run.fused) put_map(p, run.first, LANES);
    if (!run.contiguous) put_lanes(p, s->target, first, count, p->program->trash);
    if (!run.in_place) put_lanes(p, s->start, first, count, p->program->zero);
    if (run.scaled) put_lanes(p, s->divisor, first, count, p->program->zero);
    put_across_terms(p, first, count, run.steps);
}

static void pack_long(wlu_cpu_packer *p, int64_t r)
{
    const wlu_stream *s = p->s;
    int64_t len = wlu_pack_length(s, r), steps = (len + LANES - 1) / LANES;
    wlu_pack_extend(
        p, (wlu_run){.form = WLU_RUN_LONG, .scaled = s->opcode[r] == WLU_DOTS, .steps = (int32_t)steps, .count = 1});
    if (p->word != NULL) {
        int32_t *w = p->word + p->nwords;
        memset(w, 0, LANES * sizeof *w);
        w[0] = s->target[r];
        w[1] = s->start[r];
        w[2] = s->opcode[r] == WLU_DOTS ? s->divisor[r] : (int32_t)p->program->zero;
        const int32_t *operand = s->operand + 2 * s->begin[r];
        for (int64_t i = 0; i < steps * LANES; i++) {
            int32_t *at = w + LANES + 2 * LANES * (i / LANES) + i % LANES;
            at[0] = i < len ? operand[2 * i] : (int32_t)p->program->zero;
            at[LANES] = i < len ? operand[2 * i + 1] : (int32_t)p->program->zero;
        }
    }
    p->nwords += LANES + 2 * LANES * steps;
}

static void pack_reciprocals(wlu_cpu_packer *p, int64_t first, int count)
{
    wlu_run run = {.form = WLU_RUN_RCP, .count = 1, .first = p->s->target[first]};
    run.contiguous = (uint8_t)is_contiguous(p->s, first, count);
    if (run.contiguous) run.area = (uint8_t)take_area(p, run.first);
    wlu_pack_extend(p, run);
    if (!run.contiguous) put_lanes(p, p->s->target, first, count, p->program->trash);
    put_lanes(p, p->s->divisor, first, count, p->program->zero);
}

/* Neighbouring records of one opcode and one class of length, at most eight of them. */
static int group(const wlu_stream *s, int64_t first, int64_t end)
{
    int count = 1;
    while (count < LANES && first + count < end && s->opcode[first + count] == s->opcode[first] &&
           wlu_pack_length(s, first + count) <= WLU_DOT_IN_ORDER_MAX)
        count++;
    return count;
}

/* Groups whose vectors follow each other level by level: of the factorization parts and the top, of a solve its parts.
 */
static int64_t levelled_groups(const wlu_cpu_packer *p)
{
    return 1 + (int64_t)(p->solve != NULL ? p->solve->regions : p->program->parts);
}

/* And those of tiles, which are one vector each. All have places of their own. */
static int64_t group_count(const wlu_cpu_packer *p)
{
    return levelled_groups(p) + (p->solve != NULL ? 0 : p->program->tiles.count);
}

static int64_t first_vector(const wlu_cpu_packer *p, int64_t group)
{
    const wlu_program *q = p->program;
    if (p->solve != NULL) return p->solve->part[group];
    return group <= q->parts ? q->part[group] : q->tiles.vector[group - q->parts - 1];
}

/* The vector behind the span of narrow vectors that begins at v, before last; v itself if there is none. */
static int64_t span_end(const wlu_stream *s, int64_t v, int64_t last)
{
    int64_t end = v;
    while (end < last && s->vector[end].count <= NARROW) end++;
    return end - v >= SPAN_MIN ? end : v;
}

/* The records at the places first .. end - 1 one by one. */
static void pack_singles(wlu_cpu_packer *p, int64_t first, int64_t end)
{
    while (first < end) {
        if (wlu_pack_length(p->s, p->order[first]) > WLU_DOT_IN_ORDER_MAX)
            pack_long(p, p->order[first++]);
        else
            first = wlu_pack_group(p, first, end);
    }
}

static void pack_vector(wlu_cpu_packer *p, const wlu_vector *vector)
{
    const wlu_stream *s = p->s;
    int64_t r = vector->first, end = r + vector->count;
    while (r < end) {
        int count = group(s, r, end);
        if (wlu_pack_length(s, r) > WLU_DOT_IN_ORDER_MAX) {
            pack_long(p, r);
            count = 1;
        } else if (count <= FEW_RECORDS) {
            pack_singles(p, r, r + count);
        } else if (s->opcode[r] == WLU_RCP) {
            pack_reciprocals(p, r, count);
        } else {
            pack_across(p, r, count);
        }
        r += count;
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
        pack_singles(p, s->vector[v].first, end);
        v = behind;
    }
}

static void pack_records(wlu_cpu_packer *p)
{
    p->nruns = p->open.count = 0;
    for (int64_t g = 0; g < group_count(p); g++) {
        int64_t v = first_vector(p, g), last = first_vector(p, g + 1);
        if (p->place != NULL) p->place[g] = (wlu_place){p->nruns, p->nwords};
        if (g < levelled_groups(p)) pack_levels(p, v, last);
        for (; v < last && g >= levelled_groups(p); v++) pack_vector(p, &p->s->vector[v]);
        close_run(p);
    }
    if (p->place != NULL) p->place[group_count(p)] = (wlu_place){p->nruns, p->nwords};
}

/* Sorts the records of each narrow span by when the emitter finished them; equal ones keep the order of levels. */
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
    for (int64_t k = 0; k < p->s->nrecords; k++) p->order[k] = k;
    for (int64_t g = 0; g < levelled_groups(p); g++)
        for (int64_t v = first_vector(p, g), last = first_vector(p, g + 1); v < last;) {
            int64_t behind = span_end(p->s, v, last);
            if (behind > v) order_span(p, v, behind, entries, count);
            v = behind > v ? behind : v + 1;
        }
}

static void put_load_ranges(wlu_cpu_packer *p, const wlu_cpu_ranges *load)
{
    p->nwords = 0;
    for (int64_t r = 0; r < load->count; r++)
        for (int64_t k = 0; k < load->range[r].count; k += LANES)
            put_map(p, load->range[r].first + k, load->range[r].count - k);
    p->nwords = (p->nwords + WORD_ALIGN - 1) / WORD_ALIGN * WORD_ALIGN;
}

/* What runs take with them is known when they have been counted, and says what ranges are left. */
static warplu_status pack(wlu_cpu_packer *p, wlu_context *ctx, wlu_packed *out)
{
    const size_t align = WORD_ALIGN * sizeof *out->word;
    const wlu_program *q = p->program;
    mark_targets(p);
    p->nwords = 0;
    pack_records(p);
    if (p->solve == NULL) mark_loads(p);
    warplu_status status =
        make_ranges(p, ctx, p->loads->first, p->loads->first + p->loads->count, wanted_load, &out->load);
    if (status == WARPLU_SUCCESS && p->solve == NULL)
        status = make_ranges(p, ctx, q->u, q->panels, wanted_judgement, &out->judged);
    if (status < 0) return status;
    int64_t runs = p->nwords;
    put_load_ranges(p, &out->load);
    out->share = WLU_ALLOC(ctx, (p->solve == NULL ? (int64_t)q->parts : 1) + 1, wlu_place);
    if (out->share == NULL) return wlu_fail_memory(ctx, "packed program");
    share_loads(p, &out->load, out->share);
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
    put_load_ranges(p, &out->load);
    pack_records(p);
    return WARPLU_SUCCESS;
}

warplu_status wlu_pack_stream(wlu_context *ctx, const wlu_program *program, const wlu_triangular *solve,
                              wlu_packed *out)
{
    const wlu_stream *stream = solve != NULL ? &solve->stream : &program->dot;
    const wlu_loads *loads = solve != NULL ? &solve->load : &program->load;
    wlu_cpu_packer p = {.program = program, .solve = solve, .s = stream, .loads = loads, .unit = is_unit(loads)};
    memset(out, 0, sizeof *out);
    p.mark = WLU_CALLOC(ctx, program->nslots, uint8_t);
    p.order = WLU_ALLOC(ctx, stream->nrecords, int64_t);
    wlu_sort_entry *entries = WLU_ALLOC(ctx, 2 * stream->nrecords, wlu_sort_entry);
    int64_t *count = WLU_ALLOC(ctx, WLU_SORT_DIGITS, int64_t);
    warplu_status status = WARPLU_SUCCESS;
    if (p.mark == NULL || p.order == NULL || entries == NULL || count == NULL) {
        status = wlu_fail_memory(ctx, "packed program");
    } else {
        order_spans(&p, entries, count);
        status = pack(&p, ctx, out);
    }
    wlu_free(ctx, p.mark);
    wlu_free(ctx, p.order);
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
