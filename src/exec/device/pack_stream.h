/* Streams of records into bundles for a device: the part of packing that factorization and solves share, loads and what
 * comes behind the records included. */
#ifndef WLU_EXEC_DEVICE_PACK_STREAM_H
#define WLU_EXEC_DEVICE_PACK_STREAM_H

#include "base/block.h"
#include "exec/device/image.h"
#include "lu/lu.h"

/* A record on its way; operand: its pairs in the program. */
typedef struct wlu_packed_record {
    const int32_t *operand;
    int32_t terms;
    int32_t level : 31;
    uint32_t wide : 1; /* a partial sum, or has some: not to wait long, it has a warp of its own */
    wlu_device_instruction record;
} wlu_packed_record;

typedef struct wlu_stream_image {
    wlu_bundle *bundle;
    wlu_device_instruction *record; /* where these and operands go: in the image's block */
    int32_t *operand;
    int64_t bundles, records, rows; /* rows: of WLU_WARP pairs each */
} wlu_stream_image;

/* Records are added in an order of execution. The caller may change `record` of each (starts, targets, areas) before
 * they are bundled. */
typedef struct wlu_device_packer {
    wlu_context *ctx;
    const wlu_program *program;
    const wlu_loads *load;
    int32_t first;  /* slot that a record of the stream may compute */
    int32_t *level; /* by slot from there on: when it is there; 0: before the first record */
    int32_t *at;    /* and its record, or -1 */
    wlu_packed_record *record;
    int64_t count;
    int32_t *order;           /* by place in the image: the record, once there are bundles */
    int32_t highest, longest; /* level; terms */
    int32_t zero, minus_one;  /* the program's slots for padding, and for products with partial sums */
    wlu_stream_image image;
} wlu_device_packer;

/* For a stream of the program and its loads, which compute slots from `first` on. Free it after a failure too.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_packer_create(wlu_context *ctx, const wlu_program *program, const wlu_stream *stream,
                                const wlu_loads *load, int64_t first, wlu_device_packer *packer);
void wlu_packer_free(wlu_device_packer *packer);
/* The record that computes a slot from the first on, or -1. */
static inline int32_t wlu_packer_at(const wlu_device_packer *packer, int64_t slot)
{
    return packer->at[slot - packer->first];
}

/* Records first .. end - 1 of the stream, at levels behind those of all that were added before. */
void wlu_packer_add(wlu_device_packer *packer, const wlu_stream *stream, int64_t first, int64_t end);

/* Bundles of slots that are only loaded, of all records, and of so many things that come behind these, of shape `tail`.
 * WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlu_packer_bundle(wlu_device_packer *packer, wlu_bundle_shape tail, int64_t tails);

/* Pieces of the struct `type` that has this stream as member `name`, and what goes into their rooms. */
#define WLU_PACKER_PIECES(type, name, packer) \
    WLU_PIECE(type, name.bundle, (packer)->image.bundle, (packer)->image.bundles), \
        WLU_PIECE_ROOM(type, name.record, wlu_device_instruction, (packer)->image.records), \
        WLU_PIECE_ROOM(type, name.operand, int32_t, 2 * WLU_WARP * (packer)->image.rows), \
        WLU_PIECE(type, name.load_source, (packer)->load->source, (packer)->load->count), \
        WLU_PIECE_ROOM(type, name.load_power, uint16_t, (packer)->load->count)
/* field: the member's offset. */
void wlu_packer_write(wlu_device_packer *packer, const wlu_block *block, size_t field);

#endif
