#!/usr/bin/env python3
"""warplu info and warplu disasm from the outside: what can be counted by hand, and files that hold no real system.
Standard library only; TAP on standard output. Usage: test_info.py WARPLU"""
import json
import os
import random
import time

from harness import matrix_text, run, run_cases, sample, write

N = 60
MOST = 2**31 - 1  # rows or columns that an index can number
ENTRIES = sample(random.Random(11), N)
ARROW = {**{(k, k): 4.0 for k in range(5)}, **{(4, k): 1.0 for k in range(4)}, **{(k, 4): 2.0 for k in range(4)}}


def info(name, *options):
    return json.loads(run("info", name, "--json", *options).out)


def file_as_it_says():
    name = write("A.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 5\n1 1 2\n2 2 0\n3 3 5\n3 1 1\n3 1 1\n")
    report = info(name)
    assert report["typecode"] == "matrix coordinate integer symmetric" and report["matrix"] == name
    assert (report["rows"], report["columns"], report["n"], report["stored"]) == (3, 3, 3, 5)
    assert (report["nnz"], report["duplicates"], report["zeros"]) == (5, 2, 1)
    structure = report["structure"]
    assert structure["pattern_symmetry"] == structure["value_symmetry"] == 1
    assert structure["missing_diagonal"] == 0 and structure["structural_rank"] == 3
    assert structure["blocks"] == 2 and structure["largest_block"] == 2
    assert report["status"] == "WARPLU_SINGULAR"


def arrow_is_counted_by_hand():
    report = info(write("A.mtx", matrix_text(5, 5, ARROW)), "--ordering", "natural")
    assert report["status"] == "WARPLU_SUCCESS" and report["ordering"] == "natural"
    assert [c["ordering"] for c in report["candidates"]] == ["natural"]
    pivots = report["pivots"]
    assert pivots["terms"] == 4 and pivots["lu_nnz"] == 13 and pivots["height"] == 2 and pivots["fill"] == 1
    assert pivots["solve_terms"] == 8 and pivots["flops"] == 12
    scalar = report["scalar_program"]
    assert scalar["multiply_subtracts"] == 4 + 8 and scalar["divisions"] == 4 + 5
    assert scalar["instructions"] == 21 and scalar["vectors_split"] >= scalar["vectors_unsplit"]
    unsplit, split = scalar["warps_unsplit"], scalar["warps_split"]
    assert split["passes"] == unsplit["passes"] == scalar["vectors_split"] and split["most_passes"] == 1
    assert split["least_agreement"] == 1 and split["least_filling"] == 1 / 32
    assert split["best_filling"] == scalar["longest_split"] / 32
    assert 0.5 <= unsplit["least_agreement"] <= unsplit["mean_agreement"] <= unsplit["best_agreement"] == 1


def program_adds_up():
    report = info(write("A.mtx", matrix_text(N, N, ENTRIES)))
    program, solve, pivots = report["program"], report["solve_program"], report["pivots"]
    assert program["dot_pivots"] + program["tile_pivots"] == N
    assert program["stream_terms"] + program["tile_terms"] == pivots["terms"]
    for part in program, solve:
        assert sum(row["vectors"] for row in part["widths"]) == part["vectors"] >= part["levels"]
        streamed = sum(count for name, count in part["records"].items() if name in ("RCP", "DOT", "DOTS", "MOVE"))
        assert sum(row["records"] for row in part["widths"]) == streamed
        assert part["program_bytes"] > 0
    unsplit = info("A.mtx", "--unsplit")
    assert unsplit["program"]["vectors"] <= unsplit["program"]["levels"] + unsplit["program"]["tiles"]
    assert unsplit["solve_program"]["vectors"] < solve["vectors"]


def tile_region_under_a_small_bound():
    dense = {(i, j): 30.0 if i == j else 1.0 / (1 + i + j) for i in range(40) for j in range(40)}
    write("dense.mtx", matrix_text(40, 40, dense))
    program = info("dense.mtx")["program"]
    assert program["dot_pivots"] + program["tile_pivots"] == 40
    assert program["records"].get("TILE", 0) == program["tiles"]


def candidates_of_the_race():
    report = info(write("A.mtx", matrix_text(N, N, ENTRIES)))
    names = [c["ordering"] for c in report["candidates"]]
    assert {"amd", "colamd"} <= set(names) and report["ordering"] in names
    times = [c["predicted_refactor_ms"] for c in report["candidates"]]
    assert times == sorted(times)


def files_without_a_real_system():
    square = {(0, 0): 1, (1, 1): 1, (1, 0): 1}
    files = {
        "WARPLU_NO_VALUES": matrix_text(2, 2, square, "pattern"),
        "WARPLU_NOT_SQUARE": matrix_text(2, 3, square),
    }
    for status, text in files.items():
        report = info(write("A.mtx", text))
        assert report["status"] == status and report["nnz"] == 3
        assert report["structure"]["structural_rank"] == 2 and "pivots" not in report
        assert ("candidates" in report) == (report["rows"] == report["columns"])
        assert status in run("info", "A.mtx").out
    write("A.mtx", files["WARPLU_NO_VALUES"])
    report = info("A.mtx", "--values", "3")
    assert report["status"] == "WARPLU_SUCCESS" and report["typecode"] == "matrix coordinate pattern general"
    report = info(write("A.mtx", matrix_text(2, 2, {k: "1 2" for k in square}, "complex")))
    assert report["status"] == "WARPLU_SUCCESS" and report["pivots"]
    report = info(write("A.mtx", matrix_text(2, 2, {(0, 0): 1, (0, 1): 1})))
    assert report["status"] == "WARPLU_STRUCTURALLY_SINGULAR" and report["structure"]["structural_rank"] == 1


def sizes_far_beyond_the_entries():
    def sized(rows, columns):
        return write("A.mtx", f"%%MatrixMarket matrix coordinate real general\n{rows} {columns} 1\n1 1 1\n")

    started = time.monotonic()
    for rows, columns, status in ((10**8, 10**8, "WARPLU_STRUCTURALLY_SINGULAR"), (MOST, MOST, "WARPLU_STRUCTURALLY_SINGULAR"),
                                  (7, MOST, "WARPLU_EMPTY_COLUMNS"), (MOST, 7, "WARPLU_NOT_SQUARE")):
        report = info(sized(rows, columns))
        assert (report["rows"], report["columns"], report["stored"], report["status"]) == (rows, columns, 1, status), report
        assert report.get("n") == (rows if rows == columns else None)
        done = run("info", "A.mtx")
        assert done.err == "" and status in done.out, done.err
        if columns > 7:
            assert report["message"].startswith("A.mtx:2: expected ") and "nnz" not in report, report
        else:
            assert report["nnz"] == 1 and report["structure"]["structural_rank"] == 1
    assert time.monotonic() - started < 20
    report = info(write("A.mtx", matrix_text(MOST, 3, {(MOST - 1, 0): 1, (5, 1): 1, (5, 2): 1})))
    assert report["structure"]["structural_rank"] == 2


def text_report():
    out = run("info", write("A.mtx", matrix_text(5, 5, ARROW))).out
    for words in ("structural rank", "candidates:", "program bytes", "scalar program:", "ordering"):
        assert words in out, words


def disassembly():
    write("A.mtx", matrix_text(2, 2, {(0, 0): 4.0, (1, 0): 1.0, (0, 1): 2.0, (1, 1): 3.0}))
    out = run("disasm", "A.mtx", "--ordering", "natural").out
    for words in ("RCP", "r(0) = 1 / d(0)", "DOT", "x(0)", "LOAD", "solve"):
        assert words in out, words
    assert out == run("disasm", "A.mtx", "--ordering", "natural").out
    run("disasm", write("p.mtx", matrix_text(1, 1, {(0, 0): 1}, "pattern")), code=1)
    run("disasm", "p.mtx", "--values", "1")


def programs_are_shown_whatever_is_expected():
    name = write("A.mtx", matrix_text(5, 5, ARROW))
    few, many = (info(name, "--ordering", "natural", "--expected-refactors", n)["program"] for n in ("0", "1000"))
    assert few["records"] == many["records"] and few["program_bytes"] == many["program_bytes"] > 0
    shown = run("disasm", name, "--ordering", "natural")
    assert shown.out == run("disasm", name, "--ordering", "natural", "--expected-refactors", "0").out


def device_program_without_a_device():
    os.environ["WARPLU_LIBCUDA"] = "/nowhere/libcuda.so"
    write("A.mtx", matrix_text(N, N, ENTRIES))
    report = info("A.mtx", "--executor", "cuda")
    assert report["status"] == "WARPLU_SUCCESS" and "device" not in info("A.mtx") and "device_program" not in info("A.mtx")
    assert report["device"]["status"] in ("WARPLU_NO_DEVICE", "WARPLU_NOT_COMPILED") and report["device"]["message"]
    program, device = report["program"], report["device_program"]
    records = sum(count for name, count in program["records"].items() if name in ("DOT", "DOTS", "MOVE"))
    assert 0 < device["bundled_records"] <= records + program["records"]["LOAD"] + program["records"]["RCP"]
    assert device["bundled_terms"] == program["stream_terms"] and device["levels"] == program["levels"]
    assert 0 < device["filled_lanes"] <= 1 and 0 < device["filled_pairs"] <= 1
    assert device["tiles"] == program["tiles"] and 0 <= device["tile_height"] <= device["tiles"]
    assert device["image_bytes"] > 0 and device["solve_image_bytes"] > 0
    assert abs(device["bytes_per_term"] * report["pivots"]["terms"] / device["image_bytes"] - 1) < 1e-3
    assert device["predicted_refactor_ms"] == program["predicted_refactor_ms"]
    assert 0 < device["path_ms"] < device["predicted_refactor_ms"]
    bundles = device["bundles"]
    assert bundles["short"] + bundles["long"] + bundles["wide"] >= device["levels"]
    assert bundles["loads"] > 0 and bundles["guards"] > 0
    text = run("info", "A.mtx", "--executor", "cuda").out
    assert "device program:" in text and report["device"]["message"] in text
    singular = info(write("S.mtx", matrix_text(2, 2, {(0, 0): 1, (0, 1): 1})), "--executor", "cuda")
    assert singular["status"] == "WARPLU_STRUCTURALLY_SINGULAR" and "device" in singular


def errors_and_usage():
    run("info", "missing.mtx", code=1)
    run("info", write("bad.mtx", "no matrix\n"), code=1)
    for command in "info", "disasm":
        assert "A.mtx" in run(command, "--help").out
        run(command, code=2)
        run(command, "A.mtx", "B.mtx", code=2)
        run(command, "A.mtx", "--nothing", code=2)


run_cases([file_as_it_says, arrow_is_counted_by_hand, program_adds_up, tile_region_under_a_small_bound,
           candidates_of_the_race, files_without_a_real_system, sizes_far_beyond_the_entries, text_report, disassembly,
           programs_are_shown_whatever_is_expected, device_program_without_a_device, errors_and_usage])
