/* Makes the pieces of a table: polynomials between rows, those beyond the ends, and the tables of its derivatives.
 *
 * Cubic pieces have the slopes at rows that Fritsch and Butland choose (A method for constructing local monotone
 * piecewise cubic interpolants, SIAM J. Sci. Stat. Comput. 5, 1984): a harmonic mean of those on either side, weighted
 * by lengths, and 0 at a row that is higher or lower than both neighbours. So the curve rises where rows do and nowhere
 * overshoots them; its second derivative jumps at rows. At an end the slope is that of the parabola through three rows,
 * kept within what the piece can take (Fritsch and Carlson, Monotone piecewise cubic interpolation, SIAM J. Numer.
 * Anal. 17, 1980). O(rows). */
#include <math.h>
#include <string.h>

#include "model/text/table.h"

/* A table in the making: rows, slopes at them, and what pieces are written to. */
typedef struct maker {
    const wlm_table_rows *rows;
    wlm_arena *kept;
    wlm_table *table;
    double *slope, *piece, *knot, *edge;
} maker;

static double length_of(const wlm_table_rows *r, int32_t k)
{
    return r->x[k + 1] - r->x[k];
}

/* Returns the slope of the line from row k to the next one. */
static double secant(const wlm_table_rows *r, int32_t k)
{
    return (r->y[k + 1] - r->y[k]) / length_of(r, k);
}

static int differ_in_sign(double a, double b)
{
    return !((a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0));
}

/* ------------------------------------------------------------------- slopes */

/* Returns the slope at the row between pieces i and j. */
static double slope_between(const wlm_table_rows *r, int32_t i, int32_t j)
{
    double before = secant(r, i), behind = secant(r, j), h = length_of(r, i), next = length_of(r, j);
    if (differ_in_sign(before, behind)) return 0.0;
    double a = h + 2.0 * next, b = 2.0 * h + next;
    return (a + b) / (a / before + b / behind);
}

/* Returns the slope at the outer end of piece i, whose neighbour is j. */
static double slope_at_end(const wlm_table_rows *r, int32_t i, int32_t j)
{
    double own = secant(r, i), other = secant(r, j), h = length_of(r, i), next = length_of(r, j);
    double slope = ((2.0 * h + next) * own - h * other) / (h + next);
    if (differ_in_sign(slope, own)) return 0.0;
    return differ_in_sign(own, other) && fabs(slope) > 3.0 * fabs(own) ? 3.0 * own : slope;
}

static void find_slopes(maker *m)
{
    const wlm_table_rows *r = m->rows;
    int32_t last = r->count - 2; /* the last piece */
    for (int32_t k = 1; k <= last; k++) m->slope[k] = slope_between(r, k - 1, k);
    if (r->is_periodic) {
        m->slope[0] = m->slope[last + 1] = slope_between(r, last, 0);
    } else if (last == 0) {
        m->slope[0] = m->slope[1] = secant(r, 0);
    } else {
        m->slope[0] = slope_at_end(r, 0, 1);
        m->slope[last + 1] = slope_at_end(r, last, last - 1);
    }
}

/* ------------------------------------------------------------------- pieces */

/* Writes piece `number`, which is centred at x. */
static void put(maker *m, int32_t number, double x, double a, double b, double c, double d)
{
    const double terms[WLM_TABLE_TERMS_MOST] = {a, b, c, d};
    double *to = m->piece + (int64_t)number * (1 + m->table->terms);
    to[0] = x;
    memcpy(to + 1, terms, (size_t)m->table->terms * sizeof *to);
}

/* Writes the piece between rows k and k + 1 as piece `number`, `away` from where it is. */
static void put_between(maker *m, int32_t number, int32_t k, double away)
{
    const wlm_table_rows *r = m->rows;
    double x = r->x[k] + away, h = length_of(r, k), rise = secant(r, k), from = m->slope[k], to = m->slope[k + 1];
    if (r->shape == WLM_SHAPE_STEPS)
        put(m, number, x, r->y[k], 0.0, 0.0, 0.0);
    else if (r->shape == WLM_SHAPE_LINEAR)
        put(m, number, x, r->y[k], rise, 0.0, 0.0);
    else
        put(m, number, x, r->y[k], from, (3.0 * rise - 2.0 * from - to) / h, (from + to - 2.0 * rise) / h / h);
}

/* Returns the slope that the table has at its first or last row. */
static double slope_of_end(const maker *m, int32_t row)
{
    const wlm_table_rows *r = m->rows;
    if (r->shape == WLM_SHAPE_CUBIC) return m->slope[row];
    return r->shape == WLM_SHAPE_LINEAR ? secant(r, row > 0 ? row - 1 : row) : 0.0;
}

/* Writes what is beyond the ends. Where values are held, what the table is looked up by is (lookup.c). */
static void put_ends(maker *m)
{
    const wlm_table_rows *r = m->rows;
    int32_t last = r->count - 1;
    double low = slope_of_end(m, 0), high = slope_of_end(m, last);
    if (r->is_periodic) {
        put_between(m, 0, last - 1, -m->table->period);
        put_between(m, last + 1, 0, m->table->period);
        return;
    }
    int is_held = r->beyond == WLM_BEYOND_HELD;
    put(m, 0, r->x[0], r->y[0], is_held ? 0.0 : low, 0.0, 0.0);
    put(m, last + 1, r->x[last], r->y[last], is_held ? 0.0 : high, 0.0, 0.0);
    if (r->beyond != WLM_BEYOND_NAN) return;
    double nan = (double)NAN; /* the piece behind the last row has that row alone */
    put(m, 0, r->x[0], nan, nan, nan, nan);
    put(m, last + 2, r->x[last], nan, nan, nan, nan);
}

/* -------------------------------------------------------------------- edges */

/* Returns the value (of steps) or the slope on one side of a row: that of the piece which begins at the row before. */
static double course_of(const maker *m, int32_t row, int behind)
{
    const wlm_table_rows *r = m->rows;
    int32_t last = r->count - 1, piece = behind ? row : row - 1;
    if (r->is_periodic) piece = (piece + last) % last;
    if (piece >= 0 && piece < last) return r->shape == WLM_SHAPE_STEPS ? r->y[piece] : secant(r, piece);
    if (r->shape == WLM_SHAPE_STEPS) return r->y[row];
    return r->beyond == WLM_BEYOND_HELD ? 0.0 : secant(r, row > 0 ? row - 1 : row);
}

static int is_edge(const maker *m, int32_t row)
{
    const wlm_table_rows *r = m->rows;
    int is_end = row == 0 || row == r->count - 1;
    if (r->is_periodic && row == r->count - 1) return 0; /* it is the first row of the next period */
    if (is_end && !r->is_periodic && r->beyond == WLM_BEYOND_NAN) return 1;
    if (r->shape != WLM_SHAPE_CUBIC) return course_of(m, row, 0) != course_of(m, row, 1);
    return is_end && !r->is_periodic && r->beyond == WLM_BEYOND_HELD && m->slope[row] != 0.0;
}

/* -------------------------------------------------------------------- whole */

/* Makes the table of the derivative, of another one of the same knots, as long as there is one. */
static int derive(const maker *m)
{
    for (wlm_table *of = m->table; of->terms > 1; of = (wlm_table *)of->slope) {
        int32_t terms = of->terms - 1, pieces = of->knots + 1;
        wlm_table *slope = wlm_take(m->kept, 1, sizeof *slope);
        double *to = wlm_take(m->kept, (int64_t)pieces * (1 + terms), sizeof *to);
        if (slope == NULL || to == NULL) return 0;
        *slope = *of;
        slope->terms = terms, slope->piece = to, slope->slope = NULL;
        for (int32_t k = 0; k < pieces; k++) {
            const double *from = of->piece + (int64_t)k * (1 + of->terms);
            *to++ = *from++;
            for (int32_t j = 1; j <= terms; j++) *to++ = j * from[j];
        }
        of->slope = slope;
    }
    return 1;
}

static int make_room(maker *m)
{
    const wlm_table_rows *r = m->rows;
    wlm_table *t = m->table;
    t->knots = r->count + (r->beyond == WLM_BEYOND_NAN && !r->is_periodic);
    t->terms = r->shape == WLM_SHAPE_CUBIC ? 4 : 2;
    m->slope = wlm_take(m->kept, r->count, sizeof *m->slope);
    m->knot = wlm_take(m->kept, t->knots, sizeof *m->knot);
    m->edge = wlm_take(m->kept, r->count, sizeof *m->edge);
    m->piece = wlm_take(m->kept, ((int64_t)t->knots + 1) * (1 + t->terms), sizeof *m->piece);
    return WLU_ALL_THERE(m->slope, m->knot, m->edge, m->piece);
}

wlm_table *wlm_table_make(wlm_arena *kept, const char *name, const wlm_table_rows *rows, int32_t *trouble)
{
    maker m = {.rows = rows, .kept = kept, .table = wlm_take(kept, 1, sizeof *m.table)};
    int32_t last = rows->count - 1;
    *trouble = -1;
    if (m.table == NULL || !make_room(&m)) return NULL;
    m.table->name = name, m.table->knot = m.knot, m.table->piece = m.piece, m.table->edge = m.edge;
    if (rows->is_periodic) m.table->period = rows->x[last] - rows->x[0];
    m.table->is_held = !rows->is_periodic && (rows->beyond == WLM_BEYOND_HELD || rows->shape == WLM_SHAPE_STEPS);
    m.table->jumps = rows->shape == WLM_SHAPE_STEPS || (!rows->is_periodic && rows->beyond == WLM_BEYOND_NAN);
    memcpy(m.knot, rows->x, (size_t)rows->count * sizeof *m.knot);
    if (m.table->knots > rows->count) m.knot[rows->count] = nextafter(rows->x[last], INFINITY);
    if (rows->shape == WLM_SHAPE_CUBIC) find_slopes(&m);
    for (int32_t k = 0; k < last; k++) {
        put_between(&m, k + 1, k, 0.0);
        const double *piece = m.piece + ((int64_t)k + 1) * (1 + m.table->terms);
        for (int32_t j = 0; j <= m.table->terms; j++)
            if (!isfinite(piece[j]) && *trouble < 0) *trouble = k;
    }
    put_ends(&m);
    for (int32_t k = 0; k <= last; k++)
        if (is_edge(&m, k)) m.edge[m.table->edges++] = rows->x[k];
    if (rows->shape != WLM_SHAPE_STEPS && !derive(&m)) return NULL;
    return m.table;
}
