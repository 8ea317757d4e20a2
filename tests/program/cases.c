/* See cases.h. */
#include "cases.h"

#include "check.h"

#include <stdlib.h>

void test_case_free(test_case *c)
{
    test_front_end_free(&c->f);
    free(c->values);
    free(c->input);
    free(c->expected);
}

static void open_case(test_case *c, int32_t n, int32_t nvalues, int32_t slots, const char *first, const char *second,
                      uint64_t *seed)
{
    *c = (test_case){.f = {.n = n,
                           .nvalues = nvalues,
                           .slots = slots,
                           .kind = {.stage = {first, second}, .name_slots = test_name_slots}}};
    c->values = malloc((size_t)nvalues * sizeof *c->values);
    c->input = malloc((size_t)n * sizeof *c->input);
    c->expected = calloc(2 * (size_t)n, sizeof *c->expected);
    for (int32_t k = 0; k < nvalues; k++) c->values[k] = check_uniform(seed) - 0.5;
    for (int32_t k = 0; k < n; k++) c->input[k] = check_uniform(seed) - 0.5;
    for (int32_t k = 0; k < nvalues; k++) test_emit(&c->f, 0, WLU_LOAD, k, k, 0);
    for (int stage = 1; stage <= 2; stage++)
        for (int32_t k = 0; k < n; k++) test_emit(&c->f, stage, WLU_LOAD, test_input_slot(&c->f, k), k, 0);
}

/* A chain takes its terms away. So an output is minus its chain: it begins from zero and ends with a factor of -1. */
static void begin_output(test_case *c, int stage, int32_t k)
{
    test_emit(&c->f, stage, WLU_MOVE, test_output_slot(&c->f, k), test_zero_slot(&c->f), 0);
}

static void end_output(test_case *c, int stage, int32_t k, int32_t minus_one)
{
    test_emit(&c->f, stage, WLU_MUL, test_output_slot(&c->f, k), minus_one, 0);
}

/* Of scale_output: the slot has the sign that its chain wants. */
enum { NO_SIGN = -1 };

/* Output k is slot v of the first stage times input k, in both second stages. */
static void scale_output(test_case *c, int32_t k, int32_t v, int32_t minus_one, double expected)
{
    for (int stage = 1; stage <= 2; stage++) {
        begin_output(c, stage, k);
        test_emit(&c->f, stage, WLU_MSUB, test_output_slot(&c->f, k), v, test_input_slot(&c->f, k));
        if (minus_one != NO_SIGN) end_output(c, stage, k, minus_one);
        c->expected[(stage - 1) * c->f.n + k] = expected * c->input[k];
    }
}

/* Entry k of A is value k; -1 is the value behind them. */
static void emit_product(test_case *c, int stage, const int32_t *to, const int32_t *from, int32_t count)
{
    for (int32_t i = 0; i < c->f.n; i++) begin_output(c, stage, i);
    for (int32_t k = 0; k < count; k++) {
        test_emit(&c->f, stage, WLU_MSUB, test_output_slot(&c->f, to[k]), k, test_input_slot(&c->f, from[k]));
        c->expected[(stage - 1) * c->f.n + to[k]] += c->values[k] * c->input[from[k]];
    }
    for (int32_t i = 0; i < c->f.n; i++) end_output(c, stage, i, count);
}

void test_product_case(test_case *c, int32_t n, uint64_t *seed)
{
    int32_t *row = malloc((size_t)n * (size_t)n * sizeof *row), *col = malloc((size_t)n * (size_t)n * sizeof *col);
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            if (i == n / 3 || j == n / 2 || check_below(seed, n) < 2) {
                row[count] = i;
                col[count++] = j;
            }
    open_case(c, n, count + 1, count + 1, "matrix", "product", seed);
    c->values[count] = -1.0;
    emit_product(c, 1, row, col, count);
    emit_product(c, 2, col, row, count);
    free(row);
    free(col);
}

/* Values: the coefficients from the highest on, the points, -1. p_k = c_k - (0 - p_(k-1) t), a chain each. */
void test_horner_case(test_case *c, int32_t n, int32_t degree, uint64_t *seed)
{
    int32_t points = degree + 1, minus_one = points + n, next = minus_one + 1;
    open_case(c, n, next, next + n * degree, "polynomial", "weights", seed);
    c->values[minus_one] = -1.0;
    for (int32_t i = 0; i < n; i++) {
        int32_t last = 0;
        double p = c->values[0];
        for (int32_t k = 1; k <= degree; k++) {
            test_emit(&c->f, 0, WLU_MOVE, next, test_zero_slot(&c->f), 0);
            test_emit(&c->f, 0, WLU_MSUB, next, last, points + i);
            test_emit(&c->f, 0, WLU_RSUB, next, k, 0);
            last = next++;
            p = c->values[k] + p * c->values[points + i];
        }
        scale_output(c, i, last, minus_one, p);
    }
}

/* Slot `to`: minus the squares of the values. */
static void subtract_squares(test_case *c, int32_t to)
{
    test_emit(&c->f, 0, WLU_MOVE, to, test_zero_slot(&c->f), 0);
    for (int32_t k = 0; k < c->f.nvalues; k++) test_emit(&c->f, 0, WLU_MSUB, to, k, k);
}

/* Values: a. The chain is -|a|^2, so that its reciprocal needs no other sign. */
void test_norm_case(test_case *c, int32_t n, int32_t length, uint64_t *seed)
{
    int32_t norm = length, reciprocal = length + 1, longer = length + 2, product = length + 3;
    double expected = 0.0;
    open_case(c, n, length, length + 7, "norm", "division", seed);
    for (int32_t k = 0; k < length; k++) expected += c->values[k] * c->values[k];
    subtract_squares(c, norm);
    test_emit(&c->f, 0, WLU_RCP, reciprocal, norm, 0);
    subtract_squares(c, longer);
    test_emit(&c->f, 0, WLU_RSUB, longer, 0, 0);
    test_emit(&c->f, 0, WLU_MOVE, product, norm, 0);
    test_emit(&c->f, 0, WLU_MUL, product, 0, 0);
    for (int32_t k = 1; k <= 3; k++) test_emit(&c->f, 0, WLU_RCP, product + k, k == 3 ? reciprocal : product, 0);
    for (int32_t i = 0; i < n; i++) scale_output(c, i, reciprocal, NO_SIGN, 1.0 / expected);
}
