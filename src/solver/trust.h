/* From what is found to what is done, the same for host and device: a success is never called one that is none.
 *
 * Numerics judges replays (numerics/verdict.h) and measures errors; here alone it is decided what follows, from that,
 * the options check and weak, the solves so far and what has been tried. docs/numerics.md has the rules. */
#ifndef WLU_SOLVER_TRUST_H
#define WLU_SOLVER_TRUST_H

#include "solver/parts.h"

typedef enum wlu_action {
    WLU_ACCEPT,           /* it serves */
    WLU_CHECK,            /* it serves where a check says so: of a replay each solve by it, of a solve itself */
    WLU_REFINE,           /* corrections by residuals */
    WLU_TRY_EARLIER,      /* earlier pivots replay the values */
    WLU_TRY_KNOWN_SYSTEM, /* the factors at hand have to solve one */
    WLU_PIVOT_AGAIN,
    WLU_REPORT_WEAK, /* the statuses of these names */
    WLU_REPORT_UNCHECKED,
    WLU_REPORT_INACCURATE,
    WLU_REPORT_NOT_FINITE
} wlu_action;

/* The subject of a finding. */
typedef enum wlu_subject {
    WLU_A_REPLAY,        /* verdict */
    WLU_A_SOLVE,         /* that is about to begin */
    WLU_AN_ANSWER,       /* that is not checked: x, largest, zero */
    WLU_A_RESIDUAL,      /* of a checked answer: error */
    WLU_A_CHECK,         /* a checked answer, refined where that helps: error, keeps_promise, b_finite */
    WLU_A_REFINED_SOLVE, /* by an executor that refines, on the host or on a device: keeps_promise */
    WLU_AN_UNSEEN_SOLVE  /* on a device since the replay, which refines none, or has withheld them */
} wlu_subject;

typedef struct wlu_finding {
    wlu_subject subject;
    int transposed;
    unsigned tried;      /* actions so far: 1 << action */
    wlu_verdict verdict; /* of numerics, bounds aside; of earlier pivots once these have taken over */
    int has_values;      /* the host has the replay's values */
    const double *x;
    double largest; /* magnitude of x; infinity or NaN if it is not finite */
    int zero;       /* b is */
    int b_finite;
    double error; /* componentwise backward error */
    int keeps_promise;
} wlu_finding;

/* The one place where a finding becomes an action. May look at the bounds of all solves, O(nnz) once a replay. */
wlu_action wlu_trust_choose(warplu_solver *s, const wlu_finding *finding);

/* The replay at hand is judged, and replaced or reported where it does not serve. values: of the replay, on the host,
 * or NULL. verdict: of numerics (healthy where nothing is to be checked). WARPLU_SUCCESS, WARPLU_REPIVOTED,
 * WARPLU_WEAK, WARPLU_NOT_FINITE, what pivoting fails with, what a device answers. */
warplu_status wlu_trust_judge_replay(warplu_solver *s, const double *values, wlu_verdict *verdict);

/* Whether a program answers whose executor has refined what it answered to the host. */
int wlu_trust_is_refined(const warplu_solver *s);
/* Whether a solve on the host may turn out to want a check once its x is there: b stays at hand until then. */
int wlu_trust_may_check(const warplu_solver *s);
/* Whether a device keeps solutions back that a weak replay gives: the replay would be mended, which takes the host. */
int wlu_trust_withholds(const warplu_solver *s);
/* Corrections that a checked solve may take, and the backward error that ends them. */
int32_t wlu_trust_refinement_steps(const warplu_solver *s);
double wlu_trust_aim(const warplu_solver *s);
/* Keeps the values if a solve is going to be checked against them. */
void wlu_trust_keep_values(warplu_solver *s, const double *values);

#endif
