/* RC ladder: an ideal source, then series resistors with a capacitor and a leak to ground behind each.
 *
 * Unknowns: nodes 0 .. n-2 along the ladder, the source's branch current last. The source sits at node 0; its
 * branch row has a zero diagonal, the rest is tridiagonal: no fill, and a critical path of n pivots when
 * eliminated from one end. The leaks follow a wave along the ladder. */
#include "gen/gen.h"
#include "gen/random.h"
#include "gen/wave.h"

enum { SERIES, CAPACITANCE, LEAK, PHASE };

void gen_emit_ladder(stamp *s, const gen_params *p)
{
    const double volts = 1.0, h = 1e-12 * gen_step_size(p->step), time = gen_step_time(p->step);
    int32_t branch = (int32_t)(p->size - 1);
    if (!stamp_begin(s, p->size, 3 * p->size)) return;
    for (int32_t k = 0; k < branch; k++) {
        double series = 1.0 / gen_between(p->seed, SERIES, k, 5.0, 20.0);
        double farad = gen_between(p->seed, CAPACITANCE, k, 0.5e-15, 4e-15);
        double phase = gen_uniform(p->seed, PHASE, k);
        double leak = gen_between(p->seed, LEAK, k, 1e-9, 1e-7) * (1.5 + gen_wave(time / 60 + phase));
        if (k + 1 < branch) stamp_conductance(s, k, k + 1, series);
        stamp_capacitor(s, k, GEN_GROUND, farad / h, volts * (double)(branch - k) / branch);
        stamp_conductance(s, k, GEN_GROUND, leak);
    }
    stamp_voltage_source(s, 0, branch, volts * (1 + 0.1 * gen_wave(time / 60)));
}
