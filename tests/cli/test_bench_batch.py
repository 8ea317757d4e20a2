#!/usr/bin/env python3
"""warplu bench --batch from the outside: its entries and their order, times a member, answers that are judged.
Standard library only; TAP on standard output. Usage: test_bench_batch.py WARPLU"""
import json
import os
import random
import re

from harness import Skip, matrix_text, run, run_cases, write

N = 60
RANDOM = random.Random(5)
ENTRIES = {(RANDOM.randrange(N), j): RANDOM.uniform(-1, 1) for j in range(N) for _ in range(3)}
ENTRIES.update({(j, j): RANDOM.choice((-1, 1)) * RANDOM.uniform(5, 9) for j in range(N)})  # whose pivots suit all
os.environ.pop("WARPLU_PEERS", None)


def bench(*arguments, code=0):
    done = run("bench", "--json", *arguments, code=code)
    return [json.loads(line) for line in done.out.splitlines()[1:]]


def check_entry(entry, repeats):
    assert entry["status"] == "WARPLU_SUCCESS" and entry["inaccurate_members"] == 0, entry
    assert 0 < entry["backward_error"] <= 1e-14 and 0 <= entry["residual"] <= 1e-14 and entry["setup_ms"]["repeats"] == 1
    for loop in "refactor_us", "both_us":
        times = entry[loop]
        assert 0 < times["min"] <= times["median"] <= times["max"] and times["repeats"] == repeats, entry


def batches_come_first_then_one_by_one():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    reports = bench("A.mtx", "A.mtx", "--batch", "20", "--executors", "cpu,reference", "--threads", "2", "--peers", "warplu",
                    "--repeat", "3")
    assert [(r["matrix"], r["n"], r["nnz"], r["members"], r["status"]) for r in reports] == [
        ("A.mtx", N, len(ENTRIES), 20, "WARPLU_SUCCESS")] * 2
    for report in reports:
        found = [(e["name"], e["threads"], e["batching"]) for e in report["executors"]]
        assert found == [("cpu", 1, "together"), ("cpu", 2, "together"), ("reference", 1, "together"), ("cpu", 1, "of one"),
                         ("reference", 1, "of one"), ("cpu", 1, "singly"), ("reference", 1, "singly")]
        assert [(e["name"], e["threads"]) for e in report["peers"]] == [("warplu", 1), ("warplu-untold", 1)]
        for entry in report["executors"] + report["peers"]:
            check_entry(entry, 3)
        for entry in report["executors"]:
            assert ("one_by_one" in entry) == ("replayed" in entry) == entry["batch"] == (entry["batching"] != "singly")
            assert (entry["first_call_ms"] is not None) == (entry["batching"] == "together"), entry
        assert report["executors"][0]["replayed"] == 20 and report["executors"][0]["programs"] == 1
        assert report["executors"][5]["terms"] > 0
        for one, singly in zip(report["executors"][3:5], report["executors"][5:]):
            assert one["replayed"] == 1 and "over_healthy" not in one, one
            check_over(one["over_single"], one, singly)


def check_over(over, entry, base):
    for loop in "refactor", "both":
        wanted = entry[loop + "_us"]["median"] / base[loop + "_us"]["median"]
        assert abs(over[loop] - wanted) <= 1e-9 * wanted, (over, entry, base)


def weak_members_beside_healthy_ones():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    asked = ["A.mtx", "--batch", "30", "--weak", "10", "--executors", "cpu", "--threads", "2", "--repeat", "2"]
    report = bench(*asked)[0]
    entries = report["executors"]
    assert report["weak_members"] == 3 and bench("A.mtx", *asked[1:4], "0.1", *asked[5:])[0]["weak_members"] == 1
    assert [(e["threads"], e["batching"]) for e in entries] == [
        (1, "together"), (2, "together"), (1, "weakened"), (2, "weakened"), (1, "of one"), (1, "singly")]
    for healthy, weakened in zip(entries[:2], entries[2:4]):
        assert healthy["replayed"] == 30 and "over_healthy" not in healthy
        assert weakened["replayed"] == 27 and weakened["first_call_ms"] > 0, weakened
        assert weakened["refined"] + weakened["by_other_programs"] + weakened["by_own_solvers"] == 3, weakened
        assert weakened["status"] == "WARPLU_SUCCESS" and weakened["inaccurate_members"] == 0
        check_over(weakened["over_healthy"], weakened, healthy)


def weak_members_are_drawn_by_the_seed():
    """Kinds and members: how near to 0 the errors of weak members are tells them apart."""
    write("A.mtx", matrix_text(N, N, ENTRIES))
    asked = ["A.mtx", "--batch", "40", "--weak", "25", "--executors", "cpu", "--threads", "1", "--repeat", "1"]
    errors = [[e["backward_error"] for e in bench(*asked, *more)[0]["executors"][:2]]
              for more in ([], ["--seed", "7"], ["--seed", "8"], ["--weak-kinds", "10"])]
    assert errors[0] == errors[1] and errors[0][0] != errors[2][0] and errors[0][0] == errors[3][0], errors
    assert errors[0][1] != errors[2][1] and errors[0][1] != errors[3][1], errors


def no_members_can_be_weak():
    write("D.mtx", matrix_text(4, 4, {(i, i): 1 + i for i in range(4)}))
    entries = bench("D.mtx", "--batch", "5", "--weak", "20", "--executors", "cpu", "--threads", "1", "--repeat", "1")[0]["executors"]
    assert [e["status"] for e in entries] == ["WARPLU_SUCCESS", "WARPLU_INVALID_ARGUMENT", "WARPLU_SUCCESS", "WARPLU_SUCCESS"]
    assert "D.mtx: no members whose pivots are weak" in entries[1]["message"]


def members_are_those_of_warplu_batch():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    same = ["--ordering", "amd", "--executor", "reference", "--expected-refactors", "0"]
    here = ["--ordering", "amd", "--executors", "reference", "--expected-refactors", "0", "--repeat", "1"]
    for count in "1", "3":
        batch = json.loads(run("batch", "A.mtx", "--perturb", "0.05", "--count", count, "--repeat", "0", "--json", *same).out)
        entry = bench("A.mtx", "--batch", count, *here)[0]["executors"][0]
        assert entry["backward_error"] == batch["worst_backward_error"] > 0, (entry, batch)


def all_processors_where_nothing_is_said():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    processors = len(os.sched_getaffinity(0))
    entries = bench("A.mtx", "--batch", "4", "--executors", "cpu", "--repeat", "1")[0]["executors"]
    assert [e["threads"] for e in entries] == ([1, processors, 1, 1] if processors > 1 else [1, 1, 1]), entries


def klu_on_threads():
    """One object each; members that threads get are not as many as there are threads, or the other way round."""
    if "klu " not in "".join(line for line in run("bench", "--list-peers").out.splitlines(True) if " built " in line):
        raise Skip("this build has no KLU")
    write("A.mtx", matrix_text(N, N, ENTRIES))
    for members in "3", "7", "40":
        peers = bench("A.mtx", "--batch", members, "--executors", "cpu", "--threads", "5", "--peers", "klu", "--repeat", "2")[0]["peers"]
        assert [(e["name"], e["threads"]) for e in peers] == [(n, t) for n in ("klu", "klu-noscale") for t in (1, 5)]
        for entry in peers:
            check_entry(entry, 2)
        assert peers[0]["backward_error"] == peers[1]["backward_error"]
    assert [e["threads"] for e in bench("A.mtx", "--threads", "5", "--peers", "klu", "--repeat", "1")[0]["peers"]] == [1, 1]


def table_of_batches():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    out = run("bench", "A.mtx", "--batch", "6", "--executors", "cpu,cuda", "--threads", "2", "--peers", "warplu", "--repeat", "2").out
    lines = out.splitlines()
    assert lines[0].split() == "set-up ms refactor us ratio both us ratio error".split()
    assert lines[1] == f"A: n {N}, nnz {len(ENTRIES)}, 6 members"
    assert [line.split("  ")[1] for line in lines[2:7]] == ["cpu batch", "cpu x2 batch", "cuda batch", "cpu batch of 1", "cpu"]
    assert "geometric mean of warplu / cpu batch: both " in out and ", refactor " in out and "cuda batch  " in out
    assert "geometric mean of cpu batch of 1 / cpu: both " in out and "first call" not in out
    out = run("bench", "A.mtx", "A.mtx", "--batch", "6", "--weak", "50", "--executors", "cpu", "--threads", "2", "--repeat", "2").out
    assert [line.split("  ")[1] for line in out.splitlines()[4:6]] == ["cpu batch weak", "cpu x2 batch weak"]
    assert re.search(r"  first call \d+\.\d+, refined \d, by other programs \d, by solvers \d", out.splitlines()[4]), out
    number = r"(\d+\.\d\d)"
    means = re.search(rf"geometric mean of cpu x2 batch weak / cpu x2 batch: both {number}, {number} to {number}, refactor {number} "
                      r"\(2 of 2 matrices\)", out)
    assert float(means[2]) <= float(means[1]) <= float(means[3]), out


def failures_keep_their_line():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    write("S.mtx", matrix_text(2, 2, {(i, j): 1 for i in (0, 1) for j in (0, 1)}))
    write("G.mtx", matrix_text(2, 2, {(0, 0): 1, (0, 1): 1}))
    reports = bench("G.mtx", "missing.mtx", "A.mtx", "--batch", "3", "--repeat", "1", code=1)
    assert [r["status"] for r in reports] == ["WARPLU_STRUCTURALLY_SINGULAR", "WARPLU_CANNOT_OPEN", "WARPLU_SUCCESS"]
    assert all(e["status"] == "WARPLU_STRUCTURALLY_SINGULAR" for e in reports[0]["executors"]) and reports[0]["message"]
    assert bench("S.mtx", "--batch", "3", "--repeat", "1")[0]["status"] == "WARPLU_SUCCESS"  # singular no more


def usage():
    write("A.mtx", matrix_text(N, N, ENTRIES))
    for arguments, message in ((["--batch", "0"], "--batch: expected 1 to 2147483647, found 0"),
                               (["--batch", "3", "--sequence"], "--batch goes without"),
                               (["--batch", "3", "--lifecycle"], "--batch goes without"),
                               (["--batch", "3", "--guards"], "--batch goes without"),
                               (["--weak", "10"], "--weak is for --batch"),
                               (["--batch", "3", "--weak", "101"], "--weak: expected 0 to 100, found 101"),
                               (["--batch", "3", "--weak-kinds", "2"], "--weak-kinds is for --weak"),
                               (["--batch", "3", "--weak", "9", "--weak-kinds", "0"], "--weak-kinds: expected 1 to"),
                               (["--batch", "3", "--executors", "cuda-device"], "--batch goes without cuda-device")):
        assert message in run("bench", "A.mtx", *arguments, code=2).err, arguments


run_cases([batches_come_first_then_one_by_one, members_are_those_of_warplu_batch, all_processors_where_nothing_is_said,
           weak_members_beside_healthy_ones, weak_members_are_drawn_by_the_seed, no_members_can_be_weak, klu_on_threads, table_of_batches, failures_keep_their_line, usage])
