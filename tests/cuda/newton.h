/* A system of nonlinear equations whose Newton steps are a graph's replays: what one thread of the test's kernels does,
 * for device and host alike, so that the host can follow the device bit by bit.
 *
 *     f(x) = A x + c x^3 - s load = 0,    J(x) = A + 3 c diag(x^2)
 *
 * Stamping makes J and f of x; noting keeps what was solved for and takes the step. The load's size s is another one in
 * each step, and in some of them J is spoiled. A step that is none, or too long, begins again at 0. */
#ifndef WLU_TEST_NEWTON_H
#define WLU_TEST_NEWTON_H

#include <warplu/device.h>

#include "exec/device/lanes.h"
#include "exec/device/state.h"

enum { NEWTON_THREADS = 128, NEWTON_LOADS = 64, NEWTON_HARM_EVERY = 13 };

/* What is done to J: a row of zeros; diagonal entries that nearly vanish; a number that is none. */
typedef enum newton_harm { NEWTON_UNHARMED, NEWTON_ZEROS, NEWTON_SMALL, NEWTON_NAN, NEWTON_HARMS } newton_harm;

/* By rows; a is copied from the host in every step. */
typedef struct newton_system {
    const int32_t *ptr, *idx;
    const double *a, *load;
    double *x, *values, *f;               /* the iterate, J, f */
    const double *dx, *y;                 /* solutions of J dx = f and J' y = f */
    double *noted;                        /* of each step 2 n: dx, y */
    const wlu_device_health *record;      /* of the last replay: all of it, ... */
    const warplu_device_verdict *verdict; /* ... and what a caller's kernel may read */
    wlu_device_health *records;           /* of each step */
    warplu_device_verdict *verdicts;
    int32_t *step; /* the next step's number */
    int32_t n;
} newton_system;

WLU_PORTABLE newton_harm newton_harm_of(int32_t step)
{
    return step % NEWTON_HARM_EVERY != NEWTON_HARM_EVERY / 2
               ? NEWTON_UNHARMED
               : (newton_harm)(1 + step / NEWTON_HARM_EVERY % (NEWTON_HARMS - 1));
}

WLU_PORTABLE double newton_spoil(newton_harm harm, double value, int chosen, int diagonal)
{
    if (harm == NEWTON_ZEROS && chosen) return 0.0;
    if (harm == NEWTON_SMALL && diagonal) return WLU_MUL(value, 1e-14);
    if (harm == NEWTON_NAN && chosen) return wlu_double_of_bits(WLU_CANONICAL_NAN);
    return value;
}

/* Row i of J and f. */
WLU_PORTABLE void newton_stamp_row(const newton_system *s, int32_t step, int32_t i)
{
    const double CUBIC = 0.125;
    double x = s->x[i], square = WLU_MUL(x, x), size = WLU_MUL(1.0 + step * 37 % NEWTON_LOADS, 1.0 / NEWTON_LOADS);
    double f = WLU_FMA(-size, s->load[i], WLU_MUL(WLU_MUL(CUBIC, square), x));
    newton_harm harm = newton_harm_of(step);
    int found = 0;
    for (int32_t q = s->ptr[i]; q < s->ptr[i + 1]; q++) {
        double value = s->a[q];
        int diagonal = s->idx[q] == i;
        f = WLU_FMA(value, s->x[s->idx[q]], f);
        if (diagonal && !found) value = WLU_FMA(3 * CUBIC, square, value);
        found |= diagonal;
        s->values[q] = newton_spoil(harm, value, step % s->n == i, diagonal);
    }
    s->f[i] = f;
}

/* Entry i of the step, and where it leads. */
WLU_PORTABLE void newton_note_entry(const newton_system *s, int32_t step, int32_t i)
{
    const double LONGEST = 100.0;
    double dx = s->dx[i], *noted = s->noted + 2 * (int64_t)s->n * step;
    noted[i] = dx;
    noted[s->n + i] = s->y[i];
    s->x[i] = dx < LONGEST && dx > -LONGEST ? WLU_SUB(s->x[i], dx) : 0.0;
}

#endif
