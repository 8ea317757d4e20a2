#!/usr/bin/env python3
"""Every member of a group of equal patterns as donor of pivots for all others.

    benchmarks/donors.py WARPLU GROUPS FOLDER [--pairs] [--check C] [--peers LIST] [--repeat N] [--only TEXT]
                         [--json FILE] [--csv FILE]

GROUPS holds a group a line, names in time order; a name's matrix is FOLDER/NAME.mtx.gz, FOLDER/NAME.mtx or FOLDER/NAME.
For every group and every member, `warplu bench --sequence` factors that member and replays all others in their order
(with --pairs: each other one alone, so that no replay inherits pivots chosen on the way). Names that end in _dcN and
_trN are matrices of a DC and of a transient analysis: re-pivots are counted by what the pivots in use came from and
what they were replayed on. Times are those of the sequence: replays and solves, a peer's new factorizations included
where its pivots failed it; donors with which a solver failed at some step are no part of its ratio. --json writes the
lines of the table and the totals, --csv one line a replay with its guards: with --check off, which keeps what every
other check would mend, it shows what the guards are worth.

Exit status 1 where a solve said success and its backward error is above 1e-10, or a sequence could not be run; else 0,
whatever was refused or warned of.
"""
import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import results  # noqa: E402
from results import ACCURATE  # noqa: E402

SUCCESS = ("WARPLU_SUCCESS", "WARPLU_REPIVOTED")
KINDS = ("dc>dc", "dc>tr", "tr>dc", "tr>tr", "other")
GUARDS = ("largest_l", "largest_u", "pivot_growth", "row_drift")
FIELDS = ("group donor member pivots_of kind refactor_status solve_status repivots backward_error refactor_ms solve_ms "
          "wrong").split() + list(GUARDS)


def kind_of(source, target):
    """Where pivots came from and what they met: "dc>tr"."""
    found = [re.search(r"_(dc|tr)\d*$", name) for name in (source, target)]
    kind = ">".join(f.group(1) if f else "" for f in found)
    return kind if kind in KINDS else "other"


def file_of(folder, name):
    for end in (".mtx.gz", ".mtx", ""):
        path = os.path.join(folder, name + end)
        if os.path.isfile(path):
            return path
    sys.exit(f"donors: no {name} in {folder}")


def group_name(names):
    return re.sub(r"_*(dc|tr|nr)?\d*$", "", os.path.commonprefix(names)) or names[0]


def run_sequence(options, names):
    """The steps of `warplu bench --sequence`, a results.Row each."""
    command = [options.warplu, "bench", "--sequence", "--json", "--peers", options.peers,
               "--check", options.check]
    if options.repeat:
        command += ["--repeat", str(options.repeat)]
    command += [file_of(options.folder, name) for name in names]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    try:
        steps = results.rows_of(results.read_lines(done.stdout.splitlines(), "standard output"))
    except results.BadFile as error:
        sys.exit(f"donors: {' '.join(command)}: {error}\n{done.stderr}")
    if len(steps) != len(names):
        sys.exit(f"donors: {' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return steps


def replays_of(group, names, steps):
    """What the first executor did in each step, the donor's own factorization and solve first."""
    source = names[0]
    for name, step in zip(names, steps):
        entry, omega = step.ours.data, step.ours.error
        solved = entry.get("solve_status") or entry["status"]
        yield {"group": group, "donor": names[0], "member": name, "pivots_of": source,
               "kind": "donor" if name == names[0] else kind_of(source, name),
               "refactor_status": entry.get("refactor_status") or "", "solve_status": solved,
               "repivots": entry["repivots"], "backward_error": omega,
               "refactor_ms": entry["refactor_ms"]["median"], "solve_ms": entry["solve_ms"]["median"],
               "wrong": int(solved in SUCCESS and not (omega is not None and omega <= ACCURATE)),
               **{name: step.data[name] for name in GUARDS}}
        if entry["repivots"] > 0 or name == names[0]:
            source = name


def solver_totals(series):
    """Over the sequence's replays: time, how often pivoted or factored anew, how often it failed."""
    steps = list(series)
    return {"total_ms": steps[-1].data["total_ms"] or 0.0, "again": sum(r.data["repivots"] for r in steps[1:]),
            "failed": sum(r.failed for r in steps[1:])}


def line_of(group, donor, replays, steps_of_runs):
    """One line of the table: a donor, over all its sequences."""
    line = {"group": group, "donor": donor, "replays": 0, "refused": 0, "warned": 0, "wrong": 0, "worst": 0.0,
            "repivots": {kind: 0 for kind in KINDS}, "of": {kind: 0 for kind in KINDS}, "solvers": {}}
    for replay in replays:
        line["wrong"] += replay["wrong"]
        if replay["solve_status"] in SUCCESS:
            omega = replay["backward_error"]
            line["worst"] = max(line["worst"], math.inf if omega is None else omega)
        if replay["kind"] == "donor":
            continue
        line["replays"] += 1
        line["of"][replay["kind"]] += 1
        line["repivots"][replay["kind"]] += replay["repivots"]
        refused = "WARPLU_" in replay["solve_status"] and replay["solve_status"] not in SUCCESS
        warned = replay["solve_status"] in ("WARPLU_INACCURATE", "WARPLU_UNCHECKED")
        line["warned"] += warned
        line["refused"] += refused and not warned
    for steps in steps_of_runs:
        for series in results.series_of(steps):
            total = line["solvers"].setdefault(series.title, {"total_ms": 0.0, "again": 0, "failed": 0})
            for key, value in solver_totals(series).items():
                total[key] += value
    return line


def run_donor(options, group, names, donor, records):
    others = [name for name in names if name != donor]
    runs = [[donor, other] for other in others] if options.pairs else [[donor] + others]
    replays, steps_of_runs = [], []
    for run in runs:
        steps = run_sequence(options, run)
        steps_of_runs.append(steps)
        replays += list(replays_of(group, run, steps))
    records += replays
    return line_of(group, donor, replays, steps_of_runs)


def number(value):
    return f"{value:.1e}" if value else "0"


def print_line(line, name):
    pivots = " ".join(f"{line['repivots'][k]:>3}/{line['of'][k]:<3}" for k in KINDS)
    times = " ".join(f"{s['total_ms']:10.3f} {s['again']:>4}" + (f" {s['failed']} failed" if s["failed"] else "")
                     for s in line["solvers"].values())
    print(f"{name:<32} {line['replays']:>4} {pivots} {line['refused']:>4} {line['warned']:>4} {line['wrong']:>4} "
          f"{number(line['worst']):>8} {times}", flush=True)


def print_head(solvers):
    pivots = " ".join(f"{k:<7}" for k in KINDS)
    print(f"{'donor':<32} {'of':>4} {pivots} {'ref.':>4} {'warn':>4} {'bad':>4} {'worst':>8} "
          + " ".join(f"{s:>10} anew" for s in solvers))


def sum_of(lines):
    total = line_of("", "", [], [])
    for line in lines:
        for key in ("replays", "refused", "warned", "wrong"):
            total[key] += line[key]
        total["worst"] = max(total["worst"], line["worst"])
        for kind in KINDS:
            total["repivots"][kind] += line["repivots"][kind]
            total["of"][kind] += line["of"][kind]
        for name, solver in line["solvers"].items():
            into = total["solvers"].setdefault(name, {"total_ms": 0.0, "again": 0, "failed": 0})
            for key, value in solver.items():
                into[key] += value
    return total


def ratios(lines):
    """Geometric means over the lines of each peer's time over warplu's; lines that both went through."""
    means = {}
    ours, *peers = lines[0]["solvers"]
    for peer in peers:
        pairs = [(line["solvers"][peer], line["solvers"][ours]) for line in lines]
        found = [results.ratio(p["total_ms"], o["total_ms"]) for p, o in pairs if not (p["failed"] or o["failed"])]
        if found:
            means[peer] = results.geometric_mean(found)
    return means


def parse():
    parser = argparse.ArgumentParser(description="Every member of a group of equal patterns as donor of pivots.")
    parser.add_argument("warplu", help="the command line")
    parser.add_argument("groups", help="file with a group of names a line")
    parser.add_argument("folder", help="where the matrices are")
    parser.add_argument("--pairs", action="store_true", help="each other member alone, not one after the other")
    parser.add_argument("--check", default="suspect", help="as of warplu bench (suspect)")
    parser.add_argument("--peers", default="klu", help="as of warplu bench (klu)")
    parser.add_argument("--repeat", type=int, help="passes through each sequence (by time)")
    parser.add_argument("--only", default="", help="groups whose line holds this text")
    parser.add_argument("--json", help="write the table here")
    parser.add_argument("--csv", help="write the replays here")
    return parser.parse_args()


def main():
    options = parse()
    with open(options.groups, encoding="utf-8") as file:
        groups = [line.split() for line in file if not line.startswith("#") and options.only in line]
    groups = [names for names in groups if len(names) > 1]
    if not groups:
        sys.exit("donors: no group of two or more")
    records, lines = [], []
    for names in groups:
        for donor in names:
            line = run_donor(options, group_name(names), names, donor, records)
            if not lines:
                print_head(line["solvers"])
            lines.append(line)
            print_line(line, donor)
    total = sum_of(lines)
    print_line(total, f"total of {len(lines)} donors")
    for peer, ratio in ratios(lines).items():
        print(f"geometric mean of {peer} / {next(iter(total['solvers']))} over donors: {ratio:.2f}")
    wrong = [r for r in records if r["wrong"]]
    for r in wrong:
        print(f"WRONG: {r['donor']} to {r['member']}: {r['solve_status']} "
              f"with a backward error of {r['backward_error']}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"donors": lines, "total": total, "ratios": ratios(lines)}, file, indent=1)
            file.write("\n")
    if options.csv:
        with open(options.csv, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(records)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
