/* Evaluates, stamps and updates a system: sums level after level, then the pass, then rows without contributions. */
#include <math.h>
#include <string.h>

#include "base/environment.h"
#include "model/system/system.h"

static wlm_bank_arrays arrays_of(const wlm_system *s, double t, const double *y, double alpha, double beta)
{
    return (wlm_bank_arrays){.t = t, .factor = {alpha, beta}, .memory = {y, s->sums, s->layout->fixed_value}};
}

static void run_levels(wlm_system *s, const wlm_bank_arrays *arrays)
{
    wlm_pass_results results = {.sum = s->sums};
    for (int32_t k = 0; k < s->layout->levels; k++) wlm_pass_run(&s->level[k], s->team, arrays, &results);
}

/* Completes q: it is y of stores and states, 0 where it is absent; balances have theirs. */
static void finish_q(const wlm_system *s, const double *y, double *q)
{
    const wlm_layout *l = s->layout;
    for (const wlm_block *b = l->block; b < l->block + l->node_blocks; b++)
        if (b->quantity->type == WLM_STORE && b->count > 0)
            memcpy(q + b->first, y + b->first, (size_t)b->count * sizeof *q);
    for (int32_t i = l->node_n; i < l->n; i++) q[i] = s->dynamic[i] ? y[i] : 0.0;
    wlm_dependent_clear(&s->dependent, q);
}

/* Takes from rows that are sums what time alone has changed in their charges. */
static void subtract_charge_rates(wlm_system *s, const wlm_bank_arrays *arrays, double *f)
{
    if (s->q_by_time.uses == 0) return;
    const wlm_dependences *d = &s->dependent.sum;
    double *rate = s->charge_rates;
    wlm_bank_arrays at = *arrays;
    wlm_pass_results results = {.f = rate};
    at.vector = rate;
    memset(rate, 0, (size_t)s->layout->n * sizeof *rate);
    wlm_pass_run(&s->q_by_time, s->team, &at, &results);
    wlm_dependent_sum(&s->dependent, &s->q_by_time, rate);
    for (int32_t k = 0; k < d->count; k++) f[d->row[k]] -= rate[d->row[k]];
}

/* Completes f, of this pass: of sums that are unknowns, contributions - y, block by block. */
static void finish_f(wlm_system *s, const wlm_pass *pass, const wlm_bank_arrays *arrays, double *f)
{
    const wlm_layout *l = s->layout;
    for (const wlm_block *b = l->block; b < l->block + l->node_blocks; b++)
        for (int32_t i = b->first; l->sums_are_unknowns && b->quantity->type == WLM_SUM && i < b->first + b->count; i++)
            f[i] -= arrays->memory[WLM_MEMORY_UNKNOWNS][i];
    wlm_dependent_sum(&s->dependent, pass, f);
    subtract_charge_rates(s, arrays, f);
}

static void finish_values(const wlm_system *s, double alpha, double beta, double *values)
{
    const wlm_layout *l = s->layout;
    const int32_t *diagonal = s->pattern.diagonal;
    for (const wlm_block *b = l->block; b < l->block + l->node_blocks; b++) {
        wlm_quantity_type type = b->quantity->type;
        double add = type == WLM_STORE ? alpha : type == WLM_SUM ? -beta : 0.0;
        for (int32_t i = b->first; add != 0.0 && i < b->first + b->count; i++) values[diagonal[i]] += add;
    }
    for (int32_t i = l->node_n; i < l->n; i++)
        if (s->dynamic[i]) values[diagonal[i]] += alpha;
}

/* Stamps df/dy for the rows that are sums. */
static void stamp_dependent(wlm_system *s, double t, const double *y, double beta, double *f, double *values)
{
    if (s->dependent.sum.count == 0) return;
    wlm_bank_arrays arrays = arrays_of(s, t, y, 0.0, 1.0);
    wlm_pass_results results = {.f = f, .entry = s->dependent.rate};
    arrays.vector = f;
    wlm_pass_run(&s->matrix, s->team, &arrays, &results);
    finish_values(s, 0.0, 1.0, s->dependent.rate);
    wlm_dependent_values(&s->dependent, beta, values);
}

/* The pass writes rates to f, which therefore needs room in any case: that of q where f is NULL, before q is filled. */
void wlm_system_evaluate(wlm_system *s, double t, const double *y, double *f, double *q)
{
    wlu_environment environment;
    wlu_environment_enter(&environment);
    wlm_bank_arrays arrays = arrays_of(s, t, y, s->step, 0.0);
    run_levels(s, &arrays);
    wlm_pass_results results = {.f = f, .q = q};
    arrays.vector = f != NULL ? f : q;
    if (arrays.vector != NULL) wlm_pass_run(&s->values, s->team, &arrays, &results);
    if (f != NULL) finish_f(s, &s->values, &arrays, f);
    if (q != NULL) finish_q(s, y, q);
    wlu_environment_leave(&environment);
}

/* Copies contributions to sums that are unknowns from f to y. Returns 1 where one changes. */
static int take_sums(const wlm_layout *l, const double *f, double *y)
{
    int changed = 0;
    for (const wlm_block *b = l->block; b < l->block + l->node_blocks; b++) {
        size_t bytes = (size_t)b->count * sizeof *y;
        if (b->quantity->type != WLM_SUM || bytes == 0 || memcmp(y + b->first, f + b->first, bytes) == 0) continue;
        memcpy(y + b->first, f + b->first, bytes);
        changed = 1;
    }
    return changed;
}

void wlm_system_fill_sums(wlm_system *s, double t, double *y, double *f)
{
    wlu_environment environment;
    wlu_environment_enter(&environment);
    wlm_bank_arrays arrays = arrays_of(s, t, y, 0.0, 0.0);
    wlm_pass_results results = {.f = f};
    arrays.vector = f;
    do wlm_pass_run(&s->values, s->team, &arrays, &results);
    while (take_sums(s->layout, f, y));
    wlu_environment_leave(&environment);
}

void wlm_system_stamp(wlm_system *s, double t, const double *y, double alpha, double beta, double *f, double *q,
                      double *values)
{
    wlu_environment environment;
    wlu_environment_enter(&environment);
    wlm_bank_arrays arrays = arrays_of(s, t, y, alpha, beta);
    wlm_pass_results results = {.f = f, .q = q, .entry = values};
    arrays.vector = f;
    wlm_pass_run(&s->matrix, s->team, &arrays, &results);
    finish_values(s, alpha, beta, values);
    stamp_dependent(s, t, y, beta, f, values);
    finish_f(s, &s->matrix, &arrays, f);
    if (q != NULL) finish_q(s, y, q);
    wlu_environment_leave(&environment);
}

int wlm_system_by_time(wlm_system *s, double t, const double *y, double *out)
{
    int any = 0;
    for (int32_t u = 0; u < s->by_time.uses; u++) any |= s->by_time.bank[u].outputs > 0;
    if (!any) return 0;
    wlu_environment environment;
    wlu_environment_enter(&environment);
    wlm_bank_arrays arrays = arrays_of(s, t, y, 0.0, 0.0);
    wlm_pass_results results = {.f = out};
    memset(out, 0, (size_t)s->layout->n * sizeof *out);
    arrays.vector = out;
    wlm_pass_run(&s->by_time, s->team, &arrays, &results);
    wlm_dependent_sum(&s->dependent, &s->by_time, out);
    wlu_environment_leave(&environment);
    return 1;
}

void wlm_system_rates(wlm_system *s, double t, const double *y, const wlm_finish *finish, double *nodes, double *own)
{
    wlu_environment environment;
    wlu_environment_enter(&environment);
    wlm_bank_arrays arrays = arrays_of(s, t, y, s->step, 0.0);
    run_levels(s, &arrays);
    wlm_pass_results results = {.f = nodes, .finish = *finish};
    arrays.vector = own;
    wlm_pass_run(&s->values, s->team, &arrays, &results);
    wlu_environment_leave(&environment);
}

int wlm_system_update(wlm_system *s, double t, double h, const double *y, const wlm_finish *finish, double *nodes,
                      double *next)
{
    wlu_environment environment;
    wlu_environment_enter(&environment);
    wlm_bank_arrays arrays = arrays_of(s, t, y, h, 0.0);
    run_levels(s, &arrays);
    wlm_pass_results results = {.f = nodes, .finish = *finish};
    arrays.vector = next;
    int finite = wlm_pass_run(&s->update, s->team, &arrays, &results);
    wlu_environment_leave(&environment);
    return finite;
}

/* Runs a pass whose contributions have no targets, and returns them. */
static const double *run_alone(wlm_system *s, wlm_pass *pass, int reads_sums, double t, const double *y)
{
    wlu_environment environment;
    wlu_environment_enter(&environment);
    wlm_bank_arrays arrays = arrays_of(s, t, y, 0.0, 0.0);
    wlm_pass_results none = {0};
    if (reads_sums) run_levels(s, &arrays);
    wlm_pass_run(pass, s->team, &arrays, &none);
    wlu_environment_leave(&environment);
    return pass->contribution;
}

const double *wlm_system_crossings(wlm_system *s, double t, const double *y)
{
    return run_alone(s, &s->crossings, 1, t, y);
}

const double *wlm_system_assignments(wlm_system *s, double t, const double *y)
{
    return run_alone(s, &s->assignments, 1, t, y);
}

const double *wlm_system_limits(wlm_system *s, double t, const double *y, int32_t *count)
{
    *count = s->limits.contributions;
    return run_alone(s, &s->limits, s->limits_read_sums, t, y);
}

/* ------------------------------------------------------------------- blame */

/* Writes the use and instance that a contribution comes from. */
static void describe_contribution(const wlm_system *s, const wlm_pass *pass, int32_t at, char *text, size_t bytes)
{
    for (int32_t u = 0; u < pass->uses; u++)
        for (int32_t k = 0; k < pass->bank[u].outputs; k++) {
            const wlm_bank_output *o = &pass->bank[u].output[k];
            if (!o->to_vector && at >= o->at && at - o->at < pass->bank[u].count)
                wlm_layout_instance(s->layout, u, at - o->at, text, bytes);
        }
}

void wlm_system_blame(const wlm_system *s, int32_t row, char *text, size_t bytes)
{
    const wlm_pass *pass = s->matrix.uses > 0 ? &s->matrix : s->update.uses > 0 ? &s->update : &s->values;
    text[0] = '\0';
    if (row >= s->layout->node_n) return;
    int32_t most = -1;
    for (int32_t k = pass->f.ptr[row]; k < pass->f.ptr[row + 1]; k++) {
        int32_t at = wlm_gather_place(pass->f.idx[k]);
        double here = pass->contribution[at];
        if (most < 0 || !(fabs(here) <= fabs(pass->contribution[most]))) most = at;
        if (here != here) break;
    }
    if (most >= 0) describe_contribution(s, pass, most, text, bytes);
}

/* ------------------------------------------------------------------ beginning */

static void initial_nodes(const wlm_system *s, double *y)
{
    const wlm_layout *l = s->layout;
    for (const wlm_block *b = l->block; b < l->block + l->node_blocks; b++) {
        const double *value = b->quantity->value;
        for (int32_t i = 0; b->memory == WLM_MEMORY_UNKNOWNS && i < b->count; i++)
            y[b->first + i] = value != NULL ? value[i] : 0.0;
    }
}

/* Makes a pass, runs it once and frees it; alone: gets contributions without targets, or NULL. */
static warplu_status run_once(wlm_system *s, wlm_want want, double *vector, double *f, double *alone)
{
    wlm_pass pass;
    warplu_status status = wlm_pass_create(s->layout, want, 0, s->options.isa, 1, &pass);
    if (status != WARPLU_SUCCESS) return status;
    wlu_environment environment;
    wlu_environment_enter(&environment);
    wlm_bank_arrays arrays = arrays_of(s, 0.0, NULL, 0.0, 0.0);
    wlm_pass_results results = {.f = f};
    arrays.vector = vector;
    wlm_pass_run(&pass, s->team, &arrays, &results);
    wlu_environment_leave(&environment);
    if (alone != NULL) memcpy(alone, pass.contribution, (size_t)pass.contributions * sizeof *alone);
    wlm_pass_free(&pass);
    return WARPLU_SUCCESS;
}

warplu_status wlm_system_initial(wlm_system *s, double *y)
{
    initial_nodes(s, y);
    return run_once(s, WLM_WANT_INITIAL, y, NULL, NULL);
}

warplu_status wlm_system_mass(wlm_system *s, double *mass)
{
    const wlm_layout *l = s->layout;
    warplu_status status = run_once(s, WLM_WANT_MASS, NULL, mass, NULL);
    for (const wlm_block *b = l->block; status == WARPLU_SUCCESS && b < l->block + l->node_blocks; b++)
        for (int32_t i = b->first; b->quantity->type == WLM_STORE && i < b->first + b->count; i++) mass[i] = 1.0;
    return status;
}

warplu_status wlm_system_event_times(wlm_system *s, double *at)
{
    return run_once(s, WLM_WANT_TIMES, NULL, NULL, at);
}
