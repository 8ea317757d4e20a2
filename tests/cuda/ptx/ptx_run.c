/* Runs what ptx_read has made of a kernel. See ptx.h. */
#include "ptx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BRANCHES_MOST = 100000000 }; /* of a thread: one with more will not end */

static double point(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t real(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* A number rather than a NaN; -0 is below 0. */
static double smaller(double a, double b)
{
    if (isnan(a)) return b;
    if (isnan(b)) return a;
    if (a == b) return signbit(a) ? a : b;
    return a < b ? a : b;
}

#define Q1 file[line->operand[1]]
#define Q2 file[line->operand[2]]
#define Q3 file[line->operand[3]]
#define D1 point(Q1)
#define D2 point(Q2)
#define D3 point(Q3)

static uint64_t result_of(const ptx_line *line, const uint64_t *file)
{
    uint64_t result;
    switch (line->operation) {
#define PTX(name, text, operands, value) \
    case PTX_##name: \
        result = (uint64_t)(value); \
        break;
#include "operations.def"
#undef PTX
    default: return 0;
    }
    if (line->combined == '&') return result & Q3;
    return line->combined == '|' ? result | Q3 : result;
}

/* What a thread does next: it ended, it met something wrong, it waits at a barrier, or it looked at a count. */
typedef enum next { ENDED, WRONG, AT_BARRIER, LOOKED } next;

typedef struct thread {
    uint64_t *file;
    char *shared; /* its block's */
    int32_t at;   /* the next line */
    next is;
    int64_t branches;
} thread;

/* Memory of the device, and of each block. */
typedef struct memory {
    ptx_memory_fn *global;
    void *user;
    unsigned shared_bytes;
} memory;

/* Operand 0 and the shared memory that register operand 1 points at. */
static int move_shared(const ptx_line *line, const thread *t, unsigned bytes)
{
    uint64_t *number = &t->file[line->operand[0]], at = t->file[line->operand[1]];
    if (at % sizeof *number != 0 || at + sizeof *number > bytes) return 0;
    if (line->operation == PTX_load_shared)
        memcpy(number, t->shared + at, sizeof *number);
    else
        memcpy(t->shared + at, number, sizeof *number);
    return 1;
}

/* Operand 0 and the memory that register operand 1 points at. */
static int move(const ptx_line *line, uint64_t *file, ptx_memory_fn *global, void *user)
{
    int wide = line->operation == PTX_load64 || line->operation == PTX_store64 || line->operation == PTX_max64;
    size_t bytes = wide ? sizeof(uint64_t) : sizeof(uint32_t);
    void *at = Q1 % bytes == 0 ? global(user, Q1, bytes) : NULL;
    uint64_t *number = &file[line->operand[0]], there = 0;
    if (at == NULL) return 0;
    memcpy(&there, at, bytes); /* the lower half comes first */
    switch (line->operation) {
    case PTX_load64:
    case PTX_load32:
    case PTX_acquire32: *number = there; return 1;
    case PTX_add32: there += *number; break;
    case PTX_or32: there |= *number; break;
    case PTX_max64: there = *number > there ? *number : there; break;
    default: there = *number; break;
    }
    memcpy(at, &there, bytes);
    return 1;
}

/* Runs a thread until it ends or waits. */
static next run_thread(const ptx_module *m, thread *t, const memory *of)
{
    uint64_t *file = t->file;
    while (t->at < m->lines) {
        const ptx_line *line = &m->line[t->at++];
        if (line->guard >= 0 && (file[line->guard] != 0) == line->negated) continue;
        if (line->operation < PTX_branch) {
            file[line->operand[0]] = result_of(line, file);
        } else if (line->operation == PTX_branch) {
            if (++t->branches > BRANCHES_MOST) return WRONG;
            t->at = line->operand[0];
        } else if (line->operation == PTX_return) {
            return ENDED;
        } else if (line->operation == PTX_barrier || line->operation == PTX_barrier_or) {
            return AT_BARRIER;
        } else if (line->operation == PTX_load_shared || line->operation == PTX_store_shared) {
            if (!move_shared(line, t, of->shared_bytes)) return WRONG;
        } else if (!move(line, file, of->global, of->user)) {
            return WRONG;
        } else if (line->operation == PTX_acquire32) {
            return LOOKED;
        }
    }
    return ENDED;
}

/* Lets the threads of a block leave the barrier that all have come to; those of others that wait go on by themselves.
 * Returns 0 where nothing waits, or not all have come. */
static int pass_barrier(const ptx_module *m, thread *block, unsigned threads)
{
    uint64_t any = 0;
    for (unsigned k = 0; k < threads; k++) {
        if (block[k].is != AT_BARRIER || block[k].at != block[0].at) return 0;
        const ptx_line *line = &m->line[block[k].at - 1];
        if (line->operation == PTX_barrier_or) any |= block[k].file[line->operand[2]];
    }
    for (unsigned k = 0; k < threads; k++) {
        const ptx_line *line = &m->line[block[k].at - 1];
        if (line->operation == PTX_barrier_or) block[k].file[line->operand[0]] = any;
        block[k].is = LOOKED;
    }
    return 1;
}

/* Lets all threads that can go on do so, from the last one to the first. Returns how many have; -1: one is wrong. */
static int64_t run_round(const ptx_module *m, thread *all, unsigned threads, const memory *of)
{
    int64_t moved = 0;
    for (int64_t k = (int64_t)threads - 1; k >= 0; k--) {
        if (all[k].is != LOOKED) continue;
        all[k].is = run_thread(m, &all[k], of);
        if (all[k].is == WRONG) return -1;
        moved++;
    }
    return moved;
}

static int has_ended(const thread *all, int64_t threads)
{
    int64_t k = 0;
    while (k < threads && all[k].is == ENDED) k++;
    return k == threads;
}

/* Runs blocks, from the last one to the first, until all threads have ended. */
static int run_blocks(const ptx_module *m, thread *all, unsigned blocks, unsigned threads, const memory *of)
{
    for (int64_t moved = 1; moved > 0;) {
        moved = 0;
        for (unsigned b = blocks; b-- > 0;) {
            int64_t here = run_round(m, all + (int64_t)b * threads, threads, of);
            if (here < 0) return 0;
            moved += here + pass_barrier(m, all + (int64_t)b * threads, threads);
        }
    }
    return has_ended(all, (int64_t)blocks * threads);
}

/* Threads that run side by side: of so many blocks, so many each, and the numbers of the first ones. */
typedef struct group {
    unsigned block, blocks, thread, threads;
} group;

static int run_together(const ptx_module *m, group g, const memory *of)
{
    int64_t count = (int64_t)g.blocks * g.threads;
    thread *all = calloc((size_t)count, sizeof *all);
    uint64_t *files = malloc((size_t)count * (size_t)m->places * sizeof *files);
    char *shared = malloc((size_t)g.blocks * of->shared_bytes + 1);
    int fine = all != NULL && files != NULL && shared != NULL;
    if (fine) memset(shared, 0xa5, (size_t)g.blocks * of->shared_bytes);
    for (int64_t k = 0; k < count && fine; k++) {
        all[k] = (thread){
            .file = files + k * m->places, .shared = shared + (size_t)(k / g.threads) * of->shared_bytes, .is = LOOKED};
        memcpy(all[k].file, m->file, (size_t)m->places * sizeof *files);
        all[k].file[0] = g.block + (uint64_t)(k / g.threads);
        all[k].file[2] = g.thread + (uint64_t)(k % g.threads);
    }
    fine = fine && run_blocks(m, all, g.blocks, g.threads, of);
    free(shared);
    free(all);
    free(files);
    return fine;
}

int ptx_run(const ptx_module *m, unsigned blocks, unsigned threads, unsigned shared_bytes, void *const *parameters,
            ptx_memory_fn *global, void *user)
{
    const memory of = {global, user, shared_bytes};
    for (int32_t k = 0; k < m->parameters; k++) {
        uint64_t *to = &m->file[PTX_SPECIALS + k];
        *to = 0;
        memcpy(to, parameters[k], m->bytes[k]);
    }
    m->file[1] = threads;
    if (m->waits) return run_together(m, (group){0, blocks, 0, threads}, &of);
    for (unsigned block = blocks; block-- > 0;)
        for (unsigned k = 0; k < threads; k++)
            if (!run_together(m, (group){block, 1, k, 1}, &of)) return 0;
    return 1;
}
