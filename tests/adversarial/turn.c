/* Imaginary parts. See turn.h. */
#include "turn.h"

#include "draw.h"

#include <math.h>

static const char *const names[TURNS] = {
    "like",         "phases",         "both parts",     "imaginary", "no imaginary part",
    "-0 imaginary", "tiny imaginary", "huge imaginary",
};

const char *turn_name(turn_kind kind)
{
    return names[kind];
}

turn turn_draw(uint64_t *seed)
{
    int32_t dice = check_below(seed, 2 * TURNS), k = 1 + check_below(seed, check_below(seed, 2) ? 18 : 300);
    turn t = {.kind = dice < TURNS ? (turn_kind)dice : dice % 2 ? TURN_LIKE : TURN_PHASES, .power = pow(10.0, -k)};
    t.seed = check_random(seed);
    return t;
}

/* In [-1, 1], by place. */
static double at_place(const turn *how, int64_t k)
{
    uint64_t bits = draw_seed(how->seed, k);
    return (double)(int64_t)(bits >> 11) * 0x1p-52 - 1.0;
}

static void put(double *to, double re, double im)
{
    to[0] = re;
    to[1] = im;
}

/* v (c + i s) of modulus v, for an angle's sine and cosine. */
static void put_turned(double *to, double v, double angle)
{
    put(to, v * cos(angle), v * sin(angle));
}

static void turn_number(const turn *how, double v, int64_t place, double angle, double *to)
{
    double t = at_place(how, place);
    if (!isfinite(v)) {
        put(to, t < 0.0 ? v : 1.0, t < 0.0 ? 1.0 : v);
        return;
    }
    switch (how->kind) {
    case TURN_PHASES: put_turned(to, v, angle); return;
    case TURN_BOTH: put(to, v, v); return;
    case TURN_IMAGINARY: put(to, 0.0, v); return;
    case TURN_NONE: put(to, v, 0.0); return;
    case TURN_MINUS_NONE: put(to, v, -0.0); return;
    case TURN_TINY: put(to, v, v * t * how->power); return;
    case TURN_HUGE: put(to, v * t * how->power, v); return;
    default: put(to, v, v * t);
    }
}

void turn_matrix(const turn *how, const test_matrix *m, double *to)
{
    const double pi = 3.14159265358979323846;
    for (int32_t j = 0; j < m->n; j++)
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
            double angle = pi * (at_place(how, m->idx[q]) + at_place(how, (int64_t)m->n + j));
            turn_number(how, m->x[q], q, angle, to + 2 * (int64_t)q);
        }
}

void turn_vector(const turn *how, const double *v, int32_t n, double *to)
{
    const double pi = 3.14159265358979323846;
    for (int32_t i = 0; i < n; i++) turn_number(how, v[i], i, pi * at_place(how, i), to + 2 * (int64_t)i);
}
