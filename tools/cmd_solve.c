/* warplu solve: A x = b (or A' x = b) from files, every answer judged before it is called one.
 *
 * Exit status 0 means that x is right: its componentwise backward error, computed anew from the matrix as
 * read, is at most 1e-10. A less accurate x is written only where --force asks for it. */
#include <warplu/inspect.h>
#include <warplu/save.h>

#include "base/clock.h"
#include "condition.h"
#include "facts.h"
#include "interrupt.h"
#include "load.h"
#include "matrix_file.h"
#include "residual.h"

#include <stdio.h>
#include <string.h>

typedef struct solve_request {
    load_request load;
    const char *matrix, *rhs, *output, *save, *restore;
    int transposed, conjugate, program, force, condition, as_json;
} solve_request;

typedef struct solve_run {
    load_setup setup;
    warplu_mm_matrix a;
    warplu_solver *solver;
    int32_t nrhs;
    double *b, *x;
    warplu_statistics statistics;
    double backward_error, residual; /* -1 where there is no x */
    int64_t read_ns, solve_ns;
    int written;
    int has_condition;
    condition_facts condition;
} solve_run;

/* As the files say. */
static int is_complex(const solve_run *r)
{
    return r->setup.options.scalar == WARPLU_SCALAR_COMPLEX;
}

/* A failure of the solver, with the file's name before its message. */
static warplu_status solver_failed(solve_run *r, const solve_request *q, warplu_status status)
{
    const char *text = warplu_get_message(r->solver);
    return wlu_fail(&r->setup.ctx, status, "%s: %s", q->matrix, text[0] != '\0' ? text : warplu_status_text(status));
}

/* A^H is the transpose of the conjugate matrix. */
static void conjugate(warplu_mm_matrix *a)
{
    for (int64_t k = 0; k < a->nnz && a->typecode.field == WARPLU_MM_FIELD_COMPLEX; k++)
        a->values[2 * k + 1] = -a->values[2 * k + 1];
}

static warplu_status read_files(const solve_request *q, solve_run *r)
{
    int64_t start = wlu_now_ns();
    r->setup.takes_complex = 1;
    warplu_status status = load_system(&r->setup, q->matrix, &r->a);
    if (status >= 0) status = load_rhs(&r->setup, q->rhs, q->matrix, &r->a, &r->nrhs, &r->b);
    if (status >= 0 && q->conjugate) conjugate(&r->a);
    r->read_ns = wlu_now_ns() - start;
    return status;
}

/* Analysis and pivots of a file, for a matrix of the same pattern. */
static warplu_status restore(const solve_request *q, solve_run *r)
{
    warplu_status status = warplu_restore(r->solver, q->restore);
    if (status >= 0) status = warplu_check_pattern(r->solver, r->a.nrow, r->a.ptr, r->a.idx);
    if (status == WARPLU_PATTERN_MISMATCH)
        return wlu_fail(&r->setup.ctx, status, "%s: not the pattern of %s: %s", q->matrix, q->restore,
                        warplu_get_message(r->solver));
    return status < 0 ? wlu_fail(&r->setup.ctx, status, "%s", warplu_get_message(r->solver)) : status;
}

static warplu_status factor_system(const solve_request *q, solve_run *r)
{
    warplu_status status = load_create(&r->setup, &r->setup.options, &r->solver);
    if (status < 0) return solver_failed(r, q, status);
    if (q->restore != NULL) {
        status = restore(q, r);
        if (status < 0) return status;
        status = warplu_refactor(r->solver, r->a.values);
    } else {
        status = warplu_analyze(r->solver, r->a.nrow, r->a.ptr, r->a.idx, r->a.values);
        if (status >= 0) status = warplu_factor(r->solver, r->a.values);
    }
    if (status < 0) return solver_failed(r, q, status);
    if (q->save == NULL) return status;
    interrupt_hold();
    status = (q->program ? warplu_save_program : warplu_save)(r->solver, q->save);
    interrupt_release();
    return status < 0 ? wlu_fail(&r->setup.ctx, status, "%s", warplu_get_message(r->solver)) : status;
}

static warplu_status solve_system(const solve_request *q, solve_run *r)
{
    int32_t n = r->a.nrow;
    warplu_status status = factor_system(q, r);
    if (status < 0) return status;
    r->x = WLU_CALLOC(&r->setup.ctx, (is_complex(r) ? 2 : 1) * (int64_t)n * r->nrhs, double);
    if (r->x == NULL) return wlu_fail_memory(&r->setup.ctx, "solution");
    int64_t start = wlu_now_ns();
    status = q->transposed ? warplu_solve_transposed(r->solver, r->nrhs, r->b, n, r->x, n)
                           : warplu_solve(r->solver, r->nrhs, r->b, n, r->x, n);
    r->solve_ns = wlu_now_ns() - start;
    if (status < 0) return solver_failed(r, q, status);
    warplu_status judged = warplu_compute_backward_error(r->solver, q->transposed, r->a.values, r->nrhs, r->b, n, r->x,
                                                         n, &r->backward_error);
    if (judged < 0) return solver_failed(r, q, judged);
    r->residual = relative_residual(&r->setup.ctx, &r->a, q->transposed, r->nrhs, r->b, r->x);
    double bound = answer_is_right(r->setup.options.precision);
    if (r->backward_error <= bound) return status == WARPLU_INACCURATE ? WARPLU_SUCCESS : status;
    return wlu_fail(&r->setup.ctx, WARPLU_INACCURATE, "%s: backward error %.2e, above %.0e%s", q->matrix,
                    r->backward_error, bound,
                    q->output != NULL && !q->force ? "; x is not written (--force writes it)" : "");
}

/* What the factors say of A, and of x. */
static warplu_status ask_condition(const solve_request *q, solve_run *r)
{
    int32_t n = r->a.nrow;
    warplu_status status = condition_ask(r->solver, r->a.values, is_complex(r), &r->condition);
    if (status >= 0)
        status = warplu_bound_forward_error(r->solver, q->transposed, r->a.values, r->nrhs, r->b, n, r->x, n,
                                            &r->condition.forward_error);
    r->has_condition = status >= 0;
    return status < 0 ? solver_failed(r, q, status) : WARPLU_SUCCESS;
}

static warplu_status write_solution(const solve_request *q, solve_run *r)
{
    interrupt_hold();
    warplu_status status = matrix_file_write_array(&r->setup.ctx, q->output,
                                                   is_complex(r) ? WARPLU_MM_FIELD_COMPLEX : WARPLU_MM_FIELD_REAL,
                                                   r->a.nrow, r->nrhs, r->x, NULL);
    interrupt_release();
    r->written = status >= 0;
    return status;
}

static void report_program(facts *f, const solve_run *r)
{
    const warplu_statistics *t = &r->statistics;
    facts_text(f, "ordering", load_orderings[t->ordering]);
    facts_int(f, "blocks", t->blocks);
    facts_int(f, "terms", t->terms);
    facts_int(f, "lu_nnz", t->lu_nnz);
    facts_int(f, "levels", t->levels);
    facts_int(f, "vectors", t->vectors);
    facts_int(f, "program_bytes", t->program_bytes);
}

static void report_times(facts *f, const solve_run *r)
{
    const warplu_statistics *t = &r->statistics;
    facts_real(f, "read_ms", (double)r->read_ns / 1e6);
    facts_real(f, "analyze_ms", t->analyze_ns / 1e6);
    facts_real(f, "factor_ms", t->factor_ns / 1e6);
    facts_real(f, "compile_ms", t->compile_ns / 1e6);
    facts_real(f, "solve_ms", (double)r->solve_ns / 1e6);
}

static void report(const solve_request *q, const solve_run *r, warplu_status status)
{
    facts f;
    int busy = q->output != NULL && strcmp(q->output, "-") == 0;
    if (status < 0 && !q->as_json) return; /* said already */
    facts_begin(&f, busy ? stderr : stdout, q->as_json);
    facts_text(&f, "version", warplu_version());
    facts_text(&f, "matrix", q->matrix);
    facts_text(&f, "status", warplu_status_name(status));
    if (status < 0) facts_text(&f, "message", r->setup.ctx.last_message);
    if (r->a.ptr != NULL) {
        facts_int(&f, "n", r->a.nrow);
        facts_int(&f, "nnz", r->a.nnz);
        facts_int(&f, "nrhs", r->nrhs);
        facts_bool(&f, "transposed", q->transposed);
        if (is_complex(r)) facts_bool(&f, "conjugate", q->conjugate);
    }
    if (r->backward_error >= 0 || status >= 0) {
        report_program(&f, r);
        facts_int(&f, "repivots", r->statistics.repivots);
        facts_int(&f, "refinement_steps", r->statistics.refinement_steps);
        facts_real(&f, "backward_error", r->backward_error);
        facts_real(&f, "residual", r->residual);
        if (r->has_condition) condition_report(&f, &r->condition);
        report_times(&f, r);
    }
    facts_text(&f, "output", r->written ? q->output : NULL);
    facts_end(&f);
}

static int run(const args_command *command, const solve_request *q)
{
    solve_run r = {.backward_error = -1, .residual = -1, .statistics = {.size = sizeof r.statistics}};
    int code = load_prepare(command, &q->load, &r.setup);
    if (code == ARGS_RUN) {
        warplu_status status = read_files(q, &r);
        if (status >= 0) status = solve_system(q, &r);
        if (status >= 0 && q->condition) {
            warplu_status asked = ask_condition(q, &r);
            if (asked < 0 && status != WARPLU_INACCURATE) status = asked;
        }
        if (r.solver != NULL) warplu_get_statistics(r.solver, &r.statistics);
        int right = status >= 0 && status != WARPLU_INACCURATE;
        if (q->output != NULL && (right || (status == WARPLU_INACCURATE && q->force))) {
            warplu_status written = write_solution(q, &r);
            if (written < 0) status = written;
        }
        report(q, &r, status);
        code = right && status >= 0 ? CMD_OK : CMD_ERROR;
    }
    warplu_destroy(&r.solver);
    if (r.a.ptr != NULL) warplu_mm_free(&r.a);
    wlu_free(&r.setup.ctx, r.b);
    wlu_free(&r.setup.ctx, r.x);
    load_free(&r.setup);
    return code;
}

int cmd_solve(int argc, char **argv)
{
    solve_request q = {0};
    int first;
    load_request_init(&q.load);
    q.load.expected_refactors = 0.0; /* one factorization */
    q.load.check = WARPLU_CHECK_ALWAYS;
    const args_option options[] = {
        {.name = "rhs",
         .letter = 'b',
         .type = ARGS_TEXT,
         .out = &q.rhs,
         .value = "PATH",
         .help = "right-hand sides, one a column (ones)"},
        {.name = "output",
         .letter = 'o',
         .type = ARGS_TEXT,
         .out = &q.output,
         .value = "PATH",
         .help = "write x there, all digits; .gz compresses, - is\nstandard output (not written)"},
        {.name = "transposed", .type = ARGS_FLAG, .out = &q.transposed, .help = "solve A' x = b"},
        {.name = "conjugate-transposed", .type = ARGS_FLAG, .out = &q.conjugate, .help = "solve A^H x = b"},
        {.name = "save",
         .type = ARGS_TEXT,
         .out = &q.save,
         .value = "PATH",
         .help = "keep analysis and pivots in a file"},
        {.name = "program", .type = ARGS_FLAG, .out = &q.program, .help = "with --save: the compiled program, too"},
        {.name = "restore",
         .type = ARGS_TEXT,
         .out = &q.restore,
         .value = "PATH",
         .help = "take them from one, of a matrix with this pattern"},
        {.name = "force", .type = ARGS_FLAG, .out = &q.force, .help = "write x even if it is not accurate"},
        {.name = "condition",
         .type = ARGS_FLAG,
         .out = &q.condition,
         .help = "report condition numbers, a bound of the error of x,\ngrowth, determinant and weak pivots"},
        LOAD_VALUES_OPTION(q.load),
        LOAD_SOLVER_OPTIONS(q.load),
        LOAD_CHECK_OPTION(q.load, "always"),
        LOAD_EXECUTOR_OPTION(q.load),
        {.name = "json", .type = ARGS_FLAG, .out = &q.as_json, .help = "report as JSON"},
        {.name = NULL},
    };
    const args_command command = {
        .name = "solve",
        .usage = "A.mtx [OPTION]...",
        .about = "Solves A x = b. Files are Matrix Market, plain or gzip-compressed; - is standard input.\n"
                 "Exit status 0 means the answer is right: its componentwise backward error is at most 1e-10\n"
                 "(1e-4 in single precision).\n",
        .options = options,
        .min_operands = 1,
        .max_operands = 1,
        .operand = "a matrix"};
    int code = args_parse(&command, argc, argv, &first);
    if (code != ARGS_RUN) return code;
    q.matrix = argv[first];
    q.transposed |= q.conjugate;
    if (q.rhs != NULL && strcmp(q.rhs, "-") == 0 && strcmp(q.matrix, "-") == 0)
        return args_usage(&command, "the matrix and --rhs cannot both be standard input");
    return run(&command, &q);
}
