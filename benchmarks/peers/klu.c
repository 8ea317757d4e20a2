/* KLU as a peer (Davis and Palamadai Natarajan, ACM TOMS 37(3), 2010): BTF, AMD or COLAMD, Gilbert-Peierls
 * with partial pivoting at its default tolerance of 0.001, refactorization with klu_refactor. Members of a
 * batch are shared by threads, each with a numeric object of its own (klu_team.h). Complex values by the klu_z calls.
 *
 * Everything stays at KLU's defaults but the row scaling (the variant: 2, its default, or -1, which also leaves out
 * its check of the input) and, where asked for, the ordering. klu_refactor scales, and keeps pivots and pattern. */
#include "klu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "klu_status.h"
#include "klu_team.h"

_Static_assert(sizeof(int) == sizeof(int32_t), "KLU's int is int32_t");

/* Places in klu_orderings; KLU's Common.ordering counts these two alike. */
enum { AMD = 0, COLAMD = 1 };
static const char *const klu_orderings[] = {"amd", "colamd", "natural", NULL};

typedef struct klu_run {
    peer_matrix a;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    const char *ordering;
    int threads; /* for members of a batch */
    klu_team *team;
} klu_run;

static int is_complex(const klu_run *k)
{
    return k->a.doubles > 1;
}

static void free_numeric(klu_run *k)
{
    (is_complex(k) ? klu_z_free_numeric : klu_free_numeric)(&k->numeric, &k->common);
}

static void destroy(void **state)
{
    klu_run *k = *state;
    if (k == NULL) return;
    klu_team_destroy(&k->team);
    free_numeric(k);
    klu_free_symbolic(&k->symbolic, &k->common);
    free(k);
    *state = NULL;
}

/* KLU takes the pattern as int *, and reads it only. */
static warplu_status analyze(const peer_matrix *a, const peer_request *request, void **state)
{
    klu_run *k = calloc(1, sizeof *k);
    *state = k;
    if (k == NULL) return peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for the run");
    int given = request->ordering == PEER_ORDERING_GIVEN || request->ordering == PEER_KLU_NATURAL;
    int *ptr = (int *)(uintptr_t)a->ptr, *idx = (int *)(uintptr_t)a->idx;
    k->a = *a;
    k->threads = request->threads;
    k->ordering = request->ordering == PEER_ORDERING_GIVEN ? "given" : klu_orderings[request->ordering];
    klu_defaults(&k->common);
    k->common.scale = request->variant;
    k->common.ordering = request->ordering == COLAMD ? COLAMD : AMD;
    k->symbolic = given ? klu_analyze_given(a->n, ptr, idx, (int *)(uintptr_t)request->row_order,
                                            (int *)(uintptr_t)request->col_order, &k->common)
                        : klu_analyze(a->n, ptr, idx, &k->common);
    /* Given orders leave the structural rank unset. */
    if (k->symbolic != NULL && (given || k->symbolic->structural_rank >= a->n)) return WARPLU_SUCCESS;
    warplu_status status = k->symbolic != NULL ? peer_fail(WARPLU_STRUCTURALLY_SINGULAR, "structural rank %d of %d",
                                                           k->symbolic->structural_rank, a->n)
                                               : peer_klu_status(&k->common);
    destroy(state);
    return status;
}

static warplu_status factor(void *state, const double *values)
{
    klu_run *k = state;
    free_numeric(k);
    k->numeric = (is_complex(k) ? klu_z_factor : klu_factor)((int *)(uintptr_t)k->a.ptr, (int *)(uintptr_t)k->a.idx,
                                                             (double *)(uintptr_t)values, k->symbolic, &k->common);
    return k->numeric != NULL && k->common.status == KLU_OK ? WARPLU_SUCCESS : peer_klu_status(&k->common);
}

static warplu_status refactor(void *state, const double *values)
{
    klu_run *k = state;
    if (k->numeric == NULL) return factor(state, values);
    int done = (is_complex(k) ? klu_z_refactor : klu_refactor)((int *)(uintptr_t)k->a.ptr, (int *)(uintptr_t)k->a.idx,
                                                               (double *)(uintptr_t)values, k->symbolic, k->numeric,
                                                               &k->common);
    return done && k->common.status == KLU_OK ? WARPLU_SUCCESS : peer_klu_status(&k->common);
}

static warplu_status solve(void *state, const double *b, double *x)
{
    klu_run *k = state;
    if (k->numeric == NULL) return WARPLU_WRONG_PHASE;
    memcpy(x, b, (size_t)k->a.n * (size_t)k->a.doubles * sizeof *x);
    int done = (is_complex(k) ? klu_z_solve : klu_solve)(k->symbolic, k->numeric, k->a.n, 1, x, &k->common);
    return done ? WARPLU_SUCCESS : peer_klu_status(&k->common);
}

static warplu_status begin_members(void *state, const peer_members *members)
{
    klu_run *k = state;
    klu_team_destroy(&k->team);
    return klu_team_create(&(klu_parts){&k->a, k->symbolic, &k->common}, members, k->threads, &k->team);
}

static warplu_status refactor_members(void *state)
{
    return klu_team_run(((klu_run *)state)->team, 0);
}

static warplu_status both_members(void *state)
{
    return klu_team_run(((klu_run *)state)->team, 1);
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
    int version[3];
    SuiteSparse_version(version);
    snprintf(facts->version, sizeof facts->version, "KLU %d.%d.%d (SuiteSparse %d.%d.%d)", KLU_MAIN_VERSION,
             KLU_SUB_VERSION, KLU_SUBSUB_VERSION, version[0], version[1], version[2]);
    snprintf(facts->ordering, sizeof facts->ordering, "%s", k->ordering);
    snprintf(facts->settings, sizeof facts->settings, "scale=%d tol=%g btf=%d", k->common.scale, k->common.tol,
             k->common.btf);
    facts->blocks = k->symbolic->nblocks;
    facts->bytes = (int64_t)k->common.memusage;
    if (k->numeric != NULL) facts->lu_nnz = (int64_t)k->numeric->lnz + k->numeric->unz - k->a.n + k->numeric->nzoff;
}

const peer_functions peer_plugin = {.analyze = analyze,
                                    .factor = factor,
                                    .refactor = refactor,
                                    .solve = solve,
                                    .begin_members = begin_members,
                                    .refactor_members = refactor_members,
                                    .both_members = both_members,
                                    .describe = describe,
                                    .destroy = destroy,
                                    .orderings = klu_orderings,
                                    .takes_order = 1,
                                    .takes_complex = 1};
