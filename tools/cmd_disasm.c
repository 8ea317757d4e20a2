/* warplu disasm: the compiled program of a matrix as text. */
#include "solver/solver.h"
#include "load.h"
#include "program/disasm.h"

#include <stdio.h>

static warplu_status disassemble(load_setup *setup, const char *path)
{
    warplu_mm_matrix a;
    warplu_solver *solver = NULL;
    setup->takes_complex = 1;
    warplu_status status = load_system(setup, path, &a);
    if (status < 0) return status;
    status = load_create(setup, &setup->options, &solver);
    if (status >= 0) status = warplu_analyze(solver, a.nrow, a.ptr, a.idx, a.values);
    if (status >= 0) status = load_factor(solver, a.values);
    if (status < 0)
        wlu_fail(&setup->ctx, status, "%s: %s", path,
                 solver != NULL ? warplu_get_message(solver) : warplu_status_text(status));
    else
        status = wlu_program_disassemble(&setup->ctx, wlu_solver_program(solver), wlu_solver_pivots(solver), stdout);
    warplu_destroy(&solver);
    warplu_mm_free(&a);
    return status;
}

int cmd_disasm(int argc, char **argv)
{
    load_request q;
    load_setup setup;
    int first;
    load_request_init(&q);
    const args_option options[] = {
        LOAD_VALUES_OPTION(q),
        LOAD_SOLVER_OPTIONS(q),
        {.name = NULL},
    };
    const args_command command = {
        .name = "disasm",
        .usage = "A.mtx [OPTION]...",
        .about = "Prints the program that refactorizations and solves of A replay. Slots have the names of what\n"
                 "they hold: d(k) pivot, r(k) reciprocal, l(i,j), u(i,j), f(i,j) in pivot positions, y(k), "
                 "x(k).\n",
        .options = options,
        .min_operands = 1,
        .max_operands = 1,
        .operand = "a matrix"};
    int code = args_parse(&command, argc, argv, &first);
    if (code != ARGS_RUN) return code;
    code = load_prepare(&command, &q, &setup);
    if (code == ARGS_RUN) code = disassemble(&setup, argv[first]) < 0 ? CMD_ERROR : CMD_OK;
    load_free(&setup);
    return code;
}
