#!/usr/bin/env python3
"""The example program by SUNLinSol_Warplu and by SUNDIALS' KLU module, with its ordering and with AMD: user time, the
least of five runs in turn, and what CVODE counted.

    compare.py GRAY_SCOTT [ARGUMENT...]

Arguments go to the program. It has to be built with KLU."""
import os
import subprocess
import sys

SOLVERS = ("warplu", "klu", "klu-amd")
COUNTS = ("steps", "setups", "newton")
RUNS = 5


def run(solver):
    """The user time of a run, and what it prints by name."""
    before = os.times().children_user
    result = subprocess.run([*sys.argv[1:], "--solver", solver], stdout=subprocess.PIPE, text=True, check=True)
    printed = {name: float(value) for name, value in (line.split() for line in result.stdout.splitlines())}
    return os.times().children_user - before, printed


if len(sys.argv) < 2:
    sys.exit(__doc__)
best = {}
for _ in range(RUNS):
    for solver in SOLVERS:
        best[solver] = min(best.get(solver, (float("inf"), {})), run(solver), key=lambda one: one[0])
for solver in SOLVERS:
    seconds, printed = best[solver]
    counts = ", ".join(f"{printed[name]:.0f} {name}" for name in COUNTS)
    print(f"{solver:8} {seconds:7.2f} s, {seconds / best['warplu'][0]:5.2f} times warplu's; {counts}; "
          f"setup {printed['setup_mean_ms']:.2f} ms, solve {printed['solve_mean_ms']:.3f} ms, the first setup {printed['setup_first_ms']:.1f} ms")
    apart = max(abs(printed[name] / best["warplu"][1][name] - 1.0) for name in COUNTS)
    if apart > 0.01:
        sys.exit(f"{solver}: counts differ by {100 * apart:.1f} %")
