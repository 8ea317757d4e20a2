/* The emulated device: what memory, tasks and schedule have in common.
 *
 * It executes what cuda/flow.cu and cuda/solve.cu execute, on the same image and the same state (both in host memory),
 * by the arithmetic of exec/device/lanes.h: bundles by warps, tiles and a solve's tasks by blocks, tickets in the order
 * of the queues. Who runs next is drawn at random after every look at memory, and a slot that was published becomes
 * visible to others some steps later, each word by itself; a place in a block's shared memory at once. What a device
 * would show as a hang or a wrong number now and then is an error here, by name and at once: every resident task waits
 * and nothing is under way; a slot written twice, by a task that does not own it, or never; a slot read that holds
 * something nobody wrote in this replay, or read as a number while it is missing; anything read outside of the image.
 *
 * Not modelled: lanes of a warp, and threads of a block, that run apart from each other. A warp here has all its lanes'
 * operands before any lane publishes, so that what passes here never relies on lanes that run ahead. Nor a narrow
 * section's ring: here its warps take bundles and look for each other's results in shared memory, where the kernel's
 * seven fetch for one that computes. */
#ifndef WLU_EMULATOR_MACHINE_H
#define WLU_EMULATOR_MACHINE_H

#include "exec/device/lanes.h"
#include "exec/device/pack.h"
#include "exec/device/refine.h"
#include "emulator/lanes.h"

typedef struct wlu_emulate_mode {
    uint64_t seed;                /* 0: one task after the other, as far as each gets */
    int32_t blocks;               /* of a launch */
    int32_t residents;            /* of them at a time; the next one starts when one has left */
    int32_t bundle_blocks, warps; /* so many blocks, the first to arrive, work on bundles, with so many warps; of a
                                     solve all blocks do */
    int32_t delay;                /* steps, at most, until others see a slot */
    int64_t blind; /* for tests: the look of this number that finds a slot missing takes it as it is; 0: none does */
} wlu_emulate_mode;

/* One block with one warp for bundles, in order. */
static inline wlu_emulate_mode wlu_emulate_in_order(void)
{
    return (wlu_emulate_mode){.blocks = 1, .residents = 1, .bundle_blocks = 1, .warps = 1};
}

/* A slot that is missing, or a place, ~slot, of the task's shared memory, and where its bits are wanted. */
typedef struct wlu_wanted {
    int32_t slot;
    wlu_lane_bits *to;
} wlu_wanted;

enum { WLU_WANTED_MOST = 8 * (WLU_TILE_CHUNK_MOST + 8) };

/* Who looks at memory: a warp with a bundle, or a block with a tile or a solve's task. */
typedef struct wlu_agent {
    int32_t id;   /* nobody else's, ever */
    int32_t task; /* at hand: bundle b, number q of the queue at bundles + q */
    int32_t missing;
    uint64_t epoch; /* of memory, when it last looked in vain; or AWAKE */
    wlu_maxima largest;
    wlu_lane_bits *place; /* results in its block's shared memory, */
    int32_t places;       /* so many */
    wlu_wanted wanted[WLU_WANTED_MOST];
} wlu_agent;

#define WLU_AWAKE UINT64_MAX

/* Slots and time. Task numbers are those of agents. */
typedef struct wlu_machine {
    const wlu_device_program *program; /* of a factorization, else NULL; */
    const wlu_device_solve *solve;     /* or of a solve */
    const wlu_device_stream *stream;   /* its bundles */
    int32_t queue;                     /* what blocks take: so many tiles, or tasks of a solve */
    int32_t slots;                     /* that it writes, */
    int32_t zero, minus_one;           /* but for those of them that hold +0, and -1 (-1: none does) */
    int32_t split;                     /* slots before these, which a solve reads in the factorization's buffer */
    const void *factors;               /* that buffer */
    const wlu_device_state *state;     /* of the launch under way, */
    const wlu_solve_of *of;            /* and of a solve */
    const wlu_lanes *lanes; /* what slots are; bits of words below are those of the doubles that floats widen to */
    wlu_emulate_mode mode;
    void *v;              /* by slot less split, as all that follow: what everybody sees */
    int32_t *owner;       /* by slot: the task that writes it, or none; the rest is by word, of which a slot has as many
                             as its number has parts */
    int32_t *taken;       /* of a solve: by bundle, pivot with pulls and tile, both twice: the task it is in */
    int32_t *writer;      /* by word: agent that wrote it in this replay, or none */
    uint64_t *written;    /* by word: what it wrote */
    int32_t *next;        /* by word: the next one that becomes visible with it, or none */
    int32_t *due;         /* delay + 1 lists of these: at step mod (delay + 1) */
    int64_t under_way;    /* words that are written and not visible */
    uint64_t step, epoch; /* epoch: changes whenever a slot becomes visible */
    uint64_t random;
    int64_t in_vain;      /* looks that found a slot missing */
    int64_t values;       /* doubles that loads read; INT64_MAX: not known */
    int32_t agents;       /* ids handed out */
    warplu_status broken; /* what is wrong with the image */
    warplu_status status; /* of the launch; the first error stays */
    char message[256];
    struct wlu_emulated_block *block; /* residents */
    struct wlu_emulated_warp *warp;   /* mode.warps each */
    wlu_lane_number *panels;          /* of the residents */
    wlu_lane_bits *places;            /* WLU_TASK_PLACES_MOST each */
} wlu_machine;

enum { WLU_NO_TASK = -1 };

/* A machine for launches of a program, or of a solve, in this mode, on such slots. They must outlive it. Addresses
 * are of the host. block: where arrays lie, or NULL. values: how many doubles loads may read, or INT64_MAX. A program
 * in which a slot has two owners, or something lies outside, is taken all the same: launches then answer
 * WARPLU_INTERNAL. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_machine_create(wlu_context *ctx, const wlu_device_program *program, const wlu_block *block,
                                 int64_t values, const wlu_lanes *lanes, const wlu_emulate_mode *mode,
                                 wlu_machine **out);
warplu_status wlu_machine_create_solve(wlu_context *ctx, const wlu_device_solve *solve, const wlu_block *block,
                                       const wlu_lanes *lanes, const wlu_emulate_mode *mode, wlu_machine **out);
void wlu_machine_free(wlu_context *ctx, wlu_machine **machine);

/* One launch, of a factorization; blocks and warps for bundles as the machine's mode has them. WARPLU_INTERNAL: message
 * says why; slots and control are then as before the first replay. */
warplu_status wlu_machine_launch(wlu_machine *machine, const wlu_device_state *state);

/* WLU_AREA_RELATIVE of a replay. v: its buffer. */
double wlu_emulated_relative(const wlu_device_program *program, const wlu_device_state *state, const void *v,
                             const wlu_lanes *lanes);
/* The same of a solve, for one right-hand side: of->refine and of->trial are that one's. */
warplu_status wlu_machine_solve(wlu_machine *machine, const wlu_device_state *state, const wlu_solve_of *of);

/* Before a replay: poison, or constants. */
void wlu_machine_poison(void *v, const wlu_lanes *lanes, int64_t slots, int64_t zero, int64_t minus_one);
/* Bits of a word, of floats those of the double, poison as poison; and the other way. */
uint64_t wlu_emulated_word(const void *v, const wlu_lanes *lanes, int64_t word);
void wlu_emulated_put(void *v, const wlu_lanes *lanes, int64_t word, uint64_t bits);
/* Those of a slot. */
wlu_lane_bits wlu_emulated_slot(const void *v, const wlu_lanes *lanes, int64_t slot);

/* ------------------------------------------------- for the files of this folder */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void wlu_machine_fail(wlu_machine *m, const char *format, ...);
/* "bundle 7", "tile 3", "task 5 (pulls back)", "nobody". */
enum { WLU_TASK_NAME = 48 };
const char *wlu_task_name(const wlu_machine *m, int32_t task, char *to);

/* Numbers of one block's panel, and the row behind it; places of one block's tasks. */
static inline int64_t wlu_machine_panel(const wlu_machine *m)
{
    return m->program != NULL ? 8 * ((int64_t)m->program->panel_rows + 1) : 0;
}

static inline int64_t wlu_machine_places(const wlu_machine *m)
{
    return m->solve != NULL ? WLU_TASK_PLACES_MOST : 0;
}

/* Owners of slots; whether everything that the image refers to is there, but for the slots that are read (survey.h). */
void wlu_machine_survey(wlu_machine *m, const wlu_block *block);
/* How many entries `taken` has. */
int64_t wlu_machine_takings(const wlu_device_solve *solve);

uint64_t wlu_machine_random(wlu_machine *m);
/* A step of time: what is due becomes visible. */
void wlu_machine_tick(wlu_machine *m);
/* Before a launch: buffer v has nothing but poison. After one: every slot with an owner has been written. */
void wlu_machine_begin(wlu_machine *m, void *v);
void wlu_machine_end(wlu_machine *m);

/* Bytes of a slot that what is packed goes by, as wlu_slot_bytes has it. */
static inline int wlu_machine_slot_bytes(const wlu_machine *m)
{
    return m->lanes->doubles * (int)sizeof(double);
}

/* Whether any word of a slot is missing. */
static inline int wlu_is_missing(wlu_lane_bits x)
{
    return x.re == WLU_POISON || x.im == WLU_POISON;
}

/* One look at a slot, or at place ~slot of the task; poison: not there yet. */
wlu_lane_bits wlu_machine_peek(wlu_machine *m, const wlu_agent *a, int32_t slot);
/* What *to has of a slot is wanted; whether it is there is found out by wlu_machine_poll. */
void wlu_machine_want(wlu_machine *m, wlu_agent *a, int32_t slot, wlu_lane_bits *to);
/* Looks at all that is wanted and missing. 1: nothing is. */
int wlu_machine_poll(wlu_machine *m, wlu_agent *a);
/* The number of these bits, that the agent has waited for. */
wlu_lane_number wlu_machine_number(wlu_machine *m, const wlu_agent *a, wlu_lane_bits bits);
/* The task that writes a slot, or none. */
int32_t wlu_machine_owner(const wlu_machine *m, int32_t slot);
void wlu_machine_publish(wlu_machine *m, const wlu_agent *a, int32_t slot, wlu_lane_number x);
/* To a place of the task. */
void wlu_machine_share(wlu_machine *m, const wlu_agent *a, int32_t place, wlu_lane_number x);
/* The scaled number that a load reads; 0 for source -1. */
wlu_lane_number wlu_machine_source(const wlu_machine *m, int32_t at, uint16_t power);

static inline void wlu_agent_look(wlu_agent *a, int area, uint64_t bits)
{
    if (bits > a->largest.of[area]) a->largest.of[area] = bits;
}

#endif
