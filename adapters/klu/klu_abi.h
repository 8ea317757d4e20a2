/* The interface of KLU as binaries know it: order and types of the members of its three structures, and its functions,
 * declared anew from the KLU User Guide. One text for each of its four variants: this file declares that one which
 * WK_LONG (indices of 64 bits: klu_l_*) and WK_COMPLEX (klu_z_*, klu_zl_*) name, for the interface of KLU WK_ABI.
 *
 * WK_TYPES_ALONE leaves the functions out.
 *
 * KLU 1 and 2 differ in the 64-bit half alone: in KLU 1 all integers there are of 64 bits, in KLU 2 switches, statuses
 * and answers are int (wk_flag). */
#ifndef WK_KLU_ABI_H
#define WK_KLU_ABI_H

#include <stddef.h>
#include <stdint.h>

#if !defined(WK_ABI) || (WK_ABI != 1 && WK_ABI != 2)
#error "WK_ABI is 1 or 2: libklu.so.1 or libklu.so.2"
#endif

#ifdef WK_LONG
typedef int64_t wk_int;
#define WK_INT_MAX INT64_MAX
#else
typedef int32_t wk_int;
#define WK_INT_MAX INT32_MAX
#endif

#if defined(WK_LONG) && WK_ABI == 1
typedef int64_t wk_flag;
#else
typedef int wk_flag;
#endif

/* Names of functions: WK_NAME has one for each variant, WK_SHARED one for real and complex values. The same for names
 * within the adapter. */
#if defined(WK_LONG) && defined(WK_COMPLEX)
#define WK_NAME(name) klu_zl_##name
#define WK_INNER(name) wk_##name##_zl
#elif defined(WK_LONG)
#define WK_NAME(name) klu_l_##name
#define WK_INNER(name) wk_##name##_l
#elif defined(WK_COMPLEX)
#define WK_NAME(name) klu_z_##name
#define WK_INNER(name) wk_##name##_z
#else
#define WK_NAME(name) klu_##name
#define WK_INNER(name) wk_##name##_i
#endif
#ifdef WK_LONG
#define WK_SHARED(name) klu_l_##name
#define WK_SHARED_INNER(name) wk_##name##_of_long
#else
#define WK_SHARED(name) klu_##name
#define WK_SHARED_INNER(name) wk_##name##_of_int
#endif

/* Common->status. */
enum { WK_OK = 0, WK_SINGULAR = 1, WK_OUT_OF_MEMORY = -2, WK_INVALID = -3, WK_TOO_LARGE = -4 };
/* What has not been computed. */
enum { WK_EMPTY = -1 };
/* Common->ordering. */
enum { WK_ORDER_AMD = 0, WK_ORDER_COLAMD = 1, WK_ORDER_GIVEN = 2, WK_ORDER_USER = 3 };

typedef struct wk_symbolic {
    double symmetry, est_flops, lnz, unz;
    double *Lnz; /* n, of each block */
    wk_int n, nz;
    wk_int *P, *Q, *R; /* n, n, nblocks + 1 of room for n + 1 */
    wk_int nzoff, nblocks, maxblock, ordering, do_btf, structural_rank;
} wk_symbolic;

typedef struct wk_numeric {
    wk_int n, nblocks, lnz, unz, max_lnz_block, max_unz_block;
    wk_int *Pnum, *Pinv, *Lip, *Uip, *Llen, *Ulen;
    void **LUbx;
    size_t *LUsize;
    void *Udiag;
    double *Rs;
    size_t worksize;
    void *Work, *Xwork;
    wk_int *Iwork, *Offp, *Offi;
    void *Offx;
    wk_int nzoff;
} wk_numeric;

typedef struct wk_common {
    double tol, memgrow, initmem_amd, initmem, maxwork;
    wk_flag btf, ordering, scale;
    wk_int (*user_order)(wk_int n, wk_int *Ap, wk_int *Ai, wk_int *P, struct wk_common *common);
    void *user_data;
    wk_flag halt_if_singular, status, nrealloc;
    wk_int structural_rank, numerical_rank, singular_col, noffdiag;
    double flops, rcond, condest, rgrowth, work;
    size_t memusage, mempeak;
} wk_common;

#ifndef WK_TYPES_ALONE
#define WK_API __attribute__((visibility("default")))

WK_API wk_flag WK_SHARED(defaults)(wk_common *common);
WK_API wk_symbolic *WK_SHARED(analyze)(wk_int n, wk_int *Ap, wk_int *Ai, wk_common *common);
WK_API wk_symbolic *WK_SHARED(analyze_given)(wk_int n, wk_int *Ap, wk_int *Ai, wk_int *P, wk_int *Q, wk_common *common);
WK_API wk_flag WK_SHARED(free_symbolic)(wk_symbolic **symbolic, wk_common *common);
WK_API void *WK_SHARED(malloc)(size_t n, size_t size, wk_common *common);
WK_API void *WK_SHARED(free)(void *p, size_t n, size_t size, wk_common *common);
WK_API void *WK_SHARED(realloc)(size_t nnew, size_t nold, size_t size, void *p, wk_common *common);

WK_API wk_numeric *WK_NAME(factor)(wk_int *Ap, wk_int *Ai, double *Ax, wk_symbolic *symbolic, wk_common *common);
WK_API wk_flag WK_NAME(refactor)(wk_int *Ap, wk_int *Ai, double *Ax, wk_symbolic *symbolic, wk_numeric *numeric,
                                 wk_common *common);
WK_API wk_flag WK_NAME(free_numeric)(wk_numeric **numeric, wk_common *common);
WK_API wk_flag WK_NAME(solve)(wk_symbolic *symbolic, wk_numeric *numeric, wk_int ldim, wk_int nrhs, double *B,
                              wk_common *common);
#ifdef WK_COMPLEX
WK_API wk_flag WK_SHARED(free_numeric)(wk_numeric **numeric, wk_common *common);
WK_API wk_flag WK_NAME(tsolve)(wk_symbolic *symbolic, wk_numeric *numeric, wk_int ldim, wk_int nrhs, double *B,
                               wk_flag conjugate, wk_common *common);
WK_API wk_flag WK_NAME(extract)(wk_numeric *numeric, wk_symbolic *symbolic, wk_int *Lp, wk_int *Li, double *Lx,
                                double *Lz, wk_int *Up, wk_int *Ui, double *Ux, double *Uz, wk_int *Fp, wk_int *Fi,
                                double *Fx, double *Fz, wk_int *P, wk_int *Q, double *Rs, wk_int *R, wk_common *common);
#else
WK_API wk_flag WK_NAME(tsolve)(wk_symbolic *symbolic, wk_numeric *numeric, wk_int ldim, wk_int nrhs, double *B,
                               wk_common *common);
WK_API wk_flag WK_NAME(extract)(wk_numeric *numeric, wk_symbolic *symbolic, wk_int *Lp, wk_int *Li, double *Lx,
                                wk_int *Up, wk_int *Ui, double *Ux, wk_int *Fp, wk_int *Fi, double *Fx, wk_int *P,
                                wk_int *Q, double *Rs, wk_int *R, wk_common *common);
#endif
WK_API wk_flag WK_NAME(sort)(wk_symbolic *symbolic, wk_numeric *numeric, wk_common *common);
WK_API wk_flag WK_NAME(flops)(wk_symbolic *symbolic, wk_numeric *numeric, wk_common *common);
WK_API wk_flag WK_NAME(rcond)(wk_symbolic *symbolic, wk_numeric *numeric, wk_common *common);
WK_API wk_flag WK_NAME(rgrowth)(wk_int *Ap, wk_int *Ai, double *Ax, wk_symbolic *symbolic, wk_numeric *numeric,
                                wk_common *common);
WK_API wk_flag WK_NAME(condest)(wk_int *Ap, double *Ax, wk_symbolic *symbolic, wk_numeric *numeric, wk_common *common);
WK_API wk_flag WK_NAME(scale)(wk_flag scale, wk_int n, wk_int *Ap, wk_int *Ai, double *Ax, double *Rs, wk_int *W,
                              wk_common *common);

#endif

#endif
