#!/usr/bin/env python3
"""Models of BioModels, converted by tools/import/sbml and run, beside libRoadRunner's runs of the same files.

    benchmarks/model/biomodels.py FOLDER WARPLU [--only NAME,...] [--list FILE] [--table FILE] [--jobs N]

FOLDER has SBML files, in folders of their own or not, as https://github.com/sys-bio/BiomodelsStore has them; the name of a
model is that of its folder, else that of its file. Needs the Python packages libroadrunner and python-libsbml. Each model is run to
TO, with ten rows at times that no model is likely to have an event at. Compared are all variables that the converted
text has and that are no parameters of it: species, compartments, parameters, references to species. Left out are rates of
reactions, which may be differences and so rounding alone, and symbols that the file gives no value. A value is right
if it is within 1e-4 of the largest magnitude of its variable, or within 1e-10. Where one is not, both run again, warplu
with tighter tolerances, and the peer with short steps, for it knows no edges. Each conversion and each run is a process of
its own, with LIMIT seconds of CPU time.

--list writes what came of each model, --table counts by what came of them and by the reason of a refusal:

    right      both run, and agree
    unstable   the peer's own two runs do not agree: rounding decides
    wrong      both run, and do not agree
    refused    by the importer, with its reason
    engine     the peer runs it to the end, warplu does not
    peer       warplu runs it to the end, the peer does not
    neither    runs it to the end"""
import argparse
import concurrent.futures
import csv
import glob
import io
import math
import multiprocessing
import os
import re
import resource
import subprocess
import sys
import tempfile

import sbml_suite

ROWS = 10
EVERY = 9.87654321
TO = ROWS * EVERY
LIMIT = 120
SPENT = f"more than {LIMIT} s of CPU time"
METHODS = ("rodas4", "trapezoidal", "dormand-prince")
LOOSE, TIGHT = (1e-8, 1e-13), (1e-10, 1e-15)  # relative and absolute
PEER = (1e-10, 1e-14)  # tighter ones it refuses at edges
NEAR = 1e-4


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))


def into(pipe, what, arguments):
    limit()
    pipe.send(what(*arguments))


def in_child(what, *arguments):
    """What a function returns, called in a process of its own, or None where that dies."""
    context = multiprocessing.get_context("fork")
    there, here = context.Pipe(False)
    child = context.Process(target=into, args=(here, what, arguments))
    child.start()
    here.close()
    try:
        return there.recv()
    except EOFError:
        return None
    finally:
        child.join()
        there.close()


def peer_rows(path, names, longest):
    """(rows of the peer, each {name: value}, or None; its message)"""
    import roadrunner
    roadrunner.Logger.disableLogging()
    try:
        peer = roadrunner.RoadRunner(path)
        known = set(peer.model.keys()) - set(peer.model.getReactionIds())
        wanted = {n: s for n, s in names.items() if s in known}
        peer.timeCourseSelections = ["time"] + list(wanted.values())
        integrator = peer.integrator
        integrator.relative_tolerance, integrator.absolute_tolerance = PEER
        integrator.maximum_num_steps = 10000000
        if longest is not None:
            integrator.maximum_time_step = longest
        rows = peer.simulate(0, TO, ROWS + 1)
        return [dict(zip(wanted, map(float, row[1:]))) for row in rows], ""
    except Exception as error:
        return None, " ".join(str(error).split())[:300]


class Model:
    def __init__(self, path, warplu):
        self.path, self.warplu = path, warplu

    def outcome(self):
        """(what came of it, why)"""
        converted = in_child(sbml_suite.convert, self.path)
        if converted is None:
            return "traceback", "the converter died"
        came, self.text, self.species = converted
        if came != "right":
            return came, self.text
        self.look()
        if not self.names:
            return "right", "nothing moves"
        ours, message = self.rows(LOOSE)
        theirs, peer_message = in_child(peer_rows, self.path, self.names, None) or (None, SPENT)
        if ours is None:
            return ("neither", f"{message} | {peer_message}") if theirs is None else ("engine", message)
        if theirs is None:
            return "peer", peer_message
        if self.difference(ours, theirs) is None:
            return "right", message
        return self.again(ours, theirs)

    def again(self, ours, theirs):
        """Where a program does not run again, by the runs before."""
        mine, method = self.rows(TIGHT)
        others, _ = in_child(peer_rows, self.path, self.names, EVERY / 1000) or (None, "")
        found = self.difference(mine or ours, others or theirs)
        if found is None:
            return "right", method
        return ("unstable" if others and self.difference(others, theirs) else "wrong"), found

    def look(self):
        """Finds what is compared: names in the text, and what the peer has for each."""
        source = {b: a for a, b in re.findall(r"^# (\w+) is (\w+)$", self.text, re.MULTILINE)}
        self.element = re.search(r"^element (\w+)", self.text, re.MULTILINE).group(1)
        moving = re.findall(r"^  (?:state |unknown )?(\w+) = (?!0/0$)", self.text, re.MULTILINE)
        self.names = {}
        for name in dict.fromkeys(moving):
            symbol = source.get(name, name)
            is_concentration = symbol in self.species and not self.species[symbol][0]
            self.names[name] = f"[{symbol}]" if is_concentration else symbol

    def rows(self, tolerances):
        """By the first method that runs it to its end."""
        said = ""
        for method in METHODS:
            found, message = self.rows_by(method, tolerances)
            if found is not None:
                return found, method
            said = said or message
            if message == SPENT:
                break
        return None, said

    def rows_by(self, method, tolerances):
        with tempfile.NamedTemporaryFile("w", suffix=".wm") as file:
            file.write(self.text + f"run {method} to {TO!r} every {EVERY!r} rtol {tolerances[0]} atol {tolerances[1]}\n")
            file.write(f"watch {', '.join(f'{self.element}.{n}' for n in self.names)}\n")
            file.flush()
            done = subprocess.run([self.warplu, "model", "run", file.name], capture_output=True, text=True, check=False,
                                  preexec_fn=limit)
        if done.returncode < 0:
            return None, SPENT
        if done.returncode != 0:
            return None, done.stderr.strip().split("\n")[0].replace(file.name, "model.wm")
        return [dict(zip(["t", *self.names], map(float, row))) for row in list(csv.reader(io.StringIO(done.stdout)))[1:]], ""

    def difference(self, ours, theirs):
        """None, or what differs most. The first row is left out: what happens at time 0 may be in it or not."""
        worst, found = 1.0, None
        if len(ours) != len(theirs):
            return f"{len(ours)} rows, not {len(theirs)}"
        for name in theirs[0]:
            largest = max((abs(row[name]) for row in theirs if math.isfinite(row[name])), default=0.0)
            for row, (a, b) in enumerate(zip(ours, theirs)):
                a, b = a[name], b[name]
                if row == 0 or a == b or (a != a and b != b):
                    continue
                error = abs(a - b) / (NEAR * largest + 1e-10)
                if not error <= worst:
                    worst, found = error, f"{name} at {row * EVERY:.6g}: {a:.9g}, not {b:.9g}"
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder")
    parser.add_argument("warplu")
    parser.add_argument("--only", type=sbml_suite.names_of)
    parser.add_argument("--list")
    parser.add_argument("--table")
    parser.add_argument("--jobs", type=int, default=2)
    q = parser.parse_args()
    found = {}
    paths = sorted(glob.glob(os.path.join(q.folder, "**", "*.xml"), recursive=True))
    models = {os.path.relpath(p, q.folder).split(os.sep)[0].removesuffix(".xml"): p for p in paths}
    names = [n for n in models if q.only is None or n in q.only]
    sbml_suite.importer()
    import roadrunner  # noqa: F401  children have it at once

    def tried(name):
        try:
            found[name] = Model(models[name], q.warplu).outcome()
        except Exception as error:
            found[name] = "runner", repr(error)
        if q.list:
            with open(q.list, "w", encoding="utf-8") as file:
                file.writelines("\t".join((n, *found[n])) + "\n" for n in names if n in found)

    with concurrent.futures.ThreadPoolExecutor(q.jobs) as pool:
        list(pool.map(tried, names))
    sbml_suite.write_table(list(found.values()), "models", q.table)


if __name__ == "__main__":
    sys.exit(main())
