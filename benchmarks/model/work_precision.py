#!/usr/bin/env python3
"""Work and precision on stiff standards: rodas3, rodas4, tr-bdf2 beside SciPy's Radau and BDF.

    benchmarks/model/work_precision.py [--csv FILE] [--svg FILE] [OPTION]...

Runs Robertson, HIRES, Van der Pol, Pollution and the ring modulator (examples/models) at tolerances 1e-3 to 1e-9, one member on one
core. Absolute tolerances are the relative one times a size that belongs to the problem. The error is the root mean square of relative errors of
all unknowns at the end, beside SciPy's Radau at 1e-12. Times are the least of several: of ours `run_seconds`, of SciPy's CPU seconds of
solve_ivp; equations compile within ms here, and are Python there, so that steps, which have no language, stand beside them: tried ones here,
accepted ones there. Needs SciPy; without it nothing is measured."""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests/model"))
try:
    import stiff_references
    from scipy.integrate import solve_ivp
except ImportError:
    sys.exit("work_precision: not measured: needs SciPy")

OURS, THEIRS = ("rodas3", "rodas4", "tr-bdf2"), ("Radau", "BDF")
COLORS = dict(zip(OURS + THEIRS, ("#1b6ca8", "#0b3954", "#3fa34d", "#c0392b", "#e08e0b")))
FIELDS = ("problem", "method", "tolerance", "error", "seconds", "steps")


class Problem:
    """Names of unknowns, the end, the size of absolute tolerances beside relative ones, and the start."""

    def __init__(self, name, f, end, size, names, start):
        self.name, self.f, self.end, self.size, self.names, self.start = name, f, end, size, names, start


def problems():
    r = stiff_references
    return (Problem("robertson", r.robertson, 40.0, 1e-5, [f"reaction.{x}" for x in "abc"], [1.0, 0.0, 0.0]),
            Problem("hires", r.hires, 321.8122, 1e-3, [f"plant.y[{k}]" for k in range(8)], [1.0, 0, 0, 0, 0, 0, 0, 0.0057]),
            Problem("van_der_pol", r.van_der_pol(1e3), 2.0, 1.0, ["oscillator.y", "oscillator.z"], [2.0, -0.66]),
            Problem("pollution", r.pollution, 60.0, 1e-6, [f"air.y[{k}]" for k in range(20)], r.START),
            Problem("ring_modulator", r.ring_modulator, 1e-4, 1e-3,
                    [f"modulator.u{k}" for k in range(1, 8)] + [f"modulator.i{k}" for k in range(1, 9)], [0.0] * 15))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", default="work_precision.csv", metavar="FILE")
    parser.add_argument("--svg", default="work_precision.svg", metavar="FILE")
    parser.add_argument("--warplu", default=os.path.join(ROOT, "build/tools/warplu"), metavar="FILE")
    parser.add_argument("--times", type=int, default=3, metavar="N", help="runs of which the least counts (3)")
    parser.add_argument("--only", metavar="PROBLEM", help="one problem")
    return parser.parse_args()


def by_warplu(options, problem, method, tolerance, folder):
    """Values at the end, seconds, steps; None where the run fails."""
    out = os.path.join(folder, "rows.csv")
    command = [options.warplu, "model", "run", os.path.join(ROOT, f"examples/models/{problem.name}.wm"), "--method", method, "--rtol", repr(tolerance),
               "--atol", repr(tolerance * problem.size), "--to", repr(problem.end), "--every", repr(problem.end), "--watch", ",".join(problem.names),
               "--json", "--out", out]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return None
    with open(out, encoding="utf-8") as file:
        row = list(csv.DictReader(file))[-1]
    said = json.loads(done.stdout)
    return [float(row[name]) for name in problem.names], said["run_seconds"], said["steps"] + said["rejected"]


def by_scipy(problem, method, tolerance):
    begin = time.process_time()
    try:
        run = solve_ivp(problem.f, (0.0, problem.end), problem.start, method, rtol=tolerance, atol=tolerance * problem.size)
    except (OverflowError, ValueError):  # a stage at which the equations are no numbers
        return None
    seconds = time.process_time() - begin
    return (list(run.y[:, -1]), seconds, len(run.t) - 1) if run.success else None


def distance(values, exact):
    squares = [((a - b) / b) ** 2 for a, b in zip(values, exact) if b != 0.0]
    return math.sqrt(sum(squares) / len(squares))


def measure(options, problem, folder):
    exact, _, _ = by_scipy(problem, "Radau", 1e-12)
    for method in OURS + THEIRS:
        for k in range(3, 10):
            tolerance = 10.0**-k
            runs = [by_warplu(options, problem, method, tolerance, folder) if method in OURS else by_scipy(problem, method, tolerance)
                    for _ in range(options.times if method in OURS else 1)]
            if runs[0] is None:
                continue
            yield dict(zip(FIELDS, (problem.name, method, tolerance, distance(runs[0][0], exact), min(run[1] for run in runs), runs[0][2])))


class Panel:
    """A frame with logarithmic axes: the error down, work to the right."""
    WIDTH, HEIGHT, LEFT, TOP = 210, 180, 50, 24

    def __init__(self, column, row, title, points):
        self.x0, self.y0 = column * (self.WIDTH + self.LEFT) + self.LEFT, row * (self.HEIGHT + 60) + self.TOP
        self.title = title
        self.x = [math.floor(math.log10(min(p[0] for p in points))), math.ceil(math.log10(max(p[0] for p in points)))]
        self.y = [math.floor(math.log10(min(p[1] for p in points))), math.ceil(math.log10(max(p[1] for p in points)))]

    def at(self, work, error):
        right = (math.log10(work) - self.x[0]) / max(1, self.x[1] - self.x[0])
        up = (math.log10(error) - self.y[0]) / max(1, self.y[1] - self.y[0])
        return self.x0 + right * self.WIDTH, self.y0 + (1.0 - up) * self.HEIGHT

    def frame(self):
        yield f'<rect x="{self.x0}" y="{self.y0}" width="{self.WIDTH}" height="{self.HEIGHT}" fill="none" stroke="#888"/>'
        yield f'<text x="{self.x0}" y="{self.y0 - 6}">{self.title}</text>'
        for power in range(self.x[0], self.x[1] + 1):
            x, _ = self.at(10.0**power, 10.0 ** self.y[0])
            yield f'<text x="{x:.1f}" y="{self.y0 + self.HEIGHT + 14}" text-anchor="middle">1e{power}</text>'
        for power in range(self.y[0], self.y[1] + 1, 2):
            _, y = self.at(10.0 ** self.x[0], 10.0**power)
            yield f'<text x="{self.x0 - 4}" y="{y + 4:.1f}" text-anchor="end">1e{power}</text>'

    def curve(self, points, color):
        where = [self.at(*point) for point in points]
        yield f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in where)}" fill="none" stroke="{color}"/>'
        for x, y in where:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}"/>'


def drawing(rows):
    names = list(dict.fromkeys(row["problem"] for row in rows))
    for column, name in enumerate(names):
        for line, (work, title) in enumerate((("seconds", "s"), ("steps", "steps"))):
            mine = [row for row in rows if row["problem"] == name and row["error"] > 0.0]
            panel = Panel(column, line, f"{name}: error, {title}", [(row[work], row["error"]) for row in mine])
            yield from panel.frame()
            for method, color in COLORS.items():
                yield from panel.curve([(row[work], row["error"]) for row in mine if row["method"] == method], color)
    for k, (method, color) in enumerate(COLORS.items()):
        yield f'<text x="{50 + 90 * k}" y="496" fill="{color}">{method}</text>'


def main():
    options, rows = parse(), []
    with tempfile.TemporaryDirectory() as folder:
        for problem in problems():
            if options.only in (None, problem.name):
                for row in measure(options, problem, folder):
                    rows.append(row)
                    print(" ".join(f"{row[field]:.3g}" if isinstance(row[field], float) else str(row[field]) for field in FIELDS), flush=True)
    with open(options.csv, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(rows)
    width = (Panel.WIDTH + Panel.LEFT) * len({row["problem"] for row in rows}) + 20
    with open(options.svg, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="505" font-family="sans-serif" font-size="11">\n')
        file.write("\n".join(drawing(rows)) + "\n</svg>\n")


main()
