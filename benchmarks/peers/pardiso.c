/* PARDISO of oneMKL as a peer (Schenk and Gaertner, FGCS 20(3), 2004; Intel's own version): maximum weighted matching
 * and scaling, a nested dissection of the symmetrized pattern, supernodes with pivoting inside their diagonal blocks,
 * pivots below 1e-13 of the matrix replaced, in which case every solve refines twice.
 *
 * Those are the defaults that its manual gives for real unsymmetric matrices (type 11). pardisoinit differs in two: its
 * parallel nested dissection, here by name, and two steps of refinement always, which is variant 1; variant 0 keeps to
 * the manual. Matching and scaling come from the values of the analysis and stay; refactor is the numerical
 * factorization (phase 22), which is all that factor does too. The values by rows, as it takes them, are staged outside
 * the clock. A given order is the columns'; what it permutes is the matrix that matching has left, whose pattern is
 * then made symmetric: orders in block triangular form may fill it. */
#include <mkl.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"

_Static_assert(sizeof(MKL_INT) == sizeof(int32_t), "mkl.h is set for 64-bit integers");

enum { REFINED_ALWAYS = 1 }; /* variant */
enum { PHASE_ANALYZE = 11, PHASE_FACTOR = 22, PHASE_SOLVE = 33, PHASE_RELEASE = -1 };

/* Places in iparm, counted from 0. */
enum {
    ORDERING = 1,
    GIVEN = 4,
    REFINED = 6,
    REFINE = 7,
    PERTURBED = 13,
    KILOBYTES_ANALYSIS = 15, /* kept of it */
    KILOBYTES_FACTORS = 16,
    FACTOR_NNZ = 17,
    FACTOR_FLOPS = 18,
    ZERO_BASED = 34,
    PARAMETERS = 64
};

static const char *const pardiso_orderings[] = {"metis", "metis-parallel", "amd", NULL};
static const MKL_INT ordering_codes[] = {2, 3, 0};

typedef struct pardiso_run {
    peer_rows rows;
    void *handle[64];
    MKL_INT parameters[PARAMETERS];
    MKL_INT *given; /* n, or NULL */
    const char *ordering;
    int analyzed, factored;
} pardiso_run;

static warplu_status status_of(MKL_INT error, MKL_INT phase)
{
    int e = (int)error, p = (int)phase;
    switch (e) {
    case 0: return WARPLU_SUCCESS;
    case -1: return peer_fail(WARPLU_INVALID_ARGUMENT, "PARDISO -1 in phase %d: input inconsistent", p);
    case -2: return peer_fail(WARPLU_OUT_OF_MEMORY, "PARDISO -2 in phase %d: not enough memory", p);
    case -3: return peer_fail(WARPLU_INVALID_ARGUMENT, "PARDISO -3 in phase %d: reordering problem", p);
    case -4: return peer_fail(WARPLU_SINGULAR, "PARDISO -4 in phase %d: zero pivot", p);
    case -6: return peer_fail(WARPLU_STRUCTURALLY_SINGULAR, "PARDISO -6 in phase %d: reordering failed", p);
    case -7: return peer_fail(WARPLU_SINGULAR, "PARDISO -7 in phase %d: diagonal matrix is singular", p);
    case -8: return peer_fail(WARPLU_OVERFLOW, "PARDISO -8 in phase %d: 32-bit integer overflow", p);
    default: return peer_fail(WARPLU_INVALID_ARGUMENT, "PARDISO %d in phase %d", e, p);
    }
}

/* b is read only. */
static MKL_INT run_phase(pardiso_run *r, MKL_INT phase, const double *b, double *x)
{
    const MKL_INT one = 1, type = 11, silent = 0, n = r->rows.n;
    MKL_INT error = 0;
    pardiso(r->handle, &one, &one, &type, &phase, &n, r->rows.values, r->rows.ptr, r->rows.idx, r->given, &one,
            r->parameters, &silent, (double *)(uintptr_t)b, x, &error);
    return error;
}

static void destroy(void **state)
{
    pardiso_run *r = *state;
    if (r == NULL) return;
    if (r->analyzed) run_phase(r, PHASE_RELEASE, NULL, NULL);
    mkl_free_buffers();
    peer_rows_destroy(&r->rows);
    free(r->given);
    free(r);
    *state = NULL;
}

static void set_parameters(pardiso_run *r, const peer_request *request)
{
    const MKL_INT type = 11;
    int given = request->ordering == PEER_ORDERING_GIVEN;
    mkl_set_interface_layer(MKL_INTERFACE_LP64);
    mkl_set_dynamic(0);
    mkl_set_num_threads(request->threads);
    pardisoinit(r->handle, &type, r->parameters);
    r->ordering = given ? "given" : pardiso_orderings[request->ordering];
    r->parameters[ORDERING] = ordering_codes[given ? 0 : request->ordering];
    r->parameters[GIVEN] = given;
    r->parameters[REFINE] = request->variant == REFINED_ALWAYS ? 2 : 0;
    r->parameters[FACTOR_NNZ] = -1;  /* to be counted */
    r->parameters[FACTOR_FLOPS] = 0; /* not to be: that takes time */
    r->parameters[ZERO_BASED] = 1;
}

static warplu_status analyze(const peer_matrix *a, const peer_request *request, void **state)
{
    warplu_status status;
    pardiso_run *r = calloc(1, sizeof *r);
    *state = r;
    if (r == NULL || !peer_rows_create(&r->rows, a)) {
        status = peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for the matrix by rows");
        goto fail;
    }
    set_parameters(r, request);
    if (request->ordering == PEER_ORDERING_GIVEN) {
        r->given = malloc((size_t)a->n * sizeof *r->given);
        if (r->given == NULL) {
            status = peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for the given order");
            goto fail;
        }
        memcpy(r->given, request->col_order, (size_t)a->n * sizeof *r->given);
    }
    r->analyzed = 1;
    status = status_of(run_phase(r, PHASE_ANALYZE, NULL, NULL), PHASE_ANALYZE);
    if (status == WARPLU_SUCCESS) return status;
fail:
    destroy(state);
    return status;
}

static warplu_status stage_values(void *state, const double *values)
{
    pardiso_run *r = state;
    peer_rows_fill(&r->rows, values);
    return WARPLU_SUCCESS;
}

/* factor and refactor: the staged values. */
static warplu_status factor(void *state, const double *values)
{
    pardiso_run *r = state;
    (void)values;
    MKL_INT error = run_phase(r, PHASE_FACTOR, NULL, NULL);
    r->factored = error == 0;
    return status_of(error, PHASE_FACTOR);
}

static warplu_status solve(void *state, const double *b, double *x)
{
    pardiso_run *r = state;
    if (!r->factored) return peer_fail(WARPLU_WRONG_PHASE, "no factors");
    return status_of(run_phase(r, PHASE_SOLVE, b, x), PHASE_SOLVE);
}

static void describe(const void *state, peer_facts *facts)
{
    const pardiso_run *r = state;
    char text[256];
    mkl_get_version_string(text, sizeof text);
    text[sizeof text - 1] = '\0';
    /* "Intel(R) oneAPI Math Kernel Library Version 2026.2-Product Build 20260915 for ..." */
    const char *number = strstr(text, "Version ");
    number = number != NULL ? number + strlen("Version ") : text;
    snprintf(facts->version, sizeof facts->version, "oneMKL %.*s", (int)strcspn(number, " "), number);
    snprintf(facts->ordering, sizeof facts->ordering, "%s", r->ordering);
    snprintf(facts->settings, sizeof facts->settings, "refinement=%d, LP64", (int)r->parameters[REFINE]);
    facts->bytes = 1024 * ((int64_t)r->parameters[KILOBYTES_ANALYSIS] + r->parameters[KILOBYTES_FACTORS]);
    facts->refinement_steps = (int32_t)r->parameters[REFINED];
    if (r->factored) {
        facts->lu_nnz = r->parameters[FACTOR_NNZ];
        facts->perturbed = r->parameters[PERTURBED];
    }
}

const peer_functions peer_plugin = {.analyze = analyze,
                                    .stage_values = stage_values,
                                    .factor = factor,
                                    .refactor = factor,
                                    .solve = solve,
                                    .describe = describe,
                                    .destroy = destroy,
                                    .orderings = pardiso_orderings,
                                    .takes_order = 1};
