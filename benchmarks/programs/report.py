"""The table of a run of the benchmark, from its JSON."""

COLUMNS = ("case", "KLU's share", "own s", "warplu s", "ratio", "goal", "spread %", "results", "")


def spread(times):
    """How far the median is above the least, in percent."""
    ordered = sorted(times)
    return 100 * (ordered[len(ordered) // 2] / ordered[0] - 1) if ordered[0] > 0 else 0.0


def counts(other, most=3):
    """Those that differ, the farthest apart first."""
    far = sorted(other.items(), key=lambda item: -abs((item[1][1] or 0) / item[1][0] - 1) if item[1][0] else 0.0)
    more = f" and {len(far) - most} more" if len(far) > most else ""
    return "counts " + ", ".join(f"{a} -> {b}" for _, (a, b) in far[:most]) + more if far else ""


def said(verdict, before, after, other):
    """With what the program itself says about its solver, if it does, and counts that are not the same."""
    times = f"{before['solver_ms']:.3f} -> {after['solver_ms']:.3f} ms an iteration" if "solver_ms" in before else ""
    return "; ".join(text for text in (verdict, times, counts(other)) if text)


def row(entry):
    if "skipped" in entry:
        return [entry["case"], "", "", "", "", "", "", "skipped", entry["skipped"]]
    if "failed" in entry:
        return [entry["case"], "", "", "", "", "", "", "failed", entry["failed"]]
    before, after = entry["before"], entry["after"]
    share = "" if entry["share"] is None else f"{100 * entry['share']:.0f} %"
    good = entry["goal"] is None or entry["ratio"] >= entry["goal"]
    goal = "" if entry["goal"] is None else f"{entry['goal']:.2f}"
    return [entry["case"], share, f"{min(before['user']):.3f}", f"{min(after['user']):.3f}", f"{entry['ratio']:.2f}", goal,
            f"{spread(before['user']):.0f}, {spread(after['user']):.0f}", "equal" if entry["equal"] else "DIFFER: " + entry["why"],
            said("" if good else "below its goal", before, after, entry.get("other_counts", {}))]


def table(entries):
    """Lines of text, columns aligned."""
    rows = [list(COLUMNS), *(row(entry) for entry in entries)]
    widths = [max(len(r[k]) for r in rows) for k in range(len(COLUMNS) - 1)]
    aligned = [[r[0].ljust(widths[0])] + [r[k].rjust(widths[k]) for k in range(1, 7)] + [r[7].ljust(widths[7]), r[8]] for r in rows]
    return ["  ".join(cells).rstrip() for cells in aligned]


def accused(entries):
    """Cases whose results differ or that failed: what makes the run fail."""
    return [entry["case"] for entry in entries if "failed" in entry or entry.get("equal") is False]
