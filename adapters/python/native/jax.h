/* What the files behind warplu.jax share: a call of XLA once it is read (jax.c), and what answers it on a CPU
 * (jax_cpu.c) and on an NVIDIA GPU (jax_cuda.c, jax_kept.c). XLA calls on threads of its own, without the GIL, so that
 * nobody asks Python whether to stop. */
#ifndef WPY_JAX_H
#define WPY_JAX_H

#include "wpy.h"

#include "xla.h"

enum { WPY_PTR, WPY_IDX, WPY_VALUES, WPY_RHS, WPY_ARGUMENTS };
enum { WPY_MOST_RANK = 16 };

/* X = A^-1 B for values and right-hand sides with any leading dimensions, which are broadcast against each other.
 * members: leading places of X; a place's values and right-hand side begin at multiples of nnz and n, which strides
 * tell. */
typedef struct wpy_jax_call {
    const xla_buffer *a[WPY_ARGUMENTS];
    const xla_buffer *x;
    int64_t n, nnz, members, doubles;
    int rank; /* of the leading dimensions */
    int64_t value_strides[WPY_MOST_RANK], rhs_strides[WPY_MOST_RANK];
    int storage, trans;
    int64_t key[2]; /* the pattern's digest of 128 bits, where it was known when the call was traced; or 0 and 0 */
    int nan;        /* 1: what has no answer that keeps the promise becomes NaN; 0: it ends the call */
    void *stream;
    int device; /* its number; -1: that of the current context */
} wpy_jax_call;

/* Where a member's numbers begin. */
const double *wpy_jax_values(const wpy_jax_call *c, int64_t member);
const double *wpy_jax_rhs(const wpy_jax_call *c, int64_t member);
double *wpy_jax_x(const wpy_jax_call *c, int64_t member);

/* The options of the call's solvers: defaults but for kind, storage and device. */
void wpy_jax_options(const wpy_jax_call *c, warplu_options *options);
/* A solver from the process' cache for a pattern on the host; values: NULL, or those to analyze by. */
warplu_status wpy_jax_open(const wpy_jax_call *c, const warplu_options *options, const int32_t *ptr, const int32_t *idx,
                           const double *values, warplu_solver **out);
/* An answer that keeps the promise. */
int wpy_jax_serves(warplu_status status);

/* All members. The text of an error is the thread's message. */
warplu_status wpy_jax_on_cpu(const wpy_jax_call *c);
warplu_status wpy_jax_on_cuda(const wpy_jax_call *c);

/* ------------------------------------------------- solvers and batches, kept (jax_kept.c) */

/* A solver on a device for systems of a pattern, or a batch for `count` of them, which is replayed together. */
typedef struct wpy_jax_kept {
    struct wpy_jax_kept *next;
    int device, storage, shared_rhs;
    int64_t n, nnz, doubles, count, key[2];
    int32_t *ptr, *idx; /* a copy, where there is no key */
    warplu_solver *solver;
    warplu_batch *batch;
} wpy_jax_kept;

/* One for the call that nobody else has and that was kept, or NULL. Patterns are compared by their keys, or whole where
 * there is none. */
wpy_jax_kept *wpy_jax_find(const wpy_jax_call *c, const int32_t *ptr, const int32_t *idx, int64_t count,
                           int shared_rhs);
/* A new one. *out is NULL after an error. */
warplu_status wpy_jax_make(const wpy_jax_call *c, const int32_t *ptr, const int32_t *idx, int64_t count, int shared_rhs,
                           wpy_jax_kept **out);
/* Gives it back; keep 0: frees it. Of those that nobody has the sixteen used last are kept. Takes NULL. */
void wpy_jax_give(wpy_jax_kept *k, int keep);
/* Makes the list's lock; under the GIL, before the first call. 0 with an exception. */
int wpy_jax_prepare(void);

#endif
