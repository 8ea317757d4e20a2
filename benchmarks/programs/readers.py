"""From a program's output to {"counts": {name: integer}, "values": [numbers]}: what two runs must agree on."""
import math
import re
import struct

from measure import said


def driver(text, folder):
    """A driver of ours says them itself."""
    own = said(text)
    return {"counts": own["counts"], "values": own["values"]} if own else None


def named(text, folder):
    """Lines `name integer` are counts, lines `name number` values."""
    found = re.findall(r"^(\S+) ([-+\d.eE]+)$", text, re.M)
    counts = {name: int(word) for name, word in found if re.fullmatch(r"\d+", word)}
    return {"counts": counts, "values": [float(word) for _, word in found if not re.fullmatch(r"\d+", word)]} if found else None


def petsc(text, folder):
    """Steps, Newton iterations, and the solution from -ts_view_solution or -snes_view_solution: a number a line."""
    norms = re.findall(r"^ *\d+ SNES Function norm (\S+)", text, re.M)
    values = [float(word) for word in re.findall(r"^(-?\d[\d.]*(?:e[-+]\d+)?)$", text, re.M)]
    steps = re.findall(r"^\d+ TS dt", text, re.M)
    return {"counts": {"steps": len(steps), "newton": len(norms)}, "values": values} if norms and values else None


def every_number(text, folder):
    """All numbers that stand alone, for programs that print tables: SUNDIALS' examples. Integers are counts. The others are compared by their
    logarithms from 1e-6 on, as they lie many decades apart: a difference of 3e-4 of the largest is about one percent."""
    words = re.findall(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w.])", text)
    counts = {f"number {k}": int(word) for k, word in enumerate(words) if word.isdigit()}
    return {"counts": counts, "values": [math.asinh(float(word) / 1e-6) for word in words if not word.isdigit()]} if words else None


def vacask_counts(text, folder):
    """Newton iterations and time points of `print stats`, and what it says that refactorization and solve took in each iteration."""
    counts = {name: int(word) for name, word in re.findall(r"^  (NR solver iterations|Accepted timepoints): +(\d+)$", text, re.M)}
    took = {name: float(word) for name, word in re.findall(r"^  Real (refactorization|solve) time: +(\S+)$", text, re.M)}
    iterations = max(1, counts.get("NR solver iterations", 1))
    return {"counts": counts, "values": [], "solver_ms": 1e3 * sum(took.values()) / iterations} if counts else None


def vacask(text, folder):
    """The same, and the last point of the result file."""
    found = vacask_counts(text, folder)
    return found | {"values": last_point(f"{folder}/tran1.raw")} if found else None


def klu_calls(text):
    """The report of libwarplu-klu: words `name=seconds` and `function=calls:seconds`, a line a process; the process with most KLU counts."""
    found = []
    for line in text.splitlines():
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        found.append({name: [float(part) for part in value.split(":")] if ":" in value else float(value) for name, value in words.items()
                      if re.fullmatch(r"[-+\d.e:]+", value)})
    return max(found, key=lambda words: words.get("total", 0), default=None)


def last_point(path):
    """The last row of a SPICE result file of doubles."""
    with open(path, "rb") as file:
        data = file.read()
    head, _, rows = data.partition(b"Binary:\n")
    width = int(re.search(rb"No\. Variables: *(\d+)", head)[1])
    count = len(rows) // (8 * width)
    return list(struct.unpack(f"<{width}d", rows[8 * width * (count - 1):8 * width * count]))
