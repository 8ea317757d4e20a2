/* What executors whose slots are in host memory have in common: where a member's numbers stand. */
#ifndef WLU_EXEC_HOST_H
#define WLU_EXEC_HOST_H

#include "lu/lu.h"

/* A member's numbers, part by part, in one block, each array on cache lines of its own. */
typedef struct wlu_host_slots {
    double *v;      /* nslots */
    double *x;      /* m: unknowns of the TILE region, in its order, while it solves */
    double *umax;   /* WLU_TILE_WIDTH a tile: largest |u| it computed in each of its columns */
    double *apart;  /* what the executor asked for */
    double *source; /* nnz: gathered values where the pattern has duplicates, else NULL */
} wlu_host_slots;

/* In doubles. */
enum { WLU_HOST_ALIGN = 8 };

/* The first place of a block that is 64-byte aligned: a block has WLU_HOST_ALIGN doubles more for it. */
double *wlu_host_aligned(double *block);
int64_t wlu_host_aligned_count(int64_t doubles);
/* Doubles of a member, a multiple of WLU_HOST_ALIGN; apart: what the executor asks for, such a multiple too. */
int64_t wlu_host_doubles(const wlu_program *program, int64_t apart);
/* Places a member's arrays at an aligned place, and zeroes all but panels' other numbers, which replays zero. */
wlu_host_slots wlu_host_place(const wlu_program *program, int64_t apart, double *at);

#endif
