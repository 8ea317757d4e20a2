#!/usr/bin/env python3
"""Summarizes `warplu bench --json` lines: ratios to each peer, set-up costs, break-even, accuracy.

    warplu bench A.mtx... --peers klu --json > sweep.json
    benchmarks/report.py sweep.json

Ratios are peer / warplu of the median times of one run, so above 1 warplu is faster. The break-even is the number of
refactors (each with one solve) from which warplu's total, set-up included, is below the peer's.

    warplu bench A.mtx... --checks off,suspect --guards --json > guards.json
    benchmarks/report.py guards.json

says what checks cost, in percent over `--check off` of the same run, and what the guards' share of a refactor is, in
percent over a refactor without them. Medians first; the shortest times below them feel a busy machine less.
"""
import json
import math
import statistics
import sys


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def usable(entry):
    return entry["status"] in ("WARPLU_SUCCESS", "WARPLU_REPIVOTED", "WARPLU_INACCURATE") and "refactor_ms" in entry


def setup_ms(entry):
    return entry["analyze_ms"] + entry["factor_ms"] + entry["compile_ms"]


def step_ms(entry):
    return entry["refactor_ms"]["median"] + entry["solve_ms"]["median"]


def break_even(ours, theirs):
    """Refactors until ours is ahead in total: 0 at once, infinite if a step of theirs is no slower."""
    ahead = setup_ms(theirs) - setup_ms(ours)
    if ahead >= 0:
        return 0.0
    gain = step_ms(theirs) - step_ms(ours)
    return math.inf if gain <= 0 else -ahead / gain


def compare(pairs, key):
    ratios = sorted((theirs[key]["median"] / ours[key]["median"], name) for name, ours, theirs in pairs)
    losses = sum(r < 1 for r, _ in ratios)
    return (f"{geometric_mean([r for r, _ in ratios]):.2f} in the geometric mean, median {ratios[len(ratios) // 2][0]:.2f}, "
            f"least {ratios[0][0]:.2f} ({ratios[0][1]}), most {ratios[-1][0]:.2f} ({ratios[-1][1]}), "
            f"below 1 on {losses} of {len(ratios)}")


def report_peer(peer, rows):
    pairs = []
    for row in rows:
        ours = row["executors"][0]
        theirs = next(p for p in row["peers"] if p["name"] == peer)
        if usable(ours) and usable(theirs):
            pairs.append((row["name"], ours, theirs))
    if not pairs:
        print(f"{peer}: no matrix with both results")
        return
    print(f"{peer}, {len(pairs)} matrices")
    print(f"  refactor: {compare(pairs, 'refactor_ms')}")
    print(f"  solve:    {compare(pairs, 'solve_ms')}")
    for key in ("analyze_ms", "factor_ms"):
        costs = [max(ours[key], 1e-6) / max(theirs[key], 1e-6) for _, ours, theirs in pairs]
        print(f"  {key[:-3]}: ours takes {geometric_mean(costs):.2f} times as long in the geometric mean")
    costs = [ours["compile_ms"] / theirs["factor_ms"] for _, ours, theirs in pairs]
    print(f"  compile: {geometric_mean(costs):.2f} of its factorizations in the geometric mean, most {max(costs):.1f}")
    even = sorted((break_even(ours, theirs), name) for name, ours, theirs in pairs)
    never = sum(math.isinf(e) for e, _ in even)
    print(f"  ahead in total after {even[len(even) // 2][0]:.0f} refactors in the median, "
          f"at nine tenths {even[len(even) * 9 // 10][0]:.0f}, never on {never}")
    bytes_ = [(row["program_bytes"] / max(row["terms"], 1), p["bytes"] / max(row["terms"], 1))
              for row in rows for p in row["peers"] if p["name"] == peer and usable(p)]
    print(f"  bytes per term, median: program {statistics.median(b for b, _ in bytes_):.1f}, "
          f"its analysis and factors {statistics.median(b for _, b in bytes_):.1f}")
    print(f"  worst backward error: ours {max(o['backward_error'] for _, o, _ in pairs):.1e}, "
          f"its {max(t['backward_error'] for _, _, t in pairs):.1e} after as many refinement steps")


def percents(costs):
    """costs: (factor, name). The geometric mean, the median and the worst, in percent above 1."""
    costs = sorted(costs)
    return (f"{100 * geometric_mean([c for c, _ in costs]) - 100:+.1f} % in the geometric mean, "
            f"median {100 * statistics.median(c for c, _ in costs) - 100:+.1f}, "
            f"least {100 * costs[0][0] - 100:+.1f} ({costs[0][1]}), worst {100 * costs[-1][0] - 100:+.1f} ({costs[-1][1]})")


def entry_of(row, check):
    found = [e for e in row["executors"] if e.get("check") == check and usable(e)]
    return found[0] if found else None


def report_check(check, rows):
    pairs = [(row["name"], entry_of(row, "off"), entry_of(row, check)) for row in rows]
    pairs = [(name, off, on) for name, off, on in pairs if off and on]
    if not pairs:
        return
    print(f"check {check} over off, {len(pairs)} matrices")
    for key in ("refactor_ms", "solve_ms"):
        for which, label in (("median", key[:-3] + ":"), ("min", "shortest:")):
            print(f"  {label:9} {percents([(on[key][which] / off[key][which], name) for name, off, on in pairs])}")


def report_guards(rows):
    costs = []
    for row in rows:
        for entry in row["executors"]:
            guards = entry.get("guards_ms", {}).get("median")
            if usable(entry) and guards is not None:
                whole = entry["refactor_ms"]["median"]
                costs.append((whole / max(whole - guards, 1e-9), row["name"]))
                break
    if costs:
        print(f"guards, {len(costs)} matrices\n  refactor: {percents(costs)}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: report.py SWEEP.json")
    with open(sys.argv[1], encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    for row in rows:
        row["name"] = row["matrix"].rsplit("/", 1)[-1].split(".mtx")[0]
    solved = [row for row in rows if row.get("executors") and usable(row["executors"][0])]
    for row in rows:
        if row not in solved:
            print(f"left out: {row['name']}: {row['status']}")
    if not solved:
        sys.exit("no matrix was timed")
    for key, title in (("analyze_ms", "analysis"), ("factor_ms", "pivoting"), ("compile_ms", "compile")):
        per_term = [1e6 * row["executors"][0][key] / max(row["terms"], 1) for row in solved]
        print(f"{title}: {statistics.median(per_term):.0f} ns a term in the median")
    for peer in [p["name"] for p in solved[0]["peers"]]:
        report_peer(peer, solved)
    for check in ("suspect", "always"):
        report_check(check, solved)
    report_guards(solved)


if __name__ == "__main__":
    main()
