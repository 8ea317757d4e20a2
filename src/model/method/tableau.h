/* Coefficients of methods, as published. tests/model/test_step_orders.c checks their conditions of order. */
#ifndef WLU_MODEL_METHOD_TABLEAU_H
#define WLU_MODEL_METHOD_TABLEAU_H

enum { WLM_STAGES_MOST = 7 };

/* k_i = f(t + c_i h, y + h sum_j a_ij k_j); y + h sum b_i k_i, error h sum e_i k_i. */
typedef struct wlm_explicit {
    int stages, order, lower; /* lower: order of what it is compared with; 0: it has no error estimate */
    double a[WLM_STAGES_MOST][WLM_STAGES_MOST], b[WLM_STAGES_MOST], c[WLM_STAGES_MOST], e[WLM_STAGES_MOST];
} wlm_explicit;

/* Without products by J (Hairer and Wanner 1996, IV.7, (7.25)):
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
/* Sandu et al., Benchmarking stiff ODE solvers for atmospheric chemistry problems II, Atmos. Environ. 31 (1997): 3(2),
 * L-stable, stiffly accurate. */
extern const wlm_rosenbrock wlm_tableau_rodas3;
/* Hairer and Wanner, Solving Ordinary Differential Equations II (1996), VI.4: 4(3), L-stable, stiffly accurate, for
 * equations of index 1. */
extern const wlm_rosenbrock wlm_tableau_rodas4;

#endif
