/* Maximum product matching by shortest augmenting paths. See order/matching.h for what is found.
 *
 * With g = log2|a_ij|, the duals r and s are kept feasible: g + r_i + s_j <= 0 for every entry, with equality where
 * matched. The slack -(g + r_i + s_j) is the reduced cost of the assignment problem. s starts at minus the largest g of
 * each column, r at what each row then leaves. A cheap pass matches tight entries: the diagonal, then free rows, then
 * rows whose column finds another row (paths of length two). Each column left is the root of a search like Dijkstra's
 * through tight and other entries to the nearest free row. Then the duals of all rows nearer than that are moved, and
 * the path is flipped. Rows at the distance reached wait in a queue, those further off in a heap.
 *
 * Time: O(n + nnz) for most circuits, whose cheap pass leaves few columns; O(n (nnz + n log n)) at worst. Memory: 44 n
 * + 4 nnz bytes while it runs. Logarithms are integers in units of 2^-WLU_MATCHING_FRACTION_BITS, so that duals are
 * exact: they stay below 2^23 n. */
#include "order/matching.h"

#include <math.h>
#include <string.h>

enum { NO_CANDIDATE = INT32_MIN, UNSEEN = -1, DONE = -2, POLL_EVERY = 1 << 20 /* looks */ };

typedef struct matcher {
    const wlu_pattern *a;
    int32_t *log;      /* by entry: log2 of its magnitude, or NO_CANDIDATE */
    int64_t *r, *s;    /* duals by row and column; r, s and distance are one allocation */
    int64_t *distance; /* by row seen: from the root of the search */
    int32_t *match;    /* by row: its column, or -1 */
    int32_t *partner;  /* by column: its row, or -1; from here on one allocation */
    int32_t *parent;   /* by row seen: the column before it */
    int32_t *place;    /* by row: in the heap, or UNSEEN, or DONE */
    int32_t *heap;     /* rows by distance */
    int32_t *tree;     /* rows done, in order */
    int32_t heap_size, tree_size;
    int64_t looks; /* at entries, by searches */
} matcher;

static int64_t slack(const matcher *m, int32_t e, int32_t j)
{
    return -(m->log[e] + m->r[m->a->i[e]] + m->s[j]);
}

/* ------------------------------------------------------------------ start */

static void take_logarithms(matcher *m, const double *entries)
{
    const double unit = (double)((int32_t)1 << WLU_MATCHING_FRACTION_BITS);
    for (int32_t j = 0; j < m->a->n; j++)
        for (int32_t e = m->a->p[j]; e < m->a->p[j + 1]; e++) {
            m->log[e] = NO_CANDIDATE;
            if (entries[e] == 0.0) continue;
            m->log[e] =
                (int32_t)floor(log2(fabs(entries[e])) * unit + 0.5) + (m->a->i[e] == j); /* ties: the diagonal */
        }
}

/* Feasible duals, one tight entry at least in every row and column that holds any; 0 if some column holds none. */
static int start_duals(matcher *m)
{
    const wlu_pattern *a = m->a;
    for (int32_t i = 0; i < a->n; i++) m->r[i] = INT64_MAX;
    for (int32_t j = 0; j < a->n; j++) {
        int32_t largest = NO_CANDIDATE;
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
            if (m->log[e] > largest) largest = m->log[e];
        if (largest == NO_CANDIDATE) return 0;
        m->s[j] = -(int64_t)largest;
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
            if (m->log[e] != NO_CANDIDATE && largest - m->log[e] < m->r[a->i[e]]) m->r[a->i[e]] = largest - m->log[e];
    }
    return 1;
}

static void join(matcher *m, int32_t i, int32_t j)
{
    m->match[i] = j;
    m->partner[j] = i;
}

/* The first tight entry of column j from entry e on, in a free row if so asked; -1 if there is none. */
static int32_t next_tight(const matcher *m, int32_t j, int32_t e, int free)
{
    for (; e < m->a->p[j + 1]; e++)
        if (m->log[e] != NO_CANDIDATE && (!free || m->match[m->a->i[e]] < 0) && slack(m, e, j) == 0) return e;
    return -1;
}

/* Matches what is tight. next: where each column's search for a free row goes on, n; rows once taken stay taken. */
static void match_cheaply(matcher *m, int32_t *next)
{
    const wlu_pattern *a = m->a;
    for (int32_t j = 0; j < a->n; j++) {
        int32_t e = wlu_pattern_find(a, j, j);
        next[j] = a->p[j];
        if (e >= 0 && m->log[e] != NO_CANDIDATE && slack(m, e, j) == 0) join(m, j, j);
    }
    for (int32_t j = 0; j < a->n; j++) {
        if (m->partner[j] >= 0) continue;
        int32_t e = next_tight(m, j, a->p[j], 1);
        if (e >= 0) join(m, a->i[e], j);
    }
    for (int32_t j = 0; j < a->n; j++) {
        if (m->partner[j] >= 0) continue;
        for (int32_t e = next_tight(m, j, a->p[j], 0); e >= 0; e = next_tight(m, j, e + 1, 0)) {
            int32_t i = a->i[e], other = m->match[i]; /* no tight row is free by now */
            int32_t f = next_tight(m, other, next[other], 1);
            next[other] = f >= 0 ? f + 1 : a->p[other + 1];
            if (f < 0) continue;
            join(m, a->i[f], other);
            join(m, i, j);
            break;
        }
    }
}

/* ------------------------------------------------------------------- heap */

static void sift_up(matcher *m, int32_t row, int32_t at)
{
    while (at > 0) {
        int32_t up = (at - 1) / 2, above = m->heap[up];
        if (m->distance[above] <= m->distance[row]) break;
        m->heap[at] = above;
        m->place[above] = at;
        at = up;
    }
    m->heap[at] = row;
    m->place[row] = at;
}

/* Removes and returns the nearest row. */
static int32_t pop(matcher *m)
{
    int32_t nearest = m->heap[0], row = m->heap[--m->heap_size], at = 0;
    while (2 * (int64_t)at + 1 < m->heap_size) {
        int32_t down = 2 * at + 1;
        if (down + 1 < m->heap_size && m->distance[m->heap[down + 1]] < m->distance[m->heap[down]]) down++;
        if (m->distance[row] <= m->distance[m->heap[down]]) break;
        m->heap[at] = m->heap[down];
        m->place[m->heap[at]] = at;
        at = down;
    }
    if (m->heap_size > 0) {
        m->heap[at] = row;
        m->place[row] = at;
    }
    return nearest;
}

/* ----------------------------------------------------------------- search */

static void finish_row(matcher *m, int32_t row)
{
    m->place[row] = DONE;
    m->tree[m->tree_size++] = row;
}

/* Looks at column j from distance `reached`: rows seen for the first time or nearer than before are noted, and the
 * nearest free row kept in *free, at *length. */
static void scan(matcher *m, int32_t j, int64_t reached, int32_t *free, int64_t *length)
{
    const wlu_pattern *a = m->a;
    m->looks += a->p[j + 1] - a->p[j];
    for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
        int32_t i = a->i[e];
        if (m->log[e] == NO_CANDIDATE || m->place[i] == DONE) continue;
        int64_t distance = reached + slack(m, e, j);
        if (distance >= *length || (m->place[i] != UNSEEN && distance >= m->distance[i])) continue;
        m->parent[i] = j;
        if (m->match[i] < 0) {
            *free = i;
            *length = distance;
            if (distance == reached) return;
            continue;
        }
        m->distance[i] = distance;
        if (m->place[i] != UNSEEN)
            sift_up(m, i, m->place[i]);
        else if (distance == reached)
            finish_row(m, i);
        else
            sift_up(m, i, m->heap_size++);
    }
}

/* Moves the duals along the paths found and turns the shortest one over. */
static void augment(matcher *m, int32_t root, int32_t free, int64_t length)
{
    m->s[root] += length;
    for (int32_t t = 0; t < m->tree_size; t++) {
        int32_t i = m->tree[t];
        m->r[i] -= length - m->distance[i];
        m->s[m->match[i]] += length - m->distance[i];
    }
    for (int32_t i = free, j = -1; j != root;) {
        j = m->parent[i];
        int32_t before = m->partner[j];
        join(m, i, j);
        i = before;
    }
}

/* Matches column root by a shortest path; 0 if there is none. */
static int match_column(matcher *m, int32_t root)
{
    int64_t reached = 0, length = INT64_MAX;
    int32_t free = -1, column = root, head = 0;
    m->heap_size = m->tree_size = 0;
    for (;;) {
        scan(m, column, reached, &free, &length);
        if (length == reached) break;
        if (head == m->tree_size) {
            if (m->heap_size == 0 || m->distance[m->heap[0]] >= length) break;
            finish_row(m, pop(m));
            reached = m->distance[m->tree[head]];
        }
        column = m->match[m->tree[head++]];
    }
    if (free >= 0) augment(m, root, free, length);
    for (int32_t t = 0; t < m->tree_size; t++) m->place[m->tree[t]] = UNSEEN;
    for (int32_t t = 0; t < m->heap_size; t++) m->place[m->heap[t]] = UNSEEN;
    return free >= 0;
}

/* ----------------------------------------------------------------- scales */

static int16_t exponent_of(int64_t dual)
{
    const int64_t unit = (int64_t)1 << WLU_MATCHING_FRACTION_BITS;
    int64_t e = dual >= 0 ? (dual + unit / 2) / unit : -((-dual + unit / 2) / unit);
    if (e > WLU_MATCHING_EXPONENT_MAX) e = WLU_MATCHING_EXPONENT_MAX;
    if (e < -WLU_MATCHING_EXPONENT_MAX) e = -WLU_MATCHING_EXPONENT_MAX;
    return (int16_t)e;
}

/* The duals are free up to a constant, added to rows and taken from columns: the one that makes the largest exponent
 * smallest. */
static void round_scales(const matcher *m, int16_t *row_exponent, int16_t *col_exponent)
{
    int32_t n = m->a->n;
    int64_t least = m->r[0], most = m->r[0];
    for (int32_t k = 0; k < n; k++) {
        int64_t r = m->r[k], c = -m->s[k];
        least = r < least ? r : least;
        least = c < least ? c : least;
        most = r > most ? r : most;
        most = c > most ? c : most;
    }
    int64_t middle = least + (most - least) / 2;
    for (int32_t k = 0; k < n; k++) {
        row_exponent[k] = exponent_of(m->r[k] - middle);
        col_exponent[k] = exponent_of(m->s[k] + middle);
    }
}

/* --------------------------------------------------------------- assembly */

static warplu_status find(wlu_context *ctx, matcher *m, int64_t max_looks, int *found)
{
    int32_t n = m->a->n;
    int64_t poll_at = 0;
    if (!start_duals(m)) return WARPLU_SUCCESS;
    for (int32_t k = 0; k < n; k++) m->match[k] = m->partner[k] = -1;
    match_cheaply(m, m->heap);
    for (int32_t k = 0; k < n; k++) m->place[k] = UNSEEN;
    for (int32_t j = 0; j < n; j++) {
        if (m->partner[j] >= 0) continue;
        if (m->looks >= poll_at) {
            warplu_status status = wlu_poll_cancel(ctx);
            if (status < 0) return status;
            poll_at = m->looks + POLL_EVERY;
        }
        if (m->looks > max_looks || !match_column(m, j)) return WARPLU_SUCCESS;
    }
    *found = 1;
    return WARPLU_SUCCESS;
}

warplu_status wlu_matching_find(wlu_context *ctx, const wlu_pattern *a, const double *entries, int64_t max_looks,
                                int32_t *match, int16_t *row_exponent, int16_t *col_exponent, int *found)
{
    int64_t n = a->n;
    matcher m = {.a = a, .match = match};
    warplu_status status = WARPLU_SUCCESS;
    *found = 0;
    m.log = WLU_ALLOC(ctx, a->nnz, int32_t);
    m.r = WLU_ALLOC(ctx, 3 * n, int64_t);
    m.partner = WLU_ALLOC(ctx, 5 * n, int32_t);
    if (m.log == NULL || m.r == NULL || m.partner == NULL) {
        status = wlu_fail_memory(ctx, "matching");
    } else {
        m.s = m.r + n;
        m.distance = m.s + n;
        m.parent = m.partner + n;
        m.place = m.parent + n;
        m.heap = m.place + n;
        m.tree = m.heap + n;
        take_logarithms(&m, entries);
        status = find(ctx, &m, max_looks, found);
        if (*found) round_scales(&m, row_exponent, col_exponent);
    }
    wlu_free(ctx, m.log);
    wlu_free(ctx, m.r);
    wlu_free(ctx, m.partner);
    return status;
}
