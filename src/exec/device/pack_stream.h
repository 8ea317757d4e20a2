/* Streams of records into bundles for a device: the part of packing that factorization and solves share. */
#ifndef WLU_DEVICE_PACK_STREAM_H
#define WLU_DEVICE_PACK_STREAM_H

#include "exec/device/image.h"
#include "program/program.h"

/* A record on its way; operand: its pairs in the program. */
typedef struct wlu_packed_record {
    const int32_t *operand;
    int32_t terms, level;
    int wide; /* a partial sum, or has some: not to wait long, it has a warp of its own */
    wlu_device_record record;
} wlu_packed_record;

/* Records are added in an order of execution. The caller may change `record` of each (starts, areas) before they are bundled. */
typedef struct wlu_packer {
    wlu_context *ctx;
    int32_t *level; /* by slot: when it is there; 0: before the first record */
    int32_t *at;    /* by slot: its record, or -1 */
    wlu_packed_record *record;
    int64_t count;
    int32_t highest; /* level */
    int32_t zero, minus_one; /* the program's slots for padding, and for products with partial sums */
} wlu_packer;

typedef struct wlu_stream_image {
    wlu_bundle *bundle;
    wlu_device_record *record;
    int32_t *operand;
    int64_t bundles, records, rows; /* rows: of WLU_WARP pairs each */
} wlu_stream_image;

/* For a stream of the program, its start slots and target slots being those of the program. Takes a packer that failed half-way to
 * free. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_packer_create(wlu_context *ctx, const wlu_program *program, const wlu_stream *stream, wlu_packer *packer);
void wlu_packer_free(wlu_packer *packer);
/* Records first .. end - 1 of the stream, at levels behind those of all that were added before. */
void wlu_packer_add(wlu_packer *packer, const wlu_stream *stream, int64_t first, int64_t end);

/* Bundles of all records, behind `head` bundles and before `tail` ones that the caller fills in. On failure free it all the same.
 * WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlu_packer_bundle(wlu_packer *packer, int64_t head, int64_t tail, wlu_stream_image *out);
void wlu_stream_image_free(wlu_context *ctx, wlu_stream_image *stream);

#endif
