/* Singular matrices say why: zero and dependent rows and columns by the caller's numbers, where pivoting stopped; the
 * solver goes on with good values, and poor first values do not spoil later ones. */
#include <warplu/inspect.h>

#include "check.h"

#include "support/dense.h"
#include "support/matrices.h"
#include "support/options.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

enum { NMAX = 24 };

/* The last message handed over. */
static char said[1024];

static void keep_message(warplu_status status, const char *text, void *user)
{
    (void)status;
    (void)user;
    snprintf(said, sizeof said, "%s", text);
}

static warplu_solver *make(warplu_storage storage)
{
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.storage = storage;
    o.message = keep_message;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    return s;
}

/* Every entry of a dense matrix given by columns is stored, zeros too. */
static warplu_solver *full(int32_t n, const double *values)
{
    int32_t ptr[NMAX + 1], idx[NMAX * NMAX];
    for (int32_t j = 0; j <= n; j++) ptr[j] = j * n;
    for (int32_t q = 0; q < n * n; q++) idx[q] = q % n;
    warplu_solver *s = make(WARPLU_STORAGE_CSC);
    CHECK(warplu_analyze(s, n, ptr, idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, values) == WARPLU_SINGULAR);
    return s;
}

static warplu_singularity singularity_of(const warplu_solver *s)
{
    warplu_singularity g = {.size = sizeof g};
    CHECK(warplu_get_singularity(s, &g) == WARPLU_SUCCESS && g.size == sizeof g);
    return g;
}

#define CHECK_SAID(s, words) CHECK_SAY(strstr(warplu_get_message(s), words) != NULL, "'%s'", warplu_get_message(s))
#define CHECK_NOT_SAID(s, words) CHECK_SAY(strstr(warplu_get_message(s), words) == NULL, "'%s'", warplu_get_message(s))

static void zero_lines_are_named(void)
{
    const double row[] = {4, 0, 1, 1, 0, 1, 2, 0, 7}, column[] = {4, 1, 1, 0, 0, 0, 2, 5, 7};
    warplu_solver *s = full(3, row);
    warplu_singularity g = singularity_of(s);
    CHECK_SAID(s, "the matrix is singular: row 1 is zero; pivoting found no pivot above 0 in column ");
    CHECK_SAID(s, " of 3)");
    CHECK(g.status == WARPLU_SINGULAR && g.zero_row == 1 && g.zero_row_count == 1 && g.empty_row_count == 0);
    CHECK(g.zero_column == -1 && g.zero_column_count == 0 && g.dependent_rows[0] == -1 && g.dependent_columns[1] == -1);
    CHECK_SAY(g.position == 2 && g.row == 1, "position %d, row %d", g.position, g.row);
    warplu_destroy(&s);
    s = full(3, column);
    g = singularity_of(s);
    CHECK_SAID(s, "singular: column 1 is zero; ");
    CHECK_SAID(s, "in column 1 (position ");
    CHECK(g.column == 1 && g.zero_column == 1 && g.zero_column_count == 1 && g.zero_row == -1);
    CHECK(g.row >= 0 && g.row < 3);
    warplu_destroy(&s);
}

static void dependent_lines_are_named(void)
{
    const double equal[] = {4, 1, 4, 1, 4, 1, 2, 5, 2}, opposite[] = {4, 1, 3, -4, -1, -3, 2, 5, 7};
    const double thirds[] = {0.1, 0.7, 0.3, 3 * 0.1, 3 * 0.7, 3 * 0.3, 2, 5, 7};
    warplu_solver *s = full(3, equal);
    warplu_singularity g = singularity_of(s);
    CHECK_SAID(s, "singular: rows 0 and 2 are equal; pivoting");
    CHECK(g.dependent_rows[0] == 0 && g.dependent_rows[1] == 2 && g.dependent_row_count == 1);
    CHECK(g.dependent_columns[0] == -1 && g.dependent_column_count == 0);
    warplu_destroy(&s);
    s = full(3, opposite);
    g = singularity_of(s);
    CHECK_SAID(s, "singular: columns 0 and 1 are multiples of each other; pivoting");
    CHECK(g.dependent_columns[0] == 0 && g.dependent_columns[1] == 1 && g.dependent_column_count == 1);
    CHECK(g.dependent_row_count == 0);
    warplu_destroy(&s);
    /* Up to rounding: 3 * 0.1 and 3 * 0.3 are not exact. The last row makes it singular for certain. */
    double rounded[16] = {0};
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) rounded[4 * j + i] = thirds[3 * j + i];
    s = full(4, rounded);
    CHECK_SAID(s, "columns 0 and 1 are multiples of each other; ");
    warplu_destroy(&s);
}

/* Products of these entries overflow, or vanish. */
static void far_apart_magnitudes_are_compared(void)
{
    const double far[] = {1e200, -3e-200, 0, 3e300, -9e-101, 0, 1, 1, 0};
    const double close[] = {1e200, -3e-200, 0, 1e100, -3e-300, 0, 0, 1e-320, 0};
    warplu_solver *s = full(3, far);
    CHECK_SAID(s, "row 2 is zero; ");
    CHECK_NOT_SAID(s, "multiples");
    warplu_destroy(&s);
    s = full(3, close);
    CHECK_SAID(s, "columns 0 and 1 are multiples of each other; ");
    warplu_destroy(&s);
}

static void near_duplicates_are_not_named(void)
{
    const double near[] = {1, 2, 3, 0, 1, 2, 3 * (1 + 1e-13), 0, 1, 1, 1, 0, 1, 2, 4, 0};
    warplu_solver *s = full(4, near);
    CHECK_SAID(s, "singular: row 3 is zero; pivoting");
    warplu_destroy(&s);
}

/* Row 2 is the sum of the others, exactly: nothing shows but where pivoting stopped. */
static void hidden_singularity_tells_the_place(void)
{
    const double hidden[] = {1, 0, 1, 1, 1, 2, 0, 1, 1};
    warplu_solver *s = full(3, hidden);
    warplu_singularity g = singularity_of(s);
    CHECK_SAID(s, "the matrix is singular: pivoting found no pivot above 0 in column ");
    CHECK(g.position == 2 && g.column >= 0 && g.column < 3 && g.row >= 0 && g.row < 3);
    CHECK(g.zero_row == -1 && g.zero_column == -1 && g.zero_row_count == 0 && g.dependent_row_count == 0);
    warplu_destroy(&s);
}

static void one_by_one(void)
{
    const int32_t ptr[] = {0, 1}, none[] = {0, 0}, idx[] = {0};
    const double zero = 0.0;
    warplu_solver *s = full(1, &zero);
    warplu_singularity g = singularity_of(s);
    CHECK_SAID(s, "row 0 is zero; column 0 is zero; pivoting found no pivot above 0 in column 0 (position 0 of 1)");
    CHECK(g.column == 0 && g.row == 0 && g.zero_row == 0 && g.zero_column == 0 && g.empty_row_count == 0);
    CHECK(warplu_analyze(s, 1, none, NULL, NULL) == WARPLU_STRUCTURALLY_SINGULAR);
    g = singularity_of(s);
    CHECK_SAID(s, "row 0 is empty; column 0 is empty");
    CHECK(g.status == WARPLU_STRUCTURALLY_SINGULAR && g.empty_row_count == 1 && g.zero_column_count == 1 &&
          g.position == 0);
    CHECK(warplu_analyze(s, 1, ptr, idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_get_singularity(s, &g) == WARPLU_WRONG_PHASE);
    warplu_destroy(&s);
}

/* [0 1; 1 1] is regular, and has no pivots in its own order. */
static void given_orders_are_not_called_singular_matrices(void)
{
    const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1}, order[] = {0, 1};
    const double values[] = {0, 1, 1, 1};
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_GIVEN;
    o.row_order = o.col_order = order;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, 2, ptr, idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, values) == WARPLU_SINGULAR);
    CHECK_SAID(s,
               "the given order has a zero pivot: the pivot in row 0, column 0 is not above 0 (position 0 of 2), and "
               "row_order allows no other");
    CHECK_NOT_SAID(s, "singular");
    warplu_destroy(&s);
}

/* Column 1 and row 4 are empty; rows 0 and 3 have one entry each, in column 2. */
static void patterns_are_diagnosed(void)
{
    const int32_t ptr[] = {0, 2, 2, 4, 6, 7}, idx[] = {1, 2, 3, 0, 1, 2, 1};
    warplu_solver *s = make(WARPLU_STORAGE_CSC);
    CHECK(warplu_analyze(s, 5, ptr, idx, NULL) == WARPLU_STRUCTURALLY_SINGULAR);
    warplu_singularity g = singularity_of(s);
    CHECK_SAID(s, "structurally singular: rank 3 of 5; column 1 is left without a row, row ");
    CHECK_SAID(s, "; row 4 is empty; column 1 is empty; rows 0 and 3 hold one entry each, in the same column");
    CHECK(warplu_get_message(s)[strlen(warplu_get_message(s)) - 1] == 'n');
    CHECK(g.position == 3 && g.column == 1 && g.zero_column == 1 && g.zero_row == 4 && g.empty_row_count == 1);
    CHECK(g.dependent_rows[0] == 0 && g.dependent_rows[1] == 3 && g.dependent_columns[0] == -1);
    warplu_destroy(&s);
    s = make(WARPLU_STORAGE_CSR); /* the same arrays are A' */
    CHECK(warplu_analyze(s, 5, ptr, idx, NULL) == WARPLU_STRUCTURALLY_SINGULAR);
    CHECK_SAID(s, "row 1 is empty; column 4 is empty; columns 0 and 3 hold one entry each, in the same row");
    warplu_destroy(&s);
}

/* Entries given twice cancel or add up to equal lines; rows stay rows in CSR. */
static void duplicates_and_rows_keep_their_numbers(void)
{
    const int32_t ptr[] = {0, 3, 6, 8}, idx[] = {0, 1, 0, 1, 0, 1, 2, 2};
    const double cancel[] = {1, 1, 1, 3, 2, -1, 5, -5};
    warplu_solver *s = make(WARPLU_STORAGE_CSR);
    CHECK(warplu_analyze(s, 3, ptr, idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, cancel) == WARPLU_SINGULAR); /* [2 1 0; 2 2 0; 0 0 0] */
    CHECK_SAID(s, "singular: row 2 is zero; column 2 is zero; pivoting");
    const double equal[] = {1, 2, 1, 3, 2, -1, 5, 5};
    CHECK(warplu_refactor(s, equal) == WARPLU_SINGULAR); /* [2 2 0; 2 2 0; 0 0 10] */
    CHECK_SAID(s, "singular: rows 0 and 1 are equal; columns 0 and 1 are equal; pivoting");
    const double half[] = {1, 2, 1, 0.25, 1, 0.75, 5, 5};
    CHECK(warplu_refactor(s, half) == WARPLU_SINGULAR); /* [2 2 0; 1 1 0; 0 0 10] */
    CHECK_SAID(s, "singular: rows 0 and 1 are multiples of each other; columns 0 and 1 are equal; pivoting");
    warplu_destroy(&s);
}

/* What a dense matrix shows, by brute force: of integers, so that products are exact. */
typedef struct oracle {
    int zero_rows, zero_columns, first_zero_row, first_zero_column;
    int rows, columns, row[2], column[2]; /* dependent */
} oracle;

static int dependent(const double *a, int32_t n, int32_t j, int32_t k, int32_t step, int32_t stride)
{
    for (int32_t p = 0; p < n; p++)
        for (int32_t q = 0; q < n; q++)
            if (a[j * step + p * stride] * a[k * step + q * stride] !=
                a[j * step + q * stride] * a[k * step + p * stride])
                return 0;
    return 1;
}

static int is_zero(const double *a, int32_t n, int32_t j, int32_t step, int32_t stride)
{
    for (int32_t p = 0; p < n; p++)
        if (a[j * step + p * stride] != 0.0) return 0;
    return 1;
}

static void look(const double *a, int32_t n, int32_t step, int32_t stride, int *zeros, int *first, int *found,
                 int pair[2])
{
    *zeros = *found = 0;
    *first = pair[0] = pair[1] = -1;
    for (int32_t j = 0; j < n; j++) {
        if (is_zero(a, n, j, step, stride)) {
            if ((*zeros)++ == 0) *first = j;
            continue;
        }
        for (int32_t k = 0; k < j; k++) {
            if (is_zero(a, n, k, step, stride) || !dependent(a, n, k, j, step, stride)) continue;
            if ((*found)++ == 0) {
                pair[0] = k;
                pair[1] = j;
            }
            break;
        }
    }
}

static oracle look_at(const double *a, int32_t n)
{
    oracle o;
    look(a, n, 1, n, &o.zero_rows, &o.first_zero_row, &o.rows, o.row);
    look(a, n, n, 1, &o.zero_columns, &o.first_zero_column, &o.columns, o.column);
    return o;
}

/* Entries become small integers; then lines are cleared and made multiples of others, where both have the entry. */
static void plant(test_matrix *m, uint64_t *seed)
{
    for (int32_t q = 0; q < m->nnz; q++) m->x[q] = (double)(check_below(seed, 9) - 4);
    for (int tries = check_below(seed, 3); tries >= 0; tries--) {
        int32_t line = check_below(seed, m->n), other = check_below(seed, m->n);
        int kind = check_below(seed, 4);
        double factor = (double)(1 + check_below(seed, 3)) * (check_below(seed, 2) ? 1.0 : -1.0);
        double *dense = test_matrix_dense(m);
        for (int32_t j = 0; j < m->n; j++)
            for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
                int32_t i = m->idx[q];
                if (kind < 2 ? i != line : j != line) continue;
                double source = kind < 2 ? dense[(size_t)j * (size_t)m->n + (size_t)other]
                                         : dense[(size_t)other * (size_t)m->n + (size_t)i];
                int again = 0; /* an entry given twice: all of it in the first */
                for (int32_t p = m->ptr[j]; p < q; p++) again |= m->idx[p] == i;
                m->x[q] = kind % 2 == 0 || again ? 0.0 : factor * source;
            }
        free(dense);
    }
}

static int compare_with_oracle(const warplu_solver *s, const oracle *o)
{
    warplu_singularity g = singularity_of(s);
    CHECK_SAY(g.zero_row_count == o->zero_rows && g.zero_row == o->first_zero_row, "rows %d, first %d; '%s'",
              o->zero_rows, o->first_zero_row, warplu_get_message(s));
    CHECK_SAY(g.zero_column_count == o->zero_columns && g.zero_column == o->first_zero_column,
              "columns %d, first %d; '%s'", o->zero_columns, o->first_zero_column, warplu_get_message(s));
    CHECK_SAY(g.dependent_row_count == o->rows && g.dependent_rows[0] == o->row[0] && g.dependent_rows[1] == o->row[1],
              "%d dependent rows, %d and %d; '%s'", o->rows, o->row[0], o->row[1], warplu_get_message(s));
    CHECK_SAY(g.dependent_column_count == o->columns && g.dependent_columns[0] == o->column[0] &&
                  g.dependent_columns[1] == o->column[1],
              "%d dependent columns, %d and %d; '%s'", o->columns, o->column[0], o->column[1], warplu_get_message(s));
    CHECK(strcmp(said, warplu_get_message(s)) == 0);
    return o->zero_rows + o->zero_columns > 0;
}

/* Random matrices of every shape, CSC and CSR, duplicates, several blocks: found is what brute force finds, and good
 * values are factored afterwards. */
static void what_is_found_is_what_there_is(void)
{
    uint64_t seed = 1732050;
    int singular = 0, zero = 0, dependent_only = 0;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < 1500; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        test_matrix good, csr;
        double b[NMAX], x[NMAX];
        test_matrix_random(&good, &seed, &r);
        test_matrix m = good; /* the same pattern */
        m.x = malloc((size_t)m.nnz * sizeof *m.x);
        plant(&m, &seed);
        double *dense = test_matrix_dense(&m), *good_dense = test_matrix_dense(&good);
        oracle o = look_at(dense, m.n);
        int by_rows = t % 2;
        int32_t *place = malloc((size_t)m.nnz * sizeof *place);
        test_matrix_to_csr(&m, &csr, place);
        const test_matrix *given = by_rows ? &csr : &m;
        warplu_solver *s = make(by_rows ? WARPLU_STORAGE_CSR : WARPLU_STORAGE_CSC);
        CHECK(warplu_analyze(s, given->n, given->ptr, given->idx, t % 3 == 0 ? given->x : NULL) == WARPLU_SUCCESS);
        if (warplu_factor(s, given->x) == WARPLU_SINGULAR) {
            int zeros = compare_with_oracle(s, &o);
            singular++;
            zero += zeros;
            dependent_only += !zeros && o.rows + o.columns > 0;
        } else {
            CHECK(o.zero_rows + o.zero_columns == 0);
        }
        double *values = malloc((size_t)m.nnz * sizeof *values);
        for (int32_t q = 0; q < m.nnz; q++) values[q] = good.x[by_rows ? place[q] : q];
        for (int32_t i = 0; i < m.n; i++) b[i] = check_uniform(&seed) - 0.5;
        CHECK(warplu_refactor(s, values) >= 0);
        CHECK(warplu_solve(s, 1, b, m.n, x, m.n) >= 0);
        double omega = test_dense_backward_error(m.n, good_dense, 0, b, x);
        CHECK_SAY(omega <= 1e-10, "try %d, %s, n = %d: %g", t, test_shape_name(r.shape), r.n, omega);
        warplu_singularity g = {.size = sizeof g};
        CHECK(warplu_get_singularity(s, &g) == WARPLU_WRONG_PHASE);
        warplu_destroy(&s);
        free(values);
        free(place);
        free(dense);
        free(good_dense);
        free(m.x);
        test_matrix_free(&csr);
        test_matrix_free(&good);
    }
    printf("# %d singular, %d with zero lines, %d with dependent lines alone\n", singular, zero, dependent_only);
    CHECK(zero > 100 && dependent_only > 20 && singular > zero + dependent_only);
}

/* A chain of a hundred thousand whose columns 40000 and 70001 hold the same; then all rows in one column. */
static void large_matrices_are_diagnosed_fast(void)
{
    enum { N = 100000 };
    int32_t *ptr = malloc((N + 1) * sizeof *ptr), *idx = malloc(3 * N * sizeof *idx), q = 0;
    double *x = malloc(3 * N * sizeof *x);
    for (int32_t j = 0; j < N; j++) {
        int32_t c = j == 70001 ? 40000 : j;
        ptr[j] = q;
        for (int32_t i = c > 0 ? c - 1 : 0; i <= c + 1 && i < N; i++) {
            idx[q] = i;
            x[q++] = i == c ? 4.0 + 1.0 / (1 + c) : -1.0;
        }
    }
    ptr[N] = q;
    idx[ptr[70001]] = 70001; /* keeps the pattern of full rank */
    x[ptr[70001]] = 0.0;
    idx[ptr[40000]] = 39999;
    x[ptr[40000]] = 0.0;
    warplu_solver *s = make(WARPLU_STORAGE_CSC);
    clock_t begin = clock();
    CHECK(warplu_analyze(s, N, ptr, idx, NULL) == WARPLU_SUCCESS && warplu_factor(s, x) == WARPLU_SINGULAR);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    warplu_singularity g = singularity_of(s);
    printf("# %.3f s, '%s'\n", seconds, warplu_get_message(s));
    CHECK(g.dependent_columns[0] == 40000 && g.dependent_columns[1] == 70001 && g.dependent_column_count == 1);
    CHECK_SAID(s, "columns 40000 and 70001 are equal; ");
    CHECK(seconds < 20.0);
    for (int32_t i = 0; i < N; i++) idx[i] = i;
    ptr[0] = 0;
    for (int32_t j = 1; j <= N; j++) ptr[j] = N;
    begin = clock();
    CHECK(warplu_analyze(s, N, ptr, idx, x) == WARPLU_STRUCTURALLY_SINGULAR);
    seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    g = singularity_of(s);
    printf("# %.3f s, '%s'\n", seconds, warplu_get_message(s));
    CHECK(g.empty_column_count == N - 1 && g.zero_column == 1 && g.dependent_row_count == N - 1 && g.position == 1);
    CHECK_SAID(s, "columns 1, 2, 3 and 99996 more are empty; rows 0 and 1 hold one entry each, in the same column; ");
    CHECK(seconds < 20.0);
    warplu_destroy(&s);
    free(ptr);
    free(idx);
    free(x);
}

/* Dense, of rank 1: every pair of columns is as good as another, and many signatures are alike. */
static void everything_is_dependent(void)
{
    enum { N = 400 };
    int32_t *ptr = malloc((N + 1) * sizeof *ptr), *idx = malloc(N * N * sizeof *idx);
    double *x = malloc(N * N * sizeof *x);
    for (int32_t j = 0; j <= N; j++) ptr[j] = j * N;
    for (int32_t q = 0; q < N * N; q++) {
        idx[q] = q % N;
        x[q] = (1.0 + q % N / 7.0) * (1.0 + q / N / 3.0);
    }
    warplu_solver *s = make(WARPLU_STORAGE_CSC);
    CHECK(warplu_analyze(s, N, ptr, idx, NULL) == WARPLU_SUCCESS);
    for (int32_t i = 0; i < N; i++) x[i] = 0.0; /* singular however the others are rounded */
    CHECK(warplu_factor(s, x) == WARPLU_SINGULAR);
    warplu_singularity g = singularity_of(s);
    CHECK_SAY(g.dependent_column_count == N - 2 && g.dependent_row_count == N - 1, "%d columns, %d rows",
              g.dependent_column_count, g.dependent_row_count);
    CHECK(g.dependent_columns[0] == 1 && g.dependent_columns[1] == 2);
    CHECK_SAID(s, "; 395 more such columns; ");
    warplu_destroy(&s);
    free(ptr);
    free(idx);
    free(x);
}

/* Long numbers and some of each kind, in orders that are given, so that nothing but pivoting looks at the pattern:
 * fewer of each are named, the place always is. */
static void messages_are_one_line_that_ends(void)
{
    enum { N = 2000000, TAIL = 1600 };
    int32_t *ptr = malloc((N + 1) * sizeof *ptr), *idx = malloc((N + TAIL) * sizeof *idx), q = 0;
    int32_t *order = malloc(N * sizeof *order);
    double *x = malloc((N + TAIL) * sizeof *x);
    for (int32_t j = 0; j < N; j++) {
        int kind = j < N - TAIL ? -1 : j % 8; /* 0 and 1: equal; 2 and 3: zero; 4, 5: multiples; 6 and 7: empty */
        int32_t first = kind == 1 || kind == 5 ? j - 1 : j, last = kind == 0 || kind == 4 ? j + 1 : j;
        order[j] = j;
        ptr[j] = q;
        for (int32_t i = first; i <= last && kind < 6; i++) {
            idx[q] = i;
            x[q++] = kind == 2 || kind == 3 ? 0.0 : kind < 4 ? 3.0 : (1.0 + j % 2) * (1.0 + i % 2);
        }
    }
    ptr[N] = q;
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_GIVEN;
    o.row_order = o.col_order = order;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, N, ptr, idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, x) == WARPLU_SINGULAR);
    warplu_singularity g = singularity_of(s);
    CHECK(g.empty_row_count == TAIL / 4 && g.empty_column_count == TAIL / 4 && g.zero_row_count == TAIL / 2);
    CHECK(g.zero_column_count == TAIL / 2 && g.dependent_row_count == TAIL / 4 && g.dependent_column_count == TAIL / 4);
    CHECK_SAID(s, "rows 1998406 and 399 more are empty; ");
    CHECK_SAID(s, "rows 1998402 and 399 more are zero; ");
    CHECK_SAID(s, "columns 1998400 and 1998401 are equal; 399 more such columns; ");
    CHECK_SAID(
        s, "; the pivot in row 1998401, column 1998401 is not above 0 (position 1998401 of 2000000), and row_order ");
    CHECK_SAY(strlen(warplu_get_message(s)) < 512 && strchr(warplu_get_message(s), '\n') == NULL, "%s",
              warplu_get_message(s));
    warplu_destroy(&s);
    free(ptr);
    free(idx);
    free(order);
    free(x);
}

static void only_singular_ends_are_told(void)
{
    const double zero[] = {0, 0, 0, 0}, good[] = {2, 1, 1, 3}, infinite[] = {INFINITY, 1, 1, 3};
    warplu_singularity g = {.size = 0};
    warplu_solver *s = full(2, zero);
    CHECK(warplu_get_singularity(NULL, &g) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_get_singularity(s, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_get_singularity(s, &g) == WARPLU_INVALID_ARGUMENT);
    memset(&g, 77, sizeof g);
    g.size = offsetof(warplu_singularity, zero_row);
    int32_t untouched = g.zero_row;
    CHECK(warplu_get_singularity(s, &g) == WARPLU_SUCCESS && g.size == offsetof(warplu_singularity, zero_row));
    CHECK(g.position == 0 && g.zero_row == untouched);
    g.size = sizeof g + 64; /* a newer caller */
    CHECK(warplu_get_singularity(s, &g) == WARPLU_SUCCESS && g.size == sizeof g && g.zero_row == 0);
    CHECK(warplu_refactor(s, infinite) == WARPLU_NOT_FINITE);
    CHECK(warplu_get_singularity(s, &g) == WARPLU_WRONG_PHASE);
    CHECK(warplu_factor(s, zero) == WARPLU_SINGULAR && warplu_get_singularity(s, &g) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS);
    CHECK(warplu_get_singularity(s, &g) == WARPLU_WRONG_PHASE);
    CHECK(warplu_refactor(s, zero) == WARPLU_SINGULAR && warplu_get_singularity(s, &g) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(s, good) >= 0);
    CHECK(warplu_get_singularity(s, &g) == WARPLU_WRONG_PHASE);
    warplu_destroy(&s);
    CHECK(check_create(&s) == WARPLU_SUCCESS);
    CHECK(warplu_get_singularity(s, &g) == WARPLU_WRONG_PHASE);
    warplu_destroy(&s);
}

/* First values that are poor: all zero, singular, tiny, huge. */
static void spoil(int kind, const test_matrix *m, double *values)
{
    int32_t column = m->n / 2;
    for (int32_t q = 0; q < m->nnz; q++)
        values[q] = kind == 0 ? 0.0 : kind == 1 ? m->x[q] : ldexp(m->x[q], kind == 2 ? -900 : 900);
    for (int32_t q = m->ptr[column]; q < m->ptr[column + 1] && kind == 1; q++) values[q] = 0.0;
}

/* Analyzed and factored for poor values first, a solver needs as many terms for good ones as if it had seen them first,
 * and is as accurate. */
static void poor_first_values_do_not_spoil_later_ones(void)
{
    enum { N = 60 };
    uint64_t seed = 2236067;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < 120; t++) {
        test_recipe r = {.shape = (test_shape)(t % TEST_SHAPES), .n = N, .zeros = t % 2, .weak_diagonal = t % 4 < 2};
        test_matrix m;
        double b[N], x[N];
        warplu_statistics good = {.size = sizeof good}, later = {.size = sizeof later};
        test_matrix_random(&m, &seed, &r);
        for (int32_t q = 0; q < m.nnz && t % 3 == 0; q++) /* the matching looks at magnitudes */
            if (check_below(&seed, 3) == 0) m.x[q] *= 1e-3;
        double *dense = test_matrix_dense(&m), *values = malloc((size_t)m.nnz * sizeof *values);
        for (int32_t i = 0; i < N; i++) b[i] = check_uniform(&seed) - 0.5;
        warplu_solver *s = make(WARPLU_STORAGE_CSC);
        CHECK(warplu_analyze(s, N, m.ptr, m.idx, m.x) == WARPLU_SUCCESS && warplu_factor(s, m.x) == WARPLU_SUCCESS);
        CHECK(warplu_get_statistics(s, &good) == WARPLU_SUCCESS);
        warplu_destroy(&s);
        for (int kind = 0; kind < 4; kind++) {
            s = make(WARPLU_STORAGE_CSC);
            spoil(kind, &m, values);
            CHECK(warplu_analyze(s, N, m.ptr, m.idx, values) == WARPLU_SUCCESS);
            warplu_status first = warplu_factor(s, values);
            CHECK_SAY(first == (kind < 2 ? WARPLU_SINGULAR : WARPLU_SUCCESS), "kind %d: %s", kind,
                      warplu_get_message(s));
            CHECK(warplu_refactor(s, m.x) >= 0 && warplu_solve(s, 1, b, N, x, N) >= 0);
            CHECK(warplu_get_statistics(s, &later) == WARPLU_SUCCESS);
            double omega = test_dense_backward_error(N, dense, 0, b, x);
            CHECK_SAY(later.terms == good.terms && omega <= 1e-10, "try %d, kind %d: %lld terms, %lld; error %g", t,
                      kind, (long long)later.terms, (long long)good.terms, omega);
            warplu_destroy(&s);
        }
        free(values);
        free(dense);
        test_matrix_free(&m);
    }
}

int main(void)
{
    RUN(zero_lines_are_named);
    RUN(dependent_lines_are_named);
    RUN(far_apart_magnitudes_are_compared);
    RUN(near_duplicates_are_not_named);
    RUN(hidden_singularity_tells_the_place);
    RUN(one_by_one);
    RUN(given_orders_are_not_called_singular_matrices);
    RUN(patterns_are_diagnosed);
    RUN(duplicates_and_rows_keep_their_numbers);
    RUN(what_is_found_is_what_there_is);
    RUN(large_matrices_are_diagnosed_fast);
    RUN(everything_is_dependent);
    RUN(messages_are_one_line_that_ends);
    RUN(only_singular_ends_are_told);
    RUN(poor_first_values_do_not_spoil_later_ones);
    return check_done();
}
