"""The benchmark of programs: its table, its judgement, what it reads from outputs, and a small program of SUNDIALS where it and the adapter
are there.

    test_programs.py SOURCE BUILD
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

source, build = sys.argv[1:3]
sys.path[:0] = [os.path.join(source, "tests", "support"), os.path.join(source, "benchmarks", "programs")]
import judge  # noqa: E402
import measure  # noqa: E402
import program  # noqa: E402
import readers  # noqa: E402
import tap  # noqa: E402

FAST = {"case": "fast", "goal": 2.0, "share": 0.8, "equal": True, "why": "", "ratio": 4.0, "before": {"user": [4.4, 4.0, 4.2]}, "after": {"user": [1.0, 1.1, 1.0]}}
SLOW = FAST | {"case": "slow", "goal": 5.0, "share": None}
WRONG = FAST | {"case": "wrong", "equal": False, "why": "newton: 3 and 9"}
ABSENT = {"case": "absent", "skipped": "PETSc is not installed"}
BROKEN = {"case": "broken", "failed": "libwarplu-klu: exit code -11: no output"}


def run(*arguments):
    done = subprocess.run([sys.executable, os.path.join(source, "benchmarks", "programs", "run.py"), *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout


def table(*entries):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"cases": entries}, file)
        code, text = run("--table", path)
    return code, [line.split() for line in text.splitlines()[1:]]


def the_table_says_what_was_measured():
    code, rows = table(FAST, SLOW, ABSENT)
    assert code == 0, code
    assert rows[0] == ["fast", "80", "%", "4.000", "1.000", "4.00", "2.00", "5,", "0", "equal"], rows
    assert rows[1][-4:] == ["equal", "below", "its", "goal"], rows
    assert rows[2] == "absent skipped PETSc is not installed".split(), rows


def differing_results_and_crashes_fail():
    assert table(FAST, WRONG)[0] == 1 and table(FAST, BROKEN)[0] == 1 and table()[0] == 1


def counts_may_be_one_percent_apart():
    one = {"counts": {"newton": 1000}, "values": [1.0, 1e-9]}
    assert judge.judge(one, {"counts": {"newton": 1010}, "values": [1.0, 0.0]}, 1e-8)["equal"]
    assert not judge.judge(one, {"counts": {"newton": 1011}, "values": [1.0, 1e-9]}, 1e-8)["equal"]
    assert not judge.judge(one, {"counts": {}, "values": [1.0, 1e-9]}, 1e-8)["equal"]


def values_must_agree():
    one = {"counts": {}, "values": [1.0, 2.0]}
    for values in ([1.0, 2.1], [1.0], [1.0, float("nan")], [float("nan"), 2.0]):
        assert not judge.judge(one, {"counts": {}, "values": values}, 1e-3)["equal"], values
    assert not judge.judge(one, None, 1e-3)["equal"]
    differs = judge.judge(one, None, 1e-3)
    assert judge.worst([judge.judge(one, one, 1e-3), differs, judge.judge(one, one, 1e-3)]) is differs


def outputs_are_read():
    assert readers.named("steps 12\nu(1) 5.0e-01\n", "") == {"counts": {"steps": 12}, "values": [0.5]}
    petsc = readers.petsc("0 TS dt 0.1 time 0.\n    0 SNES Function norm 2.5e-02 \n    1 SNES Function norm 1e-9 \nVec Object\n0.25\n-1.\n", "")
    assert petsc == {"counts": {"steps": 1, "newton": 2}, "values": [0.25, -1.0]}, petsc
    assert readers.driver('x\nmeasured {"user": 1, "wall": 2, "counts": {"a": 1}, "values": [3]}\n', "") == {"counts": {"a": 1}, "values": [3]}
    for read in (readers.named, readers.petsc, readers.driver, readers.every_number, readers.vacask):
        assert read("Segmentation fault\n", "") is None, read
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "tran1.raw"), "wb") as file:
            file.write(b"No. Variables: 2\nBinary:\n" + struct.pack("<4d", 0, 1, 2, 3))
        found = readers.vacask("  NR solver iterations:     500\n  Real refactorization time:  0.75\n  Real solve time: 0.25\n", folder)
    assert found == {"counts": {"NR solver iterations": 500}, "values": [2.0, 3.0], "solver_ms": 2.0}, found


def calls_of_the_adapter_are_read():
    found = readers.klu_calls("warplu-klu pid=7 total=0.1 solve=1:0.1\nwarplu-klu pid=8 wall=1.4 total=0.9 refactor=27:0.58\n")
    assert found == {"pid": 8, "wall": 1.4, "total": 0.9, "refactor": [27, 0.58]}, found
    assert readers.klu_calls("") is None


def a_run_that_takes_too_long_is_ended():
    with tempfile.TemporaryDirectory() as folder:
        done = measure.run(program.Way("", [sys.executable, "-c", "import time; time.sleep(60)"]), folder, 0.2)
    assert done.code == 124 and done.wall < 30, done


def what_is_not_there_is_skipped():
    code, text = run("--only", "klujax", "--only", "vacask-ring", "--peers", "/nowhere")
    assert code == 0 and text.count("skipped") == 2 and "klujax is not installed" in text, text


def a_small_program_of_sundials_runs():
    adapter = os.path.join(build, "adapters", "klu", "libklu.so.1")
    if not os.path.exists("/usr/include/sunlinsol/sunlinsol_klu.h"):
        raise tap.Skip("SUNDIALS is not installed")
    if not os.path.exists(adapter):
        raise tap.Skip("the adapter for KLU is not built")
    code, text = run("--only", "gs2d-16", "--times", "1", "--no-share", "--klu1", adapter)
    assert code == 0 and text.splitlines()[1].split()[-1] in ("equal", "goal"), text


tap.run([the_table_says_what_was_measured, differing_results_and_crashes_fail, counts_may_be_one_percent_apart, values_must_agree, outputs_are_read,
         calls_of_the_adapter_are_read, a_run_that_takes_too_long_is_ended, what_is_not_there_is_skipped, a_small_program_of_sundials_runs])
