/* Runs what ptx_read has made of a kernel. See ptx.h. */
#include "ptx.h"

#include <math.h>
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

/* Operand 0 and the memory that register operand 1 points at. */
static int move(const ptx_line *line, uint64_t *file, ptx_memory_fn *memory, void *user)
{
    int narrow = line->operation == PTX_load32 || line->operation == PTX_store32;
    size_t bytes = narrow ? sizeof(uint32_t) : sizeof(uint64_t);
    void *at = Q1 % bytes == 0 ? memory(user, Q1, bytes) : NULL;
    uint64_t *number = &file[line->operand[0]];
    uint32_t half = (uint32_t)*number;
    if (at == NULL) return 0;
    switch (line->operation) {
    case PTX_load64: memcpy(number, at, bytes); break;
    case PTX_load32:
        memcpy(&half, at, bytes);
        *number = half;
        break;
    case PTX_store64: memcpy(at, number, bytes); break;
    default: memcpy(at, &half, bytes); break;
    }
    return 1;
}

static int run_thread(const ptx_module *m, uint64_t *file, ptx_memory_fn *memory, void *user)
{
    int64_t branches = 0;
    for (int32_t at = 0; at < m->lines; at++) {
        const ptx_line *line = &m->line[at];
        if (line->guard >= 0 && (file[line->guard] != 0) == line->negated) continue;
        if (line->operation < PTX_branch) {
            file[line->operand[0]] = result_of(line, file);
        } else if (line->operation == PTX_branch) {
            if (++branches > BRANCHES_MOST) return 0;
            at = line->operand[0] - 1;
        } else if (line->operation == PTX_return) {
            return 1;
        } else if (!move(line, file, memory, user)) {
            return 0;
        }
    }
    return 1;
}

int ptx_run(const ptx_module *m, unsigned blocks, unsigned threads, void *const *parameters, ptx_memory_fn *memory,
            void *user)
{
    for (int32_t k = 0; k < m->parameters; k++) {
        uint64_t *to = &m->file[PTX_SPECIALS + k];
        *to = 0;
        memcpy(to, parameters[k], m->bytes[k]);
    }
    m->file[1] = threads;
    for (unsigned block = blocks; block-- > 0;) {
        m->file[0] = block;
        for (unsigned thread = 0; thread < threads; thread++) {
            m->file[2] = thread;
            memcpy(m->run, m->file, (size_t)m->places * sizeof *m->run);
            if (!run_thread(m, m->run, memory, user)) return 0;
        }
    }
    return 1;
}
