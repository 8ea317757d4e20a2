"""Runs a program and says what it took: user CPU seconds of it and its children, and wall time.

A driver that times a part of itself (after imports, say) prints a line `measured {JSON}` with user, wall, counts and values; its own user and
wall seconds then stand for the run's. One thread: what numerical libraries would start beside is switched off."""
import dataclasses
import json
import os
import signal
import statistics
import subprocess
import time

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "LC_ALL": "C",
              "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"}
MARK = "measured "


@dataclasses.dataclass
class Run:
    """user, wall: seconds of what is timed; process_user, processor: of the whole process, without and with the system's."""
    code: int
    text: str
    user: float
    wall: float
    process_user: float
    processor: float
    said: dict | None


def said(text):
    """What a driver measured itself, or None."""
    lines = [line for line in text.splitlines() if line.startswith(MARK)]
    return json.loads(lines[-1][len(MARK):]) if lines else None


def median(way, folder, timeout, count):
    """The last of `count` runs with the median of their times. Kernels split the time of such short runs into user and system by sampling, so here
    both count."""
    runs = []
    for _ in range(count):
        runs.append(run(way, folder, timeout))
        if runs[-1].code != 0:
            return runs[-1]
    return dataclasses.replace(runs[-1], user=statistics.median(r.processor for r in runs), wall=statistics.median(r.wall for r in runs))


def waited(child, until):
    """Its status, what it used, and whether it had to be ended; it is ended too when this program is."""
    late, pid = False, 0
    try:
        while not pid:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if not pid and not late and time.monotonic() > until:
                os.killpg(child.pid, signal.SIGKILL)
                late = True
            time.sleep(0 if pid else 0.002)
    finally:
        if not pid:
            os.killpg(child.pid, signal.SIGKILL)
    return status, usage, late


def run(way, folder, timeout, before=(), more=None):
    """`before` are words before the command, such as a profiler's; `more` are further environment variables. A program that takes longer than
    `timeout` seconds is ended with its children and answers code 124."""
    environment = {**os.environ, **ONE_THREAD, **way.environment, **(more or {})}
    output = os.path.join(folder, "output.txt")
    start = time.monotonic()
    with open(output, "wb") as file:
        child = subprocess.Popen([*before, *way.command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=file,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        status, usage, late = waited(child, start + timeout)
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    with open(output, encoding="utf-8", errors="replace") as file:
        text = file.read()
    own = said(text) or {}
    return Run(124 if late else child.returncode, text, own.get("user", usage.ru_utime), own.get("wall", wall), usage.ru_utime,
               usage.ru_utime + usage.ru_stime, own or None)
