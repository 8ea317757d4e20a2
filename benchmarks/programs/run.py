#!/usr/bin/env python3
"""Unmodified programs with their own KLU and with warplu in its place, timed alternately.

run.py [OPTION]... runs each case N times by both ways, compares what the program found, samples KLU's share of the run, and prints a table: least
user CPU seconds of both, their ratio, how far the medians are above the least, and whether the results are equal within the
program's tolerance. What is not installed is said and skipped; README.md says how to install it. Exits 1 if results differ or a program fails.
A table of times that were written before: run.py --table FILE."""
import argparse
import json
import os
import platform
import signal
import sys
import tempfile

import cases_grid
import cases_petsc
import cases_python
import cases_sundials
import cases_vacask
import judge
import measure
import program
import readers
import report
import share

CASES = cases_sundials.CASES | cases_petsc.CASES | cases_vacask.CASES | cases_grid.CASES | cases_python.CASES


def statistics(case, options, folder):
    """What libwarplu-klu says about its calls, from a run of its own; None where nothing is preloaded."""
    if "LD_PRELOAD" not in case.after.environment:
        return None
    path = os.path.join(folder, "klu_calls.txt")
    measure.run(case.after, folder, options.timeout, more={"WARPLU_KLU_STATS": path})
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return readers.klu_calls(file.read())


def measured(case, options, folder):
    """The entry of a case: times by way, ratio, results."""
    runs = {"before": [], "after": []}
    for _ in range(options.times):
        for key, way in (("before", case.before), ("after", case.after)):
            done = (measure.run(way, folder, options.timeout) if case.processes == 1
                    else measure.median(way, folder, options.timeout, case.processes))
            found = case.read(done.text, folder) if done.code == 0 else None
            if not found:
                last = (done.text.strip().splitlines() or ["no output"])[-1]
                return {"case": case.name, "failed": f"{way.label}: exit code {done.code}: {last[:200]}"}
            runs[key].append((done, found))
    verdicts = [judge.judge(runs["before"][0][1], found, case.tolerance, case.counts_apart) for key in runs for _, found in runs[key]]
    worst = judge.worst(verdicts)
    entry = {"case": case.name, "about": case.about, "goal": case.goal if options.adapters else None, **worst,
             "other_counts": judge.other_counts(runs["before"][0][1], runs["after"][0][1])}
    for key, way in (("before", case.before), ("after", case.after)):
        entry[key] = {"label": way.label, "command": way.command, "user": [r.user for r, _ in runs[key]], "wall": [r.wall for r, _ in runs[key]],
                      "counts": runs[key][0][1]["counts"]}
        if "solver_ms" in runs[key][0][1]:
            entry[key]["solver_ms"] = min(found["solver_ms"] for _, found in runs[key])
    least = {key: min(entry[key]["user"]) for key in runs}
    entry["ratio"] = least["before"] / least["after"] if least["after"] > 0 else 1.0
    return entry


def take(name, places, options):
    try:
        case = CASES[name](places)
    except program.Missing as missing:
        return {"case": name, "skipped": str(missing)}
    with tempfile.TemporaryDirectory(dir=places.work) as folder:
        entry = measured(case, options, folder)
        if "failed" not in entry:
            entry["share"] = share.share(case.before, folder, options.timeout) if options.share and case.ranks == 1 else None
            entry["klu_calls"] = statistics(case, options, folder)
    return entry


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="cases whose names begin so; more than once")
    parser.add_argument("--list", action="store_true", help="the names of the cases")
    parser.add_argument("--times", type=int, default=5, metavar="N", help="runs by each way (5)")
    parser.add_argument("--timeout", type=float, default=600, metavar="S", help="seconds a run may take (600)")
    parser.add_argument("--no-adapters", action="store_false", dest="adapters", help="both ways with the program's own solver: its baseline and noise")
    parser.add_argument("--no-share", action="store_false", dest="share", help="do not sample KLU's share")
    parser.add_argument("--json", metavar="FILE", help="write what was measured here, after each case")
    parser.add_argument("--table", metavar="FILE", help="print the table of such a file and measure nothing")
    parser.add_argument("--peers", default="peers", metavar="DIR", help="where the virtual environments are (peers)")
    parser.add_argument("--klu1", default="build/adapters/klu/libklu.so.1", metavar="LIBRARY", help="libwarplu-klu for libklu.so.1")
    parser.add_argument("--klu2", default="build/adapters/klu/libklu.so.2", metavar="LIBRARY", help="libwarplu-klu for libklu.so.2")
    parser.add_argument("--petsc-plugin", default="build/adapters/petsc/libpetscwarplu.so", metavar="LIBRARY")
    parser.add_argument("--lightsim2grid-plugin", default="build/adapters/lightsim2grid/libwarplu-lightsim2grid.so", metavar="LIBRARY")
    parser.add_argument("--package", default="build/adapters/python", metavar="DIR", help="where Python finds the package warplu")
    parser.add_argument("--petsc-source", metavar="DIR", help="a source tree of PETSc 3.18")
    parser.add_argument("--vacask-source", metavar="DIR", help="a source tree of VACASK")
    return parser.parse_args()


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())
    return {"processor": model, "cores": os.cpu_count(), "load": os.getloadavg()[0]}


def main():
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if options.list:
        return print("\n".join(CASES))
    if options.table:
        with open(options.table, encoding="utf-8") as file:
            entries = json.load(file)["cases"]
    else:
        entries = []
        with tempfile.TemporaryDirectory() as work:
            places = program.Places(work=work, **{name: getattr(options, name) for name in (
                "peers", "klu1", "klu2", "petsc_source", "petsc_plugin", "vacask_source", "lightsim2grid_plugin", "package", "adapters")})
            for name in CASES:
                if options.only and not any(name.startswith(only) for only in options.only):
                    continue
                entries.append(take(name, places, options))
                print(report.table(entries[-1:])[-1], file=sys.stderr, flush=True)
                if options.json:
                    with open(options.json, "w", encoding="utf-8") as file:
                        json.dump({"machine": machine(), "times": options.times, "cases": entries}, file, indent=1)
    print("\n".join(report.table(entries)))
    return sys.exit(1 if report.accused(entries) or not entries else 0)


if __name__ == "__main__":
    main()
