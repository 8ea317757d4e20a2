/* The floating-point environment of everything that computes: round to nearest, gradual underflow, no traps; the caller's is
 * restored afterwards, exception flags included. */
#ifndef WLU_ENVIRONMENT_H
#define WLU_ENVIRONMENT_H

#include <fenv.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef struct wlu_environment {
    fenv_t env;
#if defined(__SSE2__)
    unsigned csr;
#endif
} wlu_environment;

static inline void wlu_environment_enter(wlu_environment *e)
{
    feholdexcept(&e->env);
    fesetround(FE_TONEAREST);
#if defined(__SSE2__)
    e->csr = _mm_getcsr();
    _mm_setcsr(e->csr & ~0x8040u); /* flush-to-zero and denormals-are-zero off */
#endif
}

static inline void wlu_environment_leave(const wlu_environment *e)
{
#if defined(__SSE2__)
    _mm_setcsr(e->csr);
#endif
    fesetenv(&e->env);
}

#endif
