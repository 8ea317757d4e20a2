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

static warplu_status check_read(const verifier *v, int64_t slot)
{
    if (slot < 0 || slot >= v->p->nslots) return wlu_image_broken(v, "operand out of range", slot);
    int32_t r = v->record[slot];
    if (r < 0) return stands(v, slot) ? WARPLU_SUCCESS : wlu_image_broken(v, "operand that nobody writes", slot);
    if (v->done[r] == 0) return wlu_image_broken(v, "operand read before it is written", slot);
    return reaches(v, v->done[r] - 1) ? WARPLU_SUCCESS : wlu_image_broken(v, "operand of another part", slot);
}

/* Where a chain starts from its own target: loaded, or of the panel at hand. */
static warplu_status check_own_start(const verifier *v, int64_t slot)
{
    const wlu_tiles *t = &wlu_lu_of(v->p)->tiles;
    int32_t tile = v->group - v->p->parts - 1;
    int own = v->solve == NULL && tile >= 0 && slot >= t->panel[tile] && slot < t->panel[tile + 1];
    return own || (v->mark[slot] & LOADED) ? WARPLU_SUCCESS
                                           : wlu_image_broken(v, "chain that starts from an unwritten slot", slot);
}

/* A record as the words have it. Term i is at i / width * stride + i % width; from the record's length on terms are
 * padding. */
typedef struct packed_record {
    int opcode;
    int32_t target, start, divisor; /* divisor -1: it has none */
    const int32_t *a, *b;
    int64_t terms, width, stride;
} packed_record;

static warplu_status check_terms(const verifier *v, const packed_record *q, int64_t r)
{
    const wlu_stream *s = v->s;
    int64_t length = r >= 0 ? wlu_pack_length(s, r) : 0;
    if (length > q->terms) return wlu_image_broken(v, "terms that are missing", q->target);
    for (int64_t i = 0; i < q->terms; i++) {
        const int32_t *operand = s->operand + (i < length ? 2 * (s->begin[r] + i) : 0);
        int64_t a = i < length ? operand[0] : v->p->zero, b = i < length ? operand[1] : v->p->zero;
        int64_t at = i / q->width * q->stride + i % q->width;
        if (q->a[at] != a || q->b[at] != b)
            return wlu_image_broken(v, i < length ? "operand of a term" : "padding of a chain", q->target);
    }
    return WARPLU_SUCCESS;
}

static int is_record(const verifier *v, int64_t target)
{
    return target >= 0 && target < v->p->nslots && v->record[target] >= 0;
}

/* A lane that is left over. */
static warplu_status check_padding(const verifier *v, const packed_record *q)
{
    const wlu_program *p = v->p;
    if (q->target != p->trash || (q->opcode != WLU_RCP && q->start != p->zero) ||
        (wlu_opcode_has_divisor(q->opcode) && q->divisor != p->zero))
        return wlu_image_broken(v, "lane that is left over", q->target);
    return check_terms(v, q, -1);
}

/* The record is the program's, of this group and not yet done; what it reads stands. */
static warplu_status check_record(const verifier *v, const packed_record *q)
{
    const wlu_stream *s = v->s;
    int32_t t = q->target, r = is_record(v, t) ? v->record[t] : -1;
    if (r < 0) return wlu_image_broken(v, "target of no record", t);
    if (r < v->first || r >= v->end) return wlu_image_broken(v, "record of another group", t);
    if (v->done[r] != 0) return wlu_image_broken(v, "record packed twice", t);
    if (s->opcode[r] != q->opcode) return wlu_image_broken(v, "opcode of a record", t);
    warplu_status status = WARPLU_SUCCESS;
    if (q->opcode != WLU_RCP) {
        if (q->start != s->start[r]) return wlu_image_broken(v, "start of a chain", t);
        status = q->start == t ? check_own_start(v, t) : check_read(v, q->start);
    }
    if (status == WARPLU_SUCCESS && wlu_opcode_has_divisor(q->opcode)) {
        if (q->divisor != s->divisor[r]) return wlu_image_broken(v, "divisor of a record", t);
        status = check_read(v, q->divisor);
    }
    if (status == WARPLU_SUCCESS) status = check_terms(v, q, r);
    for (int64_t k = 2 * s->begin[r]; k < 2 * s->begin[r + 1] && status == WARPLU_SUCCESS; k++)
        status = check_read(v, s->operand[k]);
    return status;
}

static void finish(verifier *v, int32_t target)
{
    v->done[v->record[target]] = 1 + v->group;
}

static warplu_status run_single(verifier *v, const packed_record *q)
{
    warplu_status status = check_record(v, q);
    if (status == WARPLU_SUCCESS) finish(v, q->target);
    return status;
}

/* Lanes of a bundle: all are checked before any of them is done, so that a reader beside its writer is seen. */
static warplu_status check_lanes(verifier *v, const packed_record *lane, int area)
{
    warplu_status status = WARPLU_SUCCESS;
    int count = LANES;
    while (count > 1 && lane[count - 1].target == v->p->trash) count--;
    for (int k = 0; k < LANES && status == WARPLU_SUCCESS; k++)
        status = k < count ? check_record(v, &lane[k]) : check_padding(v, &lane[k]);
    for (int k = 0; k < count && status == WARPLU_SUCCESS; k++) {
        if (v->done[v->record[lane[k].target]] != 0)
            return wlu_image_broken(v, "two lanes on one target", lane[k].target);
        finish(v, lane[k].target);
        status = wlu_image_judge(v, lane[k].target, area);
    }
    return status;
}

static warplu_status check_across(verifier *v, const wlu_run *run)
{
    const wlu_run_traits *has = &wlu_run_traits_of[run->form];
    int divided = wlu_opcode_has_divisor(has->opcode);
    if (run->steps < 0 || run->steps > WLU_DOT_IN_ORDER_MAX || (run->area != WLU_AREA_NONE) != has->judged)
        return wlu_image_broken(v, "run", run->first);
    for (int64_t b = 0; b < run->count; b++) {
        packed_record lane[LANES];
        int64_t first = run->first + LANES * b;
        if (has->fused) {
            warplu_status status = wlu_image_check_map(v, first, LANES);
            if (status < 0) return status;
        }
        const int32_t *t = has->contiguous ? v->packed->word : wlu_image_take(v, LANES);
        const int32_t *s = has->in_place ? t : wlu_image_take(v, LANES);
        const int32_t *d = divided ? wlu_image_take(v, LANES) : v->packed->word;
        const int32_t *terms = wlu_image_take(v, 2 * LANES * (int64_t)run->steps);
        if (t == NULL || s == NULL || d == NULL || terms == NULL)
            return wlu_image_broken(v, "run beyond the stream", first);
        if (b == 0 && (has->contiguous ? run->first : t[0]) != run->first)
            return wlu_image_broken(v, "first target of a run", run->first);
        for (int k = 0; k < LANES; k++) {
            int32_t target = has->contiguous ? (int32_t)(first + k) : t[k];
            int32_t own = target == v->p->trash ? (int32_t)v->p->zero : target;
            lane[k] = (packed_record){has->opcode,         target,    has->in_place ? own : s[k],
                                      divided ? d[k] : -1, terms + k, terms + LANES + k,
                                      run->steps,          1,         2 * LANES};
        }
        warplu_status status = check_lanes(v, lane, run->area);
        if (status < 0) return status;
    }
    return WARPLU_SUCCESS;
}

static warplu_status check_rcp(verifier *v, const wlu_run *run)
{
    int contiguous = wlu_run_traits_of[run->form].contiguous;
    if (run->steps != 0 || (!contiguous && run->area != WLU_AREA_NONE)) return wlu_image_broken(v, "run", run->first);
    for (int64_t b = 0; b < run->count; b++) {
        packed_record lane[LANES];
        int64_t first = run->first + LANES * b;
        const int32_t *t = contiguous ? v->packed->word : wlu_image_take(v, LANES), *d = wlu_image_take(v, LANES);
        if (t == NULL || d == NULL) return wlu_image_broken(v, "run beyond the stream", first);
        if (b == 0 && !contiguous && t[0] != run->first)
            return wlu_image_broken(v, "first target of a run", run->first);
        for (int k = 0; k < LANES; k++)
            lane[k] =
                (packed_record){.opcode = WLU_RCP, .target = contiguous ? (int32_t)(first + k) : t[k], .divisor = d[k]};
        warplu_status status = check_lanes(v, lane, run->area);
        if (status < 0) return status;
    }
    return WARPLU_SUCCESS;
}

/* Lanes are accumulators: term i of the chain is lane i mod 8 of step i / 8. */
static warplu_status check_long(verifier *v, const wlu_run *run)
{
    int opcode = wlu_run_traits_of[run->form].opcode, divided = wlu_opcode_has_divisor(opcode);
    if (run->area != WLU_AREA_NONE || run->steps <= WLU_DOT_IN_ORDER_MAX / LANES)
        return wlu_image_broken(v, "run", run->first);
    for (int64_t b = 0; b < run->count; b++) {
        const int32_t *head = wlu_image_take(v, LANES), *terms = wlu_image_take(v, 2 * LANES * (int64_t)run->steps);
        if (head == NULL || terms == NULL) return wlu_image_broken(v, "run beyond the stream", run->first);
        int32_t t = head[0], d = head[2];
        int unused = 0;
        for (int k = 3; k < LANES; k++) unused |= head[k];
        if ((b == 0 && t != run->first) || unused != 0 || (!divided && d != v->p->zero))
            return wlu_image_broken(v, "head of a long chain", t);
        packed_record q = {
            opcode, t, head[1], divided ? d : -1, terms, terms + LANES, LANES * (int64_t)run->steps, LANES, 2 * LANES};
        if (is_record(v, t) && wlu_pack_length(v->s, v->record[t]) <= q.terms - LANES)
            return wlu_image_broken(v, "length of a long chain", t);
        warplu_status status = run_single(v, &q);
        if (status < 0) return status;
    }
    return WARPLU_SUCCESS;
}

/* Records of one opcode, length and divisor. pivot: the reciprocal in front of them, or -1. */
static warplu_status check_group(verifier *v, int opcode, const int32_t *head, int64_t count, int32_t pivot)
{
    int32_t divisor = !wlu_opcode_has_divisor(opcode) ? -1 : pivot >= 0 ? pivot : head[1];
    int64_t length = head[3];
    for (int64_t k = 0; k < count; k++) {
        const int32_t *w = wlu_image_take(v, 2 + 2 * length);
        if (w == NULL) return wlu_image_broken(v, "group beyond the stream", head[2]);
        packed_record q = {opcode, w[0], w[1], divisor, w + 2, w + 3, length, 1, 2};
        if (is_record(v, w[0]) && wlu_pack_length(v->s, v->record[w[0]]) != length)
            return wlu_image_broken(v, "length of a group", w[0]);
        if (k == 0 && pivot < 0 && w[0] != head[2]) return wlu_image_broken(v, "head of a group", w[0]);
        warplu_status status = run_single(v, &q);
        if (status < 0) return status;
    }
    return WARPLU_SUCCESS;
}

/* Links of a chain: RCP of the pivot, DOTS by it without terms, DOT of one term, which is the next pivot. */
static warplu_status check_links(verifier *v, const int32_t *head, int64_t count)
{
    int32_t d = head[1];
    for (int64_t k = 0; k < count; k++) {
        const int32_t *w = wlu_image_take(v, 4);
        if (w == NULL) return wlu_image_broken(v, "group beyond the stream", head[2]);
        if (k == 0 && w[0] != head[2]) return wlu_image_broken(v, "head of a group", w[0]);
        const int32_t *l = w + 1, *b = w + 2, r = is_record(v, w[3]) ? v->record[w[3]] : -1;
        int swapped = r >= 0 && wlu_pack_length(v->s, r) == 1 && v->s->operand[2 * v->s->begin[r]] != *l;
        const packed_record link[] = {{.opcode = WLU_RCP, .target = w[0], .divisor = d},
                                      {.opcode = WLU_DOTS, .target = *l, .start = *l, .divisor = w[0]},
                                      {WLU_DOT, w[3], w[3], -1, swapped ? b : l, swapped ? l : b, 1, 1, 1}};
        for (int q = 0; q < 3; q++) {
            warplu_status status = run_single(v, &link[q]);
            if (status < 0) return status;
        }
        d = w[3];
    }
    return WARPLU_SUCCESS;
}

static warplu_status check_pivot(verifier *v, const int32_t *head, int64_t count)
{
    packed_record r = {.opcode = WLU_RCP, .target = head[2], .divisor = head[1]};
    warplu_status status = run_single(v, &r);
    return status < 0 ? status : check_group(v, WLU_DOTS, head, count, head[2]);
}

/* A group's kind is that of its length. */
static warplu_status check_kind(verifier *v, const int32_t *head)
{
    int64_t count = head[0] >> WLU_SINGLES_KIND_BITS;
    int kind = head[0] & ((1 << WLU_SINGLES_KIND_BITS) - 1), length = head[3];
    if (count < 0 || length < 0 || length > WLU_DOT_IN_ORDER_MAX)
        return wlu_image_broken(v, "head of a group", head[2]);
    if (kind == WLU_SINGLES_LINKS && length == 0) return check_links(v, head, count);
    if (kind == wlu_kind_by_length(WLU_SINGLES_PIVOT_0, length)) return check_pivot(v, head, count);
    for (int opcode = 0; opcode < WLU_OPCODES; opcode++)
        if (wlu_long_form_of[opcode] != 0 && kind == wlu_kind_by_length(wlu_singles_kind_of[opcode], length) &&
            (wlu_opcode_has_divisor(opcode) || head[1] == 0))
            return check_group(v, opcode, head, count, -1);
    return wlu_image_broken(v, "kind of a group", head[2]);
}

static warplu_status check_singles(verifier *v, const wlu_run *run)
{
    if (run->area != WLU_AREA_NONE || run->steps != 0) return wlu_image_broken(v, "run", run->first);
    for (int64_t g = 0; g < run->count; g++) {
        const int32_t *head = wlu_image_take(v, WLU_SINGLES_HEAD);
        if (head == NULL) return wlu_image_broken(v, "run beyond the stream", run->first);
        if (g == 0 && head[2] != run->first) return wlu_image_broken(v, "first target of a run", run->first);
        warplu_status status = check_kind(v, head);
        if (status < 0) return status;
    }
    return WARPLU_SUCCESS;
}

warplu_status wlu_image_check_run(verifier *v, const wlu_run *run)
{
    if (run->form >= WLU_RUN_FORMS || run->area >= WLU_SLOT_AREAS || run->count < 1)
        return wlu_image_broken(v, "run", run->first);
    switch ((wlu_run_form)run->form) {
#define WLU_ACROSS(name, opcode, in_place, contiguous, fused, judged) case WLU_RUN_##name:
#include "exec/cpu/across.def"
#undef WLU_ACROSS
        return check_across(v, run);
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_CHAIN_OPCODE(name, shape, flops, compiled, semantics, end, stages) case WLU_RUN_LONG_##name:
#include "program/opcodes.def"
#undef WLU_OPCODE
        return check_long(v, run);
    case WLU_RUN_SINGLES: return check_singles(v, run);
    case WLU_RUN_RCP:
    case WLU_RUN_RCP_ROW: return check_rcp(v, run);
    case WLU_RUN_NONE:
    case WLU_RUN_FORMS: break;
    }
    return wlu_image_broken(v, "form of a run", run->first);
}
