/* Verification of the runs of a packed stream: their words are decoded into records and compared with the program's.
 * See verify.h. */
#include "exec/cpu/verify_state.h"

typedef wlu_image_verifier verifier;

/* Whether what group `from` has written stands when the group at hand reads it: parts need nothing of each other, and
 * tiles below the top run beside other parts. */
static int reaches(const verifier *v, int32_t from)
{
    const wlu_tiles *t = &wlu_lu_of(v->p)->tiles;
    int32_t parts = v->p->parts, tile = v->group - parts - 1;
    if (from == v->group || v->solve != NULL || parts == 1) return from <= v->group;
    if (tile < 0) return v->group == parts && from < parts;
    if (from > parts) return 0;
    return t->turn[tile] > 0 || t->owner[tile] == from;
}

/* A number that no record of this stream writes. */
static int stands(const verifier *v, int64_t slot)
{
    const wlu_program *p = v->p;
    if (slot == p->zero || (slot == p->minus_one && slot >= 0)) return 1;
    return (v->solve != NULL && slot < p->sums) || (v->mark[slot] & LOADED);
}

static int check_read(verifier *v, int64_t slot)
{
    if (!wlu_image_check(v, slot >= 0 && slot < v->p->nslots, "operand out of range", slot)) return 0;
    int32_t r = v->record[slot];
    if (r < 0) return wlu_image_check(v, stands(v, slot), "operand that nobody writes", slot);
    return wlu_image_check(v, v->done[r] != 0, "operand read before it is written", slot) &&
           wlu_image_check(v, reaches(v, v->done[r] - 1), "operand of another part", slot);
}

/* Where a chain starts from its own target: loaded, or of the panel at hand. */
static int check_own_start(verifier *v, int64_t slot)
{
    const wlu_tiles *t = &wlu_lu_of(v->p)->tiles;
    int32_t tile = v->group - v->p->parts - 1;
    int own = v->solve == NULL && tile >= 0 && slot >= t->panel[tile] && slot < t->panel[tile + 1];
    return wlu_image_check(v, own || (v->mark[slot] & LOADED), "chain that starts from an unwritten slot", slot);
}

/* A record as the words have it. Term i is at i / width * stride + i % width; from the record's length on terms are
 * padding. */
typedef struct packed_record {
    int opcode;
    int32_t target, start, divisor; /* of opcodes that have them */
    const int32_t *a, *b;
    int64_t terms, width, stride;
} packed_record;

static int check_terms(verifier *v, const packed_record *q, int64_t r)
{
    const wlu_stream *s = v->s;
    int64_t length = r >= 0 ? wlu_stream_terms(s, r) : 0;
    if (!wlu_image_check(v, length <= q->terms, "terms that are missing", q->target)) return 0;
    for (int64_t i = 0; i < q->terms; i++) {
        const int32_t *operand = s->operand + (i < length ? 2 * (s->begin[r] + i) : 0);
        int64_t a = i < length ? operand[0] : v->p->zero, b = i < length ? operand[1] : v->p->zero;
        int64_t at = i / q->width * q->stride + i % q->width;
        if (!wlu_image_check(v, q->a[at] == a && q->b[at] == b, "operand of a term, or its padding", q->target))
            return 0;
    }
    return 1;
}

static int is_record(const verifier *v, int64_t target)
{
    return target >= 0 && target < v->p->nslots && v->record[target] >= 0;
}

/* The number of terms of the target's record; -1: it is none. */
static int64_t length_of(const verifier *v, int64_t target)
{
    return is_record(v, target) ? wlu_stream_terms(v->s, v->record[target]) : -1;
}

/* A lane that is left over. */
static int check_padding(verifier *v, const packed_record *q)
{
    const wlu_program *p = v->p;
    return wlu_image_check(v, q->target == p->trash, "target of a lane that is left over", q->target) &&
           wlu_image_check(v, q->start == p->zero, "start of a lane that is left over", q->start) &&
           wlu_image_check(v, !wlu_opcode_has_divisor(q->opcode) || q->divisor == p->zero,
                           "divisor of a lane that is left over", q->divisor) &&
           check_terms(v, q, -1);
}

/* The record is the program's, of this group and not yet done; what it reads stands. */
static int check_record(verifier *v, const packed_record *q)
{
    const wlu_stream *s = v->s;
    int32_t t = q->target, r = is_record(v, t) ? v->record[t] : -1;
    if (!wlu_image_check(v, r >= 0, "target of no record", t) ||
        !wlu_image_check(v, r >= v->first && r < v->end, "record of another group", t) ||
        !wlu_image_check(v, v->done[r] == 0, "record packed twice", t) ||
        !wlu_image_check(v, s->opcode[r] == q->opcode, "opcode of a record", t))
        return 0;
    if (wlu_opcode_is_chain(q->opcode) &&
        (!wlu_image_check(v, q->start == s->start[r], "start of a chain", t) ||
         !(q->start == t ? check_own_start(v, t) : check_read(v, q->start)) || !check_terms(v, q, r)))
        return 0;
    if (wlu_opcode_has_divisor(q->opcode) &&
        (!wlu_image_check(v, q->divisor == s->divisor[r], "divisor of a record", t) || !check_read(v, q->divisor)))
        return 0;
    for (int64_t k = 2 * s->begin[r]; k < 2 * s->begin[r + 1]; k++)
        if (!check_read(v, s->operand[k])) return 0;
    return 1;
}

static int run_single(verifier *v, const packed_record *q)
{
    if (!check_record(v, q)) return 0;
    v->done[v->record[q->target]] = 1 + v->group;
    return 1;
}

/* Lanes of a bundle: all are checked before any of them is done, so that a reader beside its writer is seen. */
static int check_lanes(verifier *v, const packed_record *lane, int area)
{
    int count = LANES;
    while (count > 1 && lane[count - 1].target == v->p->trash) count--;
    for (int k = 0; k < LANES; k++)
        if (!(k < count ? check_record(v, &lane[k]) : check_padding(v, &lane[k]))) return 0;
    for (int k = 0; k < count; k++) {
        int32_t target = lane[k].target, *done = &v->done[v->record[target]];
        if (!wlu_image_check(v, *done == 0, "two lanes on one target", target)) return 0;
        *done = 1 + v->group;
        if (!wlu_image_judge(v, target, area)) return 0;
    }
    return 1;
}

static int check_bundle(verifier *v, const wlu_run *run, int64_t first)
{
    const wlu_run_traits *has = &wlu_run_traits_of[run->form];
    const int32_t *any = v->packed->word; /* for what the form does not have */
    packed_record lane[LANES];
    if (has->fused && !wlu_image_check_map(v, first, LANES)) return 0;
    const int32_t *t = has->contiguous ? any : wlu_image_take(v, LANES);
    const int32_t *s = has->in_place ? any : wlu_image_take(v, LANES);
    const int32_t *d = wlu_opcode_has_divisor(has->opcode) ? wlu_image_take(v, LANES) : any;
    const int32_t *terms = wlu_image_take(v, 2 * LANES * (int64_t)run->steps);
    if (t == NULL || s == NULL || d == NULL || terms == NULL) return 0;
    if (first == run->first && !has->contiguous && !wlu_image_check(v, t[0] == first, "first target of a run", first))
        return 0;
    for (int k = 0; k < LANES; k++) {
        int32_t target = has->contiguous ? (int32_t)(first + k) : t[k];
        int32_t own = target == v->p->trash ? (int32_t)v->p->zero : target;
        lane[k] = (packed_record){has->opcode, target,    has->in_place ? own : s[k],
                                  d[k],        terms + k, terms + LANES + k,
                                  run->steps,  1,         2 * LANES};
    }
    return check_lanes(v, lane, run->area);
}

static int check_across(verifier *v, const wlu_run *run)
{
    const wlu_run_traits *has = &wlu_run_traits_of[run->form];
    int most = wlu_opcode_is_chain(has->opcode) ? WLU_DOT_IN_ORDER_MAX : 0;
    if (!wlu_image_check(v, run->steps >= 0 && run->steps <= most, "steps of a run", run->first) ||
        !wlu_image_check(v, (run->area != WLU_AREA_NONE) == has->judged, "area of a run", run->first))
        return 0;
    for (int64_t b = 0; b < run->count; b++)
        if (!check_bundle(v, run, run->first + LANES * b)) return 0;
    return 1;
}

/* Records of one opcode, number of terms and divisor. pivot: their divisor is the reciprocal in front of them. */
static int check_group(verifier *v, int opcode, const int32_t *head, int64_t count, int pivot)
{
    int64_t terms = head[3];
    int width = terms > WLU_DOT_IN_ORDER_MAX ? LANES : 1;
    for (int64_t k = 0; k < count; k++) {
        const int32_t *w = wlu_image_take(v, 2 + 2 * terms);
        if (w == NULL) return 0;
        const packed_record q = {opcode, w[0],  w[1],     pivot ? head[2] : head[1], w + 2, w + 2 + width,
                                 terms,  width, 2 * width};
        if (!wlu_image_check(v, wlu_singles_terms(length_of(v, w[0])) == terms, "terms of a group", w[0]) ||
            !wlu_image_check(v, k > 0 || pivot || w[0] == head[2], "head of a group", w[0]) || !run_single(v, &q))
            return 0;
    }
    return 1;
}

/* Links of a chain: RCP of the pivot, DOTS by it without terms, DOT of one term, which is the next pivot. */
static int check_links(verifier *v, const int32_t *head, int64_t count)
{
    int32_t d = head[1];
    for (int64_t k = 0; k < count; k++) {
        const int32_t *w = wlu_image_take(v, 4);
        if (w == NULL || !wlu_image_check(v, k > 0 || w[0] == head[2], "head of a group", w[0])) return 0;
        const int32_t *l = w + 1, *b = w + 2;
        int swapped = length_of(v, w[3]) == 1 && v->s->operand[2 * v->s->begin[v->record[w[3]]]] != *l;
        const packed_record link[] = {{.opcode = WLU_RCP, .target = w[0], .divisor = d},
                                      {.opcode = WLU_DOTS, .target = *l, .start = *l, .divisor = w[0]},
                                      {WLU_DOT, w[3], w[3], 0, swapped ? b : l, swapped ? l : b, 1, 1, 1}};
        if (!run_single(v, &link[0]) || !run_single(v, &link[1]) || !run_single(v, &link[2])) return 0;
        d = w[3];
    }
    return 1;
}

/* A group's kind is that of its number of terms. */
static int check_kind(verifier *v, const int32_t *head)
{
    int64_t count = head[0] >> WLU_SINGLES_KIND_BITS;
    int kind = head[0] & ((1 << WLU_SINGLES_KIND_BITS) - 1), terms = head[3];
    const packed_record reciprocal = {.opcode = WLU_RCP, .target = head[2], .divisor = head[1]};
    if (!wlu_image_check(v, count >= 0 && terms >= 0 && terms == wlu_singles_terms(terms), "head of a group", head[2]))
        return 0;
    if (kind == WLU_SINGLES_LINKS && terms == 0) return check_links(v, head, count);
    if (kind == wlu_kind_by_length(WLU_SINGLES_PIVOT_0, terms))
        return run_single(v, &reciprocal) && check_group(v, WLU_DOTS, head, count, 1);
    for (int opcode = 0; opcode < WLU_OPCODES; opcode++)
        if (wlu_opcode_is_chain(opcode) && kind == wlu_kind_by_length(wlu_singles_kind_of[opcode], terms) &&
            (wlu_opcode_has_divisor(opcode) || head[1] == 0))
            return check_group(v, opcode, head, count, 0);
    return wlu_image_check(v, 0, "kind of a group", head[2]);
}

static int check_singles(verifier *v, const wlu_run *run)
{
    if (!wlu_image_check(v, run->area == WLU_AREA_NONE && run->steps == 0, "run", run->first)) return 0;
    for (int64_t g = 0; g < run->count; g++) {
        const int32_t *head = wlu_image_take(v, WLU_SINGLES_HEAD);
        if (head == NULL || !wlu_image_check(v, g > 0 || head[2] == run->first, "first target of a run", run->first) ||
            !check_kind(v, head))
            return 0;
    }
    return 1;
}

int wlu_image_check_run(verifier *v, const wlu_run *run)
{
    if (!wlu_image_check(v, run->area < WLU_SLOT_AREAS && run->count >= 1, "run", run->first)) return 0;
    switch ((wlu_run_form)run->form) {
#define WLU_ACROSS(name, opcode, in_place, contiguous, fused, judged) case WLU_RUN_##name:
#include "exec/cpu/across.def"
#undef WLU_ACROSS
        return check_across(v, run);
    case WLU_RUN_SINGLES: return check_singles(v, run);
    case WLU_RUN_NONE:
    case WLU_RUN_FORMS: break;
    }
    return wlu_image_check(v, 0, "form of a run", run->first);
}
