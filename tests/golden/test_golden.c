/* Disassemblies of tiny matrices against committed texts, so that a change of the program shows in review.
 *
 *     test_golden            compares with NAME.txt beside this file
 *     test_golden --update   rewrites them */
#include "check.h"

#include "program/disasm.h"
#include "support/build.h"
#include "support/golden.h"
#include "support/options.h"

#include <string.h>

typedef struct golden {
    const char *name;
    int32_t n;
    double dense[36]; /* by columns */
    int btf;
    test_region region;
} golden;

static const golden cases[] = {
    {"dense3", 3, {4, 1, 1, 1, 4, 1, 1, 1, 4}, 0, TEST_ALL_DOT},
    {"arrow5", 5, {4, 0, 0, 0, 1, 0, 4, 0, 0, 1, 0, 0, 4, 0, 1, 0, 0, 0, 4, 1, 1, 1, 1, 1, 8}, 0, TEST_ALL_DOT},
    /* blocks {0, 1}, {2}, {3, 4} with entries above them, rows scaled by different powers of two */
    {"blocks5", 5, {4, 1, 0, 0, 0, 1, 4, 0, 0, 0, 2, 0, 16, 0, 0, 0, 2, 1, 4, 1, 1, 0, 0, 1, 4}, 1, TEST_ALL_DOT},
    {"tile4", 4, {4, 1, 0, 1, 1, 4, 1, 0, 0, 1, 4, 1, 1, 0, 1, 4}, 0, TEST_ALL_TILE},
};
static const golden *current;
static int update;

/* The disassembly as a string; the caller frees it. */
static char *disassemble(const golden *g)
{
    warplu_options o;
    test_matrix m;
    test_build b;
    char *text = NULL;
    size_t length = 0;
    wlu_cost cost = test_region_cost(g->region);
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.btf = g->btf;
    test_matrix_from_dense(&m, g->n, g->dense);
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
    CHECK(b.pivots != NULL && test_build_program(&b, &cost) == WARPLU_SUCCESS);
    FILE *file = open_memstream(&text, &length);
    CHECK(file != NULL);
    if (file != NULL && b.program != NULL)
        CHECK(wlu_program_disassemble(&b.ctx, b.program, b.pivots, file) == WARPLU_SUCCESS);
    if (file != NULL) fclose(file);
    test_build_free(&b);
    test_matrix_free(&m);
    return text;
}

static void disassembly(void)
{
    char *found = disassemble(current);
    golden_compare(WLU_GOLDEN_DIR, current->name, found, update);
    free(found);
}

int main(int argc, char **argv)
{
    update = argc > 1 && strcmp(argv[1], "--update") == 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        current = &cases[k];
        check_run(current->name, disassembly);
    }
    return check_done();
}
