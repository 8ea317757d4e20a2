/* Packing a stream for lanes: what its parts share. lanes_stream.c has the order and most forms, lanes_share.c chains
 * that have an operand in common, lanes_grid.c those of panels. */
#ifndef WLU_EXEC_BATCH_LANES_PACK_H
#define WLU_EXEC_BATCH_LANES_PACK_H

#include "base/sort.h"
#include "exec/batch/lanes.h"

/* Where a record has an operand. */
typedef struct wlu_lanes_seat {
    int64_t record, term;
} wlu_lanes_seat;

/* A number of a panel: its tile, or -1; its row among those of all panels; its column, behind the last for the
 * reciprocal of a pivot. */
typedef struct wlu_lanes_cell {
    int32_t tile, row, column;
} wlu_lanes_cell;

/* Words that grow. */
typedef struct wlu_lanes_words {
    uint32_t *word;
    int64_t count, room;
} wlu_lanes_words;

typedef struct wlu_lanes_packer {
    wlu_context *ctx;
    const wlu_flat *flat;
    const wlu_flat_stream *s;
    int64_t own;             /* slots of the solve; -1: the factorization */
    int64_t *written, *read; /* by slot: base of a window and level of the last record that does */
    int64_t *last;           /* by slot, of the factorization: the last record that writes it */
    int64_t *done;           /* by record: how many terms a grid has taken, which leaves x in the target */
    wlu_sort_entry *order[2];
    int64_t *count;             /* of the sort */
    wlu_lanes_seat *seat;       /* by operand, of four records */
    int64_t *merge, merge_room; /* steps of four chains, and how many there is room for */
    wlu_lanes_cell *cell;       /* by slot of the factorization */
    int32_t *pivot;             /* by slot: of an l, the reciprocal it was multiplied with; or -1 */
    int64_t *mine;              /* by slot: the last window that writes it, one more than its number */
    int64_t *grid_end;          /* by window: its grids in `grids` */
    wlu_lanes_words grids, words;
    wlu_lanes_words *to; /* where words go */
    int strange;         /* an operand that no such stage may have */
} wlu_lanes_packer;

/* Terms that no grid has taken. */
static inline int64_t wlu_lanes_terms(const wlu_lanes_packer *p, int64_t r)
{
    return p->s->begin[r + 1] - p->s->begin[r] - p->done[r];
}

/* a (side 0) or b of term k of these. */
static inline int32_t wlu_lanes_operand(const wlu_lanes_packer *p, int64_t r, int64_t k, int side)
{
    return p->s->operand[2 * (p->s->begin[r] + p->done[r] + k) + side];
}

static inline void wlu_lanes_word(wlu_lanes_packer *p, uint32_t w)
{
    p->to->word[p->to->count++] = w;
}

/* 0: no memory. */
int wlu_lanes_make_room(wlu_lanes_packer *p, int64_t words);
/* The word of a factor (a divisor, a first operand), of what the stage works on. */
void wlu_lanes_put_factor(wlu_lanes_packer *p, int32_t slot);
void wlu_lanes_put_number(wlu_lanes_packer *p, int32_t slot);
void wlu_lanes_put_operand(wlu_lanes_packer *p, int64_t r, int64_t k, int side);
/* Target, start and divisor of a record. */
void wlu_lanes_put_head(wlu_lanes_packer *p, int64_t r);
/* The head of a run of such records; kind: of its form, counted from that of chains without terms. */
void wlu_lanes_begin_run(wlu_lanes_packer *p, int64_t r, int kind, int64_t count);

/* Four chains share operands: how many steps that takes and on which side, or -1 where it does not pay. */
int64_t wlu_lanes_share(wlu_lanes_packer *p, const wlu_sort_entry *at, int *side);
/* The same four, right afterwards. 0: no memory. */
int wlu_lanes_put_shared(wlu_lanes_packer *p, const wlu_sort_entry *at, int64_t steps, int side);

/* Maps the numbers of panels. */
void wlu_lanes_map_cells(wlu_lanes_packer *p);
/* Takes what grids can of the records of a window, first .. end - 1, of one tile. 0: no memory. */
int wlu_lanes_put_grids(wlu_lanes_packer *p, int64_t window, int64_t first, int64_t end);

#endif
