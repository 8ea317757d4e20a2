/* A program packed for a device: one bundle format for every strategy, emulator and kernels alike. Plain C, no pointers
 * in what is uploaded but those of wlu_device_program, which the owner of the memory fills in (base/block.h).
 *
 * Work comes in tasks of two kinds, each kind in a queue in topological order:
 *   bundles  what one warp does: up to 32 records of one level and one shape side by side (a lane each), or four long
 * ones (eight lanes each), their operands transposed so that a step is two gathers and one multiply-add for all lanes;
 *            or consecutive loads; or consecutive guards
 *   tiles    what one block does: a panel zeroed, loaded, updated by its sources, eliminated, published
 *
 * The value is its own flag: before a replay every slot that is written by it holds WLU_POISON; who needs a slot reads
 * it until it holds something else, who computes it writes it once. A complex number is two such flags. NaNs are
 * written as the canonical one, so that no result looks like poison. Packing is placement: it moves records, it never
 * changes a sum.
 *
 * Slots: those of the program at their places, then the staging slots: records whose target is an entry of a panel
 * leave it there, and the tile takes it in with its loads (the panel's slots hold what is final). */
#ifndef WLU_EXEC_DEVICE_IMAGE_H
#define WLU_EXEC_DEVICE_IMAGE_H

#include <stdint.h>

#include "base/warp.h"
#include "numerics/health.h"

enum { WLU_TILE_THREADS = 256 };

/* Rows of eight slots in stages of shared memory lie so many slots apart: 16 bytes more, for the sake of banks. size:
 * of a slot, 4, 8 or, where numbers are complex, 16: of these, blocks have room and registers for fewer. */
#define WLU_STAGE_ROW(size) (8 + 16 / (size))

/* Sources come to a tile through a ring of so many stages, in chunks of so many rows of L: a stage has a diagonal
 * block, the rows, and where they go. Behind the ring in a block's shared memory are so many of the sources themselves,
 * and then the panel, by columns: so many slots apart, more than it has rows, that the banks serve rows of eight as
 * well. */
enum { WLU_TILE_STAGES = 6, WLU_TILE_CHUNK_MOST = 64, WLU_TILE_SOURCES = 64 };
#define WLU_TILE_CHUNK(size) ((size) > 8 ? 32 : WLU_TILE_CHUNK_MOST)
#define WLU_TILE_STAGE_BYTES(size) (64 * (size) + WLU_TILE_CHUNK(size) * (WLU_STAGE_ROW(size) * (size) + 4))
#define WLU_TILE_RING_BYTES(size) (WLU_TILE_STAGES * WLU_TILE_STAGE_BYTES(size) + WLU_TILE_SOURCES * 32)
#define WLU_PANEL_COLUMN(rows) (((rows) + 14) / 16 * 16 + 2)
#define WLU_PANEL_BYTES(size, rows) (8 * (size)*WLU_PANEL_COLUMN((int64_t)(rows)))

/* A NaN that no arithmetic makes, twice the same 32 bits. */
#define WLU_POISON_HALF UINT32_C(0xfff9dead)
#define WLU_POISON UINT64_C(0xfff9deadfff9dead)
#ifdef WLU_SINGLE
#define WLU_REAL_POISON WLU_POISON_HALF
#else
#define WLU_REAL_POISON WLU_POISON
#endif

typedef enum wlu_bundle_shape {
    WLU_BUNDLE_SHORT, /* a record a lane, its terms in order; accumulator from the start value: fma(-a, b, acc) */
    WLU_BUNDLE_LONG, /* a record on eight lanes: strided accumulators from +0, the pairwise tree, start minus the sum */
    WLU_BUNDLE_WIDE, /* one record, of very many terms or with partial sums, by the whole warp: sums as those of LONG,
                        32 terms a step */
    WLU_BUNDLE_LOADS,  /* slots first .. first + steps - 1 from the load map at `operand` */
    WLU_BUNDLE_GUARDS, /* entries first .. first + steps - 1 of the guards */
    WLU_BUNDLE_STORES  /* unknowns first .. first + steps - 1 to the caller */
} wlu_bundle_shape;

/* 16 bytes. operand: of the pairs, in rows of 32 pairs (lane l of step k: pair 32 (operand + k) + l), or of the load
 * map. first: record of the first lane (one each SHORT lane, one each eight LONG lanes, the WIDE one), slot, or guard.
 * level: but for multiples of 65536. width: in a narrow section, bundles of its level. */
typedef struct wlu_bundle {
    int32_t operand, first;
    uint32_t steps : 24, width : 8;
    uint8_t shape, records; /* records: that there are; lanes beyond do nothing */
    uint16_t level;
} wlu_bundle;

typedef enum wlu_record_flags {
    WLU_RECORD_FROM_SLOT = 1,  /* starts from v[start]; else from power * source[start], or +0 where start is -1 */
    WLU_RECORD_CLOSED = 2,     /* its opcode's end takes v[other]; in a solve it multiplies by it */
    WLU_RECORD_RECIPROCAL = 4, /* and 1 over it goes to slot `other` */
    WLU_RECORD_OPCODE = 8      /* times the opcode */
} wlu_record_flags;

/* 16 bytes. */
typedef struct wlu_device_instruction {
    int32_t target, start, other;
    uint16_t power; /* wlu_power_of_upper */
    uint8_t flags, area;
} wlu_device_instruction;

/* Whether a record's value is what was loaded, which keeps the signs of its zeros: a pivot without terms, beside others
 * of these, with its reciprocal. */
WLU_PORTABLE int wlu_record_is_loaded(const wlu_bundle *bundle, const wlu_device_instruction *record)
{
    return bundle->steps == 0 && (record->flags & (WLU_RECORD_CLOSED | WLU_RECORD_RECIPROCAL)) == WLU_RECORD_RECIPROCAL;
}

/* panel[at] = power * source[from], or v[from] where the power is WLU_FROM_STAGE. at: which number of the panel. */
typedef struct wlu_tile_load {
    int32_t at, from;
    uint32_t power;
} wlu_tile_load;
#define WLU_FROM_STAGE UINT32_C(0xffffffff)

/* One tile updating another, see wlu_tile_source: by its last pivots, from panel row `at` on. 32 bytes. */
typedef struct wlu_device_source {
    int32_t diagonal; /* slot of the first row of its diagonal block, and */
    int32_t lower;    /* of L */
    int32_t rows;     /* of L */
    int32_t target;   /* first of as many panel rows in the targets; nobody's go to the row behind the panel */
    int32_t at;
    int16_t skip, width; /* its pivots are skip .. width - 1 of its own */
    int32_t reserved[2];
} wlu_device_source;

/* 64 bytes. */
typedef struct wlu_device_tile {
    int32_t panel;               /* slot of the panel's first number */
    int32_t above, width, below; /* rows of U, pivots, rows of L */
    int32_t load, loads;         /* wlu_tile_load */
    int32_t source, sources;     /* wlu_device_source */
    int32_t reciprocal;          /* slot of the first pivot's */
    int32_t tile;                /* its number in the program */
    int32_t first;               /* its first pivot among the tiled ones */
    int32_t chunks;              /* of its sources: one or more of each */
    int32_t reserved[4];
} wlu_device_tile;

/* What the guards look at: powers of the n columns' entries, of the n rows'. Entry k of the guards is a_source[k];
 * wlu_guards says which rows and columns they are. The columns of computed u are read where the first bound of growth
 * says little. */
typedef struct wlu_device_guards {
    const int32_t *a_source;
    const uint16_t *a_scale, *row_scale;
    const int32_t *u_column;    /* count: of slots u on */
    const int32_t *tile_column; /* by tiled pivot: place of its column */
    int32_t n, shared, entries;
    int32_t u, count;
} wlu_device_guards;

/* A pattern with duplicates: entry e is the sum of values[map[q]] for q from first[e] to first[e + 1] - 1, in this
 * order. */
typedef struct wlu_device_gather {
    const int32_t *first, *map;
    int32_t entries; /* 0: no duplicates, values are read where they are */
    int32_t doubles; /* of a number */
} wlu_device_gather;

/* A stream of records with its loads: of the factorization or of a solve. */
typedef struct wlu_device_stream {
    const wlu_bundle *bundle;
    const wlu_device_instruction *record;
    const int32_t *operand;     /* pairs */
    const int32_t *load_source; /* load map: source or -1 */
    const uint16_t *load_power;
    int32_t bundles;
} wlu_device_stream;

typedef struct wlu_device_program {
    wlu_device_stream dot;
    const wlu_device_tile *tile;
    const wlu_tile_load *load;
    const wlu_device_source *source;
    const int32_t *target;
    int32_t tiles;
    int32_t slots;      /* staging slots among them */
    int32_t zero;       /* slot that holds +0 */
    int32_t minus_one;  /* and -1, or -1 */
    int32_t panel_rows; /* of the largest panel */
    wlu_device_guards guards;
    wlu_device_gather gather;
} wlu_device_program;

/* ------------------------------------------------------------------ solves
 *
 * Slots of a solve: y, x, constants, the trash slot and partial sums at their places in the program, counted from its y
 * on; then the unknowns of the TILE region, z after forward and as many after back substitution; then results that are
 * written before they are final. Operands below `split` are slots of the factorization, the others, less split, slots
 * of the solve.
 *
 * A queue of tasks in topological order, each for one block:
 *   bundles     by its warps. A narrow section of them is one task, a warp a bundle, results handed on in shared memory
 *               (cuda/narrow.cuh)
 *   pulls       what pivots of regions take from tiles outside of their tile path, a warp a pivot
 *   tile paths  consecutive tiles, solved by one thread block in shared memory (see tile_paths.h)
 * A segment of the stream comes before the region behind it; regions without bundles between them are side by side. */

typedef enum wlu_solve_work {
    WLU_TASK_STREAM, /* bundles, the last of which store the solution */
    WLU_TASK_PULLS_FORWARD,
    WLU_TASK_PULLS_BACK,
    WLU_TASK_TILE_PATH_FORWARD,
    WLU_TASK_TILE_PATH_BACK
} wlu_solve_work;

/* 16 bytes. first, count: of bundles, tiled pivots, tiles. places: of bundles, 0, or so many results stay in shared
 * memory as well: those of as many records, from the first of the first bundle on; operands and starts that are
 * negative are these: ~k is the result of the k-th of them. */
typedef struct wlu_solve_task {
    int32_t kind, first, count, places;
} wlu_solve_task;

/* At most. Of a narrow section: results in its block's shared memory, steps of its bundles, bundles of a level; other
 * bundles of a task; pivots and tiles of a tile path. */
enum { WLU_TASK_PLACES_MOST = 4096, WLU_NARROW_WIDTH = 4, WLU_TASK_BUNDLES = 8 };
enum { WLU_TILE_PATH_PIVOTS_MOST = 256, WLU_TILE_PATH_TILES = 64 };
#define WLU_TASK_PLACES(size) ((size) > 8 ? 2048 : WLU_TASK_PLACES_MOST)
#define WLU_NARROW_STEPS(size) ((size) > 8 ? 8 : 16)
#define WLU_TILE_PATH_PIVOTS(size) ((size) > 8 ? 128 : WLU_TILE_PATH_PIVOTS_MOST)

/* A tile of a tile path. lower, upper: slot of the first of its rows of L (of U) that belong to pivots of the path, how
 * many there are, and whose they are, first in the targets. 48 bytes. */
typedef struct wlu_solve_tile {
    int32_t diagonal;     /* slot of the first row of its diagonal block */
    int32_t reciprocal;   /* slot of its first pivot's */
    int32_t first, width; /* its pivots among the tiled ones */
    int32_t lower, lowers, lower_target;
    int32_t upper, uppers, upper_target;
    int32_t reserved[2];
} wlu_solve_tile;

/* A block's shared memory in a solve, the larger of two (it fits in the 99 KiB that the smallest devices have). A
 * tile path's: tiles on their way, with a row a pivot, 16 bytes apart for the sake of banks; then what is left for each
 * pivot to be solved for; then its tiles. A narrow section's: see cuda/narrow.cuh. */
enum { WLU_TILE_PATH_STAGES = 4 };
#define WLU_TILE_PATH_STAGE_BYTES(size) \
    (72 * (size) + WLU_TILE_PATH_PIVOTS(size) * (WLU_STAGE_ROW(size) * (size) + 4) + 32)
#define WLU_TILE_PATH_ROOM(size) \
    (WLU_TILE_PATH_STAGES * WLU_TILE_PATH_STAGE_BYTES(size) + (size) * (WLU_TILE_PATH_PIVOTS(size) + 8) + \
     48 * WLU_TILE_PATH_TILES)
#define WLU_NARROW_ROOM(size) \
    (64 + (size) * (WLU_TASK_PLACES(size) + (WLU_NARROW_STEPS(size) + 2) * WLU_TILE_THREADS) + \
     ((size) + 2) * (WLU_NARROW_STEPS(size) - 4) * WLU_TILE_THREADS)
#define WLU_SOLVE_ROOM(size) \
    (WLU_TILE_PATH_ROOM(size) > WLU_NARROW_ROOM(size) ? WLU_TILE_PATH_ROOM(size) : WLU_NARROW_ROOM(size))

/* What a pivot takes from a tile: the products of a row of eight slots with that tile's unknowns. */
typedef struct wlu_solve_pull {
    int32_t row;   /* first of the slots */
    int32_t first; /* the tile's first pivot; */
    int32_t width; /* its unknowns */
} wlu_solve_pull;

typedef struct wlu_device_solve {
    wlu_device_stream stream;
    const wlu_solve_task *task;
    const wlu_solve_tile *tile;
    const int32_t *target; /* tiled pivots whose rows of tiles these are */
    const wlu_solve_pull *pull;
    const int32_t *forward; /* tiled pivots + 1: what each takes from outside of its tile path, first in `pull`, */
    const int32_t *back;    /* and in back substitution */
    const int32_t *tile_y, *tile_x; /* by tiled pivot: slots of the solve */
    const int32_t *start;           /* where its tile path begins for each, forward, then back: slots of the solve */
    const int32_t *index;           /* n: where the unknown at slot x + k goes in the caller's x */
    const uint16_t *power;          /* n: and its scale */
    int32_t n, tasks, tiled;
    int32_t tiles;              /* that there are, for checks */
    int32_t split, slots, x, z; /* slots: of the solve; x, z: where they begin */
    int32_t zero, minus_one;    /* or -1 */
} wlu_device_solve;

#endif
