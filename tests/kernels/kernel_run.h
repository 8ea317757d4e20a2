/* One kernel under test: random numbers and shapes for it, bits compared with what plain loops compute, its time.
 *
 * A case is a function that draws a shape and numbers, states in plain loops what the kernel has to compute, runs the
 * kernel of the instruction set at hand and compares. The same function times it: where `bench` is set the shape is
 * fixed and large, and numbers are ordinary. See checkasm of dav1d, which joins test and benchmark in this way. */
#ifndef WLU_TEST_KERNEL_RUN_H
#define WLU_TEST_KERNEL_RUN_H

#include "exec/cpu/instruction_set.h"

#include <stddef.h>

/* Kinds of numbers, one for all of a round. */
typedef enum kernel_numbers {
    KERNEL_ORDINARY, /* magnitudes in [1/2, 1) */
    KERNEL_WIDE,     /* any exponent, denormals among them */
    KERNEL_TINY,     /* products and sums are near the least normal number */
    KERNEL_LARGE,    /* products and sums are near the largest number */
    KERNEL_WHOLE,    /* small whole numbers and zeros of both signs: sums cancel */
    KERNEL_ZEROS,    /* zeros of both signs, few others */
    KERNEL_VANISH,   /* every product is below the least number: zeros of its sign */
    KERNEL_SPECIAL,  /* ordinary, with infinities, NaN, zeros and ends of the range among them */
    KERNEL_NUMBERS
} kernel_numbers;

typedef struct kernel_run {
    wlu_instruction_set set;
    const wlu_cpu_kernels *kernels;
    const char *name; /* of the case */
    uint64_t seed;    /* state of the random numbers */
    kernel_numbers numbers;
    int failures; /* of this case */
    int bench;
    /* timing: */
    int64_t calls, begin, elements; /* calls in a sample */
    int samples;
    double sample[32]; /* ns a call */
} kernel_run;

/* variant: what the case's function is given. */
typedef struct kernel_case {
    const char *name;
    void (*run)(kernel_run *r, const void *variant);
    const void *variant;
} kernel_case;

typedef struct kernel_cases {
    const kernel_case *of;
    size_t count;
} kernel_cases;

#define KERNEL_CASES(array) ((kernel_cases){(array), sizeof(array) / sizeof *(array)})

/* A number of the round's kind. */
double kernel_number(kernel_run *r);
void kernel_fill(kernel_run *r, double *x, int64_t count);
/* A power of two that a load may scale by: mostly near 1, sometimes at the ends of what 16 bits hold. */
double kernel_power(kernel_run *r);
/* In [0, n). */
int64_t kernel_below(kernel_run *r, int64_t n);
/* In [least, most], or `bench` where the kernel is timed. */
int64_t kernel_size(kernel_run *r, int64_t least, int64_t most, int64_t bench);
/* A random permutation of 0 .. count - 1. */
void kernel_shuffle(kernel_run *r, int32_t *place, int64_t count);

/* Equal bits, or both NaN. */
int kernel_same(double a, double b);
/* Says where got differs from want. */
void kernel_expect(kernel_run *r, const char *what, const double *got, const double *want, int64_t count);

/* Allocates count numbers at a line of the cache; freed with free(). Exits where there is no memory. */
double *kernel_doubles(int64_t count);
void *kernel_allocate(size_t bytes);

/* Rule 3 of docs/instruction-set.md: `start` less the sum of n products v[a] * v[b]. */
double kernel_chain(const double *v, double start, const int32_t *operand, int64_t n);
/* ((0+4)+(2+6)) + ((1+5)+(3+7)). */
double kernel_tree(const double *a);
/* The larger magnitude by bits: NaN beats infinity beats every number. */
double kernel_larger(double a, double b);

/* Times `statement`, which handles so many elements, where the run is a benchmark. */
#define KERNEL_TIME(r, count, statement) \
    do { \
        if (!(r)->bench) break; \
        kernel_time_begin((r), (count)); \
        while (kernel_time_more(r)) \
            for (int64_t call = 0; call < (r)->calls; call++) { \
                statement; \
            } \
    } while (0)

void kernel_time_begin(kernel_run *r, int64_t elements);
/* Notes the calls since the last question; prints the result and answers 0 when there are enough. */
int kernel_time_more(kernel_run *r);

/* Groups of cases. */
kernel_cases kernel_primitive_cases(void);
kernel_cases kernel_stream_cases(void);
kernel_cases kernel_tile_cases(void);
kernel_cases kernel_solve_cases(void);
kernel_cases kernel_many_cases(void);
kernel_cases kernel_guard_cases(void);

/* The maximum of an area with one more number. */
static inline void kernel_raise(wlu_maxima *m, wlu_area area, double x)
{
    m->of[area] = wlu_bits_of_double(kernel_larger(wlu_maximum(m, area), x));
}

#endif
