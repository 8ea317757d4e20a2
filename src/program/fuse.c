/* Fusing chains of scalar records: the walk, and the operands. The order between them: fuse_order.c. See fuse.h. */
#include "program/fuse.h"

/* Scalar records a tick of `finished`: 2^39 records fit 32 bits; records of one tick are ordered by level. */
enum { CLOCK_SHIFT = 8 };

/* So many scalar records, and the caller is asked whether to go on. */
enum { POLL_SHIFT = 11 };

/* Levels of slots, by bits: whether a slot may be written still, its level above. 0: it has no record. */
enum { OPEN = 1, LEVEL = 2 };

/* A note of terms by one slot b: a, b, their number, and the record of each. A block of notes takes 64 KB. */
enum { NOTE_HEAD = 3, NOTE_WORDS = 16376 };

struct wlu_fuse_notes {
    struct wlu_fuse_notes *next;
    int32_t *end;
    int32_t word[NOTE_WORDS];
};

/* ------------------------------------------------------------------- walk */

/* Closes slot a, which is read; returns the level that its reader has at least. */
static inline int32_t level_behind(int32_t *level, int32_t a)
{
    int32_t of_a = level[a] & ~OPEN;
    level[a] = of_a;
    return of_a + (LEVEL | OPEN);
}

/* The group of slot a's record, if it has one. */
static inline int32_t group_of(const wlu_fuse *f, int32_t a)
{
    return f->level[a] != 0 ? f->record[f->chain[a]].chunk : -1;
}

/* A record of slot t, which has none. 0: it has been read; the sink's status says so. */
static int make_record(wlu_fuse *f, int32_t t)
{
    if (f->level[t] != 0) {
        f->sink.status = wlu_fail(f->ctx, WARPLU_INTERNAL, "slot %d is written after it was read", t);
        return 0;
    }
    wlu_fused *made = &f->record[f->nrecords];
    made->target = made->start = t;
    made->divisor = -1;
    made->length = 0;
    made->chunk = f->grouping.group != NULL ? f->grouping.group[t - f->grouping.first] : 0;
    made->opcode = WLU_DOT;
    f->level[t] = LEVEL | OPEN;
    f->chain[t] = (int32_t)f->nrecords++;
    return 1;
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
    int32_t *level = f->level, a = s->record.a, behind_a = level_behind(level, a);
    int32_t group = f->grouping.in_turn ? group_of(f, a) : 0;
    for (int32_t t = s->record.t, end = t + s->count; t < end; t++) {
        if ((level[t] & OPEN) == 0 && !make_record(f, t)) return;
        wlu_fused *r = &f->record[f->chain[t]];
        if (starts) {
            r->start = a;
        } else {
            r->opcode = (uint8_t)info->compiled;
            r->divisor = a;
        }
        r->finished = (int32_t)(f->clock++ >> CLOCK_SHIFT);
        if (behind_a > level[t] && (!f->grouping.in_turn || group == r->chunk)) level[t] = behind_a;
    }
}

/* Takes terms first .. end - 1 of a series by one slot b. Levels begin anew in each group that is in turn. */
static inline void count_column(wlu_fuse *f, const wlu_series *s, wlu_series_rule rule, int in_turn, int32_t first,
                                int32_t end, int32_t *note)
{
    int32_t *level = f->level;
    const int32_t *chain = f->chain, *map = f->sink.map;
    wlu_fused *record = f->record;
    wlu_series like = {s->record, rule, s->count, s->index};
    int64_t clock = f->clock;
    int32_t behind_b = level_behind(level, s->record.b), group = in_turn ? group_of(f, s->record.b) : 0;
    for (int32_t i = first; i < end; i++) {
        wlu_record rec = wlu_series_record(&like, map, i);
        if ((level[rec.t] & OPEN) == 0 && !make_record(f, rec.t)) return;
        int32_t at = level[rec.t], behind_a = level_behind(level, rec.a), c = chain[rec.t];
        wlu_fused *r = &record[c];
        note[i - first] = c;
        r->length++;
        r->finished = (int32_t)(clock++ >> CLOCK_SHIFT);
        if (behind_b > at && (!in_turn || group == r->chunk)) at = behind_b;
        if (behind_a > at && (!in_turn || record[chain[rec.a]].chunk == r->chunk)) at = behind_a;
        level[rec.t] = at;
    }
    f->clock = clock;
}

/* A block of notes. 0: there is no memory; the sink's status says so. */
static int make_block(wlu_fuse *f)
{
    struct wlu_fuse_notes *made = WLU_ALLOC(f->ctx, 1, struct wlu_fuse_notes);
    if (made == NULL) {
        f->sink.status = wlu_fail_memory(f->ctx, "notes of terms");
        return 0;
    }
    made->next = NULL;
    if (f->last != NULL) {
        f->last->end = f->note;
        f->last->next = made;
    } else {
        f->notes = made;
    }
    f->last = made;
    f->note = made->word;
    return 1;
}

/* Terms from number `first` on, as many as the block of notes has room for. Returns the number behind them. */
static inline int32_t count_some(wlu_fuse *f, const wlu_series *s, int32_t first)
{
    if ((f->last == NULL || f->last->word + NOTE_WORDS - f->note <= NOTE_HEAD) && !make_block(f)) return s->count;
    int64_t room = f->last->word + NOTE_WORDS - f->note - NOTE_HEAD;
    int32_t terms = s->count - first < room ? s->count - first : (int32_t)room, *note = f->note;
    note[0] = s->record.a + first;
    note[1] = s->record.b;
    note[2] = terms;
    note += NOTE_HEAD;
    f->note = note + terms;
    if (s->rule == WLU_SERIES_MAPPED && !f->grouping.in_turn)
        count_column(f, s, WLU_SERIES_MAPPED, 0, first, first + terms, note);
    else if (s->rule == WLU_SERIES_NAMED && f->grouping.in_turn)
        count_column(f, s, WLU_SERIES_NAMED, 1, first, first + terms, note);
    else
        count_column(f, s, s->rule, f->grouping.in_turn, first, first + terms, note);
    return first + terms;
}

/* Terms into one slot are series of their own: b is not one slot. */
static void count_msubs(wlu_fuse *f, const wlu_series *s)
{
    if (s->rule != WLU_SERIES_INTO) {
        for (int32_t first = 0; first < s->count && f->sink.status == WARPLU_SUCCESS;) first = count_some(f, s, first);
        return;
    }
    for (int32_t i = 0; i < s->count && f->sink.status == WARPLU_SUCCESS; i++) {
        wlu_series one = {wlu_series_record(s, f->sink.map, i), WLU_SERIES_ROW, 1, NULL};
        count_some(f, &one, 0);
    }
}

static warplu_status count_series(wlu_sink *sink, const wlu_series *s, const wlu_series *end)
{
    wlu_fuse *f = (wlu_fuse *)sink;
    int64_t before = f->clock;
    for (; s < end && sink->status == WARPLU_SUCCESS; s++) {
        if (s->record.opcode == WLU_MSUB)
            count_msubs(f, s);
        else if (s->record.opcode != WLU_LOAD && s->record.opcode != WLU_GUARD)
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
    int64_t *term = f->term;
    for (const int32_t *note = notes->word; note < notes->end;) {
        const int32_t *a = slot + note[0];
        int32_t b = slot[note[1]], terms = note[2];
        note += NOTE_HEAD;
        for (int32_t i = 0; i < terms; i++) {
            int32_t *at = operand + 2 * term[note[i]]++;
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
    if (f->last != NULL) f->last->end = f->note;
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
