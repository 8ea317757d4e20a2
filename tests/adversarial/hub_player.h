/* What parts of the attack on hubs (hub_play.h) share: a case under way, its judge. */
#ifndef WLU_ADVERSARIAL_HUB_PLAYER_H
#define WLU_ADVERSARIAL_HUB_PLAYER_H

#include "hub_play.h"
#include "hub_rhs.h"

enum { HUB_PARENTS = 4, HUB_COLUMNS = 6 };

/* What came nearest to a wrong success. */
typedef struct hub_parent {
    hub_genes genes;
    double error;
} hub_parent;

typedef struct hub_player {
    uint64_t first_seed, seed;
    int64_t number;
    hub_tally *tally;
    hub_numbers numbers;
    hub_matrix h;
    hub_genes benign, now;
    warplu_options options;
    warplu_solver *solver;
    hub_parent best[2][HUB_PARENTS]; /* of A, of A' */
    double *b, *x;                   /* HUB_COLUMNS */
    double limit[2];                 /* of hostile values (hub.h): goes where solves begin to be checked */
    int32_t columns;                 /* of right-hand sides, at most */
    int hastens_limits;
} hub_player;

int64_t hub_doubles_of(const hub_player *p);
/* Which matrix of p->h a solve is of. */
row_errors_op hub_op_of(const hub_player *p, int transposed, int conjugate);
/* Judges a success by the values at hand; returns what an unchecked one, or a wrong one, is of the promise. */
double hub_judge(hub_player *p, hub_way way, int transposed, row_errors_op op, int checked, const double *b,
                 const double *x);
/* Keeps the values at hand in place of the least of the best, if they are better. */
void hub_keep(hub_player *p, int transposed, double error);
/* A call failed that must not. */
void hub_say_odd(hub_player *p, const char *what, warplu_status status);

/* Replays these values; returns whether there are factors. */
int hub_refactor(hub_player *p, const hub_genes *genes);
/* Harmless values, whose solves end the trial of pivots. */
void hub_rest(hub_player *p);
/* Hostile values: near the best, or new ones. */
hub_genes hub_draw_genes(hub_player *p, int transposed);
/* A batch over the solver, whose members have hostile values. */
void hub_play_batch(hub_player *p);

#endif
