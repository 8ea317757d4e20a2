/* MOS transistors of level 1 (Shichman and Hodges, IEEE JSSC 3, 1968), linearized at a given operating point.
 */
#ifndef GEN_MOS_H
#define GEN_MOS_H

#include "gen/stamp.h"

typedef struct mos_model {
    double sign;      /* 1: n channel, -1: p channel */
    double threshold; /* volts, positive for both */
    double lambda;    /* 1 / volts */
} mos_model;

extern const mos_model mos_n, mos_p;

/* Terminals: the node, GEN_GROUND included, and its voltage. */
typedef struct mos_terminal {
    int32_t node;
    double volts;
} mos_terminal;

/* Stamps gm, gds and the equivalent current of a transistor with the given beta (amperes / volt^2). The same
 * places whatever the region: drain and source rows, columns drain, gate and source. A transistor that is
 * cut off stamps zeros. */
void stamp_mos(stamp *s, const mos_model *model, double beta, mos_terminal drain, mos_terminal gate,
               mos_terminal source);

#endif
