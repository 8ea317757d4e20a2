/* Joined blocks through the public interface: a chain of blocks of size 1 is factored and solved as one block where
 * paths count, and its file says so. */
#include "emulator/emulate.h"
#include "check.h"

#include "solver/solver.h"
#include "api/save.h"
#include "pivot/saved.h"
#include "order/order.h"
#include "support/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 300 };

static int32_t ptr[N + 1], idx[2 * N];
static double value[2 * N], b[N];

static void make_chain(void)
{
    int32_t q = 0;
    for (int32_t j = 0; j < N; j++) {
        ptr[j] = q;
        if (j > 0) {
            idx[q] = j - 1;
            value[q++] = -1.0 - j % 3;
        }
        idx[q] = j;
        value[q++] = 4.0 + j % 5;
        b[j] = j % 7 - 3.0;
    }
    ptr[N] = q;
}

static warplu_solver *open_solver(warplu_executor executor)
{
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.executor = executor;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    return s;
}

/* Solutions of A x = b and A' x = b, whose residuals are small: columns of A hold their diagonal and an entry above. */
static void solve_both(warplu_solver *s, double *x)
{
    CHECK_SAY(warplu_solve(s, 1, b, N, x, N) == WARPLU_SUCCESS, "%s", warplu_get_message(s));
    CHECK_SAY(warplu_solve_transposed(s, 1, b, N, x + N, N) == WARPLU_SUCCESS, "%s", warplu_get_message(s));
    for (int32_t k = 0; k < N; k++) {
        int32_t last = ptr[k + 1] - 1, next = k + 1 < N ? ptr[k + 1] : -1;
        double r = b[k] - value[last] * x[k] - (next >= 0 ? value[next] * x[k + 1] : 0.0);
        double t = b[k] - value[last] * x[N + k] - (k > 0 ? value[last - 1] * x[N + k - 1] : 0.0);
        CHECK(fabs(r) < 1e-12 && fabs(t) < 1e-12);
    }
}

static void a_chain_is_solved_as_one_block(void)
{
    double x[2 * N], y[2 * N];
    if (!wlu_ordering_compiled(WARPLU_ORDERING_METIS)) SKIP("no METIS in this build");
    warplu_solver *s = open_solver(TEST_EXECUTOR_EMULATE), *apart = open_solver(WARPLU_EXECUTOR_CPU);
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_analyze(s, N, ptr, idx, value) == WARPLU_SUCCESS && warplu_factor(s, value) == WARPLU_SUCCESS);
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS && t.blocks == 1 && t.largest_block == N && t.f_nnz == 0);
    CHECK(s->analysis->nblocks == N && s->analysis->candidate[0].joined && t.solve_levels < 100);
    solve_both(s, x);
    for (int k = 0; k < 20; k++) CHECK(warplu_refactor(s, value) == WARPLU_SUCCESS);
    solve_both(s, x);
    CHECK(warplu_analyze(apart, N, ptr, idx, value) == WARPLU_SUCCESS && warplu_factor(apart, value) == WARPLU_SUCCESS);
    CHECK(warplu_get_statistics(apart, &t) == WARPLU_SUCCESS && t.blocks == N && t.largest_block == 1 &&
          t.f_nnz == N - 1);
    solve_both(apart, y);
    for (int32_t k = 0; k < 2 * N; k++) CHECK(fabs(x[k] - y[k]) < 1e-12);
    warplu_destroy(&s);
    warplu_destroy(&apart);
}

static void refuse(warplu_solver *s, uint8_t *bytes, int64_t size, int64_t at, int32_t number, const char *expected)
{
    int32_t kept;
    memcpy(&kept, bytes + at, 4);
    memcpy(bytes + at, &number, 4);
    uint32_t crc = wlu_saved_checksum(bytes, size);
    memcpy(bytes + size - 4, &crc, 4);
    CHECK(wlu_solver_restore(s, "changed", bytes, size) == WARPLU_BAD_FORMAT);
    CHECK_SAY(strstr(warplu_get_message(s), expected) != NULL, "%s", warplu_get_message(s));
    memcpy(bytes + at, &kept, 4);
}

static void joined_blocks_come_back(void)
{
    double x[2 * N], y[2 * N];
    if (!wlu_ordering_compiled(WARPLU_ORDERING_METIS)) SKIP("no METIS in this build");
    warplu_solver *s = open_solver(TEST_EXECUTOR_EMULATE), *restored = open_solver(TEST_EXECUTOR_EMULATE);
    CHECK(warplu_analyze(s, N, ptr, idx, value) == WARPLU_SUCCESS && warplu_factor(s, value) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(s, value) == WARPLU_SUCCESS);
    const wlu_analysis *an = s->analysis;
    int64_t size = wlu_saved_bytes(an, wlu_solver_pivots(s), wlu_saved_no_program);
    uint8_t *bytes = malloc((size_t)size), *again = malloc((size_t)size);
    wlu_saved_encode(an, wlu_solver_pivots(s), wlu_saved_no_program, bytes);
    CHECK_SAY(wlu_solver_restore(restored, "joined", bytes, size) == WARPLU_SUCCESS, "%s",
              warplu_get_message(restored));
    CHECK(wlu_saved_bytes(restored->analysis, wlu_solver_pivots(restored), wlu_saved_no_program) == size);
    wlu_saved_encode(restored->analysis, wlu_solver_pivots(restored), wlu_saved_no_program, again);
    CHECK(memcmp(bytes, again, (size_t)size) == 0);
    CHECK(wlu_solver_pivots(restored)->nblocks == 1 && restored->analysis->candidate[0].joined);
    CHECK(restored->analysis->candidate[0].solve_ns == an->candidate[0].solve_ns);
    CHECK(warplu_refactor(restored, value) == WARPLU_SUCCESS);
    solve_both(s, x);
    solve_both(restored, y);
    CHECK(memcmp(x, y, sizeof x) == 0);
    int64_t candidate = 64 + 4 * ((int64_t)N + 1 + an->a->nnz + N + 1), stride = 16 + 32 + 8 * (int64_t)N, joined = 12;
    CHECK(an->a->map == NULL && an->a->map_ptr == NULL);
    refuse(restored, bytes, size, candidate + joined, 2, "joined 2");
    refuse(restored, bytes, size, candidate + joined, 0, "stands below");
    int32_t one = 1, apart = 0;
    while (an->candidate[apart].joined) apart++;
    for (int32_t c = apart + 1; c < an->ncandidates; c++) memcpy(bytes + candidate + c * stride + joined, &one, 4);
    refuse(restored, bytes, size, candidate + apart * stride + joined, 1, "says what the blocks are");
    free(bytes);
    free(again);
    warplu_destroy(&s);
    warplu_destroy(&restored);
}

int main(void)
{
    make_chain();
    RUN(a_chain_is_solved_as_one_block);
    RUN(joined_blocks_come_back);
    return check_done();
}
