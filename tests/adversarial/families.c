/* Families of matrices. See families.h. */
#include "families.h"

#include "draw.h"

#include <stdlib.h>
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

static void draw_triangle(int32_t most, uint64_t *seed, test_matrix *m)
{
    draft d = draft_create(10 + check_below(seed, most - 9));
    double density = draw_between(seed, 0.1, 1.0);
    int above = check_below(seed, 2), rows = check_below(seed, 2), columns = check_below(seed, 2);
    for (int32_t j = 0; j < d.n; j++)
        for (int32_t i = j; i < d.n; i++)
            if (i <= j + 1 || check_uniform(seed) < density) put_normal(&d, i, j, seed);
    for (int32_t j = 1; j < d.n && above; j++) put_normal(&d, j - 1, j, seed);
    full_columns(&d, seed);
    finish(&d, rows, columns, seed, m);
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
            if ((i - j <= below && j - i <= above) || i >= d.n - border || j >= d.n - border) put_normal(&d, i, j, seed);
    finish(&d, check_below(seed, 2), check_below(seed, 2), seed, m);
}

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
