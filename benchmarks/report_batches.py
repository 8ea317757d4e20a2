"""The report of batches: a line for each solver, its times a member over those of the first executor's batch."""
import results
from report_text import missing_notes, print_notes, print_table, row_notes, say_ratio, series_notes
from results import below_one, geometric_mean, ratios_of

HEAD = ["solver", "matrices", "both", "least", "below 1", "refactor", "least", "below 1", "inaccurate", "failed"]


def cells(series, ours, what):
    """Geometric mean, least, how many below 1."""
    found = ratios_of(series, ours, what)
    return [say_ratio(geometric_mean([r for r, _ in found])), say_ratio(found[0][0]), below_one(found)] if found else ["-"] * 3


def solver_line(series, ours):
    counts = [sum(not (r.failed or r.accurate) for r in series), sum(r.failed for r in series)]
    return [series.title, str(len(ratios_of(series, ours, "batch:both"))), *cells(series, ours, "batch:both"),
            *cells(series, ours, "batch:refactor"), *map(str, counts)]


def one_by_one_notes(series):
    """Matrices on which a batch is replayed one member after the other."""
    names = [r.row.name for r in series if r.data.get("one_by_one") and r.data.get("batching") != "of one"]
    return [f"{series.title}: one by one on {len(names)}: {', '.join(names)}"] if names else []


def member_notes(series):
    wrong = [f"{r.row.name} ({r.data['inaccurate_members']} of {r.row.members})" for r in series if r.data.get("inaccurate_members")]
    return [f"{series.title}: members inaccurate on {len(wrong)}: {', '.join(wrong)}"] if wrong else []


def show_batches(options, runs, rows, series, ours):
    here = [s for s in series if not s.missing]
    if not (options.markdown or options.csv):
        for run in runs:
            print(f"{run}\n  {run.arguments}")
        counts = sorted({row.members for row in rows})
        print(f"\nbatches of {', '.join(map(str, counts))} members, times a member over {ours}: geometric mean; above 1 it is faster")
    lines = [solver_line(s, ours) for s in here if s.title != ours]
    if lines:
        print_table(options, HEAD, lines)
    notes = row_notes(rows) + series_notes(here) + [note for s in here for note in one_by_one_notes(s) + member_notes(s)]
    print_notes(options, notes + missing_notes(runs, series))
