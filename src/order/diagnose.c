/* Diagnosis of singular matrices. See diagnose.h. */
#include <warplu/inspect.h>

#include "order/diagnose.h"

#include "base/sort.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Both lines of a pair and their references are rounded once or twice, the products that are compared once more. */
static const double PROPORTIONAL = 4 * DBL_EPSILON;

enum {
    SHOWN = 3,      /* of each kind in a message, at most */
    NEIGHBOURS = 4, /* a line is compared with so many that follow it in the order of signatures */
    SUM_BITS = 40   /* of a signature; the hash takes the others */
};

/* Lines of A: its columns, or its rows. */
typedef struct lines {
    int32_t n;
    const int32_t *p, *i;
    const double *x; /* NULL: a pattern, of which lines with one entry alone can be compared */
    int doubles;     /* of a value */
} lines;

typedef struct value {
    double re, im;
} value;

/* How the lines of a pair depend on each other. */
typedef enum relation { MULTIPLES, EQUAL, ALONE } relation;

typedef struct list {
    int32_t count;
    int32_t first[SHOWN][2];
    relation how[SHOWN]; /* of pairs */
} list;

typedef struct findings {
    list empty, zero, pairs;
} findings;

typedef struct workspace {
    wlu_sort_entry *entries, *scratch;
    int64_t *count;
    int32_t *group; /* n: a line it is a multiple of, smaller than itself, or itself */
    int32_t *tp, *ti;
    double *tx;
} workspace;

static value value_at(const lines *l, int64_t e)
{
    const double *x = l->x != NULL ? l->x + l->doubles * e : NULL;
    return (value){x != NULL ? x[0] : 1.0, x != NULL && l->doubles > 1 ? x[1] : 0.0};
}

static int are_equal(value a, value b)
{
    return a.re == b.re && a.im == b.im;
}

/* The first entry of [e, end) whose value is not zero, or end. */
static int32_t next_entry(const lines *l, int32_t e, int32_t end)
{
    while (e < end && are_equal(value_at(l, e), (value){0.0, 0.0})) e++;
    return e;
}

static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* Of half the modulus, which does not overflow. */
static double logarithm(value a)
{
    return log2(hypot(0.5 * a.re, 0.5 * a.im));
}

/* Equal for proportional lines, but for the last bits of the sum. The sum begins at a hash, so that none of its usual
 * values lies where it wraps around. */
static uint64_t signature(const lines *l, int32_t j)
{
    const double range = 4096.0, cells = (double)((uint64_t)1 << SUM_BITS) / range;
    int32_t end = l->p[j + 1], first = next_entry(l, l->p[j], end);
    double reference = logarithm(value_at(l, first)), sum = 0.0;
    uint64_t h = 0;
    for (int32_t e = first; e < end; e = next_entry(l, e + 1, end)) {
        value x = value_at(l, e);
        int opposite = l->doubles == 1 && (x.re < 0.0) != (value_at(l, first).re < 0.0);
        h = mix(h ^ ((uint64_t)l->i[e] * 2 + (uint64_t)opposite + 1));
        sum += (0.5 + (double)(mix((uint64_t)l->i[e] + 1) >> 40) * 0x1p-25) * (logarithm(x) - reference);
    }
    sum = fmod(sum + (double)(mix(h) >> 54), range);
    uint64_t cell = (uint64_t)((sum < 0.0 ? sum + range : sum) * cells);
    return (h >> SUM_BITS << SUM_BITS) | (cell & (((uint64_t)1 << SUM_BITS) - 1));
}

/* a 2^-e, with the larger part in [0.5, 1). */
static value normalized(value a, int *e)
{
    frexp(fmax(fabs(a.re), fabs(a.im)), e);
    return (value){ldexp(a.re, -*e), ldexp(a.im, -*e)};
}

/* Of the normalized numbers, and the power of two that is left out. */
static value product(value a, value b, int *power)
{
    int ea, eb;
    a = normalized(a, &ea);
    b = normalized(b, &eb);
    *power = ea + eb;
    return (value){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Whether a / b and c / d are the same but for rounding; none is zero. */
static int same_ratio(value a, value b, value c, value d)
{
    int of_left, of_right;
    value left = product(a, d, &of_left), right = product(c, b, &of_right);
    int shift = of_left - of_right;
    if (shift < -2 || shift > 2) return 0;
    double re = ldexp(left.re, shift), im = ldexp(left.im, shift);
    return hypot(re - right.re, im - right.im) <= PROPORTIONAL * hypot(re, im);
}

static int proportional(const lines *l, int32_t j, int32_t k)
{
    int32_t ej = l->p[j + 1], ek = l->p[k + 1], a = next_entry(l, l->p[j], ej), b = next_entry(l, l->p[k], ek);
    value xj = value_at(l, a), xk = value_at(l, b);
    while (a < ej && b < ek) {
        if (l->i[a] != l->i[b] || !same_ratio(value_at(l, a), xj, value_at(l, b), xk)) return 0;
        a = next_entry(l, a + 1, ej);
        b = next_entry(l, b + 1, ek);
    }
    return a == ej && b == ek;
}

/* Proportional lines are equal if their first values are. */
static relation relate(const lines *l, int32_t j, int32_t k)
{
    if (l->x == NULL) return ALONE;
    int32_t a = next_entry(l, l->p[j], l->p[j + 1]), b = next_entry(l, l->p[k], l->p[k + 1]);
    return are_equal(value_at(l, a), value_at(l, b)) ? EQUAL : MULTIPLES;
}

static void add(list *of, int32_t j, int32_t k, relation how)
{
    if (of->count < SHOWN) {
        of->first[of->count][0] = j;
        of->first[of->count][1] = k;
        of->how[of->count] = how;
    }
    of->count++;
}

static int32_t root(int32_t *group, int32_t j)
{
    while (group[j] != j) j = group[j] = group[group[j]];
    return j;
}

static void find_pairs(const lines *l, const wlu_sort_entry *sorted, int64_t m, int32_t *group, list *pairs)
{
    for (int32_t j = 0; j < l->n; j++) group[j] = j;
    for (int64_t k = 0; k < m; k++)
        for (int64_t q = k + 1; q < m && q <= k + NEIGHBOURS; q++) {
            int32_t a = (int32_t)sorted[k].record, b = (int32_t)sorted[q].record;
            if (sorted[k].key >> SUM_BITS != sorted[q].key >> SUM_BITS) break;
            if (!proportional(l, a, b)) continue;
            a = root(group, a);
            b = root(group, b);
            if (a < b) group[b] = a;
            if (b < a) group[a] = b;
            break;
        }
    for (int32_t j = 0; j < l->n; j++) {
        int32_t first = root(group, j);
        if (first != j) add(pairs, first, j, relate(l, first, j));
    }
}

static void find(const lines *l, workspace *w, findings *f)
{
    int64_t m = 0;
    for (int32_t j = 0; j < l->n; j++) {
        int32_t begin = l->p[j], end = l->p[j + 1];
        if (begin == end)
            add(&f->empty, j, -1, ALONE);
        else if (next_entry(l, begin, end) == end)
            add(&f->zero, j, -1, ALONE);
        else if (l->x != NULL || end - begin == 1)
            w->entries[m++] = (wlu_sort_entry){.key = signature(l, j), .record = j};
    }
    find_pairs(l, wlu_sort(w->entries, w->scratch, m, w->count), m, w->group, &f->pairs);
}

/* The rows of A as lines. */
static lines transpose(const wlu_pattern *a, const double *x, workspace *w)
{
    int32_t *next = w->group;
    memset(w->tp, 0, ((size_t)a->n + 1) * sizeof *w->tp);
    for (int32_t e = 0; e < a->nnz; e++) w->tp[a->i[e] + 1]++;
    for (int32_t i = 0; i < a->n; i++) {
        w->tp[i + 1] += w->tp[i];
        next[i] = w->tp[i];
    }
    for (int32_t j = 0; j < a->n; j++)
        for (int64_t e = a->p[j]; e < a->p[j + 1]; e++) {
            int64_t t = next[a->i[e]]++;
            w->ti[t] = j;
            for (int64_t k = 0; k < a->doubles && x != NULL; k++) w->tx[a->doubles * t + k] = x[a->doubles * e + k];
        }
    return (lines){.n = a->n, .p = w->tp, .i = w->ti, .x = x != NULL ? w->tx : NULL, .doubles = a->doubles};
}

/* 0 where there is no memory for it. */
static int diagnose(wlu_context *ctx, const wlu_pattern *a, const double *x, findings *rows, findings *columns)
{
    workspace w = {.entries = WLU_ALLOC(ctx, a->n, wlu_sort_entry),
                   .scratch = WLU_ALLOC(ctx, a->n, wlu_sort_entry),
                   .count = WLU_ALLOC(ctx, WLU_SORT_DIGITS, int64_t),
                   .group = WLU_ALLOC(ctx, a->n, int32_t),
                   .tp = WLU_ALLOC(ctx, (int64_t)a->n + 1, int32_t),
                   .ti = WLU_ALLOC(ctx, a->nnz, int32_t),
                   .tx = WLU_ALLOC(ctx, (int64_t)a->nnz * a->doubles, double)};
    void *owned[] = {w.entries, w.scratch, w.count, w.group, w.tp, w.ti, w.tx};
    int complete = 1;
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) complete &= owned[k] != NULL;
    if (complete) {
        lines of_rows = transpose(a, x, &w),
              of_columns = {.n = a->n, .p = a->p, .i = a->i, .x = x, .doubles = a->doubles};
        find(&of_rows, &w, rows);
        find(&of_columns, &w, columns);
    }
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    return complete;
}

/* ---------------------------------------------------------------- message */

typedef struct text {
    char at[WLU_MESSAGE_BYTES];
    size_t length;       /* without its end; may exceed what fits */
    int32_t first_index; /* of rows and columns */
} text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(text *t, const char *format, ...)
{
    va_list args;
    size_t at = t->length < sizeof t->at ? t->length : sizeof t->at - 1;
    va_start(args, format);
    int written = vsnprintf(t->at + at, sizeof t->at - at, format, args);
    va_end(args);
    t->length += written > 0 ? (size_t)written : 0;
}

/* "rows 3, 7, 9 and 5 more are zero; " */
static void say_lines(text *t, const char *line, const list *of, int32_t shown, const char *what)
{
    if (of->count == 0) return;
    if (shown > of->count) shown = of->count;
    say(t, "%s%s", line, of->count > 1 ? "s" : "");
    for (int32_t k = 0; k < shown; k++)
        say(t, "%s %d", k == 0 ? "" : k == of->count - 1 ? " and" : ",", of->first[k][0] + t->first_index);
    if (of->count > shown) say(t, " and %d more", of->count - shown);
    say(t, " %s %s; ", of->count > 1 ? "are" : "is", what);
}

/* "columns 2 and 9 are equal; columns 2 and 11 are multiples of each other; 5 more pairs of columns; " */
static void say_pairs(text *t, const char *line, const char *across, const list *of, int32_t shown)
{
    static const char *const relations[] = {[MULTIPLES] = "are multiples of each other",
                                            [EQUAL] = "are equal",
                                            [ALONE] = "hold one entry each, in the same "};
    if (shown > of->count) shown = of->count;
    for (int32_t k = 0; k < shown; k++)
        say(t, "%ss %d and %d %s%s; ", line, of->first[k][0] + t->first_index, of->first[k][1] + t->first_index,
            relations[of->how[k]], of->how[k] == ALONE ? across : "");
    if (of->count > shown) say(t, "%d more such %ss; ", of->count - shown, line);
}

static void say_findings(text *t, const findings *rows, const findings *columns, int32_t shown)
{
    say_lines(t, "row", &rows->empty, shown, "empty");
    say_lines(t, "column", &columns->empty, shown, "empty");
    say_lines(t, "row", &rows->zero, shown, "zero");
    say_lines(t, "column", &columns->zero, shown, "zero");
    say_pairs(t, "row", "column", &rows->pairs, shown);
    say_pairs(t, "column", "row", &columns->pairs, shown);
}

/* Head, findings, as many of each kind as fit, and tail. */
static warplu_status fail(wlu_context *ctx, warplu_status status, const char *head, const findings *rows,
                          const findings *columns, const char *tail)
{
    text t;
    t.first_index = ctx->first_index;
    for (int32_t shown = SHOWN; shown > 0; shown--) {
        t.length = 0;
        say(&t, "%s", head);
        say_findings(&t, rows, columns, shown);
        say(&t, "%s", tail);
        if (t.length < sizeof t.at) break;
    }
    if (tail[0] == '\0' && t.length < sizeof t.at) t.at[t.length - strlen("; ")] = '\0';
    return wlu_fail(ctx, status, "%s", t.at);
}

/* ----------------------------------------------------------------- record */

static int32_t smaller(int32_t a, int32_t b)
{
    return a >= 0 && (b < 0 || a < b) ? a : b;
}

static int32_t first(const list *of, int which)
{
    return of->count > 0 ? of->first[0][which] : -1;
}

static void record(warplu_singularity *s, int complete, const findings *rows, const findings *columns)
{
    s->zero_row = smaller(first(&rows->empty, 0), first(&rows->zero, 0));
    s->zero_column = smaller(first(&columns->empty, 0), first(&columns->zero, 0));
    for (int k = 0; k < 2; k++) {
        s->dependent_rows[k] = first(&rows->pairs, k);
        s->dependent_columns[k] = first(&columns->pairs, k);
    }
    s->empty_row_count = complete ? rows->empty.count : -1;
    s->empty_column_count = complete ? columns->empty.count : -1;
    s->zero_row_count = complete ? rows->empty.count + rows->zero.count : -1;
    s->zero_column_count = complete ? columns->empty.count + columns->zero.count : -1;
    s->dependent_row_count = complete ? rows->pairs.count : -1;
    s->dependent_column_count = complete ? columns->pairs.count : -1;
}

warplu_status wlu_fail_singular(wlu_context *ctx, const wlu_pattern *a, const double *x, const wlu_stop *stop)
{
    findings rows = {.empty = {.count = 0}}, columns = {.empty = {.count = 0}};
    char tail[160];
    ctx->singularity = (warplu_singularity){.size = sizeof ctx->singularity,
                                            .status = WARPLU_SINGULAR,
                                            .column = stop->col,
                                            .row = stop->row,
                                            .position = stop->position};
    record(&ctx->singularity, diagnose(ctx, a, x, &rows, &columns), &rows, &columns);
    int32_t row = stop->row + ctx->first_index, col = stop->col + ctx->first_index;
    if (stop->row_is_given)
        snprintf(tail, sizeof tail,
                 "the pivot in row %d, column %d is not above %g (position %d of %d), and row_order allows no other",
                 row, col, stop->absolute, stop->position, a->n);
    else
        snprintf(tail, sizeof tail, "pivoting found no pivot above %g in column %d (position %d of %d)", stop->absolute,
                 col, stop->position, a->n);
    const char *head = stop->row_is_given ? "the given order has a zero pivot: " : "the matrix is singular: ";
    return fail(ctx, WARPLU_SINGULAR, head, &rows, &columns, tail);
}

warplu_status wlu_fail_structurally_singular(wlu_context *ctx, const wlu_pattern *a, int32_t rank, int32_t col,
                                             int32_t row)
{
    findings rows = {.empty = {.count = 0}}, columns = {.empty = {.count = 0}};
    char head[160];
    ctx->singularity = (warplu_singularity){.size = sizeof ctx->singularity,
                                            .status = WARPLU_STRUCTURALLY_SINGULAR,
                                            .column = col,
                                            .row = row,
                                            .position = rank};
    record(&ctx->singularity, diagnose(ctx, a, NULL, &rows, &columns), &rows, &columns);
    snprintf(head, sizeof head,
             "structurally singular: rank %d of %d; column %d is left without a row, row %d without a column; ", rank,
             a->n, col + ctx->first_index, row + ctx->first_index);
    return fail(ctx, WARPLU_STRUCTURALLY_SINGULAR, head, &rows, &columns, "");
}
