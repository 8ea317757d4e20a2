/* The list of peers. See peers.h. */
#include "peers.h"

#include "klu.h"

#ifdef WLU_WITH_KLU
#define KLU_FUNCTIONS &peer_klu_functions
#else
#define KLU_FUNCTIONS NULL
#endif
#define KLU_GET \
    "install SuiteSparse's KLU with its headers (Debian: libsuitesparse-dev), configure with -Dklu=enabled"

const peer peer_list[] = {
    {.name = "klu",
     .library = "klu",
     .about = "KLU, rows scaled by their largest entry (its default)",
     .get = KLU_GET,
     .variant = PEER_KLU_SCALE_MAX,
     .run = KLU_FUNCTIONS},
    {.name = "klu-noscale",
     .library = "klu",
     .about = "KLU without scaling and without its check of the input",
     .get = KLU_GET,
     .variant = PEER_KLU_SCALE_NONE,
     .run = KLU_FUNCTIONS},
};
const int peer_count = sizeof peer_list / sizeof peer_list[0];
