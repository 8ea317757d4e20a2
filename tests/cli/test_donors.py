#!/usr/bin/env python3
"""benchmarks/donors.py over small sequences: what it counts, writes, and that it fails where an answer is wrong.
Standard library only; TAP on standard output. Usage: test_donors.py WARPLU SCRIPT"""
import csv
import json
import os
import subprocess
import sys

from harness import FOLDER, WARPLU, matrix_text, path, run, run_cases, write

SCRIPT = os.path.abspath(sys.argv[2])


def donors(*arguments, code=0, warplu=WARPLU):
    command = [sys.executable, SCRIPT, warplu, path("groups.txt"), FOLDER.name, "--repeat", "1", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=250, check=False)
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def written(name):
    with open(path(name)) as file:
        return json.load(file) if name.endswith(".json") else list(csv.DictReader(file))


def generated_sequences():
    run("gen", "memory", "--size", "60", "--steps", "4", "--output", path("memory.mtx"))
    run("gen", "powergrid", "--size", "40", "--steps", "3", "--output", path("grid.mtx.gz"))
    write("groups.txt", "# two groups\n" + " ".join(f"memory_{k:03}" for k in range(4)) + "\n"
          + " ".join(f"grid_{k:03}" for k in range(3)) + "\n\n")
    text = donors("--json", path("out.json"), "--csv", path("out.csv"))
    table, replays = written("out.json"), written("out.csv")
    assert [line["donor"] for line in table["donors"]] == [f"memory_{k:03}" for k in range(4)] + [
        f"grid_{k:03}" for k in range(3)]
    assert [line["replays"] for line in table["donors"]] == [3] * 4 + [2] * 3
    assert table["total"]["replays"] == 18 and table["total"]["wrong"] == table["total"]["refused"] == 0
    assert 0 < table["total"]["worst"] <= 1e-10
    assert table["total"]["solvers"]["cpu"]["total_ms"] > 0
    assert len(replays) == 18 + 7 and sum(r["kind"] == "donor" for r in replays) == 7
    assert [r["member"] for r in replays[4:8]] == ["memory_001", "memory_000", "memory_002", "memory_003"]
    assert all(r["solve_status"] == "WARPLU_SUCCESS" for r in replays)
    assert "total of 7 donors" in text and "geometric mean of" in text or "klu" not in table["ratios"]


def weak_pairs():
    """The DC matrix's diagonal pivots are weak on the transient ones; theirs are good for it."""
    def text(a):
        return matrix_text(2, 2, {(0, 0): a, (0, 1): 1.0, (1, 0): 1.0, (1, 1): 3.0})

    write("w_dc1.mtx", text(1.0))
    write("w_tr01.mtx", text(1e-12))
    write("w_tr02.mtx", text(2e-12))
    write("groups.txt", "w_dc1 w_tr01 w_tr02\n")


def repivots_by_what_met_what():
    weak_pairs()
    donors("--json", path("out.json"), "--csv", path("out.csv"))
    first = written("out.json")["donors"][0]
    again = {kind: count for kind, count in first["repivots"].items() if count}
    assert again == {"dc>tr": 1}, again  # in a sequence tr02 meets the pivots of tr01
    assert first["of"]["dc>tr"] == 1 and first["of"]["tr>tr"] == 1
    replays = written("out.csv")
    assert [r["pivots_of"] for r in replays[:3]] == ["w_dc1", "w_dc1", "w_tr01"]
    donors("--pairs", "--json", path("out.json"))
    first = written("out.json")["donors"][0]
    assert first["repivots"]["dc>tr"] == 2
    assert first["of"] == {"dc>dc": 0, "dc>tr": 2, "tr>dc": 0, "tr>tr": 0, "other": 0}


def stand_in(omega, status, peers=()):
    """Something that answers like warplu bench, with this error and status."""
    entry = {"name": "cpu", "status": "WARPLU_SUCCESS", "solve_status": status, "refactor_status": "WARPLU_SUCCESS",
             "repivots": 0, "backward_error": omega, "refactor_ms": {"median": 1.0}, "solve_ms": {"median": 1.0},
             "total_ms": 2.0}
    guards = {"largest_l": 1.0, "largest_u": 1.0, "pivot_growth": 1.0, "row_drift": 1.0}
    lines = [json.dumps({"run": "warplu bench"})]
    lines += [json.dumps({"matrix": f"w{k}.mtx", "status": "WARPLU_SUCCESS", "step": k, "executors": [entry],
                          "peers": [peer[k] for peer in peers], **guards}) for k in range(3)]
    write("stand_in", "#!/bin/sh\ncat <<'END'\n" + "\n".join(lines) + "\nEND\n")
    os.chmod(path("stand_in"), 0o755)
    return path("stand_in")


def a_wrong_answer_fails():
    weak_pairs()
    assert "WRONG: w_dc1 to w_tr01" in donors(code=1, warplu=stand_in(2e-10, "WARPLU_SUCCESS"))
    assert "WRONG" in donors(code=1, warplu=stand_in(None, "WARPLU_REPIVOTED"))
    assert "WRONG" not in donors(warplu=stand_in(2e-10, "WARPLU_INACCURATE"))
    assert "WRONG" not in donors(warplu=stand_in(None, "WARPLU_SINGULAR"))
    assert "WRONG" not in donors(warplu=stand_in(9e-11, "WARPLU_SUCCESS"))


def peers_by_threads_and_failures():
    """Entries of one name are apart; a peer that failed at a step is counted and has no ratio."""
    def steps(threads, totals, status="WARPLU_SUCCESS"):
        return [{"name": "klu", "threads": threads, "status": "WARPLU_SUCCESS" if k == 0 else status, "repivots": k,
                 "ordering_asked": "default", "total_ms": total} for k, total in enumerate(totals)]

    weak_pairs()
    peers = [steps(1, (0, 3.0, 6.0)), steps(2, (0, 2.0, 4.0)), steps(3, (None, None, None), "PEER_TIMED_OUT")]
    text = donors("--json", path("out.json"), warplu=stand_in(1e-16, "WARPLU_SUCCESS", peers))
    out = written("out.json")
    assert list(out["total"]["solvers"]) == ["cpu", "klu", "klu x2", "klu x3"], out["total"]["solvers"]
    assert out["donors"][0]["solvers"]["klu x2"] == {"total_ms": 4.0, "again": 3, "failed": 0}
    assert out["total"]["solvers"]["klu x3"]["failed"] == 6
    assert {name: round(r, 6) for name, r in out["ratios"].items()} == {"klu": 3.0, "klu x2": 2.0}, out["ratios"]
    assert "geometric mean of klu x2 / cpu over donors: 2.00" in text and "6 failed" in text, text


def what_is_no_run_fails():
    weak_pairs()
    write("stand_in", "#!/bin/sh\necho '{\"matrix\": \"a.mtx\"'\n")
    os.chmod(path("stand_in"), 0o755)
    assert "standard output:1: not JSON" in donors(code=1, warplu=path("stand_in"))


def what_cannot_run_fails():
    write("groups.txt", "# none\n")
    assert "no group" in donors(code=1)
    write("groups.txt", "w_dc1 missing\n")
    assert "no missing in" in donors(code=1)
    write("big.mtx", matrix_text(3, 3, {(k, k): 1.0 for k in range(3)}))
    write("groups.txt", "w_dc1 big\n")
    assert "expected 2" in donors(code=1)


run_cases([generated_sequences, repivots_by_what_met_what, a_wrong_answer_fails, peers_by_threads_and_failures,
           what_is_no_run_fails, what_cannot_run_fails])
