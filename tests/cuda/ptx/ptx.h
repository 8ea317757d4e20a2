/* Runs kernels in PTX on the host, for tests without a device: what a GPU does with them, by the definitions of the PTX
 * ISA, "Instruction Set".
 *
 * A module is one kernel. Its text is read once: operations become numbers, registers and constants places of one file,
 * branches numbers of lines; then threads run one behind another. Operations are those of operations.def, branches,
 * loads and stores, and those by which threads wait for each other: anything else, and operands, types and registers
 * that are not as declared, are errors that the reader tells. 1 to 2 ns a line and thread.
 *
 * Threads of a kernel that has barriers have a file each. A thread runs until a barrier, which it leaves once all of
 * its block have come, or until it has looked at a word that others count in, so that these go on. */
#ifndef WLU_TEST_PTX_H
#define WLU_TEST_PTX_H

#include <stddef.h>
#include <stdint.h>

enum { PTX_WHY_BYTES = 160, PTX_SPECIALS = 3 }; /* special registers: the block, threads in it, the thread */

enum ptx_operation {
#define PTX(name, text, operands, result) PTX_##name,
#include "operations.def"
#undef PTX
    PTX_branch,
    PTX_return,
    PTX_load64,
    PTX_load32,
    PTX_store64,
    PTX_store32,
    PTX_load_shared,
    PTX_store_shared,
    PTX_acquire32,
    PTX_add32,
    PTX_or32,
    PTX_max64,
    PTX_barrier,
    PTX_barrier_or,
    PTX_OPERATIONS
};

typedef struct ptx_line {
    uint16_t operation;
    char combined;      /* '&', '|': the result with the truth behind the operands; or 0 */
    char negated;       /* of the guard */
    int32_t guard;      /* place of a truth, or -1 */
    int32_t operand[5]; /* places in the file; of a branch, the line */
} ptx_line;

typedef struct ptx_module {
    char name[64]; /* of the kernel */
    ptx_line *line;
    int32_t lines, places, parameters, threads_most; /* threads_most: of a block, or 0 */
    int waits;                                       /* 1: there are barriers */
    uint64_t *file;  /* what places hold before a thread begins: special registers, parameters, registers, constants */
    unsigned *bytes; /* of each parameter */
} ptx_module;

/* NULL: why not stands in why. */
ptx_module *ptx_read(const char *text, char why[PTX_WHY_BYTES]);
void ptx_free(ptx_module *module);

/* The host's place of bytes of the device's memory, or NULL. */
typedef void *ptx_memory_fn(void *user, uint64_t address, size_t bytes);

/* All threads of a launch, of blocks that have so many bytes of shared memory, from the last block to the first. 0: an
 * address is nobody's, a thread does not end, or one waits for ever. */
int ptx_run(const ptx_module *module, unsigned blocks, unsigned threads, unsigned shared_bytes, void *const *parameters,
            ptx_memory_fn *memory, void *user);

#endif
