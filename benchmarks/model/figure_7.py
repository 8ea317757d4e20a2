#!/usr/bin/env python3
"""The paper's figure 7: 10^6 steps of 0.01 ms of its five models by Euler's method, on a CPU and on a GPU.

    benchmarks/model/figure_7.py [--csv FILE] [--svg FILE] [OPTION]...

Wall seconds of one run each, as CSV and as bars:

    interpreter, CPU   the published interpreter on one core, without its switches: N steps (--cpu-steps), times 10^6 / N
    interpreter, GPU   the same with all four switches, on the first CUDA device
    bytecode, CPU      our own program of each kind of element on one core, lanes are instances; CPU seconds
    kernel, GPU        our own kernel, which is one thread for each copy of the model: seconds of as many copies as
                       --copies says, over that number. Of the single cell alone: a network would be one long thread

The paper says that its GPU takes 2.7 times its CPU's seconds for the cell, and a 4.06th to a 13.6th for networks. Exit status 1 where something
that was asked for does not run."""
import argparse
import csv
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MODELS = ("luo_rudy_1991", "wang_buzsaki", "half_centre", "ring", "line")
NAMES = dict(zip(MODELS, ("Luo-Rudy", "Wang-Buzsaki", "half-centre (Rybak's size)", "ring of 80", "line of 100")))
WHO = ("interpreter, CPU", "interpreter, GPU", "bytecode, CPU", "kernel, GPU")
COLORS = dict(zip(WHO, ("#c0392b", "#e08e0b", "#1b6ca8", "#3fa34d")))
STEP, STEPS = "0.01", 1000000


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", default="figure_7.csv", metavar="FILE")
    parser.add_argument("--svg", default="figure_7.svg", metavar="FILE")
    parser.add_argument("--programs", default=os.path.join(ROOT, "build/benchmarks/model"), metavar="FOLDER")
    parser.add_argument("--models", default=os.path.join(ROOT, "examples/models"), metavar="FOLDER")
    parser.add_argument("--cpu-steps", type=int, default=20000, metavar="N", help="of the interpreter on a CPU (20 000)")
    parser.add_argument("--copies", type=int, default=10240, metavar="N", help="of the cell, for our kernel (10 240)")
    parser.add_argument("--without", action="append", default=[], choices=WHO, help="leaves that out; may be given again")
    return parser.parse_args()


def say(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def interpreter(options, path, executor, switches, steps):
    text = say([os.path.join(options.programs, "phases"), "--executor", executor, "--switches", switches, "--steps", str(steps), "--repeat", "1",
                "--json", path])
    timed = [by for by in json.loads(text)[0]["by"] if "s" in by]
    return timed[0]["s"]["median"] * STEPS / steps


def ours(options, path, *engine):
    text = say([os.path.join(options.programs, "paper_runs"), path, "euler", STEP, str(STEPS), "10000", "/dev/null", *engine])
    return float(text.split()[1])


def seconds(options, model, who):
    """None: that is not measured of this model."""
    path = os.path.join(options.models, model + ".wm")
    if who == "interpreter, CPU":
        return interpreter(options, path, "reference", "Base", options.cpu_steps)
    if who == "interpreter, GPU":
        return interpreter(options, path, "cuda", "Merge", STEPS)
    if who == "bytecode, CPU":
        return ours(options, path, "instances")
    return ours(options, path, "device", str(options.copies)) / options.copies if model == MODELS[0] else None


def draw(rows, out):
    """Bars on a logarithmic scale, a group a model."""
    left, top, width, height, bar = 60, 30, 720, 300, 24
    low = math.floor(math.log10(min(r["seconds"] for r in rows)))
    high = math.ceil(math.log10(max(r["seconds"] for r in rows)))
    high = max(high, low + 1)
    out.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 20}" height="{top + height + 60}" font-family="sans-serif" '
              'font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n'
              f'<text x="{left}" y="18" font-size="14">10^6 steps by Euler\'s method, seconds</text>\n')

    def at(power):
        return top + height * (high - power) / (high - low)

    for power in range(low, high + 1):
        out.write(f'<line x1="{left}" y1="{at(power):.1f}" x2="{left + width}" y2="{at(power):.1f}" stroke="#ddd"/>'
                  f'<text x="{left - 6}" y="{at(power) + 4:.1f}" text-anchor="end">{10.0 ** power:g}</text>\n')
    group = width / len(MODELS)
    for k, model in enumerate(MODELS):
        begin = left + k * group
        out.write(f'<text x="{begin + group / 2:.1f}" y="{top + height + 16}" text-anchor="middle">{NAMES[model]}</text>\n')
        for i, row in enumerate(r for r in rows if r["model"] == model):
            x, y = begin + 14 + i * (bar + 4), at(math.log10(row["seconds"]))
            out.write(f'<rect x="{x:.1f}" y="{y:.1f}" width="{bar}" height="{top + height - y:.1f}" fill="{COLORS[row["who"]]}"/>'
                      f'<text x="{x + bar / 2:.1f}" y="{y - 4:.1f}" font-size="9" text-anchor="middle">{row["seconds"]:.3g}</text>\n')
    for i, who in enumerate(WHO):
        x = left + i * width / len(WHO)
        out.write(f'<rect x="{x:.1f}" y="{top + height + 32}" width="12" height="12" fill="{COLORS[who]}"/>'
                  f'<text x="{x + 18:.1f}" y="{top + height + 42}">{who}</text>\n')
    out.write("</svg>\n")


def main():
    options = parse()
    rows = []
    for model in MODELS:
        for who in WHO:
            if who in options.without:
                continue
            try:
                value = seconds(options, model, who)
            except (OSError, subprocess.CalledProcessError) as error:
                sys.exit(f"figure_7: {who} of {model} does not run: {error}")
            if value is not None:
                rows.append({"model": model, "who": who, "seconds": value})
                print(f"{model:16} {who:18} {value:12.4f} s", flush=True)
    with open(options.csv, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ("model", "who", "seconds"))
        writer.writeheader()
        writer.writerows(rows)
    with open(options.svg, "w", encoding="utf-8") as file:
        draw(rows, file)


main()
