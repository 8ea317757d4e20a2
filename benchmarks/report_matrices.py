"""The table of a report with a line for each matrix: the times of each solver, and of the best of each library.

"!" marks an inaccurate answer, words a failure, "-" what was not timed."""
import results
from report_text import missing_notes, print_notes, print_table, row_notes, say_ms, say_us


def cell(result, what):
    if result.failed:
        return result.reason
    return ("" if result.accurate else "! ") + (say_us if what.startswith("batch:") else say_ms)(result.time(what))


def best_cells(library, members, what):
    best = results.best_of(library, members, what)
    return best.title, {**dict.fromkeys(results.unanswered(members), "none accurate"),
                        **{name: cell(result, what) for name, result in best.results.items()}}


def show_matrices(options, runs, rows, series, what):
    columns = [(s.title, {r.row.name: cell(r, what) for r in s}) for s in series if not s.missing]
    columns += [best_cells(*group, what) for group in results.groups_of(series).items() if options.best]
    names = dict.fromkeys(row.name for row in rows)
    lines = [[name] + [cells.get(name, "-") for _, cells in columns] for name in names]
    print_table(options, ["matrix"] + [title for title, _ in columns], lines)
    print_notes(options, row_notes(rows) + missing_notes(runs, series))
