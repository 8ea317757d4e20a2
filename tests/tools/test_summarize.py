"""tools/check can fail: its summary, fed with logs of meson in which programs fail in every way they can.

    test_summarize.py SOURCE
"""
import json
import os
import subprocess
import sys
import tempfile

source = sys.argv[1]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

PASSES = {"name": "warplu:unit / good", "stdout": "ok 1 - a\nok 2 - b\n1..2\n", "result": "OK", "returncode": 0}


def program(name, stdout, result, returncode=0, stderr=""):
    return {"name": name, "stdout": stdout, "result": result, "returncode": returncode, "stderr": stderr}


def summary(entries, *options, tests=None, extra=(), kind="tested"):
    """Exit status, last line and whole output for a release build with this log."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "meson-logs"))
        os.makedirs(os.path.join(folder, "meson-info"))
        if entries is not None:
            with open(os.path.join(folder, "meson-logs", "testlog.json"), "w", encoding="utf-8") as log:
                log.writelines(json.dumps(e) + "\n" for e in entries)
        with open(os.path.join(folder, "meson-info", "intro-tests.json"), "w", encoding="utf-8") as intro:
            json.dump([{"name": t, "suite": ["warplu:" + (t if t in ("sweep", "scripts") else "unit")]} for t in tests or []], intro)
        results = os.path.join(folder, "results")
        with open(results, "w", encoding="utf-8") as file:
            file.write(f"release\t{kind}\t{folder}\n")
            file.writelines("\t".join(e) + "\n" for e in extra)
        done = subprocess.run([sys.executable, os.path.join(source, "tools", "lib", "summarize.py"), *options, results],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout.splitlines()[-1], done.stdout


def expect(found, code, last, *words):
    assert found[0] == code and found[1] == last, found
    for word in words:
        assert word in found[2], (word, found[2])


def passes_are_counted():
    expect(summary([PASSES, PASSES]), 0, "4 passed, 0 failed")


def a_failed_case_fails():
    bad = program("bad", "ok 1 - a\n# x.c:3: failed: y\nnot ok 2 - breaks\n1..2\n", "FAIL", 1)
    expect(summary([PASSES, bad]), 1, "3 passed, 1 failed", "release: bad: breaks", "# x.c:3: failed: y")


def a_crash_fails():
    bad = program("bad", "ok 1 - a\n", "FAIL", -11, "AddressSanitizer: heap-buffer-overflow")
    expect(summary([bad]), 1, "1 passed, 1 failed", "return code -11", "heap-buffer-overflow")


def a_timeout_fails():
    expect(summary([program("slow", "ok 1 - a\n", "TIMEOUT", -15)]), 1, "1 passed, 1 failed", "TIMEOUT")


def a_broken_plan_fails():
    expect(summary([program("short", "1..3\nok 1 - a\n", "ERROR")]), 1, "1 passed, 1 failed", "ERROR")


def a_silent_program_fails():
    expect(summary([PASSES, program("silent", "", "OK")]), 1, "2 passed, 1 failed", "ran no test")


def a_test_that_did_not_run_fails():
    expect(summary([PASSES], tests=["good", "lost"]), 1, "2 passed, 1 failed", "lost: did not run")
    expect(summary([PASSES], tests=["good", "sweep"]), 1, "2 passed, 1 failed", "sweep: did not run")
    expect(summary([PASSES], tests=["good", "sweep"], kind="tested -sweep"), 0, "2 passed, 0 failed")
    expect(summary([PASSES], tests=["good", "sweep"], kind="tested +unit"), 0, "2 passed, 0 failed")
    expect(summary([PASSES], tests=["lost", "sweep"], kind="tested -sweep"), 1, "2 passed, 1 failed", "lost: did not run")
    expect(summary([PASSES], tests=["lost", "sweep"], kind="tested +unit"), 1, "2 passed, 1 failed", "lost: did not run")
    expect(summary([PASSES], tests=["good", "sweep", "scripts"], kind="tested -sweep,scripts"), 0, "2 passed, 0 failed")
    expect(summary([PASSES], tests=["lost", "sweep"], kind="tested -scripts,sweep"), 1, "2 passed, 1 failed", "lost: did not run")
    expect(summary([PASSES], tests=["good", "sweep"], kind="tested -scripts,other"), 1, "2 passed, 1 failed", "sweep: did not run")


def no_log_fails():
    expect(summary(None), 1, "0 passed, 1 failed")


def an_empty_log_fails():
    expect(summary([]), 1, "0 passed, 1 failed")


def a_broken_build_fails():
    expect(summary([PASSES], extra=[("clang", "broken", "the build failed")]), 1, "2 passed, 1 failed", "clang: build")


def skips_are_listed_with_their_reason():
    skips = program("some", "ok 1 - a\nok 2 - far # SKIP no network\n1..2\n", "OK")
    whole = program("all", "1..0 # SKIP no device\n", "SKIP")
    extra = [("clang", "skipped", "all tests: clang is not installed")]
    expect(summary([skips, whole], extra=extra), 0, "1 passed, 0 failed, 3 skipped", "some: far [release]: no network",
           "all [release]: no device", "all tests [clang]: clang is not installed")


def too_small_a_sweep_fails():
    sweep = program("sweep", "ok 1 - a\n# 104 matrices\n1..1\n", "OK")
    expect(summary([sweep], "--min-swept", "104"), 0, "1 passed, 0 failed", "104 matrices swept")
    expect(summary([sweep], "--min-swept", "105"), 1, "1 passed, 1 failed", "at least 105")
    expect(summary([PASSES], "--min-swept", "105"), 1, "2 passed, 1 failed", "0 matrices swept")


tap.run([passes_are_counted, a_failed_case_fails, a_crash_fails, a_timeout_fails, a_broken_plan_fails,
         a_silent_program_fails, a_test_that_did_not_run_fails, no_log_fails, an_empty_log_fails, a_broken_build_fails,
         skips_are_listed_with_their_reason, too_small_a_sweep_fails])
