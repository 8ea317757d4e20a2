/* Fusing chains of scalar records: the walk, and the operands. The order between them: fuse_order.c. See fuse.h. */
#include "program/fuse.h"

/* Scalar records a tick of `finished`: 2^39 records fit 32 bits; records of one tick are ordered by level. */
enum { CLOCK_SHIFT = 8 };

/* So many scalar records, and the caller is asked whether to go on. */
enum { POLL_SHIFT = 11 };

/* A note of terms of one series: a, b, their number, and the record of each. A block of notes takes 64 KB. */
enum { NOTE_HEAD = 3, NOTE_WORDS = 16376 };

struct wlu_fuse_notes {
    struct wlu_fuse_notes *next;
    int64_t count;
    int32_t word[NOTE_WORDS];
};

/* ------------------------------------------------------------------- walk */

/* Level of slot a, which is closed by being read. */
static inline int32_t close_slot(int32_t *level, int32_t a)
{
    int32_t of_a = wlu_fuse_level(level[a]);
    level[a] = of_a | INT32_MIN;
    return of_a;
}

/* The group of slot a's record; -1: it has none. */
static inline int32_t group_of(const wlu_fuse *f, int32_t a, int32_t of_a)
{
    return of_a > 0 ? f->record[f->chain[a]].chunk : -1;
}

/* A record of slot t, which has none; sets the sink's status if the slot has been read. */
static void make_record(wlu_fuse *f, int32_t t)
{
    if (f->level[t] < 0) {
        f->sink.status = wlu_fail(f->ctx, WARPLU_INTERNAL, "slot %d is written after it was read", t);
        return;
    }
    f->level[t] = 1;
    f->chain[t] = (int32_t)f->nrecords;
    wlu_fused *made = &f->record[f->nrecords++];
    int32_t group = f->grouping.group != NULL ? f->grouping.group(f->grouping.user, t, f->step) : 0;
    *made = (wlu_fused){.target = t, .start = t, .divisor = -1, .chunk = group, .opcode = WLU_DOT};
}

/* What is no term ends a chain, or begins one. */
static void count_others(wlu_fuse *f, const wlu_series *s)
{
    const wlu_opcode_info *info = &wlu_opcode_table[s->record.opcode];
    int starts = info->shape == WLU_SHAPE_TS && info->compiled != WLU_NONE;
    if (!starts && (info->shape != WLU_SHAPE_TD || info->compiled == WLU_NONE)) {
        f->sink.status = wlu_fail(f->ctx, WARPLU_INTERNAL, "opcode %d cannot be fused", s->record.opcode);
        return;
    }
    int32_t a = s->record.a, of_a = close_slot(f->level, a), group = group_of(f, a, of_a);
    for (int32_t t = s->record.t; t < s->record.t + s->count; t++) {
        if (f->level[t] <= 0) make_record(f, t);
        if (f->sink.status < 0) return;
        wlu_fused *r = &f->record[f->chain[t]];
        if (starts) {
            r->start = a;
        } else {
            r->opcode = (uint8_t)info->compiled;
            r->divisor = a;
        }
        r->finished = (int32_t)(f->clock++ >> CLOCK_SHIFT);
        if (of_a >= f->level[t] && (!f->grouping.in_turn || group == r->chunk)) f->level[t] = of_a + 1;
    }
}

/* Takes terms first .. end - 1 of a series by one slot b. Levels begin anew in each group that is in turn. */
static inline void count_column(wlu_fuse *f, const wlu_series *s, wlu_series_rule rule, int in_turn, int32_t first,
                                int32_t end, int32_t *note)
{
    int32_t *level = f->level;
    const int32_t *chain = f->chain, *map = f->sink.map;
    wlu_fused *record = f->record;
    wlu_series like = *s;
    int64_t clock = f->clock;
    int32_t b = s->record.b, of_b = close_slot(level, b), group = in_turn ? group_of(f, b, of_b) : 0;
    like.rule = rule;
    for (int32_t i = first; i < end; i++) {
        wlu_record rec = wlu_series_record(&like, map, i);
        if (level[rec.t] <= 0) make_record(f, rec.t);
        if (level[rec.t] <= 0) return;
        int32_t at = level[rec.t], c = chain[rec.t];
        wlu_fused *r = &record[c];
        *note++ = c;
        r->length++;
        r->finished = (int32_t)(clock++ >> CLOCK_SHIFT);
        if (of_b >= at && (!in_turn || group == r->chunk)) at = of_b + 1;
        int32_t of_a = close_slot(level, rec.a);
        if (of_a >= at && (!in_turn || group_of(f, rec.a, of_a) == r->chunk)) at = of_a + 1;
        level[rec.t] = at;
    }
    f->clock = clock;
}

/* Room for a note of terms, as many as there are, or fewer; NULL: no memory. */
static int32_t *make_note(wlu_fuse *f, int32_t a, int32_t b, int32_t *terms)
{
    struct wlu_fuse_notes *notes = f->last;
    if (notes == NULL || notes->count + NOTE_HEAD >= NOTE_WORDS) {
        notes = WLU_ALLOC(f->ctx, 1, struct wlu_fuse_notes);
        if (notes == NULL) {
            f->sink.status = wlu_fail_memory(f->ctx, "notes of terms");
            return NULL;
        }
        notes->next = NULL;
        notes->count = 0;
        if (f->last != NULL)
            f->last->next = notes;
        else
            f->notes = notes;
        f->last = notes;
    }
    int64_t room = NOTE_WORDS - NOTE_HEAD - notes->count;
    if (*terms > room) *terms = (int32_t)room;
    int32_t *note = notes->word + notes->count;
    note[0] = a;
    note[1] = b;
    note[2] = *terms;
    notes->count += NOTE_HEAD + *terms;
    return note + NOTE_HEAD;
}

/* Loops for the series that there are most of. */
static void count_terms(wlu_fuse *f, const wlu_series *s, int32_t first, int32_t end, int32_t *note)
{
    if (s->rule == WLU_SERIES_MAPPED && !f->grouping.in_turn)
        count_column(f, s, WLU_SERIES_MAPPED, 0, first, end, note);
    else if (s->rule == WLU_SERIES_NAMED && f->grouping.in_turn)
        count_column(f, s, WLU_SERIES_NAMED, 1, first, end, note);
    else
        count_column(f, s, s->rule, f->grouping.in_turn, first, end, note);
}

/* Terms of one slot are series of their own. */
static void count_msubs(wlu_fuse *f, const wlu_series *s)
{
    for (int32_t first = 0, terms; first < s->count && f->sink.status == WARPLU_SUCCESS; first += terms) {
        wlu_record rec = wlu_series_record(s, f->sink.map, first);
        wlu_series one = {.record = rec, .rule = WLU_SERIES_ROW, .count = 1};
        int alone = s->rule == WLU_SERIES_INTO;
        terms = alone ? 1 : s->count - first;
        int32_t *note = make_note(f, rec.a, rec.b, &terms);
        if (note == NULL) return;
        if (alone)
            count_terms(f, &one, 0, 1, note);
        else
            count_terms(f, s, first, first + terms, note);
    }
}

static warplu_status count_series(wlu_sink *sink, const wlu_series *s, const wlu_series *end)
{
    wlu_fuse *f = (wlu_fuse *)sink;
    int64_t before = f->clock;
    for (; s < end && sink->status == WARPLU_SUCCESS; s++) {
        if (s->record.opcode == WLU_MSUB)
            count_msubs(f, s);
        else if (s->record.opcode == WLU_GUARD)
            f->step = s->record.t + 1;
        else if (s->record.opcode != WLU_LOAD)
            count_others(f, s);
    }
    if (sink->status < 0 || before >> POLL_SHIFT == f->clock >> POLL_SHIFT) return sink->status;
    return wlu_poll_cancel(f->ctx);
}

/* Ticks of `finished` in a chunk: all of them if the slots stay in the cache anyway. */
static int32_t chunk_ticks(const wlu_fuse *f)
{
    return f->chunk_records > 0 && f->emitter->slots > f->chunk_slots ? (int32_t)(f->chunk_records >> CLOCK_SHIFT) + 1
                                                                      : INT32_MAX;
}

warplu_status wlu_fuse_begin(wlu_fuse *f, wlu_stream *out)
{
    f->sink.take = count_series;
    f->level = WLU_CALLOC(f->ctx, f->emitter->slots, int32_t);
    f->chain = WLU_ALLOC(f->ctx, f->emitter->slots, int32_t);
    f->record = WLU_ALLOC(f->ctx, f->emitter->slots, wlu_fused);
    if (f->level == NULL || f->chain == NULL || f->record == NULL)
        return wlu_fail_memory(f->ctx, "chains of the program");
    warplu_status status = wlu_emitter_emit(f->emitter, &f->sink);
    if (status < 0) return status;
    f->chunk = chunk_ticks(f);
    f->nchunks = (int32_t)(f->clock >> CLOCK_SHIFT) / f->chunk + 1;
    return wlu_fuse_order(f, out);
}

/* --------------------------------------------------------------- operands */

static void put_terms(const wlu_fuse *f, const struct wlu_fuse_notes *notes, const int32_t *slot, int32_t *operand)
{
    for (const int32_t *note = notes->word, *end = note + notes->count; note < end;) {
        const int32_t *a = slot + note[0];
        int32_t b = slot[note[1]], terms = note[2];
        note += NOTE_HEAD;
        for (int32_t i = 0; i < terms; i++) {
            int32_t *at = operand + 2 * f->term[note[i]]++;
            at[0] = a[i];
            at[1] = b;
        }
        note += terms;
    }
}

static void free_notes(wlu_fuse *f)
{
    struct wlu_fuse_notes *next = f->notes->next;
    wlu_free(f->ctx, f->notes);
    f->notes = next;
}

warplu_status wlu_fuse_finish(wlu_fuse *f, const int32_t *slot, wlu_stream *out)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int64_t k = 0; k < out->nrecords; k++) {
        out->target[k] = slot[out->target[k]];
        out->start[k] = slot[out->start[k]];
        if (out->divisor[k] >= 0) out->divisor[k] = slot[out->divisor[k]];
    }
    for (; f->notes != NULL && status == WARPLU_SUCCESS; free_notes(f)) {
        put_terms(f, f->notes, slot, out->operand);
        status = wlu_poll_cancel(f->ctx);
    }
    return status;
}

void wlu_fuse_free(wlu_fuse *f)
{
    wlu_free(f->ctx, f->level);
    wlu_free(f->ctx, f->chain);
    wlu_free(f->ctx, f->record);
    wlu_free(f->ctx, f->term);
    while (f->notes != NULL) free_notes(f);
}
