/* The stiff problems of Mazzia and Magherini, Test Set for Initial Value Problem Solvers 2.4 (2008), as graphs. */
#ifndef WLU_TESTS_MODEL_STIFF_H
#define WLU_TESTS_MODEL_STIFF_H

#include "model/problems.h"

#define Y(i) wlm_input(at, 1 + (i))

static inline void robertson(problem *p)
{
    problem_begin(p, 3, 0, (double[]){1.0, 0.0, 0.0});
    wlm_node a = by(0.04, Y(0)), b = by(1e4, mul(Y(1), Y(2))), c = by(3e7, mul(Y(1), Y(1)));
    p->f[0] = sub(b, a);
    p->f[1] = sub(sub(a, b), c);
    p->f[2] = c;
}

/* The third equation is that the sum is 1. */
static inline void robertson_algebraic(problem *p)
{
    robertson(p);
    p->q[2] = WLM_NONE;
    p->f[2] = sub(add(add(Y(0), Y(1)), Y(2)), num(1.0));
}

static inline void hires(problem *p)
{
    problem_begin(p, 8, 0, (double[]){1.0, 0, 0, 0, 0, 0, 0, 0.0057});
    wlm_node s = by(280.0, mul(Y(5), Y(7)));
    wlm_node y[9] = {Y(0), Y(1), Y(2), Y(3), Y(4), Y(5), Y(6), Y(7), s};
    static const double a[8][9] = {{-1.71, 0.43, 8.32},
                                   {1.71, -8.75},
                                   {0, 0, -10.03, 0.43, 0.035},
                                   {0, 8.32, 1.71, -1.12},
                                   {0, 0, 0, 0, -1.745, 0.43, 0.43},
                                   {0, 0, 0, 0.69, 1.71, -0.43, 0.69, 0, -1.0},
                                   {0, 0, 0, 0, 0, 0, -1.81, 0, 1.0},
                                   {0, 0, 0, 0, 0, 0, 1.81, 0, -1.0}};
    for (int i = 0; i < 8; i++) {
        p->f[i] = num(i == 0 ? 0.0007 : 0.0);
        for (int k = 0; k < 9; k++)
            if (a[i][k] != 0.0) p->f[i] = add(p->f[i], by(a[i][k], y[k]));
    }
}

static inline void van_der_pol(problem *p, double mu)
{
    problem_begin(p, 2, 0, (double[]){2.0, 0.0});
    p->f[0] = Y(1);
    p->f[1] = by(mu * mu, sub(mul(sub(num(1.0), mul(Y(0), Y(0))), Y(1)), Y(0)));
}

/* Reactions: a rate, what takes part (0: nobody), then what each of the unknowns, from 1, has of it. */
static inline void pollution(problem *p)
{
    static const double rate[25] = {0.35,    26.6,   1.23e4, 8.6e-4, 8.2e-4, 1.5e4,  1.3e-4, 2.4e4,  1.65e4,
                                    9e3,     0.022,  1.2e4,  1.88,   1.63e4, 4.8e6,  3.5e-4, 0.0175, 1e8,
                                    4.44e11, 1240.0, 2.1,    5.78,   0.0474, 1780.0, 3.12};
    static const int of_two[25][2] = {{1},     {2, 4},  {5, 2},  {7},  {7},    {7, 6},  {9}, {9, 6}, {11, 2},
                                      {11, 1}, {13},    {10, 2}, {14}, {1, 6}, {3},     {4}, {4},    {16},
                                      {16},    {17, 6}, {19},    {19}, {1, 4}, {19, 1}, {20}};
    static const int row[20][12] = {{-1, -10, -14, -23, -24, 2, 3, 9, 11, 12, 22, 25},
                                    {-2, -3, -9, -12, 1, 21},
                                    {-15, 1, 17, 19, 22},
                                    {-2, -16, -17, -23, 15},
                                    {-3, 4, 4, 6, 7, 13, 20},
                                    {-6, -8, -14, -20, 3, 18, 18},
                                    {-4, -5, -6, 13},
                                    {4, 5, 6, 7},
                                    {-7, -8},
                                    {-12, 7, 9},
                                    {-9, -10, 8, 11},
                                    {9},
                                    {-11, 10},
                                    {-13, 12},
                                    {14},
                                    {-18, -19, 16},
                                    {-20},
                                    {20},
                                    {-21, -22, -24, 23, 25},
                                    {-25, 24}};
    double y0[20] = {0};
    y0[1] = 0.2, y0[3] = 0.04, y0[6] = 0.1, y0[7] = 0.3, y0[8] = 0.01, y0[16] = 0.007;
    problem_begin(p, 20, 0, y0);
    wlm_node r[25];
    for (int k = 0; k < 25; k++) {
        r[k] = by(rate[k], Y(of_two[k][0] - 1));
        if (of_two[k][1] != 0) r[k] = mul(r[k], Y(of_two[k][1] - 1));
    }
    for (int i = 0; i < 20; i++) {
        p->f[i] = num(0.0);
        for (int k = 0; k < 12 && row[i][k] != 0; k++)
            p->f[i] = row[i][k] > 0 ? add(p->f[i], r[row[i][k] - 1]) : sub(p->f[i], r[-row[i][k] - 1]);
    }
}

static inline wlm_node diode(wlm_node u)
{
    return by(40.67286402e-9, sub(of(WLM_EXP, by(17.7493332, u)), num(1.0)));
}

static inline void ring_modulator(problem *p)
{
    static const double zero[15];
    const double c = 1.6e-8, cs = 2e-12, cp = 1e-8, r = 25e3, lh = 4.45, ls1 = 2e-3, ls2 = 5e-4,
                 pi = 3.14159265358979323846;
    problem_begin(p, 15, 0, zero);
    wlm_node t = wlm_input(at, 0), in1 = by(0.5, of(WLM_SIN, by(2e3 * pi, t))),
             in2 = by(2.0, of(WLM_SIN, by(2e4 * pi, t)));
    wlm_node d1 = diode(sub(sub(sub(Y(2), Y(4)), Y(6)), in2)), d2 = diode(sub(sub(sub(Y(5), Y(3)), Y(6)), in2));
    wlm_node d3 = diode(add(add(add(Y(3), Y(4)), Y(6)), in2)), d4 = diode(add(sub(sub(Y(6), Y(2)), Y(5)), in2));
    for (int side = 0; side < 2; side++) {
        wlm_node halves = by(0.5, sub(Y(10 + 2 * side), Y(9 + 2 * side)));
        p->f[side] = by(1.0 / c, sub(add(add(Y(7 + side), halves), Y(13 + side)), by(1.0 / r, Y(side))));
        p->f[7 + side] = by(-1.0 / lh, Y(side));
        p->f[9 + 2 * side] = by(1.0 / ls2, sub(sub(by(0.5, Y(side)), Y(2 + 2 * side)), by(17.3, Y(9 + 2 * side))));
        p->f[10 + 2 * side] = by(1.0 / ls2, sub(sub(Y(3 + 2 * side), by(0.5, Y(side))), by(17.3, Y(10 + 2 * side))));
    }
    p->f[2] = by(1.0 / cs, add(sub(Y(9), d1), d4));
    p->f[3] = by(1.0 / cs, sub(sub(d2, Y(10)), d3));
    p->f[4] = by(1.0 / cs, sub(add(Y(11), d1), d3));
    p->f[5] = by(1.0 / cs, add(sub(neg(Y(12)), d2), d4));
    p->f[6] = by(1.0 / cp, sub(sub(add(by(-0.02, Y(6)), add(d1, d2)), d3), d4));
    p->f[13] = by(1.0 / ls1, sub(sub(in1, Y(0)), by(86.3, Y(13))));
    p->f[14] = by(-1.0 / ls1, add(Y(1), by(636.3, Y(14))));
}

#endif
