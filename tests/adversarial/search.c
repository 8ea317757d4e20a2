/* The search of one class. See search.h.
 *
 * Hill climbing on several lineages side by side. A child is its parent varied (mutate.h), or crossed with another
 * lineage of the same pattern, or goes on with several variations of the parent's last replay, and takes the parent's
 * place if it is no worse. A lineage that has not become better for STALE children begins anew, from a drawn case or
 * from another lineage's. A class has its own random numbers, so that what it finds does not depend on other classes,
 * nor on how long anything takes. */
#include "emulator/emulate.h"
#include "search.h"

#include "draw.h"
#include "mutate.h"
#include "pieces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STALE = 150 };

void search_begin(search *s, family_kind family, warplu_precision precision, int transposed, uint64_t seed)
{
    *s = (search){.family = family, .precision = precision, .transposed = transposed};
    s->seed = draw_seed(seed, ((int64_t)family * 3 + (int64_t)precision) * 2 + transposed);
}

const char *search_name(const search *s)
{
    static const char *const precisions[] = {"double", "single", "mixed"};
    static char name[64];
    snprintf(name, sizeof name, "%s, %s, %s", family_name(s->family), precisions[s->precision],
             s->transposed ? "A'" : "A");
    return name;
}

/* ------------------------------------------------------------------ drawing */

static void draw_options(search *s, genome *g)
{
    static const warplu_executor slow[] = {WARPLU_EXECUTOR_REFERENCE, TEST_EXECUTOR_EMULATE};
    warplu_options *o = &g->options;
    o->precision = s->precision;
    if (s->precision != WARPLU_PRECISION_DOUBLE || draw_one_in(&s->seed, 8))
        o->executor = slow[draw_one_in(&s->seed, 8)];
    if (s->family == FAMILY_cancel && check_below(&s->seed, 4)) { /* pivots stay where they were made to be */
        o->ordering = WARPLU_ORDERING_NATURAL;
        o->matching = WARPLU_MATCHING_NEVER;
        o->btf = 0;
    }
    for (int k = check_below(&s->seed, 4); k > 1; k--) piece_draw_option(g, &s->seed);
}

/* First pivots for values with a stronger diagonal than the replays have. */
static void strengthen_first(search *s, genome *g)
{
    int most = 1 + check_below(&s->seed, 11);
    for (int32_t j = 0; j < g->m.n; j++)
        for (int32_t q = g->m.ptr[j]; q < g->m.ptr[j + 1]; q++)
            if (g->m.idx[q] == j) g->step[0].numbers[q] = ldexp(g->m.x[q], check_below(&s->seed, most));
    g->blind = check_below(&s->seed, 2);
}

/* A first factorization, easy solves in a third of all draws, and one to three replays, each with a solve. */
static void draw_case(search *s, genome *g)
{
    static const double spreads[] = {0.3, 0.05, 0x1p-6, 0.0};
    test_matrix m;
    int32_t size = check_below(&s->seed, 64);
    family_draw(s->family, size == 0 ? 300 : size < 24 ? 90 : 40, &s->seed, &m);
    genome_create(g, family_name(s->family), &m);
    draw_options(s, g);
    if (draw_one_in(&s->seed, 4)) strengthen_first(s, g);
    if (draw_one_in(&s->seed, 4)) g->stages = draw_stages(&s->seed, 3); /* few: programs take the most time */
    for (int k = draw_one_in(&s->seed, 3) ? 3 : 0; k > 0; k--)
        piece_add_solve(g, &s->seed, s->transposed, 1, check_below(&s->seed, 2) ? RHS_FORM_ZERO : RHS_FORM_RESTING);
    for (int k = 1 + check_below(&s->seed, 3); k > 0; k--) {
        rhs_form form = check_below(&s->seed, 4) ? RHS_FORM_AIMED : (rhs_form)check_below(&s->seed, RHS_FORMS);
        piece_add_refactor(g, &s->seed, spreads[check_below(&s->seed, 4)]);
        piece_add_solve(g, &s->seed, s->transposed, 1, form);
    }
}

/* The next case of lineage l. */
static void breed(search *s, lineage *l, genome *child)
{
    const lineage *other = &s->lineage[check_below(&s->seed, LINEAGES)];
    if (!l->alive || l->stale > STALE) {
        int adopts = l->alive && other != l && other->alive && check_below(&s->seed, 2);
        if (l->alive) genome_free(&l->g);
        l->alive = 0;
        if (!adopts) {
            draw_case(s, child);
            return;
        }
        genome_copy(child, &other->g);
        mutate(child, &s->seed, s->transposed);
        return;
    }
    genome_copy(child, &l->g);
    if (check_below(&s->seed, 2)) {
        mutate_sprout(child, &s->seed, s->transposed);
        return;
    }
    if (other == l || !other->alive || check_below(&s->seed, 6) != 0 || !mutate_cross(child, &other->g, &s->seed))
        mutate(child, &s->seed, s->transposed);
}

/* ----------------------------------------------------------------- selection */

static void keep(record *r, const genome *g, const finding *f, int64_t at)
{
    if (r->alive) genome_free(&r->g);
    genome_copy(&r->g, g);
    genome_end_after(&r->g, f->step);
    r->alive = 1;
    r->f = *f;
    r->at = at;
}

static void keep_records(search *s, const genome *g, const outcome *o)
{
    const finding *worst = &o->worst[s->transposed], *hidden = &o->hidden[s->transposed];
    if (worst->error > s->worst.f.error) keep(&s->worst, g, worst, s->evaluations);
    if (hidden->surprise > s->hidden.f.surprise) keep(&s->hidden, g, hidden, s->evaluations);
    if (o->wrong.error > 0.0 && !s->wrong.alive) keep(&s->wrong, g, &o->wrong, s->evaluations);
}

static void count(search *s, const outcome *o)
{
    for (int k = 0; k < 2; k++) counts_add(&s->count, &o->count[k]);
    s->odd += o->odd;
}

void search_run(search *s, int64_t evaluations)
{
    for (int64_t k = 0; k < evaluations; k++, s->evaluations++) {
        int at = (int)(s->evaluations % LINEAGES);
        lineage *l = &s->lineage[at];
        genome child;
        outcome o;
        breed(s, l, &child);
        play(&child, &o);
        count(s, &o);
        keep_records(s, &child, &o);
        const finding *f = at < BY_ERROR ? &o.worst[s->transposed] : &o.hidden[s->transposed];
        double score = at < BY_ERROR ? f->error : f->surprise;
        if (l->alive && !(score >= l->score)) {
            l->stale++;
            genome_free(&child);
            continue;
        }
        l->stale = l->alive && !(score > l->score) ? l->stale + 1 : 0;
        if (l->alive) genome_free(&l->g);
        if (score > 0.0) genome_end_after(&child, f->step);
        l->g = child;
        l->alive = 1;
        l->score = score;
    }
}

void search_end(search *s)
{
    record *records[] = {&s->worst, &s->hidden, &s->wrong};
    for (int k = 0; k < LINEAGES; k++)
        if (s->lineage[k].alive) genome_free(&s->lineage[k].g);
    for (int k = 0; k < 3; k++)
        if (records[k]->alive) genome_free(&records[k]->g);
}
