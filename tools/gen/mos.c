/* The level-1 transistor: operating region, derivatives, stamp. */
#include "gen/mos.h"

const mos_model mos_n = {.sign = 1, .threshold = 0.35, .lambda = 0.06};
const mos_model mos_p = {.sign = -1, .threshold = 0.40, .lambda = 0.08};

void stamp_mos(stamp *s, const mos_model *model, double beta, mos_terminal drain, mos_terminal gate,
               mos_terminal source)
{
    double vds = model->sign * (drain.volts - source.volts);
    if (vds < 0) { /* symmetric device: what is lower acts as source */
        mos_terminal t = drain;
        drain = source;
        source = t;
        vds = -vds;
    }
    double vgs = model->sign * (gate.volts - source.volts);
    double over = vgs - model->threshold, widen = 1 + model->lambda * vds;
    double gm = 0, gds = 0, current = 0;
    if (over > 0 && vds < over) { /* linear */
        double core = vds * (over - 0.5 * vds);
        gm = beta * vds * widen;
        gds = beta * ((over - vds) * widen + model->lambda * core);
        current = beta * core * widen;
    } else if (over > 0) { /* saturated */
        gm = beta * over * widen;
        gds = 0.5 * beta * over * over * model->lambda;
        current = 0.5 * beta * over * over * widen;
    }
    double equivalent = model->sign * (current - gm * vgs - gds * vds);
    stamp_add(s, drain.node, drain.node, gds);
    stamp_add(s, drain.node, gate.node, gm);
    stamp_add(s, drain.node, source.node, -(gds + gm));
    stamp_add(s, source.node, drain.node, -gds);
    stamp_add(s, source.node, gate.node, -gm);
    stamp_add(s, source.node, source.node, gds + gm);
    stamp_current(s, drain.node, -equivalent);
    stamp_current(s, source.node, equivalent);
}
