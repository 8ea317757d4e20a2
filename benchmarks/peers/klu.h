/* KLU as a peer. */
#ifndef WLU_PEER_KLU_H
#define WLU_PEER_KLU_H

#include "peers.h"

/* KLU's Common.scale. */
enum { PEER_KLU_SCALE_NONE = -1, PEER_KLU_SCALE_MAX = 2 };

/* An ordering that analyze takes beside its own: columns and rows as they stand, one block. */
enum { PEER_KLU_NATURAL = 2 };

/* In builds with KLU. */
extern const peer_functions peer_klu_functions;
/* klu_rgrowth and klu_rcond of the factors at hand, NaN where KLU gives none. */
void peer_klu_quality(void *state, const double *values, double *growth, double *condition);

#endif
