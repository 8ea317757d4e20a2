#!/usr/bin/env python3
"""benchmarks/report.py on what warplu bench prints, and on lines whose summary is known; tools/lib/demo_report.py.
Standard library only; TAP on standard output. Usage: test_report.py WARPLU SCRIPT"""
import csv
import math
import os
import subprocess
import sys

from bench_lines import executor, failed, lived, matrix, member_of, peer, run_record, samples, text
from harness import path, run, run_cases, write

SCRIPT = os.path.abspath(sys.argv[2])
DEMO = os.path.join(os.path.dirname(SCRIPT), "..", "tools", "lib", "demo_report.py")


def python(*arguments, code=0):
    done = subprocess.run([sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=100, check=False)
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def report(name, *options, code=0):
    return python(SCRIPT, path(name), *options, code=code)


def line_of(title, shown):
    """The cells of the table's line, two blanks or more between them."""
    found = [line for line in shown.splitlines() if line.startswith(title + "  ")]
    assert found, f"no line {title}\n{shown}"
    return [c.strip() for c in found[0].split("  ") if c.strip()]


def of_a_run():
    for seed in (1, 2):
        run("gen", "random", "--size", "80", "--seed", str(seed), "--output", path(f"r{seed}.mtx"))
    out = run("bench", "r1.mtx", "r2.mtx", "--checks", "off,suspect", "--guards", "--peers", "all", "--repeat", "3",
              "--json").out
    write("run.json", out)
    shown = report("run.json")
    assert "check suspect over off, 2 matrices" in shown and "guards, 2 matrices" in shown, shown
    assert "check always" not in shown and "left out" not in shown and "over cpu off" in shown, shown
    assert line_of("cpu", shown)[1] == "2"
    assert line_of("r2", report("run.json", "--matrix-table", "--what", "total:5"))[1] != "-"


def predictions():
    rows = [matrix(name, [executor(took)], predicted_refactor_ms=said)
            for name, took, said in (("a", 1.0, 1.2), ("b", 3.0, 1.5), ("c", 1.0, 1.1))]
    write("said.json", text(run_record(), *rows, matrix("d", [executor(9.0)])))
    shown = report("said.json")
    assert "predicted refactor: off by 1.20 times in the median, at most 2.00 (b)\n" in shown, shown
    write("unsaid.json", text(run_record(), matrix("d", [executor(9.0)])))
    assert "predicted" not in report("unsaid.json")


def known_percents():
    rows = [("a", executor(1.0, 1.0, check="off", guards_ms=samples(0.5)), executor(1.21, 1.0)),
            ("b", executor(1.0, 2.0, check="off", guards_ms=samples(0.5)), executor(1.0, 2.5))]
    for _, off, on in rows:
        for key in ("refactor_ms", "solve_ms"):
            off[key]["min"] = on[key]["min"] = 1.0
    write("known.json", text(run_record(), *(matrix(name, entries) for name, *entries in rows)))
    shown = report("known.json")
    assert "refactor: +10.0 % in the geometric mean, median +10.5, least +0.0 (b), worst +21.0 (a)" in shown, shown
    assert "solve:    +11.8 % in the geometric mean, median +12.5, least +0.0 (a), worst +25.0 (b)" in shown, shown
    assert shown.count("shortest: +0.0 % in the geometric mean") == 2, shown
    assert "guards, 2 matrices\n  refactor: +100.0 % in the geometric mean" in shown, shown


def nothing_timed_fails():
    write("none.json", text(run_record(), matrix("a", status="WARPLU_BAD_FILE", message="a.mtx: no header")))
    assert "no matrix was timed" in report("none.json", code=1)
    write("some.json", text(run_record(), matrix("a", status="WARPLU_BAD_FILE", message="no header"),
                            matrix("b", [executor()])))
    for options in ([], ["--matrix-table"]):
        assert "left out: a: WARPLU_BAD_FILE (no header)\n" in report("some.json", *options)
    write("none.json", text(run_record(), matrix("a", [failed("cpu", "WARPLU_SINGULAR")], [peer("klu")])))
    shown = report("none.json", code=1)
    assert "cpu failed on 1, singular: a" in shown and line_of("klu", shown)[1] == "0", shown


def sweep(name="sweep.json"):
    """Three matrices: klu on one thread and two, an inaccurate peer, one that fails in two ways, two not built."""
    absent = [failed(name, "WARPLU_NOT_COMPILED") for name in ("glu", "glu-single")]
    rows = [
        matrix("a", [executor(1, 1)], [peer("klu", 2, 3, 1), peer("klu", 0.5, 1, 1, threads=2),
                                       peer("pardiso", 4, 4, error=1e-3), failed("mumps", "PEER_TIMED_OUT", "over 9 s"),
                                       *absent]),
        matrix("b", [executor(1, 1)], [peer("klu", 8, 3, 9), peer("klu", 4, 1, 1, threads=2, error=2e-10),
                                       peer("pardiso", 4, 4, error=None), failed("mumps", "PEER_ENDED", "signal 11"),
                                       *absent]),
        matrix("c", [executor(1, 1)], [failed("klu", "WARPLU_SINGULAR"), failed("klu", "WARPLU_SINGULAR", threads=2),
                                       peer("pardiso", 0.25, 4), failed("mumps", "PEER_TIMED_OUT", "over 9 s"),
                                       *absent])]
    record = run_record(peers=[{"name": "glu", "about": "GLU", "missing": "build it"}])
    write(name, text(record, *rows))


def summary_of_all_peers():
    sweep()
    shown = report("sweep.json")
    assert line_of("klu", shown) == "klu 2 4.00 2.00 8.00 0 3.00 3.00 0 3.00 3.71 0 1 2.00 0".split(), shown
    assert line_of("klu x2", shown) == ["klu x2"] + "2 1.41 0.50 4.00 1 1.00 1.00 0 1.00 1.37 1 1 2.00 1".split(), shown
    assert line_of("pardiso", shown) == "pardiso 3 1.59 0.25 4.00 1 4.00 4.00 0 4.00 3.24 2 0 2.00 1".split(), shown
    assert line_of("mumps", shown) == "mumps 0 - - - 0 - - - - - 0 3 - -".split(), shown
    for note in ("mumps failed on 2, timed out: a, c (over 9 s)", "mumps failed on 1, ended: b (signal 11)",
                 "klu failed on 1, singular: c", "klu x2 inaccurate on 1: b (2.0e-10)",
                 "pardiso inaccurate on 2: a (1.0e-03), b (no number)", "glu is not in this build: build it",
                 "glu-single is not in this build", "  its refactor is faster on c (0.25)"):
        assert note + "\n" in shown, f"{note}\n{shown}"
    assert "worst backward error: ours 1.0e-16, its 2.0e-10" in shown, shown
    assert "worst backward error: ours 1.0e-16, its no number" in shown, shown
    assert "glu failed" not in shown and "\nglu  " not in shown and "glu, best" not in shown, shown


def best_of_a_library():
    """The fastest of the accurate: klu x2 on a, klu on b, none on c."""
    sweep()
    shown = report("sweep.json")
    cells = "2 2.00 0.50 8.00 1 - - - - 2.03 0 1 2.00 0".split()
    assert line_of("klu, best of 2", shown) == ["klu, best of 2", *cells], shown
    assert "klu, best of 2: by refactor klu x2 1, klu 1\nklu, best of 2: none accurate on 1: c\n" in shown, shown
    assert "pardiso, best" not in shown and "mumps, best" not in shown, shown
    rows = [matrix("a", [executor()], [peer("x", 2, 9, library="l"), peer("y", 3, 1, library="l")])]
    write("library.json", text(run_record(), *rows))
    shown = report("library.json")
    cells = line_of("l, best of 2", shown)
    assert cells[2] == "2.00" and cells[10] == "2.00", shown  # x by refactor; y by both, 4 over 2


def break_even_counts_setup():
    """Ours: set-up 3, a step of 2."""
    ends = []
    # Repaid after 2 / 1; ahead at once; caught up with after 4; never.
    for setup, refactor in ((1, 2.0), (5, 2.0), (5, 0.5), (1, 0.5)):
        write("even.json", text(run_record(), matrix("a", [executor(1, 1)], [peer("klu", refactor, 1, setup)])))
        ends.append(line_of("klu", report("even.json"))[-1])
    assert ends == ["2", "0", "never", "never"], ends


def ours_may_be_another():
    rows = [matrix("a", [executor(1, 1), executor(4, 1, threads=2)], [peer("klu", 2)])]
    write("ours.json", text(run_record(), *rows))
    assert line_of("klu", report("ours.json"))[2] == "2.00"
    cells = line_of("cpu x2", report("ours.json"))
    assert cells[2] == "4.00" and cells[-2] == "-", cells  # the fill of the line is the first executor's
    shown = report("ours.json", "--ours", "cpu x2")
    assert line_of("klu", shown)[2] == "0.50" and line_of("cpu", shown)[2] == "0.25", shown
    assert "no executor 'klu'" in report("ours.json", "--ours", "klu", code=1)


def table_of_matrices():
    sweep()
    shown = report("sweep.json", "--matrix-table")
    assert line_of("matrix", shown) == ["matrix", "cpu", "klu", "klu x2", "pardiso", "mumps"], shown
    assert line_of("a", shown) == ["a", "1.000", "2.000", "0.500", "! 4.000", "timed out"], shown
    assert line_of("b", shown) == ["b", "1.000", "8.000", "! 4.000", "! 4.000", "ended"], shown
    assert line_of("c", shown) == ["c", "1.000", "singular", "singular", "0.250", "timed out"], shown
    cells = {what: line_of("a", report("sweep.json", "--matrix-table", "--what", what, "--entry", "klu"))
             for what in ("solve", "both", "setup", "total:10")}
    assert cells == {"solve": ["a", "3.000"], "both": ["a", "5.000"], "setup": ["a", "1.000"],
                     "total:10": ["a", "51.000"]}, cells
    shown = report("sweep.json", "--matrix-table", "--best", "--what", "both")
    assert [line_of(name, shown)[-1] for name in "abc"] == ["1.500", "11.000", "none accurate"], shown
    assert "expected refactor" in report("sweep.json", "--matrix-table", "--what", "total", code=2)
    assert "are for --matrix-table" in report("sweep.json", "--what", "both", code=2)
    assert "are for --matrix-table" in report("sweep.json", "--best", code=2)


def entries_by_name():
    sweep()
    shown = report("sweep.json", "--matrix-table", "--entry", "klu x2", "--entry", "mumps")
    assert line_of("matrix", shown) == ["matrix", "klu x2", "mumps"], shown
    shown = report("sweep.json", "--entry", "pardiso")
    assert line_of("pardiso", shown)[1] == "3" and "\nklu" not in shown and "\nmumps" not in shown, shown
    assert "no entry 'kl'" in report("sweep.json", "--entry", "kl", code=1)


def markdown():
    sweep()
    shown = report("sweep.json", "--markdown").splitlines()
    assert shown[0].startswith("| solver | matrices | refactor |") and shown[1].startswith("|---|--:|--:|"), shown
    assert shown[2] == "| klu | 2 | 4.00 | 2.00 | 8.00 | 0 | 3.00 | 3.00 | 0 | 3.00 | 3.71 | 0 | 1 | 2.00 | 0 |", shown
    assert "* klu failed on 1, singular: c" in shown and not any("geometric" in line for line in shown), shown
    shown = report("sweep.json", "--markdown", "--matrix-table", "--entry", "klu").splitlines()
    assert shown[:3] == ["| matrix | klu |", "|---|--:|", "| a | 2.000 |"], shown


def csv_is_the_table_alone():
    sweep()
    shown = report("sweep.json", "--csv").splitlines()
    assert shown[0].startswith("solver,matrices,refactor,") and len({len(row) for row in csv.reader(shown)}) == 1, shown
    assert shown[1] == "klu,2,4.00,2.00,8.00,0,3.00,3.00,0,3.00,3.71,0,1,2.00,0", shown
    assert report("sweep.json", "--csv", "--matrix-table", "--entry", "klu").splitlines()[:2] == ["matrix,klu", "a,2.000"]


def solves_alone_and_checked():
    """A peer's one solve over both of ours, over the one that there is where the lines are older; "both" is checked."""
    rows = [matrix("a", [executor(1, 4.0, alone=1.0)], [peer("klu", 1, 2.0)]),
            matrix("b", [executor(1, 1.0, alone=0.25)], [peer("klu", 1, 2.0)])]
    write("solves.json", text(run_record(), *rows))
    shown = report("solves.json")
    assert line_of("klu", shown)[6:11] == ["4.00", "2.00", "0", "1.00", "0.95"], shown
    assert "  solve alone:   4.00 in the geometric mean" in shown and "  solve checked: 1.00 in the geometric" in shown, shown
    assert "  its solve checked is faster on a (0.50)" in shown and "its solve alone" not in shown, shown
    shown = report("solves.json", "--matrix-table", "--what", "solve-alone")
    assert line_of("a", shown) == ["a", "1.000", "2.000"], shown
    for entry in (row["executors"][0] for row in rows):
        del entry["solve_alone_ms"]
    write("solves.json", text(run_record(), *rows))
    shown = report("solves.json")
    assert line_of("klu", shown)[6:11] == ["-", "-", "-", "1.00", "0.95"] and "solve alone: " not in shown, shown


def on_device_pointers():
    """Its solve is its solve alone, both are what one wait takes, and its factors and program are its own."""
    ours = executor(1, 1, name="cuda-device", both_ms=samples(1.5), lu_nnz=25, terms=4, predicted_refactor_ms=2.0)
    del ours["solve_alone_ms"]
    cudss = [peer("cudss", 4, 2, library="cudss", both_ms=samples(4.5)), peer("cudss-ir2", 2, 8, library="cudss")]
    write("device.json", text(run_record(), matrix("a", [ours, executor(8, 1)], [*cudss, peer("klu", 2, 1)])))
    shown = report("device.json")
    assert line_of("cudss", shown)[2:] == "4.00 4.00 4.00 0 2.00 2.00 0 2.00 3.00 0 0 4.00 1".split(), shown
    assert line_of("klu", shown)[10] == "2.00" and line_of("cudss, best of 2", shown)[10] == "3.00", shown
    assert "predicted refactor: off by 2.00 times" in shown, shown
    assert line_of("cpu", shown)[2] == "8.00" and line_of("klu", report("device.json", "--ours", "cpu"))[-2] == "2.00"
    assert line_of("a", report("device.json", "--matrix-table", "--what", "both", "--entry", "cuda-device"))[1] == "1.500"


def several_runs():
    """Apart, or as one: the last of a matrix and entry counts, and is compared with ours of its own line."""
    first = [run_record("1"), *(matrix(name, [executor(1)], [peer("klu", 2)]) for name in "ab")]
    second = [run_record("2"), matrix("a", [executor(2)], [peer("klu", 16), peer("umfpack", 8)])]
    write("runs.json", text(*first, *second))
    shown = report("runs.json")
    assert shown.count("over cpu: above 1") == 2 and "warplu 1," in shown and "warplu 2," in shown, shown
    means = [line.split()[1:3] for line in shown.splitlines() if line.startswith("klu  ")]
    assert means == [["2", "2.00"], ["1", "8.00"]], shown
    merged = report("runs.json", "--merge")
    assert line_of("klu", merged)[1:3] == ["2", "4.00"] and line_of("umfpack", merged)[1:3] == ["1", "4.00"], merged
    assert line_of("b", report("runs.json", "--merge", "--matrix-table")) == ["b", "1.000", "2.000", "-"]


def likes_are_numbered():
    rows = [matrix("a", [executor()], [peer("klu", 2), peer("klu", 3)]), matrix("a", [executor()], [peer("klu", 5)])]
    write("likes.json", text(run_record(), *rows))
    shown = report("likes.json", "--matrix-table")
    assert line_of("a", shown) == ["a", "1.000", "2.000", "3.000"] and "klu #2" in shown, shown
    assert line_of("a#2", shown) == ["a#2", "1.000", "5.000", "-"], shown


def steps_of_a_sequence():
    """The first step has no refactor: not timed is not failed."""
    first = [matrix("s0", [executor(None)], [peer("klu", None)], step=0)]
    rest = [matrix(f"s{k}", [executor(1)], [peer("klu", 2)], step=k) for k in (1, 2)]
    write("steps.json", text(run_record(), *first, *rest))
    cells = line_of("klu", report("steps.json"))
    assert cells[1:3] == ["2", "2.00"] and cells[11:13] == ["0", "0"], cells
    assert line_of("s0", report("steps.json", "--matrix-table", "--what", "both")) == ["s0", "-", "-"]


def lives_by_horizon():
    """A line a solver, a column a horizon; told executors beside, the best of a library by horizon, longest calls."""
    rows = [matrix("a", [lived("cpu", 1, 4, told=False, share=0.25), lived("cpu", 2, 2, told=True)],
                   [lived("klu", 4, 2, error=1e-9), lived("klu-noscale", 8, 1, shortest=3)], horizons=[1, 10]),
            matrix("b", [lived("cpu", 1, 1, told=False, share=0.75), lived("cpu", 1, 1, told=True)],
                   [lived("klu", 1, 8), failed("klu-noscale", "WARPLU_SINGULAR", "at solve 3: x")], horizons=[1, 10])]
    write("lives.json", text(run_record(), *rows))
    shown = report("lives.json")
    assert line_of("solver", shown) == "solver,matrices,H1,H10,inaccurate,failed".split(","), shown
    assert line_of("klu", shown) == ["klu", "2", "2.00 (1.00, 0)", "2.00 (0.50, 1)", "1", "0"], shown
    assert line_of("klu-noscale", shown)[1:] == ["1", "8.00 (8.00, 0)", "0.25 (0.25, 1)", "0", "1"], shown
    assert line_of("cpu told", shown)[2:4] == ["1.41 (1.00, 0)", "0.71 (0.50, 1)"], shown
    assert line_of("klu, best of 2", shown)[1:] == ["2", "2.83 (1.00, 0)", "1.41 (0.25, 1)", "0", "0"], shown
    assert "cpu: its longest call takes 0.50 of all before it in the median, at most 0.75 (b, refactor 7, 1.5 ms)" in shown
    assert "klu inaccurate on 1: a (1.0e-09)" in shown and "(at solve 3: x)" in shown, shown
    assert line_of("klu-noscale", report("lives.json", "--shortest"))[2:4] == ["3.00 (3.00, 0)", "0.75 (0.75, 1)"]
    assert report("lives.json", "--csv").splitlines()[2] == 'klu,2,"2.00 (1.00, 0)","2.00 (0.50, 1)",1,0'
    assert line_of("a", report("lives.json", "--matrix-table"))[1:] == ["4.000", "2.000", "! 2.000", "1.000"]
    assert line_of("a", report("lives.json", "--matrix-table", "--what", "life:1"))[1:4] == ["1.000", "2.000", "! 4.000"]
    write("best.json", text(run_record(), matrix("c", [lived("cpu", 1, 1, told=False)], [
        lived("klu", 1, 8), lived("klu-noscale", 2, 2)], horizons=[1, 10])))
    assert line_of("klu, best of 2", report("best.json"))[2:4] == ["1.00 (1.00, 0)", "2.00 (2.00, 0)"]
    write("mixed.json", text(run_record(), matrix("t", [executor()]), run_record(), *rows))
    shown = report("mixed.json", "--merge")
    assert "lives over cpu" in shown and "\nover cpu: " in shown, shown
    assert "is for lives" in report("mixed.json", "--shortest", code=1)
    assert "goes without" in report("lives.json", "--shortest", "--matrix-table", code=2)


def lives_of_a_run():
    run("gen", "random", "--size", "80", "--output", path("r.mtx"))
    write("run.json", run("bench", "r.mtx", "--lifecycle", "--horizons", "1,3", "--told", "--peers", "warplu", "--repeat",
                          "2", "--json").out)
    shown = report("run.json")
    assert [line_of(title, shown)[1] for title in ("cpu told", "warplu", "warplu-untold")] == ["1"] * 3, shown
    assert shown.count("its longest call takes") == 4, shown


def batches():
    """Over the first executor's batch; one by one, inaccurate members and failures are said."""
    rows = [matrix("a", [member_of("cpu", 2, 1, batch=True, one_by_one=False), member_of("cpu", 8, 4, batch=False),
                         member_of("cpu", 3, 2, batch=True, batching="weakened"),
                         member_of("cpu", 12, 6, batch=True, batching="of one", one_by_one=True)],
                   [member_of("klu", 1, 3, error=1e-9, inaccurate_members=5), member_of("klu", 4, None, threads=2)], members=50),
            matrix("b", [member_of("cpu", 2, 1, batch=True, one_by_one=True), member_of("cpu", 4, 1, batch=False)],
                   [member_of("klu", 16, 3), failed("klu", "WARPLU_SINGULAR", "no pivot", threads=2)], members=50)]
    write("batches.json", text(run_record(), *rows))
    shown = report("batches.json")
    assert line_of("cpu batch weak", shown)[2:4] == ["1.50", "1.50"] and line_of("cpu batch of 1", shown)[2] == "6.00", shown
    assert "batch of 1: one by one" not in shown, shown
    assert "batches of 50 members, times a member over cpu batch" in shown, shown
    assert line_of("cpu", shown) == "cpu 2 2.83 2.00 0 2.00 1.00 0 0 0".split(), shown
    assert line_of("klu", shown) == "klu 2 2.00 0.50 1 3.00 3.00 0 1 0".split(), shown
    assert line_of("klu x2", shown)[1:] == ["1", "2.00", "2.00", "0", "-", "-", "-", "0", "1"], shown
    assert "cpu batch: one by one on 1: b\n" in shown and "klu: members inaccurate on 1: a (5 of 50)\n" in shown, shown
    assert "klu x2 failed on 1, singular: b (no pivot)" in shown, shown
    assert line_of("a", report("batches.json", "--matrix-table"))[1:] == ["2.000", "8.000", "3.000", "12.000", "! 1.000", "4.000"]
    assert line_of("b", report("batches.json", "--matrix-table", "--what", "batch:refactor"))[1:6] == ["1.000", "1.000", "-", "-", "3.000"]
    assert report("batches.json", "--csv").splitlines()[1] == "cpu,2,2.83,2.00,0,2.00,1.00,0,0,0"
    write("mixed.json", text(run_record(), matrix("t", [executor()]), run_record(), *rows))
    shown = report("mixed.json", "--merge")
    assert "over cpu batch" in shown and "\nover cpu: " in shown, shown


def batches_of_a_run():
    run("gen", "random", "--size", "80", "--output", path("r.mtx"))
    write("run.json", run("bench", "r.mtx", "--batch", "9", "--executors", "cpu", "--threads", "2", "--peers", "warplu", "--repeat", "2",
                          "--json").out)
    shown = report("run.json")
    assert [line_of(title, shown)[1] for title in ("cpu x2 batch", "cpu", "warplu", "warplu-untold")] == ["1"] * 4, shown


def bad_files_are_named():
    good = text(run_record(), matrix("a", [executor()]))
    for wrong, said in ((good + "{", ":3: not JSON"), (text(matrix("a")), ":1: a matrix before any run record"),
                        ("", ":1: no run record"), (good + "[]\n", ":3: not an object"),
                        (good + text({"n": 1}), ":3: neither a run record nor a matrix"),
                        (text(run_record(), {**matrix("a"), "peers": None}), ":2: no list of peers"),
                        (text(run_record(), matrix("a", [{"name": "cpu"}])), ":2: an entry without name and status"),
                        (text(run_record(), matrix("a", [executor(solve_ms=1.5)][:1])), ":2: cpu: solve_ms is not"),
                        (text(run_record(), matrix("a", [{**member_of("cpu", 1, 1, batch=True), "both_us": 3}])),
                         ":2: cpu: both_us is not"),
                        (text(run_record(), matrix("a", [{**lived("cpu", 1, told=False), "life_ms": {"1": 2}}])),
                         ":2: cpu: life_ms is not")):
        write("bad.json", wrong)
        shown = report("bad.json", code=1)
        assert f"{path('bad.json')}{said}" in shown, f"{said}\n{shown}"
    assert "absent.json: No such file" in report("absent.json", code=1)


def no_number_is_null():
    """NaN and Infinity, as Python and others write them: not timed, or an answer that is no number."""
    for value in (math.nan, math.inf, -math.inf):
        rows = [matrix("a", [executor(1, 1)], [peer("klu", value, 1, value), peer("pardiso", 2, 4, error=value)]),
                matrix("b", [executor(1, 1)], [peer("klu", 8, 3), peer("pardiso", 2, 4)])]
        write("constants.json", text(run_record(), *rows))
        shown = report("constants.json")
        assert line_of("klu", shown)[1:3] == ["1", "8.00"] and "klu inaccurate" not in shown, shown
        assert "pardiso inaccurate on 1: a (no number)\n" in shown, shown
        shown = report("constants.json", "--matrix-table", "--what", "both")
        assert line_of("a", shown) == ["a", "2.000", "-", "! 6.000"], shown
        assert line_of("a", report("constants.json", "--matrix-table", "--what", "setup"))[2] == "-"


def demonstration():
    """tools/lib/demo_report.py: a peer that fails is said, an inaccurate answer of warplu's is an error."""
    run("gen", "memory", "--size", "60", "--output", path("memory.mtx"))
    write("info.json", run("info", "--json", "memory.mtx").out)
    steps = [matrix(f"m{k}", [executor(2 if k else None)], [peer("klu", 6 if k else None),
                    failed("klu-noscale", "PEER_TIMED_OUT", "over 9 s")], step=k) for k in range(3)]
    write("steps.json", text(run_record(), *steps))
    shown = python(DEMO, path("info.json"), path("steps.json"))
    assert "on P\n" in shown and "KLU scale 2 takes 3.00 times warplu's refactor" in shown, shown
    assert "KLU scale -1: PEER_TIMED_OUT over 9 s" in shown and "repaid after 1 steps" in shown, shown
    steps[2]["executors"][0]["backward_error"] = 1e-9
    write("steps.json", text(run_record(), *steps))
    assert "was inaccurate in some step" in python(DEMO, path("info.json"), path("steps.json"), code=1)
    write("steps.json", text(run_record(), matrix("m0", status="WARPLU_BAD_FILE")))
    assert "gave no result" in python(DEMO, path("info.json"), path("steps.json"), code=1)


run_cases([of_a_run, predictions, known_percents, nothing_timed_fails, summary_of_all_peers, best_of_a_library,
           break_even_counts_setup, ours_may_be_another, table_of_matrices, entries_by_name, markdown,
           csv_is_the_table_alone,
           solves_alone_and_checked, on_device_pointers, several_runs, likes_are_numbered, steps_of_a_sequence, lives_by_horizon, lives_of_a_run, batches,
           batches_of_a_run,
           bad_files_are_named,
           no_number_is_null, demonstration])
