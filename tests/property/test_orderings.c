/* Block triangular form, extraction, orderings, symbolic counts on random patterns. */
#include "check.h"

#include "order/btf.h"
#include "order/order.h"
#include "cost/predict.h"

#include <signal.h>
#include <string.h>

enum { NMAX = 64, TRIES = 400 };

static wlu_context ctx;
static uint64_t seed;

static void begin(uint64_t s)
{
    seed = s;
    printf("# seed %llu\n", (unsigned long long)s);
    wlu_context_init(&ctx, NULL);
}

/* A random n by n pattern, each entry with the given probability; diagonal: 1 all, 0 as it falls, -1 none but
 * a random zero-free transversal. */
static wlu_pattern *random_pattern(int32_t n, double density, int diagonal)
{
    static int32_t idx[NMAX * NMAX];
    int32_t ptr[NMAX + 1], shift[NMAX];
    for (int32_t j = 0; j < n; j++) shift[j] = j;
    for (int32_t j = n - 1; j > 0; j--) {
        int32_t k = check_below(&seed, j + 1), t = shift[j];
        shift[j] = shift[k];
        shift[k] = t;
    }
    int32_t q = 0;
    for (int32_t j = 0; j < n; j++) {
        ptr[j] = q;
        for (int32_t i = 0; i < n; i++) {
            int wanted = (diagonal > 0 && i == j) || (diagonal < 0 && i == shift[j]);
            if (wanted || check_uniform(&seed) < density) idx[q++] = i;
        }
    }
    ptr[n] = q;
    wlu_pattern *a = NULL;
    CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, n, ptr, idx, &a) == WARPLU_SUCCESS);
    return a;
}

static int is_permutation(int32_t n, const int32_t *order)
{
    char seen[NMAX] = {0};
    for (int32_t k = 0; k < n; k++)
        if (order[k] < 0 || order[k] >= n || seen[order[k]]++) return 0;
    return 1;
}

static void check_form(const wlu_pattern *a, const wlu_btf *f)
{
    int32_t n = a->n, owner[NMAX], largest = 0;
    CHECK(is_permutation(n, f->row) && is_permutation(n, f->col));
    CHECK(f->nblocks >= 1 && f->block[0] == 0 && f->block[f->nblocks] == n);
    for (int32_t b = 0; b < f->nblocks; b++) {
        CHECK(f->block[b] < f->block[b + 1]);
        if (f->block[b + 1] - f->block[b] > largest) largest = f->block[b + 1] - f->block[b];
        for (int32_t k = f->block[b]; k < f->block[b + 1]; k++) {
            owner[k] = b;
            CHECK(k == f->block[b] || f->col[k - 1] < f->col[k]);
        }
    }
    CHECK(largest == f->largest_block);
    for (int32_t k = 0; k < n; k++) CHECK(wlu_pattern_find(a, f->row[k], f->col[k]) >= 0);
    for (int32_t r = 0; r < n; r++)
        for (int32_t c = 0; c < n; c++)
            if (owner[r] > owner[c]) CHECK(wlu_pattern_find(a, f->row[r], f->col[c]) < 0);
}

/* Reachability within each block: it cannot be split further. */
static int strongly_connected(const wlu_pattern *a, const wlu_btf *f, int32_t b)
{
    int32_t s = f->block[b], m = f->block[b + 1] - s;
    static char reach[NMAX][NMAX];
    for (int32_t r = 0; r < m; r++)
        for (int32_t c = 0; c < m; c++) reach[r][c] = r == c || wlu_pattern_find(a, f->row[s + r], f->col[s + c]) >= 0;
    for (int32_t k = 0; k < m; k++)
        for (int32_t r = 0; r < m; r++)
            for (int32_t c = 0; c < m; c++) reach[r][c] |= reach[r][k] && reach[k][c];
    for (int32_t r = 0; r < m; r++)
        for (int32_t c = 0; c < m; c++)
            if (!reach[r][c]) return 0;
    return 1;
}

static void block_form_is_triangular(void)
{
    begin(20240611);
    int several = 0;
    for (int t = 0; t < TRIES; t++) {
        int32_t n = 1 + check_below(&seed, NMAX);
        wlu_pattern *a = random_pattern(n, check_uniform(&seed) * 3.0 / n, t % 2 ? 1 : -1);
        wlu_btf f;
        CHECK(wlu_btf_find(&ctx, a, NULL, NULL, 1, &f) == WARPLU_SUCCESS);
        check_form(a, &f);
        for (int32_t b = 0; b < f.nblocks; b++) CHECK(strongly_connected(a, &f, b));
        several += f.nblocks >= 3 && f.largest_block >= 3;
        if (t % 2)
            for (int32_t k = 0; k < n; k++) CHECK(f.row[k] == f.col[k]);
        wlu_btf_free(&ctx, &f);
        wlu_pattern_destroy(&ctx, &a);
    }
    CHECK_SAY(several > TRIES / 10, "only %d patterns had three blocks", several);
}

static void one_block_keeps_columns(void)
{
    begin(77);
    for (int t = 0; t < TRIES; t++) {
        int32_t n = 1 + check_below(&seed, NMAX);
        wlu_pattern *a = random_pattern(n, check_uniform(&seed) * 3.0 / n, t % 2 ? 1 : -1);
        wlu_btf f;
        CHECK(wlu_btf_find(&ctx, a, NULL, NULL, 0, &f) == WARPLU_SUCCESS);
        CHECK(f.nblocks == 1);
        check_form(a, &f);
        for (int32_t k = 0; k < n; k++) CHECK(f.col[k] == k && (t % 2 == 0 || f.row[k] == k));
        wlu_btf_free(&ctx, &f);
        wlu_pattern_destroy(&ctx, &a);
    }
}

static void transversal_keeps_most_of_the_diagonal(void)
{
    /* Column 0 holds rows 1 and 7, column j rows j - 1 and j: taking the first free row loses every diagonal
     * entry, one exchange of columns 0 and 1 keeps all others. */
    wlu_context_init(&ctx, NULL);
    int32_t ptr[9], idx[16], q = 0;
    for (int32_t j = 0; j < 8; j++) {
        ptr[j] = q;
        idx[q++] = j == 0 ? 1 : j - 1;
        idx[q++] = j == 0 ? 7 : j;
    }
    ptr[8] = q;
    wlu_pattern *a = NULL;
    wlu_btf f;
    CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, 8, ptr, idx, &a) == WARPLU_SUCCESS);
    CHECK(wlu_btf_find(&ctx, a, NULL, NULL, 0, &f) == WARPLU_SUCCESS);
    int32_t kept = 0;
    for (int32_t k = 0; k < 8; k++) kept += f.row[k] == f.col[k];
    CHECK_SAY(kept == 6, "%d kept", kept);
    wlu_btf_free(&ctx, &f);
    wlu_pattern_destroy(&ctx, &a);
}

/* Augmenting paths, one column at a time. */
static int augment(const wlu_pattern *a, int32_t j, char *seen, int32_t *match)
{
    for (int32_t q = a->p[j]; q < a->p[j + 1]; q++) {
        int32_t i = a->i[q];
        if (seen[i]) continue;
        seen[i] = 1;
        if (match[i] < 0 || augment(a, match[i], seen, match)) {
            match[i] = j;
            return 1;
        }
    }
    return 0;
}

static int32_t structural_rank(const wlu_pattern *a, int32_t without)
{
    int32_t match[NMAX], rank = 0;
    for (int32_t i = 0; i < a->n; i++) match[i] = -1;
    for (int32_t j = 0; j < a->n; j++) {
        char seen[NMAX] = {0};
        if (j != without) rank += augment(a, j, seen, match);
    }
    return rank;
}

static void singular_patterns_are_named(void)
{
    begin(4242);
    int singular = 0;
    for (int t = 0; t < TRIES; t++) {
        int32_t n = 2 + check_below(&seed, NMAX - 1);
        wlu_pattern *a = random_pattern(n, (0.5 + 2.0 * check_uniform(&seed)) / n, 0);
        wlu_btf f;
        int32_t rank = structural_rank(a, -1);
        warplu_status status = wlu_btf_find(&ctx, a, NULL, NULL, t % 2, &f);
        CHECK(status == (rank < n ? WARPLU_STRUCTURALLY_SINGULAR : WARPLU_SUCCESS));
        if (status < 0) {
            int said_rank = -1, said_n = -1, col = -1;
            singular++;
            CHECK(f.row == NULL && f.col == NULL && f.block == NULL);
            CHECK_SAY(sscanf(ctx.last_message, "structurally singular: rank %d of %d; column %d", &said_rank, &said_n,
                             &col) == 3,
                      "%s", ctx.last_message);
            CHECK(said_rank == rank && said_n == n && col >= 0 && col < n);
            CHECK(structural_rank(a, col) == rank); /* the rank does not need that column */
        }
        wlu_btf_free(&ctx, &f);
        wlu_pattern_destroy(&ctx, &a);
    }
    CHECK(singular > TRIES / 10);
}

static void extraction_cuts_the_blocks(void)
{
    begin(99);
    for (int t = 0; t < TRIES; t++) {
        int32_t n = 1 + check_below(&seed, NMAX);
        wlu_pattern *a = random_pattern(n, check_uniform(&seed) * 3.0 / n, -1);
        wlu_btf f;
        wlu_blocks blocks;
        CHECK(wlu_btf_find(&ctx, a, NULL, NULL, t % 4 != 0, &f) == WARPLU_SUCCESS);
        CHECK(wlu_blocks_extract(&ctx, a, &f, 1, &blocks) == WARPLU_SUCCESS);
        int32_t total = 0;
        for (int32_t b = 0; b < f.nblocks; b++) {
            wlu_diagonal_block v = wlu_blocks_get(&blocks, b);
            int32_t s = f.block[b], q = 0;
            CHECK(v.n == f.block[b + 1] - s && v.p[0] == 0);
            for (int32_t c = 0; c < v.n; c++) {
                CHECK(v.p[c] == q);
                for (int32_t r = 0; r < v.n; r++)
                    if (wlu_pattern_find(a, f.row[s + r], f.col[s + c]) >= 0) CHECK(v.i[q++] == r);
            }
            CHECK(v.p[v.n] == q);
            total += q;
        }
        CHECK(total == blocks.first[f.nblocks]);
        wlu_blocks_free(&ctx, &blocks);
        wlu_btf_free(&ctx, &f);
        wlu_pattern_destroy(&ctx, &a);
    }
}

static volatile sig_atomic_t terminated;

static void on_term(int signal_number)
{
    (void)signal_number;
    terminated = 1;
}

static void orders_are_permutations(void)
{
    begin(31337);
    for (int t = 0; t < TRIES; t++) {
        int32_t n = 1 + check_below(&seed, NMAX), first[NMAX], again[NMAX];
        double density = t % 10 == 0 ? 0.0 : check_uniform(&seed) * 6.0 / n;
        wlu_pattern *a = random_pattern(n, density, 1);
        wlu_diagonal_block block = {.n = n, .p = a->p, .i = a->i};
        for (int o = WARPLU_ORDERING_NATURAL; o <= WARPLU_ORDERING_METIS; o++) {
            warplu_ordering ordering = (warplu_ordering)o;
            wlu_order_fn order = wlu_order_function(ordering);
            warplu_status status = order(&ctx, &block, first);
            if (!wlu_ordering_compiled(ordering)) {
                CHECK(status == WARPLU_NOT_COMPILED);
                continue;
            }
            CHECK(status == WARPLU_SUCCESS && order(&ctx, &block, again) == WARPLU_SUCCESS);
            CHECK_SAY(is_permutation(n, first), "%s, n %d", wlu_ordering_name(ordering), n);
            CHECK(memcmp(first, again, (size_t)n * sizeof *first) == 0);
        }
        wlu_pattern_destroy(&ctx, &a);
    }
}

/* The five-point grid: large enough and METIS dissects. */
static wlu_pattern *grid(int32_t side)
{
    int32_t n = side * side, q = 0;
    int32_t *ptr = malloc(((size_t)n + 1) * sizeof *ptr), *idx = malloc((size_t)n * 5 * sizeof *idx);
    wlu_pattern *a = NULL;
    for (int32_t j = 0; j < n; j++) {
        ptr[j] = q;
        idx[q++] = j;
        if (j % side > 0) idx[q++] = j - 1;
        if (j % side < side - 1) idx[q++] = j + 1;
        if (j >= side) idx[q++] = j - side;
        if (j < n - side) idx[q++] = j + side;
    }
    ptr[n] = q;
    CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, n, ptr, idx, &a) == WARPLU_SUCCESS);
    free(ptr);
    free(idx);
    return a;
}

static void metis_leaves_the_process_as_it_was(void)
{
    if (!wlu_ordering_compiled(WARPLU_ORDERING_METIS)) SKIP("no METIS in this build");
    wlu_context_init(&ctx, NULL);
    wlu_pattern *a = grid(40);
    wlu_diagonal_block block = {.n = a->n, .p = a->p, .i = a->i};
    int32_t *order = malloc((size_t)a->n * sizeof *order);
    void (*before)(int) = signal(SIGTERM, on_term);
    srand(5);
    (void)rand();
    int expected = rand();
    srand(5);
    (void)rand();
    CHECK(wlu_order_metis(&ctx, &block, order) == WARPLU_SUCCESS);
#ifdef __GLIBC__
    CHECK(rand() == expected);
#else
    (void)expected;
#endif
    raise(SIGTERM);
    CHECK(terminated == 1);
    signal(SIGTERM, before);
    wlu_counts nested, natural;
    CHECK(wlu_predict_counts(&ctx, &wlu_cost_cpu, block.n, &block, order, NULL, &nested) == WARPLU_SUCCESS);
    wlu_order_natural(&ctx, &block, order);
    CHECK(wlu_predict_counts(&ctx, &wlu_cost_cpu, block.n, &block, order, NULL, &natural) == WARPLU_SUCCESS);
    CHECK(nested.terms < 0.5 * natural.terms && nested.height < natural.height / 4);
    free(order);
    wlu_pattern_destroy(&ctx, &a);
}

/* The filled graph of B + B' by elimination; parent: the first entry below the diagonal. */
static void brute_force_counts(const wlu_diagonal_block *b, const int32_t *order, wlu_counts *out)
{
    static char fill[NMAX][NMAX];
    int32_t n = b->n, pos[NMAX], height[NMAX], count[NMAX], parent[NMAX];
    memset(fill, 0, sizeof fill);
    memset(out, 0, sizeof *out);
    for (int32_t k = 0; k < n; k++) pos[order[k]] = k;
    for (int32_t j = 0; j < n; j++)
        for (int32_t q = b->p[j]; q < b->p[j + 1]; q++) fill[pos[b->i[q]]][pos[j]] = fill[pos[j]][pos[b->i[q]]] = 1;
    for (int32_t k = 0; k < n; k++)
        for (int32_t r = k + 1; r < n; r++)
            for (int32_t c = k + 1; c < n; c++)
                if (fill[r][k] && fill[k][c]) fill[r][c] = 1;
    out->lu_nnz = n;
    for (int32_t k = 0; k < n; k++) height[k] = 1;
    for (int32_t k = 0; k < n; k++) {
        count[k] = 0;
        parent[k] = -1;
        for (int32_t r = n - 1; r > k; r--)
            if (fill[r][k]) {
                count[k]++;
                parent[k] = r;
            }
        out->terms += (double)count[k] * count[k];
        out->lu_nnz += 2.0 * count[k];
        if (parent[k] >= 0 && height[parent[k]] <= height[k]) height[parent[k]] = height[k] + 1;
        if (height[k] > out->height) out->height = height[k];
    }
}

static void counts_match_brute_force(void)
{
    begin(271828);
    for (int t = 0; t < 3 * TRIES; t++) {
        int32_t n = 1 + check_below(&seed, NMAX), order[NMAX];
        wlu_pattern *a = random_pattern(n, check_uniform(&seed) * 5.0 / n, t % 3 ? 1 : -1);
        wlu_diagonal_block block = {.n = n, .p = a->p, .i = a->i};
        for (int32_t k = 0; k < n; k++) order[k] = k;
        for (int32_t k = n - 1; k > 0 && t % 2; k--) {
            int32_t s = check_below(&seed, k + 1), v = order[k];
            order[k] = order[s];
            order[s] = v;
        }
        wlu_counts got, want;
        CHECK(wlu_predict_counts(&ctx, &wlu_cost_cpu, block.n, &block, order, NULL, &got) == WARPLU_SUCCESS);
        brute_force_counts(&block, order, &want);
        CHECK_SAY(got.terms == want.terms && got.lu_nnz == want.lu_nnz && got.height == want.height,
                  "n %d: terms %g %g, entries %g %g, height %d %d", n, got.terms, want.terms, got.lu_nnz, want.lu_nnz,
                  got.height, want.height);
        wlu_cost terms_only = {.ns_per_dot_term = 1.0, .ns_per_tile = 1e9};
        CHECK(wlu_predict_counts(&ctx, &terms_only, block.n, &block, order, NULL, &got) == WARPLU_SUCCESS &&
              got.ns == want.terms);
        wlu_cost tiles_only = {.ns_per_dot_record = 1e9, .ns_per_tile = 1.0, .ns_per_tile_source = 1000.0};
        CHECK(wlu_predict_counts(&ctx, &tiles_only, block.n, &block, order, NULL, &got) == WARPLU_SUCCESS);
        int32_t tiles = (int32_t)got.ns % 1000, sources = (int32_t)got.ns / 1000;
        if (n > 1) CHECK(tiles * WLU_TILE_WIDTH >= n && tiles <= n && sources <= tiles * (tiles - 1) / 2);
        wlu_pattern_destroy(&ctx, &a);
    }
}

/* A full matrix is tiles of eight, each of which updates all that follow. */
static void full_matrices_are_tiles(void)
{
    for (int32_t n = 2; n <= NMAX; n++) {
        int32_t order[NMAX], tiles = (n + WLU_TILE_WIDTH - 1) / WLU_TILE_WIDTH;
        wlu_pattern *a = random_pattern(n, 1.0, 1);
        wlu_diagonal_block block = {.n = n, .p = a->p, .i = a->i};
        wlu_cost cost = {.ns_per_dot_record = 1e9, .ns_per_tile = 1.0, .ns_per_tile_source = 1000.0};
        wlu_counts got;
        for (int32_t k = 0; k < n; k++) order[k] = k;
        CHECK(wlu_predict_counts(&ctx, &cost, block.n, &block, order, NULL, &got) == WARPLU_SUCCESS);
        CHECK_SAY(got.ns == tiles + 1000.0 * (tiles * (tiles - 1) / 2), "n %d: %g", n, got.ns);
        wlu_pattern_destroy(&ctx, &a);
    }
}

static void orderings_have_names(void)
{
    for (int o = WARPLU_ORDERING_AUTO; o <= WARPLU_ORDERING_GIVEN; o++) {
        warplu_ordering back = WARPLU_ORDERING_AUTO;
        CHECK(wlu_ordering_parse(wlu_ordering_name((warplu_ordering)o), &back) && (int)back == o);
    }
    warplu_ordering none = WARPLU_ORDERING_AMD;
    CHECK(!wlu_ordering_parse("best", &none) && none == WARPLU_ORDERING_AMD);
    CHECK(strcmp(wlu_ordering_name((warplu_ordering)99), "?") == 0);
    CHECK(wlu_order_function(WARPLU_ORDERING_AUTO) == NULL && wlu_order_function(WARPLU_ORDERING_GIVEN) == NULL);
}

int main(void)
{
    RUN(orderings_have_names);
    RUN(block_form_is_triangular);
    RUN(one_block_keeps_columns);
    RUN(transversal_keeps_most_of_the_diagonal);
    RUN(singular_patterns_are_named);
    RUN(extraction_cuts_the_blocks);
    RUN(orders_are_permutations);
    RUN(metis_leaves_the_process_as_it_was);
    RUN(counts_match_brute_force);
    RUN(full_matrices_are_tiles);
    return check_done();
}
