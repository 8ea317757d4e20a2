/* Tables of any shape, which tests of programs and of executors read. */
#ifndef WLU_TEST_MODEL_SOME_TABLES_H
#define WLU_TEST_MODEL_SOME_TABLES_H

#include "model/graph/table.h"

static const double some_knots[] = {-3.25, -1.0, -0.0, 1.5e-5, 0.5, 1.0, 2.0, 2.5, 10.0, 745.5, 0x1p52, 1e22};
static const double some_pieces[] = {
    -3.25, 1.0,      0.0,  0.0,     0.0,   -3.25, 1.0,    -0.5,   0.25,  1e-3,  -1.0,    2.5,    -1.0, 0.0,
    0.3,   0.0,      -0.0, 2.0,     -1e4,  0.0,   1.5e-5, 0.7,    3.0,   -2.0,  0.1,     0.5,    0.1,  0.2,
    0.3,   0.4,      1.0,  NAN,     NAN,   NAN,   NAN,    2.0,    -5.0,  1e300, 0.0,     1e-300, 2.5,  1.0,
    -1.0,  1.0,      -1.0, 10.,     1e308, -1.0,  0.0,    5e-324, 745.5, 0.25,  0x1p-60, 0.0,    0.0,  1.0,
    0.0,   INFINITY, 1.0,  0x1p-52, 7.0,   1e22,  8.0,    9.0,    10.0,  11.,
};
static const wlm_table some_tables[] = {
    {.name = "cubic", .knots = 12, .terms = 4, .knot = some_knots, .piece = some_pieces},
    {.name = "linear", .knots = 7, .terms = 2, .knot = some_knots + 1, .piece = some_pieces + 2},
    {.name = "one", .knots = 1, .terms = 1, .knot = some_knots + 4, .piece = some_pieces + 6},
    {.name = "two", .knots = 2, .terms = 3, .knot = some_knots + 5, .piece = some_pieces + 1},
};
enum { SOME_TABLES = sizeof some_tables / sizeof *some_tables };
static const wlm_table *const some_table[SOME_TABLES] = {&some_tables[0], &some_tables[1], &some_tables[2],
                                                         &some_tables[3]};

#endif
