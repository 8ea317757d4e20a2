"""Whether two runs found the same, within the program's own tolerance."""
import math


def difference(a, b):
    """The largest difference as a part of the largest value, or None if they are not as many or not all finite."""
    if len(a) != len(b) or not all(math.isfinite(x) for x in [*a, *b]):
        return None
    scale = max((abs(x) for x in a), default=0) or 1
    return max((abs(x - y) for x, y in zip(a, b)), default=0) / scale


def worst(verdicts):
    """The one to report: a run that differs, or else the largest difference."""
    return next((v for v in verdicts if not v["equal"]), None) or max(verdicts, key=lambda v: v["apart"])


def other_counts(before, after):
    """The counts that are not the same, as they are: {name: [before, after]}."""
    return {name: [count, after["counts"].get(name)] for name, count in before["counts"].items() if after["counts"].get(name) != count}


def judge(before, after, tolerance, counts_apart=(1, 0.01)):
    """{"equal", "apart", "why"} of what readers.py read from both. Counts depend on last bits: they may be apart by either part of counts_apart."""
    if not before or not after:
        return {"equal": False, "apart": None, "why": "no results in the output"}
    for name, count in before["counts"].items():
        other = after["counts"].get(name)
        if other is None or abs(other - count) > max(counts_apart[0], counts_apart[1] * count):
            return {"equal": False, "apart": None, "why": f"{name}: {count} and {other}"}
    apart = difference(before["values"], after["values"])
    if apart is None:
        return {"equal": False, "apart": None, "why": f"{len(before['values'])} values and {len(after['values'])}, or not finite"}
    return {"equal": apart <= tolerance, "apart": apart, "why": f"values {apart:.1e} apart"}
