/* Dependences between rows, against matrices that are made of known ones (src/model/method/rank.h). */
#include "model/method/rank.h"

#include <math.h>
#include <string.h>

#include "support/build.h"
#include "support/check.h"

enum { MOST = 24 };

static uint64_t seed = 7;
static unsigned char held[MOST];

static double uniform(void)
{
    return check_uniform(&seed);
}

typedef struct matrix {
    double dense[MOST][MOST];
    int32_t ptr[MOST + 1], idx[MOST * MOST];
    double value[MOST * MOST];
    wlm_rows rows;
} matrix;

static void list(matrix *a, int32_t n)
{
    int32_t at = 0;
    for (int32_t i = 0; i < n; i++) {
        a->ptr[i] = at;
        for (int32_t j = 0; j < n; j++)
            if (a->dense[i][j] != 0.0) a->idx[at] = j, a->value[at++] = a->dense[i][j];
    }
    a->ptr[n] = at;
    a->rows = (wlm_rows){n, a->ptr, a->idx, a->value};
}

/* The rank by Gauss's elimination with complete pivoting. */
static int32_t rank_of(const matrix *a)
{
    double d[MOST][MOST];
    int32_t n = a->rows.n, rank = 0;
    memcpy(d, a->dense, sizeof d);
    for (; rank < n; rank++) {
        int32_t r = rank, c = rank;
        for (int32_t i = rank; i < n; i++)
            for (int32_t j = rank; j < n; j++)
                if (fabs(d[i][j]) > fabs(d[r][c])) r = i, c = j;
        if (fabs(d[r][c]) < 1e-9) break;
        for (int32_t j = 0; j < n; j++) {
            const double t = d[rank][j];
            d[rank][j] = d[r][j], d[r][j] = t;
        }
        for (int32_t i = 0; i < n; i++) {
            const double t = d[i][rank];
            d[i][rank] = d[i][c], d[i][c] = t;
        }
        for (int32_t i = rank + 1; i < n; i++) {
            const double by = d[i][rank] / d[rank][rank];
            for (int32_t j = rank; j < n; j++) d[i][j] -= by * d[rank][j];
        }
    }
    return rank;
}

/* Capacitors between random nodes, some of them to ground: dq/dy is a weighted Laplacian. */
static void make_capacitors(matrix *a, int32_t n, int32_t count)
{
    memset(a->dense, 0, sizeof a->dense);
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = (int32_t)(n * uniform()), j = (int32_t)((n + 0.4) * uniform());
        const double c = exp2(floor(20.0 * uniform()) - 20.0) * (1.0 + uniform());
        if (i == j || j > n) continue;
        a->dense[i][i] += c;
        if (j == n) continue;
        a->dense[j][j] += c;
        a->dense[i][j] -= c;
        a->dense[j][i] -= c;
    }
    list(a, n);
}

static void check_dependences(const matrix *a, const wlm_dependences *d, int32_t rows_with_entries)
{
    double work[MOST] = {0.0};
    CHECK_SAY(d->count == rows_with_entries - rank_of(a), "%d dependences, rank %d of %d rows", (int)d->count,
              (int)rank_of(a), (int)rows_with_entries);
    unsigned char dependent[MOST] = {0};
    for (int32_t k = 0; k < d->count; k++) dependent[d->row[k]] = 1;
    for (int32_t k = 0; k < d->count; k++) {
        for (int32_t e = d->ptr[k]; e < d->ptr[k + 1]; e++)
            CHECK(d->of[e] > d->row[k] && !dependent[d->of[e]] && d->by[e] != 0.0);
        CHECK(wlm_rank_holds(&a->rows, d, k, work));
        for (int32_t j = 0; j < a->rows.n; j++) {
            double sum = -a->dense[d->row[k]][j];
            for (int32_t e = d->ptr[k]; e < d->ptr[k + 1]; e++) sum += d->by[e] * a->dense[d->of[e]][j];
            CHECK_SAY(fabs(sum) < 1e-12, "column %d: %g", (int)j, sum);
        }
    }
}

/* Whether the unit row of an unknown adds nothing to the rank. */
static int is_determined(matrix a, int32_t unknown)
{
    const int32_t n = a.rows.n, rank = rank_of(&a);
    for (int32_t j = 0; j < MOST; j++) a.dense[n][j] = j == unknown;
    a.rows.n = n + 1;
    return rank_of(&a) == rank;
}

static void check_held(const matrix *a)
{
    for (int32_t i = 0; i < a->rows.n && a->rows.n < MOST; i++)
        CHECK_SAY(held[i] == is_determined(*a, i), "unknown %d of %d: %d", (int)i, (int)a->rows.n, held[i]);
}

static int32_t rows_with_entries(const matrix *a)
{
    int32_t count = 0;
    for (int32_t i = 0; i < a->rows.n; i++) count += a->ptr[i + 1] > a->ptr[i];
    return count;
}

/* Of each group of nodes without a capacitor to ground all rows sum up to nothing: multipliers are -1. */
static void islands_of_capacitors(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    int32_t found = 0;
    for (int round = 0; round < 2000; round++) {
        matrix a;
        wlm_dependences d;
        make_capacitors(&a, 2 + (int32_t)((MOST - 2) * uniform()), 1 + (int32_t)(30.0 * uniform()));
        CHECK(wlm_rank_find(&ctx, &a.rows, &d, held) == WARPLU_SUCCESS);
        check_dependences(&a, &d, rows_with_entries(&a));
        check_held(&a);
        for (int32_t e = 0; e < d.ptr[d.count]; e++) CHECK_SAY(d.by[e] == -1.0, "%.17g", d.by[e]);
        found += d.count;
        wlm_dependences_free(&ctx, &d);
    }
    CHECK_SAY(found > 1000, "%d dependences", (int)found);
}

/* Rows that are sums of others by small whole numbers, in any order. */
static void sums_of_rows(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    for (int round = 0; round < 1000; round++) {
        matrix a = {0};
        wlm_dependences d;
        const int32_t n = 3 + round % (MOST - 3);
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j < n; j++)
                if (uniform() < 0.3) a.dense[i][j] = floor(9.0 * uniform()) - 4.0;
        const int32_t row = (int32_t)(n * uniform());
        for (int32_t j = 0; j < n; j++) a.dense[row][j] = 2.0 * a.dense[(row + 1) % n][j] - a.dense[(row + 2) % n][j];
        list(&a, n);
        CHECK(wlm_rank_find(&ctx, &a.rows, &d, held) == WARPLU_SUCCESS);
        CHECK(d.count > 0 || a.ptr[row + 1] == a.ptr[row]);
        check_dependences(&a, &d, rows_with_entries(&a));
        wlm_dependences_free(&ctx, &d);
    }
}

/* What holds for one matrix may not for another one. */
static void another_matrix(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    matrix a = {.dense = {{1.0, 2.0}, {3.0, 6.0}}}, b = {.dense = {{1.0, 2.0}, {3.0, 6.0 + 1e-6}}};
    double work[2] = {0.0};
    wlm_dependences d;
    list(&a, 2);
    list(&b, 2);
    CHECK(wlm_rank_find(&ctx, &a.rows, &d, held) == WARPLU_SUCCESS && d.count == 1 && d.row[0] == 0);
    CHECK(wlm_rank_holds(&a.rows, &d, 0, work) && !wlm_rank_holds(&b.rows, &d, 0, work));
    CHECK(work[0] == 0.0 && work[1] == 0.0);
    wlm_dependences_free(&ctx, &d);
}

/* Each allocation fails, alone and with all after it. */
static void memory_fails(void)
{
    matrix m;
    do make_capacitors(&m, MOST, 30);
    while (rank_of(&m) == rows_with_entries(&m));
    for (int lasting = 0; lasting < 2; lasting++) {
        test_allocator a = {0};
        int failed = 0;
        for (int64_t k = 1; a.calls >= k - 1 && k < 1000; k++) {
            wlu_context ctx;
            warplu_options options;
            wlm_dependences d;
            warplu_init_options(&options);
            test_use_allocator(&options, &a);
            wlu_context_init(&ctx, &options);
            a = (test_allocator){.fail_at = k, .lasting = lasting};
            const warplu_status status = wlm_rank_find(&ctx, &m.rows, &d, held);
            CHECK(status == WARPLU_SUCCESS ? d.count > 0 : status == WARPLU_OUT_OF_MEMORY && d.row == NULL);
            failed += status != WARPLU_SUCCESS;
            wlm_dependences_free(&ctx, &d);
            CHECK(a.alive == 0);
        }
        CHECK_SAY(failed >= 8, "%d", failed);
    }
}

int main(void)
{
    RUN(islands_of_capacitors);
    RUN(sums_of_rows);
    RUN(another_matrix);
    RUN(memory_fails);
    return check_done();
}
