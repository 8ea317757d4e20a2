/* KLU as a peer (Davis and Palamadai Natarajan, ACM TOMS 37(3), 2010): BTF, AMD or COLAMD, Gilbert-Peierls
 * with partial pivoting at its default tolerance of 0.001, refactorization with klu_refactor.
 *
 * Everything stays at KLU's defaults but the row scaling (the variant) and, where asked for, the ordering. */
#include "klu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/klu.h>

_Static_assert(sizeof(int) == sizeof(int32_t), "KLU's int is int32_t");

enum { AMD = 0, COLAMD = 1, ORDERINGS = 2 };

typedef struct klu_run {
    peer_matrix a;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
} klu_run;

static warplu_status status_of(const klu_common *common)
{
    switch (common->status) {
    case KLU_OK: return WARPLU_SUCCESS;
    case KLU_SINGULAR: return WARPLU_SINGULAR;
    case KLU_OUT_OF_MEMORY: return WARPLU_OUT_OF_MEMORY;
    case KLU_TOO_LARGE: return WARPLU_OVERFLOW;
    default: return WARPLU_INVALID_ARGUMENT;
    }
}

static void destroy(void **state)
{
    klu_run *k = *state;
    if (k == NULL) return;
    klu_free_numeric(&k->numeric, &k->common);
    klu_free_symbolic(&k->symbolic, &k->common);
    free(k);
    *state = NULL;
}

/* KLU takes the pattern as int *, and reads it only. */
static warplu_status analyze(const peer_matrix *a, int variant, int ordering, void **state)
{
    klu_run *k = calloc(1, sizeof *k);
    *state = k;
    if (k == NULL) return WARPLU_OUT_OF_MEMORY;
    k->a = *a;
    klu_defaults(&k->common);
    k->common.scale = variant;
    k->common.ordering = ordering == COLAMD ? COLAMD : AMD;
    k->common.btf = ordering != PEER_KLU_NATURAL;
    int *ptr = (int *)(uintptr_t)a->ptr, *idx = (int *)(uintptr_t)a->idx;
    k->symbolic = ordering == PEER_KLU_NATURAL ? klu_analyze_given(a->n, ptr, idx, NULL, NULL, &k->common)
                                               : klu_analyze(a->n, ptr, idx, &k->common);
    /* Given orders leave the structural rank unset. */
    if (k->symbolic != NULL && (ordering == PEER_KLU_NATURAL || k->symbolic->structural_rank >= a->n))
        return WARPLU_SUCCESS;
    warplu_status status = k->symbolic != NULL ? WARPLU_STRUCTURALLY_SINGULAR : status_of(&k->common);
    destroy(state);
    return status;
}

static warplu_status factor(void *state, const double *values)
{
    klu_run *k = state;
    klu_free_numeric(&k->numeric, &k->common);
    k->numeric = klu_factor((int *)(uintptr_t)k->a.ptr, (int *)(uintptr_t)k->a.idx,
                            (double *)(uintptr_t)values, k->symbolic, &k->common);
    return k->numeric != NULL && k->common.status == KLU_OK ? WARPLU_SUCCESS : status_of(&k->common);
}

static warplu_status refactor(void *state, const double *values)
{
    klu_run *k = state;
    if (k->numeric == NULL) return factor(state, values);
    int done = klu_refactor((int *)(uintptr_t)k->a.ptr, (int *)(uintptr_t)k->a.idx,
                            (double *)(uintptr_t)values, k->symbolic, k->numeric, &k->common);
    return done && k->common.status == KLU_OK ? WARPLU_SUCCESS : status_of(&k->common);
}

static warplu_status solve(void *state, const double *b, double *x)
{
    klu_run *k = state;
    if (k->numeric == NULL) return WARPLU_WRONG_PHASE;
    if (x != b) memcpy(x, b, (size_t)k->a.n * sizeof *x);
    return klu_solve(k->symbolic, k->numeric, k->a.n, 1, x, &k->common) ? WARPLU_SUCCESS
                                                                        : status_of(&k->common);
}

void peer_klu_quality(void *state, const double *values, double *growth, double *condition)
{
    klu_run *k = state;
    klu_common *c = &k->common;
    int *ptr = (int *)(uintptr_t)k->a.ptr, *idx = (int *)(uintptr_t)k->a.idx;
    int found = klu_rgrowth(ptr, idx, (double *)(uintptr_t)values, k->symbolic, k->numeric, c);
    *growth = found ? c->rgrowth : NAN;
    *condition = klu_rcond(k->symbolic, k->numeric, c) ? c->rcond : NAN;
}

static void describe(const void *state, peer_facts *facts)
{
    const klu_run *k = state;
    facts->ordering = k->common.btf == 0 ? "natural" : k->common.ordering == COLAMD ? "colamd" : "amd";
    facts->blocks = k->symbolic->nblocks;
    facts->bytes = (int64_t)k->common.memusage;
    facts->lu_nnz =
        k->numeric != NULL ? (int64_t)k->numeric->lnz + k->numeric->unz - k->a.n + k->numeric->nzoff : -1;
}

const peer_functions peer_klu_functions = {.analyze = analyze,
                                           .factor = factor,
                                           .refactor = refactor,
                                           .solve = solve,
                                           .describe = describe,
                                           .destroy = destroy,
                                           .orderings = ORDERINGS};
