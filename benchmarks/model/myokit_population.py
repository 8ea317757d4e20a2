"""A population of cells by Myokit's CVODES, one cell after the other: the peer of populations.py, run by Myokit's Python.

    myokit_population.py luo_rudy|decker BEATS EVERY CELLS TOLERANCE[,TOLERANCE]... [TRACES]

Conductances as those of time_populations.c, in its order; both tolerances are TOLERANCE. Prints a line `measured {JSON}` for each tolerance:
CPU seconds of all cells without making and compiling the simulation, steps a beat, and the largest error of the potential and its root mean
square beside the last tolerance's run, and the last number of the first cell."""
import json
import os
import sys
import time

import myokit

# The equations are those of Myokit's example; what differs from examples/models/luo_rudy_1991.wm in numbers is set.
LUO_RUDY = {"ina.gNa": 23, "cell.Na_i": 18, "cell.RTF": 26.712338705498265, "ica.E": "7.7 - 13.0287 * log(ica.Ca_i)",
            "membrane.i_stim.stim_amplitude": -25.5, "ik.IK.gK": 0.282}
LUO_RUDY_START = {"membrane.V": -84.4, "ina.m": 0.0017, "ina.h": 0.9832, "ina.j": 0.9895, "ica.d": 0.003, "ica.f": 1.0, "ik.x": 0.0057,
                  "ica.Ca_i": 0.0002}


def luo_rudy():
    model = myokit.load_model(os.path.join(os.path.dirname(myokit.__file__), "_bin", "example.mmt"))
    for name, value in LUO_RUDY.items():
        model.get(name).set_rhs(value)
    for name, value in LUO_RUDY_START.items():
        model.get(name).set_initial_value(value)
    return model, myokit.pacing.blocktrain(1000, 2, offset=100), ("ina.gNa", "ica.gCa", "ik.IK.gK"), "membrane.V"


def decker():
    """Its stimulus by a protocol, since the integrator would step over an expression in time."""
    folder = os.path.join(os.path.dirname(myokit.__file__), "tests", "data", "formats", "cellml")
    model = myokit.formats.importer("cellml").model(os.path.join(folder, "decker-2009.cellml"))
    pace = model.get("membrane").add_variable("pace", rhs=0)
    pace.set_binding("pace")
    model.get("membrane.i_Stim").set_rhs("stim_amplitude * pace")
    return model, myokit.pacing.blocktrain(1000, 0.5, offset=100), ("INa.g_Na", "IK1.g_K1_max", "IKr.gKr_max"), "membrane.Vm"


def draw(cells, means):
    """Of time_populations.c: Knuth's MMIX generator, seed 1."""
    seed, out = 1, []
    for _ in range(cells):
        out.append([])
        for mean in means:
            seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
            out[-1].append(mean * (0.8 + 0.4 * (seed >> 11) / 2.0**53))
    return out


def run(simulation, cells, names, beats, times, log, tolerance):
    """All potentials, CPU seconds, steps. Each cell is run as its user would: reset, set, run."""
    traces, steps = [], 0
    simulation.set_tolerance(tolerance, tolerance)
    begin = time.process_time()
    for cell in cells:
        simulation.reset()
        for name, value in zip(names, cell):
            simulation.set_constant(name, value)
        traces.append(simulation.run(1000 * beats, log=[log], log_times=times)[log])
        steps += simulation.last_number_of_steps()
    return [v for trace in traces for v in trace], time.process_time() - begin, steps


def main():
    model, protocol, names, log = {"luo_rudy": luo_rudy, "decker": decker}[sys.argv[1]]()
    beats, every, cells = int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    tolerances = [float(word) for word in sys.argv[5].split(",")]
    times = [every * (k + 1) for k in range(int(1000 * beats // every))]
    members = draw(cells, [model.get(name).eval() for name in names])
    simulation = myokit.Simulation(model, protocol)
    runs = [run(simulation, members, names, beats, times, log, tolerance) for tolerance in tolerances]
    for tolerance, (values, seconds, steps) in zip(tolerances, runs):
        errors = [abs(a - b) for a, b in zip(values, runs[-1][0])]
        print("measured " + json.dumps({"tolerance": tolerance, "seconds": seconds, "cells": cells, "steps": steps / cells / beats,
                                        "error": max(errors), "rms": (sum(e * e for e in errors) / len(errors)) ** 0.5,
                                        "last": values[len(times) - 1]}))


main()
