/* Warps' bytecodes and their table as they lie in memory, by two passes of one text: what it takes, then what it is. */
#ifndef PHASES_PACK_H
#define PHASES_PACK_H

#include "phases/warps.h"

typedef struct wlm_packer {
    const wlm_bytecodes *b;
    int unify;
    int64_t words, table_bytes;
    uint32_t *index, *code; /* NULL: nothing is written */
    unsigned char *table;
    int64_t *written; /* of each of the schedule's threads: the word its own bytecode begins at, or -1 */
    int32_t *moved;   /* of each word of one bytecode: where it went, in words behind the first */
} wlm_packer;

/* The lanes of a phase; `lane` is the first one's number. */
void wlm_pack_phase(wlm_packer *packer, const int32_t *thread, int32_t lanes, int32_t lane);

#endif
