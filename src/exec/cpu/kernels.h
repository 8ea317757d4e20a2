/* The CPU's kernels, one template instantiated for each instruction set and kind of numbers: the including file
 * defines v8 and its functions (simd_*.h) and WLU_KERNELS, the name of the table of real ones.
 *
 * Sums keep the order that the program states; only independent work is vectorized: lanes are different records,
 * different columns of a tile, or the eight accumulators of a long chain. */
#include "exec/cpu/image.h"

#include <float.h>
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

const wlu_cpu_kernels WLU_NUMBER_NAME(WLU_KERNELS) = {
    .name = WLU_KERNELS_NAME,
    .entries = run_entries,
    .load = run_load,
    .stream = run_stream,
    .tiles = run_tiles,
    .solve_tiles = run_solve_tiles,
    .guards = run_guards,
    .store = run_store,
    .solve_many = run_solve_many,
    .residual = run_residual,
    .weigh = run_weigh,
    .sum_weighed = run_sum_weighed,
    .list_left = run_list_left,
    .look_at = run_look_at,
};
