/* Saved analysis and pivots: bytes under a right checksum are refused, or they are what the library writes itself, and
 * the solver that takes them answers right or says that it does not. Memory stays in proportion. */
#include "fuzz.h"

#include "solver/solver.h"
#include "api/save.h"
#include "lu/saved.h"
#include "pivot/saved_format.h"
#include "program/verify.h"
#include "oracle.h"

#include <math.h>
#include <stddef.h>

enum { NMAX = 64, NNZ_MAX = 4096 };

typedef struct budget {
    size_t most; /* bytes of one allocation */
} budget;

static void *allocate(size_t bytes, void *user)
{
    const budget *b = user;
    FUZZ_REQUIRE(bytes <= b->most, "an allocation of %zu bytes", bytes);
    return malloc(bytes);
}

static void release(void *pointer, void *user)
{
    (void)user;
    free(pointer);
}

/* What was read is written to the same bytes, but for a program that was passed over; one that was not is sound. */
static void check_encoding(warplu_solver *s, const uint8_t *bytes, size_t size)
{
    const wlu_pivots *p = wlu_solver_pivots(s);
    wlu_saved_program program = wlu_saved_no_program;
    uint8_t *section = NULL;
    int64_t others = wlu_saved_bytes(s->analysis, p, program), count = 0;
    if (s->current.state != NULL) {
        FUZZ_REQUIRE(wlu_program_verify(&s->ctx, s->current.plan->program) == WARPLU_SUCCESS, "%s",
                     warplu_get_message(s));
        FUZZ_REQUIRE(wlu_plan_save(&s->ctx, &s->options, s->current.plan, &section, &count) == WARPLU_SUCCESS, "%s",
                     warplu_get_message(s));
        program = (wlu_saved_program){section, count};
    } else if ((size_t)others < size) { /* passed over: taken as it is */
        program = (wlu_saved_program){bytes + others - 4, (int64_t)size - others};
    }
    FUZZ_REQUIRE(wlu_saved_bytes(s->analysis, p, program) == (int64_t)size, "%zu bytes", size);
    uint8_t *again = malloc(size);
    wlu_saved_encode(s->analysis, p, program, again);
    FUZZ_REQUIRE(memcmp(bytes, again, size) == 0, "other bytes");
    free(again);
    wlu_free(&s->ctx, section);
}

/* Numbers of about one size, with the diagonal of the order above the others. */
static void make_values(const wlu_analysis *an, double *values)
{
    const wlu_pattern *a = an->a;
    uint32_t h = 12345;
    for (int32_t q = 0; q < a->nvalues; q++) {
        h = h * 1664525u + 1013904223u;
        values[q] = 0.25 + (double)(h >> 8) * 0x1p-25;
    }
    for (int32_t k = 0; k < a->n; k++) {
        int32_t e = wlu_pattern_find(a, an->candidate[0].row[k], an->candidate[0].col[k]);
        if (e >= 0) values[wlu_pattern_source(a, a->map_ptr != NULL ? a->map_ptr[e] : e)] += 8.0;
    }
}

static void use(warplu_solver *s)
{
    double values[NNZ_MAX], b[NMAX], x[NMAX];
    long double entries[NNZ_MAX];
    int32_t n = s->analysis->n;
    if (n > NMAX || s->analysis->a->nvalues > NNZ_MAX) return;
    make_values(s->analysis, values);
    oracle_gather(s->analysis->a, values, entries);
    for (int32_t i = 0; i < n; i++) b[i] = 1.0 + 0.25 * i;
    for (int round = 0; round < 2; round++) {
        if (warplu_refactor(s, values) < 0) continue;
        for (int transposed = 0; transposed < 2; transposed++) {
            warplu_status status =
                transposed ? warplu_solve_transposed(s, 1, b, n, x, n) : warplu_solve(s, 1, b, n, x, n);
            if (status < 0 || status == WARPLU_INACCURATE || status == WARPLU_UNCHECKED) continue;
            /* the factorization may have replaced a provisional analysis, not the pattern */
            double omega = oracle_backward_error(s->analysis->a, entries, transposed, 0, b, x);
            FUZZ_REQUIRE(omega <= 1e-10, "%s with a backward error of %g", warplu_status_name(status), omega);
        }
    }
}

/* What no mutation finds: the checksum, and the target that a program is for. */
static void put_right(uint8_t *bytes, size_t size)
{
    wlu_saved_header h;
    uint64_t target = wlu_cost_fingerprint(&wlu_cost_cpu);
    if (size <= WLU_SAVED_HEADER_BYTES) return;
    memcpy(&h, bytes, sizeof h);
    int has_counts = h.n >= 0 && h.nnz >= 0 && h.nvalues >= 0 && h.nblocks >= 0 && h.ncandidates >= 0 &&
                     h.ncandidates <= WLU_CANDIDATES_MAX;
    int64_t program = has_counts ? wlu_saved_header_total(&h) - 4 : -1;
    if ((h.flags & WLU_SAVED_PROGRAM) && program >= 0 && program <= (int64_t)(size - sizeof(wlu_saved_lu)))
        memcpy(bytes + program + offsetof(wlu_saved_lu, target), &target, sizeof target);
    uint32_t crc = wlu_saved_checksum(bytes, (int64_t)size);
    memcpy(bytes + size - 4, &crc, sizeof crc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    budget memory = {.most = 65536 + 4096 * size};
    warplu_options o;
    warplu_solver *s = NULL;
    uint8_t *bytes = malloc(size + 1);
    memcpy(bytes, data, size);
    put_right(bytes, size);
    warplu_init_options(&o);
    o.allocate = allocate;
    o.release = release;
    o.allocator_user = &memory;
    FUZZ_REQUIRE(warplu_create(&s, &o) == WARPLU_SUCCESS, "create");
    warplu_status status = wlu_solver_restore(s, "input", bytes, (int64_t)size);
    if (status == WARPLU_SUCCESS) {
        check_encoding(s, bytes, size);
        memory.most = (size_t)1 << 30;
        use(s);
    } else {
        FUZZ_REQUIRE(status == WARPLU_BAD_FORMAT || status == WARPLU_VERSION_MISMATCH ||
                         status == WARPLU_PATTERN_MISMATCH, /* of complex values */
                     "%s", warplu_status_name(status));
        FUZZ_REQUIRE(strncmp(warplu_get_message(s), "input: ", 7) == 0 && s->analysis == NULL, "%s",
                     warplu_get_message(s));
    }
    warplu_destroy(&s);
    free(bytes);
    return 0;
}
