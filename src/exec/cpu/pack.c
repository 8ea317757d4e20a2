/* Packing a DOT stream into runs of bundles. See image.h for the form. Two passes, the first only counts:
 * O(records + terms). */
#include "exec/cpu/image.h"

#include <string.h>

enum {
    LANES = 8,
    FEW_RECORDS = 2, /* a bundle with this many lanes or fewer is packed as single records */
    WORD_ALIGN = 16  /* words in 64 bytes */
};

typedef struct packer {
    const wlu_program *program;
    const wlu_stream *s;
    wlu_run *run;
    int32_t *word;
    int64_t nruns, nwords; /* runs closed or open so far, words so far */
    wlu_run open;
} packer;

static void close_run(packer *p)
{
    if (p->open.count == 0) return;
    if (p->open.form == WLU_RUN_FEW)
        while (p->nwords % LANES != 0) {
            if (p->word != NULL) p->word[p->nwords] = 0;
            p->nwords++;
        }
    if (p->run != NULL) p->run[p->nruns] = p->open;
    p->nruns++;
    p->open.count = 0;
}

static void extend_run(packer *p, wlu_run next)
{
    if (p->open.count > 0 && p->open.form == next.form && p->open.steps == next.steps &&
        p->open.scaled == next.scaled && p->open.in_place == next.in_place &&
        p->open.contiguous == next.contiguous) {
        p->open.count += next.count;
        return;
    }
    close_run(p);
    p->open = next;
}

static int64_t length(const wlu_stream *s, int64_t r)
{
    return s->begin[r + 1] - s->begin[r];
}

/* Eight words: f of each record of the bundle, padding in the other lanes. */
static void put_lanes(packer *p, const int32_t *field, int64_t first, int count, int64_t padding)
{
    if (p->word != NULL)
        for (int k = 0; k < LANES; k++) p->word[p->nwords + k] = k < count ? field[first + k] : (int32_t)padding;
    p->nwords += LANES;
}

static void put_across_terms(packer *p, int64_t first, int count, int64_t steps)
{
    const wlu_stream *s = p->s;
    if (p->word != NULL)
        for (int k = 0; k < LANES; k++) {
            int32_t *w = p->word + p->nwords + k;
            int64_t len = k < count ? length(s, first + k) : 0;
            const int32_t *operand = k < count ? s->operand + 2 * s->begin[first + k] : NULL;
            for (int64_t i = 0; i < steps; i++) {
                w[2 * LANES * i] = i < len ? operand[2 * i] : (int32_t)p->program->zero;
                w[2 * LANES * i + LANES] = i < len ? operand[2 * i + 1] : (int32_t)p->program->zero;
            }
        }
    p->nwords += 2 * LANES * steps;
}

static void pack_across(packer *p, int64_t first, int count)
{
    const wlu_stream *s = p->s;
    wlu_run run = {.form = WLU_RUN_ACROSS, .scaled = s->opcode[first] == WLU_DOTS, .count = 1};
    run.in_place = 1;
    run.contiguous = count == LANES;
    for (int k = 0; k < count; k++) {
        int64_t len = length(s, first + k);
        if (len > run.steps) run.steps = (int32_t)len;
        run.in_place &= s->start[first + k] == s->target[first + k];
        run.contiguous &= s->target[first + k] == s->target[first] + k;
    }
    extend_run(p, run);
    put_lanes(p, s->target, first, count, p->program->trash);
    put_lanes(p, s->start, first, count, run.in_place ? p->program->trash : p->program->zero);
    if (run.scaled) put_lanes(p, s->divisor, first, count, p->program->zero);
    put_across_terms(p, first, count, run.steps);
}

static wlu_few_kind few_kind(uint8_t opcode)
{
    return opcode == WLU_RCP ? WLU_FEW_RCP : opcode == WLU_DOTS ? WLU_FEW_DOTS : WLU_FEW_DOT;
}

static void pack_few(packer *p, int64_t first, int count)
{
    const wlu_stream *s = p->s;
    extend_run(p, (wlu_run){.form = WLU_RUN_FEW, .count = count});
    for (int64_t r = first; r < first + count; r++) {
        int64_t len = length(s, r);
        if (p->word != NULL) {
            int32_t *w = p->word + p->nwords;
            w[0] = (int32_t)(4 * len) + few_kind(s->opcode[r]);
            w[1] = s->target[r];
            w[2] = s->start[r];
            w[3] = s->opcode[r] != WLU_DOT ? s->divisor[r] : (int32_t)p->program->zero;
            memcpy(w + 4, s->operand + 2 * s->begin[r], (size_t)(2 * len) * sizeof *w);
        }
        p->nwords += 4 + 2 * len;
    }
}

static void pack_long(packer *p, int64_t r)
{
    const wlu_stream *s = p->s;
    int64_t len = length(s, r), steps = (len + LANES - 1) / LANES;
    extend_run(p, (wlu_run){.form = WLU_RUN_LONG, .scaled = s->opcode[r] == WLU_DOTS, .steps = (int32_t)steps,
                            .count = 1});
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

static void pack_reciprocals(packer *p, int64_t first, int count)
{
    extend_run(p, (wlu_run){.form = WLU_RUN_RCP, .count = 1});
    put_lanes(p, p->s->target, first, count, p->program->trash);
    put_lanes(p, p->s->divisor, first, count, p->program->zero);
}

/* Neighbouring records of one opcode and one class of length, at most eight of them. */
static int group(const wlu_stream *s, int64_t first, int64_t end)
{
    int count = 1;
    while (count < LANES && first + count < end && s->opcode[first + count] == s->opcode[first] &&
           length(s, first + count) <= WLU_DOT_IN_ORDER_MAX)
        count++;
    return count;
}

static void pack_records(packer *p)
{
    const wlu_stream *s = p->s;
    p->nruns = p->nwords = p->open.count = 0;
    for (int64_t v = 0; v < s->nvectors; v++) {
        int64_t r = s->vector[v].first, end = r + s->vector[v].count;
        while (r < end) {
            if (length(s, r) > WLU_DOT_IN_ORDER_MAX) {
                pack_long(p, r++);
                continue;
            }
            int count = group(s, r, end);
            if (count <= FEW_RECORDS)
                pack_few(p, r, count);
            else if (s->opcode[r] == WLU_RCP)
                pack_reciprocals(p, r, count);
            else
                pack_across(p, r, count);
            r += count;
        }
    }
    close_run(p);
}

warplu_status wlu_pack_stream(wlu_context *ctx, const wlu_program *program, const wlu_stream *stream,
                              wlu_packed *out)
{
    packer p = {.program = program, .s = stream};
    pack_records(&p);
    memset(out, 0, sizeof *out);
    out->nruns = p.nruns;
    out->nwords = p.nwords;
    out->run = WLU_ALLOC(ctx, p.nruns, wlu_run);
    out->block = WLU_ALLOC(ctx, p.nwords + WORD_ALIGN, int32_t);
    if (out->run == NULL || out->block == NULL) {
        wlu_packed_free(ctx, out);
        return wlu_fail_memory(ctx, "packed program");
    }
    size_t bytes = WORD_ALIGN * sizeof *out->word;
    out->word = (int32_t *)(((uintptr_t)out->block + bytes - 1) / bytes * bytes);
    p.run = out->run;
    p.word = out->word;
    pack_records(&p);
    return WARPLU_SUCCESS;
}

void wlu_packed_free(wlu_context *ctx, wlu_packed *packed)
{
    wlu_free(ctx, packed->run);
    wlu_free(ctx, packed->block);
    memset(packed, 0, sizeof *packed);
}

int64_t wlu_packed_bytes(const wlu_packed *packed)
{
    return packed->nruns * (int64_t)sizeof *packed->run + packed->nwords * (int64_t)sizeof *packed->word;
}
