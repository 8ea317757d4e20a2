"""KLU's share of a run: the part of the samples of user CPU time that `perf record` takes inside KLU and its orderings.

Programs are sampled with their own KLU. Its functions have names wherever programs can call them: in shared libraries, and in Python
modules that export what they link. A driver that times a part of itself has only that part sampled: it switches the samples on and off through
perf's control file (drivers/section.py)."""
import os
import re
import shutil
import subprocess

import measure

SOLVER = re.compile(r"\b(klu|amd|camd|colamd|ccolamd|symamd|btf)_|\b(colamd|symamd)\b")

LEAST_NS = 50_000_000  # 50 samples


def share(way, folder, timeout):
    """A number from 0 to 1, or None where perf is missing or has too few samples."""
    if not shutil.which("perf"):
        return None
    data, control = os.path.join(folder, "perf.data"), os.path.join(folder, "perf.control")
    if not os.path.exists(control):
        os.mkfifo(control)
    record = ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "997", "-o", data]
    timed = any("drivers/" in word and word.endswith(".py") for word in way.command)
    if timed:
        record += ["-D", "-1", f"--control=fifo:{control}"]
    done = measure.run(way, folder, timeout, [*record, "--"], {"PERF_CONTROL": control} if timed else None)
    if done.code != 0:
        return None
    report = subprocess.run(["perf", "report", "-i", data, "--stdio", "-F", "period,symbol", "-t", "|"], capture_output=True, text=True)
    rows = re.findall(r"^ *(\d+) *\|\[.\] (.*?) *$", report.stdout, re.M)
    total = sum(int(period) for period, _ in rows)
    return sum(int(period) for period, symbol in rows if SOLVER.search(symbol)) / total if total >= LEAST_NS else None
