/* Cases as data. See genome.h. */
#include "genome.h"

#include "draw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void *copy_of(const void *from, size_t bytes)
{
    void *to = malloc(bytes + 1);
    memcpy(to, from, bytes);
    return to;
}

int genome_is_values(const step *s)
{
    return s->kind == STEP_FACTOR || s->kind == STEP_REFACTOR;
}

int genome_is_solve(const step *s)
{
    return s->kind == STEP_SOLVE || s->kind == STEP_SOLVE_TRANSPOSED;
}

int genome_is_measure(const step *s)
{
    return s->kind == STEP_MEASURE || s->kind == STEP_MEASURE_TRANSPOSED;
}

int64_t genome_numbers(const genome *g, const step *s)
{
    if (genome_is_values(s)) return g->m.nnz;
    if (genome_is_measure(s)) return 2 * (int64_t)g->m.n;
    return genome_is_solve(s) ? (int64_t)g->m.n * s->columns : 0;
}

int genome_values_before(const genome *g, int at)
{
    while (!genome_is_values(&g->step[at])) at--;
    return at;
}

void genome_create(genome *g, const char *family, test_matrix *m)
{
    *g = (genome){.family = family, .m = *m};
    warplu_init_options(&g->options);
    memcpy(genome_add(g, STEP_FACTOR, 0), m->x, (size_t)m->nnz * sizeof *m->x);
}

void genome_copy(genome *to, const genome *from)
{
    const test_matrix *m = &from->m;
    *to = *from;
    to->m.ptr = copy_of(m->ptr, ((size_t)m->n + 1) * sizeof *m->ptr);
    to->m.idx = copy_of(m->idx, (size_t)m->nnz * sizeof *m->idx);
    to->m.x = copy_of(m->x, (size_t)m->nnz * sizeof *m->x);
    for (int k = 0; k < to->steps; k++) {
        const step *s = &from->step[k];
        if (s->numbers != NULL)
            to->step[k].numbers = copy_of(s->numbers, (size_t)genome_numbers(from, s) * sizeof *s->numbers);
    }
}

void genome_free(genome *g)
{
    test_matrix_free(&g->m);
    for (int k = 0; k < g->steps; k++) free(g->step[k].numbers);
    g->steps = 0;
}

double *genome_add(genome *g, step_kind kind, int32_t columns)
{
    if (g->steps == MOST_STEPS) return NULL;
    step *s = &g->step[g->steps++];
    *s = (step){.kind = kind, .columns = columns};
    int64_t count = genome_numbers(g, s);
    if (count > 0) s->numbers = calloc((size_t)count, sizeof *s->numbers);
    return s->numbers;
}

void genome_drop(genome *g, int at)
{
    free(g->step[at].numbers);
    g->steps--;
    memmove(&g->step[at], &g->step[at + 1], (size_t)(g->steps - at) * sizeof g->step[0]);
}

void genome_end_after(genome *g, int at)
{
    while (g->steps > at + 1) genome_drop(g, g->steps - 1);
}

void genome_move(genome *g, int from, int to)
{
    step moved = g->step[from];
    if (from < to)
        memmove(&g->step[from], &g->step[from + 1], (size_t)(to - from) * sizeof moved);
    else
        memmove(&g->step[to + 1], &g->step[to], (size_t)(from - to) * sizeof moved);
    g->step[to] = moved;
}

/* Room for one number more at `at`. */
static void open_gap(double **numbers, int64_t count, int64_t at, double value)
{
    *numbers = realloc(*numbers, ((size_t)count + 2) * sizeof **numbers);
    memmove(*numbers + at + 1, *numbers + at, (size_t)(count - at) * sizeof **numbers);
    (*numbers)[at] = value;
}

static void close_gap(double *numbers, int64_t count, int64_t at)
{
    memmove(numbers + at, numbers + at + 1, (size_t)(count - at - 1) * sizeof *numbers);
}

void genome_insert_entry(genome *g, int32_t row, int32_t column, double value)
{
    test_matrix *m = &g->m;
    int32_t at = m->ptr[column + 1];
    for (int k = 0; k < g->steps; k++)
        if (genome_is_values(&g->step[k])) open_gap(&g->step[k].numbers, m->nnz, at, value);
    open_gap(&m->x, m->nnz, at, value);
    m->idx = realloc(m->idx, ((size_t)m->nnz + 2) * sizeof *m->idx);
    memmove(m->idx + at + 1, m->idx + at, (size_t)(m->nnz - at) * sizeof *m->idx);
    m->idx[at] = row;
    for (int32_t j = column + 1; j <= m->n; j++) m->ptr[j]++;
    m->nnz++;
}

void genome_remove_entry(genome *g, int32_t entry)
{
    test_matrix *m = &g->m;
    for (int k = 0; k < g->steps; k++)
        if (genome_is_values(&g->step[k])) close_gap(g->step[k].numbers, m->nnz, entry);
    close_gap(m->x, m->nnz, entry);
    memmove(m->idx + entry, m->idx + entry + 1, (size_t)(m->nnz - entry - 1) * sizeof *m->idx);
    for (int32_t j = 0; j <= m->n; j++) m->ptr[j] -= m->ptr[j] > entry;
    m->nnz--;
}

/* ------------------------------------------------------------------- print */

typedef struct printer {
    FILE *out;
    const char *prefix;
} printer;

static void put_numbers(const printer *p, const char *name, int at, const double *x, int64_t count)
{
    fprintf(p->out, "%sstatic const double %s%d[] = {", p->prefix, name, at);
    for (int64_t k = 0; k < count; k++) {
        if (k % 6 == 0) fprintf(p->out, "\n%s    ", p->prefix);
        fprintf(p->out, "%a, ", x[k]);
    }
    fprintf(p->out, "\n%s};\n", p->prefix);
}

static void put_indices(const printer *p, const char *name, const int32_t *x, int64_t count)
{
    fprintf(p->out, "%sstatic const int32_t %s[] = {", p->prefix, name);
    for (int64_t k = 0; k < count; k++) {
        if (k % 24 == 0) fprintf(p->out, "\n%s    ", p->prefix);
        fprintf(p->out, "%" PRId32 ", ", x[k]);
    }
    fprintf(p->out, "\n%s};\n", p->prefix);
}

static void put_options(const printer *p, const warplu_options *o)
{
    fprintf(p->out, "%s    warplu_init_options(&o);\n", p->prefix);
    fprintf(p->out,
            "%s    o.storage = %d, o.ordering = %d, o.scaling = %d, o.check = %d, o.executor = %d, o.btf = %d;\n",
            p->prefix, o->storage, o->ordering, o->scaling, o->check, o->executor, o->btf);
    fprintf(p->out, "%s    o.pivot_tolerance = %a, o.expected_refactors = %g, o.matching = %d, o.precision = %d;\n",
            p->prefix, o->pivot_tolerance, o->expected_refactors, o->matching, o->precision);
    fprintf(p->out, "%s    o.repeatable = %d;\n", p->prefix, o->repeatable);
}

/* Through the public header no stage can be had before its time. */
static void put_stage(const printer *p, const genome *g, int at)
{
    if ((g->stages >> at & 1) != 0)
        fprintf(p->out, "%s    /* a stage of growth is due: tests/support/stages.h */\n", p->prefix);
}

static void put_call(const printer *p, const genome *g, int at)
{
    static const char *const calls[STEP_KINDS] = {
        [STEP_FACTOR] = "warplu_factor(s, step%d)",
        [STEP_REFACTOR] = "warplu_refactor(s, step%d)",
        [STEP_SOLVE] = "warplu_solve(s, %d, step%d, n, x, n)",
        [STEP_SOLVE_TRANSPOSED] = "warplu_solve_transposed(s, %d, step%d, n, x, n)",
        [STEP_MEASURE] = "warplu_compute_backward_error(s, 0, step%d, 1, step%d, n, step%d + n, n, &omega)",
        [STEP_MEASURE_TRANSPOSED] = "warplu_compute_backward_error(s, 1, step%d, 1, step%d, n, step%d + n, n, &omega)",
        [STEP_CLONE] = "warplu_clone(&next, s)",
        [STEP_RESTORE] =
            "warplu_save(s, \"saved\"); status = warplu_create(&next, &o); status = warplu_restore(next, \"saved\")",
    };
    const step *s = &g->step[at];
    fprintf(p->out, "%s    status = ", p->prefix);
    if (genome_is_values(s))
        fprintf(p->out, calls[s->kind], at);
    else if (genome_is_solve(s))
        fprintf(p->out, calls[s->kind], (int)s->columns, at);
    else if (genome_is_measure(s))
        fprintf(p->out, calls[s->kind], genome_values_before(g, at), at, at);
    else
        fputs(calls[s->kind], p->out);
    fprintf(p->out, ";\n");
    if (s->kind == STEP_CLONE || s->kind == STEP_RESTORE)
        fprintf(p->out, "%s    warplu_destroy(&s), s = next, status = warplu_refactor(s, step%d);\n", p->prefix,
                genome_values_before(g, at));
    fprintf(p->out, "%s    printf(\"step %d: %%s\", warplu_status_name(status));\n", p->prefix, at);
    if (genome_is_solve(s))
        fprintf(p->out,
                "%s    for (int k = 0; k < %d; k++) printf(\", row error %%Lg\", row_error(step%d, step%d + k * n, x + "
                "k * n, "
                "%d));\n",
                p->prefix, (int)s->columns, genome_values_before(g, at), at,
                (s->kind == STEP_SOLVE_TRANSPOSED) != (g->options.storage == WARPLU_STORAGE_CSR));
    if (genome_is_measure(s)) fprintf(p->out, "%s    printf(\", backward error %%g\", omega);\n", p->prefix);
    fprintf(p->out, "%s    printf(\"\\n\");\n", p->prefix);
}

/* A function of the printed program: what is promised of x, of the arrays' matrix or its transpose. */
static void put_row_error(const printer *p)
{
    static const char *const lines[] = {
        "static long double row_error(const double *a, const double *b, const double *x, int transposed)",
        "{",
        "    long double r[n], most = 0, largest = 0, norm[n];",
        "    for (int i = 0; i < n; i++) r[i] = b[i], norm[i] = 0, largest = fmaxl(largest, fabsl(x[i]));",
        "    for (int j = 0; j < n; j++)",
        "        for (int q = ptr[j]; q < ptr[j + 1]; q++) {",
        "            int row = transposed ? j : idx[q], col = transposed ? idx[q] : j;",
        "            r[row] -= (long double)a[q] * x[col];",
        "            norm[row] = fmaxl(norm[row], fabsl(a[q]));",
        "        }",
        "    for (int i = 0; i < n; i++)",
        "        if (r[i] != 0) most = fmaxl(most, fabsl(r[i]) / (norm[i] * largest + fabsl(b[i])));",
        "    return most;",
        "}",
    };
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) fprintf(p->out, "%s%s\n", p->prefix, lines[k]);
}

void genome_print(const genome *g, FILE *out, const char *prefix)
{
    printer p = {out, prefix};
    int32_t columns = 1;
    fprintf(out, "%s#include <math.h>\n%s#include <stdio.h>\n%s#include <warplu/warplu.h>\n", prefix, prefix, prefix);
    fprintf(out, "%senum { n = %" PRId32 " };\n", prefix, g->m.n);
    put_indices(&p, "ptr", g->m.ptr, g->m.n + 1);
    put_indices(&p, "idx", g->m.idx, g->m.nnz);
    if (!g->blind) put_numbers(&p, "first", 0, g->m.x, g->m.nnz);
    for (int k = 0; k < g->steps; k++) {
        if (g->step[k].numbers != NULL) put_numbers(&p, "step", k, g->step[k].numbers, genome_numbers(g, &g->step[k]));
        if (g->step[k].columns > columns) columns = g->step[k].columns;
    }
    put_row_error(&p);
    fprintf(out, "%sint main(void)\n%s{\n", prefix, prefix);
    fprintf(out, "%s    static double x[n * %" PRId32 "], omega;\n", prefix, columns);
    fprintf(out, "%s    warplu_options o;\n%s    warplu_solver *s = NULL, *next = NULL;\n%s    warplu_status status;\n",
            prefix, prefix, prefix);
    fprintf(out, "%s    (void)row_error, (void)omega;\n", prefix);
    put_options(&p, &g->options);
    fprintf(out, "%s    warplu_create(&s, &o);\n%s    status = warplu_analyze(s, n, ptr, idx, %s);\n", prefix, prefix,
            g->blind ? "NULL" : "first0");
    if (draws_first_replay(g->stages))
        fprintf(out, "%s    /* the first factorization is a replay: tests/support/stages.h */\n", prefix);
    for (int k = 0; k < g->steps; k++) {
        put_stage(&p, g, k);
        put_call(&p, g, k);
    }
    fprintf(out, "%s    (void)next;\n%s    warplu_destroy(&s);\n%s    return 0;\n%s}\n", prefix, prefix, prefix,
            prefix);
}
