/* What all calls of the process share: the cache of solvers, and what the environment asks for. */
#ifndef WK_PROCESS_H
#define WK_PROCESS_H

#include <warplu/cache.h>

/* Made by the first call; NULL where there is no memory. Lives as long as the process. */
warplu_cache *wk_cache(void);

/* warplu's defaults, as the environment changes them: WARPLU_KLU_CHECK is suspect (default), replays, always or off,
 * WARPLU_KLU_THREADS a number. What is none of these is said once on stderr, and left out. */
void wk_default_options(warplu_options *options);

/* Whether numbers are expected to be complex: an analysis is told the pattern alone, and the factorization before it is
 * the best guess. A wrong one costs an analysis. */
int wk_expects_complex(void);
void wk_expect_complex(int complex);

#endif
