"""Result files of `warplu bench --json`: reading them, telling entries apart, their times, and means of ratios.

A file holds one run or several, one after the other: each is a run record and then a line for each matrix. An entry is
told apart by its name, its threads, the ordering that was asked of a peer, the check of an executor, whether it is told
its horizon, and how it calls for the members of a batch; where a line holds all of these twice, the second is "#2". A matrix goes by its file's name without folder and endings, so that runs
of other machines can be compared; a name that comes again in a run is "#2" too. NaN and Infinity, which JSON does not
have, are read as null.
"""
import json
import math
import statistics
from typing import NamedTuple

ACCURATE = 1e-10  # the bar of warplu bench
SOLVED = ("WARPLU_SUCCESS", "WARPLU_REPIVOTED", "WARPLU_INACCURATE", "WARPLU_UNCHECKED")
NOT_COMPILED = "WARPLU_NOT_COMPILED"
USUAL_CHECK = "suspect"
ON_DEVICE = "cuda-device"  # the executor that solves in one way, as peers do
BATCHES = {"weakened": "batch weak", "of one": "batch of 1"}  # titles of entries that are no plain batches
SHORTEST_MS = 1e-6  # a nanosecond: what a clock may have missed does not divide by zero


class BadFile(Exception):
    """The message names the file and the line."""


class Identity(NamedTuple):
    name: str
    threads: int
    ordering: str  # asked of a peer; "" for an executor
    check: str  # of an executor; "" for a peer
    told: bool  # of an executor's lives: it is told the horizon
    batch: str  # of an executor: how it calls for the members of a batch; "" one by one
    number: int  # from 1: which of its like in a line

    @property
    def title(self):
        """What differs from one thread, default ordering and usual check is said: "klu x2 best"."""
        words = [self.name, f"x{self.threads}" if self.threads > 1 else "",
                 self.ordering if self.ordering != "default" else "",
                 self.check if self.check != USUAL_CHECK else "", "told" if self.told else "", self.batch,
                 f"#{self.number}" if self.number > 1 else ""]
        return " ".join(word for word in words if word)


def sum_known(values):
    values = list(values)
    return None if None in values else sum(values)


class Result:
    """An entry on a matrix."""

    def __init__(self, row, data, identity, is_peer):
        self.row, self.data, self.identity, self.is_peer = row, data, identity, is_peer
        self.title, self.status = identity.title, data["status"]
        self.library = data.get("library", identity.name.split("-")[0])

    @property
    def failed(self):
        return self.status not in SOLVED

    @property
    def error(self):
        """None where it failed before it was judged, or where the answer is no number."""
        return self.data.get("backward_error")

    @property
    def accurate(self):
        return not self.failed and self.error is not None and self.error <= ACCURATE

    @property
    def reason(self):
        """The status in words."""
        return self.status.split("_", 1)[-1].replace("_", " ").lower()

    def fact(self, key):
        """Of its factors or its program; an executor's that does not tell are those of the line's first."""
        return self.data.get(key) if self.is_peer else self.data.get(key, self.row.data.get(key))

    @property
    def lu_nnz(self):
        return self.fact("lu_nnz")

    def time(self, what, which="median"):
        """Milliseconds; None where it failed or was not timed. what: refactor, solve, which holds the checks that the
        solver makes by itself, both of them (with one wait for the device, where that was timed), solve-alone, setup, or
        total:N, which is set-up and N steps of both, life:N, a life of so many solves, or batch:refactor and batch:both, a
        member's of a batch. The solve alone of a peer, and of what runs on a device, is its
        solve. which: min, median or max of the samples; of lives also calls,
        each call by its shortest repeat."""
        if self.failed:
            return None
        if what == "setup":
            return sum_known(self.data.get(key) for key in ("analyze_ms", "factor_ms", "compile_ms"))
        if what == "both" and not self.data.get("both_ms"):
            return sum_known(self.time(loop, which) for loop in ("refactor", "solve"))
        if what.startswith("total:"):
            setup, step = self.time("setup"), self.time("both", which)
            return None if setup is None or step is None else setup + int(what[6:]) * step
        if what.startswith("life:"):
            if which == "calls":
                return (self.data.get("shortest_calls_ms") or {}).get(what[5:])
            return ((self.data.get("life_ms") or {}).get(what[5:]) or {}).get(which)
        if what.startswith("batch:"):
            us = (self.data.get(what[6:] + "_us") or {}).get(which)
            return None if us is None else us / 1000
        if what == "solve-alone":
            what = "solve" if self.is_peer or self.identity.name == ON_DEVICE else "solve_alone"
        return (self.data.get(what + "_ms") or {}).get(which)


class Row:
    """A matrix of a run, or a step of its sequence: results of executors, the first is "ours", and of peers."""

    def __init__(self, run, data, name):
        self.run, self.data, self.name, self.status = run, data, name, data["status"]
        self.horizons = data.get("horizons") or []  # of lives
        self.members = data.get("members") or 0  # of batches
        seen = {}
        self.executors = [self.result(entry, False, seen) for entry in data["executors"]]
        self.peers = [self.result(entry, True, seen) for entry in data["peers"]]

    def result(self, entry, is_peer, seen):
        check = "" if is_peer else entry.get("check", USUAL_CHECK)
        ordering = entry.get("ordering_asked", "default") if is_peer else ""
        like = (entry["name"], entry.get("threads", 1), ordering, check, bool(entry.get("told")),
                BATCHES.get(entry.get("batching"), "batch" if entry.get("batch") else ""))
        seen[like] = seen.get(like, 0) + 1
        return Result(self, entry, Identity(*like, seen[like]), is_peer)

    @property
    def results(self):
        return self.executors + self.peers

    @property
    def ours(self):
        return self.executors[0] if self.executors else None


class Run:
    def __init__(self, record):
        self.record, self.rows, self.seen = record, [], {}

    def add(self, data):
        name = short_name(data["matrix"])
        self.seen[name] = self.seen.get(name, 0) + 1
        self.rows.append(Row(self, data, name if self.seen[name] == 1 else f"{name}#{self.seen[name]}"))

    @property
    def facts(self):
        """What it was measured with, by name. The time is no part of it."""
        machine = self.record.get("machine") or {}
        return {"version": self.record.get("version"), "compiler": self.record.get("compiler"), **machine}

    @property
    def arguments(self):
        """The options; matrices are in the lines."""
        return " ".join(a for a in self.record.get("arguments", []) if not a.endswith((".mtx", ".mtx.gz")))

    def __str__(self):
        facts = self.facts
        words = [f"warplu {facts['version']}"]
        words += [form.format(facts[key]) for key, form in (("compiler", "compiler {}"), ("processor", "{}"),
                                                            ("cores", "{} cores")) if facts.get(key)]
        words += [f"{facts['memory_bytes'] / 2**30:.0f} GiB"] if facts.get("memory_bytes") else []
        return ", ".join(words + [self.record.get("time", "at no known time")])


class Series:
    """A solver over matrices: a result, at most, for each."""

    def __init__(self, title, library, is_peer):
        self.title, self.library, self.is_peer, self.results = title, library, is_peer, {}

    def __iter__(self):
        return iter(self.results.values())

    @property
    def missing(self):
        return all(result.status == NOT_COMPILED and "version" not in result.data for result in self)


def short_name(path):
    name = path.rsplit("/", 1)[-1]
    for end in (".gz", ".mtx"):
        name = name[:-len(end)] if name.endswith(end) and name != end else name
    return name


# ---------------------------------------------------------------- reading


def check_entry(entry):
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("name", "status")):
        return "an entry without name and status"
    for key in ("refactor_ms", "solve_ms", "solve_alone_ms", "both_ms", "refactor_us", "both_us"):
        if not isinstance(entry.get(key) or {}, dict):
            return f"{entry['name']}: {key} is not an object"
    lives = entry.get("life_ms") or {}
    if not isinstance(lives, dict) or not all(isinstance(samples, dict) for samples in lives.values()):
        return f"{entry['name']}: life_ms is not an object of objects"
    if not isinstance(entry.get("shortest_calls_ms") or {}, dict):
        return f"{entry['name']}: shortest_calls_ms is not an object"
    return None


def check_matrix(data):
    """What is wrong with a matrix's line, or None."""
    if not isinstance(data.get("matrix"), str) or not isinstance(data.get("status"), str):
        return "neither a run record nor a matrix with its status"
    for key in ("executors", "peers"):
        if not isinstance(data.get(key), list):
            return f"no list of {key}"
        for wrong in filter(None, map(check_entry, data[key])):
            return wrong
    return None


def add_line(runs, text):
    """Adds a run or a row; what is wrong with the line, or None."""
    try:
        data = json.loads(text, parse_constant=lambda _: None)
    except ValueError as error:
        return f"not JSON: {error}"
    if isinstance(data, dict) and "run" in data:
        runs.append(Run(data))
        return None
    wrong = check_matrix(data) if isinstance(data, dict) else "not an object"
    if wrong is None and not runs:
        wrong = "a matrix before any run record (of an older warplu bench?)"
    if wrong is None:
        runs[-1].add(data)
    return wrong


def read_lines(lines, name):
    """The runs of these lines; BadFile with this file's name."""
    runs = []
    for number, text in enumerate(lines, 1):
        wrong = add_line(runs, text) if text.strip() else None
        if wrong is not None:
            raise BadFile(f"{name}:{number}: {wrong}")
    if not runs:
        raise BadFile(f"{name}:1: no run record")
    return runs


def read(path):
    try:
        with open(path, encoding="utf-8") as lines:
            return read_lines(lines, path)
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"{path}: {getattr(error, 'strerror', None) or 'not text'}") from error


# ----------------------------------------------------------------- series


def rows_of(runs):
    return [row for run in runs for row in run.rows]


def series_of(rows):
    """One for each entry, in order of appearance. Where rows of several runs name a matrix, the last one counts."""
    found = {}
    for row in rows:
        for result in row.results:
            series = found.setdefault(result.identity, Series(result.title, result.library, result.is_peer))
            series.results[row.name] = result
    return list(found.values())


def select(series, wanted):
    """Those of this title, or else of this name with whatever threads and orderings; [] if there is none."""
    exact = [s for s in series if s.title == wanted]
    return exact or [s for s in series if s.title.split(" ")[0] == wanted]


def groups_of(series):
    """Peers' series by library, where it has several."""
    libraries = {}
    for s in series:
        if s.is_peer and not s.missing:
            libraries.setdefault(s.library, []).append(s)
    return {library: members for library, members in libraries.items() if len(members) > 1}


def best_of(library, members, what):
    """A series of, on each matrix, the result that is fastest among those accurate; matrices without are left out."""
    best = Series(f"{library}, best of {len(members)}", library, True)
    for result in (result for s in members for result in s):
        time, held = result.time(what), best.results.get(result.row.name)
        if result.accurate and time is not None and (held is None or time < held.time(what)):
            best.results[result.row.name] = result
    return best


def unanswered(members):
    """Matrices on which none of a group was accurate."""
    accurate = {result.row.name for s in members for result in s if result.accurate}
    return sorted({result.row.name for s in members for result in s} - accurate)


# ---------------------------------------------------------------- numbers


def ratio(theirs, ours):
    return max(theirs, SHORTEST_MS) / max(ours, SHORTEST_MS)


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values))


def say_error(error):
    return "no number" if error is None else f"{error:.1e}"


# ------------------------------------------------------------------ pairs


def our_result(row, ours):
    """This row's result of the executor with that title; None where it has none or failed."""
    found = next((r for r in row.executors if r.title == ours), None)
    return None if found is None or found.failed else found


def pairs_of(series, ours, what, which="median"):
    """(matrix, ours, theirs) of each matrix with both times."""
    pairs = [(r.row.name, our_result(r.row, ours), r) for r in series]
    return [(name, o, t) for name, o, t in pairs if o is not None and None not in (o.time(what, which), t.time(what, which))]


def ratios_of(series, ours, what, which="median"):
    """(ratio, matrix), ascending."""
    return sorted((ratio(t.time(what, which), o.time(what, which)), name)
                  for name, o, t in pairs_of(series, ours, what, which))


def mean_of(series, ours, what):
    found = [r for r, _ in ratios_of(series, ours, what)]
    return geometric_mean(found) if found else None


def below_one(found):
    return str(sum(r < 1 for r, _ in found))
