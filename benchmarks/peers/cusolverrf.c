/* cusolverRf as a peer: the refactorization of NVIDIA's cuSOLVER (docs.nvidia.com/cuda/cusolver), deprecated there in
 * favour of cuDSS. It repeats on the device a factorization made elsewhere: here by KLU on the host (Davis and
 * Palamadai Natarajan, ACM TOMS 37(3), 2010), with AMD or COLAMD and its default pivot tolerance, but as one block and
 * without scaling, for cusolverRf knows neither.
 *
 * factor is KLU's factorization, its factors by rows, cusolverRf's set-up and analysis, and a first refactorization.
 * refactor is cusolverRfResetValues and cusolverRfRefactor; solve copies b, for cusolverRfSolve overwrites it. Values
 * and vectors lie on the device, each call ends with one synchronization. The variant chooses the algorithms, the
 * library's default or the pair of second ones that known users set; the fast mode of cusolverRfResetValues, which
 * takes more memory, is on; no pivot is boosted. */
#define DISABLE_CUSOLVER_DEPRECATED
#include <cusolverRf.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_call.h"
#include "cusolver_call.h"
#include "klu_status.h"

_Static_assert(sizeof(int) == sizeof(int32_t), "both libraries' int is int32_t");

enum { DEFAULT_ALGORITHMS = 0, SECOND_ALGORITHMS = 1 }; /* variants */

/* Places in ordering_names; KLU's Common.ordering counts the first two alike. */
enum { AMD = 0, COLAMD = 1, NATURAL = 2 };
static const char *const ordering_names[] = {"amd", "colamd", "natural", NULL};

typedef struct rf_run {
    peer_matrix a;
    int variant;
    const char *ordering;
    cuda_system system;
    double *values; /* host, by columns: what KLU factors */
    klu_common common;
    klu_symbolic *symbolic;
    cusolverRfHandle_t handle; /* of the last factorization */
    int *p, *q;                /* device: its orders */
    double *work;              /* device */
    int64_t lu_nnz;
    int64_t device_bytes; /* what the factorization took of the device's free memory */
} rf_run;

/* KLU's factors on the host: L with its unit diagonal, and U. */
typedef struct factors {
    int *ptr, *idx;
    double *values;
} factors;

static void free_factors(factors *f)
{
    free(f->ptr);
    free(f->idx);
    free(f->values);
    *f = (factors){0};
}

static int allocate_factors(factors *f, int n, int nnz)
{
    f->ptr = malloc(((size_t)n + 1) * sizeof *f->ptr);
    f->idx = malloc((size_t)nnz * sizeof *f->idx);
    f->values = malloc((size_t)nnz * sizeof *f->values);
    return f->ptr != NULL && f->idx != NULL && f->values != NULL;
}

/* The rows of f, columns ascending, in place of its columns. */
static int transpose(factors *f, int n)
{
    factors t = {0};
    if (!allocate_factors(&t, n, f->ptr[n])) {
        free_factors(&t);
        return 0;
    }
    for (int i = 0; i <= n; i++) t.ptr[i] = 0;
    for (int k = 0; k < f->ptr[n]; k++) t.ptr[f->idx[k] + 1]++;
    for (int i = 0; i < n; i++) t.ptr[i + 1] += t.ptr[i];
    for (int j = 0; j < n; j++)
        for (int k = f->ptr[j]; k < f->ptr[j + 1]; k++) {
            int at = t.ptr[f->idx[k]]++;
            t.idx[at] = j;
            t.values[at] = f->values[k];
        }
    for (int i = n; i > 0; i--) t.ptr[i] = t.ptr[i - 1];
    t.ptr[0] = 0;
    free_factors(f);
    *f = t;
    return 1;
}

/* --------------------------------------------------------------------- KLU */

/* KLU takes the pattern as int *, and reads it only. */
static warplu_status klu_order(rf_run *r, const peer_request *request)
{
    int given = request->ordering == PEER_ORDERING_GIVEN || request->ordering == NATURAL;
    int *ptr = (int *)(uintptr_t)r->a.ptr, *idx = (int *)(uintptr_t)r->a.idx;
    klu_defaults(&r->common);
    r->common.btf = 0;
    r->common.scale = -1;
    r->common.ordering = request->ordering == COLAMD ? COLAMD : AMD;
    r->ordering = request->ordering == PEER_ORDERING_GIVEN ? "given" : ordering_names[request->ordering];
    r->symbolic = given ? klu_analyze_given(r->a.n, ptr, idx, (int *)(uintptr_t)request->row_order,
                                            (int *)(uintptr_t)request->col_order, &r->common)
                        : klu_analyze(r->a.n, ptr, idx, &r->common);
    return r->symbolic != NULL ? WARPLU_SUCCESS : peer_klu_status(&r->common);
}

/* l and u by rows, p[k] and q[k] the k-th pivot's row and column. */
static warplu_status klu_factors(rf_run *r, factors *l, factors *u, int *p, int *q)
{
    int n = r->a.n, done = 0;
    klu_numeric *numeric =
        klu_factor((int *)(uintptr_t)r->a.ptr, (int *)(uintptr_t)r->a.idx, r->values, r->symbolic, &r->common);
    if (numeric == NULL || r->common.status != KLU_OK) {
        klu_free_numeric(&numeric, &r->common);
        return peer_klu_status(&r->common);
    }
    r->lu_nnz = (int64_t)numeric->lnz + numeric->unz - n;
    if (allocate_factors(l, n, numeric->lnz) && allocate_factors(u, n, numeric->unz))
        done = klu_extract(numeric, r->symbolic, l->ptr, l->idx, l->values, u->ptr, u->idx, u->values, NULL, NULL, NULL,
                           p, q, NULL, NULL, &r->common) &&
               transpose(l, n) && transpose(u, n);
    klu_free_numeric(&numeric, &r->common);
    return done ? WARPLU_SUCCESS : peer_fail(WARPLU_OUT_OF_MEMORY, "no host memory for KLU's factors");
}

/* ------------------------------------------------------------------- calls */

static void destroy(void **state)
{
    rf_run *r = *state;
    if (r == NULL) return;
    if (r->handle != NULL) cusolverRfDestroy(r->handle);
    klu_free_symbolic(&r->symbolic, &r->common);
    cudaFree(r->p);
    cudaFree(r->q);
    cudaFree(r->work);
    cuda_system_destroy(&r->system);
    free(r->values);
    free(r);
    *state = NULL;
}

static warplu_status stage_values(void *state, const double *values)
{
    rf_run *r = state;
    for (int32_t k = 0; k < r->system.nnz; k++) r->values[k] = values[k];
    return cuda_system_values(&r->system, 0, values);
}

static warplu_status stage_rhs(void *state, const double *b)
{
    return cuda_system_rhs(&((rf_run *)state)->system, 0, b);
}

static warplu_status fetch_solution(void *state, double *x)
{
    return cuda_system_solution(&((rf_run *)state)->system, 0, x);
}

static warplu_status analyze(const peer_matrix *a, const peer_request *request, void **state)
{
    rf_run *r = calloc(1, sizeof *r);
    *state = r;
    if (r == NULL) return peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for the run");
    warplu_status status = WARPLU_SUCCESS;
    size_t n = (size_t)a->n, nnz = (size_t)a->ptr[n];
    r->a = *a;
    r->variant = request->variant;
    r->lu_nnz = -1;
    r->values = malloc(nnz * sizeof *r->values);
    if (r->values == NULL) status = peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for the values");
    if (status >= 0) status = cuda_system_create(&r->system, a, 1, 1);
    r->p = cuda_memory(n * sizeof *r->p, NULL, &status);
    r->q = cuda_memory(n * sizeof *r->q, NULL, &status);
    r->work = cuda_memory(n * sizeof *r->work, NULL, &status);
    if (status >= 0) status = klu_order(r, request);
    if (status >= 0) status = stage_values(r, a->values);
    if (status < 0) destroy(state);
    return status;
}

static warplu_status enqueue_refactor(rf_run *r)
{
    cuda_system *s = &r->system;
    warplu_status status = cusolver_status(
        cusolverRfResetValues(s->n, s->nnz, s->device_ptr, s->device_idx, s->device_values, r->p, r->q, r->handle),
        "cusolverRfResetValues");
    return status >= 0 ? cusolver_status(cusolverRfRefactor(r->handle), "cusolverRfRefactor") : status;
}

static warplu_status refactor_now(rf_run *r)
{
    warplu_status status = enqueue_refactor(r);
    return status >= 0 ? cuda_wait("cusolverRfRefactor") : status;
}

/* A new handle with the factors' patterns; the pivots are new with every factorization. */
static warplu_status set_up(rf_run *r, const factors *l, const factors *u, int *p, int *q)
{
    cuda_system *s = &r->system;
    int n = s->n;
    warplu_status status = cusolver_status(cusolverRfCreate(&r->handle), "cusolverRfCreate");
    if (status >= 0 && r->variant == SECOND_ALGORITHMS)
        status = cusolver_status(
            cusolverRfSetAlgs(r->handle, CUSOLVERRF_FACTORIZATION_ALG2, CUSOLVERRF_TRIANGULAR_SOLVE_ALG2),
            "cusolverRfSetAlgs");
    if (status >= 0)
        status = cusolver_status(cusolverRfSetResetValuesFastMode(r->handle, CUSOLVERRF_RESET_VALUES_FAST_MODE_ON),
                                 "cusolverRfSetResetValuesFastMode");
    if (status >= 0)
        status = cusolver_status(cusolverRfSetupHost(n, s->nnz, s->ptr, s->idx, s->values, l->ptr[n], l->ptr, l->idx,
                                                     l->values, u->ptr[n], u->ptr, u->idx, u->values, p, q, r->handle),
                                 "cusolverRfSetupHost");
    if (status >= 0) status = cuda_wait("cusolverRfSetupHost");
    if (status >= 0) status = cusolver_status(cusolverRfAnalyze(r->handle), "cusolverRfAnalyze");
    return status;
}

static warplu_status factor(void *state, const double *values)
{
    rf_run *r = state;
    (void)values;
    size_t bytes = (size_t)r->a.n * sizeof(int), before = 0, after = 0, total;
    factors l = {0}, u = {0};
    int *p = malloc(bytes), *q = malloc(bytes);
    warplu_status status = WARPLU_SUCCESS;
    if (r->handle != NULL) cusolverRfDestroy(r->handle);
    r->handle = NULL;
    if (p == NULL || q == NULL) status = peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for KLU's orders");
    if (status >= 0) status = klu_factors(r, &l, &u, p, q);
    if (status >= 0)
        status = cuda_status(cudaMemcpy(r->p, p, bytes, cudaMemcpyHostToDevice), "cudaMemcpy of the row order");
    if (status >= 0)
        status = cuda_status(cudaMemcpy(r->q, q, bytes, cudaMemcpyHostToDevice), "cudaMemcpy of the column order");
    cudaMemGetInfo(&before, &total);
    if (status >= 0) status = set_up(r, &l, &u, p, q);
    if (status >= 0) status = refactor_now(r);
    cudaMemGetInfo(&after, &total);
    r->device_bytes = (int64_t)before - (int64_t)after;
    free_factors(&l);
    free_factors(&u);
    free(p);
    free(q);
    if (status < 0 && r->handle != NULL) {
        cusolverRfDestroy(r->handle);
        r->handle = NULL;
    }
    return status;
}

static warplu_status refactor(void *state, const double *values)
{
    rf_run *r = state;
    return r->handle != NULL ? refactor_now(r) : factor(state, values);
}

static warplu_status solve(void *state, const double *b, double *x)
{
    rf_run *r = state;
    cuda_system *s = &r->system;
    (void)b;
    (void)x;
    if (r->handle == NULL) return peer_fail(WARPLU_WRONG_PHASE, "no factors");
    warplu_status status = cuda_system_begin_solve(s);
    if (status >= 0)
        status = cusolver_status(cusolverRfSolve(r->handle, r->p, r->q, 1, r->work, s->n, s->device_x, s->n),
                                 "cusolverRfSolve");
    return status >= 0 ? cuda_wait("cusolverRfSolve") : status;
}

static warplu_status both(void *state)
{
    rf_run *r = state;
    if (r->handle == NULL) return peer_fail(WARPLU_WRONG_PHASE, "no factors");
    warplu_status status = enqueue_refactor(r);
    return status >= 0 ? solve(state, NULL, NULL) : status;
}

static void describe(const void *state, peer_facts *facts)
{
    const rf_run *r = state;
    char device[96];
    cuda_device_text(device, sizeof device);
    cusolver_version(facts->version, sizeof facts->version);
    snprintf(facts->ordering, sizeof facts->ordering, "%s", r->ordering);
    snprintf(facts->settings, sizeof facts->settings, "algorithms=%s fast-reset, of KLU btf=0 scale=-1 tol=%g, %s",
             r->variant == SECOND_ALGORITHMS ? "2,2" : "default", r->common.tol, device);
    facts->blocks = 1;
    facts->refinement_steps = 0;
    facts->lu_nnz = r->lu_nnz;
    if (r->handle != NULL && r->device_bytes > 0) facts->bytes = r->device_bytes + (int64_t)r->common.memusage;
}

const peer_functions peer_plugin = {.start = cuda_start,
                                    .analyze = analyze,
                                    .stage_values = stage_values,
                                    .stage_rhs = stage_rhs,
                                    .fetch_solution = fetch_solution,
                                    .factor = factor,
                                    .refactor = refactor,
                                    .solve = solve,
                                    .both = both,
                                    .describe = describe,
                                    .destroy = destroy,
                                    .orderings = ordering_names,
                                    .takes_order = 1};
