/* Packing single records: groups of one opcode, number of terms and divisor, and chains of pivots. See image.h for the
 * form. */
#include "exec/cpu/pack.h"

#include <string.h>

enum { LINKS_MIN = 2 }; /* chains of fewer links are single records */

/* Records, or links, that a group's head can count; longer ones are cut. */
enum { GROUP_MOST = (1 << (31 - WLU_SINGLES_KIND_BITS)) - 1 };

/* A group of single records; words 1 to 3 by kind. */
static void put_head(wlu_cpu_packer *p, int kind, int64_t count, int32_t d, int32_t r, int64_t terms)
{
    wlu_pack_extend(p, (wlu_run){.form = WLU_RUN_SINGLES, .first = r, .count = 1});
    int32_t *w = wlu_pack_take(p, WLU_SINGLES_HEAD);
    if (w == NULL) return;
    w[0] = (int32_t)(count << WLU_SINGLES_KIND_BITS) + kind;
    w[1] = d;
    w[2] = r;
    w[3] = (int32_t)terms;
}

static int in_place(const wlu_stream *s, int64_t r, uint8_t opcode, int64_t len)
{
    return s->opcode[r] == opcode && s->start[r] == s->target[r] && wlu_stream_terms(s, r) == len;
}

/* The operand beside x of a record's only term; -1 if x is not in it. */
static int32_t other_operand(const wlu_stream *s, int64_t r, int32_t x)
{
    const int32_t *term = s->operand + 2 * s->begin[r];
    return term[0] == x ? term[1] : term[1] == x ? term[0] : -1;
}

/* How many links of a chain begin at place k: reciprocal of the pivot, one l scaled by it, the next pivot less
 * that l times a u. */
static int64_t count_links(const wlu_cpu_packer *p, int64_t k, int64_t end)
{
    const wlu_stream *s = p->s;
    int64_t links = 0;
    for (int32_t pivot = -1; k + 2 < end && links < GROUP_MOST; links++, k += 3) {
        const int64_t *r = p->order + k;
        if (s->opcode[r[0]] != WLU_RCP || (links > 0 && s->divisor[r[0]] != pivot)) break;
        if (!in_place(s, r[1], WLU_DOTS, 0) || s->divisor[r[1]] != s->target[r[0]]) break;
        if (!in_place(s, r[2], WLU_DOT, 1) || other_operand(s, r[2], s->target[r[1]]) < 0) break;
        pivot = s->target[r[2]];
    }
    return links;
}

static void put_links(wlu_cpu_packer *p, int64_t k, int64_t count)
{
    const wlu_stream *s = p->s;
    put_head(p, WLU_SINGLES_LINKS, count, s->divisor[p->order[k]], s->target[p->order[k]], 0);
    for (int64_t end = k + 3 * count; k < end; k += 3) {
        const int64_t *r = p->order + k;
        int32_t *w = wlu_pack_take(p, 4);
        if (w == NULL) continue;
        w[0] = s->target[r[0]];
        w[1] = s->target[r[1]];
        w[2] = other_operand(s, r[2], s->target[r[1]]);
        w[3] = s->target[r[2]];
    }
}

/* Terms of a record in the stream, padding with them. */
static int64_t terms_of(const wlu_stream *s, int64_t r)
{
    return wlu_singles_terms(wlu_stream_terms(s, r));
}

/* Records from place k on that share opcode, terms and divisor. */
static int64_t count_alike(const wlu_cpu_packer *p, int64_t k, int64_t end)
{
    const wlu_stream *s = p->s;
    int64_t r = p->order[k], terms = terms_of(s, r), count = 1;
    for (; k + count < end && count < GROUP_MOST; count++) {
        int64_t q = p->order[k + count];
        if (s->opcode[q] != s->opcode[r] || terms_of(s, q) != terms || s->divisor[q] != s->divisor[r]) break;
    }
    return count;
}

/* Terms of a long record, then padding, `terms` in all: eight a step. */
static void put_long_terms(const wlu_cpu_packer *p, int32_t *w, int64_t r, int64_t terms)
{
    const int32_t *operand = p->s->operand + 2 * p->s->begin[r], zero = (int32_t)p->program->zero;
    for (int64_t i = 0, len = wlu_stream_terms(p->s, r); i < terms; i++) {
        int32_t *at = w + i / LANES * 2 * LANES + i % LANES;
        at[0] = i < len ? operand[2 * i] : zero;
        at[LANES] = i < len ? operand[2 * i + 1] : zero;
    }
}

static void put_records(wlu_cpu_packer *p, int64_t k, int64_t count)
{
    const wlu_stream *s = p->s;
    for (int64_t end = k + count; k < end; k++) {
        int64_t r = p->order[k], terms = terms_of(s, r);
        int32_t *w = wlu_pack_take(p, 2 + 2 * terms);
        if (w == NULL) continue;
        w[0] = s->target[r];
        w[1] = s->start[r];
        if (terms > WLU_DOT_IN_ORDER_MAX)
            put_long_terms(p, w + 2, r, terms);
        else
            memcpy(w + 2, s->operand + 2 * s->begin[r], (size_t)(2 * terms) * sizeof *w);
    }
}

/* The group of single records that begins at place k; returns the place behind it. A reciprocal takes the records
 * with it that are scaled by it at once. */
static int64_t pack_group(wlu_cpu_packer *p, int64_t k, int64_t end)
{
    const wlu_stream *s = p->s;
    int64_t r = p->order[k], links = count_links(p, k, end), count = 0, terms = 0;
    if (links >= LINKS_MIN) {
        put_links(p, k, links);
        return k + 3 * links;
    }
    int pivot = s->opcode[r] == WLU_RCP;
    int kind = pivot ? WLU_SINGLES_PIVOT_0 : wlu_singles_kind_of[s->opcode[r]];
    int64_t first = k + pivot;
    if (!pivot ||
        (first < end && s->opcode[p->order[first]] == WLU_DOTS && s->divisor[p->order[first]] == s->target[r])) {
        count = count_alike(p, first, end);
        terms = terms_of(s, p->order[first]);
    }
    put_head(p, wlu_kind_by_length(kind, terms), count, wlu_opcode_has_divisor(s->opcode[r]) ? s->divisor[r] : 0,
             s->target[r], terms);
    put_records(p, first, count);
    return first + count;
}

void wlu_pack_singles(wlu_cpu_packer *p, int64_t first, int64_t end)
{
    while (first < end) first = pack_group(p, first, end);
}
