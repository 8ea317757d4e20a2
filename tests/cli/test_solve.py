#!/usr/bin/env python3
"""warplu solve from the outside: right answers with all their digits, and every way of having none.
Standard library only; TAP on standard output. Usage: test_solve.py WARPLU WARPLU-WITH-THE-EMULATOR"""
import gzip
import json
import os
import random
import sys

from harness import (array_text, complex_text, matrix_text, multiply, path, read_array, read_complex, read_file, residual_is_small, run,
                     run_cases, sample, write)

EMULATED = os.path.abspath(sys.argv[2])
N = 40
RANDOM = random.Random(7)
ENTRIES = sample(RANDOM, N)
X = [[RANDOM.uniform(-2, 2) for _ in range(N)] for _ in range(3)]
WEAK = {(0, 0): 1e-20, (0, 1): 1, (1, 0): 1, (1, 1): 1}


def close(found, expected):
    return all(abs(f - e) <= 1e-9 * max(1.0, abs(e)) for f, e in zip(found, expected))


def system(transposed=False, columns=1):
    write("A.mtx", matrix_text(N, N, ENTRIES))
    write("b.mtx", array_text([multiply(N, ENTRIES, x, transposed) for x in X[:columns]]))


def solution_is_right():
    system()
    done = run("solve", "A.mtx", "-b", "b.mtx", "-o", "x.mtx")
    assert close(read_array(read_file("x.mtx"))[0], X[0])
    assert "backward error" in done.out and done.err == ""


def every_precision():
    """The errors are those of the arithmetic: FP32's are its own, mixed precision's those of FP64."""
    system()
    errors = {}
    for precision in "double", "single", "mixed":
        for executor in "reference", "emulate":
            done = run("solve", "A.mtx", "-b", "b.mtx", "--executor", executor, "--precision", precision, "--check", "off",
                       "--expected-refactors", "1000",
                       "--json", program=EMULATED)
            errors[precision, executor] = json.loads(done.out)["backward_error"]
    for executor in "reference", "emulate":
        assert errors["double", executor] < 1e-14 and errors["mixed", executor] < 1e-14, errors
        assert 1e-10 < errors["single", executor] < 1e-4, errors
    run("solve", "A.mtx", "--executor", "emulate", code=2)
    for precision in "single", "mixed":
        done = run("solve", "A.mtx", "--executor", "cpu", "--precision", precision, code=1)
        assert "this executor does not compute in that precision" in done.err, done.err


def several_right_hand_sides():
    system(columns=3)
    run("solve", "A.mtx", "-b", "b.mtx", "-o", "x.mtx")
    columns = read_array(read_file("x.mtx"))
    assert len(columns) == 3 and all(close(f, e) for f, e in zip(columns, X))


def transposed_system():
    system(transposed=True, columns=2)
    run("solve", "A.mtx", "--transposed", "-b", "b.mtx", "-o", "x.mtx")
    assert all(close(f, e) for f, e in zip(read_array(read_file("x.mtx")), X))


def ones_without_right_hand_side():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    run("solve", "A.mtx", "-o", "x.mtx")
    assert close(multiply(N, ENTRIES, read_array(read_file("x.mtx"))[0]), [1.0] * N)


def all_digits_are_written():
    write("A.mtx", matrix_text(2, 2, {(0, 0): 3, (1, 1): 7}))
    run("solve", "A.mtx", "-o", "x.mtx")
    assert read_array(read_file("x.mtx"))[0] == [1 / 3, 1 / 7]


def compressed_files_and_standard_streams():
    system()
    with gzip.open(path("A.mtx.gz"), "wt") as file:
        file.write(read_file("A.mtx"))
    run("solve", "A.mtx.gz", "-b", "b.mtx", "-o", "x.mtx.gz")
    with gzip.open(path("x.mtx.gz"), "rt") as file:
        compressed = file.read()
    done = run("solve", "-", "-b", "b.mtx", "-o", "-", stdin=read_file("A.mtx").encode())
    assert done.out == compressed and close(read_array(done.out)[0], X[0])
    assert "backward error" in done.err
    done = run("solve", "A.mtx", "-b", "-", "-o", "-", stdin=read_file("b.mtx").encode())
    assert done.out == compressed


def coordinate_right_hand_side():
    write("A.mtx", matrix_text(2, 2, {(0, 0): 2, (1, 1): 4}))
    write("b.mtx", matrix_text(2, 1, {(1, 0): 8}))
    run("solve", "A.mtx", "-b", "b.mtx", "-o", "x.mtx")
    assert read_array(read_file("x.mtx"))[0] == [0, 2]


def options_give_the_same_answer():
    system()
    orders = write("order.mtx", array_text([list(range(N, 0, -1))], "integer"))
    for options in (["--ordering", "natural"], ["--ordering", "amd"], ["--ordering", "colamd"], ["--no-btf"],
                    ["--scaling", "none"], ["--scaling", "sum"], ["--matching", "never"], ["--matching", "always"], ["--executor", "reference"], ["--unsplit"],
                    ["--pivot-tolerance", "1"], ["--check", "off", "--expected-refactors", "1000"], ["--expected-refactors", "1"],
                    ["--max-program-bytes", "64M"], ["--col-order", orders]):
        run("solve", "A.mtx", "-b", "b.mtx", "-o", "x.mtx", *options)
        assert close(read_array(read_file("x.mtx"))[0], X[0]), options


def given_orders_are_kept():
    write("A.mtx", matrix_text(3, 3, {(0, 2): 1, (1, 0): 2, (2, 1): 4, (0, 0): 1}))
    cols, rows = write("c.mtx", array_text([[3, 1, 2]], "integer")), write("r.mtx", array_text([[1, 2, 3]], "integer"))
    report = json.loads(run("solve", "A.mtx", "--col-order", cols, "--row-order", rows, "--json").out)
    assert report["ordering"] == "given" and report["backward_error"] <= 1e-15
    short = write("short.mtx", array_text([[1, 2]], "integer"))
    assert "expected 3" in run("solve", "A.mtx", "--col-order", short, code=1).err
    twice = write("twice.mtx", array_text([[1, 1, 2]], "integer"))
    run("solve", "A.mtx", "--col-order", twice, code=1)
    beyond = write("beyond.mtx", array_text([[1, 2, 4]], "integer"))
    assert "expected 1 to 3" in run("solve", "A.mtx", "--col-order", beyond, code=1).err


def report_as_json():
    system(columns=2)
    report = json.loads(run("solve", "A.mtx", "-b", "b.mtx", "-o", "x.mtx", "--json").out)
    assert report["status"] == "WARPLU_SUCCESS" and report["n"] == N and report["nnz"] == len(ENTRIES)
    assert report["nrhs"] == 2 and report["output"] == "x.mtx" and 0 <= report["backward_error"] <= 1e-15
    for key in ("terms", "lu_nnz", "levels", "blocks", "program_bytes", "residual", "solve_ms", "factor_ms"):
        assert report[key] >= 0, key


def inaccurate_answers_are_not_written():
    write("A.mtx", matrix_text(2, 2, WEAK))
    write("b.mtx", array_text([[1.0, 2.0]]))
    options = ["-b", "b.mtx", "--check", "off", "--pivot-tolerance", "0", "--ordering", "natural", "--scaling", "none"]
    done = run("solve", "A.mtx", "-o", "no.mtx", *options, code=1)
    assert "backward error" in done.err and "backward error" in done.out and not os.path.exists(path("no.mtx"))
    report = json.loads(run("solve", "A.mtx", "-o", "no.mtx", "--json", *options, code=1).out)
    assert report["status"] == "WARPLU_INACCURATE" and report["backward_error"] > 1e-10
    assert report["output"] is None
    run("solve", "A.mtx", "-o", "yes.mtx", "--force", *options, code=1)
    assert len(read_array(read_file("yes.mtx"))[0]) == 2
    run("solve", "A.mtx", "-b", "b.mtx", "-o", "no.mtx")
    assert close(read_array(read_file("no.mtx"))[0], [1, 1])


def conditions_on_request():
    # [1 2; 3 4]: inverse [-2 1; 1.5 -.5], determinant -2; |A^-1||A| = [5 8; 3 5]
    write("A.mtx", matrix_text(2, 2, {(0, 0): 1, (0, 1): 2, (1, 0): 3, (1, 1): 4}))
    assert "condition" not in json.loads(run("solve", "A.mtx", "--json").out)
    for command in ["solve"], ["solve", "--transposed"], ["info"]:
        found = json.loads(run(*command, "A.mtx", "--condition", "--json").out)["condition"]
        assert abs(found["condition_estimate"] - 21) < 1e-12 and abs(found["skeel_condition"] - 13) < 1e-12, found
        assert (found["determinant_mantissa"], found["determinant_exponent"]) == (-0.5, 2)
        assert 0 < found["pivot_growth"] <= 1 and found["weak_pivots"] == 0 and found["weakest"] == []
        assert ("forward_error" in found) == (command[0] == "solve")
        assert found.get("forward_error", 0) < 1e-14
        text = run(*command, "A.mtx", "--condition").out
        for words in ("condition estimate        21", "skeel condition           13", "weak pivots               0"):
            assert words in text, (words, text)


def weak_pivots_are_counted_from_one():
    entries = {(0, 0): 2, (1, 1): 3, (1, 2): 1, (2, 1): 3, (2, 2): 1 + 1e-12, (0, 2): 5}
    write("A.mtx", matrix_text(3, 3, entries))
    for command in "solve", "info":
        found = json.loads(run(command, "A.mtx", "--condition", "--ordering", "natural", "--json").out)["condition"]
        assert found["weak_pivots"] == len(found["weakest"]) == 1 and found["condition_estimate"] > 1e11, found
        weak = found["weakest"][0]
        assert weak["column"] in (2, 3) and weak["row"] in (2, 3) and abs(weak["ratio"]) < 1e-11, weak
        assert weak["place"] == f"{weak['row']},{weak['column']}"
        assert f"{weak['place']} " in run(command, "A.mtx", "--condition", "--ordering", "natural").out
    write("big.mtx", matrix_text(2, 2, {(0, 0): 1e300, (1, 1): 1e-300}))
    found = json.loads(run("solve", "big.mtx", "--condition", "--json").out)["condition"]
    assert found["condition_estimate"] is None and found["skeel_condition"] == 1  # JSON has no word for infinity
    assert "condition estimate        inf" in run("solve", "big.mtx", "--condition").out


def failures_have_their_own_status():
    square = {(0, 0): 1, (1, 1): 1}
    files = {
        "WARPLU_NO_VALUES": matrix_text(2, 2, square, "pattern"),
        "WARPLU_NOT_SQUARE": matrix_text(2, 3, square),
        "WARPLU_STRUCTURALLY_SINGULAR": matrix_text(2, 2, {(0, 0): 1, (0, 1): 1}),
        "WARPLU_SINGULAR": matrix_text(2, 2, {(i, j): 1 for i in (0, 1) for j in (0, 1)}),
        "WARPLU_BAD_FORMAT": "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n",
    }
    for status, text in files.items():
        write("bad.mtx", text)
        done = run("solve", "bad.mtx", "-o", "x_bad.mtx", "--json", code=1)
        assert json.loads(done.out)["status"] == status, (status, done.out)
        assert "bad.mtx" in done.err and not os.path.exists(path("x_bad.mtx"))
        assert run("solve", "bad.mtx", code=1).out == ""
    done = run("solve", "missing.mtx", "--json", code=1)
    assert json.loads(done.out)["status"] == "WARPLU_CANNOT_OPEN"


def sizes_far_beyond_the_entries():
    write("one.mtx", matrix_text(1, 1, {(0, 0): 2}))
    for size in 10**8, 2**31 - 1:
        done = run("solve", write("bad.mtx", matrix_text(size, size, {(0, 0): 1})), "-o", "x_bad.mtx", "--json", code=1)
        assert json.loads(done.out)["status"] == "WARPLU_STRUCTURALLY_SINGULAR", done.out
        assert f"bad.mtx:2: expected {size} entries or more" in done.err and not os.path.exists(path("x_bad.mtx")), done.err
        done = run("solve", "one.mtx", "--rhs", write("bad.mtx", matrix_text(1, size, {(0, 0): 1})), code=1)
        assert "bad.mtx:2: expected at most" in done.err and f"found {size}" in done.err, done.err


COMPLEX = {k: complex(v, RANDOM.uniform(-1, 1) * v) for k, v in ENTRIES.items()}


def complex_systems():
    write("A.mtx", complex_text(N, N, COMPLEX))
    b = [complex(RANDOM.uniform(-1, 1), RANDOM.uniform(-1, 1)) for _ in range(N)]
    write("b.mtx", complex_text(N, 1, {(i, 0): v for i, v in enumerate(b)}))
    for options, op in ([], "plain"), (["--transposed"], "transposed"), (["--conjugate-transposed"], "conjugate"):
        done = run("solve", "A.mtx", "-b", "b.mtx", "-o", "x.mtx", "--json", *options)
        assert json.loads(done.out)["backward_error"] < 1e-14
        residual_is_small(COMPLEX, b, read_complex("x.mtx")[0], op)
    run("solve", "A.mtx", "-o", "x.mtx", "--save", "A.saved", "--program")
    residual_is_small(COMPLEX, [1.0] * N, read_complex("x.mtx")[0])
    run("solve", "A.mtx", "-o", "y.mtx", "--restore", "A.saved")
    residual_is_small(COMPLEX, [1.0] * N, read_complex("y.mtx")[0])
    write("real.mtx", matrix_text(N, N, ENTRIES))
    assert "expected a file of real values" in run("solve", "real.mtx", "--restore", "A.saved", code=1).err
    assert "precision" in run("solve", "A.mtx", "--executor", "reference", "--precision", "single", code=1).err
    found = json.loads(run("solve", "A.mtx", "--condition", "--json").out)["condition"]
    assert found["condition_estimate"] >= 1 and found["determinant_imaginary"] != 0


def real_and_complex_meet():
    """Where one is complex, the other becomes it."""
    b = [complex(k, -1) for k in range(N)]
    write("A.mtx", matrix_text(N, N, ENTRIES))
    write("b.mtx", complex_text(N, 1, {(i, 0): v for i, v in enumerate(b)}))
    run("solve", "A.mtx", "-b", "b.mtx", "-o", "x.mtx")
    residual_is_small(ENTRIES_AS_COMPLEX, b, read_complex("x.mtx")[0])
    write("A.mtx", complex_text(N, N, COMPLEX))
    write("b.mtx", array_text([[float(k) for k in range(N)]]))
    run("solve", "A.mtx", "-b", "b.mtx", "-o", "x.mtx")
    residual_is_small(COMPLEX, [float(k) for k in range(N)], read_complex("x.mtx")[0])


ENTRIES_AS_COMPLEX = {k: complex(v) for k, v in ENTRIES.items()}


def hermitian_and_skew_symmetric_files():
    n = 6
    for symmetry, mirror in ("hermitian", lambda v: v.conjugate()), ("skew-symmetric", lambda v: -v), ("symmetric", lambda v: v):
        lower = {(i, j): complex(RANDOM.uniform(-1, 1), RANDOM.uniform(-1, 1)) for i in range(n) for j in range(i)}
        if symmetry != "skew-symmetric":
            lower.update({(i, i): complex(4 + i, 0) for i in range(n)})
        whole = dict(lower)
        whole.update({(j, i): mirror(v) for (i, j), v in lower.items()})
        write("A.mtx", complex_text(n, n, lower, symmetry))
        run("solve", "A.mtx", "-o", "x.mtx")
        residual_is_small(whole, [1.0] * n, read_complex("x.mtx")[0])
    lower = {(i, j): RANDOM.uniform(-1, 1) for i in range(n) for j in range(i)}
    write("A.mtx", matrix_text(n, n, lower).replace("general", "skew-symmetric"))
    run("solve", "A.mtx", "-o", "x.mtx")
    whole = {**lower, **{(j, i): -v for (i, j), v in lower.items()}}
    residual_is_small(whole, [1.0] * n, read_array(read_file("x.mtx"))[0])


def pattern_with_invented_values():
    write("p.mtx", matrix_text(N, N, ENTRIES, "pattern"))
    first = run("solve", "p.mtx", "--values", "5", "-o", "-").out
    assert first == run("solve", "p.mtx", "--values", "5", "-o", "-").out
    assert first != run("solve", "p.mtx", "--values", "6", "-o", "-").out


def right_hand_side_of_the_wrong_size():
    write("A.mtx", matrix_text(2, 2, {(0, 0): 1, (1, 1): 1}))
    write("b.mtx", array_text([[1.0, 2.0, 3.0]]))
    done = run("solve", "A.mtx", "-b", "b.mtx", code=1)
    assert "b.mtx: 3 rows, expected 2" in done.err


def unwritable_output():
    write("A.mtx", matrix_text(1, 1, {(0, 0): 1}))
    assert run("solve", "A.mtx", "-o", "no/such/x.mtx", code=1).err


def saved_pivots_serve_other_values():
    system()
    first = run("solve", "A.mtx", "-b", "b.mtx", "-o", "x.mtx", "--save", "A.saved")
    other = {place: 1.5 * value for place, value in ENTRIES.items()}
    write("A2.mtx", matrix_text(N, N, other))
    write("b2.mtx", array_text([multiply(N, other, X[1])]))
    report = json.loads(run("solve", "A2.mtx", "-b", "b2.mtx", "-o", "x2.mtx", "--restore", "A.saved", "--json").out)
    assert close(read_array(read_file("x2.mtx"))[0], X[1]) and report["repivots"] == 0 and report["factor_ms"] == 0
    again = run("solve", "A.mtx", "-b", "b.mtx", "-o", "again.mtx", "--restore", "A.saved", "--save", "B.saved")
    assert read_file("again.mtx") == read_file("x.mtx") and first.err == again.err == ""
    with open(path("A.saved"), "rb") as a, open(path("B.saved"), "rb") as b:
        assert a.read() == b.read()


def saved_programs_are_replayed():
    system()
    run("solve", "A.mtx", "-b", "b.mtx", "-o", "x.mtx", "--save", "A.saved")
    run("solve", "A.mtx", "--save", "A.program", "--program")
    assert os.path.getsize(path("A.program")) > os.path.getsize(path("A.saved"))
    reports = {}
    for name in ("A.saved", "A.program"):
        reports[name] = json.loads(run("solve", "A.mtx", "-b", "b.mtx", "-o", name + ".x", "--restore", name, "--json").out)
        assert close(read_array(read_file(name + ".x"))[0], X[0]), name
    assert reports["A.program"]["vectors"] > 0 and reports["A.saved"]["vectors"] == 0, reports
    assert reports["A.program"]["compile_ms"] == 0 and reports["A.program"]["repivots"] == 0


def saved_files_that_do_not_fit():
    system()
    run("solve", "A.mtx", "--save", "A.saved")
    with open(path("A.saved"), "rb") as file:
        saved = file.read()
    write("small.mtx", matrix_text(2, 2, {(0, 0): 1, (1, 1): 1}))
    moved = dict(ENTRIES)
    moved.pop(next(iter(moved)))
    write("moved.mtx", matrix_text(N, N, moved))
    for matrix in ("small.mtx", "moved.mtx"):
        done = run("solve", matrix, "--restore", "A.saved", "--json", code=1)
        assert json.loads(done.out)["status"] == "WARPLU_PATTERN_MISMATCH", done.out
        assert f"{matrix}: not the pattern of A.saved" in done.err, done.err
    files = {"short": (saved[:-1], "WARPLU_BAD_FORMAT", "truncated"),
             "long": (saved + b"\0", "WARPLU_BAD_FORMAT", "something follows"),
             "foreign": (b"%%MatrixMarket", "WARPLU_BAD_FORMAT", "another kind"),
             "corrupt": (saved[:200] + bytes([saved[200] ^ 1]) + saved[201:], "WARPLU_BAD_FORMAT", "corrupt"),
             "later": (saved[:12] + bytes([saved[12] ^ 2]) + saved[13:], "WARPLU_VERSION_MISMATCH", "format version")}
    for name, (content, status, text) in files.items():
        with open(path(name), "wb") as file:
            file.write(content)
        done = run("solve", "A.mtx", "--restore", name, "--json", "-o", "no.x", code=1)
        assert json.loads(done.out)["status"] == status, (name, done.out)
        assert f"{name}: " in done.err and text in done.err and not os.path.exists(path("no.x")), done.err
    for arguments, status in ((["--restore", "missing"], "WARPLU_CANNOT_OPEN"), (["--restore", "."], "WARPLU_CANNOT_READ"),
                              (["--save", "no/such/file"], "WARPLU_CANNOT_OPEN"), (["--save", "."], "WARPLU_CANNOT_OPEN")):
        assert json.loads(run("solve", "A.mtx", *arguments, "--json", code=1).out)["status"] == status, arguments


def factors_may_be_refused():
    write("A.mtx", matrix_text(3, 3, {(i, j): 1 + 9 * (i == j) for i in range(3) for j in range(3)}))
    assert run("solve", "A.mtx", "--max-factor-bytes", "108").out
    refused = json.loads(run("solve", "A.mtx", "--max-factor-bytes", "107", "--json", code=1).out)
    assert refused["status"] == "WARPLU_FACTORS_TOO_LARGE", refused
    answer = json.loads(run("solve", "A.mtx", "--max-program-bytes", "1", "--json").out)
    assert answer["status"] == "WARPLU_SUCCESS" and answer["program_bytes"] == 0, answer


def messages_count_rows_and_columns_as_files_do():
    ones = {(i, i): 1 for i in range(4)}
    for entries, told in ((ones | {(2, 2): 0, (1, 0): 1}, ("row 3 is zero", "column 3 is zero", "in column 3 ")),
                          (ones | {(1, 0): 2, (1, 1): 2, (0, 1): 1}, ("rows 1 and 2 are multiples", "columns 1 and 2 are equal")),
                          ({(0, 0): 1, (1, 1): 1, (3, 0): 1, (3, 3): 1, (1, 3): 1},
                           ("column 3 is left without a row", "row 3 without a column", "row 3 is empty", "column 3 is empty"))):
        write("S.mtx", matrix_text(4, 4, entries))
        for command, code in (("solve", 1), ("info", 0), ("disasm", 1), ("batch", 1)):
            said = run(command, "S.mtx", code=code)
            assert any(all(text in where for text in told) for where in (said.err, said.out)), f"{command}: {said.err}{said.out}"
        listed = run("bench", "S.mtx", "--repeat", "1", code=1)
        assert all(text in listed.out + listed.err for text in told[:1]), listed.out + listed.err


def usage():
    write("A.mtx", matrix_text(1, 1, {(0, 0): 1}))
    assert "--transposed" in run("solve", "--help").out
    for arguments in ([], ["A.mtx", "B.mtx"], ["A.mtx", "--ordering", "best"], ["A.mtx", "--ordering", "given"],
                      ["A.mtx", "--max-program-bytes", "3x"], ["A.mtx", "--max-program-bytes", "99999999999G"],
                      ["A.mtx", "--max-factor-bytes", "0"], ["A.mtx", "--values", "-1"], ["A.mtx", "--pivot-tolerance", "2"], ["A.mtx", "--nothing"],
                      ["-", "-b", "-"], ["A.mtx", "--row-order", "A.mtx"]):
        assert run("solve", *arguments, code=2).out == "", arguments


run_cases([solution_is_right, factors_may_be_refused, every_precision, several_right_hand_sides, transposed_system, ones_without_right_hand_side,
           all_digits_are_written, compressed_files_and_standard_streams, coordinate_right_hand_side,
           options_give_the_same_answer, given_orders_are_kept, report_as_json, inaccurate_answers_are_not_written,
           conditions_on_request,
           weak_pivots_are_counted_from_one, failures_have_their_own_status, sizes_far_beyond_the_entries,
           complex_systems, real_and_complex_meet, hermitian_and_skew_symmetric_files,
           pattern_with_invented_values, right_hand_side_of_the_wrong_size,
           unwritable_output, saved_pivots_serve_other_values, saved_programs_are_replayed, saved_files_that_do_not_fit,
           messages_count_rows_and_columns_as_files_do, usage])
