/* Fill-reducing orderings of one diagonal block, one file each, behind one list
 * (order/order_list.def).
 *
 * A block comes as the CSC pattern of an n by n matrix (unsymmetric, diagonal zero-free, rows ascending).
 * order[k] is the block-local index eliminated k-th. Orderings that hold global state (METIS reseeds rand,
 * changes signal handlers, is not reentrant) run under one process-wide lock with that state restored. */
#ifndef WLU_ORDER_ORDER_H
#define WLU_ORDER_ORDER_H

#include "matrix/blocks.h"

/* WARPLU_SUCCESS, WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW, WARPLU_NOT_COMPILED. */
typedef warplu_status (*wlu_order_fn)(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order);

/* Each listed function: wlu_order_amd and so on. */
#define WLU_ORDERING(enumerator, name, function, ...) \
    warplu_status function(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order);
#define WLU_ORDERING_WORD(enumerator, name)
#include "order/order_list.def"
#undef WLU_ORDERING
#undef WLU_ORDERING_WORD

/* The factors of B + B': upper bounds by AMD's degrees, or exact where AMD has left dense rows for the end. */
typedef struct wlu_amd_counts {
    double l_nnz;  /* entries below the diagonal */
    double terms;  /* multiply-subtracts */
    double dense;  /* such rows */
    int symmetric; /* every entry has a counterpart across the diagonal */
} wlu_amd_counts;

/* wlu_order_amd, and its counts, unless they are NULL. */
warplu_status wlu_order_amd_counted(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order,
                                    wlu_amd_counts *counts);

/* Another draw: METIS is random. wlu_order_metis takes a fixed seed, so that two runs, or two machines, get one order.
 */
enum { WLU_METIS_SEED = 1 };
warplu_status wlu_order_metis_drawn(wlu_context *ctx, const wlu_diagonal_block *block, int seed, int32_t *order);

/* The part of an ordering in the race of WARPLU_ORDERING_AUTO (order/race.c). */
typedef enum wlu_race {
    WLU_RACE_NEVER,     /* only where the options name it */
    WLU_RACE_FIRST,     /* it orders every form; the others' cost is judged by its time. There is one: AMD */
    WLU_RACE_IN_BUDGET, /* it takes part where its cost is within a share of the refactorizations to come */
    WLU_RACE_DISSECTION /* the same, and more may be spent where the first leaves a long critical path. On a
                           latency-bound target it dissects the top of the first one's order, and has to promise more */
} wlu_race;

/* An ordering of the list (order/order_list.def). */
typedef struct wlu_ordering {
    const char *name;      /* as the command line spells it */
    wlu_order_fn function; /* NULL for words: WARPLU_ORDERING_AUTO, WARPLU_ORDERING_GIVEN */
    int compiled;          /* 1 if this build has it */
    wlu_race race;
    double ns_per_row, ns_per_entry;
    int32_t block_min;
} wlu_ordering;

/* Those that race in a budget and do not dissect. */
enum {
    WLU_ORDERINGS_IN_BUDGET = 0
#define WLU_ORDERING(enumerator, name, function, compiled, race, ...) +((race) == WLU_RACE_IN_BUDGET)
#define WLU_ORDERING_WORD(enumerator, name)
#include "order/order_list.def"
#undef WLU_ORDERING
#undef WLU_ORDERING_WORD
};

/* How many there are: they are numbered from 0. */
extern const int wlu_orderings;
/* NULL for a number that is no ordering. */
const wlu_ordering *wlu_ordering_get(warplu_ordering ordering);
/* NULL for words, and for a number that is no ordering. */
wlu_order_fn wlu_order_function(warplu_ordering ordering);
/* 1 if this build has it. */
int wlu_ordering_compiled(warplu_ordering ordering);
/* "amd", "colamd", ...; "?" for a number that is no ordering. */
const char *wlu_ordering_name(warplu_ordering ordering);
/* The ordering of that name; 0 if there is none. */
int wlu_ordering_parse(const char *name, warplu_ordering *out);

#endif
