#!/usr/bin/env python3
"""Summarizes `warplu bench --json` files: each solver's ratios to warplu, its failures, accuracy, and break-even.

    warplu bench A.mtx... --peers klu --json > sweep.json
    benchmarks/report.py sweep.json

Ratios are a solver's median time over that of warplu's first executor (--ours: another) in the same line, so above 1
warplu is faster; means are geometric. They hold every matrix that both solved, be the answer right or not: "inaccurate"
counts backward errors above 1e-10, "failed" the matrices without an answer. "solve alone" is over warplu's solve with
its check off, the triangular programs; "solve checked" over the one with the check of that executor, by default where the
replay was suspect: a peer's solve is the same in both, and so is that of cuda-device. "both" is a refactor and a solve,
checked, and with one wait for the device where that was timed, "fill" the entries of L and U over warplu's, "ahead after"
the refactors (each with one solve) from which warplu's total, set-up included, is below the solver's, in the median.
Bringing values to a device is outside of all these times, but for the executor cuda, whose values are the host's.

A library with several entries has a line "best of" as well. On each matrix it takes the fastest entry whose answer is
accurate: by refactor for the ratios of a refactor and fill, by refactor and solve for "both" and "ahead after". It
failed where no entry was accurate.

A file may hold several runs, one after the other, and has a report for each; --merge makes them one: where runs name
the same matrix and entry, the last counts.

    benchmarks/report.py sweep.json --matrix-table --what both

shows times, a line for each matrix and a column for each solver: "!" marks an inaccurate answer, words a failure.

    warplu bench A.mtx... --checks off,suspect --guards --json > guards.json
    benchmarks/report.py guards.json

says what checks cost, in percent over `--check off` of the same run, and what the guards' share of a refactor is, in
percent over a refactor without them. Medians first; the shortest times below them feel a busy machine less.

    warplu bench A.mtx... --lifecycle --peers klu --json > lives.json
    benchmarks/report.py lives.json

has a line for each solver and a column for each horizon, H1, H3 ...: the time from the analysis to that many solves over
warplu's as the geometric mean, and in brackets the least and how many are below 1 (--shortest: each call by its shortest
repeat, which feels a busy machine less). Below it, each solver's longest call after the first factorization, as a share of all calls
before it. --matrix-table --what life:10 shows the times up to the tenth solve.

    warplu bench A.mtx... --batch 1000 --peers klu --json > batches.json
    benchmarks/report.py batches.json

has a line for each solver: its times a member, of a refactorization with a solve and of a refactorization alone, over those
of the first executor's batch. --matrix-table --what batch:both shows them in microseconds.
"""
import argparse
import math
import re
import signal
import statistics
import sys

sys.dont_write_bytecode = True
import results  # noqa: E402
from report_batches import show_batches  # noqa: E402
from report_checks import show_check, show_guards  # noqa: E402
from report_lives import show_lives  # noqa: E402
from report_matrices import show_matrices  # noqa: E402
from report_text import missing_notes, print_notes, print_table, row_notes, say_ratio, series_notes  # noqa: E402
from results import below_one, geometric_mean, mean_of, our_result, pairs_of, ratio, ratios_of, say_error  # noqa: E402

# ----------------------------------------------------------------- summary


def mean_fill(series, ours):
    pairs = [(t.lu_nnz, o.lu_nnz) for _, o, t in pairs_of(series, ours, "refactor") if t.is_peer]
    fills = [theirs / our for theirs, our in pairs if theirs and our]
    return geometric_mean(fills) if fills else None


def break_even(ours, theirs):
    """Refactors from which ours is ahead in total, and stays so: 0 at once, infinite where steps of theirs are faster."""
    ahead = theirs.time("setup") - ours.time("setup")
    gain = theirs.time("both") - ours.time("both")
    if gain < 0 or (gain == 0 and ahead < 0):
        return math.inf
    return 0.0 if ahead >= 0 else -ahead / gain


def break_evens(series, ours):
    """Ascending."""
    return sorted(break_even(o, t) for _, o, t in pairs_of(series, ours, "total:1"))


def at(values, share):
    """The value that this share of the ascending values does not exceed; None of none."""
    return values[math.ceil(share * len(values)) - 1] if values else None


def say_even(even):
    return "-" if even is None else "never" if math.isinf(even) else str(math.ceil(even))


HEAD = ["solver", "matrices", "refactor", "least", "most", "below 1", "solve alone", "least", "below 1", "solve checked",
        "both", "inaccurate", "failed", "fill", "ahead after"]


def summary_line(series, ours):
    found, alone = ratios_of(series, ours, "refactor"), ratios_of(series, ours, "solve-alone")
    ends = [say_ratio(found[0][0]), say_ratio(found[-1][0])] if found else ["-", "-"]
    solves = [say_ratio(mean_of(series, ours, "solve-alone")), *([say_ratio(alone[0][0]), below_one(alone)] if alone
                                                                 else ["-", "-"])]
    counts = [sum(not (r.failed or r.accurate) for r in series), sum(r.failed for r in series)]
    return [series.title, str(len(found)), say_ratio(mean_of(series, ours, "refactor")), *ends,
            below_one(found), *solves, say_ratio(mean_of(series, ours, "solve")),
            say_ratio(mean_of(series, ours, "both")), *map(str, counts), say_ratio(mean_fill(series, ours)),
            say_even(at(break_evens(series, ours), 0.5))]


def group_line(library, members, ours):
    """By refactor; what holds solves is by both."""
    best = results.best_of(library, members, "refactor")
    line = summary_line(best, ours)
    both = results.best_of(library, members, "both")
    line[HEAD.index("solve alone"):HEAD.index("inaccurate")] = ["-", "-", "-", "-", say_ratio(mean_of(both, ours, "both"))]
    line[HEAD.index("failed")] = str(len(results.unanswered(members)))
    line[HEAD.index("ahead after")] = say_even(at(break_evens(both, ours), 0.5))
    return line


def group_notes(library, members):
    best = results.best_of(library, members, "refactor")
    names = [result.title for result in best]
    chosen = [f"{title} {names.count(title)}" for title in dict.fromkeys(names)]
    notes = [f"{best.title}: by refactor {', '.join(chosen)}"] if chosen else []
    without = results.unanswered(members)
    return notes + ([f"{best.title}: none accurate on {len(without)}: {', '.join(without)}"] if without else [])


def show_summary(options, runs, rows, series, ours):
    here = [s for s in series if not s.missing]
    groups = results.groups_of(series)
    lines = [summary_line(s, ours) for s in here if s.title != ours]
    lines += [group_line(library, members, ours) for library, members in groups.items()]
    if lines:
        print_table(options, HEAD, lines)
    notes = row_notes(rows) + series_notes(here)
    for library, members in groups.items():
        notes += group_notes(library, members)
    print_notes(options, notes + missing_notes(runs, series))


# ----------------------------------------------------------------- details


def say_ratios(found):
    return (f"{geometric_mean([r for r, _ in found]):.2f} in the geometric mean, "
            f"median {statistics.median(r for r, _ in found):.2f}, least {found[0][0]:.2f} ({found[0][1]}), "
            f"most {found[-1][0]:.2f} ({found[-1][1]}), below 1 on {sum(r < 1 for r, _ in found)} of {len(found)}")


def show_setup(pairs):
    for key in ("analyze_ms", "factor_ms"):
        costs = [ratio(o.data[key], t.data[key]) for _, o, t in pairs]
        print(f"  {key[:-3]}: ours takes {geometric_mean(costs):.2f} times as long in the geometric mean")
    costs = [ratio(o.data["compile_ms"], t.data["factor_ms"]) for _, o, t in pairs]
    print(f"  compile: {geometric_mean(costs):.2f} of its factorizations in the geometric mean, most {max(costs):.1f}")


def show_even(even):
    print(f"  ahead in total after {say_even(at(even, 0.5))} refactors in the median, at nine tenths "
          f"{say_even(at(even, 0.9))}, never on {sum(map(math.isinf, even))}")


def show_memory(pairs):
    sizes = [(o.fact("program_bytes") / max(o.fact("terms"), 1), t.data["bytes"] / max(o.fact("terms"), 1))
             for _, o, t in pairs if t.data.get("bytes") and o.fact("program_bytes") is not None]
    if sizes:
        print(f"  bytes per term, median: program {statistics.median(b for b, _ in sizes):.1f}, "
              f"its analysis and factors {statistics.median(b for _, b in sizes):.1f}")


def worst_error(found):
    """None, which is worst, where an answer is no number."""
    errors = [result.error for result in found]
    return None if None in errors else max(errors)


TIMES = [("refactor", "refactor"), ("solve-alone", "solve alone"), ("solve", "solve checked"), ("both", "both")]


def show_details(series, ours):
    pairs = pairs_of(series, ours, "total:1")
    if not pairs:
        print(f"{series.title}: no matrix with both results")
        return
    print(f"{series.title}, {len(pairs)} matrices")
    for what, title in TIMES:
        found = ratios_of(series, ours, what)
        if found:
            print(f"  {title + ':':14} {say_ratios(found)}")
    for what, title in TIMES[:3]:
        losses = [f"{name} ({say_ratio(r)})" for r, name in ratios_of(series, ours, what) if r < 1]
        if losses:
            print(f"  its {title} is faster on {', '.join(losses)}")
    show_setup(pairs)
    show_even(break_evens(series, ours))
    show_memory(pairs)
    stages = [t.data["stage_ms"] for _, _, t in pairs if t.data.get("stage_ms")]
    if stages:
        print(f"  values to the device, outside these times: {statistics.median(stages):.3f} ms in the median")
    print(f"  worst backward error: ours {say_error(worst_error(o for _, o, _ in pairs))}, "
          f"its {say_error(worst_error(t for _, _, t in pairs))}")


def show_costs(rows, ours):
    """What our set-up takes."""
    solved = [our_result(row, ours) for row in rows]
    solved = [r for r in solved if r is not None and r.time("setup") is not None and r.fact("terms") is not None]
    for key, title in (("analyze_ms", "analysis"), ("factor_ms", "pivoting"), ("compile_ms", "compile")):
        per_term = [1e6 * r.data[key] / max(r.fact("terms"), 1) for r in solved]
        if per_term:
            print(f"{title}: {statistics.median(per_term):.0f} ns a term in the median")
    show_prediction(solved)


def show_prediction(solved):
    """How far the cost model's refactor is from the measured one, as a factor either way."""
    pairs = [(r.fact("predicted_refactor_ms"), r.time("refactor"), r.row.name) for r in solved]
    off = sorted((max(said / took, took / said), name) for said, took, name in pairs if said and took)
    if off:
        print(f"predicted refactor: off by {statistics.median(f for f, _ in off):.2f} times in the median, at most "
              f"{off[-1][0]:.2f} ({off[-1][1]})")


# -------------------------------------------------------------------- main


def what_of(text):
    if not re.fullmatch(r"refactor|solve|solve-alone|both|setup|total:\d+|life:\d+|batch:(refactor|both)", text):
        raise argparse.ArgumentTypeError(
            f"expected refactor, solve, solve-alone, both, setup, total:N, life:N, batch:refactor or batch:both, found '{text}'")
    return text


def parse():
    parser = argparse.ArgumentParser(description="Summary of what warplu bench --json printed.")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--merge", action="store_true", help="all runs as one; of a matrix and entry the last counts")
    parser.add_argument("--ours", metavar="NAME", help="the executor that others are compared with (the first)")
    parser.add_argument("--entry", action="append", default=[], metavar="NAME",
                        help="this solver only: \"klu x2 best\" as titled, or any klu; may be given again for more")
    parser.add_argument("--matrix-table", action="store_true", help="times, in ms: a line a matrix, a column a solver")
    parser.add_argument("--what", type=what_of, metavar="WHAT",
                        help="its times: refactor, solve, solve-alone, both, setup; total:N, set-up and N steps; life:N, a life to N "
                        "solves; batch:refactor, batch:both, in us a member (refactor; of lives the longest; of batches both)")
    parser.add_argument("--best", action="store_true", help="a column in that table for the best of each library")
    parser.add_argument("--markdown", action="store_true", help="only the table and its notes, for a document")
    parser.add_argument("--csv", action="store_true", help="only the table, for benchmarks/measured and benchmarks/tables.py")
    parser.add_argument("--shortest", action="store_true", help="lives with each call by its shortest repeat, not their median")
    options = parser.parse_args()
    if (options.what or options.best) and not options.matrix_table:
        parser.error("--what and --best are for --matrix-table")
    if options.shortest and options.matrix_table:
        parser.error("--shortest goes without --matrix-table")
    return options


def selected(options, series):
    """Those asked for, all if none was."""
    for wanted in options.entry:
        if not results.select(series, wanted):
            sys.exit(f"report: no entry '{wanted}': there are {', '.join(s.title for s in series)}")
    chosen = [s for wanted in options.entry for s in results.select(series, wanted)]
    return [s for s in series if s in chosen] if options.entry else series


def our_title(options, series):
    executors = [s for s in series if not s.is_peer]
    found = results.select(executors, options.ours) if options.ours else executors
    if not found:
        sys.exit(f"report: no executor '{options.ours}'" if options.ours else "report: no matrix was timed")
    return found[0].title


def show_all(options, runs, rows, series, ours):
    for run in runs:
        print(run)
        print(f"  {run.arguments}")
    show_costs(rows, ours)
    print(f"\nover {ours}: above 1 it is faster")
    show_summary(options, runs, rows, series, ours)
    print()
    for s in series:
        if s.title != ours and not s.missing:
            show_details(s, ours)
    for check in ("suspect", "always"):
        show_check(check, rows)
    show_guards(rows)


def report_rows(options, runs, rows):
    everything = results.series_of(rows)
    ours = our_title(options, everything)
    series = selected(options, everything)
    compared = [s for s in everything if s in series or s.title == ours]
    horizons = sorted({h for row in rows for h in row.horizons})
    if options.shortest and not horizons:
        sys.exit("report: --shortest is for lives")
    if options.matrix_table:
        usual = f"life:{horizons[-1]}" if horizons else "batch:both" if rows and rows[0].members else "refactor"
        show_matrices(options, runs, rows, series, options.what or usual)
    elif horizons:
        show_lives(options, runs, rows, compared, ours, horizons)
    elif rows and rows[0].members:
        show_batches(options, runs, rows, compared, ours)
    elif options.markdown or options.csv:
        show_summary(options, runs, rows, compared, ours)
    else:
        show_all(options, runs, rows, compared, ours)
    return any(our_result(row, ours) for row in rows)


def report(options, runs):
    """Lives, batches and other times apart, where runs of them are merged."""
    rows = results.rows_of(runs)
    lives, batches = [row for row in rows if row.horizons], [row for row in rows if row.members]
    times = [row for row in rows if not row.horizons and not row.members]
    parts = [part for part in (lives, batches, times) if part] or [[]]
    return all([report_rows(options, runs, part) for part in parts])


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    options = parse()
    try:
        runs = [run for path in options.files for run in results.read(path)]
    except results.BadFile as error:
        sys.exit(f"report: {error}")
    timed = []
    for number, part in enumerate([runs] if options.merge else [[run] for run in runs]):
        if number > 0:
            print()
        timed.append(report(options, part))
    return 0 if all(timed) else "report: no matrix was timed"


if __name__ == "__main__":
    sys.exit(main())
