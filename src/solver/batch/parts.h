/* The parts of a batch: data alone. Each function of a batch is in one of these files, from below:
 *
 *     options  the options
 *     target   what replays the members, on which devices
 *     program  a program in the form for batches, and its members' replays
 *     places   where the factors of members are kept
 *     ledger   the same as a device is to know it
 *     alone    members for which a solver of their own answers
 *     judge    what a member's replay and solves come to
 *     pivots   the common pivots, from a sample of members
 *     repair   what is done for members that the common program does not serve
 *     batch    life, and the calls
 *     device   the calls on device pointers
 */
#ifndef WLU_SOLVER_BATCH_PARTS_H
#define WLU_SOLVER_BATCH_PARTS_H

#include <warplu/batch.h>

#include "exec/batch/ledger.h"
#include "solver/parts.h"

/* A program of some pivots, and what replays it. */
typedef struct wlu_batch_program {
    wlu_plan *plan;       /* one of its owners */
    wlu_program *program; /* the plan's as this batch knows it: wlu_plan_copy_program */
    wlu_flat *flat;       /* NULL where members go one by one */
    wlu_batch_state *state;
    wlu_batch_state *alone; /* one by one, for jobs of few members; NULL: `state` does these too */
    int transposed;         /* the solves with A' are there */
    int proven;             /* solves with A are checked where a replay is not healthy; else all are */
    int32_t *vacant;        /* of other pivots, where factors are kept: places that no member has */
    int32_t vacancies;
} wlu_batch_program;

/* Programs at most, the common one among them: those of other pivots take a compilation and a state each. */
enum { WLU_BATCH_PROGRAMS = 16 };

/* In place of a program's number. */
enum { WLU_BY_SOLVER = -1 };

/* From the least to the most. */
typedef enum wlu_batch_care { WLU_CARE_NONE, WLU_CARE_CHECKED, WLU_CARE_REFINED, WLU_CARES } wlu_batch_care;

/* A service says what serves a member, and where its factors are kept: a call that keeps none leaves those alone. */
typedef struct wlu_batch_service {
    int32_t program;     /* what its values begin with; WLU_BY_SOLVER: a solver */
    int32_t kept;        /* what has its kept factors; WLU_BY_SOLVER: its own solver */
    int32_t place;       /* in the state of `kept`; -1: none */
    int factored;        /* factors are kept */
    wlu_batch_care care; /* what its last solves needed; the next are expected to need the same */
    int doubted;         /* a solve by kept factors has stayed inaccurate: from now on its own solver keeps them */
} wlu_batch_service;

/* A call, by what it asks for. */
typedef struct wlu_batch_call {
    int has_values, keeps; /* factors are kept, or are those that were */
    int transposed;
    int32_t nrhs;
    wlu_member_view values, b;
    wlu_member_output x;
    const struct wlu_batch_slots *slots; /* NULL: of all members */
} wlu_batch_call;

/* Where a call has the numbers of some members alone: those of member m are number slot[m] in its views. */
typedef struct wlu_batch_slots {
    const int32_t *slot;       /* by member */
    int32_t *list;             /* by slot: room for the slots of a job's members, */
    wlu_member_result *result; /* and for what becomes of them */
} wlu_batch_slots;

struct warplu_batch {
    warplu_batch_options options;
    wlu_target target;        /* what replays */
    wlu_device_list *devices; /* of the options; NULL: none are named */
    int32_t count;
    warplu_solver *base;  /* the analysis, the common pivots */
    warplu_solver *spare; /* answers for single members; NULL until one needs it */
    warplu_solver **own;  /* count, where factors are kept: those of single members, or NULL */
    wlu_team *team;
    int32_t programs, misses; /* repair.c: of the programs made, those that suited nobody else */
    int64_t compilations;
    int proof_tried; /* known systems have been tried for the common pivots */
    wlu_batch_program program[WLU_BATCH_PROGRAMS];
    wlu_batch_service *service; /* from here on: count */
    wlu_member_result *result;
    warplu_batch_member *record;
    int32_t *list, *place, *left;      /* members of a job, their places; members that have no answer yet */
    double *values, *b, *x;            /* of one member: values, a right-hand side, a solution */
    double *entries, *work;            /* the same: its entries, workspace of its residual */
    const wlu_batch_on_device *device; /* what takes device pointers, and its ledger; NULL: nothing does */
    wlu_batch_ledger *ledger;
    wlu_batch_call enqueued[WLU_BATCH_DEEDS]; /* the last call of each kind, on device pointers */
    int unfinished;                           /* kept factors have been enqueued, or solves by them */
    int lost;                                 /* a call on device pointers has failed on its way */
    warplu_batch_statistics told;
};

/* Some members. */
typedef struct wlu_member_list {
    int32_t *member;
    int32_t count;
} wlu_member_list;

/* Which of the call's views is the member's. */
static inline int64_t wlu_batch_slot(const wlu_batch_call *call, int32_t member)
{
    return call->slots != NULL ? call->slots->slot[member] : member;
}

static inline wlu_context *wlu_batch_context(warplu_batch *b)
{
    return &b->base->ctx;
}

#endif
