/* Random numbers, comparison and timing of kernels. See kernel_run.h. */
#include "kernel_run.h"

#include "base/clock.h"
#include "check.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double sign(kernel_run *r, double x)
{
    return check_random(&r->seed) >> 63 ? -x : x;
}

/* A magnitude in [2^e, 2^(e+1)), e drawn from the range. */
static double magnitude(kernel_run *r, int least, int most)
{
    return ldexp(1.0 + check_uniform(&r->seed), least + check_below(&r->seed, most - least + 1));
}

static double special(kernel_run *r)
{
    static const double list[] = {0.0, INFINITY, NAN, DBL_MAX, DBL_MIN, 0x1p-1074, 1.0, 0x1p511, 0x1p-511, 0x1.8p-1023};
    return list[check_below(&r->seed, (int32_t)(sizeof list / sizeof *list))];
}

double kernel_number(kernel_run *r)
{
    switch (r->numbers) {
    case KERNEL_ORDINARY: return sign(r, magnitude(r, -1, -1));
    case KERNEL_WIDE: return sign(r, magnitude(r, -1074, 1023));
    case KERNEL_TINY: return sign(r, magnitude(r, -540, -500));
    case KERNEL_LARGE: return sign(r, magnitude(r, 505, 512));
    case KERNEL_WHOLE: return sign(r, check_below(&r->seed, 4));
    case KERNEL_ZEROS: return sign(r, check_below(&r->seed, 64) > 0 ? 0.0 : 1.0);
    case KERNEL_VANISH: return sign(r, check_below(&r->seed, 4) > 0 ? 0x1p-600 : 0.0);
    case KERNEL_SPECIAL: return sign(r, check_below(&r->seed, 12) == 0 ? special(r) : magnitude(r, -2, 1));
    case KERNEL_NUMBERS: break;
    }
    return NAN;
}

void kernel_fill(kernel_run *r, double *x, int64_t count)
{
    for (int64_t k = 0; k < count; k++) x[k] = kernel_number(r);
}

double kernel_power(kernel_run *r)
{
    int32_t kind = check_below(&r->seed, 8);
    int32_t exponent = kind > 0 || r->bench ? check_below(&r->seed, 41) - 20 : check_below(&r->seed, 2050) - 1026;
    return ldexp(1.0, exponent);
}

int64_t kernel_below(kernel_run *r, int64_t n)
{
    return (int64_t)(check_random(&r->seed) % (uint64_t)n);
}

int64_t kernel_size(kernel_run *r, int64_t least, int64_t most, int64_t bench)
{
    return r->bench ? bench : least + kernel_below(r, most - least + 1);
}

void kernel_shuffle(kernel_run *r, int32_t *place, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        int64_t other = kernel_below(r, k + 1);
        place[k] = place[other];
        place[other] = (int32_t)k;
    }
}

int kernel_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

void kernel_expect(kernel_run *r, const char *what, const double *got, const double *want, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        if (kernel_same(got[k], want[k])) continue;
        if (r->failures++ < 4) printf("# %s: %s %lld is %a, not %a\n", r->name, what, (long long)k, got[k], want[k]);
    }
}

void *kernel_allocate(size_t bytes)
{
    void *block = malloc(bytes > 0 ? bytes : 1);
    if (block == NULL) exit(EXIT_FAILURE);
    return block;
}

double *kernel_doubles(int64_t count)
{
    double *x = aligned_alloc(64, ((size_t)count * sizeof *x / 64 + 1) * 64);
    if (x == NULL) exit(EXIT_FAILURE);
    return x;
}

double kernel_tree(const double *a)
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

double kernel_chain(const double *v, double start, const int32_t *operand, int64_t n)
{
    double acc[8] = {0};
    if (n <= 16) {
        for (int64_t k = 0; k < n; k++) start = fma(-v[operand[2 * k]], v[operand[2 * k + 1]], start);
        return start;
    }
    for (int64_t k = 0; k < n; k++) acc[k % 8] = fma(v[operand[2 * k]], v[operand[2 * k + 1]], acc[k % 8]);
    for (int64_t k = n; k % 8 != 0; k++) acc[k % 8] = fma(0.0, 0.0, acc[k % 8]);
    return start - kernel_tree(acc);
}

double kernel_larger(double a, double b)
{
    if (isnan(a) || isnan(b)) return NAN;
    return fabs(b) > a ? fabs(b) : a;
}

/* A sample takes this long, so that the clock's steps do not show. */
enum { SAMPLE_NS = 50000, SAMPLES = 31 };

void kernel_time_begin(kernel_run *r, int64_t elements)
{
    r->elements = elements;
    r->calls = 0;
    r->samples = 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(kernel_run *r)
{
    qsort(r->sample, SAMPLES, sizeof *r->sample, ascending);
    double median = r->sample[SAMPLES / 2], spread = r->sample[3 * SAMPLES / 4] - r->sample[SAMPLES / 4];
    printf("%-28s %-9s %10.1f ns/call %8.3f ns/element, quartiles %4.1f %% apart\n", r->name, r->kernels->name, median,
           median / (double)r->elements, 100.0 * spread / median);
    fflush(stdout);
}

int kernel_time_more(kernel_run *r)
{
    int64_t now = wlu_now_ns(), ns = now - r->begin;
    if (r->calls == 0) {
        r->calls = 1;
    } else if (r->samples == 0 && ns < SAMPLE_NS) {
        r->calls *= 2;
    } else {
        if (r->samples < SAMPLES) r->sample[r->samples++] = (double)ns / (double)r->calls;
        if (r->samples == SAMPLES) {
            print_times(r);
            return 0;
        }
    }
    r->begin = wlu_now_ns();
    return 1;
}
