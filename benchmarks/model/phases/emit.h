/* One tree after the other as bytecode. */
#ifndef PHASES_EMIT_H
#define PHASES_EMIT_H

#include "phases/opcodes.h"
#include "phases/trees.h"

typedef struct wlm_emitter {
    wlu_context *ctx;
    warplu_status status; /* of the first failure; nothing is written after it */
    const wlm_trees *trees;
    int32_t first_definition; /* its variable */
    int32_t most, deepest;    /* of the stack: allowed, reached */
    int64_t words, room;
    uint32_t *code;
    int32_t edges, edge_room;
    int32_t *operand; /* definitions that are read, those of one formula behind those of the one before */
    int32_t *reader;  /* of each definition: the last formula that read it, or -1 */
    int32_t formula;  /* that is emitted now */
    int32_t waiting, wait_room;
    wlm_node *wait; /* operands of chains, in reverse */
} wlm_emitter;

/* The value of a definition, a tree, or an input or constant by itself; as_end: the node's definition is read. */
void wlm_emit_value(wlm_emitter *emitter, wlm_node node, int as_end);
void wlm_emit_word(wlm_emitter *emitter, uint32_t word);
void wlm_emit_constant(wlm_emitter *emitter, double value, int32_t height);

#endif
