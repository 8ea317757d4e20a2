/* The calls that examples/transient.c makes, answered by KLU (Davis and Palamadai Natarajan, ACM TOMS 37(3),
 * 2010): linked to this in the library's place, the example computes its waveforms with an independent
 * solver. Every factor and refactor pivots anew, by partial pivoting, so that nothing depends on old pivots.
 */
#include <stdlib.h>
#include <string.h>
#include <suitesparse/klu.h>
#include <warplu/inspect.h>

_Static_assert(sizeof(int) == sizeof(int32_t), "KLU's int is int32_t");

struct warplu_solver {
    int32_t n, *ptr, *idx;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

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

const char *warplu_status_text(int status)
{
    return status == WARPLU_SUCCESS ? "success" : "KLU failed";
}

const char *warplu_get_message(const warplu_solver *solver)
{
    (void)solver;
    return "";
}

warplu_status warplu_create(warplu_solver **out, const warplu_options *options)
{
    (void)options;
    *out = calloc(1, sizeof **out);
    if (*out == NULL) return WARPLU_OUT_OF_MEMORY;
    klu_defaults(&(*out)->common);
    (*out)->common.tol = 1.0;
    return WARPLU_SUCCESS;
}

static void forget(warplu_solver *s)
{
    klu_free_numeric(&s->numeric, &s->common);
    klu_free_symbolic(&s->symbolic, &s->common);
    free(s->ptr);
    free(s->idx);
    s->ptr = s->idx = NULL;
}

void warplu_destroy(warplu_solver **solver)
{
    if (*solver == NULL) return;
    forget(*solver);
    free(*solver);
    *solver = NULL;
}

static int32_t *copy(const int32_t *from, int32_t count)
{
    int32_t *to = malloc((size_t)count * sizeof *to);
    if (to != NULL) memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

/* ptr and idx may be this solver's own no more than the library's: they are copied. */
warplu_status warplu_analyze(warplu_solver *s, int32_t n, const int32_t *ptr, const int32_t *idx, const double *values)
{
    (void)values;
    forget(s);
    s->n = n;
    s->ptr = copy(ptr, n + 1);
    s->idx = copy(idx, ptr[n]);
    if (s->ptr == NULL || s->idx == NULL) return WARPLU_OUT_OF_MEMORY;
    s->symbolic = klu_analyze(n, s->ptr, s->idx, &s->common);
    return s->symbolic != NULL ? WARPLU_SUCCESS : status_of(&s->common);
}

warplu_status warplu_get_position(const warplu_solver *s, int32_t row, int32_t col, int32_t *position)
{
    for (int32_t k = s->ptr[col]; k < s->ptr[col + 1]; k++)
        if (s->idx[k] == row) {
            *position = k;
            return WARPLU_SUCCESS;
        }
    return WARPLU_PATTERN_MISMATCH;
}

/* KLU only reads the values. */
warplu_status warplu_factor(warplu_solver *s, const double *values)
{
    klu_free_numeric(&s->numeric, &s->common);
    s->numeric = klu_factor(s->ptr, s->idx, (double *)(uintptr_t)values, s->symbolic, &s->common);
    return s->numeric != NULL ? status_of(&s->common) : WARPLU_SINGULAR;
}

warplu_status warplu_refactor(warplu_solver *s, const double *values)
{
    return warplu_factor(s, values);
}

warplu_status warplu_solve(warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb, double *x, int32_t ldx)
{
    (void)ldb;
    if (nrhs != 1 || s->numeric == NULL) return WARPLU_INVALID_ARGUMENT;
    memcpy(x, b, (size_t)s->n * sizeof *x);
    return klu_solve(s->symbolic, s->numeric, ldx, 1, x, &s->common) ? WARPLU_SUCCESS : status_of(&s->common);
}

warplu_status warplu_get_statistics(const warplu_solver *s, warplu_statistics *statistics)
{
    (void)s;
    size_t size = statistics->size;
    memset(statistics, 0, size);
    statistics->size = size;
    statistics->pivot_growth = 1.0;
    statistics->backward_error = -1.0;
    return WARPLU_SUCCESS;
}
