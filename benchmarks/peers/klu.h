/* KLU as a peer. */
#ifndef WLU_PEER_KLU_H
#define WLU_PEER_KLU_H

#include "peers.h"

/* KLU's Common.scale. */
enum { PEER_KLU_SCALE_NONE = -1, PEER_KLU_SCALE_MAX = 2 };

extern const peer_functions peer_klu_functions; /* in builds with KLU */

#endif
