#!/usr/bin/env python3
"""warplu batch from the outside: members from files and made from one matrix, their solutions, and members that fail.
Standard library only; TAP on standard output. Usage: test_batch.py WARPLU"""
import json
import os
import random

from harness import (array_text, complex_text, matrix_text, multiply, path, read_array, read_complex, read_file, residual_is_small, run,
                     run_cases, run_on_a_terminal, sample, write)

N = 30
RANDOM = random.Random(11)
PATTERN = sample(RANDOM, N)
MEMBERS = [PATTERN] + [{place: value * RANDOM.uniform(0.9, 1.1) for place, value in PATTERN.items()} for _ in range(3)]
B = [[RANDOM.uniform(-2, 2) for _ in range(N)] for _ in range(2)]
MASK = (1 << 64) - 1


def mixed(x):
    """SplitMix64's, as tools/gen/random.h has it."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def uniform(seed, stream, index):
    step = 0x9E3779B97F4A7C15
    return (mixed(mixed(mixed(seed + step & MASK) + stream * step & MASK) + index * step & MASK) >> 11) * 2.0**-53


def perturbed(entries, change, seed, member):
    """Values are numbered by columns."""
    order = sorted(entries, key=lambda place: (place[1], place[0]))
    return {place: entries[place] * (1 + (2 * change * uniform(seed, member, k) - change)) for k, place in enumerate(order)}


def solves(entries, x, b, transposed=False):
    return all(abs(f - e) <= 1e-9 for f, e in zip(multiply(len(b), entries, x, transposed), b))


def files(members=None):
    """Entries of each file stand in an order of its own."""
    names = []
    for k, entries in enumerate(members or MEMBERS):
        order = list(entries.items())
        random.Random(k).shuffle(order)
        names.append(write(f"V{k}.mtx", matrix_text(N, N, dict(order))))
    write("b.mtx", array_text(B[:1]))
    return names


def files_of(prefix):
    return sorted(name for name in os.listdir(path(".")) if name.startswith(prefix))


def batch(*arguments, code=0):
    return json.loads(run("batch", *arguments, "--json", code=code).out)


def every_member_has_its_solution():
    done = run("batch", *files(), "-b", "b.mtx", "-o", "own")
    assert files_of("own") == [f"own_{k:04}.mtx" for k in range(4)] and done.err == ""
    for k, entries in enumerate(MEMBERS):
        x = read_array(read_file(f"own_{k:04}.mtx"))
        assert len(x) == 1 and solves(entries, x[0], B[0]), k
    assert "worst backward error" in done.out and "refactor solve us:" in done.out


def several_right_hand_sides_transposed():
    write("B.mtx", array_text(B))
    report = batch(*files(), "-b", "B.mtx", "--transposed", "-o", "turned")
    assert report["nrhs"] == 2 and report["transposed"] is True
    for k, entries in enumerate(MEMBERS):
        x = read_array(read_file(f"turned_{k:04}.mtx"))
        assert all(solves(entries, x[c], B[c], transposed=True) for c in range(2)), k


def members_are_made_from_one():
    """By the documented generator; ones are the right-hand side where none is given."""
    write("A.mtx", matrix_text(N, N, PATTERN))
    for seed, options in (7, []), (12345678901234567890, ["--seed", "12345678901234567890"]):
        report = batch("A.mtx", "--perturb", "0.05", "--count", "5", "-o", f"made{seed}", *options)
        assert report["count"] == report["written"] == 5 and len(files_of(f"made{seed}")) == 5
        for k in range(5):
            x = read_array(read_file(f"made{seed}_{k:04}.mtx"))[0]
            assert solves(perturbed(PATTERN, 0.05, seed, k), x, [1.0] * N), (seed, k)
            assert not solves(PATTERN, x, [1.0] * N)
    batch("A.mtx", "--perturb", "0.05", "--count", "2", "-o", "again")
    assert read_file("again_0001.mtx") == read_file("made7_0001.mtx")


def names_have_digits_for_all():
    write("one.mtx", matrix_text(1, 1, {(0, 0): 2}))
    assert batch("one.mtx", "--perturb", "0", "--count", "10001", "-o", "many", "--repeat", "0")["written"] == 10001
    found = files_of("many")
    assert len(found) == 10001 and found[0] == "many_00000.mtx" and found[-1] == "many_10000.mtx", found[:2]
    assert read_array(read_file("many_10000.mtx")) == [[0.5]]


def executors_and_threads_give_the_same_bits():
    names, found = files(), []
    for k, options in enumerate((["--executor", "reference"], ["--executor", "cpu"], ["--threads", "2"], ["--threads", "0"])):
        run("batch", *names, "-b", "b.mtx", "-o", f"bits{k}", *options)
        found.append([read_file(name) for name in files_of(f"bits{k}")])
    assert len(found[0]) == 4 and all(one == found[0] for one in found)


def compressed_files_and_standard_input():
    import gzip
    names = files()
    with gzip.open(path("V1.mtx.gz"), "wt") as file:
        file.write(read_file("V1.mtx"))
    run("batch", *names, "-o", "plain")
    run("batch", "V0.mtx", "V1.mtx.gz", "-", "V3.mtx", "-o", "packed", stdin=read_file("V2.mtx").encode())
    assert [read_file(n) for n in files_of("plain")] == [read_file(n) for n in files_of("packed")]


def report_as_json():
    report = batch(*files(), "-b", "b.mtx", "--repeat", "3")
    assert report["status"] == "WARPLU_SUCCESS" and report["matrix"] == "V0.mtx" and report["output"] is None
    assert (report["n"], report["nnz"], report["count"], report["nrhs"]) == (N, len(PATTERN), 4, 1)
    assert report["executor"] == "auto" and report["devices"] == [] and report["devices_at_work"] == 0
    assert report["failed"] == 0 and report["written"] == 0
    for key in "refactor_solve_us", "refactor_us", "solve_us":
        us = report[key]
        assert us["repeats"] == 3 and 0 < us["min"] <= us["median"] <= us["max"], (key, us)
    assert 0 <= report["worst_backward_error"] <= 1e-15
    answered = [report[key] for key in ("replayed", "refined", "by_other_programs", "by_own_solvers")]
    assert sum(answered) == 4 and len(report["members"]) == 4 - answered[0], report
    none = batch(*files(), "--repeat", "0")
    assert none["refactor_solve_us"] == {"min": None, "median": None, "max": None, "repeats": 0}


def weak_members_are_repaired():
    """The pivots of the others have no use for it."""
    well = {(0, 0): 4, (0, 1): 1, (1, 0): 1, (1, 1): 3}
    for k in range(20):
        write(f"W{k}.mtx", matrix_text(2, 2, well))
    write("W20.mtx", matrix_text(2, 2, {(0, 0): 1e-20, (0, 1): 1, (1, 0): 1, (1, 1): 1}))
    write("b.mtx", array_text([[1.0, 2.0]]))
    names = [*(f"W{k}.mtx" for k in range(21)), "-b", "b.mtx"]
    report = batch(*names, "-o", "weak")
    assert [m["member"] for m in report["members"]] == [20] and report["failed"] == 0, report
    member = report["members"][0]
    assert member["status"] == "WARPLU_SUCCESS" and member["file"] == "W20.mtx" and member["way"] != "replayed", member
    assert member["backward_error"] <= 1e-15 and report["replayed"] == 20
    x = read_array(read_file("weak_0020.mtx"))[0]
    assert abs(x[0] - 1) < 1e-15 and abs(x[1] - 1) < 1e-15, x
    assert "further members" not in run("batch", *names).out


def singular_members_fail_alone():
    ones = {(i, j): 1 for i in (0, 1) for j in (0, 1)}
    write("S0.mtx", matrix_text(2, 2, {(0, 0): 4, (0, 1): 1, (1, 0): 1, (1, 1): 3}))
    write("S1.mtx", matrix_text(2, 2, ones))
    report = batch("S0.mtx", "S1.mtx", "S0.mtx", "S1.mtx", "-o", "lone", code=1)
    assert report["status"] == "WARPLU_MEMBERS_FAILED" and report["failed"] == 2 and report["written"] == 2
    assert [m["member"] for m in report["members"] if m["status"] == "WARPLU_SINGULAR"] == [1, 3], report
    assert [m["backward_error"] for m in report["members"] if m["member"] in (1, 3)] == [None, None]
    assert files_of("lone") == ["lone_0000.mtx", "lone_0002.mtx"] and report["worst_backward_error"] <= 1e-15
    done = run("batch", "S0.mtx", "S1.mtx", "S0.mtx", "S1.mtx", code=1)
    assert "S1.mtx: member 1: " in done.err and "of 4 members 2 failed" in done.err and "WARPLU_SINGULAR" in done.out
    many = ["S0.mtx"] + ["S1.mtx"] * 25
    assert len(batch(*many, code=1)["members"]) == 25
    text = run("batch", *many, code=1).out
    assert text.count("WARPLU_SINGULAR") == 20 and "further members             5" in text, text
    assert batch("S1.mtx", "S1.mtx", code=1)["status"] in ("WARPLU_SINGULAR", "WARPLU_MEMBERS_FAILED")


def patterns_that_differ():
    base = {(0, 0): 1, (1, 1): 2, (2, 2): 3, (2, 0): 4}
    write("P.mtx", matrix_text(3, 3, base))
    fewer = {place: value for place, value in base.items() if place != (2, 0)}
    others = {"more": (matrix_text(3, 3, {**base, (0, 1): 5}), "entry (1, 2) is outside the pattern of P.mtx"),
              "fewer": (matrix_text(3, 3, fewer), "there is no entry (3, 1), expected one as in P.mtx"),
              "first": (matrix_text(3, 3, {k: v for k, v in base.items() if k != (0, 0)}), "there is no entry (1, 1)"),
              "moved": (matrix_text(3, 3, {**fewer, (1, 0): 4}), "(2, 1) is outside the pattern of P.mtx"),
              "larger": (matrix_text(4, 4, {**base, (3, 3): 1}), "n is 4, expected 3 as in P.mtx"),
              "wide": (matrix_text(3, 4, base), "3 by 4: the matrix is not square")}
    for name, (text, message) in others.items():
        write(name + ".mtx", text)
        done = run("batch", "P.mtx", "P.mtx", name + ".mtx", "-o", "differ", "--json", code=1)
        assert done.err.startswith(f"warplu: {name}.mtx: ") and message in done.err, done.err
        assert json.loads(done.out)["status"] in ("WARPLU_PATTERN_MISMATCH", "WARPLU_NOT_SQUARE") and not files_of("differ")
        assert run("batch", "P.mtx", name + ".mtx", code=1).out == ""


TURNED = [{place: complex(value, RANDOM.uniform(-1, 1) * value) for place, value in entries.items()} for entries in MEMBERS]


def complex_members():
    """A member's file may be real where the first one's is complex, and right-hand sides either; not the other way round."""
    names = [write(f"Z{k}.mtx", complex_text(N, N, entries)) for k, entries in enumerate(TURNED)]
    b = [[complex(v, w) for v, w in zip(*B)]]
    write("b.mtx", complex_text(N, 1, {(i, 0): v for i, v in enumerate(b[0])}))
    for prefix, options, op in ("plain", [], "plain"), ("transposed", ["--transposed", "--threads", "2"], "transposed"):
        report = batch(*names, "-b", "b.mtx", "-o", "z_" + prefix, *options)
        assert report["complex"] and report["failed"] == 0 and report["written"] == len(names), report
        for k, entries in enumerate(TURNED):
            residual_is_small(entries, b[0], read_complex(f"z_{prefix}_{k:04}.mtx")[0], op)
    real = write("V.mtx", matrix_text(N, N, MEMBERS[1]))
    batch(names[0], real, "-o", "z_mixed")
    residual_is_small({place: complex(v) for place, v in MEMBERS[1].items()}, [1.0] * N, read_complex("z_mixed_0001.mtx")[0])
    done = run("batch", real, names[0], code=1)
    assert "Z0.mtx: complex values, expected real ones as in" in done.err, done.err
    batch(write("V.mtx", matrix_text(N, N, PATTERN)), "-b", "b.mtx", "-o", "z_b")
    residual_is_small({place: complex(v) for place, v in PATTERN.items()}, b[0], read_complex("z_b_0000.mtx")[0])


def complex_members_are_made_from_one():
    """Real and imaginary parts are numbered in turn."""
    write("A.mtx", complex_text(N, N, TURNED[0]))
    batch("A.mtx", "--perturb", "0.05", "--count", "3", "-o", "z_made")
    order = sorted(TURNED[0], key=lambda place: (place[1], place[0]))
    for m in range(3):
        factor = [1 + (2 * 0.05 * uniform(7, m, k) - 0.05) for k in range(2 * len(order))]
        changed = {place: complex(TURNED[0][place].real * factor[2 * k], TURNED[0][place].imag * factor[2 * k + 1])
                   for k, place in enumerate(order)}
        residual_is_small(changed, [1.0] * N, read_complex(f"z_made_{m:04}.mtx")[0])


def files_that_cannot_be_used():
    write("A.mtx", matrix_text(2, 2, {(0, 0): 1, (1, 1): 1}))
    write("long.mtx", array_text([[1.0, 2.0, 3.0]]))
    write("gap.mtx", matrix_text(2, 2, {(0, 0): 1, (0, 1): 1}))
    write("p.mtx", matrix_text(2, 2, {(0, 0): 1, (1, 1): 1}, "pattern"))
    for arguments, status, message in ((["missing.mtx"], "WARPLU_CANNOT_OPEN", "missing.mtx: "),
                                       (["A.mtx", "missing.mtx"], "WARPLU_CANNOT_OPEN", "missing.mtx: "),
                                       (["A.mtx", "-b", "missing.mtx"], "WARPLU_CANNOT_OPEN", "missing.mtx: "),
                                       (["A.mtx", "-b", "long.mtx"], "WARPLU_INVALID_ARGUMENT", "long.mtx: 3 rows, expected 2"),
                                       (["A.mtx", "p.mtx"], "WARPLU_NO_VALUES", "p.mtx: "),
                                       (["gap.mtx"], "WARPLU_STRUCTURALLY_SINGULAR", "gap.mtx: ")):
        done = run("batch", *arguments, "-o", "unused", "--json", code=1)
        assert json.loads(done.out)["status"] == status and message in done.err, (arguments, done.out, done.err)
        assert not files_of("unused")
    done = run("batch", "A.mtx", "-o", "no/such/x", "--json", code=1)
    report = json.loads(done.out)
    assert (report["status"], report["written"]) == ("WARPLU_CANNOT_OPEN", 0) and "no/such/x_0000.mtx: " in done.err
    os.mkdir(path("taken_0001.mtx"))
    report = batch("A.mtx", "A.mtx", "A.mtx", "-o", "taken", code=1)
    assert report["written"] == 1 and sorted(files_of("taken")) == ["taken_0000.mtx", "taken_0001.mtx"], report
    assert not [name for name in os.listdir(path(".")) if name.endswith(".tmp")]


def executors_that_are_not_there():
    write("A.mtx", matrix_text(2, 2, {(0, 0): 1, (1, 1): 1}))
    report = json.loads(run("batch", "A.mtx", "--executor", "cuda", "--devices", "999", "--json", code=1).out)
    assert report["status"] in ("WARPLU_NOT_COMPILED", "WARPLU_NO_DEVICE") and report["devices"] == [999], report
    several = json.loads(run("batch", "A.mtx", "--executor", "cuda", "--devices", "998,999", "--fewer-devices", "--json", code=1).out)
    assert several["status"] == report["status"] and several["devices"] == [998, 999], several


def progress_on_a_terminal_alone():
    names = files()
    report, shown = run_on_a_terminal("batch", *names, "-o", "shown")
    assert "2/9 V2.mtx: member is read, 11 %" in shown and "batch refactor and solve, timed" in shown and "solution is written" in shown, shown
    assert shown.endswith("\r\033[K") and "\033" not in report
    report, shown = run_on_a_terminal("batch", *names, "missing.mtx")
    assert "\r\033[Kwarplu: missing.mtx: " in shown and report == "", shown
    assert run("batch", *names).err == ""


def usage():
    write("A.mtx", matrix_text(1, 1, {(0, 0): 1}))
    assert "--perturb" in run("batch", "--help").out
    cuda = ["A.mtx", "--executor", "cuda", "--devices"]
    for arguments, message in (([], "expected a matrix"),
                               (["A.mtx", "--perturb", "0.05", "--count", "0"], "--count: expected 1 to 2147483647, found 0"),
                               (["A.mtx", "--perturb", "0.05"], "--perturb needs --count"),
                               (["A.mtx", "--count", "5"], "--count needs --perturb"),
                               (["A.mtx", "--perturb", "2", "--count", "5"], "--perturb: expected 0 to 1, found 2"),
                               (["A.mtx", "B.mtx", "--perturb", "0.05", "--count", "5"], "unexpected 'B.mtx'"),
                               (["A.mtx", "--seed", "-1"], "--seed: expected"), (["A.mtx", "--threads", "1025"], "--threads: expected"),
                               (["A.mtx", "--repeat", "x"], "--repeat: expected"), (["A.mtx", "-o", "-"], "--output: expected"),
                               (["A.mtx", "-o", ""], "--output: expected"), (["-", "-"], "only one file"),
                               (["-", "-b", "-"], "only one file"), (["A.mtx", "--devices", "0"], "--devices is for --executor cuda"),
                               (["A.mtx", "--executor", "cuda", "--fewer-devices"], "--fewer-devices needs --devices"),
                               (cuda + ["0,1,0"], "--devices: 0 is named twice"),
                               *((cuda + [wrong], f"expected numbers of devices like 0,1, found '{wrong}'")
                                 for wrong in ("x", "", "1x", "0,", ",0", "0,,1", "0, 1", "-1", "0,1234567890"))):
        done = run("batch", *arguments, code=2)
        assert done.out == "" and message in done.err, (arguments, done.err)


run_cases([every_member_has_its_solution, several_right_hand_sides_transposed, members_are_made_from_one, names_have_digits_for_all,
           executors_and_threads_give_the_same_bits, compressed_files_and_standard_input, report_as_json, weak_members_are_repaired,
           singular_members_fail_alone, patterns_that_differ, complex_members, complex_members_are_made_from_one, files_that_cannot_be_used, executors_that_are_not_there,
           progress_on_a_terminal_alone, usage])
