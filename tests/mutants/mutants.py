#!/usr/bin/env python3
"""Plants faults, one at a time, and says which tests notice.

    tests/mutants/mutants.py [options] PATTERN...      'src/model/system/*.c', of the repository's files; '!*avx512*': these not

    --count N         faults (60), of all kinds alike; all: 0
    --seed N          which (1)
    --suite NAME      tests: suites, again and again; else those of the library that the file is in
    --again REPORT    the survivors of an earlier report, instead of --count and --seed
    --longest S       leave tests out that take longer (20 s, of the processor as all times are, so that other work beside them does not matter)
    --every K         of very many similar cases every K-th (13), as WARPLU_EVERY
    --limit S         give a mutant up after so long (120 s)
    --most N          leave files out that more objects than so many include (24), as headers of all rooms: all is compiled for each fault
    --report FILE     (build/mutants/report.csv)
    --setup OPTION    of meson, again and again (-Dbuildtype=release -Dcuda=disabled)

Works in a copy of the tree, build/mutants/tree, with a build folder of its own, build/mutants/build. Both stay, so that the next run compiles
what has changed. What the tests have of a mutant's file is compiled: of a header, all files that include it. Then tests are linked and run one
by one, the fastest first, until one fails or takes five times as long as it should. Each fault is noticed; survived; did not compile; same
code, where the compiler made the same of it; equivalent, where equivalent.csv beside this file says why no test can notice; or given up. The
exit status is 1 if one survived. Files that are left out are named: that no test has in it, of another processor for
example, or that too much includes.
"""
import argparse
import collections
import csv
import fcntl
import fnmatch
import hashlib
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
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


def is_wanted(name, patterns):
    return any(fnmatch.fnmatch(name, p) for p in patterns) and not any(fnmatch.fnmatch(name, p[1:]) for p in patterns if p[0] == "!")


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
    """Never without targets, for which ninja makes all there are."""
    assert targets
    return subprocess.run(["ninja", "-C", BUILD, "-j2", *targets], capture_output=True, text=True)


def seconds_used():
    """By the processor, of all programs that have ended, and theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def set_limits(seconds):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))


def run_test(test, limit, every):
    """None: it passed; else what it failed by. One that waits for ever ends after ten times the limit by the clock."""
    env = {**os.environ, "WARPLU_EVERY": str(every), **test["env"]}
    child = subprocess.Popen(test["cmd"], cwd=test["workdir"] or BUILD, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=lambda: set_limits(limit))
    try:
        status = child.wait(10.0 * limit)
        return None if status == 0 else "time" if status == -signal.SIGXCPU else "failed"
    except subprocess.TimeoutExpired:
        return "time"
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def introspect(what):
    return json.loads(subprocess.run(["meson", "introspect", what, BUILD], check=True, capture_output=True).stdout)


def targets_of(tests):
    """The tests' programs, and those that they start."""
    return sorted({target for test in tests for target in test["targets"]})


class Tests:
    """The suites' programs, linked and passing without a fault, the fastest first."""

    def __init__(self, suites, longest, every):
        files = {target["id"]: [os.path.relpath(name, BUILD) for name in target["filename"]] for target in introspect("--targets")}
        self.tests = []
        for test in introspect("--tests"):
            program = Path(test["cmd"][0])
            if not {suite.split(":")[-1] for suite in test["suite"]} & set(suites) or BUILD not in program.parents:
                continue
            test["targets"] = [file for target in test["depends"] for file in files[target]]
            self.tests.append(test)
        if not self.tests:
            sys.exit(f"no test of these suites: {' '.join(suites)}")
        built = ninja(targets_of(self.tests))
        if built.returncode != 0:
            sys.exit(built.stdout[-3000:])
        for test in self.tests:
            begin = seconds_used()
            test["fault"] = run_test(test, longest, every)
            test["seconds"] = seconds_used() - begin
            if test["fault"]:
                print(f"left out: {test['name']} ({test['fault']} without a fault)")
        self.tests = sorted((test for test in self.tests if not test["fault"]), key=lambda test: test["seconds"])
        print(f"{len(self.tests)} tests, {sum(test['seconds'] for test in self.tests):.0f} s: " +
              " ".join(f"{test['name']} {test['seconds']:.2f}" for test in self.tests), flush=True)
        self.objects = objects_of_files(self.tests)


def objects_of_files(tests):
    """What is compiled, for these tests, of each file of the tree: of a header, what includes it."""
    needed = set(ninja(["-t", "inputs", *targets_of(tests)]).stdout.split("\n"))
    objects, target = collections.defaultdict(list), None
    for line in ninja(["-t", "deps"]).stdout.splitlines():
        if not line.startswith(" "):
            target = line.split(": #deps")[0]
        elif target in needed:
            objects[os.path.relpath(os.path.normpath(BUILD / line.strip()), TREE)].append(target)
    return objects


def hash_of(objects):
    return [hashlib.sha256((BUILD / name).read_bytes()).digest() for name in objects]


def outcome_of(fault, tests, objects, original, options):
    """Plants a fault; the outcome, and the test that noticed."""
    begin = seconds_used()
    try:
        (TREE / fault.file).write_text(fault.mutant)
        if ninja(objects).returncode != 0:
            return "did not compile", ""
        if hash_of(objects) == original:
            return "same code", ""
        for test in tests:
            if ninja(test["targets"]).returncode != 0:
                return "did not compile", ""
            why = run_test(test, 5.0 * test["seconds"] + 5.0, options.every)
            if why:
                return "noticed", test["name"] + (" (time)" if why == "time" else "")
            if seconds_used() - begin > options.limit:
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


def suites_of(file, options):
    """The suites whose tests a file's faults are for."""
    found = options.suite or next((suites for folder, suites in SUITES.items() if file.startswith(folder)), None)
    return tuple(found or sys.exit(f"{file} is in neither library: name the suites that test it (--suite)"))


def tests_of(options, files):
    """Of each file its tests. Files that are in no test, so that none could notice, or in too much are left out, by name."""
    suites = {file: suites_of(file, options) for file in files}
    tests = {some: Tests(some, options.longest, options.every) for some in sorted(set(suites.values()))}
    count = {file: len(tests[suites[file]].objects[file]) for file in files}
    for file in files:
        if not 0 < count[file] <= options.most:
            print(f"left out: {file} ({count[file]} objects of it in tests of {' '.join(suites[file])})")
    return {file: tests[suites[file]] for file in files if 0 < count[file] <= options.most}


def run(options, faults, tests, reasons):
    rows, file, original = [], None, []
    with open(options.report, "w", newline="") as report:
        writer = csv.DictWriter(report, COLUMNS)
        writer.writeheader()
        for fault in faults:
            begin = seconds_used()
            if fault.name() in reasons:
                outcome, by = "equivalent", reasons[fault.name()]
            else:
                objects = tests[fault.file].objects[fault.file]
                if fault.file != file:
                    file = fault.file
                    ninja(objects)
                    original = hash_of(objects)
                outcome, by = outcome_of(fault, tests[file].tests, objects, original, options)
            rows.append({**{name: getattr(fault, name) for name in COLUMNS[:6]}, "outcome": outcome, "by": by,
                         "seconds": f"{seconds_used() - begin:.1f}"})
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
    parser.add_argument("--every", type=int, default=13)
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--most", type=int, default=24)
    parser.add_argument("--report", default=WORK / "report.csv")
    parser.add_argument("--setup", action="append", default=[])
    return parser.parse_args()


def prepare(names, setup):
    """The copy of the tree, and a build folder. Returns the lock on both."""
    TREE.mkdir(parents=True, exist_ok=True)
    lock = open(WORK / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"another run works in {WORK}")
    copy_tree(set(names))
    if not (BUILD / "build.ninja").is_file():
        subprocess.run(["meson", "setup", "-Dbuildtype=release", "-Dcuda=disabled", *setup, BUILD, TREE], check=True,
                       stdout=subprocess.DEVNULL)
    return lock


def main():
    options = parse_options()
    names = files_of_tree()
    files = [name for name in names if name.endswith((".c", ".h")) and is_wanted(name, options.patterns)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    lock = prepare(names, options.setup)
    tests = tests_of(options, files)
    faults = [fault for file in tests for fault in faults_of(file, (TREE / file).read_text())]
    if options.again:
        survivors = {name_of(row) for row in read_rows(options.again) if row["outcome"] == "survived"}
        faults = [fault for fault in faults if fault.name() in survivors]
    else:
        faults = choose(faults, options.count, options.seed)
    if not faults:
        sys.exit("no faults to plant: no file of C with these names has a place for one, or the report has no survivor there")
    reasons = {name_of(row): row["reason"] for row in read_rows(Path(__file__).parent / "equivalent.csv")}
    rows = run(options, faults, tests, reasons)
    print_table(rows)
    lock.close()
    sys.exit(any(row["outcome"] == "survived" for row in rows))


if __name__ == "__main__":
    main()
