#!/usr/bin/env python3
"""benchmarks/compare on lines whose changes are known.
Standard library only; TAP on standard output. Usage: test_compare.py WARPLU SCRIPT"""
import os
import subprocess
import sys

from bench_lines import executor, failed, lived, matrix, peer, run_record, samples, text
from harness import path, run, run_cases, write

SCRIPT = os.path.abspath(sys.argv[2])


def compare(*arguments, code=0):
    done = subprocess.run([sys.executable, SCRIPT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=100, check=False)
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def files(old, new, old_run=None, new_run=None):
    """Two files of these matrices' lines."""
    write("old.json", text(old_run or run_record(), *old))
    write("new.json", text(new_run or run_record(), *new))
    return path("old.json"), path("new.json")


def timed(times, what="refactor_ms"):
    """A line for each matrix, named a, b, ...: the executor's (median, shortest) times."""
    return [matrix(name, [{**executor(), what: samples(*pair)}]) for name, pair in zip("abcdefgh", times)]


def said(shown, start):
    found = [line.strip() for line in shown.splitlines() if line.strip().startswith(start)]
    assert len(found) == 1, f"{start}\n{shown}"
    return found[0]


def known_ratios():
    pair = files(timed([(1, 1), (8, 8), (1, 1)]), timed([(2, 2), (2, 2), (1, 1)]))
    shown = compare(*pair)
    assert said(shown, "refactor:") == ("refactor: 1.260 in the geometric mean, least 0.500 (a), most 4.000 (b); of 3, "
                                        "1 faster, 1 slower, 1 within noise"), shown
    assert said(shown, "solve:").startswith("solve: 1.000 in the geometric mean"), shown
    assert said(shown, "slower:") == "slower: a 0.500 (1 to 2 ms)", shown
    assert "cpu, 3 matrices in both" in shown and "only in" not in shown and "differs" not in shown, shown


def noise_is_no_change():
    """Median and shortest time have to move beyond the band, the same way; the mean takes all."""
    old = timed([(100, 50)] * 5)
    new = timed([(110, 50), (102, 51), (97, 60), (104, 52), (90, 45)])  # d is slower, e faster
    pair = files(old, new)
    assert "of 5, 1 faster, 1 slower, 3 within noise" in compare(*pair)
    assert said(compare(*pair), "slower:") == "slower: d 0.962 (100 to 104 ms)"
    assert "of 5, 1 faster, 0 slower, 4 within noise" in compare(*pair, "--band", "5")
    assert "of 5, 1 faster, 2 slower, 2 within noise" in compare(*pair, "--band", "1")
    shortest = compare(*pair, "--shortest")
    assert "least 0.833 (c), most 1.111 (e); of 5, 1 faster, 1 slower, 3 within noise" in shortest, shortest


def worst_are_named():
    pair = files(timed([(1, 1)] * 4), timed([(2, 2), (5, 5), (3, 3), (4, 4)]))
    assert said(compare(*pair, "--worst", "2"), "slower:") == (
        "slower: b 0.200 (1 to 5 ms), d 0.250 (1 to 4 ms) and 2 more")
    assert said(compare(*pair), "slower:").endswith("a 0.500 (1 to 2 ms)")
    assert "slower: " not in compare(*pair, "--worst", "0")


def what_is_in_one_file():
    old = [matrix("a", [executor()], [peer("klu")]), matrix("b", [executor()], [peer("klu")])]
    new = [matrix("a", [executor()], [peer("klu", threads=2)]), matrix("c", [executor()])]
    shown = compare(*files(old, new))
    assert "only in old: klu\nonly in new: klu x2\n" in shown, shown
    assert "\n  only in old: b\n  only in new: c\n" in shown, shown
    shown = compare(*files(old, [new[1]]), code=1)
    assert "no entry has a matrix in both files" in shown, shown


def identities():
    """Name, threads, ordering and check: none is taken for the other."""
    def lines(*refactors):
        times = iter(refactors)
        return [matrix("a", [executor(next(times)), executor(next(times), check="off")],
                       [peer("klu", next(times)), {**peer("klu", next(times)), "ordering_asked": "best"},
                        peer("klu", next(times), threads=2)])]

    shown = compare(*files(lines(1, 1, 1, 1, 1), lines(1, 2, 4, 8, 16)))
    means = {block.split(",")[0]: block.split("refactor: ")[1].split(" ")[0] for block in shown.split("\n\n")[1:]}
    assert means == {"cpu": "1.000", "cpu off": "0.500", "klu": "0.250", "klu best": "0.125", "klu x2": "0.062"}, shown


def statuses_errors_and_fill():
    old = [matrix("a", [executor()], [peer("klu"), peer("umfpack", error=1e-15), failed("mumps", "PEER_ENDED")]),
           matrix("b", [executor()], [peer("klu"), peer("umfpack", error=1e-16), failed("mumps", "PEER_ENDED")],
                  lu_nnz=60),
           matrix("c", [executor()], [peer("klu"), peer("umfpack", error=1e-9), peer("mumps", error=None)])]
    new = [matrix("a", [executor()], [failed("klu", "PEER_TIMED_OUT", "over 9 s"), peer("umfpack", error=1.2e-14),
                                      peer("mumps")]),
           matrix("b", [executor()], [peer("klu"), peer("umfpack", error=2.1e-15), failed("mumps", "WARPLU_SINGULAR")]),
           matrix("c", [executor()], [peer("klu"), peer("umfpack", error=None), peer("mumps", error=None)])]
    shown = compare(*files(old, new))
    assert said(shown, "fails now:") == "fails now: a: success, now timed out (over 9 s)", shown
    assert said(shown, "no longer fails:") == "no longer fails: a: ended, now success", shown
    assert said(shown, "fails otherwise:") == "fails otherwise: b: ended, now singular", shown
    worse = [line.strip() for line in shown.splitlines() if "error" in line]
    assert worse == ["error worse: a: 1.0e-15, now 1.2e-14", "error worse: c: 1.0e-09, now no number"], shown
    assert said(shown, "fill") == "fill, new over old: 0.941 in the geometric mean; b 0.833 (60 to 50)", shown
    back = compare(path("new.json"), path("old.json"))
    assert "error better: a: 1.2e-14, now 1.0e-15" in back and "error better: c: no number" in back, back


def differing_runs_are_said_first():
    rows = [matrix("a", [executor()], [peer("klu", version="KLU 1", settings="s")])]
    other = [matrix("a", [executor()], [peer("klu", version="KLU 2", settings="s")])]
    shown = compare(*files(rows, other, run_record("1", arguments=["--json", "a.mtx"]), run_record("2", processor="Q")))
    assert "differs: version: 1, now 2\ndiffers: processor: P, now Q\n" in shown, shown
    assert shown.index("differs: processor") < shown.index("cpu, 1 matrix"), shown
    assert shown.startswith("old: warplu 1, compiler 12, P, 2 cores, 8 GiB") and "     --json\n" in shown, shown
    assert "its version: KLU 1, now KLU 2" in shown and "its settings" not in shown, shown


def several_runs():
    """The last of a matrix and entry counts."""
    write("old.json", text(run_record("1"), matrix("a", [executor(9)]), matrix("b", [executor(1)]),
                           run_record("2"), matrix("a", [executor(1)])))
    write("new.json", text(run_record("2"), *timed([(2, 2), (2, 2)])))
    shown = compare(path("old.json"), path("new.json"))
    assert "refactor: 0.500 in the geometric mean, least 0.500 (a), most 0.500 (b)" in shown, shown
    assert "differs: version: 1 and 2, now 1 and 2\n" in compare(path("old.json"), path("old.json"))
    assert "differs: version: 1 and 2, now 2\n" in shown and shown.count("\nold: ") + shown.count("new: ") == 2, shown


def one_entry():
    rows = [matrix("a", [executor()], [peer("klu", 2), peer("klu", 3, threads=2), peer("mumps", 4)])]
    pair = files(rows, rows)
    shown = compare(*pair, "--entry", "klu x2", "--entry", "mumps")
    assert "\nklu x2, 1" in shown and "\nmumps, 1" in shown, shown
    assert "\ncpu, 1" not in shown and "\nklu, 1" not in shown, shown
    assert "no entry 'kl': cpu, klu, klu x2, mumps" in compare(*pair, "--entry", "kl", code=2)


def one_entry_against_another():
    rows = [matrix("a", [executor(2)], [peer("klu", 6), peer("mumps", threads=2), peer("mumps", threads=3)])]
    faster = [matrix("a", [executor(1)])]
    pair = files(rows, faster)
    shown = compare(pair[0], "--entry", "klu", "--against", "cpu")
    assert "\nklu to cpu, 1 matrix in both" in shown and said(shown, "refactor:").startswith("refactor: 3.000"), shown
    assert "fill, new over old: 0.500" in shown and "only in" not in shown, shown
    assert said(compare(*pair, "--entry", "klu", "--against", "cpu"), "refactor:").startswith("refactor: 6.000")
    assert "several entries 'mumps'" in compare(pair[0], "--entry", "cpu", "--against", "mumps", code=2)
    assert "no entry 'klu': cpu" in compare(*pair, "--entry", "cpu", "--against", "klu", code=2)


def fail_above():
    pair = files(timed([(1, 1), (1, 1)]), timed([(1.2, 1.2), (1.0, 1.0)]))  # 9.5 % in the mean
    compare(*pair)
    compare(*pair, "--fail-above", "10")
    compare(*pair, "--fail-above", "9", code=1)
    compare(*reversed(pair), "--fail-above", "0")
    pair = files(timed([(1, 1)], "solve_ms"), timed([(2, 2)], "solve_ms"))
    compare(*pair, "--fail-above", "50", code=1)
    pair = files(timed([(1, 1), (1, 1)]), timed([(1, 1)]) + [matrix("b", [failed("cpu", "WARPLU_SINGULAR")])])
    compare(*pair)
    assert "fails now: b: success, now singular" in compare(*pair, "--fail-above", "50", code=1)


def untimed_is_left_out():
    """Steps before the first replay have no refactor."""
    rows = [matrix("a", [executor(None)]), matrix("b", [executor(2)])]
    shown = compare(*files(rows, rows))
    assert "refactor: 1.000" in shown and "of 1, 0 faster" in shown and "of 2, 0 faster" in shown, shown
    assert "refactor: timed on no matrix in both" in compare(*files(rows[:1], rows[:1]))


def usage_and_bad_files():
    pair = files(timed([(1, 1)]), timed([(1, 1)]))
    for arguments in ([], pair[:1], [*pair, "--band", "-1"], [*pair, "--worst", "-1"], [*pair, "--fail-above", "-1"],
                      [*pair, "--against", "cpu"], [*pair, "--nothing"]):
        assert "usage: compare" in compare(*arguments, code=2)
    write("bad.json", text(run_record()) + "nothing\n")
    assert f"compare: {path('bad.json')}:2: not JSON" in compare(pair[0], path("bad.json"), code=1)
    assert "absent.json: No such file" in compare(path("absent.json"), pair[0], code=1)


def of_runs():
    run("gen", "random", "--size", "80", "--seed", "1", "--output", path("r1.mtx"))
    for name in ("one.json", "two.json"):
        write(name, run("bench", "r1.mtx", "--repeat", "3", "--json").out)
    shown = compare(path("one.json"), path("two.json"))
    assert "1 matrix in both" in shown and "differs" not in shown and "fill" not in shown, shown


def lives_by_horizon():
    def lives(*totals):
        return [matrix("a", [lived("cpu", *totals, told=False), lived("cpu", 1, 1, told=True)], horizons=[1, 10])]

    shown = compare(*files(lives(2, 8), lives(1, 16)), "--worst", "0")
    assert [line.split(" in the")[0] for line in shown.splitlines() if " life:" in line] == [
        "  life:1: 2.000", "  life:10: 0.500", "  life:1: 1.000", "  life:10: 1.000"], shown
    assert "cpu told, 1 matrix in both" in shown and "refactor" not in shown, shown


run_cases([known_ratios, noise_is_no_change, worst_are_named, what_is_in_one_file, identities, statuses_errors_and_fill,
           differing_runs_are_said_first, several_runs, one_entry, one_entry_against_another, fail_above,
           untimed_is_left_out, usage_and_bad_files, of_runs, lives_by_horizon])
