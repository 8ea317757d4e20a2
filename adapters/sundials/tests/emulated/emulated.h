/* The library's calls on a device, as emulated.c has them: the adapter is compiled with these names
 * (emulated_calls.h). */
#ifndef WLU_SUN_EMULATED_H
#define WLU_SUN_EMULATED_H

#include <warplu/cache.h>
#include <warplu/device.h>

warplu_status emulated_open_solver(warplu_solver **out, warplu_cache *cache, const warplu_options *options, int32_t n,
                                   const int32_t *ptr, const int32_t *idx, const double *values);
warplu_status emulated_factor(warplu_solver *s, const double *values);
warplu_status emulated_refactor_device(warplu_solver *s, const double *device_values, void *stream);
warplu_status emulated_solve_device(warplu_solver *s, int transposed, int32_t nrhs, const double *b, int32_t ldb,
                                    double *x, int32_t ldx, void *stream);
warplu_status emulated_finish_device(warplu_solver *s, const double *values, void *stream);
warplu_status emulated_get_statistics(const warplu_solver *s, warplu_statistics *t);

#endif
