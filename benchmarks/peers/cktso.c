/* CKTSO as a peer (Chen, IEEE TCAD 44(5), 2025, and ICCAD 2022): circuit matrices, matching, the best of ten minimum
 * degree and nested dissection orderings by estimated operations, partial pivoting at its default tolerance of 0.001,
 * kernels chosen by sparsity.
 *
 * Variants: 0 refactors with CKTSO_Refactorize: pivots and pattern of the last factorization, unchecked. 1 with its
 * fast factorization: the same while every pivot passes the tolerance, partial pivoting from the first that does not.
 * 2 is 0 with its scaling by weighted matching, which it leaves off by default.
 *
 * It takes rows and is told that they are columns, its column mode: as fast as its row mode on one thread, with the
 * smaller backward errors of pivots chosen within columns, and nothing to convert. The analysis gets the values of the
 * first factorization, as its guide asks. All else stays at its defaults: waiting threads sleep, and where it has
 * several it decides itself how many work. The factors are not sorted, which its guide leaves to users. */
#include <cktso.h>
#include <stdio.h>
#include <stdlib.h>

#include "peer.h"

_Static_assert(sizeof(int) == sizeof(int32_t), "CKTSO's int is int32_t");

enum { REFACTORIZE = 0, FAST_FACTORIZE = 1, SCALED = 2 };

/* Places in iparm and oparm. */
enum { IN_ORDERING = 2, IN_SCALING = 7 };
enum { OUT_NNZ_L = 5, OUT_NNZ_U = 6, OUT_ORDERING = 8, OUT_SINGULAR = 9, OUT_WANTED = 11, OUT_BYTES = 12 };

/* The best of all, of eight kinds of minimum degree, of two of nested dissection; none; then one by one. */
static const char *const cktso_orderings[] = {"auto", "md",  "nd",  "natural", "md1", "md2", "md3", "md4",
                                              "md5",  "md6", "md7", "md8",     "nd1", "nd2", NULL};
static const int ordering_codes[] = {0, 18, 11, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
enum { FIRST_SINGLE = 4, SINGLES = 10 }; /* in oparm: 1 to 10 */

typedef struct cktso_run {
    peer_matrix a;
    ICktSo solver;
    int *in;
    const long long *out;
    int32_t variant, threads, ordering;
    int factored; /* there are factors to refactor and to solve with */
} cktso_run;

static warplu_status status_of(const cktso_run *c, int code)
{
    switch (code) {
    case 0: return WARPLU_SUCCESS;
    case -4: return peer_fail(WARPLU_OUT_OF_MEMORY, "CKTSO -4: no memory for %lld bytes", c->out[OUT_WANTED]);
    case -5: return peer_fail(WARPLU_STRUCTURALLY_SINGULAR, "CKTSO -5: structurally singular");
    case -6: return peer_fail(WARPLU_SINGULAR, "CKTSO -6: singular, row %lld of its order", c->out[OUT_SINGULAR]);
    case -7: return peer_fail(WARPLU_INVALID_ARGUMENT, "CKTSO -7: no %d threads", c->threads);
    case -9: return peer_fail(WARPLU_WRONG_PHASE, "CKTSO -9: not factorized");
    case -10: return peer_fail(WARPLU_INVALID_ARGUMENT, "CKTSO -10: not supported; it needs AVX2 and FMA");
    case -12: return peer_fail(WARPLU_OVERFLOW, "CKTSO -12: integer overflow");
    case -99: return peer_fail(WARPLU_INVALID_ARGUMENT, "CKTSO -99: cktso.lic is not beside the library, or expired");
    default: return peer_fail(WARPLU_INVALID_ARGUMENT, "CKTSO %d", code);
    }
}

static void destroy(void **state)
{
    cktso_run *c = *state;
    if (c == NULL) return;
    if (c->solver != NULL) CKTSO_DestroySolver(c->solver);
    free(c);
    *state = NULL;
}

static warplu_status analyze(const peer_matrix *a, const peer_request *request, void **state)
{
    cktso_run *c = calloc(1, sizeof *c);
    *state = c;
    if (c == NULL) return peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for the run");
    *c = (cktso_run){.a = *a, .variant = request->variant, .threads = request->threads, .ordering = request->ordering};
    int code = CKTSO_CreateSolver(&c->solver, &c->in, &c->out);
    if (code == 0) {
        c->in[IN_ORDERING] = ordering_codes[c->ordering];
        if (c->variant == SCALED) c->in[IN_SCALING] = 1;
        code = CKTSO_Analyze(c->solver, false, a->n, a->ptr, a->idx, a->values, c->threads);
    }
    warplu_status status = status_of(c, code);
    if (status != WARPLU_SUCCESS) destroy(state);
    return status;
}

static warplu_status factor(void *state, const double *values)
{
    cktso_run *c = state;
    int code = CKTSO_Factorize(c->solver, values, false);
    c->factored = code == 0;
    return status_of(c, code);
}

static warplu_status refactor(void *state, const double *values)
{
    cktso_run *c = state;
    if (!c->factored) return factor(state, values);
    int code =
        c->variant == FAST_FACTORIZE ? CKTSO_Factorize(c->solver, values, true) : CKTSO_Refactorize(c->solver, values);
    c->factored = code == 0;
    return status_of(c, code);
}

static warplu_status solve(void *state, const double *b, double *x)
{
    cktso_run *c = state;
    if (!c->factored) return peer_fail(WARPLU_WRONG_PHASE, "no factors");
    return status_of(c, CKTSO_Solve(c->solver, b, x, false, true));
}

static void describe(const void *state, peer_facts *facts)
{
    static const char *const settings[] = {[REFACTORIZE] = "column mode",
                                           [FAST_FACTORIZE] = "column mode, fast factorization",
                                           [SCALED] = "column mode, scaling=1"};
    const cktso_run *c = state;
    const char *asked = cktso_orderings[c->ordering];
    long long chosen = c->out[OUT_ORDERING];
    snprintf(facts->version, sizeof facts->version, "CKTSO"); /* it tells no more */
    if (c->ordering < FIRST_SINGLE && chosen >= 1 && chosen <= SINGLES)
        snprintf(facts->ordering, sizeof facts->ordering, "%s: %s", asked, cktso_orderings[FIRST_SINGLE + chosen - 1]);
    else
        snprintf(facts->ordering, sizeof facts->ordering, "%s", asked);
    snprintf(facts->settings, sizeof facts->settings, "%s", settings[c->variant]);
    facts->bytes = c->out[OUT_BYTES];
    /* L has the diagonal, U's is one and not counted. */
    if (c->factored) facts->lu_nnz = c->out[OUT_NNZ_L] + c->out[OUT_NNZ_U];
}

const peer_functions peer_plugin = {.analyze = analyze,
                                    .factor = factor,
                                    .refactor = refactor,
                                    .solve = solve,
                                    .describe = describe,
                                    .destroy = destroy,
                                    .orderings = cktso_orderings};
