#!/usr/bin/env python3
"""Populations of cells beside Myokit's CVODES, at equal error, on one core.

    benchmarks/model/populations.py --myokit PYTHON [OPTION]...

PYTHON has Myokit; without it nothing is measured. Two models: examples/models/luo_rudy_1991.wm beside Myokit's example with the
same numbers, and Decker 2009 (46 states) of Myokit's wheel, converted by tools/import/cellml beside Myokit's own import. Three conductances
vary by +-20 %, with the same values in both programs; both hand out the potential each 31.7 ms, so that phases of beats differ.

First the errors: Myokit's at 1e-6 beside its own run at 1e-10, ours beside rodas4 at 1e-9, over the same cells and beats. Of our ways those
with at most Myokit's largest error and at most its root mean square count, and the fastest is taken. Then both programs run alternately; CPU seconds a beat and cell, the least
and the median of all. Myokit takes cells one after the other, so that fewer of them say what all would take."""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EVERY, TOLERANCE, EXACT = "31.7", "1e-6", "1e-10"
WAYS = [f"{method}:{relative}:{absolute}" for method in ("rodas3", "rodas4")
        for relative, absolute in (("1e-3", "1e-4"), ("1e-3", "1e-5"), ("3e-4", "1e-5"), ("1e-4", "1e-5"), ("1e-4", "1e-6"), ("3e-5", "1e-6"))]
CASES = {"luo_rudy": ("lr91.gna,lr91.gsi,lr91.gk", 15.0), "decker": ("decker_2009.g_Na,decker_2009.g_K1_max,decker_2009.gKr_max", 8.0)}
SAME_MODEL = 0.05  # mV: Myokit's Luo-Rudy has smooth functions in place of two conditions


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--myokit", metavar="PYTHON", help="a Python with myokit")
    parser.add_argument("--program", default=os.path.join(ROOT, "build/benchmarks/model/time_populations"), metavar="FILE")
    parser.add_argument("--members", type=int, default=1024, metavar="N", help="cells of ours (1024)")
    parser.add_argument("--cells", type=int, default=32, metavar="N", help="cells of Myokit's (32)")
    parser.add_argument("--beats", type=int, default=10, metavar="N", help="beats of 1 s (10)")
    parser.add_argument("--times", type=int, default=5, metavar="N", help="runs of each (5)")
    parser.add_argument("--only", choices=list(CASES), help="one model")
    return parser.parse_args()


def text_of(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}).stdout


def converted(options, folder):
    """Decker's text; its stimulus is by `pulse`, as Myokit's is by a protocol."""
    find = "import myokit, os; print(os.path.join(os.path.dirname(myokit.__file__), 'tests/data/formats/cellml/decker-2009.cellml'))"
    source = text_of([options.myokit, "-c", find]).strip()
    text = text_of([options.myokit, os.path.join(ROOT, "tools/import/cellml"), source])
    text = re.sub(r"\n  past = .*", "", text)
    text = re.sub(r"\n  i_Stim = .*", "\n  i_Stim = stim_amplitude*pulse(stim_offset, stim_duration, stim_period)", text)
    text = text.replace("param stim_offset = 0\n", "param stim_offset = 100\n")
    path = os.path.join(folder, "decker.wm")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def ours(options, name, path, members, checked, ways):
    """Of each way ms a beat and cell, and its error; and the reference's last number."""
    out = text_of([options.program, path, CASES[name][0], str(members), str(options.beats), EVERY, str(checked), *ways])
    rows = [line.split() for line in out.splitlines()]
    last = [float(row[1]) for row in rows if row[0] == "reference"]
    found = {row[0]: {"ms": float(row[4]), "steps": float(row[1]) + float(row[2]), "error": float(row[6]) if checked else None,
                      "rms": float(row[7]) if checked else None} for row in rows if row[0] in ways}
    return found, last[0] if last else None


def peers(options, name, tolerances):
    out = text_of([options.myokit, os.path.join(HERE, "myokit_population.py"), name, str(options.beats), EVERY, str(options.cells), tolerances])
    return [json.loads(line.removeprefix("measured ")) for line in out.splitlines() if line.startswith("measured ")]


def measure(options, name, path):
    peer, exact = peers(options, name, f"{TOLERANCE},{EXACT}")
    found, last = ours(options, name, path, options.cells, options.cells, WAYS)
    print(f"\n{name}: the first cell ends at {last:.6f} mV here and at {exact['last']:.6f} mV in Myokit")
    if abs(last - exact["last"]) > SAME_MODEL:
        sys.exit(f"populations: {name} is another model than Myokit's")
    for way, row in found.items():
        print(f"  {way:22} {row['steps']:7.1f} steps a beat {row['ms']:9.4f} ms, error {row['error']:.1e} mV, root mean square {row['rms']:.1e}")
    good = {way: row for way, row in found.items() if row["error"] <= peer["error"] and row["rms"] <= peer["rms"]}
    if not good:
        sys.exit(f"populations: no way is as exact as Myokit's {peer['error']:.1e} mV")
    way = min(good, key=lambda key: good[key]["ms"])
    mine, theirs = [], []
    for _ in range(options.times):
        mine.append(ours(options, name, path, options.members, 0, [way])[0][way]["ms"])
        theirs.append(1e3 * peers(options, name, TOLERANCE)[0]["seconds"] / options.cells / options.beats)
    least, other = min(mine), min(theirs)
    print(f"  Myokit, CVODES {TOLERANCE}: {other:.3f} ms a beat and cell (median {statistics.median(theirs):.3f}), {peer['steps']:.0f} steps, "
          f"error {peer['error']:.1e} mV, root mean square {peer['rms']:.1e}")
    print(f"  {way}: {least:.4f} ms a beat and cell (median {statistics.median(mine):.4f}), {good[way]['steps']:.0f} steps, "
          f"error {good[way]['error']:.1e} mV, root mean square {good[way]['rms']:.1e}")
    print(f"  ratio {other / least:.1f} of the least, {statistics.median(theirs) / statistics.median(mine):.1f} of the medians; bar {CASES[name][1]}")
    return other / least >= CASES[name][1]


def main():
    options = parse()
    if not options.myokit:
        print("populations: not measured: --myokit PYTHON names a Python with myokit")
        return
    with tempfile.TemporaryDirectory() as folder:
        paths = {"luo_rudy": os.path.join(ROOT, "examples/models/luo_rudy_1991.wm")}
        if options.only != "luo_rudy":
            paths["decker"] = converted(options, folder)
        passed = [measure(options, name, path) for name, path in paths.items() if options.only in (None, name)]
    sys.exit(0 if all(passed) else 1)


main()
