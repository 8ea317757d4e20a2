/* Included before the adapter's files: the library's calls on a device become those of emulated.c. */
#ifndef WLU_SUN_EMULATED_CALLS_H
#define WLU_SUN_EMULATED_CALLS_H

#include "emulated.h"

#define warplu_open_solver emulated_open_solver
#define warplu_factor emulated_factor
#define warplu_refactor_device emulated_refactor_device
#define warplu_solve_device emulated_solve_device
#define warplu_finish_device emulated_finish_device
#define warplu_get_statistics emulated_get_statistics

#endif
