#!/usr/bin/env python3
"""Converted models of cells run for a second, beside Myokit's CVODES at 1e-10 on the same files.

    benchmarks/model/myokit_runs.py WARPLU FILE... [--list FILE] [--jobs N] [--peer]

FILE is .cellml or .mmt; needs the Python package myokit, SUNDIALS' headers and a C compiler. The error of a run is the
largest difference of a state at one of 101 times, over the state's largest magnitude at any of them, or LEAST of smaller
ones, for which the absolute tolerance counts; warplu has its default tolerances. Myokit's steps are at most a 20 000th of
the second, for CVODES knows no edges and would go over stimuli. A second run of warplu has two rows alone, at the
begin and the end; how far its end is from the first run's says whether a stimulus was lost.

--list writes a line for each file: its error, the state and the time where it is, the distance of the second run, or
why there is none. --peer adds the errors that CVODES itself has: at 1e-12, which says how far its run at 1e-10 can be
trusted, and by the tolerances that warplu has, with steps as long as it likes."""
import argparse
import csv
import io
import multiprocessing
import os
import subprocess
import sys
import tempfile
import warnings

import myokit_rates
import tool  # myokit_rates knows where it is

try:
    import myokit
except ImportError:
    sys.exit("needs the Python package myokit")

ROWS = 100
LEAST = 1e-9 / 1e-6
STEPS = 20000


def ours(warplu, element, text, states, end, every):
    """(rows of numbers, what is wrong)"""
    with tempfile.NamedTemporaryFile("w", suffix=".wm") as file:
        file.write(text)
        file.write(f"watch {', '.join(f'{element}.{s}' for s in states)}\n")
        file.flush()
        done = subprocess.run([warplu, "model", "run", file.name, "--to", repr(end), "--every", repr(every)], capture_output=True,
                              text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip().split("\n")[0].replace(file.name, "model.wm")
    return [list(map(float, row[1:])) for row in list(csv.reader(io.StringIO(done.stdout)))[1:]], ""


def peer_rows(path, model, end, relative, absolute, longest):
    _, protocol, _ = (None, None, None) if path.endswith(".cellml") else myokit.load(path)
    simulation = myokit.Simulation(model, protocol)
    simulation.set_tolerance(absolute, relative)
    simulation.set_max_step_size(longest)
    states = [v.qname() for v in model.states()]
    times = [end / ROWS * k for k in range(ROWS)] + [end]
    log = simulation.run(end * (1 + 1e-9), log=states, log_times=times)
    return [list(row) for row in zip(*(log[s] for s in states))]


def difference(a, b, states, end):
    """(the largest error, where)"""
    worst, where = 0.0, ""
    for k, name in enumerate(states):
        largest = max(LEAST, max(abs(row[k]) for row in b))
        for row, (x, y) in enumerate(zip(a, b)):
            error = abs(x[k] - y[k]) / largest
            if not error <= worst:
                worst, where = error, f"{name} at {end / ROWS * row:.6g}: {x[k]:.9g}, not {y[k]:.9g}"
    return worst, where


def outcome(warplu, path, peer):
    system, model = myokit_rates.form_of(path), myokit_rates.peer_of(path)
    names = system.names.given
    states = [names[v.qname()] for v in model.states()]
    end = 1.0 if model.time().unit() == myokit.units.second else 1000.0
    text = tool.text("cell", system, [])
    (rows, message), (twice, _) = [ours(warplu, "cell", text, states, end, every) for every in (end / ROWS, end)]
    try:
        theirs = peer_rows(path, model, end, 1e-10, 1e-10, end / STEPS)
    except myokit.SimulationError as error:
        return "neither" if rows is None else "peer stops", f"{message} {' '.join(str(error).split())[:200]}"
    if rows is None or twice is None:
        return "stops", message
    error, where = difference(rows, theirs, states, end)
    apart, other = difference(twice[-1:], rows[-1:], states, 0.0)
    by = ((1e-12, 1e-12, end / STEPS), (1e-6, 1e-9, None)) if peer else ()
    others = [f"{difference(peer_rows(path, model, end, *how), theirs, states, end)[0]:.2g}" for how in by]
    return f"{error:.2g}", where, f"{apart:.2g}", other, *others


def tried(arguments):
    warnings.simplefilter("ignore")
    warplu, path, peer = arguments
    try:
        return os.path.basename(path), *outcome(warplu, path, peer)
    except Exception as error:
        return os.path.basename(path), "runner", " ".join(repr(error).split())[:300]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("warplu")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--list")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--peer", action="store_true")
    q = parser.parse_args()
    found = []
    with multiprocessing.Pool(q.jobs) as pool:
        for row in pool.imap(tried, [(q.warplu, path, q.peer) for path in q.files], chunksize=1):
            found.append(row)
            if q.list:
                with open(q.list, "w", encoding="utf-8") as file:
                    file.writelines("\t".join(r) + "\n" for r in found)
    errors = sorted(float(row[1]) for row in found if len(row) >= 5)
    print(f"{len(found)} files, {len(errors)} run; errors: {sum(e <= 1e-5 for e in errors)} at most 1e-5, median "
          f"{errors[len(errors) // 2] if errors else 0:g}, largest {errors[-1] if errors else 0:g}")
    for row in found:
        if len(row) < 5:
            print(": ".join(row))


if __name__ == "__main__":
    main()
