/* Coefficients of methods, as published. tests/model/test_step_orders.c checks their conditions of order. */
#ifndef WLU_MODEL_METHOD_TABLEAU_H
#define WLU_MODEL_METHOD_TABLEAU_H

#include <stddef.h>

enum { WLM_STAGES_MOST = 7 };

/* k_i = f(t + c_i h, y + h sum_j a_ij k_j); y + h sum b_i k_i, error h sum e_i k_i. */
typedef struct wlm_explicit {
    int stages, order, lower; /* lower: order of the embedded method; 0: it has no error estimate */
    int repeats;              /* 1: the last stage is the first stage of the next step */
    double a[WLM_STAGES_MOST][WLM_STAGES_MOST], b[WLM_STAGES_MOST], c[WLM_STAGES_MOST], e[WLM_STAGES_MOST];
} wlm_explicit;

/* The ways in which implicit methods estimate the error of a step, in charges. */
typedef enum wlm_error {
    WLM_ERROR_OF_ENDS,   /* f at both ends: h / 2 (f1 - f0) */
    WLM_ERROR_OF_STEPS,  /* h^3 / 12 by the second divided difference of f; behind a jump OF_ENDS */
    WLM_ERROR_OF_STAGES, /* both stages: by h (f0 / over_0 - f1 / over_1 + f2 / over_2) */
} wlm_error;

/* An implicit method in charges, by Newton's iterations: q1 - share h f1 = q0 + weight h f0 at t + time h; then, where
 * there are two stages, q2 - share h f2 = q1 + of_start (q1 - q0) at t + h, with the same matrix. */
typedef struct wlm_implicit {
    int stages, order;
    int forgets; /* 1: an error at the beginning of a step leaves nothing at its end */
    double share, weight, time, of_start;
    wlm_error error;
    double by, over[3];
} wlm_implicit;

/* A Rosenbrock method, in the form without products by J (Hairer and Wanner 1996, IV.7, (7.25)):
 * (M / (h gamma) - J) u_i = f(t + alpha_i h, y + sum_j a_ij u_j) + M sum_j c_ij u_j / h + gamma_i h df/dt;
 * y + sum m_i u_i, error sum e_i u_i. */
typedef struct wlm_rosenbrock {
    int stages, order, lower;
    double gamma;
    double a[WLM_STAGES_MOST][WLM_STAGES_MOST], c[WLM_STAGES_MOST][WLM_STAGES_MOST];
    double m[WLM_STAGES_MOST], e[WLM_STAGES_MOST], alpha[WLM_STAGES_MOST], sum[WLM_STAGES_MOST];
} wlm_rosenbrock;

/* Euler's. */
extern const wlm_explicit wlm_tableau_euler;
/* Kutta's of 1901. */
extern const wlm_explicit wlm_tableau_rk4;
/* Dormand and Prince, A family of embedded Runge-Kutta formulae, J. Comput. Appl. Math. 6 (1980): 5(4), 7 stages. */
extern const wlm_explicit wlm_tableau_dormand_prince;
/* Bogacki and Shampine, A 3(2) pair of Runge-Kutta formulas, Appl. Math. Lett. 2 (1989): 4 stages. */
extern const wlm_explicit wlm_tableau_bogacki_shampine;
/* Shu and Osher, Efficient implementation of essentially non-oscillatory shock-capturing schemes, J. Comput. Phys. 77
 * (1988): averages of steps of Euler's method, so that what no such step lets grow, as the total variation, these do
 * not either (Gottlieb, Shu and Tadmor, Strong stability-preserving high-order time discretization methods, SIAM Rev.
 * 43, 2001). */
extern const wlm_explicit wlm_tableau_ssp_rk2, wlm_tableau_ssp_rk3;
/* Backward Euler and the trapezoidal rule, in charges. */
extern const wlm_implicit wlm_tableau_backward_euler, wlm_tableau_trapezoidal;
/* A trapezoidal step to g h, then BDF2, with g = 2 - sqrt 2, so that both have the same matrix (Bank et al., Transient
 * simulation of silicon devices and circuits, 1985); error by the divided difference of f at its three points (Hosea
 * and Shampine, Analysis and implementation of TR-BDF2, 1996). The large engine has the same method in rates:
 * src/model/system/implicit.c. */
extern const wlm_implicit wlm_tableau_tr_bdf2;
/* Sandu et al., Benchmarking stiff ODE solvers for atmospheric chemistry problems II, Atmos. Environ. 31 (1997): 3(2),
 * L-stable, stiffly accurate. */
extern const wlm_rosenbrock wlm_tableau_rodas3;
/* Hairer and Wanner, Solving Ordinary Differential Equations II (1996), VI.4: 4(3), L-stable, stiffly accurate, for
 * equations of index 1. */
extern const wlm_rosenbrock wlm_tableau_rodas4;

/* Returns 1 where its error needs the rates of the step before; 0 of NULL. */
static inline int wlm_implicit_looks_back(const wlm_implicit *method)
{
    return method != NULL && method->error == WLM_ERROR_OF_STEPS;
}

#endif
