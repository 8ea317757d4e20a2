#!/usr/bin/env python3
"""The paper's table 2: 100 000 steps of five models by Euler and Runge-Kutta on one core, results written each 10 000 steps.

    benchmarks/model/paper_table.py [--times N] [--members]

Runs paper_runs for each, by the engine that a simulation takes (one cell: members; networks: instances), CPU seconds with reading and
compiling: the least and the median of N; the paper's CPU seconds beside them, and their ratio, which is to be 100. Rybak's network is one of the same size (half_centre.wm). --members: once also with the whole network as one program
of one member, as batches have it, and how far its end is from the other."""
import argparse
import os
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
STEP, STEPS, EVERY = "0.01", "100000", "10000"
PAPER = {"luo_rudy_1991": (1.66, 6.17), "wang_buzsaki": (69.3, 262), "half_centre": (295, 1060), "ring": (125, 492), "line": (159, 621)}


def run(program, model, method, out, engine):
    """CPU seconds by engine, and the difference where both have run."""
    command = [program, os.path.join(ROOT, f"examples/models/{model}.wm"), method, STEP, STEPS, EVERY, out, *engine]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[0]: float(line.split()[1]) for line in text.splitlines()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build/benchmarks/model/paper_runs"), metavar="FILE")
    parser.add_argument("--times", type=int, default=5, metavar="N")
    parser.add_argument("--members", action="store_true")
    options = parser.parse_args()
    print(f"{'model':16} {'method':6} {'least, s':>9} {'median':>9} {'paper':>8} {'ratio':>8}  members, difference")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "rows.csv")
        for model, paper in PAPER.items():
            for method, seconds in zip(("euler", "rk4"), paper):
                engine = "members" if model == "luo_rudy_1991" else "instances"
                runs = [run(options.program, model, method, out, [engine])[engine] for _ in range(options.times)]
                both = run(options.program, model, method, out, []) if options.members else {}
                more = f"{both['members']:9.3f} {both['difference']:.0e}" if both else ""
                print(f"{model:16} {method:6} {min(runs):9.4f} {statistics.median(runs):9.4f} {seconds:8.2f} {seconds / min(runs):8.1f}  {more}",
                      flush=True)


main()
