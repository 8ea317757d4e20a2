#!/usr/bin/env python3
"""Plants faults, one at a time, and says which tests notice.

    tests/mutants/mutants.py [options] PATTERN...      'src/model/system/*.c', of the repository's files

    --count N         faults (60), of all kinds alike; all: 0
    --seed N          which (1)
    --suite NAME      tests: suites, again and again; else those of the library that the file is in
    --again REPORT    the survivors of an earlier report, instead of --count and --seed
    --longest S       leave tests out that take longer (20 s)
    --limit S         give a mutant up after so long (120 s)
    --report FILE     (build/mutants/report.csv)
    --setup OPTION    of meson, again and again (-Dbuildtype=release -Dcuda=disabled)

Works in a copy of the tree, build/mutants/tree, with a build folder of its own, build/mutants/build. Both stay, so that the next run compiles
what has changed. Files of a mutant are compiled, then tests are linked and run one by one, the fastest first, until one fails or
takes five times as long as it should. Each fault is noticed; survived; did not compile; same code, where the compiler made the
same of it; equivalent, where equivalent.csv beside this file says why no test can notice; or given up. The exit status is 1 if one survived.
"""
import argparse
import collections
import csv
import fcntl
import fnmatch
import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

from kinds import faults_of

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
TREE, BUILD = WORK / "tree", WORK / "build"
SUITES = {"src/model/": ["model"], "src/": ["unit", "property", "program", "kernels", "equivalence", "emulate", "golden", "alloc"]}
COLUMNS = ["file", "function", "line", "kind", "before", "after", "outcome", "by", "seconds"]
MEMORY_BYTES = 8 << 30


def files_of_tree():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True).stdout.decode()
    return sorted(name for name in set(listed.split("\0")) if name and (ROOT / name).is_file())


def copy_tree(names):
    """Files that differ are written, so that the next build compiles them; what a run before has left is undone by that."""
    for path in [p for p in TREE.rglob("*") if p.is_file()]:
        if "__pycache__" not in path.parts and str(path.relative_to(TREE)) not in names:
            path.unlink()
    for name in names:
        there, content = TREE / name, (ROOT / name).read_bytes()
        if not there.is_file() or there.read_bytes() != content:
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_bytes(content)
            there.chmod((ROOT / name).stat().st_mode)


def ninja(targets):
    return subprocess.run(["ninja", "-C", BUILD, "-j2", *targets], capture_output=True, text=True)


def run_test(test, limit):
    """None: it passed; else what it failed by."""
    env = {**os.environ, "WARPLU_EVERY": "13", **test["env"]}
    child = subprocess.Popen(test["cmd"], cwd=test["workdir"] or BUILD, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES)))
    try:
        return None if child.wait(limit) == 0 else "failed"
    except subprocess.TimeoutExpired:
        return "time"
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


class Tests:
    """The suites' programs, linked and passing without a fault, the fastest first."""

    def __init__(self, suites, longest):
        listed = json.loads(subprocess.run(["meson", "introspect", "--tests", BUILD], check=True, capture_output=True).stdout)
        self.tests = []
        for test in listed:
            program = Path(test["cmd"][0])
            if not {suite.split(":")[-1] for suite in test["suite"]} & set(suites) or BUILD not in program.parents:
                continue
            test["target"] = str(program.relative_to(BUILD))
            self.tests.append(test)
        built = ninja(test["target"] for test in self.tests)
        if built.returncode != 0:
            sys.exit(built.stdout[-3000:])
        for test in self.tests:
            begin = time.monotonic()
            test["fault"] = run_test(test, longest)
            test["seconds"] = time.monotonic() - begin
            if test["fault"]:
                print(f"left out: {test['name']} ({test['fault']} without a fault)")
        self.tests = sorted((test for test in self.tests if not test["fault"]), key=lambda test: test["seconds"])
        print(f"{len(self.tests)} tests, {sum(test['seconds'] for test in self.tests):.0f} s: " +
              " ".join(f"{test['name']} {test['seconds']:.2f}" for test in self.tests), flush=True)


def objects_of_files():
    """What is compiled of each source file that one command compiles."""
    objects = collections.defaultdict(list)
    for command in json.loads((BUILD / "compile_commands.json").read_text()):
        file = os.path.relpath(os.path.normpath(os.path.join(command["directory"], command["file"])), TREE)
        objects[file].append(command["output"])
    return objects


def hash_of(objects):
    return [hashlib.sha256((BUILD / name).read_bytes()).digest() for name in objects]


def outcome_of(fault, tests, objects, original, limit):
    """Plants a fault; the outcome, and the test that noticed."""
    begin = time.monotonic()
    try:
        (TREE / fault.file).write_text(fault.mutant)
        if objects:
            if ninja(objects).returncode != 0:
                return "did not compile", ""
            if hash_of(objects) == original:
                return "same code", ""
        for test in tests:
            if ninja([test["target"]]).returncode != 0:
                return "did not compile", ""
            why = run_test(test, 5.0 * test["seconds"] + 5.0)
            if why:
                return "noticed", test["name"] + (" (time)" if why == "time" else "")
            if time.monotonic() - begin > limit:
                return "given up", ""
        return "survived", ""
    finally:
        (TREE / fault.file).write_text(fault.text)


def choose(faults, count, seed):
    """So many, of all kinds alike as far as there are."""
    generator, of_kind = random.Random(seed), collections.defaultdict(list)
    for fault in faults:
        of_kind[fault.kind].append(fault)
    for some in of_kind.values():
        generator.shuffle(some)
    chosen = []
    while any(of_kind.values()) and (count == 0 or len(chosen) < count):
        for some in of_kind.values():
            if some and (count == 0 or len(chosen) < count):
                chosen.append(some.pop())
    return sorted(chosen, key=lambda fault: (fault.file, fault.line, fault.after))


def read_rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def name_of(row):
    return row["file"], row["function"], row["before"], row["after"]


def print_table(rows):
    outcomes = ["noticed", "survived", "did not compile", "same code", "equivalent", "given up"]
    for title, column in ("file", "file"), ("kind", "kind"):
        print(f"\n{title:42}" + "".join(f"{name:>17}" for name in outcomes))
        for value in sorted({row[column] for row in rows}):
            counts = collections.Counter(row["outcome"] for row in rows if row[column] == value)
            print(f"{value:42}" + "".join(f"{counts[name]:17}" for name in outcomes))
    counts = collections.Counter(row["outcome"] for row in rows)
    print(f"{'all':42}" + "".join(f"{counts[name]:17}" for name in outcomes))
    for row in rows:
        if row["outcome"] in ("survived", "given up"):
            print(f"\n{row['outcome']}: {row['file']}:{row['line']}, {row['kind']}\n  - {row['before']}\n  + {row['after']}")


def run(options, faults, reasons):
    rows, tests, objects = [], {}, objects_of_files()
    default = [next((suites for folder, suites in SUITES.items() if fault.file.startswith(folder)), []) for fault in faults]
    file, original = None, []
    with open(options.report, "w", newline="") as report:
        writer = csv.DictWriter(report, COLUMNS)
        writer.writeheader()
        for fault, suites in zip(faults, default):
            suites = tuple(options.suite or suites)
            begin = time.monotonic()
            if fault.name() in reasons:
                outcome, by = "equivalent", reasons[fault.name()]
            else:
                if suites not in tests:
                    tests[suites] = Tests(suites, options.longest).tests
                if fault.file != file:
                    file = fault.file
                    ninja(objects[file])
                    original = hash_of(objects[file])
                outcome, by = outcome_of(fault, tests[suites], objects[file], original, options.limit)
            rows.append({**{name: getattr(fault, name) for name in COLUMNS[:6]}, "outcome": outcome, "by": by,
                         "seconds": f"{time.monotonic() - begin:.1f}"})
            writer.writerow(rows[-1])
            report.flush()
            print(f"{fault.file}:{fault.line}, {fault.kind}: {outcome} {by}", flush=True)
    return rows


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("patterns", nargs="+", metavar="PATTERN")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--suite", action="append")
    parser.add_argument("--again")
    parser.add_argument("--longest", type=float, default=20.0)
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--report", default=WORK / "report.csv")
    parser.add_argument("--setup", action="append", default=[])
    return parser.parse_args()


def main():
    options = parse_options()
    names = files_of_tree()
    files = [name for name in names if name.endswith((".c", ".h")) and any(fnmatch.fnmatch(name, p) for p in options.patterns)]
    faults = [fault for name in files for fault in faults_of(name, (ROOT / name).read_text())]
    if options.again:
        survivors = {name_of(row) for row in read_rows(options.again) if row["outcome"] == "survived"}
        faults = [fault for fault in faults if fault.name() in survivors]
    else:
        faults = choose(faults, options.count, options.seed)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    TREE.mkdir(parents=True, exist_ok=True)
    lock = open(WORK / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"another run works in {WORK}")
    copy_tree(set(names))
    if not (BUILD / "build.ninja").is_file():
        subprocess.run(["meson", "setup", "-Dbuildtype=release", "-Dcuda=disabled", *options.setup, BUILD, TREE], check=True,
                       stdout=subprocess.DEVNULL)
    reasons = {name_of(row): row["reason"] for row in read_rows(Path(__file__).parent / "equivalent.csv")}
    rows = run(options, faults, reasons)
    print_table(rows)
    sys.exit(any(row["outcome"] == "survived" for row in rows))


if __name__ == "__main__":
    main()
