#!/usr/bin/env python3
"""The semantic cases of the SBML test suite, converted by tools/import/sbml, run, and compared with the suite's
results.

    benchmarks/model/sbml_suite.py CASES WARPLU [--only NNNNN,...] [--levels l2v1,...] [--list FILE] [--table FILE] [--jobs N]

CASES is the folder cases/semantic of a copy of https://github.com/sbmlteam/sbml-test-suite. Each case with a time
course is taken in the first of the levels that it has: 3.1, 3.2, 2.5. A value is right if it is within absolute +
relative |expected| of the suite's, by the case's settings. Each case is converted in a process of its own. A row of an
event's time may have what is before the event or behind it: rows are asked for a ten-millionth of the time later, and
where that is wrong, at the time itself.

--list writes what came of each case, --table counts by what came of them and by the reason of a refusal."""
import argparse
import collections
import concurrent.futures
import csv
import functools
import importlib.machinery
import importlib.util
import io
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IMPORTERS = os.path.join(ROOT, "tools", "import")
LEVELS = ("l3v1", "l3v2", "l2v5")
METHODS = ("rodas4", "trapezoidal", "dormand-prince")
LATER = 1.0 + 1e-7
sys.dont_write_bytecode = True
sys.path.insert(0, IMPORTERS)


@functools.cache
def importer():
    loader = importlib.machinery.SourceFileLoader("sbml_importer", os.path.join(IMPORTERS, "sbml"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("sbml_importer", loader))
    loader.exec_module(module)
    return module


def settings_of(path):
    with open(path, encoding="utf-8") as file:
        pairs = [line.partition(":") for line in file if ":" in line]
    return {key.strip(): value.strip() for key, _, value in pairs}


def names_of(text):
    return [name.strip() for name in text.split(",") if name.strip()]


def convert(path):
    """In a child: ("right", text, {species: (whether an amount, compartment)}) or ("refused", reason, None)."""
    import tool
    import wm
    sys.setrecursionlimit(20000)
    try:
        name, system, document = importer().convert(path)
        species = {s.getId(): (s.getHasOnlySubstanceUnits(), s.getCompartment()) for s in document.getModel().getListOfSpecies()}
        return "right", tool.text(name, system, []), species
    except wm.Unsupported as reason:
        return "refused", f"{reason.line}: {reason}", None
    except Exception:
        return "traceback", traceback.format_exc()[-400:].replace("\n", " | "), None


class Case:
    def __init__(self, folder, number, warplu, levels=LEVELS):
        self.folder, self.number, self.warplu = os.path.join(folder, number), number, warplu
        self.settings = settings_of(os.path.join(self.folder, f"{number}-settings.txt"))
        paths = [os.path.join(self.folder, f"{number}-sbml-{level}.xml") for level in levels]
        self.path = next((p for p in paths if os.path.exists(p)), None)

    def expected(self):
        with open(os.path.join(self.folder, f"{self.number}-results.csv"), encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file) if row]
        head = [name.strip() for name in rows[0]]
        return [dict(zip(head, map(float, row))) for row in rows[1:]]

    def outcome(self):
        """(what came of it, why)"""
        if self.path is None:
            return "missing", "no file of these levels"
        with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as child:
            try:
                came, text, species = child.submit(convert, self.path).result()
            except concurrent.futures.process.BrokenProcessPool:
                return "traceback", "the converter died"
        return self.compare(text, species) if came == "right" else (came, text)

    def compare(self, text, species):
        """By the first method that runs it to its end."""
        found = "engine", ""
        for method in METHODS:
            for later in (LATER, 1.0):
                rows, message = self.rows(text, species, method, later)
                if rows is None:
                    found = "engine", message
                    break
                found = self.difference(rows, species)
                if found is None:
                    return "right", f"{method} {later}"
            if rows is not None:
                return found
        return found

    def rows(self, text, species, method, later):
        renamed = dict(re.findall(r"^# (\w+) is (\w+)$", text, re.MULTILINE))
        element = re.search(r"^element (\w+)", text, re.MULTILINE).group(1)
        fixed = dict(re.findall(r"^  param (\w+) = (\S+)$", text, re.MULTILINE))
        wanted = names_of(self.settings["variables"])
        wanted += [species[v][1] for v in wanted if v in species]
        names = {v: renamed.get(v, v) for v in wanted}
        watched = sorted({n for n in names.values() if n not in fixed})
        time, steps = float(self.settings["duration"]), int(self.settings["steps"])
        if not watched:
            return [{v: float(fixed[n]) for v, n in names.items()}] * (steps + 1), ""
        with tempfile.NamedTemporaryFile("w", suffix=".wm") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([self.warplu, "model", "run", file.name, "--to", repr(time * later), "--every", repr(time / steps * later),
                                   "--watch", ",".join(f"{element}.{n}" for n in watched), "--rtol", "1e-8", "--atol", "1e-13",
                                   "--method", method], capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            return None, done.stderr.strip().split("\n")[0].replace(file.name, "model.wm")
        rows = [dict(zip(["t"] + watched, map(float, row))) for row in list(csv.reader(io.StringIO(done.stdout)))[1:]]
        return [{v: float(fixed[n]) if n in fixed else row[n] for v, n in names.items()} for row in rows], ""

    def difference(self, rows, species):
        absolute, relative = float(self.settings["absolute"]), float(self.settings["relative"])
        expected = self.expected()
        amounts, concentrations = names_of(self.settings["amount"]), names_of(self.settings["concentration"])
        for want, got in zip(expected, rows):
            for v in names_of(self.settings["variables"]):
                a, b = got[v], want[v]
                if v in amounts and v in species and not species[v][0]:
                    a *= got[species[v][1]]
                if v in concentrations and v in species and species[v][0]:
                    a /= got[species[v][1]]
                if not (a == b or abs(a - b) <= absolute + relative * abs(b) or (a != a and b != b)):
                    return "wrong", f"{v} at {want.get('time', want.get('Time'))}: {a}, not {b}"
        return None if len(rows) == len(expected) else ("wrong", f"{len(rows)} rows, not {len(expected)}")


def taken(folder):
    """Cases with a time course."""
    for number in sorted(os.listdir(folder)):
        path = os.path.join(folder, number, f"{number}-model.m")
        if number.isdigit() and os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                if not re.search(r"testType:\s*FluxBalance", file.read()):
                    yield number


def reason_of(outcome, why):
    """The kind of a reason, without its line and what it is."""
    return why.split(": ")[1] if outcome == "refused" else ""


def write_table(found, what, path):
    """Prints how often each outcome came, by the reason of a refusal, and writes that to a path that is not None."""
    counts = collections.Counter((outcome, reason_of(outcome, why)) for outcome, why in found)
    ordered = sorted(counts.items(), key=lambda x: (x[0][0] != "right", x[0][0], -x[1]))
    table = f"outcome,reason,{what}\n" + "".join(f'{a},"{b}",{n}\n' for (a, b), n in ordered)
    print(table, end="")
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("cases")
    parser.add_argument("warplu")
    parser.add_argument("--only", type=names_of)
    parser.add_argument("--levels", type=names_of, default=LEVELS)
    parser.add_argument("--list")
    parser.add_argument("--table")
    parser.add_argument("--jobs", type=int, default=2)
    q = parser.parse_args()
    numbers = q.only or list(taken(q.cases))
    importer()

    def tried(number):
        try:
            return (number, *Case(q.cases, number, q.warplu, q.levels).outcome())
        except Exception as error:
            return number, "runner", repr(error)

    with concurrent.futures.ThreadPoolExecutor(q.jobs) as pool:
        found = list(pool.map(tried, numbers))
    if q.list:
        with open(q.list, "w", encoding="utf-8") as file:
            file.writelines("\t".join(row) + "\n" for row in found)
    write_table([(outcome, why) for _, outcome, why in found], "cases", q.table)


if __name__ == "__main__":
    main()
