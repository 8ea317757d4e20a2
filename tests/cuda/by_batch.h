/* The kernels of batches, on the host: the lanes' functions of exec/device/groups.h, warps of a block in any order
 * between barriers, lanes of a warp together. */
#ifndef WLU_TEST_BY_BATCH_H
#define WLU_TEST_BY_BATCH_H

#include "by_emulator.h"
#include "exec/device/group_solves.h"

/* With pointers of the host. */
static inline wlu_group_work by_batch_work(const wlu_group_work *w)
{
    wlu_group_work to = *w;
    by_emulator_bring(&to.member, 3);
    by_emulator_bring(&to.v, 8);
    by_emulator_bring(&to.health, 3);
    return to;
}

/* Of a stream with pointers of the host. one_space: first operands are slots that records write. */
int by_batch_in_order(const wlu_group_stream *stream, int64_t slots, int one_space);

/* length: of the kernel's name without what slots are. 0: not what a kernel expects. */
int by_batch_launch(const fake_cuda_launch *launch, size_t length);
int by_batch_launch_single(const fake_cuda_launch *launch, size_t length);
int by_batch_launch_complex(const fake_cuda_launch *launch, size_t length);
/* Those that compute in doubles, real or complex. */
int by_batch_moves_launch(const fake_cuda_launch *launch, size_t length);
int by_batch_moves_launch_complex(const fake_cuda_launch *launch, size_t length);
/* Those of calls on device pointers. */
int by_batch_ledger_launch(const fake_cuda_launch *launch);

#endif
