/* Plays a case against the library and judges each answer from outside. */
#ifndef WLU_ADVERSARIAL_PLAY_H
#define WLU_ADVERSARIAL_PLAY_H

#include "genome.h"

typedef struct counts {
    int64_t successes; /* right-hand sides answered with WARPLU_SUCCESS or WARPLU_REPIVOTED */
    int64_t checked;   /* of these: the library computed their backward error */
    int64_t wrong;     /* of these successes: the promise is broken */
    int64_t refused;   /* right-hand sides answered otherwise */
} counts;

/* An answer, its error in units of what is promised. */
typedef struct finding {
    double error;    /* 0 where there is none */
    double weakness; /* largest |l| times largest |u| times drift of the replay, in scaled values: how weak its health
                        looks */
    double surprise; /* what the error has above plain rounding, over the weakness: what a verdict on the health cannot
                        see */
    int step, column;
} finding;

typedef struct outcome {
    counts count[2];   /* of A, of A' (as the solver was called) */
    finding worst[2];  /* unchecked successes: the largest error, */
    finding hidden[2]; /* and the largest surprise */
    finding wrong;     /* the first success that breaks the promise; error 0: none */
    int64_t programs;  /* compiled by the last solver of the case */
    int odd;           /* a status that has no business there, or a call that must not fail has */
} outcome;

void counts_add(counts *to, const counts *from);
/* 1e-10, in FP32 1e-4, and what summing in double may add. */
double play_tolerance(const genome *g);
/* Cases are played by this executor instead of their own, where it is not AUTO; and with its solves on device pointers.
 */
extern warplu_executor play_executor;
/* 0, or what `repeatable` of all cases in FP64 is. */
extern int64_t play_repeatable;
extern int play_on_device;

/* Right-hand sides that are aimed are written into g. */
void play(genome *g, outcome *out);
void play_say(const genome *g, const finding *f);

#endif
