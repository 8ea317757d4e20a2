"""PyBaMM: one discharge of a battery by the Doyle-Fuller-Newman model and its default solver, IDAKLU.

    pybamm_dfn.py POINTS     a part of the cell and a particle: the model's default is 20
"""
import sys

import numpy as np
import pybamm

from section import Section

REPEATS = 8

points = {name: int(sys.argv[1]) for name in ("x_n", "x_s", "x_p", "r_n", "r_p")}
simulation = pybamm.Simulation(pybamm.lithium_ion.DFN(), solver=pybamm.IDAKLUSolver(rtol=1e-6, atol=1e-6), var_pts=points)
timed = Section()
simulation.solve([0, 3600])  # the model is built
for _ in range(REPEATS):
    with timed:
        solution = simulation.solve([0, 3600])
timed.report({"points": len(solution.t)}, solution["Voltage [V]"](np.linspace(0, solution.t[-1], 25)))
