/* Building what a test looks at. See build.h. */
#include "build.h"

#include "pivot/attempts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *test_allocate(size_t bytes, void *user)
{
    test_allocator *a = user;
    a->calls++;
    if (a->fail_at > 0 && (a->calls == a->fail_at || (a->lasting && a->calls > a->fail_at))) return NULL;
    void *p = malloc(bytes);
    a->alive += p != NULL;
    return p;
}

void test_release(void *pointer, void *user)
{
    test_allocator *a = user;
    a->alive--;
    free(pointer);
}

void test_use_allocator(warplu_options *options, test_allocator *a)
{
    memset(a, 0, sizeof *a);
    options->allocate = test_allocate;
    options->release = test_release;
    options->allocator_user = a;
}

wlu_cost test_region_cost(test_region region)
{
    wlu_cost c = region == TEST_DEVICE ? wlu_cost_cuda : wlu_cost_cpu;
    c.solve_pivots = 1;
    if (region == TEST_ALL_DOT) {
        c.ns_per_tile = c.ns_per_tile_source = c.ns_per_tile_row = c.ns_per_tile_step = 1e6;
    } else if (region == TEST_ALL_TILE) {
        c.ns_per_dot_term = c.ns_per_dot_record = 1e6;
    } else if (region == TEST_DEVICE) {
        c.ns_per_tile = 1000.0;
        c.record_terms = 40; /* so that small matrices have partial sums */
        c.partial_sum_terms = 32;
    } else { /* a DOT pivot is cheap until its terms are many */
        c.ns_per_dot_record = c.ns_per_tile_step = c.ns_per_tile_row = c.ns_per_tile_source = c.ns_per_panel_row = 0.1;
        c.ns_per_level = 0.0;
        c.ns_per_dot_term = 3.0;
        c.ns_per_tile = 150.0;
    }
    return c;
}

warplu_status test_build_pivots(test_build *t, const warplu_options *options, const test_matrix *m)
{
    memset(t, 0, sizeof *t);
    t->options = *options;
    wlu_context_init(&t->ctx, options);
    wlu_pattern *a = NULL;
    warplu_status status = wlu_pattern_create(&t->ctx, WARPLU_STORAGE_CSC, m->n, m->ptr, m->idx, &a);
    if (status == WARPLU_SUCCESS) {
        a->doubles = test_matrix_doubles(m);
        t->entries = malloc(((size_t)(a->doubles * a->nnz) + 1) * sizeof *t->entries);
        t->dense = a->doubles == 1 ? test_matrix_dense(m) : NULL;
        wlu_pattern_gather(a, m->x, t->entries);
        /* every other matrix is analyzed with its values */
        const double *known = m->nnz % 2 ? t->entries : NULL;
        status = wlu_analysis_create(&t->ctx, &t->options, &wlu_cost_cpu, &a, known, WLU_DEPTH_RACED, &t->analysis);
    }
    if (status == WARPLU_SUCCESS)
        status = wlu_pivots_create(&t->ctx, &t->options, &wlu_cost_cpu, t->analysis, t->entries, NULL, &t->pivots,
                                   &t->factors);
    if (status < 0) {
        printf("# %s: %s\n", warplu_status_name(status), t->ctx.last_message);
        test_build_free(t);
    }
    return status;
}

warplu_status test_build_program(test_build *t, const wlu_cost *cost)
{
    wlu_program_destroy(&t->ctx, &t->program);
    warplu_status status = wlu_lu_compile(&t->ctx, &t->options, cost, t->analysis->a, t->pivots, &t->program);
    if (status == WARPLU_SUCCESS) status = wlu_lu_compile_transposed(&t->ctx, t->analysis->a, t->pivots, t->program);
    if (status < 0) printf("# %s: %s\n", warplu_status_name(status), t->ctx.last_message);
    return status;
}

int64_t test_partial_sums(const wlu_program *p, const wlu_stream *s)
{
    int64_t sums = 0;
    for (int64_t r = 0; r < s->nrecords; r++) sums += s->opcode[r] == WLU_DOT && s->start[r] == p->zero;
    return sums;
}

void test_build_free(test_build *t)
{
    wlu_program_destroy(&t->ctx, &t->program);
    wlu_pivots_destroy(&t->ctx, &t->pivots);
    wlu_factors_destroy(&t->ctx, &t->factors);
    wlu_analysis_destroy(&t->ctx, &t->analysis);
    free(t->entries);
    free(t->dense);
    t->entries = t->dense = NULL;
}

double *test_factors(const test_build *t, const double *v, const int32_t *slot)
{
    const wlu_pivots *p = t->pivots;
    size_t n = (size_t)p->n;
    wlu_layout o = wlu_layout_of(p, 0);
    double *lu = calloc(n * n, sizeof *lu);
    struct {
        const int64_t *p;
        const int32_t *i;
        int64_t base;
    } part[] = {{p->lp, p->li, o.l}, {p->up, p->ui, o.u}, {p->fp, p->fi, o.f}};
    for (size_t j = 0; j < n; j++) {
        lu[j * n + j] = v[slot != NULL ? (size_t)slot[j] : j];
        for (int k = 0; k < 3; k++)
            for (int64_t q = part[k].p[j]; q < part[k].p[j + 1]; q++)
                lu[j * n + (size_t)part[k].i[q]] = v[slot != NULL ? slot[part[k].base + q] : part[k].base + q];
    }
    return lu;
}
