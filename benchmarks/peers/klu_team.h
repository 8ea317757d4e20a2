/* KLU on many matrices of one pattern: a numeric object for each thread, under one analysis. */
#ifndef WLU_PEER_KLU_TEAM_H
#define WLU_PEER_KLU_TEAM_H

#include <suitesparse/klu.h>

#include "peer.h"

typedef struct klu_team klu_team;

/* The system, its analysis, and settings, which each thread copies. */
typedef struct klu_parts {
    const peer_matrix *a;
    klu_symbolic *symbolic;
    const klu_common *common;
} klu_parts;

/* Starts threads - 1 threads, which sleep between calls, and chooses pivots of each object by the first member's
 * values. Parts and members outlive the team. WARPLU_OUT_OF_MEMORY, what KLU answers. NULL on failure. */
warplu_status klu_team_create(const klu_parts *parts, const peer_members *members, int threads, klu_team **out);
/* Takes NULL, leaves NULL. */
void klu_team_destroy(klu_team **team);
/* Replays all members, consecutive ones on each thread, and solves where solves is not 0. A failure ends its thread's
 * share, and is the answer. */
warplu_status klu_team_run(klu_team *team, int solves);

#endif
