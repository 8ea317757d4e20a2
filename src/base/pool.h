/* A solver's memory: small blocks from malloc, large ones from regions of huge pages.
 *
 * A stage of a solver's life makes some hundred arrays of 16 KiB to some MiB, most of which are gone when it ends. From
 * malloc their pages come fresh from the system, a fault of up to two microseconds for each 4 KiB, and go back when the
 * stage is over, to come again in the next. Here they are pieces of regions of 2 MiB and more that ask for huge pages
 * (huge_pages.h), and the room of one that is freed is the next one's.
 *
 * What a solver takes more than it holds: regions begin once its large blocks come to 1.5 MiB (WLU_POOL_BEGIN), so that
 * a small solver takes none. A region without a block goes back at once, but for one of 2 MiB. The room between blocks
 * is for the next stage: after a factorization it is as much as the blocks and a huge page at most, after a
 * compilation nothing but holes of less than 64 KiB (wlu_pool_trim).
 *
 * Pieces are found by best fit and joined with their neighbours when they are freed (Knuth, The Art of Computer
 * Programming 1, 2.5). Cost: O(free pieces) a large block, under a lock, for the last one to use a block frees it:
 * plans are shared by clones. A pool lives until its owner closes it and its last block is free.
 *
 * There is no pool where a sanitizer watches each block of malloc, nor on a system without that advice. */
#ifndef WLU_BASE_POOL_H
#define WLU_BASE_POOL_H

#include "base/context.h"

typedef struct wlu_pool wlu_pool;

enum { WLU_POOL_LARGE = 1 << 14, WLU_POOL_BEGIN = 3 << 19 };

/* The context allocates in a pool of its own from now on; where there is none, as before. */
void wlu_pool_open(wlu_context *ctx);
/* A stage that took much is over: where room between blocks comes to more than `most` times what these and a huge page
 * hold, its pages go back to the system. */
void wlu_pool_trim(wlu_context *ctx, int64_t most);
/* The owner of a context is done with it: blocks can still be freed through it, and through copies. */
void wlu_pool_close(wlu_context *ctx);

#endif
