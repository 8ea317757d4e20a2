/* What images and states of all executors begin with, and what executors do alike. For executors alone: others go by
 * the functions of exec.h. */
#ifndef WLU_EXEC_STATE_H
#define WLU_EXEC_STATE_H

#include "exec/exec.h"

struct wlu_image {
    wlu_target target;
    const wlu_program *program;
    int64_t bytes[2];                    /* of the factorization, of solves */
    int transposed;                      /* the transposed solve is packed */
    struct wlu_refining_image *refining; /* where the host refines (refined.c), else NULL */
};

struct wlu_state {
    const wlu_image *image;
    int32_t count;
    wlu_health *health; /* count */
    wlu_refined refined;
    int64_t bytes;
    double *answers;               /* wlu_state_answers; NULL until then */
    struct wlu_refining *refining; /* where the host refines, else NULL */
    int polls;                     /* the refactorization asks the caller whether to go on, if the executor does so */
};

/* Doubles that loads read: the caller's values, or sums of duplicates. */
static inline int64_t wlu_entries_of(const wlu_program *p)
{
    return p->doubles * (int64_t)(p->gather != NULL ? p->gather->nnz : p->nvalues);
}

/* WARPLU_NOT_COMPILED unless count is 1: of executors that do with one member. */
warplu_status wlu_state_single_member(wlu_context *ctx, const wlu_image *image, int32_t count);

/* The health that a refactorization begins with. */
wlu_health wlu_health_at_first(void);
/* What loads read of the values: these, or where the pattern has duplicates their sums, in `gathered`. */
const double *wlu_gather_values(const wlu_program *p, const double *values, double *gathered);

#endif
