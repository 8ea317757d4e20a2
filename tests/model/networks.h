/* Kinds and networks of the tests of large systems: circuits and cables, by hand. */
#ifndef WLU_TEST_NETWORKS_H
#define WLU_TEST_NETWORKS_H

#include "hand.h"
#include "model/system/transient.h"

/* Between the ports 0 and 1: g (a.v - b.v). */
wlm_kind *network_resistor(hand *h, double g);
/* From port 0 to nowhere: ddt(c a.v). */
wlm_kind *network_capacitor(hand *h, double c);
/* p.v - n.v = e, or e sin(t) where alternating; unknown i. */
wlm_kind *network_source(hand *h, double e, int alternating);
/* is (exp((a.v - b.v) / vt) - 1) */
wlm_kind *network_diode(hand *h, double is, double vt);
/* A cell on port 0, with a gate m, a state w, and the charge 1.0 v. */
wlm_kind *network_cell(hand *h);

/* A chain of nodes "node": capacitors c at all, resistors g between neighbours, a resistor g from the last to the set
 * "ground", whose v is fixed at 0. */
void network_ladder(hand *h, int32_t nodes, double g, double c);
/* Cells on "cell", resistors ("gap") of conductance g between neighbours; initial v rises along the cable. */
void network_cable(hand *h, int32_t cells, double g);

/* Two sums, of which the second reads the first, and a store that reads the second; in a circle where wanted. */
void network_sums(hand *h, int circle);

/* An unknown at the present time. */
double network_value(wlm_transient *s, int32_t unknown);

#endif
