/* Cases of the attack on hubs: a solver that begins with harmless values, so that its pivots are proven, then replays
 * hostile ones, which climb towards the largest error of a success that was not checked. */
#ifndef WLU_ADVERSARIAL_HUB_PLAY_H
#define WLU_ADVERSARIAL_HUB_PLAY_H

#include <stdint.h>

/* What solves are by, and of. */
typedef enum hub_way { HUB_BY_COLUMNS, HUB_BY_PROGRAM, HUB_BY_DEVICE, HUB_BY_BATCH, HUB_WAYS } hub_way;
typedef enum hub_numbers { HUB_FP64, HUB_COMPLEX, HUB_FP32, HUB_MIXED, HUB_NUMBERS } hub_numbers;

typedef struct hub_counts {
    int64_t successes, checked, wrong, refused;
    int64_t limited; /* unchecked successes that limits of the factors vouched for */
    double worst;    /* error of an unchecked success, in units of the promise */
    double seen;     /* of a checked one */
} hub_counts;

typedef struct hub_tally {
    hub_counts of[HUB_WAYS][HUB_NUMBERS][2]; /* 2: of A, of A' */
    int64_t cases, odd;
    int64_t say;         /* so many wrong answers are described */
    int32_t least, most; /* unknowns */
    int only;            /* hub_numbers, or -1 */
} hub_tally;

void hub_play(uint64_t seed, int64_t number, hub_tally *tally);
const char *hub_way_name(hub_way way);
const char *hub_numbers_name(hub_numbers numbers);
int64_t hub_successes(const hub_tally *tally);

/* 1: all cases are played by a GPU. */
extern int hub_has_device;

#endif
