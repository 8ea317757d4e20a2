/* Plays cases. See play.h.
 *
 * What is promised of a success is (warplu.h, docs/numerics.md): |b - A x|_i at most the tolerance times max|a_i.|
 * max|x| + |b_i|, whoever has checked it; and where every solve is to be checked, at most the tolerance times (|A||x| +
 * |b|)_i, too. */
#include "play.h"

#include <warplu/inspect.h>
#include <warplu/save.h>

#include "aim.h"
#include "draw.h"
#include "judge.h"
#include "on_device.h"
#include "support/stages.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

warplu_executor play_executor = WARPLU_EXECUTOR_AUTO;
int play_on_device;
int64_t play_repeatable;

typedef struct player {
    genome *g;
    outcome *out;
    warplu_solver *solver;
    test_matrix now; /* the pattern with the values at hand */
    double *x;
    int at; /* the step */
} player;

void counts_add(counts *to, const counts *from)
{
    to->successes += from->successes;
    to->checked += from->checked;
    to->wrong += from->wrong;
    to->refused += from->refused;
}

double play_tolerance(const genome *g)
{
    return (g->options.precision == WARPLU_PRECISION_SINGLE ? 1e-4 : 1e-10) + 4.0 * g->m.n * 0x1p-52;
}

/* What rounding alone comes to where nothing grows. */
static double plain_error(const genome *g)
{
    return 4.0 * g->m.n * (g->options.precision == WARPLU_PRECISION_SINGLE ? 0x1p-24 : 0x1p-53) / play_tolerance(g);
}

static warplu_statistics statistics_of(const player *p)
{
    warplu_statistics t = {.size = sizeof t};
    warplu_get_statistics(p->solver, &t);
    return t;
}

static double weakness_of(const player *p)
{
    warplu_statistics t = statistics_of(p);
    return fmax(t.largest_l, 1.0) * fmax(t.largest_u, 1.0) * fmax(t.row_drift, 1.0);
}

/* Keeps an answer that was a success. transposed: as called. */
static void judge(player *p, int transposed, int column, const double *b, int checked)
{
    const genome *g = p->g;
    outcome *out = p->out;
    int of_a = transposed != (g->options.storage == WARPLU_STORAGE_CSR);
    const double *x = p->x + (int64_t)column * g->m.n;
    double promised = judge_row_error(&p->now, of_a, b, x);
    if (g->options.check == WARPLU_CHECK_ALWAYS) promised = fmax(promised, judge_backward_error(&p->now, of_a, b, x));
    counts *c = &out->count[transposed];
    finding f = {.error = promised / play_tolerance(g), .weakness = weakness_of(p), .step = p->at, .column = column};
    f.surprise = fmax(f.error - plain_error(g), 0.0) / f.weakness;
    c->successes++;
    c->checked += checked;
    if (!(f.error <= 1.0)) {
        c->wrong++;
        if (out->wrong.error == 0.0) out->wrong = f;
    }
    if (checked) return;
    if (!(f.error <= out->worst[transposed].error)) out->worst[transposed] = f;
    if (f.surprise > out->hidden[transposed].surprise) out->hidden[transposed] = f;
}

static void solve(player *p, step *s)
{
    int32_t n = p->g->m.n;
    int transposed = s->kind == STEP_SOLVE_TRANSPOSED, by_rows = p->g->options.storage == WARPLU_STORAGE_CSR;
    test_hasten_limits(p->solver);
    if (s->aimed) aim(p->solver, &p->now, by_rows, transposed != by_rows, s->numbers);
    warplu_status status = WARPLU_WRONG_PHASE;
    if (play_on_device)
        status = on_device_solve(p->solver, p->now.nnz, p->now.x, transposed, s->columns, s->numbers, n, p->x);
    int told = play_on_device && status != WARPLU_WRONG_PHASE; /* else there is no program yet */
    if (!told && transposed) status = warplu_solve_transposed(p->solver, s->columns, s->numbers, n, p->x, n);
    if (!told && !transposed) status = warplu_solve(p->solver, s->columns, s->numbers, n, p->x, n);
    if (status != WARPLU_SUCCESS && (told || status != WARPLU_REPIVOTED)) {
        p->out->count[transposed].refused += s->columns;
        return;
    }
    int checked = !told && statistics_of(p).all_checked;
    for (int32_t k = 0; k < s->columns; k++) judge(p, transposed, k, s->numbers + (int64_t)k * n, checked);
}

/* What the library says of an error must not be less than half of it. */
static void measure(player *p, const step *s)
{
    int32_t n = p->g->m.n;
    int transposed = s->kind == STEP_MEASURE_TRANSPOSED,
        of_a = transposed != (p->g->options.storage == WARPLU_STORAGE_CSR);
    const double *b = s->numbers, *x = b + n;
    double own = NAN, slack = 8.0 * n * 0x1p-52;
    counts *c = &p->out->count[transposed];
    warplu_status status = warplu_compute_backward_error(p->solver, transposed, p->now.x, 1, b, n, x, n, &own);
    if (status != WARPLU_SUCCESS) {
        c->refused++;
        return;
    }
    double error = judge_backward_error(&p->now, of_a, b, x);
    c->successes++;
    c->checked++;
    if (error <= 2.0 * own + slack || isnan(own)) return;
    c->wrong++;
    if (p->out->wrong.error == 0.0) p->out->wrong = (finding){.error = error / (own + slack), .step = p->at};
}

/* The next refactor is the player's step. */
static void grow(const player *p)
{
    if ((p->g->stages >> p->at & 1) != 0) test_hasten_stage(p->solver);
}

static int factor(player *p, const step *s)
{
    grow(p);
    memcpy(p->now.x, s->numbers, (size_t)p->now.nnz * sizeof *p->now.x);
    warplu_status status =
        s->kind == STEP_FACTOR ? warplu_factor(p->solver, s->numbers) : warplu_refactor(p->solver, s->numbers);
    return status >= 0;
}

/* A solver of the saved file, with the values at hand. */
static warplu_status restore(player *p, warplu_solver **next)
{
    char path[] = "search-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) return WARPLU_CANNOT_OPEN;
    close(file);
    warplu_status status = warplu_save(p->solver, path);
    if (status == WARPLU_SUCCESS) status = warplu_create(next, &p->g->options);
    if (status == WARPLU_SUCCESS) status = warplu_restore(*next, path);
    unlink(path);
    return status;
}

static int succeed(player *p, step_kind kind)
{
    warplu_solver *next = NULL;
    warplu_status status = kind == STEP_CLONE ? warplu_clone(&next, p->solver) : restore(p, &next);
    if (status != WARPLU_SUCCESS) {
        warplu_destroy(&next);
        p->out->odd = 1;
        return 0;
    }
    warplu_destroy(&p->solver);
    p->solver = next;
    grow(p);
    return warplu_refactor(p->solver, p->now.x) >= 0;
}

static int begin(player *p)
{
    const genome *g = p->g;
    const test_matrix *m = &g->m;
    if (warplu_create(&p->solver, &g->options) != WARPLU_SUCCESS) {
        p->out->odd = 1;
        return 0;
    }
    if (draws_first_replay(g->stages)) test_replay_first(p->solver);
    return warplu_analyze(p->solver, m->n, m->ptr, m->idx, g->blind ? NULL : m->x) >= 0;
}

void play(genome *g, outcome *out)
{
    player p = {.g = g, .out = out, .now = g->m};
    if (play_repeatable > 0) g->options.repeatable = (int)play_repeatable;
    if (play_executor != WARPLU_EXECUTOR_AUTO) {
        g->options.executor = play_executor;
        g->options.threads = 1;
    }
    int32_t columns = 1;
    *out = (outcome){0};
    for (int k = 0; k < g->steps; k++)
        if (genome_is_solve(&g->step[k]) && g->step[k].columns > columns) columns = g->step[k].columns;
    p.now.x = malloc(((size_t)g->m.nnz + 1) * sizeof *p.now.x);
    p.x = malloc((size_t)g->m.n * (size_t)columns * sizeof *p.x);
    int factors = begin(&p), started = factors;
    for (; started && p.at < g->steps; p.at++) {
        step *s = &g->step[p.at];
        if (genome_is_values(s))
            factors = factor(&p, s);
        else if (genome_is_solve(s) && factors)
            solve(&p, s);
        else if (genome_is_measure(s))
            measure(&p, s);
        else if (factors)
            factors = succeed(&p, s->kind);
        if (p.solver == NULL) break;
    }
    if (p.solver != NULL) out->programs = statistics_of(&p).compilations;
    warplu_destroy(&p.solver);
    free(p.now.x);
    free(p.x);
}

void play_say(const genome *g, const finding *f)
{
    static const char *const precisions[] = {"double", "single", "mixed"};
    printf("%s, %s, n %" PRId32 ", nnz %" PRId32
           ": error %.2e of what is promised, at step %d (%s), column %d; weakness %.1e\n",
           g->family, precisions[g->options.precision], g->m.n, g->m.nnz, f->error, f->step,
           g->step[f->step].kind == STEP_SOLVE || g->step[f->step].kind == STEP_MEASURE ? "A" : "A'", f->column,
           f->weakness);
}
