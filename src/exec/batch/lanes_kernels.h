/* The kernels of lanes, one template instantiated for each instruction set and kind of numbers: the including file
 * defines v8 with its functions (exec/cpu/simd_*.h), and WLU_LANES_KERNELS, the name of the table of real ones.
 *
 * A lane is a member. Sums keep the order that the program states: a member has the bits of its replay alone. */
#include "exec/batch/lanes.h"

#include <string.h>

#include "exec/cpu/kernels_common.h"

/* Doubles of a number, and of a line of numbers: all real parts, then all imaginary parts. */
enum { D = WLU_NUMBER_REALS, LINE = D * WLU_LANES };

#include "exec/batch/lanes_records.h"

#include "exec/batch/lanes_numbers.h"
#include "exec/batch/lanes_residual.h"

const wlu_lanes_kernels WLU_NUMBER_NAME(WLU_LANES_KERNELS) = {
    .name = WLU_KERNELS_NAME,
    .fetch = run_fetch,
    .send = run_send,
    .load = run_load,
    .guard = run_guard,
    .stream = run_stream,
    .relative = run_relative,
    .collect = run_collect,
    .largest = run_largest,
    .look = run_look,
    .correct = run_correct,
    .choose = run_choose,
};
