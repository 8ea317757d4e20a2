/* What the subcommands that solve have in common: options of the solver, and reading matrices, right-hand
 * sides and orders from files. Every failure has been said on standard error when a function here returns. */
#ifndef WLU_LOAD_H
#define WLU_LOAD_H

#include <warplu/matrix_market.h>

#include "args.h"
#include "base/context.h"
#include "commands.h"

/* The options as given. Choices stand in the order of the public enums. */
typedef struct load_request {
    int ordering, scaling, matching, check, executor, strategy, precision, no_btf, unsplit;
    double pivot_tolerance, expected_refactors;
    const char *max_program_bytes, *max_factor_bytes, *row_order, *col_order, *values; /* NULL where not given */
} load_request;

/* What they amount to. */
typedef struct load_setup {
    wlu_context ctx;
    warplu_options options; /* points into the orders below */
    int takes_complex;      /* the subcommand computes with complex values: options.scalar says so once one is read */
    int turns;              /* real systems become complex: each value a is a (1 + i t), t in [-1, 1] by its place */
    int invent;             /* pattern files get values from seed */
    uint64_t seed;
    const char *order_path; /* of the column order */
    int32_t *row_order, *col_order;
    int32_t order_count; /* length of the orders */
} load_setup;

extern const char *const load_orderings[], *const load_scalings[], *const load_matchings[];
extern const char *const load_checks[], *const load_precisions[];
/* Names that the library has, and those of executors that a test has registered; filled in by load_request_init. */
enum { LOAD_NAMES = 15 };
/* What is expected where nothing is said: most subcommands look at programs, or time their replays. */
enum { LOAD_EXPECTED_REFACTORS = 1000 };
extern const char *load_executors[LOAD_NAMES + 1], *load_strategies[LOAD_NAMES + 1];
/* The number of that name. */
warplu_executor load_executor(int choice);

/* Lines of a table of args_option: the pattern's values, what analysis reads, what solves read. q: a
 * load_request. */
/* clang-format off */
#define LOAD_VALUES_OPTION(q) \
    {.name = "values", .type = ARGS_TEXT, .out = &(q).values, .value = "SEED", \
     .help = "invent well-conditioned values for a pattern file"}
#define LOAD_SOLVER_OPTIONS(q) \
    {.name = "ordering", .type = ARGS_CHOICE, .out = &(q).ordering, .choices = load_orderings, \
     .help = "fill-reducing order (auto: a race by predicted time)"}, \
    {.name = "col-order", .type = ARGS_TEXT, .out = &(q).col_order, .value = "PATH", \
     .help = "pivot columns in order: a Matrix Market integer array\nof 1 .. n (implies --ordering given)"}, \
    {.name = "row-order", .type = ARGS_TEXT, .out = &(q).row_order, .value = "PATH", \
     .help = "pivot rows in order, taken as they stand"}, \
    {.name = "scaling", .type = ARGS_CHOICE, .out = &(q).scaling, .choices = load_scalings, \
     .help = "row scales, rounded to powers of two (max)"}, \
    {.name = "matching", .type = ARGS_CHOICE, .out = &(q).matching, .choices = load_matchings, \
     .help = "match rows to columns by size, scale both (auto: where\nthe diagonal is weak)"}, \
    {.name = "no-btf", .type = ARGS_FLAG, .out = &(q).no_btf, \
     .help = "no block triangular form: one block"}, \
    {.name = "pivot-tolerance", .type = ARGS_REAL, .out = &(q).pivot_tolerance, .min = 0, .max = 1, \
     .value = "T", .help = "keep the diagonal down to T times the largest (0.001)"}, \
    {.name = "expected-refactors", .type = ARGS_REAL, .out = &(q).expected_refactors, \
     .min = 0, .max = 1e15, .value = "N", \
     .help = "refactorizations that pay for orders and compilation;\n" \
             "0: not known (solve, batch, bench --lifecycle: 0;\nelse 1000)"}, \
    {.name = "max-program-bytes", .type = ARGS_TEXT, .out = &(q).max_program_bytes, .value = "BYTES", \
     .help = "bound of the compiled program; suffix K, M or G (4G)"}, \
    {.name = "max-factor-bytes", .type = ARGS_TEXT, .out = &(q).max_factor_bytes, .value = "BYTES", \
     .help = "refuse factors of more, 12 bytes an entry (no limit)"}, \
    {.name = "unsplit", .type = ARGS_FLAG, .out = &(q).unsplit, \
     .help = "levels may mix opcodes: one vector a level"}, \
    {.name = "strategy", .type = ARGS_CHOICE, .out = &(q).strategy, .choices = load_strategies, \
     .help = "how the cuda executor goes about it (auto: flow)"}, \
    {.name = "precision", .type = ARGS_CHOICE, .out = &(q).precision, .choices = load_precisions, \
     .help = "of factors and solves (double); not of the cpu executor"}
#define LOAD_CHECK_OPTION(q, standard) \
    {.name = "check", .type = ARGS_CHOICE, .out = &(q).check, .choices = load_checks, \
     .help = "which solves are checked and refined (" standard ")"}
#define LOAD_EXECUTOR_OPTION(q) \
    {.name = "executor", .type = ARGS_CHOICE, .out = &(q).executor, .choices = load_executors, \
     .help = "what replays the program (auto: the CPU)"}
/* clang-format on */

void load_request_init(load_request *q);
/* ARGS_RUN, or the exit code to end with. load_free also takes what a failure leaves. */
int load_prepare(const args_command *command, const load_request *q, load_setup *out);
void load_free(load_setup *s);

/* A solver with these options, the setup's or a change of them. Its vectors may mix opcodes where --unsplit asks for
 * that, and its messages number rows and columns from 1, as files do: no options of the library's. Statuses as
 * warplu_create. */
warplu_status load_create(const load_setup *s, const warplu_options *options, warplu_solver **out);
/* Factors, and compiles the program whatever replays the options expect. Statuses as warplu_factor. */
warplu_status load_factor(warplu_solver *solver, const double *values);

/* A square system with values, ready to be solved. WARPLU_COMPLEX_UNSUPPORTED, WARPLU_NOT_SQUARE,
 * WARPLU_NO_VALUES, WARPLU_INVALID_ARGUMENT (a given order of another length), and those of warplu_mm_read. On
 * failure nothing is owned. */
warplu_status load_system(load_setup *s, const char *path, warplu_mm_matrix *out);
/* Doubles of a value: 2 of complex matrices, 1 of others. */
static inline int load_doubles(const warplu_mm_matrix *m)
{
    return m->typecode.field == WARPLU_MM_FIELD_COMPLEX ? 2 : 1;
}
/* Makes a system m, read from path, complex where a is, which was read from a_path. WARPLU_COMPLEX_UNSUPPORTED where m
 * is complex and a is not; WARPLU_OUT_OF_MEMORY. */
warplu_status load_as(load_setup *s, const char *path, const char *a_path, const warplu_mm_matrix *a,
                      warplu_mm_matrix *m);
/* Gives values to a pattern where --values asks for them; leaves everything else as it is. */
warplu_status load_invent(load_setup *s, warplu_mm_matrix *m);
/* A right-hand side for a, which was read from `matrix`: as many rows by *nrhs, column-major; array or coordinate file.
 * path NULL: one column of ones. Of a real and a complex one, matrix or right-hand side, the real one becomes complex.
 * *b is freed with wlu_free. */
warplu_status load_rhs(load_setup *s, const char *path, const char *matrix, warplu_mm_matrix *a, int32_t *nrhs,
                       double **b);

#endif
