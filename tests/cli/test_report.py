#!/usr/bin/env python3
"""benchmarks/report.py on what warplu bench prints, and on lines whose summary is known.
Standard library only; TAP on standard output. Usage: test_report.py WARPLU SCRIPT"""
import json
import os
import subprocess
import sys

from harness import path, run, run_cases, write

SCRIPT = os.path.abspath(sys.argv[2])


def report(name, code=0):
    done = subprocess.run([sys.executable, SCRIPT, path(name)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=100, check=False)
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def of_a_run():
    for seed in (1, 2):
        run("gen", "random", "--size", "80", "--seed", str(seed), "--output", path(f"r{seed}.mtx"))
    out = run("bench", "r1.mtx", "r2.mtx", "--checks", "off,suspect", "--guards", "--peers", "klu", "--json").out
    write("run.json", out)
    text = report("run.json")
    assert "check suspect over off, 2 matrices" in text and "guards, 2 matrices" in text and "check always" not in text
    assert text.count("refactor:") >= 2


def entry(check, refactor, solve, guards=None):
    made = {"name": "cpu", "check": check, "status": "WARPLU_SUCCESS", "analyze_ms": 1, "factor_ms": 1, "compile_ms": 1,
            "refactor_ms": {"median": refactor, "min": 1}, "solve_ms": {"median": solve, "min": 1}, "backward_error": 1e-16}
    if guards is not None:
        made["guards_ms"] = {"median": guards}
    return made


def known_percents():
    rows = [("a", entry("off", 1.0, 1.0, 0.5), entry("suspect", 1.21, 1.0)),
            ("b", entry("off", 1.0, 2.0, 0.5), entry("suspect", 1.0, 2.5))]
    write("known.json", "".join(json.dumps({"matrix": name + ".mtx", "status": "WARPLU_SUCCESS", "terms": 10,
                                            "executors": list(entries), "peers": []}) + "\n"
                                for name, *entries in rows))
    text = report("known.json")
    assert "refactor: +10.0 % in the geometric mean, median +10.5, least +0.0 (b), worst +21.0 (a)" in text, text
    assert "solve:    +11.8 % in the geometric mean, median +12.5, least +0.0 (a), worst +25.0 (b)" in text, text
    assert text.count("shortest: +0.0 % in the geometric mean") == 2, text
    assert "guards, 2 matrices\n  refactor: +100.0 % in the geometric mean" in text, text


def nothing_timed_fails():
    write("none.json", json.dumps({"matrix": "a.mtx", "status": "WARPLU_SINGULAR", "executors": [], "peers": []}) + "\n")
    report("none.json", code=1)


run_cases([of_a_run, known_percents, nothing_timed_fails])
