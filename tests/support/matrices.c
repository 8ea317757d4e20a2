/* Random matrices for tests. See matrices.h. O(n^2): tests keep n small. */
#include "matrices.h"

#include "check.h"

#include <math.h>
#include <string.h>

static const char *const shape_names[TEST_SHAPES] = {"sparse", "blocks", "arrow", "band", "grid", "dense"};

const char *test_shape_name(test_shape shape)
{
    return shape_names[shape];
}

test_recipe test_recipe_random(uint64_t *seed, int32_t nmax)
{
    test_recipe r = {.shape = (test_shape)check_below(seed, TEST_SHAPES), .n = 1 + check_below(seed, nmax)};
    r.duplicates = check_below(seed, 3) == 0;
    r.shuffled = check_below(seed, 2);
    r.zeros = check_below(seed, 3) == 0;
    r.weak_diagonal = check_below(seed, 3) == 0;
    return r;
}

static void shuffle(int32_t *order, int32_t n, uint64_t *seed)
{
    for (int32_t k = 0; k < n; k++) order[k] = k;
    for (int32_t k = n - 1; k > 0; k--) {
        int32_t other = check_below(seed, k + 1), t = order[k];
        order[k] = order[other];
        order[other] = t;
    }
}

/* 1 where the shape holds an entry beside the transversal. block: of each index; side: of the grid. */
static int holds(const test_recipe *r, const int32_t *block, int32_t side, int32_t i, int32_t j, uint64_t *seed)
{
    int32_t n = r->n;
    switch (r->shape) {
    case TEST_BLOCKS:
        if (block[i] > block[j]) return 0;
        return check_uniform(seed) < (block[i] == block[j] ? 0.6 : 1.5 / n);
    case TEST_ARROW: return i >= n - 2 || j >= n - 2;
    case TEST_BAND: return i - j <= 3 && j - i <= 2;
    case TEST_GRID: return i - j == side || j - i == side || ((i - j == 1 || j - i == 1) && i / side == j / side);
    case TEST_DENSE: return 1;
    default: return check_uniform(seed) < 2.0 / n;
    }
}

/* Blocks of random sizes; n >= 6 gives three or more. */
static void draw_blocks(int32_t n, int32_t *block, uint64_t *seed)
{
    int32_t most = n / 3 > 1 ? n / 3 : 1, b = 0;
    for (int32_t k = 0; k < n; b++) {
        int32_t end = k + 1 + check_below(seed, most);
        for (; k < end && k < n; k++) block[k] = b;
    }
}

static double off_diagonal(const test_recipe *r, uint64_t *seed)
{
    if (r->zeros && check_below(seed, 8) == 0) return 0.0;
    double v = 0.1 + check_uniform(seed);
    return check_below(seed, 2) ? v : -v;
}

static double on_diagonal(const test_recipe *r, uint64_t *seed)
{
    double v = (1.0 + check_uniform(seed)) * (r->shape == TEST_DENSE ? 2.0 : 4.0);
    if (r->weak_diagonal && check_below(seed, 2)) v *= 1e-5;
    return check_below(seed, 2) ? v : -v;
}

/* The dense matrix in natural order: presence as 1, and the values that are. */
static void draw_dense(const test_recipe *r, uint64_t *seed, double *value, unsigned char *present)
{
    int32_t n = r->n, side = 1, *block = malloc((size_t)n * sizeof *block);
    while (side * side < n) side++;
    draw_blocks(n, block, seed);
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < n; i++) {
            size_t at = (size_t)j * (size_t)n + (size_t)i;
            present[at] = i == j || holds(r, block, side, i, j, seed);
            if (present[at]) value[at] = i == j ? on_diagonal(r, seed) : off_diagonal(r, seed);
        }
    free(block);
}

static int pieces_of(const test_recipe *r, uint64_t *seed)
{
    return r->duplicates && check_below(seed, 5) == 0 ? 2 + check_below(seed, 2) : 1;
}

/* Random order of the entries of one column. */
static void shuffle_column(int32_t *idx, double *x, int32_t count, uint64_t *seed)
{
    for (int32_t k = count - 1; k > 0; k--) {
        int32_t o = check_below(seed, k + 1), ti = idx[k];
        double tx = x[k];
        idx[k] = idx[o];
        x[k] = x[o];
        idx[o] = ti;
        x[o] = tx;
    }
}

static void append(test_matrix *m, int32_t row, double v, int pieces, uint64_t *seed)
{
    for (int p = 0; p < pieces; p++) {
        double part = p + 1 == pieces ? v : v * check_uniform(seed);
        m->idx[m->nnz] = row;
        m->x[m->nnz++] = part;
        v -= part;
    }
}

static void allocate(test_matrix *m, int32_t n, int64_t capacity)
{
    memset(m, 0, sizeof *m);
    m->n = n;
    m->ptr = calloc((size_t)n + 1, sizeof *m->ptr);
    m->idx = malloc((size_t)(capacity + 1) * sizeof *m->idx);
    m->x = malloc((size_t)(capacity + 1) * sizeof *m->x);
}

void test_matrix_random(test_matrix *m, uint64_t *seed, const test_recipe *r)
{
    int32_t n = r->n;
    size_t nn = (size_t)n * (size_t)n;
    double *value = malloc(nn * sizeof *value);
    unsigned char *present = malloc(nn);
    int32_t *row = malloc((size_t)n * sizeof *row), *col = malloc((size_t)n * sizeof *col);
    draw_dense(r, seed, value, present);
    shuffle(row, n, seed);
    shuffle(col, n, seed);
    int mixed = r->shape == TEST_BLOCKS || r->shape == TEST_SPARSE;
    for (int32_t k = 0; k < n && !mixed; k++) row[k] = col[k] = k;
    allocate(m, n, 3 * (int64_t)nn);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) {
            size_t at = (size_t)col[j] * (size_t)n + (size_t)row[i];
            if (present[at]) append(m, i, value[at], pieces_of(r, seed), seed);
        }
        m->ptr[j + 1] = m->nnz;
        if (r->shuffled) shuffle_column(m->idx + m->ptr[j], m->x + m->ptr[j], m->nnz - m->ptr[j], seed);
    }
    free(value);
    free(present);
    free(row);
    free(col);
}

void test_matrix_from_dense(test_matrix *m, int32_t n, const double *dense)
{
    allocate(m, n, (int64_t)n * n);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++)
            if (dense[(size_t)j * (size_t)n + (size_t)i] != 0.0) {
                m->idx[m->nnz] = i;
                m->x[m->nnz++] = dense[(size_t)j * (size_t)n + (size_t)i];
            }
        m->ptr[j + 1] = m->nnz;
    }
}

void test_matrix_to_csr(const test_matrix *m, test_matrix *csr, int32_t *place)
{
    allocate(csr, m->n, m->nnz);
    csr->nnz = m->nnz;
    for (int32_t q = 0; q < m->nnz; q++) csr->ptr[m->idx[q] + 1]++;
    for (int32_t i = 0; i < m->n; i++) csr->ptr[i + 1] += csr->ptr[i];
    int32_t *next = malloc(((size_t)m->n + 1) * sizeof *next);
    memcpy(next, csr->ptr, ((size_t)m->n + 1) * sizeof *next);
    for (int32_t j = 0; j < m->n; j++)
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
            int32_t t = next[m->idx[q]]++;
            csr->idx[t] = j;
            csr->x[t] = m->x[q];
            if (place != NULL) place[t] = q;
        }
    free(next);
}

void test_matrix_free(test_matrix *m)
{
    free(m->ptr);
    free(m->idx);
    free(m->x);
    memset(m, 0, sizeof *m);
}

void test_matrix_make_complex(test_matrix *m, uint64_t *seed)
{
    double *z = malloc(2 * (size_t)m->nnz * sizeof *z + 1);
    for (int32_t q = 0; q < m->nnz; q++) {
        z[2 * q] = m->x[q];
        z[2 * q + 1] = check_below(seed, 8) > 0 ? m->x[q] * (2.0 * check_uniform(seed) - 1.0) : copysign(0.0, -m->x[q]);
    }
    free(m->x);
    m->x = z;
    m->doubles = 2;
}

void test_matrix_vary(test_matrix *m, uint64_t *seed, double spread)
{
    for (int64_t q = 0; q < test_matrix_values(m); q++) m->x[q] *= 1.0 + spread * (2.0 * check_uniform(seed) - 1.0);
}

double *test_matrix_dense(const test_matrix *m)
{
    double *d = calloc((size_t)m->n * (size_t)m->n, sizeof *d);
    for (int32_t j = 0; j < m->n; j++)
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) d[(size_t)j * (size_t)m->n + (size_t)m->idx[q]] += m->x[q];
    return d;
}

void test_matrix_hubs(test_matrix *m, uint64_t *seed, int32_t n, int32_t hubs, int apart)
{
    int32_t others = n - hubs;
    int64_t most = 2 * (int64_t)n + 2 * (int64_t)hubs * n, nnz = 0;
    *m = (test_matrix){.n = n,
                       .ptr = calloc((size_t)n + 1, sizeof *m->ptr),
                       .idx = malloc((size_t)most * sizeof *m->idx),
                       .x = malloc((size_t)most * sizeof *m->x)};
    for (int32_t j = 0; j < n; j++) {
        int is_hub = j >= others;
        for (int32_t i = is_hub && !apart ? 0 : j; i < n; i = i == j && !is_hub ? others : i + 1) {
            if (is_hub && apart && i != j) break;
            m->idx[nnz] = i;
            m->x[nnz++] = i != j ? check_uniform(seed) - 0.5 : is_hub ? 4.0 * n : 4.0;
        }
        m->ptr[j + 1] = (int32_t)nnz;
    }
    m->nnz = (int32_t)nnz;
}
