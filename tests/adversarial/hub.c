/* Patterns with hubs. See hub.h. Entries are listed first, then sorted into columns in the order of the list. */
#include "hub.h"

#include "draw.h"

#include <stdlib.h>
#include <string.h>

/* Hubs of stars, at most. Of fewer unknowns there may be as many that supernodes come of them. */
enum { MOST_HUBS = 40, FEW = 1500 };

typedef struct entry {
    int32_t row, col, hub;
    hub_role role;
} entry;

typedef struct list {
    entry *e;
    int64_t count, room;
} list;

static void put(list *l, int32_t row, int32_t col, hub_role role, int32_t hub)
{
    if (l->count == l->room) {
        l->room = 2 * l->room + 1024;
        l->e = realloc(l->e, (size_t)l->room * sizeof *l->e);
    }
    l->e[l->count++] = (entry){row, col, hub, role};
}

/* ----------------------------------------------------------------- shapes */

/* Blocks of so many unknowns of the first n: chains, or full ones. */
static void put_blocks(list *l, int32_t n, int32_t size, int full)
{
    for (int32_t j = 0; j < n; j++) {
        int32_t begin = j - j % size, end = begin + size < n ? begin + size : n;
        for (int32_t i = begin; i < end; i++)
            if (full || abs(i - j) <= 1) put(l, i, j, i == j ? HUB_DIAGONAL : HUB_INNER, -1);
    }
}

/* Hub g of h, beside its unknowns from `begin` on, each `by`-th. rows, columns: what it has of these. */
static void put_hub(list *l, const hub_matrix *h, int32_t g, int32_t begin, int32_t end, int32_t by, int rows,
                    int columns)
{
    for (int32_t j = begin; j < end; j += by) {
        if (rows) put(l, h->at[g], j, HUB_ROW, g);
        if (columns) put(l, j, h->at[g], HUB_COLUMN, g);
    }
}

/* Diagonals of hubs; entries of all pairs, of those with the last one, or above the diagonal alone. */
static void put_roots(list *l, const hub_matrix *h, int with_last, int above)
{
    for (int32_t g = 0; g < h->hubs; g++)
        for (int32_t k = 0; k < h->hubs; k++) {
            if (g == k) put(l, h->at[g], h->at[g], HUB_ROOT, g);
            if (g == k || (with_last && g != h->hubs - 1 && k != h->hubs - 1) || (above && g > k)) continue;
            put(l, h->at[g], h->at[k], HUB_BETWEEN, g);
        }
}

static void put_arrow(list *l, uint64_t *seed, const hub_matrix *h, int32_t leaves)
{
    put_blocks(l, leaves, 1, 0);
    for (int32_t g = 0; g < h->hubs; g++)
        put_hub(l, h, g, 0, leaves, g == 0 || draw_one_in(seed, 2) ? 1 : 1 + check_below(seed, 7), 1, 1);
    put_roots(l, h, 0, 0);
}

static void put_bordered(list *l, uint64_t *seed, const hub_matrix *h, int32_t leaves)
{
    int32_t size = 2 + check_below(seed, 7);
    put_blocks(l, leaves, size, draw_one_in(seed, 2));
    for (int32_t g = 0; g < h->hubs; g++)
        put_hub(l, h, g, check_below(seed, size), leaves, draw_one_in(seed, 2) ? 1 : size, 1, 1);
    put_roots(l, h, 0, 0);
}

/* The last hub is that of hubs, and in half of all cases of all unknowns too. */
static void put_stars(list *l, uint64_t *seed, const hub_matrix *h, int32_t leaves)
{
    int32_t stars = h->hubs - 1;
    put_blocks(l, leaves, 1, 0);
    for (int32_t g = 0; g < stars; g++)
        put_hub(l, h, g, (int32_t)((int64_t)leaves * g / stars), (int32_t)((int64_t)leaves * (g + 1) / stars), 1, 1, 1);
    if (draw_one_in(seed, 2)) put_hub(l, h, stars, 0, leaves, 1, 1, 1);
    put_roots(l, h, 1, 0);
}

static void put_supply(list *l, uint64_t *seed, const hub_matrix *h, int32_t leaves)
{
    int columns = check_below(seed, 2);
    put_blocks(l, leaves, 1 + check_below(seed, 4), draw_one_in(seed, 2));
    for (int32_t g = 0; g < h->hubs; g++) put_hub(l, h, g, 0, leaves, 1 + check_below(seed, 2), !columns, columns);
    put_roots(l, h, 0, draw_one_in(seed, 2));
}

/* ----------------------------------------------------------------- arrays */

/* Sorts the list into columns. */
static void sort(const list *l, hub_matrix *h)
{
    test_matrix *m = &h->m;
    const size_t nnz = (size_t)l->count;
    m->nnz = (int32_t)l->count;
    m->ptr = calloc((size_t)m->n + 1, sizeof *m->ptr);
    m->idx = malloc(nnz * sizeof *m->idx);
    m->x = calloc(nnz * (size_t)m->doubles, sizeof *m->x);
    h->role = malloc(nnz);
    h->hub = malloc(nnz * sizeof *h->hub);
    h->place = calloc(nnz, sizeof *h->place);
    int32_t *next = malloc((size_t)m->n * sizeof *next);
    for (int64_t k = 0; k < l->count; k++) m->ptr[l->e[k].col + 1]++;
    for (int32_t j = 0; j < m->n; j++) m->ptr[j + 1] += m->ptr[j];
    memcpy(next, m->ptr, (size_t)m->n * sizeof *next);
    for (int64_t k = 0; k < l->count; k++) {
        int32_t q = next[l->e[k].col]++;
        m->idx[q] = l->e[k].row;
        h->role[q] = (uint8_t)l->e[k].role;
        h->hub[q] = l->e[k].hub;
    }
    for (int32_t q = 0; q < m->nnz; q++) {
        if (h->role[q] == HUB_ROW) h->place[q] = h->rows[h->hub[q]]++;
        if (h->role[q] == HUB_COLUMN) h->place[q] = h->columns[h->hub[q]]++;
    }
    free(next);
}

/* Hubs are the last unknowns, or in some cases the first. */
static void place_hubs(hub_matrix *h, int32_t n)
{
    h->at = malloc((size_t)h->hubs * sizeof *h->at);
    h->rows = calloc((size_t)h->hubs, sizeof *h->rows);
    h->columns = calloc((size_t)h->hubs, sizeof *h->columns);
    for (int32_t g = 0; g < h->hubs; g++) h->at[g] = n - h->hubs + g;
}

void hub_draw(hub_matrix *h, uint64_t *seed, hub_shape shape, int32_t n, int doubles)
{
    static void (*const put_shape[HUB_SHAPES])(list *, uint64_t *, const hub_matrix *,
                                               int32_t) = {put_arrow, put_bordered, put_stars, put_supply};
    list l = {0};
    *h = (hub_matrix){.shape = shape, .m = {.n = n, .doubles = doubles}};
    h->hubs = draw_one_in(seed, 2) ? 1 : 1 + check_below(seed, 4);
    if (n <= FEW && draw_one_in(seed, 6)) h->hubs = 8 + check_below(seed, n / 16 + 1);
    if (shape == HUB_STARS) h->hubs = 3 + check_below(seed, n / 8 < MOST_HUBS - 2 ? n / 8 : MOST_HUBS - 2);
    place_hubs(h, n);
    put_shape[shape](&l, seed, h, n - h->hubs);
    sort(&l, h);
    free(l.e);
}

void hub_free(hub_matrix *h)
{
    test_matrix_free(&h->m);
    free(h->at);
    free(h->rows);
    free(h->columns);
    free(h->role);
    free(h->hub);
    free(h->place);
}
