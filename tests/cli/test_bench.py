#!/usr/bin/env python3
"""warplu bench from the outside: keys of its reports, entries that are absent or fail, sequences.
Standard library only; TAP on standard output. Usage: test_bench.py WARPLU"""
import json
import os
import random

from harness import Skip, array_text, matrix_text, run, run_cases, sample, write

N = 50
RANDOM = random.Random(3)
ENTRIES = sample(RANDOM, N)
KEYS = "matrix n nnz status ordering blocks terms levels vectors program_bytes lu_nnz executors peers".split()
ENTRY_KEYS = ("name threads status analyze_ms factor_ms compile_ms refactor_ms solve_ms residual backward_error "
              "repivots").split()


def bench(*arguments, code=0):
    lines = [json.loads(line) for line in run("bench", "--json", *arguments, code=code).out.splitlines()]
    assert lines[0]["run"] == "warplu bench"
    return lines[1:]


def other_values(scale=1.0):
    return {place: value * RANDOM.uniform(0.9, 1.1) * scale for place, value in ENTRIES.items()}


def check_entry(entry, repeats):
    assert all(key in entry for key in ENTRY_KEYS), entry
    assert entry["status"] == "WARPLU_SUCCESS" and 0 <= entry["backward_error"] <= 1e-10
    assert 0 <= entry["residual"] <= (1e-10 if entry.get("check") == "off" else 1e-12)
    parts = sum(entry[part] for part in ("analyze_ms", "factor_ms", "compile_ms"))
    assert abs(parts - entry["setup_ms"]["median"]) <= 1e-9 * parts and 1 <= entry["setup_ms"]["repeats"] <= 3
    alone = [("solve_alone_ms", repeats)] if "check" in entry else []  # peers solve in one way
    for loop, repeats in ("setup_ms", 1), ("refactor_ms", repeats), ("solve_ms", repeats), *alone:
        times = entry[loop]
        assert 0 < times["min"] <= times["median"] <= times["max"] and times["repeats"] >= repeats


def one_object_a_matrix():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    write("B.mtx", matrix_text(N, N, other_values()))
    reports = bench("A.mtx", "B.mtx", "--executors", "auto,reference")
    assert [r["matrix"] for r in reports] == ["A.mtx", "B.mtx"]
    for report in reports:
        assert all(key in report for key in KEYS) and report["n"] == N and report["nnz"] == len(ENTRIES)
        assert report["status"] == "WARPLU_SUCCESS" and report["lu_nnz"] >= len(ENTRIES) and report["peers"] == []
        assert len(report["executors"]) == 2 and report["executors"][1]["name"] == "reference"
        for entry in report["executors"]:
            check_entry(entry, 3)
        assert report["executors"][0]["backward_error"] == report["executors"][1]["backward_error"]


def repeats_as_asked():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    entry = bench("A.mtx", "--repeat", "7")[0]["executors"][0]
    assert entry["refactor_ms"]["repeats"] == entry["solve_ms"]["repeats"] == 7 and entry["setup_ms"]["repeats"] == 3
    assert bench("A.mtx", "--repeat", "2")[0]["executors"][0]["setup_ms"]["repeats"] == 2


def executors_by_name():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    entries = bench("A.mtx", "--executors", "reference", "--repeat", "1")[0]["executors"]
    assert [e["name"] for e in entries] == ["reference"]


def executors_on_threads():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    report = bench("A.mtx", "--executors", "cpu,reference", "--threads", "4,1,2,4", "--repeat", "1")[0]
    found = [(e["name"], e["threads"], e["status"]) for e in report["executors"]]
    assert found == [("cpu", k, "WARPLU_SUCCESS") for k in (1, 4, 2)] + [
        ("reference", k, "WARPLU_SUCCESS" if k == 1 else "WARPLU_THREADS_UNSUPPORTED") for k in (1, 4, 2)]
    assert report["executors"][4]["refactor_ms"]["median"] is None


def without_a_device():
    """What runs on one says why it does not; others go on, and pivots for a peer are theirs."""
    os.environ["WARPLU_LIBCUDA"] = "/nowhere/libcuda.so"
    write("A.mtx", matrix_text(N, N, ENTRIES))
    done = run("bench", "A.mtx", "--json", "--executors", "cuda-device,cuda,cpu", "--peers", "warplu", "--repeat", "2")
    report = json.loads(done.out.splitlines()[1])
    assert done.err == "" and report["status"] == "WARPLU_SUCCESS" and report["terms"] > 0
    found = report["executors"]
    assert [e["name"] for e in found] == ["cuda-device", "cuda", "cpu"]
    for entry in found[:2]:
        why = {"WARPLU_NO_DEVICE": "/nowhere/libcuda.so", "WARPLU_NOT_COMPILED": "configured without nvcc"}
        assert why[entry["status"]] in entry["message"], entry
        assert all(entry[loop]["median"] is None for loop in ("refactor_ms", "solve_ms"))
        assert entry["backward_error"] is entry["compile_ms"] is None and "both_ms" not in entry
    check_entry(found[2], 2)
    assert found[2]["lu_nnz"] == report["lu_nnz"] and found[2]["terms"] == report["terms"]
    table = run("bench", "A.mtx", "--executors", "cpu,cuda-device", "--peers", "warplu", "--repeat", "2").out
    lines = table.splitlines()
    assert "both ms" in lines[0] and lines[3].split()[:2] == ["cuda-device", found[0]["status"] + ":"]
    assert ", both " in lines[-1] and "both" not in run("bench", "A.mtx", "--executors", "cuda,cpu", "--repeat", "1").out
    alone = bench("A.mtx", "--executors", "cuda-device", code=1)[0]
    assert alone["status"] == found[0]["status"] and alone["message"] == found[0]["message"]
    steps = bench("--sequence", "A.mtx", "A.mtx", "--executors", "cuda-device,cpu", "--repeat", "1")
    assert [[e["status"] for e in step["executors"]] for step in steps] == [[found[0]["status"], "WARPLU_SUCCESS"]] * 2


def checks_beside():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    entries = bench("A.mtx", "--checks", "off,suspect,always", "--executors", "cpu,reference", "--guards")[0]["executors"]
    assert [(e["name"], e["check"]) for e in entries] == [
        (name, check) for check in ("off", "suspect", "always") for name in ("cpu", "reference")]
    for entry in entries:
        check_entry(entry, 3)
        assert ("guards_ms" in entry) == (entry["name"] == "cpu")
    assert 0 < entries[0]["guards_ms"]["min"] <= entries[0]["guards_ms"]["median"] <= entries[0]["refactor_ms"]["max"]
    table = run("bench", "A.mtx", "--checks", "off,suspect", "--repeat", "1").out
    assert "cpu off" in table and "cpu suspect" in table
    plain = bench("A.mtx", "--repeat", "1", "--check", "always")[0]["executors"]
    assert [e["check"] for e in plain] == ["always"] and "guards_ms" not in plain[0]


def peers_beside():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    peers = bench("A.mtx", "--peers", "klu")[0]["peers"]
    assert [p["name"] for p in peers] == ["klu", "klu-noscale"]
    table = run("bench", "A.mtx", "--peers", "klu", "--repeat", "2").out
    if peers[0]["status"] == "WARPLU_NOT_COMPILED":
        assert all("configure with" in p["message"] and p["refactor_ms"]["median"] is None for p in peers)
        raise Skip("this build has no KLU")
    for peer in peers:
        check_entry(peer, 3)
        assert peer["ordering"] == "amd" and peer["lu_nnz"] >= len(ENTRIES)
    assert table.count("geometric mean") == 2 and "(1 of 1 matrices)" in table
    orders = bench("A.mtx", "--peers", "klu-noscale", "--peer-orderings", "best,ours,natural", "--repeat", "2")[0]["peers"]
    assert [p["name"] for p in orders] == ["klu-noscale"] * 3 and orders[0]["ordering"] in ("amd", "colamd")
    assert [p["ordering"] for p in orders[1:]] == ["given", "natural"] and orders[2]["lu_nnz"] > orders[1]["lu_nnz"]


def complex_systems():
    """Real ones made complex, and files that are; peers that cannot say so."""
    for name, options in ("A.mtx", ["--complex"]), ("z.mtx", []):
        if name == "z.mtx":
            write(name, matrix_text(2, 2, {(0, 0): "4 1", (1, 1): "3 -2", (0, 1): "1 1"}, "complex"))
        report = bench(name, "--executors", "cpu,reference", "--repeat", "2", *options)[0]
        for entry in report["executors"]:
            assert entry["status"] == "WARPLU_SUCCESS" and entry["backward_error"] < 1e-14, entry
        real = bench("A.mtx", "--repeat", "2")[0]["executors"][0]
        assert name != "A.mtx" or report["executors"][0]["backward_error"] != real["backward_error"]
    life = bench("A.mtx", "--complex", "--lifecycle", "--horizons", "3", "--repeat", "1")[0]
    assert life["status"] == "WARPLU_SUCCESS", life
    for options in ["--batch", "3"], ["--batch", "20", "--weak", "10"]:
        report = bench("A.mtx", "--complex", *options)[0]
        assert report["status"] == "WARPLU_SUCCESS", report
        assert all(e["status"] == "WARPLU_SUCCESS" and e["backward_error"] < 1e-10 for e in report["executors"]), report
    steps = bench("z.mtx", write("z2.mtx", matrix_text(2, 2, {(0, 0): "4 2", (1, 1): "2 -2"}, "complex")), "--sequence")
    assert all(e["backward_error"] < 1e-14 for step in steps for e in step["executors"]), steps
    done = run("bench", "A.mtx", "z.mtx", "--sequence", code=1)
    assert "z.mtx: complex values, expected real ones as in" in done.out + done.err, done
    if "klu " not in "".join(line for line in run("bench", "--list-peers").out.splitlines(True) if " built " in line):
        raise Skip("this build has no KLU")
    peers = bench("A.mtx", "--complex", "--peers", "klu", "--repeat", "2")[0]["peers"]
    assert all(p["status"] == "WARPLU_SUCCESS" and p["backward_error"] < 1e-12 for p in peers), peers


def warplu_as_its_own_peer():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    report = bench("A.mtx", "--peers", "warplu")[0]
    check_entry(report["peers"][0], 3)
    assert report["peers"][0]["backward_error"] == report["executors"][0]["backward_error"]
    assert report["peers"][0]["lu_nnz"] == report["lu_nnz"]


def failures_keep_their_line():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    write("singular.mtx", matrix_text(2, 2, {(i, j): 1 for i in (0, 1) for j in (0, 1)}))
    write("p.mtx", matrix_text(2, 2, {(0, 0): 1, (1, 1): 1}, "pattern"))
    reports = bench("missing.mtx", "singular.mtx", "p.mtx", "A.mtx", "--peers", "klu", "--repeat", "1", code=1)
    assert [r["status"] for r in reports] == ["WARPLU_CANNOT_OPEN", "WARPLU_SINGULAR", "WARPLU_NO_VALUES",
                                              "WARPLU_SUCCESS"]
    assert all(key in report for report in reports for key in KEYS)
    assert reports[1]["executors"][0]["status"] == "WARPLU_SINGULAR"
    table = run("bench", "missing.mtx", "A.mtx", "--repeat", "1", code=1).out
    assert "WARPLU_CANNOT_OPEN" in table and table.splitlines()[-2].startswith("A: n 50, ")
    assert bench("p.mtx", "--values", "2", "--repeat", "1")[0]["status"] == "WARPLU_SUCCESS"


def right_hand_side_from_a_file():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    write("b.mtx", array_text([[RANDOM.uniform(-1, 1) for _ in range(N)]]))
    check_entry(bench("A.mtx", "--rhs", "b.mtx")[0]["executors"][0], 3)
    write("b.mtx", array_text([[1.0]]))
    assert bench("A.mtx", "--rhs", "b.mtx", code=1)[0]["status"] == "WARPLU_INVALID_ARGUMENT"


def sequence_replays():
    names = [write("S0.mtx", matrix_text(N, N, ENTRIES))]
    names += [write(f"S{k}.mtx", matrix_text(N, N, other_values())) for k in (1, 2)]
    sparse = other_values()
    del sparse[next(place for place, value in sparse.items() if abs(value) < 1)]
    names.append(write("S3.mtx", matrix_text(N, N, sparse)))
    reports = bench("--sequence", *names, "--peers", "klu")
    assert [r["matrix"] for r in reports] == names and [r["step"] for r in reports] == [0, 1, 2, 3]
    totals = []
    for step, report in enumerate(reports):
        assert report["nnz"] == len(ENTRIES)
        entry = report["executors"][0]
        assert entry["status"] == "WARPLU_SUCCESS" and entry["backward_error"] <= 1e-10
        assert entry["repivots"] == 0 and (entry["refactor_ms"]["median"] is None) == (step == 0)
        totals.append(entry["total_ms"])
    assert totals[0] == 0 and totals == sorted(totals)
    assert "total of 3 replays" in run("bench", "--sequence", *names, "--repeat", "2").out


def sequence_pivots_again():
    write("W0.mtx", matrix_text(2, 2, {(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 1): 3}))
    write("W1.mtx", matrix_text(2, 2, {(0, 0): 1e-12, (0, 1): 1, (1, 0): 1, (1, 1): 3}))
    reports = bench("--sequence", "W0.mtx", "W1.mtx", "W0.mtx", "--ordering", "natural")
    entries = [r["executors"][0] for r in reports]
    assert [e["repivots"] for e in entries] == [0, 1, 0]
    assert [e["refactor_status"] for e in entries] == [None, "WARPLU_REPIVOTED", "WARPLU_SUCCESS"]
    assert [e["solve_status"] for e in entries] == ["WARPLU_SUCCESS"] * 3
    assert all(e["backward_error"] <= 1e-10 for e in entries)


def sequence_outside_the_pattern():
    write("S0.mtx", matrix_text(3, 3, {(0, 0): 1, (1, 1): 1, (2, 2): 1}))
    write("S1.mtx", matrix_text(3, 3, {(0, 0): 1, (1, 1): 1, (2, 2): 1, (2, 1): 1}))
    done = run("bench", "--sequence", "S0.mtx", "S1.mtx", "--json", code=1)
    assert "S1.mtx: entry (3, 2) is outside the pattern of S0.mtx" in done.err
    report = json.loads(done.out.splitlines()[-1])
    assert (report["matrix"], report["status"], report["step"]) == ("S1.mtx", "WARPLU_PATTERN_MISMATCH", 1)
    write("S2.mtx", matrix_text(2, 2, {(0, 0): 1, (1, 1): 1}))
    assert "expected 3" in run("bench", "--sequence", "S0.mtx", "S2.mtx", code=1).err
    run("bench", "--sequence", "S0.mtx", "missing.mtx", code=1)


def check_life(entry, horizons, repeats, judged):
    assert entry["status"] == "WARPLU_SUCCESS" and 0 < entry["backward_error"] <= 1e-10, entry
    assert (entry["judged"], entry["inaccurate"]) == (judged, 0), entry
    times = [entry["life_ms"][str(h)] for h in horizons]
    assert len(entry["life_ms"]) == len(times) and all(0 < t["min"] <= t["median"] <= t["max"] for t in times)
    assert all(t["repeats"] == repeats for t in times), entry
    if not entry.get("told"):  # one life has them all
        assert all(before["min"] < after["min"] for before, after in zip(times, times[1:])), entry
    assert all(0 < entry["shortest_calls_ms"][str(h)] <= t["min"] * (1 + 1e-9) for h, t in zip(horizons, times)), entry
    assert repeats > 1 or all(abs(entry["shortest_calls_ms"][str(h)] - t["min"]) < 1e-5 for h, t in zip(horizons, times))
    call = entry["longest_call"]
    assert call["call"] in ("refactor", "solve") and 1 <= call["solve"] <= horizons[-1] and call["share"] > 0
    assert 0 < call["ms"] < times[-1]["min"], entry


def lives_of_a_matrix():
    """Each answer is of other values, and judged by these; a solver grows, unless it is told."""
    write("A.mtx", matrix_text(N, N, ENTRIES))
    report = bench("A.mtx", "--lifecycle", "--horizons", "30,1,3", "--told", "--peers", "warplu", "--repeat", "2")[0]
    assert report["horizons"] == [1, 3, 30] and report["value_sets"] == 24 and report["n"] == N
    grown, told = report["executors"]
    assert [e["told"] for e in report["executors"]] == [False, True] and "told" not in report["peers"][0]
    check_life(grown, [1, 3, 30], 2, 30)
    check_life(told, [1, 3, 30], 2, 34)
    for peer in report["peers"]:
        check_life(peer, [1, 3, 30], 2, 30)
    assert report["peers"][1]["backward_error"] == grown["backward_error"]
    assert told["program_bytes"] > 0 and report["peers"][0]["bytes"] > 0
    short = bench("A.mtx", "--lifecycle", "--horizons", "2", "--repeat", "1", "--peers", "klu")[0]
    assert short["value_sets"] == 2 and short["executors"][0]["program_bytes"] == 0
    if short["peers"][0]["status"] != "WARPLU_NOT_COMPILED":
        check_life(short["peers"][0], [2], 1, 2)
    expecting = bench("A.mtx", "--lifecycle", "--horizons", "1", "--expected-refactors", "1000", "--repeat", "1")[0]
    assert expecting["executors"][0]["program_bytes"] > 0 and expecting["executors"][0]["longest_call"]["call"] == "solve"
    by_time = bench("A.mtx", "--lifecycle", "--horizons", "1,3000", "--executors", "reference", "--peers", "warplu-untold")
    for entry in by_time[0]["executors"] + by_time[0]["peers"]:
        short, long = (entry["life_ms"][h] for h in ("1", "3000"))
        assert short["repeats"] > long["repeats"], entry  # lives get shorter
        assert short["repeats"] >= 20 and short["max"] < long["min"] and entry["status"] == "WARPLU_SUCCESS", entry
        for times in short, long:
            assert times["repeats"] * times["max"] >= (50 if times["repeats"] >= 20 else 1000), entry
        assert entry.get("program_bytes", 1) > 0, entry  # after the longest life
    usual = bench("A.mtx", "--lifecycle", "--repeat", "1")[0]
    assert usual["horizons"] == [1, 3, 10, 30, 100, 1000] and usual["executors"][0]["judged"] == 1000


def lives_in_a_table():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    write("singular.mtx", matrix_text(2, 2, {(i, j): 1 for i in (0, 1) for j in (0, 1)}))
    lines = run("bench", "A.mtx", "singular.mtx", "missing.mtx", "--lifecycle", "--horizons", "1,4", "--told", "--executors",
                "cpu,reference", "--peers", "warplu", "--repeat", "2", code=1).out.splitlines()
    assert lines[0].split()[:4] == ["H1", "H4", "longest", "ms"] and lines[1].startswith("A: n 50, "), lines
    assert [line.split()[:2] for line in lines[2:4]] == [["cpu", "ms"], ["reference", "ratio"]], lines
    assert [line.split()[:3] for line in lines[4:6]] == [[name, "told", "ratio"] for name in ("cpu", "reference")], lines
    assert lines[9].split()[:2] == ["cpu", "WARPLU_SINGULAR:"], lines
    assert any(line.startswith("missing: WARPLU_CANNOT_OPEN") for line in lines), lines
    means = [line.split() for line in lines if " of 3 matrices" in line]
    os.environ["WARPLU_LIBCUDA"] = "/nowhere/libcuda.so"
    table = run("bench", "A.mtx", "--lifecycle", "--horizons", "2", "--executors", "cuda-device,cpu", "--repeat", "1").out
    assert [line.split()[1] for line in table.splitlines()[3:]] == ["ms"], table
    assert len(means) == 5 and means[0][:2] == ["reference", "mean"] and means[0][4:] == ["1", "of", "3", "matrices"], lines


def usage():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    assert "--sequence" in run("bench", "--help").out
    for arguments in ([], ["A.mtx", "--peers", "nobody"], ["A.mtx", "--executors", "gpu"],
                      ["A.mtx", "--executors", ""], ["A.mtx", "--checks", "never"], ["A.mtx", "--checks", ""],
                      ["A.mtx", "--checks", "off,offf"], ["A.mtx", "--limit", "0"], ["A.mtx", "--threads", "0"],
                      ["A.mtx", "--threads", "2,x"], ["A.mtx", "--threads", ""], ["A.mtx", "--threads", "4097"],
                      ["A.mtx", "--threads", "2 "], ["A.mtx", "--repeat", "none"],
                      ["A.mtx", "--told"], ["A.mtx", "--horizons", "1"], ["A.mtx", "--lifecycle", "--sequence"],
                      ["A.mtx", "--lifecycle", "--guards"], ["A.mtx", "--lifecycle", "--horizons", "0"],
                      ["A.mtx", "--lifecycle", "--horizons", ""], ["A.mtx", "--lifecycle", "--horizons", "1,1000001"]):
        assert run("bench", *arguments, code=2).out == "", arguments


run_cases([one_object_a_matrix, repeats_as_asked, executors_by_name, executors_on_threads, without_a_device,
           checks_beside, peers_beside, complex_systems,
           warplu_as_its_own_peer,           failures_keep_their_line, right_hand_side_from_a_file, sequence_replays, sequence_pivots_again,
           sequence_outside_the_pattern, lives_of_a_matrix, lives_in_a_table, usage])
