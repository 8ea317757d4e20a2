/* A function of one number that a table gives: pieces between its knots, each a polynomial of the distance from where
 * the piece begins. Two operations compute it (opcodes.def): FIND, the number of the piece that a number lies in, and
 * PIECE, that piece's value. Here they are defined, for all executors.
 *
 * Piece k begins at knot k - 1 and ends in front of knot k; piece 0 is what lies before all knots, the last one what
 * lies behind them. So there is one piece more than knots, and what is beyond the ends is pieces like others. The
 * derivative is PIECE of `slope`, a table of the same knots. Tables belong to the model (text/table.c), which graphs,
 * programs and what runs these do not outlive.
 *
 * Cost: FIND compares log2(knots) numbers, and two where the number before lay in the same piece; PIECE is `terms`
 * fused products. */
#ifndef WLU_MODEL_GRAPH_TABLE_H
#define WLU_MODEL_GRAPH_TABLE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fused.h"

enum { WLM_TABLE_TERMS_MOST = 4 };

typedef struct wlm_table {
    const char *name;
    int32_t knots, terms; /* at least 1 each */
    const double *knot;   /* knots, ascending */
    const double *piece;  /* knots + 1 times: where its polynomial is centred, then `terms` coefficients from x^0 on */
    const struct wlm_table *slope; /* the derivative; NULL: it is zero */
    double period;                 /* 0: none */
    int jumps;                     /* 1: values jump at knots, or end there */
    int is_held;                   /* 1: numbers beyond the ends are to be taken for these */
    int32_t edges;
    const double *edge; /* edges, ascending: knots at which the value or its slope jumps */
} wlm_table;

/* Returns the number of knots that are not above x; 0 of what is no number. */
static inline int32_t wlm_table_number(const wlm_table *table, double x)
{
    const double *from = table->knot;
    for (int32_t left = table->knots; left > 1;) {
        int32_t half = left / 2;
        from += from[half - 1] <= x ? half : 0;
        left -= half;
    }
    return (int32_t)(from - table->knot) + (*from <= x);
}

/* The same, by looking first at the piece that a number near x lies in. */
static inline int32_t wlm_table_number_near(const wlm_table *table, double x, int32_t near)
{
    int is_same = near > 0 && near < table->knots && table->knot[near - 1] <= x && x < table->knot[near];
    return is_same ? near : wlm_table_number(table, x);
}

/* FIND. An operation that has no table is no number. */
static inline double wlm_table_find(const wlm_table *table, double x)
{
    return table != NULL ? (double)wlm_table_number(table, x) : (double)NAN;
}

/* PIECE: the value at x of piece `number`, which is taken for the nearest one that exists, NaN for 0. */
static inline double wlm_table_value(const wlm_table *table, double x, double number)
{
    if (table == NULL) return (double)NAN;
    double last = (double)table->knots, within = number > 0.0 ? number : 0.0;
    const double *piece = table->piece + (int64_t)(within < last ? within : last) * (1 + table->terms);
    double value = piece[table->terms], distance = x - piece[0];
    for (int32_t k = table->terms - 1; k > 0; k--) value = wlu_fused(value, distance, piece[k]);
    return value;
}

#endif
