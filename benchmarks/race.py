#!/usr/bin/env python3
"""What the race of orderings loses: each matrix refactored by the default order and by every ordering there is.

race.py [OPTION]... A.mtx... times `warplu bench` with each ordering in turn and prints, for each matrix, the least
refactor times, the loss of the default against the best, what the orderings took of the refactors they were judged against,
and how far the prediction is off; then means and worst of all. --both: times of a refactorization and a solve in one call, by which
orders for a device are judged. --generated adds matrices of `warplu gen`, --permuted a copy
of each matrix with rows and columns shuffled, so that nothing is fitted to names or to the order a file has. On a device:
--executor cuda-device --both --together, --strategies for those that are not the default, --no-btf without the block triangular
form."""
import argparse
import csv
import gzip
import json
import math
import os
import random
import subprocess
import sys
import tempfile

ORDERINGS = ["amd", "colamd", "metis"]
GENERATED = [("ladder", 3000), ("mesh2d", 5000), ("mesh3d", 3000), ("powergrid", 8000), ("memory", 6000), ("random", 3000)]


def name_of(path):
    return os.path.basename(path).removesuffix(".gz").removesuffix(".mtx")


def generate(warplu, kind, size, folder):
    path = os.path.join(folder, f"gen_{kind}_{size}.mtx")
    subprocess.run([warplu, "gen", kind, "--size", str(size), "-o", path], check=True, stdout=subprocess.DEVNULL)
    return path


def permute(path, folder, seed):
    """Rows and columns shuffled alike, as a caller's numbering may be."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        lines = file.read().splitlines()
    head = next(k for k, line in enumerate(lines) if not line.startswith("%"))
    n = int(lines[head].split()[0])
    place = list(range(1, n + 1))
    random.Random(seed).shuffle(place)
    out = os.path.join(folder, name_of(path) + "_permuted.mtx")
    lower = "symmetric" in lines[0].lower()
    with open(out, "w") as file:
        file.write("\n".join(lines[:head + 1]) + "\n")
        for line in lines[head + 1:]:
            i, j, *value = line.split()
            i, j = place[int(i) - 1], place[int(j) - 1]
            if lower and i < j:
                i, j = j, i
            file.write(" ".join([str(i), str(j), *value]) + "\n")
    return out


def timed(options, row):
    """What a row of `warplu bench --json` says, or None."""
    executor = (row.get("executors") or [{}])[0]
    judged = "both_ms" if options.both else "refactor_ms"
    if row.get("status") != "WARPLU_SUCCESS" or judged not in executor:
        return None
    return {"ms": executor[judged]["min"], "refactor": executor["refactor_ms"]["min"], "analyze": executor["analyze_ms"], "order": row["ordering"], "terms": row["terms"],
            "predicted": row["predicted_refactor_ms"]}


def run(options, paths, *how):
    """By path. In one process, or each path in its own, so that what is compared is close in time."""
    command = [options.warplu, "bench", "--json", "--expected-refactors", str(options.expected), *how]
    if options.executor:
        command += ["--executors", options.executor]
    lines = subprocess.run(command + paths, capture_output=True, text=True).stdout.splitlines()[1:]
    return {row["matrix"]: timed(options, row) for row in map(json.loads, lines)}


def contestants(options):
    others = {ordering: ("--ordering", ordering) for ordering in ORDERINGS} | {s: ("--strategy", s) for s in options.strategies}
    return others | ({"no-btf": ("--no-btf",)} if options.no_btf else {})


def race(options, paths):
    """For each path the default's time, and those of every ordering and strategy."""
    auto = run(options, paths)
    others = {name: run(options, paths, *how) for name, how in contestants(options).items()}
    return [(path, auto[path], {name: times.get(path) for name, times in others.items()}) for path in paths if auto.get(path)]


def judge(options, path, auto, times):
    same = [times[k]["ms"] for k in ORDERINGS if times[k] and (times[k]["order"], times[k]["terms"]) == (auto["order"], auto["terms"])]
    ms = min([auto["ms"]] + same)  # the same program, timed twice
    best = min([ms] + [r["ms"] for r in times.values() if r])
    shown = " ".join(f"{k} {r['ms']:.4f}" for k, r in times.items() if r)
    least = min((r["analyze"] for r in times.values() if r), default=auto["analyze"])
    spent = (auto["analyze"] - least) / (options.expected * ms)
    print(f"{name_of(path):36} {auto['order']:7} {ms:.4f} | {shown} | loss {ms / best:.3f}, race {100 * max(spent, 0):.1f} %, "
          f"predicted {auto['predicted'] / auto['refactor']:.2f}", flush=True)
    return {"loss": ms / best, "spent": max(spent, 0), "off": math.exp(abs(math.log(auto["predicted"] / auto["refactor"]))), "name": name_of(path),
            "row": [name_of(path), auto["order"], ms, *(r["ms"] if r else "" for r in times.values()), round(ms / best, 3)]}


def write_table(options, found):
    with open(options.csv, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["matrix", "order", "auto_ms", *(f"{k}_ms" for k in contestants(options)), "loss"])
        table.writerows(r["row"] for r in found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warplu", default="build/tools/warplu", help="the command line tool")
    parser.add_argument("--expected", type=float, default=1000, help="refactors the analysis is judged against (1000)")
    parser.add_argument("--generated", action="store_true", help="matrices of warplu gen too")
    parser.add_argument("--permuted", action="store_true", help="a shuffled copy of each matrix too")
    parser.add_argument("--executor", help="who replays (the default one)")
    parser.add_argument("--strategies", type=lambda x: x.split(","), default=[], help="device strategies beside, comma-separated")
    parser.add_argument("--both", action="store_true", help="judge a refactorization and a solve in one call")
    parser.add_argument("--no-btf", action="store_true", help="one block, beside")
    parser.add_argument("--together", action="store_true", help="all matrices in one process: on a device, which takes long to open")
    parser.add_argument("--csv", help="write the times here as well")
    parser.add_argument("matrices", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = options.matrices + [generate(options.warplu, *g, folder) for g in GENERATED if options.generated]
        if options.permuted:
            paths += [permute(path, folder, seed) for seed, path in enumerate(paths)]
        groups = [paths] if options.together else [[path] for path in paths]
        found = [judge(options, *entry) for group in groups for entry in race(options, group)]
    if not found:
        sys.exit("race.py: nothing was timed")
    if options.csv:
        write_table(options, found)
    for title, k in (("loss", "loss"), ("prediction off by", "off")):
        values = sorted(r[k] for r in found)
        worst = max(found, key=lambda r: r[k])
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"{title}: geometric mean {mean:.3f}, median {values[len(values) // 2]:.3f}, worst {worst[k]:.3f} ({worst['name']})")
    print(f"race: at most {100 * max(r['spent'] for r in found):.1f} % of {options.expected:g} refactors")


main()
