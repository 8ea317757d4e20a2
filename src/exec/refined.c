/* Refinement on the host. See refined.h.
 *
 * The members' right-hand sides are solved for together; one that needs no more corrections goes along, and what comes
 * of it is not looked at. */
#include "exec/refined.h"

#include <math.h>
#include <string.h>

#include "base/environment.h"
#include "exec/residual/refine.h"
#include "exec/residual/row_lanes.h"

enum { KINDS = 2 };

/* Rows of A; of A', once they are wanted. */
struct wlu_refining_image {
    wlu_rows_image rows[KINDS];
    wlu_row_lanes lanes[KINDS];
};

/* One after the other of each member's. */
struct wlu_refining {
    wlu_refine_control *control;
    const double *waiting; /* values of the last refactorization, until their entries are taken; then NULL */
    const double *entries; /* these: in `room`, or the caller's values */
    double *room;
    double *x[2], *r, *found; /* a vector each */
    double *largest;
    int members; /* of a batch */
    int lent;    /* values stay with the caller until the next refactorization */
};

/* ------------------------------------------------------------------ images */

void wlu_refining_unload(wlu_context *ctx, wlu_image *im)
{
    if (im->refining == NULL) return;
    for (int k = 0; k < KINDS; k++) {
        wlu_block_free(ctx, &im->refining->rows[k].block);
        wlu_block_free(ctx, &im->refining->lanes[k].block);
    }
    wlu_free(ctx, im->refining);
    im->refining = NULL;
}

static warplu_status pack(wlu_context *ctx, const wlu_program *program, wlu_stream_kind kind, wlu_rows_image *rows,
                          wlu_row_lanes *lanes)
{
    warplu_status status = wlu_rows_image_pack(ctx, program, kind, rows);
    if (status == WARPLU_SUCCESS) status = wlu_row_lanes_pack(ctx, &rows->rows, lanes);
    if (status < 0) wlu_block_free(ctx, &rows->block);
    return status;
}

warplu_status wlu_refining_load(wlu_context *ctx, wlu_image *im)
{
    static const wlu_stream_kind kinds[KINDS] = {WLU_STREAM_SOLVE, WLU_STREAM_SOLVE_TRANSPOSED};
    warplu_status status = WARPLU_SUCCESS;
    if (im->refining == NULL) im->refining = WLU_CALLOC(ctx, 1, struct wlu_refining_image);
    if (im->refining == NULL) return wlu_fail_memory(ctx, "rows for refinement");
    for (int k = 0; k < KINDS && status == WARPLU_SUCCESS; k++)
        if (im->refining->rows[k].block.memory == NULL && (k == 0 || im->transposed))
            status = pack(ctx, im->program, kinds[k], &im->refining->rows[k], &im->refining->lanes[k]);
    return status;
}

int64_t wlu_refining_bytes(const wlu_image *im)
{
    int64_t bytes = 0;
    for (int k = 0; k < KINDS && im->refining != NULL; k++)
        bytes += im->refining->rows[k].block.bytes + im->refining->lanes[k].block.bytes;
    return bytes;
}

/* ------------------------------------------------------------------ states */

/* Doubles of a right-hand side. */
static int64_t vector_doubles(const wlu_state *state)
{
    return wlu_vector_doubles(state->image->program->pattern);
}

void wlu_refining_destroy(wlu_context *ctx, wlu_state *state)
{
    struct wlu_refining *f = state->refining;
    state->refining = NULL;
    if (f == NULL) return;
    wlu_free(ctx, f->room);
    wlu_free(ctx, f->control);
    wlu_free(ctx, f);
}

warplu_status wlu_refining_create(wlu_context *ctx, wlu_state *state)
{
    int64_t count = state->count, n = count * vector_doubles(state);
    int64_t entries = count * wlu_entries_of(state->image->program), numbers = entries + 4 * n + count;
    struct wlu_refining *f = WLU_CALLOC(ctx, 1, struct wlu_refining);
    if (f == NULL) return wlu_fail_memory(ctx, "state of refinement");
    state->refining = f;
    f->entries = f->room = WLU_CALLOC(ctx, numbers, double);
    f->control = WLU_CALLOC(ctx, count, wlu_refine_control);
    if (f->room == NULL || f->control == NULL) return wlu_fail_memory(ctx, "residuals");
    f->x[0] = f->room + entries;
    f->x[1] = f->x[0] + n;
    f->r = f->x[1] + n;
    f->found = f->r + n;
    f->largest = f->found + n;
    state->bytes += numbers * (int64_t)sizeof(double);
    return WARPLU_SUCCESS;
}

void wlu_refining_take_members(wlu_state *state, int lent)
{
    if (state->refining == NULL) return;
    state->refining->members = 1;
    state->refining->lent = lent;
}

/* Of the values that wait. Those that are lent are read where they are, unless they have duplicates to sum. */
static void take_entries(wlu_state *state)
{
    struct wlu_refining *f = state->refining;
    const wlu_program *p = state->image->program;
    int stay = f->lent && p->gather == NULL;
    f->entries = stay ? f->waiting : f->room;
    for (int32_t m = 0; m < state->count && !stay; m++) {
        const double *of = f->waiting + m * (int64_t)p->nvalues * p->doubles;
        double *to = f->room + m * wlu_entries_of(p);
        const double *gathered = wlu_gather_values(p, of, to);
        if (gathered != to) memcpy(to, gathered, (size_t)(p->doubles * p->nvalues) * sizeof *to);
    }
    f->waiting = NULL;
}

void wlu_refining_keep(wlu_state *state, const double *values)
{
    state->refining->waiting = values;
    if (!state->refining->lent) take_entries(state);
}

/* ----------------------------------------------------------------- replays */

/* A right-hand side of each member: the first one's, and how far apart they are. */
typedef struct columns {
    const double *b;
    int64_t ldb;
    double *x;
    int64_t ldx;
    double *largest;
    int apart; /* in `largest` */
} columns;

/* wlu_refine_look: rows of the usual length side by side. */
static void look_at_member(const struct wlu_refining_image *im, int kind, const double *entries, const double *b,
                           const double *x, double *r, wlu_refine_control *control)
{
    const wlu_row_lanes *lanes = &im->lanes[kind];
    const wlu_refine_rows *rows = &im->rows[kind].rows;
    wlu_refine_row *look_at = wlu_refine_row_of(rows);
    wlu_looking_kernel(rows->doubles)(lanes, rows->n, entries, b, x, r, control);
    for (int32_t k = 0; k < lanes->longs; k++) look_at(rows, entries, b, x, lanes->long_row[k], r, control);
}

/* Looks at the members' residuals: of right-hand sides (begins), or of trials. Returns how many need a correction. */
static int32_t look(const wlu_state *state, int kind, const columns *c, int begins, int single)
{
    struct wlu_refining *f = state->refining;
    int64_t n = vector_doubles(state), entries = wlu_entries_of(state->image->program);
    double enough = f->members ? wlu_refine_enough_of_member(single)
                               : wlu_refine_enough(single, state->image->refining->rows[0].rows.longest);
    int32_t left = 0;
    for (int32_t m = 0; m < state->count; m++) {
        wlu_refine_control *control = &f->control[m];
        if (begins) *control = (wlu_refine_control){0};
        if (!begins && control->ended) continue;
        look_at_member(state->image->refining, kind, f->entries + m * entries, c->b + m * c->ldb,
                       begins ? NULL : f->x[1 - control->at] + m * n, f->r + m * n, control);
        wlu_refine_conclude(control, begins, single, enough);
        left += !control->ended;
    }
    return left;
}

/* Corrections: what the executor finds for the residuals, scaled where that is in FP32. */
static warplu_status correct(wlu_context *ctx, wlu_state *state, wlu_stream_kind kind)
{
    struct wlu_refining *f = state->refining;
    int64_t n = vector_doubles(state);
    for (int32_t m = 0; m < state->count; m++)
        for (int64_t i = m * n; i < (m + 1) * n && f->control[m].down != 1.0; i++) f->r[i] *= f->control[m].down;
    warplu_status status = state->image->target.executor->solve(ctx, state, kind, 1, f->r, n, f->found, n, f->largest);
    for (int32_t m = 0; m < state->count; m++) {
        wlu_refine_control *c = &f->control[m];
        if (c->ended) continue;
        c->unknown = 0.0;
        for (int64_t i = m * n; i < (m + 1) * n; i++) {
            double *trial = &f->x[1 - c->at][i];
            *trial = wlu_refine_trial(c, f->x[c->at][i], f->found[i]);
            c->unknown = wlu_larger_bits(c->unknown, fabs(*trial));
        }
    }
    return status;
}

/* Adds to state->refined. */
static void deliver(wlu_state *state, const columns *c)
{
    const struct wlu_refining *f = state->refining;
    int64_t n = vector_doubles(state);
    for (int32_t m = 0; m < state->count; m++) {
        double *const best[2] = {f->x[0] + m * n, f->x[1] + m * n};
        double *to = c->x + m * c->ldx, *largest = &c->largest[m * c->apart];
        wlu_refine_deliver(&f->control[m], n, best, 0, to);
        wlu_refine_tell(&f->control[m], &state->refined);
        *largest = 0.0;
        for (int64_t i = 0; i < n; i++) *largest = wlu_larger_bits(*largest, fabs(to[i]));
    }
}

static warplu_status solve_one(wlu_context *ctx, wlu_state *state, wlu_stream_kind kind, const columns *c)
{
    const wlu_image *im = state->image;
    int which = kind == WLU_STREAM_SOLVE_TRANSPOSED;
    warplu_status status = WARPLU_SUCCESS;
    wlu_environment env;
    wlu_environment_enter(&env);
    int single = wlu_precision_is_single(im->target.precision), steps = wlu_refine_steps(im->program, single);
    int32_t left = look(state, which, c, 1, single);
    for (int step = 0; step <= steps && left > 0 && status == WARPLU_SUCCESS; step++) {
        status = correct(ctx, state, kind);
        if (status == WARPLU_SUCCESS) left = look(state, which, c, 0, single);
    }
    if (status == WARPLU_SUCCESS) deliver(state, c);
    wlu_environment_leave(&env);
    return status;
}

warplu_status wlu_refining_solve(wlu_context *ctx, wlu_state *state, wlu_stream_kind kind, int nrhs, const double *b,
                                 int64_t ldb, double *x, int64_t ldx, double *largest)
{
    warplu_status status = WARPLU_SUCCESS;
    state->refined = wlu_refined_none();
    if (state->refining->waiting != NULL) take_entries(state);
    for (int k = 0; k < nrhs && status == WARPLU_SUCCESS; k++) {
        columns c = {b + k * ldb, nrhs * ldb, x + k * ldx, nrhs * ldx, largest + k, nrhs};
        status = solve_one(ctx, state, kind, &c);
    }
    return status;
}
