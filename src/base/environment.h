/* The floating-point environment of everything that computes: round to nearest, gradual underflow, no traps; the
 * caller's is restored afterwards, exception flags included.
 *
 * Calls of the API enter it, and so do executors, which have users of their own. Entering it again is cheap: where
 * rounding and masks are as they should be already, only the flags are put back. On x86-64 that costs 10 ns, for
 * arithmetic is SSE's there; setting and restoring a whole environment costs 400 to 600 ns. */
#ifndef WLU_BASE_ENVIRONMENT_H
#define WLU_BASE_ENVIRONMENT_H

#include <fenv.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* MXCSR with every exception masked, round to nearest, flush-to-zero and denormals-are-zero off; its flags. */
enum { WLU_MXCSR_USUAL = 0x1f80, WLU_MXCSR_FLAGS = 0x3f };

typedef struct wlu_environment {
    fenv_t env; /* where it had to be changed */
    int changed;
#if defined(__SSE2__)
    unsigned csr;
#endif
} wlu_environment;

#if defined(__x86_64__)
/* Whether x87 rounds to nearest; fegetround answers the same, and takes a call. */
static inline int wlu_x87_rounds_to_nearest(void)
{
#if defined(__GNUC__)
    unsigned short control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    return (control & 0x0c00) == 0;
#else
    return fegetround() == FE_TONEAREST;
#endif
}
#endif

/* Whether sums are rounded to nearest and small numbers are kept, by three sums. To read a register of control has to
 * wait for all that is being computed; these do not. */
static inline int wlu_environment_rounds_as_usual(void)
{
    static const volatile double one = 1.0, part = 0x1.8p-53, least = 0x1p-1074;
    const double unit = one, above = unit + part, below = -unit - part, twice = least;
    return (above > unit) & (below < -unit) & (twice + twice > twice);
}

static inline void wlu_environment_enter(wlu_environment *e)
{
    e->changed = 1;
#if defined(__SSE2__)
    e->csr = _mm_getcsr();
#if defined(__x86_64__)
    e->changed = (e->csr & ~(unsigned)WLU_MXCSR_FLAGS) != WLU_MXCSR_USUAL || !wlu_x87_rounds_to_nearest();
#endif
#endif
    if (!e->changed) return;
    feholdexcept(&e->env);
    fesetenv(FE_DFL_ENV);
#if defined(__SSE2__)
    _mm_setcsr(WLU_MXCSR_USUAL);
#endif
}

static inline void wlu_environment_leave(const wlu_environment *e)
{
    if (e->changed) fesetenv(&e->env);
#if defined(__SSE2__)
    _mm_setcsr(e->csr);
#endif
}

/* The same for what takes a few instructions and calls nothing: where the environment is the usual one; else 0, and it
 * is not entered. On x86-64 doubles are computed by SSE alone; elsewhere nobody traps. Leaving puts the flags back,
 * which takes as long as a division, unless the caller has seen an inexact result before, as good as all have: then it
 * may see that something has underflowed. */
static inline int wlu_environment_enter_if_usual(unsigned *csr)
{
#if defined(__x86_64__)
    *csr = _mm_getcsr();
    return (*csr & ~(unsigned)WLU_MXCSR_FLAGS) == WLU_MXCSR_USUAL;
#else
    *csr = 0;
    return wlu_environment_rounds_as_usual();
#endif
}

static inline void wlu_environment_leave_usual(unsigned csr)
{
#if defined(__x86_64__)
    if ((csr & _MM_EXCEPT_INEXACT) == 0) _mm_setcsr(csr);
#else
    (void)csr;
#endif
}

#endif
