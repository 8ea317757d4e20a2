"""The report of lives: a line for each solver, a column for each horizon, and the longest calls."""
import statistics

import results
from report_text import missing_notes, print_notes, print_table, row_notes, say_ratio, series_notes
from results import below_one, geometric_mean, ratios_of


def cell(series, ours, horizon, options):
    """Geometric mean (least, how many below 1) over ours."""
    found = ratios_of(series, ours, f"life:{horizon}", "calls" if options.shortest else "median")
    if not found:
        return "-"
    return f"{say_ratio(geometric_mean([r for r, _ in found]))} ({say_ratio(found[0][0])}, {below_one(found)})"


def solver_line(series, ours, horizons, options):
    counts = [sum(not (r.failed or r.accurate) for r in series), sum(r.failed for r in series)]
    solved = sum(not r.failed and results.our_result(r.row, ours) is not None for r in series)
    return [series.title, str(solved), *(cell(series, ours, h, options) for h in horizons), *map(str, counts)]


def group_line(library, members, ours, horizons, options):
    """Of each matrix and horizon the shortest life whose answers are accurate."""
    best = {h: results.best_of(library, members, f"life:{h}") for h in horizons}
    series = best[horizons[0]]
    cells = (cell(best[h], ours, h, options) for h in horizons)
    return [series.title, str(len(series.results)), *cells, "0", str(len(results.unanswered(members)))]


def say_call(result):
    call = result.data["longest_call"]
    return f"{result.row.name}, {call['call']} {call['solve']}, {call['ms']:.3g} ms"


def longest_notes(series):
    """The longest call behind the first factorization, over all calls before it."""
    found = [(call["share"], r) for r in series if not r.failed
             for call in [r.data.get("longest_call") or {}] if None not in (call.get("share"), call.get("ms"))]
    if not found:
        return []
    share, worst = max(found, key=lambda pair: pair[0])
    return [f"{series.title}: its longest call takes {statistics.median(s for s, _ in found):.2f} of all before it in the "
            f"median, at most {share:.2f} ({say_call(worst)})"]


def checked_note(series, horizon):
    """How many solves of the longest lives were checked: in all, and on how many matrices one was."""
    lives = [r.data for r in series if not r.failed and r.data.get("solves")]
    if not lives:
        return []
    checked = [life["checked_solves"] for life in lives]
    return [f"{series.title}: of {sum(life['solves'] for life in lives)} solves of lives to {horizon} {sum(checked)} were checked, "
            f"on {sum(c > 0 for c in checked)} of {len(lives)} matrices"]


def show_lives(options, runs, rows, series, ours, horizons):
    here = [s for s in series if not s.missing]
    groups = results.groups_of(series)
    lines = [solver_line(s, ours, horizons, options) for s in here if s.title != ours]
    lines += [group_line(library, members, ours, horizons, options) for library, members in groups.items()]
    if not (options.markdown or options.csv):
        for run in runs:
            print(f"{run}\n  {run.arguments}")
        print(f"\nlives over {ours}: geometric mean (least, how many below 1); above 1 it is faster")
    if lines:
        print_table(options, ["solver", "matrices", *(f"H{h}" for h in horizons), "inaccurate", "failed"], lines)
    notes = row_notes(rows) + series_notes(here) + [note for s in here for note in longest_notes(s)]
    notes += [note for s in here for note in checked_note(s, horizons[-1])]
    print_notes(options, notes + missing_notes(runs, series))
