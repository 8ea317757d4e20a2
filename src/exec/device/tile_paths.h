/* Cutting the TILE region into tile paths: tiles that follow each other and that one block solves in its shared memory,
 * where a handoff from tile to tile takes a sixth to a quarter of what it takes from block to block
 * (docs/performance.md).
 *
 * Tiles stand in a postorder of the elimination tree, each node's highest child last, so that a subtree can be a tile
 * path, and so can a path of last children. A tile path needs, in forward substitution, only tiles before it, and in
 * back substitution only tiles behind it: cut anywhere, tile paths in their order are in topological order. Where to
 * cut is a matter of time: small subtrees are tile paths whole; a path goes on until waiting for a node's other
 * children, which a tile path does before it begins, costs more than a handoff. Heavy paths of trees: Sleator and
 * Tarjan, A data structure for dynamic trees (1983), section 2. */
#ifndef WLU_EXEC_DEVICE_TILE_PATHS_H
#define WLU_EXEC_DEVICE_TILE_PATHS_H

#include "exec/device/image.h"
#include "lu/lu.h"

/* Tile path r: tiles first[r] .. first[r + 1] - 1. order: of the tile paths, by their turn and by their depth in the
 * dependences, for forward substitution; for back substitution in reverse, turn by turn. */
typedef struct wlu_tile_paths {
    int32_t count;
    int32_t *first; /* count + 1 */
    int32_t *order; /* count */
} wlu_tile_paths;

/* All tiles, no tile path with more than WLU_TILE_PATH_PIVOTS or WLU_TILE_PATH_TILES; a tile path is in one block.
 * turn: by tile, alike in a block. Takes zeros to free. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_tile_paths_find(wlu_context *ctx, const wlu_tiles *tiles, int slot_bytes, const int32_t *turn,
                                  wlu_tile_paths *out);
void wlu_tile_paths_free(wlu_context *ctx, wlu_tile_paths *paths);

#endif
