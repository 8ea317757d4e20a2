"""lightsim2grid: power flows of one grid for a series of injections, as its TimeSeriesCPP computes them.

    lightsim2grid_series.py CASE STEPS [PLUGIN]     a network of pandapower; PLUGIN: warplu's algorithm instead of KLU's
"""
import sys
import warnings

import numpy as np
import pandapower.networks
from lightsim2grid.lightsim2grid_cpp import AlgorithmType, TimeSeriesCPP
from lightsim2grid.network import init_from_pandapower

from section import Section


def load_plugin(path):
    """The name of the Newton algorithm that the plugin brings."""
    from lightsim2grid import load_algorithm_plugin
    load_algorithm_plugin(path)
    return "NRSing_WARPLU"


def targets(elements, field):
    return np.array([getattr(element, field) for element in elements], dtype=float)


warnings.filterwarnings("ignore")
case, steps = sys.argv[1], int(sys.argv[2])
algorithm = load_plugin(sys.argv[3]) if len(sys.argv) > 3 else AlgorithmType.NRSing_KLU
grid = init_from_pandapower(getattr(pandapower.networks, case)())
start = grid.ac_pf(np.ones(grid.total_bus(), dtype=complex), 20, 1e-8)
if len(start) == 0:
    sys.exit("the first power flow does not converge")
series = TimeSeriesCPP(grid)
series.change_algorithm(algorithm)
load = (1 + 0.05 * np.sin(2 * np.pi * np.arange(steps) / 96))[:, None]
injections = [load * targets(grid.get_generators(), "target_p_mw"), np.ones((steps, 1)) * targets(grid.get_static_generators(), "target_p_mw"),
              load * targets(grid.get_loads(), "target_p_mw"), load * targets(grid.get_loads(), "target_q_mvar")]
timed = Section()
with timed:
    status = series.compute_Vs(*injections, start, 10, 1e-8)
voltages = series.get_voltages()[-1]
statistics = series.get_linear_solver_stats()
timed.report({"converged": int(status), "solved": int(series.nb_solved()), "factorizations": statistics.nb_factorize + statistics.nb_refactorize},
             list(voltages.real) + list(voltages.imag))
