"""The timed part of a driver: user CPU and wall seconds, and samples of perf if the benchmark takes them (share.py).

    with Section() as timed: ...
    timed.report(counts, values)        # for the benchmark, in a line"""
import json
import os
import resource
import time


def user():
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def sample(word):
    control = os.environ.get("PERF_CONTROL")
    if control:
        with open(control, "w", encoding="ascii") as file:
            file.write(word + "\n")
        time.sleep(0.05)


SHORT = 0.1  # seconds; below, what the kernel counts as user time is too coarse, and user and system time count together


class Section:
    """Entered once or more; the least of the times counts."""

    def __init__(self):
        self.user = self.wall = float("inf")

    def __enter__(self):
        sample("enable")
        self.start = time.perf_counter(), user(), time.process_time()
        return self

    def __exit__(self, *_):
        self.wall = min(self.wall, time.perf_counter() - self.start[0])
        both = time.process_time() - self.start[2]
        self.user = min(self.user, both if both < SHORT else user() - self.start[1])
        sample("disable")

    def report(self, counts, values):
        print("measured " + json.dumps({"user": self.user, "wall": self.wall, "counts": counts, "values": [float(v) for v in values]}))
