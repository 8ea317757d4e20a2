/* As if there were a device: its vectors are serial ones, its matrices arrays of the host, and the library's calls on
 * device pointers are made of those on the host (emulated.h renames them), which answer as warplu/device.h says. So the
 * adapter's part is tested where there is no GPU. Replays whose smallest pivot is below 1e-100 are suspect, and solves
 * by them not vouched for. */
#include "emulated.h"

#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>

#include "../../device_matrix.h"
#include "../on_device.h"

/* ---------------------------------------------------------------- vectors and matrices */

typedef struct content {
    int n, nnz, blocks, *ptr, *idx;
    double *values;
} content;

static content *content_of(SUNMatrix A)
{
    return (content *)A->content;
}

N_Vector device_vector(int n, SUNContext context)
{
    N_Vector v = N_VNew_Serial(n, context);
    v->ops->nvgetdevicearraypointer = v->ops->nvgetarraypointer;
    return v;
}

void device_put(N_Vector v, const double *numbers)
{
    memcpy(N_VGetArrayPointer(v), numbers, (size_t)N_VGetLength(v) * sizeof *numbers);
}

void device_get(N_Vector v, double *numbers)
{
    memcpy(numbers, N_VGetArrayPointer(v), (size_t)N_VGetLength(v) * sizeof *numbers);
}

static SUNMatrix_ID matrix_id(SUNMatrix A)
{
    (void)A;
    return SUNMATRIX_CUSPARSE;
}

static void matrix_destroy(SUNMatrix A)
{
    content *c = content_of(A);
    free(c->ptr);
    free(c->idx);
    free(c->values);
    free(c);
    A->content = NULL;
    SUNMatFreeEmpty(A);
}

SUNMatrix device_matrix(int n, int nnz, int blocks, SUNContext context)
{
    SUNMatrix A = SUNMatNewEmpty(context);
    content *c = calloc(1, sizeof *c);
    *c = (content){.n = n, .nnz = nnz, .blocks = blocks};
    c->ptr = calloc((size_t)n + 1, sizeof *c->ptr);
    c->idx = calloc((size_t)nnz, sizeof *c->idx);
    c->values = calloc((size_t)nnz, sizeof *c->values);
    A->content = c;
    A->ops->getid = matrix_id;
    A->ops->destroy = matrix_destroy;
    return A;
}

void device_fill(SUNMatrix A, const double *values, const int *ptr, const int *idx)
{
    content *c = content_of(A);
    memcpy(c->ptr, ptr, ((size_t)c->n + 1) * sizeof *ptr);
    memcpy(c->idx, idx, (size_t)c->nnz * sizeof *idx);
    memcpy(c->values, values, (size_t)c->nnz * sizeof *values);
}

int SUNMatrix_cuSparse_SparseType(SUNMatrix A)
{
    return content_of(A)->blocks > 1 ? 1 : WLU_SUN_BY_ROWS;
}

int SUNMatrix_cuSparse_Rows(SUNMatrix A)
{
    return content_of(A)->n;
}

int SUNMatrix_cuSparse_Columns(SUNMatrix A)
{
    return content_of(A)->n;
}

int SUNMatrix_cuSparse_NNZ(SUNMatrix A)
{
    return content_of(A)->nnz;
}

int *SUNMatrix_cuSparse_IndexPointers(SUNMatrix A)
{
    return content_of(A)->ptr;
}

int *SUNMatrix_cuSparse_IndexValues(SUNMatrix A)
{
    return content_of(A)->idx;
}

double *SUNMatrix_cuSparse_Data(SUNMatrix A)
{
    return content_of(A)->values;
}

/* ---------------------------------------------------------------- the library's calls on device pointers */

/* Of the solver that was last replayed. */
static struct {
    warplu_solver *program_of;
    const double *values;
    warplu_status mended; /* what the replay is with values */
    int weak, suspect, solved, finished;
} device;

/* The adapter names the GPU, which is not there. */
warplu_status emulated_open_solver(warplu_solver **out, warplu_cache *cache, const warplu_options *options, int32_t n,
                                   const int32_t *ptr, const int32_t *idx, const double *values)
{
    warplu_options o = *options;
    o.executor = WARPLU_EXECUTOR_AUTO;
    o.device = 0;
    return warplu_open_solver(out, cache, &o, n, ptr, idx, values);
}

warplu_status emulated_factor(warplu_solver *s, const double *values)
{
    warplu_status status = warplu_factor(s, values);
    device.program_of = status >= 0 ? s : NULL;
    return status;
}

warplu_status emulated_refactor_device(warplu_solver *s, const double *device_values, void *stream)
{
    (void)stream;
    if (device.program_of != s) return WARPLU_WRONG_PHASE;
    warplu_statistics t = {.size = sizeof t};
    device.values = device_values;
    device.mended = warplu_refactor(s, device_values);
    warplu_get_statistics(s, &t);
    device.weak = device.mended != WARPLU_SUCCESS;
    device.suspect = t.smallest_pivot < 1e-100;
    device.solved = device.finished = 0;
    return WARPLU_ENQUEUED;
}

warplu_status emulated_solve_device(warplu_solver *s, int transposed, int32_t nrhs, const double *b, int32_t ldb,
                                    double *x, int32_t ldx, void *stream)
{
    (void)transposed, (void)stream;
    device.solved = 1;
    if (!device.weak && !device.suspect)
        return warplu_solve(s, nrhs, b, ldb, x, ldx) < 0 ? WARPLU_DEVICE_FAILED : WARPLU_ENQUEUED;
    for (int32_t i = 0; i < ldx; i++) x[i] = NAN;
    return WARPLU_ENQUEUED;
}

warplu_status emulated_finish_device(warplu_solver *s, const double *values, void *stream)
{
    (void)s, (void)stream;
    device.finished = 1;
    if (device.weak && values == NULL) return WARPLU_WEAK;
    if (device.weak) {
        if (memcmp(values, device.values, sizeof *values) != 0) return WARPLU_INTERNAL;
        device.weak = device.mended < 0;
        return device.mended;
    }
    return device.suspect && device.solved ? WARPLU_UNCHECKED : WARPLU_SUCCESS;
}

warplu_status emulated_get_statistics(const warplu_solver *s, warplu_statistics *t)
{
    warplu_status status = warplu_get_statistics(s, t);
    t->verdict = WARPLU_VERDICT_HEALTHY; /* that of an earlier replay, before this one is finished */
    if (device.finished && device.suspect) t->verdict = WARPLU_VERDICT_SUSPECT;
    if (device.finished && device.weak) t->verdict = WARPLU_VERDICT_WEAK;
    return status;
}
