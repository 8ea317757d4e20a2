/* A front end that knows no LU: lists of scalar records for both stages, made into a program by the compiler that LU
 * uses. Logical slots: those of the first stage, then zero, then n of the input and n of the output. */
#ifndef WLU_TEST_FRONT_END_H
#define WLU_TEST_FRONT_END_H

#include "program/compile_stream.h"
#include "support/records.h"

typedef struct test_front_end {
    int32_t n, nvalues, slots; /* length of input and output; values; slots of the first stage */
    test_records stage[3];     /* first, second, the second one's transposed */
    wlu_program_kind kind;
} test_front_end;

static inline int32_t test_zero_slot(const test_front_end *f)
{
    return f->slots;
}

static inline int32_t test_input_slot(const test_front_end *f, int32_t k)
{
    return f->slots + 1 + k;
}

static inline int32_t test_output_slot(const test_front_end *f, int32_t k)
{
    return f->slots + 1 + f->n + k;
}

static inline int32_t test_slots(const test_front_end *f)
{
    return f->slots + 1 + 2 * f->n;
}

/* Adds a record to a stage. */
void test_emit(test_front_end *f, int stage, wlu_opcode opcode, int32_t t, int32_t a, int32_t b);
/* *out is to be freed also after a failure. It points to the front end. */
warplu_status test_front_end_compile(wlu_context *ctx, const test_front_end *f, const wlu_cost *cost,
                                     wlu_program **out);
/* For the kind: v(k) of the first stage, y(k) the input, x(k) the output. */
void test_name_slots(const wlu_program *p, const void *naming, wlu_slot_name *names);
void test_front_end_free(test_front_end *f);

#endif
