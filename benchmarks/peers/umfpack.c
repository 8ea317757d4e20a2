/* UMFPACK as a peer (Davis, Algorithm 832, ACM TOMS 30(2), 2004): unsymmetric multifrontal LU on BLAS-3, rows scaled by
 * the sum of their entries, threshold pivoting with tolerance 0.1 (0.001 on the diagonal in its symmetric strategy).
 *
 * UMFPACK has no factorization with frozen pivots: a refactor is umfpack_di_numeric again with the symbolic object
 * at hand, which allocates its factors anew. At its default a solve refines up to twice; variant 1 does not refine.
 * Everything else stays at UMFPACK's defaults but, where asked for, the ordering. */
#include "blas.h"
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/umfpack.h>

_Static_assert(sizeof(int) == sizeof(int32_t), "UMFPACK's int is int32_t");

enum { PLAIN_SOLVE = 1 }; /* the variant */

enum { WORK = 5 }; /* doubles a row that umfpack_di_wsolve works in when it refines */

typedef struct ordering {
    int method, strategy;
} ordering;

/* auto takes AMD or COLAMD, as the pattern's symmetry suggests; amd and colamd say which. */
static const char *const names[] = {"auto", "amd", "colamd", "metis", "cholmod", "best", "natural", NULL};
static const ordering orderings[] = {
    {UMFPACK_ORDERING_AMD, UMFPACK_STRATEGY_AUTO},        {UMFPACK_ORDERING_AMD, UMFPACK_STRATEGY_SYMMETRIC},
    {UMFPACK_ORDERING_AMD, UMFPACK_STRATEGY_UNSYMMETRIC}, {UMFPACK_ORDERING_METIS, UMFPACK_STRATEGY_AUTO},
    {UMFPACK_ORDERING_CHOLMOD, UMFPACK_STRATEGY_AUTO},    {UMFPACK_ORDERING_BEST, UMFPACK_STRATEGY_AUTO},
    {UMFPACK_ORDERING_NONE, UMFPACK_STRATEGY_AUTO}};

typedef struct umfpack_run {
    peer_matrix a;
    const double *values; /* of the factors at hand; refinement reads them */
    double control[UMFPACK_CONTROL], symbolic_info[UMFPACK_INFO], info[UMFPACK_INFO];
    void *symbolic, *numeric;
    int *index_work;   /* n */
    double *real_work; /* WORK n */
    int plain;
    int32_t refinement_steps;
} umfpack_run;

typedef struct code_text {
    int code;
    warplu_status status;
    const char *text;
} code_text;

static const code_text codes[] = {
    {UMFPACK_OK, WARPLU_SUCCESS, "ok"},
    {UMFPACK_WARNING_singular_matrix, WARPLU_SINGULAR, "singular matrix"},
    {UMFPACK_ERROR_out_of_memory, WARPLU_OUT_OF_MEMORY, "out of memory"},
    {UMFPACK_ERROR_n_nonpositive, WARPLU_EMPTY, "no rows"},
    {UMFPACK_ERROR_invalid_matrix, WARPLU_INVALID_ARGUMENT, "invalid matrix"},
    {UMFPACK_ERROR_different_pattern, WARPLU_INVALID_ARGUMENT, "different pattern"},
    {UMFPACK_ERROR_invalid_permutation, WARPLU_INVALID_ARGUMENT, "invalid permutation"},
    {UMFPACK_ERROR_ordering_failed, WARPLU_INVALID_ARGUMENT, "ordering failed"},
    {UMFPACK_ERROR_internal_error, WARPLU_INVALID_ARGUMENT, "internal error"},
};

static warplu_status failed(const char *call, int code)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (codes[i].code == code) return peer_fail(codes[i].status, "%s: %d, %s", call, code, codes[i].text);
    }
    return peer_fail(WARPLU_INVALID_ARGUMENT, "%s: %d", call, code);
}

static void destroy(void **state)
{
    umfpack_run *u = *state;
    if (u == NULL) return;
    umfpack_di_free_numeric(&u->numeric);
    umfpack_di_free_symbolic(&u->symbolic);
    free(u->index_work);
    free(u->real_work);
    free(u);
    *state = NULL;
}

static void set_controls(umfpack_run *u, const peer_request *request)
{
    umfpack_di_defaults(u->control);
    u->plain = request->variant == PLAIN_SOLVE;
    if (u->plain) u->control[UMFPACK_IRSTEP] = 0;
    if (request->ordering == PEER_ORDERING_GIVEN) return;
    u->control[UMFPACK_ORDERING] = orderings[request->ordering].method;
    u->control[UMFPACK_STRATEGY] = orderings[request->ordering].strategy;
}

static warplu_status analyze(const peer_matrix *a, const peer_request *request, void **state)
{
    umfpack_run *u = calloc(1, sizeof *u);
    *state = u;
    if (u == NULL) return peer_fail(WARPLU_OUT_OF_MEMORY, "workspace");
    u->a = *a;
    set_controls(u, request);
    u->index_work = malloc((size_t)a->n * sizeof *u->index_work);
    u->real_work = malloc((size_t)a->n * WORK * sizeof *u->real_work);
    if (u->index_work == NULL || u->real_work == NULL) {
        destroy(state);
        return peer_fail(WARPLU_OUT_OF_MEMORY, "workspace");
    }
    int code =
        request->ordering == PEER_ORDERING_GIVEN
            ? umfpack_di_qsymbolic(a->n, a->n, a->ptr, a->idx, a->values, request->col_order, &u->symbolic, u->control,
                                   u->symbolic_info)
            : umfpack_di_symbolic(a->n, a->n, a->ptr, a->idx, a->values, &u->symbolic, u->control, u->symbolic_info);
    if (code == UMFPACK_OK) return WARPLU_SUCCESS;
    destroy(state);
    return failed("umfpack_di_symbolic", code);
}

static warplu_status factor(void *state, const double *values)
{
    umfpack_run *u = state;
    umfpack_di_free_numeric(&u->numeric);
    u->values = values;
    int code = umfpack_di_numeric(u->a.ptr, u->a.idx, values, u->symbolic, &u->numeric, u->control, u->info);
    return code == UMFPACK_OK ? WARPLU_SUCCESS : failed("umfpack_di_numeric", code);
}

static warplu_status solve(void *state, const double *b, double *x)
{
    umfpack_run *u = state;
    double info[UMFPACK_INFO];
    if (u->numeric == NULL) return peer_fail(WARPLU_WRONG_PHASE, "no factors");
    int code = umfpack_di_wsolve(UMFPACK_A, u->a.ptr, u->a.idx, u->values, x, b, u->numeric, u->control, info,
                                 u->index_work, u->real_work);
    u->refinement_steps = (int32_t)info[UMFPACK_IR_TAKEN];
    return code == UMFPACK_OK ? WARPLU_SUCCESS : failed("umfpack_di_wsolve", code);
}

static const char *ordering_used(const umfpack_run *u)
{
    switch ((int)u->symbolic_info[UMFPACK_ORDERING_USED]) {
    case UMFPACK_ORDERING_GIVEN: return "given";
    case UMFPACK_ORDERING_METIS: return "metis";
    case UMFPACK_ORDERING_NONE: return "natural";
    case UMFPACK_ORDERING_AMD:
        return u->symbolic_info[UMFPACK_STRATEGY_USED] == UMFPACK_STRATEGY_SYMMETRIC ? "amd" : "colamd";
    default: return "cholmod";
    }
}

static void describe(const void *state, peer_facts *facts)
{
    const umfpack_run *u = state;
    char blas[PEER_BLAS_TEXT];
    int lnz, unz, rows, columns, diagonal;
    int symmetric = u->symbolic_info[UMFPACK_STRATEGY_USED] == UMFPACK_STRATEGY_SYMMETRIC;
    peer_blas_name(blas, sizeof blas);
    int suite[3];
    SuiteSparse_version(suite);
    snprintf(facts->version, sizeof facts->version, "%d.%d.%d (SuiteSparse %d.%d.%d)", UMFPACK_MAIN_VERSION,
             UMFPACK_SUB_VERSION, UMFPACK_SUBSUB_VERSION, suite[0], suite[1], suite[2]);
    snprintf(facts->ordering, sizeof facts->ordering, "%s", ordering_used(u));
    snprintf(facts->settings, sizeof facts->settings, "%s strategy, no frozen pivots: numeric again, %s; BLAS: %s",
             symmetric ? "symmetric" : "unsymmetric", u->plain ? "no refinement" : "refines up to twice", blas);
    facts->refinement_steps = u->refinement_steps;
    facts->perturbed = 0;
    double units = u->symbolic_info[UMFPACK_SYMBOLIC_SIZE];
    if (u->numeric != NULL) {
        units += u->info[UMFPACK_NUMERIC_SIZE];
        if (umfpack_di_get_lunz(&lnz, &unz, &rows, &columns, &diagonal, u->numeric) == UMFPACK_OK)
            facts->lu_nnz = (int64_t)lnz + unz - u->a.n;
    }
    facts->bytes = (int64_t)(units * u->symbolic_info[UMFPACK_SIZE_OF_UNIT]) +
                   (int64_t)u->a.n * (int64_t)(sizeof(int) + WORK * sizeof(double));
}

const peer_functions peer_plugin = {.analyze = analyze,
                                    .factor = factor,
                                    .refactor = factor,
                                    .solve = solve,
                                    .describe = describe,
                                    .destroy = destroy,
                                    .orderings = names,
                                    .takes_order = 1};
