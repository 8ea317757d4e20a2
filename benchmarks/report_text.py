"""What the tables of a report share: their lines, aligned, in Markdown or as CSV, the cells, and notes below them."""
import csv
import sys

from results import say_error


def print_markdown(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|---" + "|--:" * (len(head) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")


def print_plain(head, rows):
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    for row in [head] + rows:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  ".join(cells).rstrip())


def print_csv(head, rows):
    csv.writer(sys.stdout, lineterminator="\n").writerows([head, *rows])


def print_table(options, head, rows):
    (print_csv if options.csv else print_markdown if options.markdown else print_plain)(head, rows)


def print_notes(options, notes):
    """Lines below a table; none in a CSV file."""
    if options.csv:
        return
    if notes:
        print()
    for note in notes:
        print(("* " if options.markdown else "") + note)


def say_ratio(value):
    return "-" if value is None else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def say_ms(value):
    return "-" if value is None else f"{value:.{4 if value < 0.1 else 3 if value < 1000 else 0}f}"


def say_us(value_ms):
    return "-" if value_ms is None else f"{1000 * value_ms:.3f}"


def in_brackets(message):
    return f" ({message})" if message else ""


def row_notes(rows):
    """Matrices that no entry has seen."""
    return [f"left out: {row.name}: {row.status}" + in_brackets(row.data.get("message"))
            for row in rows if not row.executors]


def missing_notes(runs, series):
    how = {p["name"]: p["missing"] for run in runs for p in run.record.get("peers", []) if p.get("missing")}
    names = dict.fromkeys(s.title.split(" ")[0] for s in series if s.missing)
    return [f"{name} is not in this build" + (f": {how[name]}" if name in how else "") for name in names]


def failure_notes(series):
    """A line for each reason, with its matrices."""
    reasons = {}
    for result in series:
        if result.failed:
            reasons.setdefault((result.reason, result.data.get("message") or ""), []).append(result.row.name)
    return [f"{series.title} failed on {len(names)}, {reason}: {', '.join(names)}" + in_brackets(message)
            for (reason, message), names in reasons.items()]


def accuracy_notes(series):
    wrong = [f"{r.row.name} ({say_error(r.error)})" for r in series if not (r.failed or r.accurate)]
    return [f"{series.title} inaccurate on {len(wrong)}: {', '.join(wrong)}"] if wrong else []


def series_notes(series):
    """What failed and what is inaccurate."""
    return [note for s in series for note in failure_notes(s) + accuracy_notes(s)]
