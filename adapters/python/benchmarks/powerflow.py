#!/usr/bin/env python3
"""pandapower's Newton power flow with warplu's spsolve in place of SciPy's: powerflow.py [CASE ...]

A case is a function of pandapower.networks (case9241pegase, case2869pegase). For each way of solving: one run that is not counted,
then five; printed are the least processor time of runpp, the iterations, and how far voltages differ from SciPy's.
"""
import sys
import time

import numpy
import pandapower
import pandapower.networks

import warplu


def run(net):
    begin = time.process_time()
    pandapower.runpp(net, lightsim2grid=False)
    return time.process_time() - begin


def measure(net):
    run(net)
    seconds = min(run(net) for _ in range(5))
    return seconds, net._ppc["iterations"], net.res_bus.vm_pu.to_numpy(copy=True), net.res_bus.va_degree.to_numpy(copy=True)


def main():
    print(f"# pandapower {pandapower.__version__}, warplu {warplu.__version__}")
    for case in sys.argv[1:] or ["case2869pegase", "case9241pegase"]:
        net = getattr(pandapower.networks, case)()
        by_scipy = measure(net)
        with warplu.patch("pandapower"):
            by_warplu = measure(net)
        difference = max(numpy.nanmax(abs(mine - other)) for mine, other in zip(by_warplu[2:], by_scipy[2:]))
        print(f"{case}: SciPy {1e3 * by_scipy[0]:.1f} ms, {by_scipy[1]} iterations; warplu {1e3 * by_warplu[0]:.1f} ms, "
              f"{by_warplu[1]} iterations; {by_scipy[0] / by_warplu[0]:.2f} times; voltages differ by {difference:.0e}")


main()
