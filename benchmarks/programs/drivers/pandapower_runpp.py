"""pandapower: power flows of one network, by its own Newton method in Python.

    pandapower_runpp.py CASE [warplu|lightsim2grid]    warplu: its spsolve instead of scipy's; lightsim2grid: the C++ solver
"""
import sys
import warnings

import pandapower
import pandapower.networks

from section import Section

REPEATS = 8

warnings.filterwarnings("ignore")
case = sys.argv[1]
solver = sys.argv[2] if len(sys.argv) > 2 else "scipy"
if solver == "warplu":
    import pandapower.pypower.newtonpf
    import warplu
    pandapower.pypower.newtonpf.spsolve = warplu.spsolve
network = getattr(pandapower.networks, case)()
timed = Section()
pandapower.runpp(network, lightsim2grid=solver == "lightsim2grid", numba=True, init="dc")  # numba compiles
for _ in range(REPEATS):
    with timed:
        pandapower.runpp(network, lightsim2grid=solver == "lightsim2grid", numba=True, init="dc")
timed.report({"iterations": int(network._ppc["iterations"])}, list(network.res_bus.vm_pu) + list(network.res_bus.va_degree))
