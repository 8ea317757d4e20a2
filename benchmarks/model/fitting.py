#!/usr/bin/env python3
"""CPU time of fitting problems beside libRoadRunner's, which steps by CVODE, at like error.

    benchmarks/model/fitting.py WARPLU FILE.xml=END...

Files are of SBML, as https://github.com/Benchmarking-Initiative/Benchmark-Models-PEtab has them, one condition each, run to END with
101 rows of all states. The error of a run is the largest difference of a state from warplu's run at 1e-10, over LEAST[1] +
LEAST[0] |state|. Of warplu's runs, by its default method at tolerances from 6e-4 to 1e-7, the fastest counts whose error is at
most the peer's. Times are CPU seconds, the least of TIMES. Needs the Python packages libroadrunner and python-libsbml.

Prints for each problem and each tolerance of the peer its time and error, those of warplu, and the ratios of the times to run
and to compile."""
import argparse
import csv
import json
import os
import re
import subprocess
import tempfile
import time

import biomodels
import roadrunner
import sbml_suite

ROWS, TIMES = 100, 7
LEAST = 1e-6, 1e-9
PEER = 1e-6, 1e-7, 1e-8
OURS = [10.0 ** (-k / 4) for k in range(13, 29)]


class Problem:
    def __init__(self, path, end, warplu):
        self.path, self.end, self.warplu = path, end, warplu
        came, self.text, self.species = sbml_suite.convert(path)
        if came != "right":
            raise SystemExit(f"{path}: {self.text}")
        model = biomodels.Model(path, warplu)
        model.text, model.species = self.text, self.species
        model.look()
        states = re.findall(r"^  state (\w+) = ", self.text, re.MULTILINE)
        self.element, self.names = model.element, {name: model.names[name] for name in states if name in model.names}

    def ours(self, tolerance, names, end):
        """(rows, CPU seconds of the process, seconds to compile)"""
        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, "model.wm"), os.path.join(folder, "rows.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.text + f"watch {', '.join(f'{self.element}.{n}' for n in names)}\n")
            command = [self.warplu, "model", "run", path, "--to", repr(end), "--every", repr(self.end / ROWS), "--rtol",
                       repr(tolerance), "--atol", repr(tolerance * 1e-3), "--json", "--out", out]
            child = subprocess.Popen(command, stdout=subprocess.PIPE)
            said = json.loads(child.stdout.read())
            usage = os.wait4(child.pid, 0)[2]
            with open(out, encoding="utf-8") as file:
                rows = [list(map(float, row[1:])) for row in list(csv.reader(file))[1:]]
        return rows, usage.ru_utime + usage.ru_stime, said["compile_seconds"]

    def timed(self, tolerance):
        """(rows, seconds to run, seconds to compile): without the process' beginning, and with one state as text."""
        one = list(self.names)[:1]
        whole, begun = ([self.ours(tolerance, one, end)[1:] for _ in range(TIMES)] for end in (self.end, 1e-9 * self.end))
        seconds = min(s for s, _ in whole) - min(s for s, _ in begun)
        return self.ours(tolerance, self.names, self.end)[0], seconds, min(c for _, c in whole)

    def peer(self, tolerance):
        begin = time.process_time()
        peer = roadrunner.RoadRunner(self.path)
        compiled = time.process_time() - begin
        peer.timeCourseSelections = list(self.names.values())
        peer.integrator.relative_tolerance, peer.integrator.absolute_tolerance = tolerance, tolerance * 1e-3
        peer.integrator.maximum_num_steps = 10000000
        least = float("inf")
        for _ in range(TIMES):
            peer.reset()
            begin = time.process_time()
            rows = peer.simulate(0, self.end, ROWS + 1)
            least = min(least, time.process_time() - begin)
        return [list(map(float, row)) for row in rows], least, compiled

    def run(self):
        exact = self.ours(1e-10, self.names, self.end)[0]

        def error_of(rows):
            return max(abs(a - b) / (LEAST[1] + LEAST[0] * abs(b)) for row, true in zip(rows, exact) for a, b in zip(row, true))

        mine = [(error_of(rows), seconds, compiled) for rows, seconds, compiled in map(self.timed, OURS)]
        for tolerance in PEER:
            rows, seconds, compiled = self.peer(tolerance)
            error = error_of(rows)
            best = min((m for m in mine if m[0] <= error), key=lambda m: m[1], default=None)
            said = "none as exact" if best is None else (f"warplu {1e3 * best[1]:.2f} ms, {best[0]:.2g}; run {best[1] / seconds:.2f}, "
                                                         f"compile {best[2] / compiled:.4f}")
            print(f"{os.path.basename(self.path)} {len(self.names)} states, {tolerance:g}: {1e3 * seconds:.2f} ms, {error:.2g}; {said}",
                  flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("warplu")
    parser.add_argument("problems", nargs="+", metavar="FILE=END")
    q = parser.parse_args()
    roadrunner.Logger.disableLogging()
    sbml_suite.importer()
    for problem in q.problems:
        path, end = problem.rsplit("=", 1)
        Problem(path, float(end), q.warplu).run()


main()
