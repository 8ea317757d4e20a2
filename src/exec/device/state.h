/* What a replay on a device works on, shared by host, emulator and kernels.
 *
 * Two buffers of slots take turns: replay g writes buffer g mod 2 and poisons the other, so that no time is spent on
 * resetting between replays. What changes from replay to replay (the generation, tickets, maxima) lies on the device,
 * so that a launch captured in a graph can be replayed with the same arguments. */
#ifndef WLU_EXEC_DEVICE_STATE_H
#define WLU_EXEC_DEVICE_STATE_H

#include "base/number.h"
#include "exec/device/image.h"
#include "numerics/verdict.h"

/* What the last block to leave finds out; the host reads it after it has waited. From generation on it is a
 * warplu_device_verdict, which kernels of the caller read. */
typedef struct wlu_device_health {
    double largest_l, largest_u, growth, smallest_pivot, drift;
    int32_t finite;
    uint32_t generation; /* replays done so far */
    uint32_t failed;     /* not 0: waiting for a slot was given up; the factors are void */
    int32_t verdict;     /* wlu_verdict; weak where the factors are void */
} wlu_device_health;

/* The record as the health of a replay. */
WLU_PORTABLE wlu_health wlu_device_health_read(const wlu_device_health *from, int single)
{
    wlu_health h;
    memset(&h, 0, sizeof h);
    h.largest_l = from->largest_l;
    h.largest_u = from->largest_u;
    h.growth = from->growth;
    h.smallest_pivot = from->smallest_pivot;
    h.drift = from->drift;
    h.finite = from->finite;
    h.single = single;
    h.verdict = from->verdict;
    return h;
}

/* Of a replay that was given up, beside those of wlu_judge. */
enum { WLU_DEVICE_VOID = WLU_WEAK + 1 };

/* Zeros at first. The last block to leave resets all but generation, begun, verdict and open (wlu_control_next). */
typedef struct wlu_device_control {
    uint32_t generation, begun;      /* replays done, and begun */
    uint32_t failed, departures;     /* departures: blocks that have gone */
    uint32_t arrivals;               /* blocks that have come */
    uint32_t bundles, tiles, poison; /* tickets: the next of each queue; a solve's tasks take `tiles` */
    uint32_t verdict;                /* on the last replay: wlu_verdict, or WLU_DEVICE_VOID */
    uint32_t open; /* not 0: so many replays more, blocks share the second bound of growth (cuda/growth.cuh) */
    /* Of a solve with refinement (cuda/refine.cu): tickets of work that are finished, shares of rows that were looked
     * at, rounds that have been judged. */
    uint32_t finished, looked, judged, unused;
    wlu_maxima largest;
} wlu_device_control;

/* Replays that blocks share the second bound of growth in after one that wanted it. */
enum { WLU_GROWTH_REPLAYS = 16 };

/* As the next replay, or solve, finds it. */
WLU_PORTABLE wlu_device_control wlu_control_next(const wlu_device_control *c)
{
    wlu_device_control next;
    memset(&next, 0, sizeof next);
    next.generation = c->generation + 1;
    next.begun = c->begun;
    next.verdict = c->verdict;
    next.open = c->open;
    return next;
}

/* The end of a replay: the record, and *c as the next one finds it. */
WLU_PORTABLE wlu_device_health wlu_control_conclude(wlu_device_control *c, const wlu_criteria *criteria, int single)
{
    wlu_health h = wlu_health_conclude(&c->largest, criteria, single);
    uint32_t failed = c->failed;
    if (wlu_growth_is_open(&c->largest, criteria))
        c->open = WLU_GROWTH_REPLAYS;
    else if (c->open > 0)
        c->open--;
    c->verdict = failed ? (uint32_t)WLU_DEVICE_VOID : (uint32_t)h.verdict;
    *c = wlu_control_next(c);
    wlu_device_health record = {h.largest_l,      h.largest_u, h.growth,
                                h.smallest_pivot, h.drift,     h.finite,
                                c->generation,    failed,      failed ? WLU_WEAK : h.verdict};
    return record;
}

typedef struct wlu_device_state {
    wlu_number *v[2];     /* slots each; both poisoned at first, but for the zero slot */
    int64_t slots;        /* of a buffer: all of them are poisoned */
    double *umax;         /* WLU_TILE_WIDTH a tile */
    const double *source; /* what loads read */
    wlu_number *panels;   /* for panels that do not fit into shared memory, one a block; or NULL */
    wlu_device_control *control;
    wlu_device_health *health; /* pinned host memory, or device memory */
    wlu_criteria criteria;     /* what the verdict compares with */
    uint32_t bundle_blocks;    /* so many blocks, the first to arrive, work on bundles before they take tiles, ... */
    uint32_t bundle_warps;     /* ... with so many of their warps: who only waits takes cycles from who works */
    uint32_t patience;         /* polls before a wait is given up */
    double scale;              /* in FP32: of what loads read, a power of two */
    struct wlu_refined
        *refined[2]; /* with refinement: of solves since the replay, for the device and for the host; else NULL */
} wlu_device_state;

/* A solve works on a state of its own: v are the slots of the solve, source the right-hand side, health.largest_u the
 * largest magnitude of the solution. Several right-hand sides are as many solves side by side (the launch's y), each
 * with the buffers, control and health that follow the last one's. Beside it, what it takes from the factorization, and
 * where the solution goes. */
typedef struct wlu_solve_of {
    wlu_number *v[2]; /* buffers of the factorization */
    const wlu_device_control *control;
    double *x;
    int64_t ldb, ldx;
    uint32_t withheld; /* x becomes NaN where the verdict is this or worse */
    struct wlu_refine_control
        *refine;      /* with refinement: of the first right-hand side; x is then what trials come from and go to, */
    double *trial[2]; /* by turns, n a side */
} wlu_solve_of;

#endif
