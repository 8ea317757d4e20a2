/* KLU's plug-in, and what the benchmark of fooled pivots asks of it beside. */
#ifndef WLU_PEER_KLU_H
#define WLU_PEER_KLU_H

#include "peer.h"

/* Variants: KLU's Common.scale. */
enum { PEER_KLU_SCALE_NONE = -1, PEER_KLU_SCALE_MAX = 2 };

/* The place of the natural order: columns and rows as they stand. */
enum { PEER_KLU_NATURAL = 2 };

/* klu_rgrowth and klu_rcond of the factors at hand, NaN where KLU gives none. */
void peer_klu_quality(void *state, const double *values, double *growth, double *condition);

#endif
