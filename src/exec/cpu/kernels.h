/* The CPU's kernels, one template instantiated for each instruction set: the including file defines v8 and its
 * functions (simd_*.h) and WLU_KERNELS, the name of the table.
 *
 * Sums keep the order that the program states; only independent work is vectorized: lanes are different records,
 * different columns of a tile, or the eight accumulators of a long chain. */
#include "exec/cpu/image.h"

#include <string.h>

#include "exec/cpu/kernels_common.h"

/* Largest lane by bits. */
static inline double largest_bits_of(v8 a)
{
    double e[8];
    v8_store(e, a);
    double largest = e[0];
    for (int k = 1; k < 8; k++) largest = wlu_larger_bits(largest, e[k]);
    return largest;
}

#include "exec/cpu/kernels_rows.h"
#include "exec/cpu/kernels_solve.h"
#include "exec/cpu/kernels_stream.h"
#include "exec/cpu/kernels_tiles.h"

#include "exec/cpu/kernels_guards.h"
#include "exec/cpu/kernels_many.h"

const wlu_cpu_kernels WLU_KERNELS = {WLU_KERNELS_NAME, run_entries,     run_load,   run_stream,
                                     run_tiles,        run_solve_tiles, run_guards, run_store,
                                     run_solve_many,   run_residual,    run_weigh,  run_look_at};
