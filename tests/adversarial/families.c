/* Families of matrices. See families.h. */
#include "families.h"

#include "draw.h"
#include "judge.h"
#ifdef WLU_WITH_GENERATORS
#include "gen/gen.h"
#endif

#include <math.h>
#include <string.h>

static const char *const names[FAMILIES] = {
#define FAMILY(name, what) #name,
#include "families.def"
#undef FAMILY
};

const char *family_name(family_kind kind)
{
    return names[kind];
}

family_kind family_find(const char *name)
{
    int k = 0;
    while (k < FAMILIES && strcmp(names[k], name) != 0) k++;
    return (family_kind)k;
}

/* ------------------------------------------------------------ dense drafts */

/* A matrix as it is drawn: by columns, with its pattern. */
typedef struct draft {
    int32_t n;
    double *value; /* n by n */
    unsigned char *there;
} draft;

static draft draft_create(int32_t n)
{
    size_t nn = (size_t)n * (size_t)n;
    return (draft){n, calloc(nn, sizeof(double)), calloc(nn, 1)};
}

static void put(draft *d, int32_t i, int32_t j, double v)
{
    size_t at = (size_t)j * (size_t)d->n + (size_t)i;
    d->value[at] = v;
    d->there[at] = 1;
}

static void put_normal(draft *d, int32_t i, int32_t j, uint64_t *seed)
{
    put(d, i, j, draw_normal(seed));
}

static void order(int32_t *to, int32_t n, int shuffled, uint64_t *seed)
{
    for (int32_t k = 0; k < n; k++) to[k] = k;
    for (int32_t k = n - 1; k > 0 && shuffled; k--) {
        int32_t other = check_below(seed, k + 1), t = to[k];
        to[k] = to[other];
        to[other] = t;
    }
}

/* The draft's entries, rows and columns permuted where asked for. Frees the draft. */
static void finish(draft *d, int rows, int columns, uint64_t *seed, test_matrix *m)
{
    int32_t n = d->n, *row = malloc((size_t)n * sizeof *row), *col = malloc((size_t)n * sizeof *col);
    size_t nn = (size_t)n * (size_t)n, count = 0;
    for (size_t k = 0; k < nn; k++) count += d->there[k];
    *m = (test_matrix){.n = n};
    m->ptr = calloc((size_t)n + 1, sizeof *m->ptr);
    m->idx = malloc((count + 1) * sizeof *m->idx);
    m->x = malloc((count + 1) * sizeof *m->x);
    order(row, n, rows, seed);
    order(col, n, columns, seed);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) {
            size_t at = (size_t)col[j] * (size_t)n + (size_t)row[i];
            if (!d->there[at]) continue;
            m->idx[m->nnz] = i;
            m->x[m->nnz++] = d->value[at];
        }
        m->ptr[j + 1] = m->nnz;
    }
    free(d->value);
    free(d->there);
    free(row);
    free(col);
}

static void full_columns(draft *d, uint64_t *seed)
{
    for (int32_t j = d->n - 1 - check_below(seed, 3); j < d->n; j++)
        for (int32_t i = 0; i < d->n; i++) put_normal(d, i, j, seed);
}

/* ---------------------------------------------------------------- families */

/* Rows and columns from..end-1: entries below the diagonal, above it next to it in half of all draws. */
static void put_triangle(draft *d, int32_t from, int32_t end, uint64_t *seed)
{
    double density = draw_between(seed, 0.1, 1.0);
    int above = check_below(seed, 2);
    for (int32_t j = from; j < end; j++)
        for (int32_t i = j; i < end; i++)
            if (i <= j + 1 || check_uniform(seed) < density) put_normal(d, i, j, seed);
    for (int32_t j = from + 1; j < end && above; j++) put_normal(d, j - 1, j, seed);
}

static void draw_triangle(int32_t most, uint64_t *seed, test_matrix *m)
{
    draft d = draft_create(10 + check_below(seed, most - 9));
    put_triangle(&d, 0, d.n, seed);
    full_columns(&d, seed);
    finish(&d, check_below(seed, 2), check_below(seed, 2), seed, m);
}

static void draw_sparse(int32_t most, uint64_t *seed, test_matrix *m)
{
    draft d = draft_create(10 + check_below(seed, most - 9));
    double density = draw_between(seed, 1.0, 6.0) / d.n;
    for (int32_t j = 0; j < d.n; j++)
        for (int32_t i = 0; i < d.n; i++)
            if (i == j || check_uniform(seed) < density) put_normal(&d, i, j, seed);
    full_columns(&d, seed);
    finish(&d, check_below(seed, 2), check_below(seed, 2), seed, m);
}

static void draw_arrow(int32_t most, uint64_t *seed, test_matrix *m)
{
    draft d = draft_create(10 + check_below(seed, most - 9));
    int32_t below = check_below(seed, 4), above = check_below(seed, 3), border = 1 + check_below(seed, 3);
    for (int32_t j = 0; j < d.n; j++)
        for (int32_t i = 0; i < d.n; i++)
            if ((i - j <= below && j - i <= above) || i >= d.n - border || j >= d.n - border)
                put_normal(&d, i, j, seed);
    finish(&d, check_below(seed, 2), check_below(seed, 2), seed, m);
}

static void draw_blocks(int32_t most, uint64_t *seed, test_matrix *m)
{
    draft d = draft_create(10 + check_below(seed, most - 9));
    double density = draw_between(seed, 0.0, 0.5);
    for (int32_t from = 0, end; from < d.n; from = end) {
        end = from + 3 + check_below(seed, d.n);
        if (end > d.n) end = d.n;
        put_triangle(&d, from, end, seed);
        for (int32_t i = 0; i < end; i++)
            if (i >= from || check_uniform(seed) < density) put_normal(&d, i, end - 1, seed);
        for (int32_t j = from; j < end; j++)
            for (int32_t i = 0; i < from; i++)
                if (check_uniform(seed) < density) put_normal(&d, i, j, seed);
    }
    finish(&d, check_below(seed, 2), check_below(seed, 2), seed, m);
}

static void draw_scaled(int32_t most, uint64_t *seed, test_matrix *m)
{
    draw_triangle(most, seed, m);
    int range = 1 + check_below(seed, 24), *of_row = malloc((size_t)m->n * sizeof *of_row);
    for (int32_t i = 0; i < m->n; i++) of_row[i] = check_below(seed, range);
    for (int32_t j = 0; j < m->n; j++) {
        int of_column = check_below(seed, range);
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) m->x[q] = ldexp(m->x[q], of_row[m->idx[q]] - of_column);
    }
    free(of_row);
}

/* Pivots that are small beside the ones below them, so that |l| is 2^5 to 2^10, and so is the growth of |u| in the last
 * column; the last row's l turn their signs midway, and its last entry makes their sum small. The rows between are
 * stages: each is eliminated by a pivot of the stage before, one, two or three of them. */
static void draw_cancel(int32_t most, uint64_t *seed, test_matrix *m)
{
    int32_t stages = 1 + check_below(seed, 3), room = (most - 2) / stages;
    int32_t width = 1 + check_below(seed, room < 12 ? room : 12), n = stages * width + 2, last = n - 1;
    draft d = draft_create(n);
    double *u = calloc((size_t)n, sizeof *u), sum = 0.0,
           pivot = ldexp(draw_between(seed, 1.0, 2.0), -5 - check_below(seed, 6));
    u[0] = draw_between(seed, 0.5, 1.0);
    put(&d, 0, 0, pivot);
    put(&d, 0, last, u[0]);
    for (int32_t k = 1; k < last; k++) {
        int32_t before = k <= width ? 0 : k - width;
        double below = draw_sign(seed) * draw_between(seed, 0.5, 1.0), right = draw_normal(seed);
        put(&d, k, before, below);
        put(&d, k, k, pivot);
        put(&d, k, last, right);
        u[k] = right - below / pivot * u[before];
    }
    for (int32_t k = last - width; k < last; k++) { /* the last stage: sums that grow, then cancel */
        double below =
            (k - (last - width) < width / 2 ? 1.0 : -1.0) * (u[k] < 0.0 ? -1.0 : 1.0) * draw_between(seed, 0.5, 1.0);
        if (k == last - 1 && width > 1 && fabs(sum / u[k] * pivot) <= 1.0) below = -sum / u[k] * pivot;
        put(&d, last, k, below);
        sum += below / pivot * u[k];
    }
    put(&d, last, last, draw_normal(seed));
    free(u);
    finish(&d, check_below(seed, 2), check_below(seed, 2), seed, m);
}

static void draw_recipe(int32_t most, uint64_t *seed, test_matrix *m)
{
    test_recipe r = test_recipe_random(seed, most - 9);
    r.n += 9;
    r.duplicates = 0;
    test_matrix_random(m, seed, &r);
}

#ifdef WLU_WITH_GENERATORS
static void draw_circuit(int32_t most, uint64_t *seed, test_matrix *m)
{
    const gen_kind *kind = &gen_kinds[check_below(seed, gen_kind_count)];
    wlu_context ctx;
    gen_params p;
    gen_matrix g;
    wlu_context_init(&ctx, NULL);
    gen_params_init(&p);
    p.size = kind->smallest > 10 ? kind->smallest : 10;
    p.size += check_below(seed, most / 2 > p.size ? most / 2 - (int32_t)p.size : 1);
    p.seed = check_random(seed);
    p.sources = (kind->takes & GEN_SOURCES) && check_below(seed, 2);
    if (gen_build(&ctx, kind, &p, &g) < 0) {
        draw_recipe(most, seed, m);
        return;
    }
    judge_sum(&(test_matrix){.n = g.n, .nnz = g.ptr[g.n], .ptr = g.ptr, .idx = g.idx, .x = g.values}, m);
    gen_matrix_free(&ctx, &g);
}
#else
static void draw_circuit(int32_t most, uint64_t *seed, test_matrix *m)
{
    draw_recipe(most, seed, m);
}
#endif

typedef void (*draw_fn)(int32_t most, uint64_t *seed, test_matrix *m);

static const draw_fn draws[FAMILIES] = {
#define FAMILY(name, what) draw_##name,
#include "families.def"
#undef FAMILY
};

void family_draw(family_kind kind, int32_t most, uint64_t *seed, test_matrix *m)
{
    draws[kind](most, seed, m);
}
