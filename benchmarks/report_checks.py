"""What a report says of checks and guards, in percent: checks over `--check off` of the same run, and a refactor with
guards over one without."""
import statistics

from results import geometric_mean, ratio


def percent(factor):
    return f"{100 * factor - 100:+.1f}"


def percents(costs):
    """costs: (factor, name). The geometric mean, the median and the worst, in percent above 1."""
    costs = sorted(costs)
    return (f"{percent(geometric_mean([c for c, _ in costs]))} % in the geometric mean, "
            f"median {percent(statistics.median(c for c, _ in costs))}, "
            f"least {percent(costs[0][0])} ({costs[0][1]}), worst {percent(costs[-1][0])} ({costs[-1][1]})")


def checked(row, check):
    """The first executor with this check that was timed."""
    return next((r for r in row.executors if r.identity.check == check and r.time("both") is not None), None)


def show_check(check, rows):
    pairs = [(row.name, checked(row, "off"), checked(row, check)) for row in rows]
    pairs = [(name, off, on) for name, off, on in pairs if off and on]
    if not pairs:
        return
    print(f"check {check} over off, {len(pairs)} matrices")
    for what in ("refactor", "solve"):
        for which, label in (("median", what + ":"), ("min", "shortest:")):
            costs = [(ratio(on.time(what, which), off.time(what, which)), name) for name, off, on in pairs]
            print(f"  {label:9} {percents(costs)}")


def guards_cost(row):
    """(factor, name) of the first executor whose guards were timed; None without."""
    for result in row.executors:
        guards, whole = result.time("guards"), result.time("refactor")
        if guards is not None and whole is not None:
            return ratio(whole, whole - guards), row.name
    return None


def show_guards(rows):
    costs = [cost for cost in map(guards_cost, rows) if cost is not None]
    if costs:
        print(f"guards, {len(costs)} matrices\n  refactor: {percents(costs)}")
