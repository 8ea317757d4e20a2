/* The bound of numerics/bound.h row by row, by the magnitudes that a row's entries of L and F have now, in place of the
 * largest of all.
 *
 * Equation i of A is wrong by at most u (line_i l_i u / max|a_i.| + loads_i), where l_i is the weighted mean of
 * |l_ik| in row i of L and 1, each by its part of line_i, and loads_i = (sum_j |f_ij|) (f_i + 1) / max|a_i.| + entries
 * of the row. Hubs have long lines and few large entries, so that their means are far below the largest l, and their F
 * comes to their diagonal. For A' rows are columns, and L and U change places. Rows that the largest l leaves open are
 * looked at, and no others: they are sorted by how long their lines are, relative to their magnitude when pivots were
 * chosen (of A': to what U grew from).
 *
 * Many are settled by the magnitude of now and the largest number of L, which takes one entry of A. Listed once for
 * factors whose rows are open; each look costs O(open rows, and entries of L and F in those that are left). Entries
 * that stand close to each other, as those of tiles and of F do, are loaded eight at a time. Weights are rounded up to
 * 5 bits. Memory: 6 bytes an entry of such rows, less where they stand close, 100 a row. */
#ifndef WLU_NUMERICS_MEANS_H
#define WLU_NUMERICS_MEANS_H

#include "numerics/bound.h"

/* Numbers and their weights, by upper 16 bits: eight in a row from each window on, and single ones in groups of eight.
 * Where there are fewer their weight is 0. */
enum { WLU_MEAN_WINDOW = 8 };
typedef struct wlu_weighed_numbers {
    int64_t windows, groups;
    const int32_t *window, *single;                /* windows, 8 groups: where they stand */
    const uint16_t *window_weight, *single_weight; /* 8 windows, 8 groups */
} wlu_weighed_numbers;

/* The sum of their sizes times their weights, in an order that is the same on every machine; NaN where one is. */
typedef double wlu_sum_weighed(const double *x, const wlu_weighed_numbers *numbers);

/* Rows that may be open, by the largest numbers: of row r its line in the caller's scales, the diagonal's part of that,
 * and the entry that was the largest of its equation when pivots were chosen. */
typedef struct wlu_mean_lines {
    double *line, *own;
    int32_t *largest; /* among A's entries */
    int32_t *source;  /* among the caller's; NULL where entries are sums of these */
} wlu_mean_lines;

/* What settles a row: line (own share + largest) <= allowed times the size of its entry, which has to be `least`. */
typedef struct wlu_mean_test {
    double share, largest, allowed, least;
} wlu_mean_test;

/* Rows that it does not settle, and what their lines times their means may come to; NaN where the size is none that
 * proves anything. */
enum { WLU_LEFT_ROWS = 64 };
typedef struct wlu_left_rows {
    int32_t row[WLU_LEFT_ROWS];
    double allowed[WLU_LEFT_ROWS];
} wlu_left_rows;

/* Lists those from first to end - 1, which are no more; returns how many. entry: of each row, among the numbers. */
typedef int32_t wlu_list_left(const wlu_mean_lines *rows, int32_t first, int32_t end, const double *numbers,
                              const int32_t *entry, const wlu_mean_test *test, wlu_left_rows *left);

/* A row, by its own numbers. */
typedef struct wlu_mean_row {
    wlu_weighed_numbers factor; /* each weighs its part of the line */
    double unit;                /* a power of two: brings magnitudes close to 1; of A', scales what U grew from */
    int32_t position;
    int32_t pivot; /* where its pivot stands, of A'; -1: the diagonal is 1 */
} wlu_mean_row;

/* Of a row that F leaves open: what its sums come to. */
typedef struct wlu_mean_loads {
    wlu_weighed_numbers f; /* each weighs what brings it into the row's unit */
    double sums;           /* roundings of each */
    double others;         /* roundings that are of no sum */
} wlu_mean_loads;

typedef struct wlu_means {
    int32_t count;       /* rows, keys descending */
    int32_t loads_count; /* of these, the first, so many that F leaves open */
    int32_t failed;      /* the one that did not hold last, which is looked at first */
    double *key; /* of each its line, over its magnitude (bound.h: what l, u, drift or growth multiply); infinity: F
                    leaves it open at any time */
    wlu_mean_lines lines;
    wlu_mean_row *row;
    wlu_mean_loads *loads;
    int32_t *at; /* what rows point into */
    uint16_t *weight;
    double reach; /* rows that are not there are no longer than this: keys */
    double share; /* of the promise, for the factors */
    int transposed;
    wlu_sum_weighed *sum;
    wlu_list_left *list_left;
} wlu_means;

/* Where numbers are: entry q is number q, or slot[q]. */
typedef struct wlu_mean_places {
    const int32_t *outer, *f, *pivot; /* NULL: q */
    int64_t numbers;                  /* how many there are */
    wlu_sum_weighed *sum;             /* kernels */
    wlu_list_left *list_left;
} wlu_mean_places;

/* The numbers of now, of so many doubles each, and what they are held against. */
typedef struct wlu_mean_look {
    const double *outer, *f, *pivot;
    const double *values;  /* the caller's, or the pattern's entries; NULL: magnitudes by drift or growth */
    int gathered;          /* the latter */
    const double *largest; /* by position, of all entries, in place of the one; or NULL */
    const wlu_health *health;
} wlu_mean_look;

/* Of rows with keys above `reach`, and of those that F leaves open. line: of these rounds. WARPLU_OUT_OF_MEMORY; free
 * it after a success. */
warplu_status wlu_means_create(wlu_context *ctx, const wlu_bounded_factors *factors, const wlu_rounds *rounds,
                               int transposed, const double *line, double reach, const wlu_mean_places *places,
                               wlu_means **out);
void wlu_means_destroy(wlu_context *ctx, wlu_means **means);

/* The key from which on rows are open by the largest magnitudes, where factors may take such a part of the promise
 * (numerics/verdict.h); NaN where these are no numbers. */
double wlu_means_open_key(const wlu_health *health, int transposed, double factors_share);
/* Whether every equation keeps the promise in solves with A, or A'; where loads_alone, as far as entries of F go. */
int wlu_means_hold(wlu_means *means, const wlu_pattern *a, const wlu_mean_look *look, int loads_alone);

#endif
