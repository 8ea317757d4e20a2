/* One linear system of the sweep. See system.h. */
#include "system.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(WLU_WITH_KLU)
#include <suitesparse/klu.h>
#endif

/* Says why where it fails. */
static warplu_status read_file(const char *path, warplu_mm_matrix *m)
{
    warplu_mm_error error = {.size = sizeof error};
    warplu_status status = warplu_mm_read(path, NULL, m, &error);
    if (status < 0) printf("# %s\n", error.text);
    return status;
}

warplu_status sweep_read(const char *folder, const char *name, sweep_system *s)
{
    char path[2048];
    warplu_mm_matrix b = {.size = sizeof b};
    memset(s, 0, sizeof *s);
    s->a.size = sizeof s->a;
    snprintf(s->name, sizeof s->name, "%s", name);
    snprintf(path, sizeof path, "%s/%s.mtx.gz", folder, name);
    warplu_status status = read_file(path, &s->a);
    if (status < 0) return status;
    s->b = malloc((size_t)s->a.nrow * sizeof *s->b);
    for (int32_t i = 0; i < s->a.nrow; i++) s->b[i] = 1.0;
    snprintf(path, sizeof path, "%s/%s_b.mtx.gz", folder, name);
    FILE *there = fopen(path, "rb");
    if (there == NULL) return WARPLU_SUCCESS;
    fclose(there);
    status = read_file(path, &b);
    if (status == WARPLU_SUCCESS && (b.nrow != s->a.nrow || b.values == NULL)) status = WARPLU_BAD_FORMAT;
    if (status < 0) {
        sweep_free(s);
        return status;
    }
    for (int32_t i = 0; i < b.nrow; i++) s->b[i] = 0.0;
    for (int32_t q = 0; q < b.ptr[1]; q++) s->b[b.idx[q]] = b.values[q];
    s->has_b = 1;
    warplu_mm_free(&b);
    return WARPLU_SUCCESS;
}

void sweep_free(sweep_system *s)
{
    warplu_mm_free(&s->a);
    free(s->b);
    s->b = NULL;
}

/* r = b - A x; weight = |A||x|; norm = largest magnitude of each row. */
static void residual(const sweep_system *s, const double *x, long double *r, double *weight, double *norm)
{
    const warplu_mm_matrix *a = &s->a;
    for (int32_t i = 0; i < a->nrow; i++) {
        r[i] = s->b[i];
        weight[i] = norm[i] = 0.0;
    }
    for (int32_t j = 0; j < a->ncol; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++) {
            int32_t i = a->idx[q];
            r[i] -= (long double)a->values[q] * x[j];
            weight[i] += fabs(a->values[q] * x[j]);
            norm[i] = fmax(norm[i], fabs(a->values[q]));
        }
}

double sweep_backward_error(const sweep_system *s, const double *x)
{
    int32_t n = s->a.nrow;
    double xmax = 0.0, omega = 0.0;
    long double *r = malloc((size_t)n * sizeof *r);
    double *weight = malloc((size_t)n * sizeof *weight), *norm = malloc((size_t)n * sizeof *norm);
    residual(s, x, r, weight, norm);
    for (int32_t i = 0; i < n; i++) xmax = fabs(x[i]) <= xmax ? xmax : fabs(x[i]);
    for (int32_t i = 0; i < n; i++) {
        double size = fabs(s->b[i]), reach = norm[i] * xmax;
        int tiny = weight[i] + size <= 1000.0 * n * DBL_EPSILON * (reach + size);
        double ratio = r[i] == 0.0L ? 0.0 : (double)fabsl(r[i]) / (tiny ? weight[i] + reach : weight[i] + size);
        if (!(ratio <= omega)) omega = ratio;
    }
    free(r);
    free(weight);
    free(norm);
    return isfinite(xmax) ? omega : INFINITY;
}

#if defined(WLU_WITH_KLU)
double sweep_klu_error(const sweep_system *s, int steps)
{
    const warplu_mm_matrix *a = &s->a;
    int32_t n = a->nrow;
    klu_common common;
    klu_defaults(&common);
    klu_symbolic *symbolic = klu_analyze(n, a->ptr, a->idx, &common);
    klu_numeric *numeric = symbolic != NULL ? klu_factor(a->ptr, a->idx, a->values, symbolic, &common) : NULL;
    double omega = INFINITY, *x = malloc((size_t)n * sizeof *x), *d = malloc((size_t)n * sizeof *d);
    double *weight = malloc((size_t)n * sizeof *weight), *norm = malloc((size_t)n * sizeof *norm);
    long double *r = malloc((size_t)n * sizeof *r);
    if (numeric != NULL) {
        memcpy(x, s->b, (size_t)n * sizeof *x);
        klu_solve(symbolic, numeric, n, 1, x, &common);
        for (int k = 0; k < steps; k++) {
            residual(s, x, r, weight, norm);
            for (int32_t i = 0; i < n; i++) d[i] = (double)r[i];
            klu_solve(symbolic, numeric, n, 1, d, &common);
            for (int32_t i = 0; i < n; i++) x[i] += d[i];
        }
        omega = sweep_backward_error(s, x);
    }
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
    free(x);
    free(d);
    free(weight);
    free(norm);
    free(r);
    return omega;
}
#else
double sweep_klu_error(const sweep_system *s, int steps)
{
    (void)s;
    (void)steps;
    return -1.0;
}
#endif
