/* Records of a stream into bundles: sorted by level, shape and length, 32 short or 4 long ones side by side, or a very long
 * one.
 *
 * A level is one more than the highest level among a record's operands, over the whole stream, so that what lies in one
 * bundle never waits for its neighbours and bundles in the order of levels are in topological order.
 * O(records + terms) time; 40 bytes a record beside the result. */
#include "exec/device/pack_stream.h"

#include "base/sort.h"

/* Records of more terms have a warp of their own, and so have partial sums and their readers: 16 rounds of looks at eight lanes,
 * three at 32. */
enum { NO_RECORD = -1, WIDE_TERMS = 512 };

warplu_status wlu_packer_create(wlu_context *ctx, const wlu_program *p, const wlu_stream *stream, wlu_packer *k)
{
    int64_t slots = p->nslots, records = stream->nrecords;
    *k = (wlu_packer){.ctx = ctx, .zero = (int32_t)p->zero, .minus_one = (int32_t)p->minus_one};
    k->level = WLU_CALLOC(ctx, slots, int32_t);
    k->at = WLU_ALLOC(ctx, slots, int32_t);
    k->record = WLU_ALLOC(ctx, records, wlu_packed_record);
    if (k->level == NULL || k->at == NULL || k->record == NULL) return wlu_fail_memory(ctx, "records for the device");
    for (int64_t s = 0; s < slots; s++) k->at[s] = NO_RECORD;
    return WARPLU_SUCCESS;
}

void wlu_packer_free(wlu_packer *k)
{
    wlu_free(k->ctx, k->level);
    wlu_free(k->ctx, k->at);
    wlu_free(k->ctx, k->record);
}

static void raise_level(const wlu_packer *k, int32_t slot, int32_t *level)
{
    if (k->level[slot] > *level) *level = k->level[slot];
}

/* Partial sums come just before the record that reads them, their reader: earlier they would stand among narrow levels, where
 * they are in the way. */
static void raise_sums(wlu_packer *k, wlu_packed_record *reader, int32_t level)
{
    for (int32_t t = reader->terms; t > 0 && reader->operand[2 * t - 2] == k->minus_one; t--) {
        int32_t slot = reader->operand[2 * t - 1];
        wlu_packed_record *sum = &k->record[k->at[slot]];
        sum->wide = reader->wide = 1;
        sum->level = k->level[slot] = level;
        reader->level = level + 1;
    }
}

/* The reciprocal of a pivot goes with the record that computes the pivot, or is one of its own. */
static void add_reciprocal(wlu_packer *k, const wlu_stream *s, int64_t r)
{
    int32_t pivot = s->divisor[r], at = k->at[pivot];
    if (at == NO_RECORD) {
        at = (int32_t)k->count++;
        k->record[at] = (wlu_packed_record){.level = 1, .record = {.target = pivot}};
        k->at[pivot] = at;
        k->level[pivot] = 1;
    }
    wlu_packed_record *x = &k->record[at];
    x->record.other = s->target[r];
    x->record.flags |= WLU_RECORD_RECIPROCAL;
    k->level[s->target[r]] = x->level;
}

void wlu_packer_add(wlu_packer *k, const wlu_stream *s, int64_t first, int64_t end)
{
    int32_t before = k->highest;
    for (int64_t r = first; r < end; r++) {
        if (s->opcode[r] == WLU_RCP) {
            add_reciprocal(k, s, r);
            continue;
        }
        int32_t level = before, sums = before;
        for (int64_t q = 2 * s->begin[r]; q < 2 * s->begin[r + 1]; q += 2) {
            raise_level(k, s->operand[q], &level);
            raise_level(k, s->operand[q + 1], s->operand[q] == k->minus_one ? &sums : &level);
        }
        wlu_packed_record x = {.operand = s->operand + 2 * s->begin[r], .terms = (int32_t)(s->begin[r + 1] - s->begin[r])};
        x.record.target = s->target[r];
        x.record.start = s->start[r];
        if (s->start[r] != s->target[r] || k->at[s->start[r]] != NO_RECORD) {
            x.record.flags |= WLU_RECORD_FROM_SLOT;
            raise_level(k, s->start[r], &level);
        }
        if (s->opcode[r] == WLU_DOTS) {
            x.record.flags |= WLU_RECORD_SCALED;
            x.record.other = s->divisor[r];
            raise_level(k, s->divisor[r], &level);
        }
        x.level = level + 1;
        raise_sums(k, &x, sums > x.level ? sums : x.level);
        if (x.level > k->highest) k->highest = x.level;
        k->level[s->target[r]] = x.level;
        k->at[s->target[r]] = (int32_t)k->count;
        k->record[k->count++] = x;
    }
}

/* -------------------------------------------------------------- bundles */

static int is_long(const wlu_packed_record *x)
{
    return x->terms > WLU_DOT_IN_ORDER_MAX;
}

static wlu_bundle_shape shape_of(const wlu_packed_record *x)
{
    return !is_long(x) ? WLU_BUNDLE_SHORT : x->wide || x->terms > WIDE_TERMS ? WLU_BUNDLE_WIDE : WLU_BUNDLE_LONG;
}

static int lanes_of(const wlu_packed_record *x)
{
    static const int lanes[] = {1, WLU_DOT_LANES, WLU_WARP};
    return lanes[shape_of(x)];
}

static int32_t steps_of(const wlu_packed_record *x)
{
    return (x->terms + lanes_of(x) - 1) / lanes_of(x);
}

/* Ascending level, wide ones first, then long ones, longer ones first. */
static uint64_t key_of(const wlu_packed_record *x)
{
    return (uint64_t)x->level << 33 | (uint64_t)(WLU_BUNDLE_WIDE - shape_of(x)) << 31 | (uint64_t)(INT32_MAX - x->terms);
}

/* Operands of one record, transposed: lanes of it from `lane` on. */
static void put_operands(const wlu_packed_record *x, int32_t *pairs, int lane)
{
    int lanes = lanes_of(x);
    for (int32_t t = 0; t < x->terms; t++) {
        int64_t to = WLU_WARP * (int64_t)(t / lanes) + lane + t % lanes;
        pairs[2 * to] = x->operand[2 * t];
        pairs[2 * to + 1] = x->operand[2 * t + 1];
    }
}

/* Sorted records into bundles; with bundle NULL only counted. Returns the rows of operands. */
static int64_t cut(const wlu_packer *k, const wlu_sort_entry *sorted, wlu_stream_image *out, int64_t *bundles)
{
    int64_t rows = 0;
    *bundles = 0;
    for (int64_t q = 0; q < k->count;) {
        const wlu_packed_record *first = &k->record[sorted[q].record];
        int lanes = lanes_of(first), room = WLU_WARP / lanes, in = 0;
        int32_t steps = steps_of(first);
        while (q + in < k->count && in < room) {
            const wlu_packed_record *x = &k->record[sorted[q + in].record];
            if (x->level != first->level || lanes_of(x) != lanes) break;
            in++;
        }
        if (out != NULL) {
            int32_t *pairs = out->operand + 2 * WLU_WARP * rows;
            for (int64_t p = 0; p < 2 * (int64_t)WLU_WARP * steps; p++) pairs[p] = k->zero;
            for (int r = 0; r < in; r++) {
                const wlu_packed_record *x = &k->record[sorted[q + r].record];
                put_operands(x, pairs, lanes * r);
                out->record[q + r] = x->record;
            }
            out->bundle[*bundles] = (wlu_bundle){.operand = (int32_t)rows,
                                                 .first = (int32_t)q,
                                                 .steps = steps,
                                                 .shape = (uint8_t)shape_of(first),
                                                 .records = (uint8_t)in,
                                                 .level = (uint16_t)(first->level & UINT16_MAX)};
        }
        rows += steps;
        q += in;
        ++*bundles;
    }
    return rows;
}

static warplu_status sort(const wlu_packer *k, wlu_sort_entry **entries, const wlu_sort_entry **sorted)
{
    int64_t *digits = WLU_ALLOC(k->ctx, WLU_SORT_DIGITS, int64_t);
    *entries = WLU_ALLOC(k->ctx, 2 * k->count, wlu_sort_entry);
    if (*entries != NULL && digits != NULL) {
        for (int64_t r = 0; r < k->count; r++) (*entries)[r] = (wlu_sort_entry){key_of(&k->record[r]), r};
        *sorted = wlu_sort(*entries, *entries + k->count, k->count, digits);
    }
    wlu_free(k->ctx, digits);
    return *sorted != NULL ? WARPLU_SUCCESS : wlu_fail_memory(k->ctx, "order of the records for the device");
}

warplu_status wlu_packer_bundle(wlu_packer *k, int64_t head, int64_t tail, wlu_stream_image *out)
{
    wlu_sort_entry *entries = NULL;
    const wlu_sort_entry *sorted = NULL;
    int64_t bundles;
    warplu_status status = sort(k, &entries, &sorted);
    *out = (wlu_stream_image){0};
    if (status == WARPLU_SUCCESS) {
        out->rows = cut(k, sorted, NULL, &bundles);
        out->bundles = head + bundles + tail;
        out->records = k->count;
        out->bundle = WLU_ALLOC(k->ctx, out->bundles, wlu_bundle);
        out->record = WLU_ALLOC(k->ctx, k->count, wlu_device_record);
        out->operand = WLU_ALLOC(k->ctx, 2 * WLU_WARP * out->rows, int32_t);
        if (out->bundle == NULL || out->record == NULL || out->operand == NULL)
            status = wlu_fail_memory(k->ctx, "bundles for the device");
        else if (2 * WLU_WARP * out->rows > INT32_MAX)
            status = wlu_fail(k->ctx, WARPLU_OVERFLOW, "%lld operand pairs exceed the device's index width",
                              (long long)(WLU_WARP * out->rows));
    }
    if (status == WARPLU_SUCCESS) {
        wlu_stream_image body = *out;
        body.bundle += head;
        cut(k, sorted, &body, &bundles);
    }
    wlu_free(k->ctx, entries);
    return status;
}

void wlu_stream_image_free(wlu_context *ctx, wlu_stream_image *s)
{
    wlu_free(ctx, s->bundle);
    wlu_free(ctx, s->record);
    wlu_free(ctx, s->operand);
    *s = (wlu_stream_image){0};
}
