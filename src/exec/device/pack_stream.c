/* Records of a stream into bundles: sorted by level, shape and length, 32 short or 4 long ones side by side, or a very
 * long one.
 *
 * A level is one more than the highest level among a record's operands, over the whole stream, so that what lies in one
 * bundle never waits for its neighbours and bundles in the order of levels are in topological order.
 * O(records + terms) time; 56 bytes a record beside the result. */
#include "exec/device/pack_stream.h"

#include "exec/device/pack_guards.h"

#include <stddef.h>
#include <string.h>

/* Records of more terms have a warp of their own, and so have partial sums and their readers: 16 rounds of looks at
 * eight lanes, three at 32. */
enum { NO_RECORD = -1, WIDE_TERMS = 512, THINGS_A_BUNDLE = 256 };

warplu_status wlu_packer_create(wlu_context *ctx, const wlu_program *p, const wlu_stream *stream, const wlu_loads *load,
                                int64_t first, wlu_device_packer *k)
{
    int64_t slots = p->nslots - first, records = stream->nrecords;
    *k = (wlu_device_packer){.ctx = ctx,
                             .program = p,
                             .load = load,
                             .first = (int32_t)first,
                             .zero = (int32_t)p->zero,
                             .minus_one = (int32_t)p->minus_one};
    k->level = WLU_CALLOC(ctx, slots, int32_t);
    k->at = WLU_ALLOC(ctx, slots, int32_t);
    k->record = WLU_ALLOC(ctx, records, wlu_packed_record);
    if (k->level == NULL || k->at == NULL || k->record == NULL) return wlu_fail_memory(ctx, "records for the device");
    memset(k->at, 0xff, (size_t)slots * sizeof *k->at); /* NO_RECORD */
    return WARPLU_SUCCESS;
}

void wlu_packer_free(wlu_device_packer *k)
{
    wlu_free(k->ctx, k->level);
    wlu_free(k->ctx, k->at);
    wlu_free(k->ctx, k->record);
    wlu_free(k->ctx, k->order);
    wlu_free(k->ctx, k->image.bundle);
}

_Static_assert(WLU_RECORD_OPCODE *WLU_OPCODES <= 256, "flags of a record have the opcode in a byte");

static void raise_level(const wlu_device_packer *k, int32_t slot, int32_t *level)
{
    int32_t at = slot >= k->first ? k->level[slot - k->first] : 0;
    if (at > *level) *level = at;
}

static void set_record(wlu_device_packer *k, int32_t slot, int64_t record, int32_t level)
{
    k->at[slot - k->first] = (int32_t)record;
    k->level[slot - k->first] = level;
}

/* For a record of these terms; products with partial sums are the last of them. sums: the same of these sums. */
static void raise_by_terms(const wlu_device_packer *k, const wlu_packed_record *x, int32_t *level, int32_t *sums)
{
    const int32_t *pair = x->operand, *end = pair + 2 * (int64_t)x->terms, *of = k->level, first = k->first;
    int32_t highest = *level;
    for (; end > pair && end[-2] == k->minus_one; end -= 2) raise_level(k, end[-1], sums);
    if (first == 0) { /* of the factorization: both are of this stream */
        for (; pair < end; pair += 2) {
            int32_t a = of[pair[0]], b = of[pair[1]], later = a > b ? a : b;
            highest = later > highest ? later : highest;
        }
        *level = highest;
        return;
    }
    for (; pair < end; pair++) raise_level(k, *pair, level);
}

/* Partial sums come just before the record that reads them, their reader: earlier they would stand among narrow levels,
 * where they are in the way. */
static void raise_sums(wlu_device_packer *k, wlu_packed_record *reader, int32_t level)
{
    for (int64_t t = reader->terms; t > 0 && reader->operand[2 * t - 2] == k->minus_one; t--) {
        int32_t slot = reader->operand[2 * t - 1];
        int32_t at = wlu_packer_at(k, slot);
        k->record[at].wide = reader->wide = 1;
        k->record[at].level = level;
        set_record(k, slot, at, level);
        reader->level = level + 1;
    }
}

/* Whether the reciprocal of a slot can go with the record that computes the slot, which then writes both. */
static int takes_reciprocal(const wlu_device_packer *k, int32_t slot)
{
    const wlu_packed_record *x = &k->record[wlu_packer_at(k, slot)];
    return x->record.target == slot && (x->record.flags & (WLU_RECORD_CLOSED | WLU_RECORD_RECIPROCAL)) == 0;
}

/* The reciprocal of a slot goes with the record that computes the slot, or with one that loads it. */
static void add_reciprocal(wlu_device_packer *k, const wlu_stream *s, int64_t r)
{
    int32_t pivot = s->divisor[r], at = wlu_packer_at(k, pivot);
    if (at == NO_RECORD) {
        at = (int32_t)k->count++;
        k->record[at] = (wlu_packed_record){.level = 1, .record = {.target = pivot}};
        set_record(k, pivot, at, 1);
        if (k->highest < 1) k->highest = 1;
    }
    wlu_packed_record *x = &k->record[at];
    x->record.other = s->target[r];
    x->record.flags |= WLU_RECORD_RECIPROCAL;
    set_record(k, s->target[r], at, x->level);
}

void wlu_packer_add(wlu_device_packer *k, const wlu_stream *s, int64_t first, int64_t end)
{
    int32_t before = k->highest;
    for (int64_t r = first; r < end; r++) {
        if (s->opcode[r] == WLU_RCP &&
            (wlu_packer_at(k, s->divisor[r]) == NO_RECORD || takes_reciprocal(k, s->divisor[r]))) {
            add_reciprocal(k, s, r);
            continue;
        }
        int32_t level = before, sums = before;
        wlu_packed_record *x = &k->record[k->count];
        *x = (wlu_packed_record){.operand = s->operand + 2 * s->begin[r],
                                 .terms = (int32_t)wlu_stream_terms(s, r),
                                 .record = {.target = s->target[r], .start = s->start[r]}};
        if (x->terms > k->longest) k->longest = x->terms;
        raise_by_terms(k, x, &level, &sums);
        if (s->start[r] != s->target[r] || wlu_packer_at(k, s->start[r]) != NO_RECORD) {
            x->record.flags |= WLU_RECORD_FROM_SLOT;
            raise_level(k, s->start[r], &level);
        }
        if (wlu_opcode_has_divisor(s->opcode[r])) {
            x->record.flags |= (uint8_t)(WLU_RECORD_CLOSED | WLU_RECORD_OPCODE * s->opcode[r]);
            x->record.other = s->divisor[r];
            raise_level(k, s->divisor[r], &level);
        }
        x->level = level + 1;
        raise_sums(k, x, sums > x->level ? sums : x->level);
        if (x->level > k->highest) k->highest = x->level;
        set_record(k, s->target[r], k->count++, x->level);
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

/* Longer ones come first, and wide ones before all others. */
static int32_t class_of(const wlu_device_packer *k, const wlu_packed_record *x)
{
    return (shape_of(x) == WLU_BUNDLE_WIDE ? 0 : k->longest + 1) + k->longest - x->terms;
}

/* Numbers of things by class become the places where each class begins. */
static void sum_up(int32_t *place, int64_t classes)
{
    for (int64_t c = 0, sum = 0; c < classes; c++) {
        int32_t count = place[c];
        place[c] = (int32_t)sum;
        sum += count;
    }
}

/* By level, then by class: two stable counting sorts, whose counts are taken in one walk. */
static warplu_status sort(wlu_device_packer *k)
{
    int64_t classes = 2 * (k->longest + (int64_t)1), levels = k->highest + (int64_t)1;
    int32_t *of = WLU_ALLOC(k->ctx, 2 * k->count, int32_t);
    int32_t *place = WLU_CALLOC(k->ctx, classes + levels, int32_t);
    k->order = WLU_ALLOC(k->ctx, k->count, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (of == NULL || place == NULL || k->order == NULL) {
        status = wlu_fail_memory(k->ctx, "order of the records for the device");
    } else {
        int32_t *by_class = of + k->count, *level_place = place + classes;
        for (int64_t r = 0; r < k->count; r++) {
            place[of[r] = class_of(k, &k->record[r])]++;
            level_place[k->record[r].level]++;
        }
        sum_up(place, classes);
        sum_up(level_place, levels);
        for (int64_t r = 0; r < k->count; r++) by_class[place[of[r]]++] = (int32_t)r;
        for (int64_t q = 0; q < k->count; q++) k->order[level_place[k->record[by_class[q]].level]++] = by_class[q];
    }
    wlu_free(k->ctx, of);
    wlu_free(k->ctx, place);
    return status;
}

/* Complex records without terms, which padding would change the signs of zeros of, and others: wlu_record_is_loaded. */
static int stand_apart(const wlu_device_packer *k, const wlu_packed_record *a, const wlu_packed_record *b)
{
    return k->program->doubles > 1 && (a->terms == 0) != (b->terms == 0);
}

/* How many records from number q of the order on stand side by side. */
static int count_beside(const wlu_device_packer *k, int64_t q)
{
    const wlu_packed_record *first = &k->record[k->order[q]];
    int lanes = lanes_of(first), room = WLU_WARP / lanes, count = 1;
    for (; count < room && q + count < k->count; count++) {
        const wlu_packed_record *x = &k->record[k->order[q + count]];
        if (x->level != first->level || lanes_of(x) != lanes || stand_apart(k, x, first)) break;
    }
    return count;
}

static void cut_records(wlu_device_packer *k)
{
    wlu_stream_image *out = &k->image;
    for (int64_t q = 0; q < k->count;) {
        const wlu_packed_record *first = &k->record[k->order[q]];
        int records = count_beside(k, q);
        out->bundle[out->bundles++] = (wlu_bundle){.operand = (int32_t)out->rows,
                                                   .first = (int32_t)q,
                                                   .steps = steps_of(first),
                                                   .shape = (uint8_t)shape_of(first),
                                                   .records = (uint8_t)records,
                                                   .level = (uint16_t)(first->level & UINT16_MAX)};
        out->rows += steps_of(first);
        q += records;
    }
}

/* Slots that are only loaded, in bundles of neighbours of one area; with bundle NULL counted. */
static int64_t cut_loads(const wlu_device_packer *k, wlu_bundle *bundle)
{
    const wlu_loads *load = k->load;
    const int32_t *at = k->at + (load->first - k->first);
    int64_t bundles = 0;
    for (int64_t s = 0, end; s < load->count; s = end) {
        end = s + 1;
        if (at[s] != NO_RECORD) continue;
        wlu_area area = wlu_area_of(k->program, load->first + s);
        while (end < load->count && end - s < THINGS_A_BUNDLE && at[end] == NO_RECORD &&
               wlu_area_of(k->program, load->first + end) == area)
            end++;
        if (bundle != NULL)
            bundle[bundles] = (wlu_bundle){.operand = (int32_t)s,
                                           .first = (int32_t)(load->first + s),
                                           .steps = (int32_t)(end - s),
                                           .shape = WLU_BUNDLE_LOADS,
                                           .records = (uint8_t)area};
        bundles++;
    }
    return bundles;
}

/* Things 0 .. count - 1 of this shape. */
static void cut_things(wlu_stream_image *out, wlu_bundle_shape shape, int64_t count)
{
    for (int64_t first = 0; first < count; first += THINGS_A_BUNDLE) {
        int64_t rest = count - first;
        out->bundle[out->bundles++] = (wlu_bundle){.first = (int32_t)first,
                                                   .steps = (int32_t)(rest < THINGS_A_BUNDLE ? rest : THINGS_A_BUNDLE),
                                                   .shape = (uint8_t)shape};
    }
}

warplu_status wlu_packer_bundle(wlu_device_packer *k, wlu_bundle_shape tail, int64_t tails)
{
    wlu_stream_image *out = &k->image;
    int64_t loads = cut_loads(k, NULL);
    warplu_status status = sort(k);
    if (status < 0) return status;
    out->bundle = WLU_ALLOC(k->ctx, loads + k->count + tails / THINGS_A_BUNDLE + 1, wlu_bundle);
    if (out->bundle == NULL) return wlu_fail_memory(k->ctx, "bundles for the device");
    out->records = k->count;
    out->bundles = cut_loads(k, out->bundle);
    cut_records(k);
    cut_things(out, tail, tails);
    if (2 * WLU_WARP * out->rows > INT32_MAX)
        return wlu_fail(k->ctx, WARPLU_OVERFLOW, "%lld operand pairs exceed the device's index width",
                        (long long)(WLU_WARP * out->rows));
    return WARPLU_SUCCESS;
}

/* Operands of one record, transposed: in `lanes` lanes of the rows at `pairs`. */
static inline void put_operands(const wlu_packed_record *x, int lanes, int32_t *pairs)
{
    const int32_t *from = x->operand;
    int32_t terms = x->terms;
    for (; terms >= lanes; terms -= lanes, from += 2 * lanes, pairs += 2 * WLU_WARP)
        memcpy(pairs, from, 2 * sizeof *pairs * (size_t)lanes);
    if (terms > 0) memcpy(pairs, from, 2 * sizeof *pairs * (size_t)terms);
}

/* Records side by side, of so many lanes each, and their operands. */
static inline void put_records(const wlu_device_packer *k, const wlu_bundle *bundle, int lanes,
                               wlu_device_instruction *record, int32_t *pairs)
{
    for (int r = 0; r < bundle->records; r++) {
        const wlu_packed_record *x = &k->record[k->order[bundle->first + r]];
        record[r] = x->record;
        put_operands(x, lanes, pairs + 2 * lanes * r);
    }
}

void wlu_packer_write(wlu_device_packer *k, const wlu_block *block, size_t field)
{
    wlu_stream_image *out = &k->image;
    const int32_t zero = k->zero;
    out->record = wlu_block_room(block, field + offsetof(wlu_device_stream, record));
    out->operand = wlu_block_room(block, field + offsetof(wlu_device_stream, operand));
    wlu_write_powers(k->load->scale, k->load->count,
                     wlu_block_room(block, field + offsetof(wlu_device_stream, load_power)));
    for (int64_t b = 0; b < out->bundles; b++) {
        const wlu_bundle *bundle = &out->bundle[b];
        if (bundle->shape > WLU_BUNDLE_WIDE) continue;
        wlu_device_instruction *record = out->record + bundle->first;
        int32_t *pairs = out->operand + 2 * WLU_WARP * (int64_t)bundle->operand;
        for (int64_t p = 0, end = 2 * (int64_t)WLU_WARP * bundle->steps; p < end; p++) pairs[p] = zero;
        if (bundle->shape == WLU_BUNDLE_SHORT)
            put_records(k, bundle, 1, record, pairs);
        else if (bundle->shape == WLU_BUNDLE_LONG)
            put_records(k, bundle, WLU_DOT_LANES, record, pairs);
        else
            put_records(k, bundle, WLU_WARP, record, pairs);
    }
}
