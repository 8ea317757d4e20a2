/* Streams of records into bundles for a device: the part of packing that factorization and solves share. */
#ifndef WLU_EXEC_DEVICE_PACK_STREAM_H
#define WLU_EXEC_DEVICE_PACK_STREAM_H

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

/* Records are added in an order of execution. The caller may change `record` of each (starts, areas) before they are
 * bundled. */
typedef struct wlu_device_packer {
    wlu_context *ctx;
    int32_t first;  /* slot that a record of the stream may compute */
    int32_t *level; /* by slot from there on: when it is there; 0: before the first record */
    int32_t *at;    /* and its record, or -1 */
    wlu_packed_record *record;
    int64_t count;
    int32_t *order;           /* by place in the image: the record, once there are bundles */
    int32_t highest, longest; /* level; terms */
    int32_t zero, minus_one;  /* the program's slots for padding, and for products with partial sums */
} wlu_device_packer;

typedef struct wlu_stream_image {
    wlu_bundle *bundle;
    wlu_device_instruction *record; /* where these and operands go: in the image's block */
    int32_t *operand;
    int64_t bundles, records, rows; /* rows: of WLU_WARP pairs each */
} wlu_stream_image;

/* For a stream of the program, which computes slots from `first` on. Free it after a failure too. WARPLU_OUT_OF_MEMORY.
 */
warplu_status wlu_packer_create(wlu_context *ctx, const wlu_program *program, const wlu_stream *stream, int64_t first,
                                wlu_device_packer *packer);
void wlu_packer_free(wlu_device_packer *packer);
/* The record that computes a slot from the first on, or -1. */
static inline int32_t wlu_packer_at(const wlu_device_packer *packer, int64_t slot)
{
    return packer->at[slot - packer->first];
}

/* Records first .. end - 1 of the stream, at levels behind those of all that were added before. */
void wlu_packer_add(wlu_device_packer *packer, const wlu_stream *stream, int64_t first, int64_t end);

/* Bundles of all records, behind `head` bundles and before `tail` ones that the caller fills in; what they are of has
 * no room yet. On failure free them all the same. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlu_packer_bundle(wlu_device_packer *packer, int64_t head, int64_t tail, wlu_stream_image *out);
/* Records and operands, into room for as many as the bundles have, which the caller has given to the stream. */
void wlu_packer_write(const wlu_device_packer *packer, const wlu_stream_image *stream);

#endif
