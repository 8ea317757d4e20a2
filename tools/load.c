/* Options and files that the subcommands share. See load.h. */
#include "load.h"

#include "solver/replay.h"
#include "gen/invent.h"
#include "gen/turn.h"
#include "interrupt.h"
#include "matrix_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const load_orderings[] = {
#define WLU_ORDERING(enumerator, name, ...) name,
#define WLU_ORDERING_WORD(enumerator, name) name,
#include "order/order_list.def"
#undef WLU_ORDERING
#undef WLU_ORDERING_WORD
    NULL};
const char *const load_scalings[] = {"none", "sum", "max", NULL};
const char *const load_matchings[] = {"auto", "never", "always", NULL};
const char *const load_checks[] = {"off", "suspect", "always", "replays", NULL};
const char *load_executors[LOAD_NAMES + 1], *load_strategies[LOAD_NAMES + 1];
const char *const load_precisions[] = {"double", "single", "mixed", NULL};

static void fill_names(void)
{
    const char *name;
    int executors = 0, strategies = 0;
    for (int k = 0; k < LOAD_NAMES && (name = wlu_executor_name((warplu_executor)k)) != NULL; k++)
        load_executors[executors++] = name;
    if (executors < LOAD_NAMES) load_executors[executors] = wlu_executor_name(WLU_EXECUTOR_REGISTERED);
    for (int k = 0; k < LOAD_NAMES && (name = wlu_strategy_name((warplu_strategy)k)) != NULL; k++)
        load_strategies[strategies++] = name;
}

warplu_executor load_executor(int choice)
{
    return wlu_executor_name((warplu_executor)choice) != NULL ? (warplu_executor)choice : WLU_EXECUTOR_REGISTERED;
}

void load_request_init(load_request *q)
{
    warplu_options o;
    warplu_init_options(&o);
    fill_names();
    *q = (load_request){
        .ordering = (int)o.ordering,
        .scaling = (int)o.scaling,
        .matching = (int)o.matching,
        .check = (int)o.check,
        .executor = (int)o.executor,
        .strategy = (int)o.device_strategy,
        .precision = (int)o.precision,
        .pivot_tolerance = o.pivot_tolerance,
        .expected_refactors = LOAD_EXPECTED_REFACTORS,
    };
}

/* ---------------------------------------------------------------- options */

/* "512", "64K", "16M", "4G": 1 .. 2^63 - 1 bytes; 0 for anything else. */
static int64_t parse_bytes(const char *text)
{
    char *end;
    int shift = 0;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || errno != 0 || v <= 0) return 0;
    if (*end == 'K' || *end == 'k') shift = 10;
    if (*end == 'M' || *end == 'm') shift = 20;
    if (*end == 'G' || *end == 'g') shift = 30;
    if (end[shift > 0] != '\0' || v > INT64_MAX >> shift) return 0;
    return (int64_t)v << shift;
}

static int parse_seed(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

/* A permutation's file: an integer array of 1 .. n. */
static warplu_status read_order(wlu_context *ctx, const char *path, int32_t *count, int32_t **out)
{
    warplu_mm_matrix m;
    warplu_status status = matrix_file_read(ctx, path, &m);
    if (status < 0) return status;
    int vector = m.typecode.format == WARPLU_MM_FORMAT_ARRAY && m.typecode.field != WARPLU_MM_FIELD_COMPLEX &&
                 m.values != NULL && (m.ncol == 1 || m.nrow == 1);
    *count = (int32_t)m.nnz;
    if (vector) *out = WLU_ALLOC(ctx, m.nnz, int32_t);
    if (!vector)
        status =
            wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "%s: expected one row or column of integers, array format", path);
    else if (*out == NULL)
        status = wlu_fail_memory(ctx, "a given order");
    for (int64_t k = 0; k < m.nnz && status >= 0; k++) {
        double v = m.values[k];
        if (v >= 1 && v <= (double)m.nnz && v == floor(v))
            (*out)[k] = (int32_t)v - 1;
        else
            status = wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "%s: number %lld is %.17g, expected 1 to %lld", path,
                              (long long)k + 1, v, (long long)m.nnz);
    }
    warplu_mm_free(&m);
    return status;
}

static warplu_status read_orders(const load_request *q, load_setup *s)
{
    int32_t rows = 0;
    if (q->col_order == NULL) return WARPLU_SUCCESS;
    s->order_path = q->col_order;
    s->options.ordering = WARPLU_ORDERING_GIVEN;
    warplu_status status = read_order(&s->ctx, q->col_order, &s->order_count, &s->col_order);
    if (status >= 0 && q->row_order != NULL) status = read_order(&s->ctx, q->row_order, &rows, &s->row_order);
    if (status < 0) return status;
    if (q->row_order != NULL && rows != s->order_count)
        return wlu_fail(&s->ctx, WARPLU_INVALID_ARGUMENT, "%s holds %d numbers, %s %d", q->row_order, (int)rows,
                        q->col_order, (int)s->order_count);
    s->options.row_order = s->row_order;
    s->options.col_order = s->col_order;
    return WARPLU_SUCCESS;
}

/* A number of bytes where there is one; 0, or the exit status of wrong usage. */
static int read_bytes(const args_command *command, const char *name, const char *given, int64_t *bytes)
{
    if (given == NULL) return 0;
    *bytes = parse_bytes(given);
    return *bytes > 0 ? 0 : args_usage(command, "--%s: expected a number like 64M, found '%s'", name, given);
}

int load_prepare(const args_command *command, const load_request *q, load_setup *out)
{
    *out = (load_setup){.order_count = -1};
    wlu_context_init(&out->ctx, NULL);
    out->ctx.message = cmd_message;
    out->ctx.cancel = interrupt_asked;
    out->ctx.unsplit = q->unsplit;
    out->ctx.first_index = 1;
    warplu_options *o = &out->options;
    warplu_init_options(o);
    o->cancel = interrupt_asked;
    o->ordering = (warplu_ordering)q->ordering;
    o->scaling = (warplu_scaling)q->scaling;
    o->matching = (warplu_matching)q->matching;
    o->check = (warplu_check)q->check;
    o->executor = load_executor(q->executor);
    o->device_strategy = (warplu_strategy)q->strategy;
    o->precision = (warplu_precision)q->precision;
    o->btf = !q->no_btf;
    o->pivot_tolerance = q->pivot_tolerance;
    o->expected_refactors = q->expected_refactors;
    if (q->values != NULL && !parse_seed(q->values, &out->seed))
        return args_usage(command, "--values: expected an integer from 0 to 2^64 - 1, found '%s'", q->values);
    out->invent = q->values != NULL;
    int usage = read_bytes(command, "max-program-bytes", q->max_program_bytes, &o->max_program_bytes);
    if (usage == 0) usage = read_bytes(command, "max-factor-bytes", q->max_factor_bytes, &o->max_factor_bytes);
    if (usage != 0) return usage;
    int given = o->ordering == WARPLU_ORDERING_GIVEN;
    if (q->col_order == NULL && (given || q->row_order != NULL))
        return args_usage(command, "%s needs --col-order", given ? "--ordering given" : "--row-order");
    if (q->col_order != NULL && !given && o->ordering != WARPLU_ORDERING_AUTO)
        return args_usage(command, "--col-order and --ordering %s exclude each other", load_orderings[q->ordering]);
    return read_orders(q, out) < 0 ? CMD_ERROR : ARGS_RUN;
}

void load_free(load_setup *s)
{
    wlu_free(&s->ctx, s->row_order);
    wlu_free(&s->ctx, s->col_order);
    s->row_order = s->col_order = NULL;
}

/* ------------------------------------------------------------------ files */

warplu_status load_invent(load_setup *s, warplu_mm_matrix *m)
{
    if (!s->invent || m->typecode.field != WARPLU_MM_FIELD_PATTERN) return WARPLU_SUCCESS;
    return gen_invent_values(&s->ctx, m, s->seed);
}

static int is_complex(const warplu_mm_matrix *m)
{
    return load_doubles(m) > 1;
}

/* Gives the values of a real matrix imaginary parts: 0, or where they are turned those of gen_turn. */
static warplu_status make_complex(load_setup *s, warplu_mm_matrix *m, int turned)
{
    double *values = m->nnz > 0 ? s->ctx.allocate((size_t)m->nnz * 2 * sizeof *values, s->ctx.allocator_user) : NULL;
    if (values == NULL) return wlu_fail_memory(&s->ctx, "complex values");
    if (turned)
        gen_turn(m->ncol, m->ptr, m->idx, m->values, values);
    else
        for (int64_t q = 0; q < m->nnz; q++) {
            values[2 * q] = m->values[q];
            values[2 * q + 1] = 0.0;
        }
    if (m->release != NULL)
        m->release(m->values, m->allocator_user);
    else
        free(m->values);
    m->values = values;
    m->typecode.field = WARPLU_MM_FIELD_COMPLEX;
    return WARPLU_SUCCESS;
}

static warplu_status check_system(load_setup *s, const char *path, const warplu_mm_matrix *m)
{
    wlu_context *ctx = &s->ctx;
    if (m->nrow != m->ncol)
        return wlu_fail(ctx, WARPLU_NOT_SQUARE, "%s: %d by %d: the matrix is not square", path, (int)m->nrow,
                        (int)m->ncol);
    if (is_complex(m) && !s->takes_complex)
        return wlu_fail(ctx, WARPLU_COMPLEX_UNSUPPORTED, "%s: %s", path,
                        warplu_status_text(WARPLU_COMPLEX_UNSUPPORTED));
    if (m->values == NULL)
        return wlu_fail(ctx, WARPLU_NO_VALUES, "%s: a pattern without values; --values SEED invents some", path);
    if (s->order_count >= 0 && s->order_count != m->nrow)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "%s: %d numbers, expected %d as %s has rows", s->order_path,
                        (int)s->order_count, (int)m->nrow, path);
    return WARPLU_SUCCESS;
}

warplu_status load_system(load_setup *s, const char *path, warplu_mm_matrix *out)
{
    warplu_status status = matrix_file_read(&s->ctx, path, out);
    if (status < 0) return status;
    status = load_invent(s, out);
    if (status >= 0) status = check_system(s, path, out);
    if (status >= 0 && s->turns && !is_complex(out)) status = make_complex(s, out, 1);
    if (status < 0)
        warplu_mm_free(out);
    else
        s->options.scalar = is_complex(out) ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
    return status;
}

warplu_status load_as(load_setup *s, const char *path, const char *a_path, const warplu_mm_matrix *a,
                      warplu_mm_matrix *m)
{
    s->options.scalar = is_complex(a) ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
    if (is_complex(m) && !is_complex(a))
        return wlu_fail(&s->ctx, WARPLU_COMPLEX_UNSUPPORTED, "%s: complex values, expected real ones as in %s", path,
                        a_path);
    return is_complex(a) && !is_complex(m) ? make_complex(s, m, 0) : WARPLU_SUCCESS;
}

static warplu_status check_rhs(load_setup *s, const char *path, const char *matrix, int32_t n,
                               const warplu_mm_matrix *m)
{
    if (is_complex(m) && !s->takes_complex)
        return wlu_fail(&s->ctx, WARPLU_COMPLEX_UNSUPPORTED, "%s: a complex right-hand side; %s is real", path, matrix);
    if (m->values == NULL) return wlu_fail(&s->ctx, WARPLU_NO_VALUES, "%s: a right-hand side without values", path);
    if (m->nrow != n)
        return wlu_fail(&s->ctx, WARPLU_INVALID_ARGUMENT, "%s: %d rows, expected %d as %s has", path, (int)m->nrow,
                        (int)n, matrix);
    return WARPLU_SUCCESS;
}

/* Of a file as read, n by its columns. */
static void spread(const warplu_mm_matrix *m, int64_t n, int64_t doubles, double *b)
{
    for (int64_t k = 0; k < m->ncol; k++)
        for (int64_t q = m->ptr[k]; q < m->ptr[k + 1]; q++)
            memcpy(b + doubles * (k * n + m->idx[q]), m->values + doubles * q, (size_t)doubles * sizeof *b);
}

warplu_status load_rhs(load_setup *s, const char *path, const char *matrix, warplu_mm_matrix *a, int32_t *nrhs,
                       double **b)
{
    warplu_mm_matrix m = {.ncol = 1};
    warplu_status status = WARPLU_SUCCESS;
    *b = NULL;
    if (path != NULL) {
        status = matrix_file_read(&s->ctx, path, &m);
        if (status < 0) return status;
        status = check_rhs(s, path, matrix, a->nrow, &m);
        if (status >= 0 && is_complex(a) && !is_complex(&m)) status = make_complex(s, &m, 0);
        if (status >= 0 && is_complex(&m) && !is_complex(a)) status = make_complex(s, a, 0);
        if (status >= 0 && is_complex(a)) s->options.scalar = WARPLU_SCALAR_COMPLEX;
    }
    int64_t doubles = load_doubles(a);
    *nrhs = m.ncol;
    if (status >= 0) *b = WLU_CALLOC(&s->ctx, doubles * a->nrow * m.ncol, double);
    if (status >= 0 && *b == NULL) status = wlu_fail_memory(&s->ctx, "right-hand side");
    for (int64_t i = 0; status >= 0 && path == NULL && i < a->nrow; i++) (*b)[doubles * i] = 1.0;
    if (status >= 0 && path != NULL) spread(&m, a->nrow, doubles, *b);
    if (path != NULL) warplu_mm_free(&m);
    return status;
}

warplu_status load_create(const load_setup *s, const warplu_options *options, warplu_solver **out)
{
    warplu_status status = warplu_create(out, options);
    if (status < 0) return status;
    (*out)->ctx.unsplit = s->ctx.unsplit;
    (*out)->ctx.first_index = s->ctx.first_index;
    return status;
}

warplu_status load_factor(warplu_solver *solver, const double *values)
{
    warplu_status status = warplu_factor(solver, values);
    warplu_statistics t = {.size = sizeof t};
    warplu_get_statistics(solver, &t);
    if (status < 0 || t.compiled) return status;
    status = wlu_solver_compile(solver);
    if (status >= 0) status = warplu_refactor(solver, values);
    return status;
}
