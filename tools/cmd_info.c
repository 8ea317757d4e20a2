/* warplu info: what a matrix is, what the analysis makes of it, and what its compiled program holds.
 *
 * Everything that can be told is told: of rectangular and pattern files the structure, of a singular
 * matrix what was found before it failed, of one with far more columns than entries the sizes. That is success; only
 * files that cannot be read and failures of the program itself are errors. */
#include "condition.h"
#include "facts.h"
#include "info.h"
#include "matrix_file.h"

#include <stdio.h>

typedef struct info_request {
    load_request load;
    const char *matrix;
    int scalar, condition, as_json;
} info_request;

/* What the file declares. */
static void report_sizes(facts *f, const info_request *q, const warplu_mm_matrix *m, const char *typecode)
{
    facts_text(f, "matrix", q->matrix);
    facts_text(f, "typecode", typecode);
    facts_int(f, "rows", m->nrow);
    facts_int(f, "columns", m->ncol);
    if (m->nrow == m->ncol) facts_int(f, "n", m->nrow);
    facts_int(f, "stored", m->stored);
}

/* What was made of it. */
static void report_entries(facts *f, const warplu_mm_matrix *m)
{
    facts_int(f, "nnz", m->nnz);
    facts_int(f, "duplicates", m->duplicates);
    facts_int(f, "zeros", m->zeros);
}

static int on_device(const load_setup *setup)
{
    return setup->options.executor == WARPLU_EXECUTOR_CUDA;
}

static int is_complex(const warplu_mm_matrix *m)
{
    return m->typecode.field == WARPLU_MM_FIELD_COMPLEX;
}

/* Analysis, and pivots and program where there are values. WARPLU_NO_VALUES and WARPLU_COMPLEX_UNSUPPORTED
 * say why there are none. */
static warplu_status build(load_setup *setup, const warplu_mm_matrix *m, warplu_solver **solver)
{
    int unsupported = is_complex(m) && on_device(setup);
    const double *values = unsupported ? NULL : m->values;
    if (m->nrow != m->ncol) return WARPLU_NOT_SQUARE;
    if (is_complex(m) && !unsupported) setup->options.scalar = WARPLU_SCALAR_COMPLEX;
    warplu_status status =
        on_device(setup) ? info_plan_device(setup, solver) : load_create(setup, &setup->options, solver);
    if (status >= 0) status = warplu_analyze(*solver, m->nrow, m->ptr, m->idx, values);
    if (status < 0) return status;
    if (unsupported) return WARPLU_COMPLEX_UNSUPPORTED;
    if (values == NULL) return WARPLU_NO_VALUES;
    return load_factor(*solver, values);
}

/* Whether a status tells something about the matrix, and not about this run. */
static int is_a_fact(warplu_status status)
{
    return status >= 0 || status == WARPLU_NOT_SQUARE || status == WARPLU_COMPLEX_UNSUPPORTED ||
           status == WARPLU_NO_VALUES || status == WARPLU_STRUCTURALLY_SINGULAR || status == WARPLU_SINGULAR ||
           status == WARPLU_NOT_FINITE;
}

static warplu_status report(const info_request *q, load_setup *setup, warplu_mm_matrix *m, const char *typecode)
{
    facts f;
    warplu_solver *solver = NULL;
    warplu_status status = build(setup, m, &solver);
    warplu_statistics t = {.size = sizeof t};
    if (solver != NULL) warplu_get_statistics(solver, &t);
    const char *message = status < 0 && solver != NULL ? warplu_get_message(solver) : "";
    if (status < 0 && message[0] == '\0') message = warplu_status_text(status);
    facts_begin(&f, stdout, q->as_json);
    facts_text(&f, "version", warplu_version());
    report_sizes(&f, q, m, typecode);
    report_entries(&f, m);
    facts_text(&f, "status", warplu_status_name(status));
    if (status < 0) facts_text(&f, "message", message);
    if (t.candidates > 0) facts_text(&f, "ordering", load_orderings[t.ordering]);
    warplu_status structure = info_structure(&f, &setup->ctx, m, solver);
    if (t.candidates > 0) info_orderings(&f, solver);
    if (t.compiled && status >= 0) {
        info_pivots(&f, solver);
        info_program(&f, solver);
        warplu_status packed = on_device(setup) ? info_device_program(&f, &setup->ctx, solver) : WARPLU_SUCCESS;
        if (packed < 0) status = packed;
        warplu_status scalar = info_scalar(&f, &setup->ctx, solver, q->scalar);
        if (scalar < 0) status = scalar;
        condition_facts condition;
        warplu_status asked =
            q->condition ? condition_ask(solver, m->values, is_complex(m), &condition) : WARPLU_SUCCESS;
        if (q->condition && asked >= 0) condition_report(&f, &condition);
        if (asked < 0) status = asked;
    }
    if (on_device(setup)) info_device(&f);
    facts_end(&f);
    if (!is_a_fact(status)) cmd_say("%s: %s", q->matrix, message[0] != '\0' ? message : warplu_status_text(status));
    warplu_destroy(&solver);
    return structure < 0 ? structure : status;
}

/* Whether a file in order was not made a matrix because of the sizes it declares: a fact, too. */
static int is_of_sizes(warplu_status status)
{
    return status == WARPLU_STRUCTURALLY_SINGULAR || status == WARPLU_EMPTY_COLUMNS;
}

/* A file that is no matrix: its sizes, if those are why. Else an error, which is an object too, where JSON was asked
 * for. */
static void report_unread(const info_request *q, const load_setup *setup, const warplu_mm_matrix *m,
                          const char *typecode, warplu_status status)
{
    facts f;
    int sized = is_of_sizes(status);
    if (!sized) cmd_say("%s", setup->ctx.last_message);
    if (!sized && !q->as_json) return;
    facts_begin(&f, stdout, q->as_json);
    facts_text(&f, "version", warplu_version());
    if (sized)
        report_sizes(&f, q, m, typecode);
    else
        facts_text(&f, "matrix", q->matrix);
    facts_text(&f, "status", warplu_status_name(status));
    facts_text(&f, "message", setup->ctx.last_message);
    facts_end(&f);
}

/* Reads quietly: whether a failure is an error is for report_unread to say. */
static warplu_status read_matrix(load_setup *setup, const char *path, warplu_mm_matrix *m)
{
    warplu_message_fn message = setup->ctx.message;
    setup->ctx.message = NULL;
    warplu_status status = matrix_file_read(&setup->ctx, path, m);
    setup->ctx.message = message;
    return status;
}

static int run(const args_command *command, const info_request *q)
{
    load_setup setup;
    warplu_mm_matrix m;
    char typecode[WARPLU_MM_TYPECODE_BYTES];
    int code = load_prepare(command, &q->load, &setup);
    if (code == ARGS_RUN) {
        warplu_status status = read_matrix(&setup, q->matrix, &m);
        warplu_mm_print_typecode(&m.typecode, typecode);
        if (status >= 0) {
            status = load_invent(&setup, &m);
            if (status >= 0) status = report(q, &setup, &m, typecode);
            code = is_a_fact(status) ? CMD_OK : CMD_ERROR;
            warplu_mm_free(&m);
        } else {
            report_unread(q, &setup, &m, typecode, status);
            code = is_of_sizes(status) ? CMD_OK : CMD_ERROR;
        }
    }
    load_free(&setup);
    return code;
}

int cmd_info(int argc, char **argv)
{
    info_request q = {0};
    int first;
    load_request_init(&q.load);
    const args_option options[] = {
        LOAD_VALUES_OPTION(q.load),
        LOAD_SOLVER_OPTIONS(q.load),
        LOAD_EXECUTOR_OPTION(q.load),
        {.name = "scalar",
         .type = ARGS_FLAG,
         .out = &q.scalar,
         .help = "count the scalar program's levels however long it is\n(else up to 10^8 terms)"},
        {.name = "condition",
         .type = ARGS_FLAG,
         .out = &q.condition,
         .help = "report condition numbers, growth, determinant and\nweak pivots"},
        {.name = "json", .type = ARGS_FLAG, .out = &q.as_json, .help = "report as JSON"},
        {.name = NULL},
    };
    const args_command command = {
        .name = "info",
        .usage = "A.mtx [OPTION]...",
        .about = "Says what a matrix holds, how it is ordered, and what its compiled program is made of.\n"
                 "Complex, rectangular and pattern files are described as far as they can be.\n",
        .options = options,
        .min_operands = 1,
        .max_operands = 1,
        .operand = "a matrix"};
    int code = args_parse(&command, argc, argv, &first);
    if (code != ARGS_RUN) return code;
    q.matrix = argv[first];
    return run(&command, &q);
}
