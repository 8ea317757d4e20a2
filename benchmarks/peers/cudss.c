/* cuDSS as a peer: NVIDIA's direct sparse solver for one GPU, 1.0 or later (docs.nvidia.com/cuda/cudss). Supernodal
 * LU with pivots searched inside a supernode's diagonal block, tiny ones replaced, after nested dissection.
 *
 * The variant chooses matching (automatic, which is the default and finds pivots and scales from the values of the
 * analysis, or none), refinement (0 steps, the default, or 2), or the deterministic mode; all else is cuDSS's default.
 * refactor is CUDSS_PHASE_REFACTORIZATION on the same matrix object, values and vectors lie on the device, and each
 * call ends with one synchronization. Complex values are CUDA_C_64F. A failure that the device reports late
 * (CUDSS_DATA_INFO) is asked for after factor and when the solution is fetched, not inside refactor's or solve's time.
 *
 * Members of a batch are cuDSS's uniform batch (CUDSS_CONFIG_UBATCH_SIZE): objects of their own, with values and
 * vectors of all members one after the other, analyzed and factored anew. What it does not take there, an ordering or a
 * matching, it answers itself. */
#include <cudss.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_call.h"

#if CUDSS_VERSION_MAJOR < 1
#error "cuDSS 1.0 or later"
#endif

_Static_assert(sizeof(int) == sizeof(int32_t), "the index type of the matrix is CUDA_R_32I");

/* What a variant is the sum of; MATCHED alone is cuDSS's default. */
enum { REFINED = 1, MATCHED = 2, DETERMINISTIC = 4 };
enum { REFINEMENT_STEPS = 2 };

/* The default is nested dissection. */
static const cudssReorderingAlg_t ordering_algs[] = {CUDSS_REORDERING_ALG_DEFAULT, CUDSS_REORDERING_ALG_AMD,
                                                     CUDSS_REORDERING_ALG_COLAMD, CUDSS_REORDERING_ALG_BTF_COLAMD,
                                                     CUDSS_REORDERING_ALG_NONE};
static const char *const ordering_names[] = {"nd", "amd", "colamd", "btf-colamd", "natural", NULL};

typedef struct cudss_run {
    cuda_system system;
    cudssHandle_t handle;
    cudssConfig_t config;
    cudssData_t data;
    cudssMatrix_t a, b, x;
    const char *ordering;
    int matched, refinement_steps, deterministic;
    int factored;
    peer_matrix pattern;
    peer_request request;
    peer_members members;
    struct cudss_run *batch; /* of the members; NULL until they begin */
} cudss_run;

/* ------------------------------------------------------------------ errors */

static char logged[256]; /* cuDSS's last error in its own words */

static void keep_message(int level, const char *function, const char *message)
{
    (void)level;
    (void)function;
    snprintf(logged, sizeof logged, "%s", message);
}

/* Errors alone, to keep_message and not to a terminal. */
static void listen(void)
{
    cudssLoggerOpenFile("/dev/null");
    cudssLoggerSetCallback(keep_message);
    cudssLoggerSetLevel(1);
}

static warplu_status status_of(cudssStatus_t status, const char *call)
{
    warplu_status as = WARPLU_INVALID_ARGUMENT;
    const char *name = "unknown";
    switch (status) {
    case CUDSS_STATUS_SUCCESS: return WARPLU_SUCCESS;
    case CUDSS_STATUS_NOT_INITIALIZED: name = "NOT_INITIALIZED", as = WARPLU_WRONG_PHASE; break;
    case CUDSS_STATUS_ALLOC_FAILED: name = "ALLOC_FAILED", as = WARPLU_OUT_OF_MEMORY; break;
    case CUDSS_STATUS_INVALID_VALUE: name = "INVALID_VALUE"; break;
    case CUDSS_STATUS_NOT_SUPPORTED: name = "NOT_SUPPORTED"; break;
    case CUDSS_STATUS_EXECUTION_FAILED: name = "EXECUTION_FAILED"; break;
    case CUDSS_STATUS_INTERNAL_ERROR: name = "INTERNAL_ERROR"; break;
    case CUDSS_STATUS_IR_FAILED: name = "IR_FAILED"; break;
    }
    peer_fail(as, "%s: CUDSS_STATUS_%s (%d)%s%s", call, name, (int)status, logged[0] != '\0' ? ": " : "", logged);
    logged[0] = '\0';
    return as;
}

static warplu_status enqueue(cudss_run *r, cudssPhase_t phase, const char *name)
{
    return status_of(cudssExecute(r->handle, (int)phase, r->config, r->data, r->a, r->x, r->b), name);
}

/* One phase, done when this returns. */
static warplu_status execute(cudss_run *r, cudssPhase_t phase, const char *name)
{
    warplu_status status = enqueue(r, phase, name);
    return status >= 0 ? cuda_wait(name) : status;
}

/* What the device found since it was last asked. */
static warplu_status check_info(const cudss_run *r)
{
    int info = 0, none = 0;
    size_t written;
    cudssStatus_t status = cudssDataGet(r->handle, r->data, CUDSS_DATA_INFO, &info, sizeof info, &written);
    if (status != CUDSS_STATUS_SUCCESS) return status_of(status, "cudssDataGet of CUDSS_DATA_INFO");
    if (info == 0) return WARPLU_SUCCESS;
    cudssDataSet(r->handle, r->data, CUDSS_DATA_INFO, &none, sizeof none);
    return peer_fail(WARPLU_SINGULAR, "CUDSS_DATA_INFO %d", info);
}

/* ------------------------------------------------------------------- calls */

static void destroy_one(cudss_run *r)
{
    if (r == NULL) return;
    if (r->a != NULL) cudssMatrixDestroy(r->a);
    if (r->b != NULL) cudssMatrixDestroy(r->b);
    if (r->x != NULL) cudssMatrixDestroy(r->x);
    if (r->data != NULL) cudssDataDestroy(r->handle, r->data);
    if (r->config != NULL) cudssConfigDestroy(r->config);
    if (r->handle != NULL) cudssDestroy(r->handle);
    cuda_system_destroy(&r->system);
    free(r);
}

static void destroy(void **state)
{
    cudss_run *r = *state;
    if (r != NULL) destroy_one(r->batch);
    destroy_one(r);
    *state = NULL;
}

static cudssStatus_t set_int(cudss_run *r, cudssConfigParam_t param, int value)
{
    return cudssConfigSet(r->config, param, &value, sizeof value);
}

/* Column orderings pivot globally and know no matching. cuDSS orders what its matching made of the columns, so that a
 * given order is that of the rows. */
static cudssStatus_t configure(cudss_run *r, const peer_request *request)
{
    int given = request->ordering == PEER_ORDERING_GIVEN;
    cudssReorderingAlg_t alg = ordering_algs[given ? 0 : request->ordering];
    int by_columns = alg == CUDSS_REORDERING_ALG_COLAMD || alg == CUDSS_REORDERING_ALG_BTF_COLAMD;
    cudssStatus_t status = CUDSS_STATUS_SUCCESS;
    r->ordering = given ? "given" : ordering_names[request->ordering];
    r->matched = !by_columns && request->variant & MATCHED;
    r->refinement_steps = request->variant & REFINED ? REFINEMENT_STEPS : 0;
    r->deterministic = (request->variant & DETERMINISTIC) != 0;
    if (given)
        status = cudssDataSet(r->handle, r->data, CUDSS_DATA_USER_PERM, request->row_order,
                              (size_t)r->system.n * sizeof(int));
    else
        status = cudssConfigSet(r->config, CUDSS_CONFIG_REORDERING_ALG, &alg, sizeof alg);
    cudssMatchingAlg_t matching = r->matched ? CUDSS_MATCHING_ALG_AUTO : CUDSS_MATCHING_ALG_NONE;
    if (status == CUDSS_STATUS_SUCCESS)
        status = cudssConfigSet(r->config, CUDSS_CONFIG_MATCHING_ALG, &matching, sizeof matching);
    if (status == CUDSS_STATUS_SUCCESS) status = set_int(r, CUDSS_CONFIG_IR_N_STEPS, r->refinement_steps);
    if (status == CUDSS_STATUS_SUCCESS) status = set_int(r, CUDSS_CONFIG_DETERMINISTIC_MODE, r->deterministic);
    if (status == CUDSS_STATUS_SUCCESS && r->system.count > 1)
        status = set_int(r, CUDSS_CONFIG_UBATCH_SIZE, r->system.count);
    return status;
}

static cudssStatus_t create(cudss_run *r)
{
    const cuda_system *s = &r->system;
    int64_t n = s->n;
    cudaDataType_t values = s->doubles > 1 ? CUDA_C_64F : CUDA_R_64F;
    cudssStatus_t status = cudssCreate(&r->handle);
    if (status == CUDSS_STATUS_SUCCESS) status = cudssConfigCreate(&r->config);
    if (status == CUDSS_STATUS_SUCCESS) status = cudssDataCreate(r->handle, &r->data);
    if (status == CUDSS_STATUS_SUCCESS)
        status =
            cudssMatrixCreateCsr(&r->a, n, n, s->nnz, s->device_ptr, NULL, s->device_idx, s->device_values, CUDA_R_32I,
                                 CUDA_R_32I, values, CUDSS_MTYPE_GENERAL, CUDSS_MVIEW_FULL, CUDSS_BASE_ZERO);
    if (status == CUDSS_STATUS_SUCCESS)
        status = cudssMatrixCreateDn(&r->b, n, 1, n, s->device_b, values, CUDSS_LAYOUT_COL_MAJOR);
    if (status == CUDSS_STATUS_SUCCESS)
        status = cudssMatrixCreateDn(&r->x, n, 1, n, s->device_x, values, CUDSS_LAYOUT_COL_MAJOR);
    return status;
}

/* Of count systems, whose values are staged. */
static warplu_status create_run(const peer_matrix *a, const peer_request *request, int32_t count, cudss_run **out)
{
    cudss_run *r = *out = calloc(1, sizeof *r);
    if (r == NULL) return peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for the run");
    r->pattern = *a;
    r->request = *request;
    warplu_status status = cuda_system_create(&r->system, a, 1, count);
    if (status >= 0) status = status_of(create(r), "creating cuDSS's objects");
    return status >= 0 ? status_of(configure(r, request), "configuring cuDSS") : status;
}

static warplu_status analyze(const peer_matrix *a, const peer_request *request, void **state)
{
    cudss_run *r;
    listen();
    warplu_status status = create_run(a, request, 1, &r);
    *state = r;
    if (status >= 0) status = execute(r, CUDSS_PHASE_ANALYSIS, "analysis");
    if (status < 0) destroy(state);
    return status;
}

static warplu_status stage_values(void *state, const double *values)
{
    return cuda_system_values(&((cudss_run *)state)->system, 0, values);
}

static warplu_status stage_rhs(void *state, const double *b)
{
    return cuda_system_rhs(&((cudss_run *)state)->system, 0, b);
}

static warplu_status fetch_solution(void *state, double *x)
{
    cudss_run *r = state;
    warplu_status status = check_info(r);
    return status >= 0 ? cuda_system_solution(&r->system, 0, x) : status;
}

static warplu_status factor(void *state, const double *values)
{
    cudss_run *r = state;
    (void)values;
    warplu_status status = execute(r, CUDSS_PHASE_FACTORIZATION, "factorization");
    if (status >= 0) status = check_info(r);
    r->factored = status >= 0;
    return status;
}

static warplu_status refactor(void *state, const double *values)
{
    cudss_run *r = state;
    return r->factored ? execute(r, CUDSS_PHASE_REFACTORIZATION, "refactorization") : factor(state, values);
}

static warplu_status solve(void *state, const double *b, double *x)
{
    cudss_run *r = state;
    (void)b;
    (void)x;
    if (!r->factored) return peer_fail(WARPLU_WRONG_PHASE, "no factors");
    return execute(r, CUDSS_PHASE_SOLVE, "solve");
}

static warplu_status both(void *state)
{
    cudss_run *r = state;
    if (!r->factored) return peer_fail(WARPLU_WRONG_PHASE, "no factors");
    warplu_status status = enqueue(r, CUDSS_PHASE_REFACTORIZATION, "refactorization");
    return status >= 0 ? execute(r, CUDSS_PHASE_SOLVE, "solve") : status;
}

/* The same right-hand side for each. */
static warplu_status stage_members(cudss_run *batch, const peer_members *members)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < members->count && status >= 0; k++) {
        status = cuda_system_values(&batch->system, k,
                                    members->values + k * batch->system.doubles * (int64_t)batch->system.nnz);
        if (status >= 0) status = cuda_system_rhs(&batch->system, k, members->b);
    }
    return status;
}

static warplu_status begin_members(void *state, const peer_members *members)
{
    cudss_run *r = state;
    destroy_one(r->batch);
    r->members = *members;
    warplu_status status = create_run(&r->pattern, &r->request, members->count, &r->batch);
    if (status >= 0) status = stage_members(r->batch, members);
    if (status >= 0) status = execute(r->batch, CUDSS_PHASE_ANALYSIS, "analysis of the uniform batch");
    if (status >= 0) status = execute(r->batch, CUDSS_PHASE_FACTORIZATION, "factorization of the uniform batch");
    if (status < 0) {
        destroy_one(r->batch);
        r->batch = NULL;
    }
    return status;
}

static warplu_status refactor_members(void *state)
{
    return execute(((cudss_run *)state)->batch, CUDSS_PHASE_REFACTORIZATION, "refactorization of the uniform batch");
}

static warplu_status both_members(void *state)
{
    cudss_run *batch = ((cudss_run *)state)->batch;
    warplu_status status = enqueue(batch, CUDSS_PHASE_REFACTORIZATION, "refactorization of the uniform batch");
    return status >= 0 ? execute(batch, CUDSS_PHASE_SOLVE, "solve of the uniform batch") : status;
}

static warplu_status fetch_members(void *state)
{
    cudss_run *r = state;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < r->members.count && status >= 0; k++)
        status =
            cuda_system_solution(&r->batch->system, k, r->members.x + k * r->system.doubles * (int64_t)r->system.n);
    return status;
}

static void describe(const void *state, peer_facts *facts)
{
    const cudss_run *r = state;
    int version[3] = {0}, pivots = 0, steps = 0;
    int64_t lu_nnz = 0, memory[16] = {0}; /* memory: permanent and peak on the device, permanent and peak on the host */
    char device[96];
    size_t written;
    cudssGetProperty(MAJOR_VERSION, &version[0]);
    cudssGetProperty(MINOR_VERSION, &version[1]);
    cudssGetProperty(PATCH_LEVEL, &version[2]);
    cuda_device_text(device, sizeof device);
    snprintf(facts->version, sizeof facts->version, "cuDSS %d.%d.%d", version[0], version[1], version[2]);
    snprintf(facts->ordering, sizeof facts->ordering, "%s", r->ordering);
    snprintf(facts->settings, sizeof facts->settings, "matching=%s refinement=%d deterministic=%d, %s",
             r->matched ? "auto" : "none", r->refinement_steps, r->deterministic, device);
    if (cudssDataGet(r->handle, r->data, CUDSS_DATA_LU_NNZ, &lu_nnz, sizeof lu_nnz, &written) == CUDSS_STATUS_SUCCESS)
        facts->lu_nnz = lu_nnz;
    if (cudssDataGet(r->handle, r->data, CUDSS_DATA_MEMORY_ESTIMATES, memory, sizeof memory, &written) ==
        CUDSS_STATUS_SUCCESS)
        facts->bytes = memory[0] + memory[2];
    if (!r->factored) return;
    if (cudssDataGet(r->handle, r->data, CUDSS_DATA_NPIVOTS, &pivots, sizeof pivots, &written) == CUDSS_STATUS_SUCCESS)
        facts->perturbed = pivots;
    if (cudssDataGet(r->handle, r->data, CUDSS_DATA_IR_N_STEPS, &steps, sizeof steps, &written) == CUDSS_STATUS_SUCCESS)
        facts->refinement_steps = steps;
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
                                    .begin_members = begin_members,
                                    .refactor_members = refactor_members,
                                    .both_members = both_members,
                                    .fetch_members = fetch_members,
                                    .describe = describe,
                                    .destroy = destroy,
                                    .orderings = ordering_names,
                                    .takes_order = 1,
                                    .takes_complex = 1};
