#!/usr/bin/env python3
"""Peers in processes of their own: what one that ends, hangs, lies, prints or spins does to the run (nothing beyond its own
line), orderings and threads as asked for, progress on a terminal. TAP on standard output.

    test_peers.py WARPLU FOLDER     FOLDER holds tests/bench/faulty.c built as the plug-ins of klu and superlu_mt
"""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402
from harness import matrix_text, path, run, run_cases, write  # noqa: E402

N = 40
FAULTY = os.path.abspath(sys.argv[2])


def diagonal(name, scale=1.0):
    return write(name, matrix_text(N, N, {(i, i): scale * (2.0 + i) for i in range(N)}))


def bench(*arguments, fault="", code=0, folder=FAULTY):
    """The run record, and the peers of each matrix; arguments: matrices and options."""
    os.environ.update(WARPLU_PEERS=folder, WARPLU_FAULT=fault)
    lines = run("bench", "--json", "--repeat", "2", *arguments, code=code).out.splitlines()
    return json.loads(lines[0]), [json.loads(line) for line in lines[1:]]


def two_matrices(fault, *more):
    """The faulty peer's entries on two matrices; warplu's own stand whatever happens."""
    _, reports = bench(diagonal("A.mtx"), diagonal("B.mtx", 3.0), "--peers", "klu-noscale", *more, fault=fault)
    assert [r["status"] for r in reports] == ["WARPLU_SUCCESS"] * 2
    return [r["peers"][0] for r in reports]


def without_a_fault():
    for peer in two_matrices("none analyze"):
        assert peer["status"] == "WARPLU_SUCCESS" and peer["backward_error"] <= 1e-15
        assert peer["version"] == "attempt 0" and peer["ordering_asked"] == "default" and peer["lu_nnz"] == N
        assert peer["refactor_ms"]["repeats"] == peer["solve_ms"]["repeats"] == 2
        assert all(0 <= peer[key] < 1000 for key in ("analyze_ms", "factor_ms"))


def ends_anywhere():
    for call in "analyze", "factor", "refactor", "solve":
        for peer in two_matrices("exit " + call):
            assert (peer["status"], peer["message"]) == ("PEER_ENDED", "ended with exit status 7"), (call, peer)
    assert all("ended by signal 6" in peer["message"] for peer in two_matrices("abort factor"))


def last_words_are_kept():
    for peer in two_matrices("print solve"):
        assert peer["message"] == "ended with exit status 3: storage is exceeded"


def more_storage_at_each_start():
    _, reports = bench(diagonal("A.mtx"), "--peers", "superlu_mt", fault="storage factor")
    assert reports[0]["peers"][0]["status"] == "WARPLU_SUCCESS" and reports[0]["peers"][0]["version"] == "attempt 2"
    assert two_matrices("storage factor")[0]["status"] == "PEER_ENDED"  # klu's storage is not a guess


def hangs_anywhere():
    for call in "analyze", "factor", "refactor", "solve":
        start = time.monotonic()
        peers = two_matrices("hang " + call, "--limit", "0.2")
        assert all((p["status"], p["message"]) == ("PEER_TIMED_OUT", "no answer within 0.2 s") for p in peers)
        assert 0.4 <= time.monotonic() - start < 10


def both_as_one_call():
    """It is timed, fails in its own line, and its answer is judged."""
    for peer in two_matrices(""):
        assert peer["both_ms"]["repeats"] == 2 and peer["status"] == "WARPLU_SUCCESS", peer
    for fault, status in (("fail both", "WARPLU_SINGULAR"), ("exit both", "PEER_ENDED"), ("wrong both", "WARPLU_INACCURATE")):
        for peer in two_matrices(fault):
            assert peer["status"] == status and peer["solve_ms"]["repeats"] == 2, (fault, peer)
    assert all("both_ms" not in peer for peer in two_matrices("fail solve") + of_a_sequence(""))


def a_limit_is_for_each_call():
    """A turn is two calls of 0.2 s, a pass three."""
    assert [p["status"] for p in two_matrices("slow refactor", "--limit", "0.35")] == ["WARPLU_SUCCESS"] * 2
    assert [p["status"] for p in of_a_sequence("slow refactor", "--limit", "0.35")] == ["WARPLU_SUCCESS"] * 4


def breaks_the_protocol():
    for call in "analyze", "solve":
        assert all((p["status"], p["message"]) == ("PEER_ENDED", "killed: it answered what makes no sense")
                   for p in two_matrices("garbage " + call))
        assert all((p["status"], p["message"]) == ("PEER_ENDED", "ended by signal 9")
                   for p in two_matrices("close " + call, "--limit", "0.2"))


def words_in_any_encoding():
    assert all(p["message"] == "ended with exit status 3: d\ufffdj\ufffd vu" for p in two_matrices("latin factor"))


def no_times_of_what_failed():
    for peer in two_matrices("fail analyze"):
        assert [peer[key] for key in ("analyze_ms", "factor_ms", "compile_ms")] == [None] * 3, peer
    for peer in two_matrices("exit factor"):
        assert peer["analyze_ms"] is not None and peer["factor_ms"] is peer["compile_ms"] is None, peer


def standard_input_may_be_closed():
    os.environ.update(WARPLU_PEERS=FAULTY, WARPLU_FAULT="none analyze")
    command = [harness.WARPLU, "bench", diagonal("A.mtx"), "--peers", "klu-noscale", "--json", "--repeat", "1"]
    done = subprocess.run(["sh", "-c", 'exec "$@" <&-', "sh", *command], cwd=harness.FOLDER.name, capture_output=True,
                          timeout=60, check=False)
    assert json.loads(done.stdout.splitlines()[1])["peers"][0]["status"] == "WARPLU_SUCCESS", done.stdout


def says_why_it_failed():
    for call in "analyze", "factor", "refactor", "solve":
        for peer in two_matrices("fail " + call):
            assert (peer["status"], peer["message"]) == ("WARPLU_SINGULAR", "its code 42"), (call, peer)


def wrong_answers_show():
    for peer in two_matrices("wrong solve"):
        assert peer["status"] == "WARPLU_INACCURATE" and 1e-4 < peer["backward_error"] < 1e-2
        assert peer["refactor_ms"]["median"] is not None
    os.environ["WARPLU_FAULT"] = "wrong solve"
    table = run("bench", "A.mtx", "--peers", "klu-noscale", "--repeat", "1").out
    assert "WARPLU_INACCURATE" in table and "(1 of 1 matrices, its answer worse than 1e-10 on 1)" in table


def peers_rest_between_their_turns():
    """The peer's process is stopped, with whatever threads it has, while others are timed."""
    os.environ.update(WARPLU_PEERS=FAULTY, WARPLU_FAULT="spin analyze")
    child = subprocess.Popen([harness.WARPLU, "bench", diagonal("A.mtx"), "--peers", "klu-noscale", "--repeat", "200000"],
                             cwd=harness.FOLDER.name, stdout=subprocess.DEVNULL)
    states = set()
    while child.poll() is None and states != {"stopped", "awake"}:
        states.update("stopped" if state_of(pid) == "T" else "awake" for pid in children_of(child.pid))
    child.kill()
    child.wait()
    assert states == {"stopped", "awake"}, states


def orderings_as_asked():
    _, reports = bench(diagonal("A.mtx"), "--peers", "klu-noscale", "--peer-orderings", "default,best,second,third,ours")
    peers = {p["ordering_asked"]: p for p in reports[0]["peers"]}
    assert [peers[o]["status"] for o in ("default", "best", "second")] == ["WARPLU_SUCCESS"] * 3
    assert peers["third"]["message"] == "no ordering 'third': it has first, second, natural"
    assert peers["ours"]["message"] == "it takes no given order"


def threads_as_asked():
    _, reports = bench(diagonal("A.mtx"), "--peers", "superlu_mt,klu-noscale", "--threads", "3,2")
    found = [(p["name"], p["threads"], p["settings"]) for p in reports[0]["peers"]]
    _, again = bench("A.mtx", "--peers", "klu-noscale,klu,klu", "--peer-orderings", "default,default")
    assert [p["name"] for p in again[0]["peers"]] == ["klu-noscale", "klu"]
    one = "OPENBLAS_NUM_THREADS=1"
    assert found == [(name, count, f"OMP_NUM_THREADS={count} " + one)
                     for name, counts in (("superlu_mt", (1, 3, 2)), ("superlu_mt-tol", (1, 3, 2)), ("klu-noscale", (1,)))
                     for count in counts], found


def of_a_sequence(fault, *more):
    """The faulty peer's entries at its four steps; warplu's own stand whatever happens."""
    names = [diagonal(f"S{k}.mtx", 1.0 + k) for k in range(4)]
    _, reports = bench("--sequence", *names, "--peers", "klu-noscale", *more, fault=fault)
    assert [r["status"] for r in reports] == ["WARPLU_SUCCESS"] * 4
    return [r["peers"][0] for r in reports]


def sequences():
    peers = of_a_sequence("none analyze")
    assert [p["status"] for p in peers] == ["WARPLU_SUCCESS"] * 4 and all(p["backward_error"] <= 1e-15 for p in peers)
    assert [p["status"] for p in of_a_sequence("exit refactor")] == ["WARPLU_SUCCESS"] + ["PEER_ENDED"] * 3


def sequences_say_how_a_peer_ended():
    for fault, end in (("print refactor", ("PEER_ENDED", "ended with exit status 3: storage is exceeded")),
                       ("hang refactor", ("PEER_TIMED_OUT", "no answer within 0.2 s"))):
        for peer in of_a_sequence(fault, "--limit", "0.2")[1:]:
            assert (peer["status"], peer["message"], peer["repivots"]) == (*end, 0), peer


def sequences_that_fail_have_no_total():
    names = [diagonal(f"S{k}.mtx", 1.0 + k) for k in range(4)]
    os.environ.update(WARPLU_PEERS=FAULTY, WARPLU_FAULT="fail solve")
    table = run("bench", "--sequence", *names, "--peers", "klu-noscale", "--repeat", "2").out
    assert "total of 3 replays and solves: klu-noscale has none, 3 failed\n" in table, table


def of_a_life(fault, *more, peer="klu-noscale"):
    _, reports = bench(diagonal("A.mtx"), "--lifecycle", "--horizons", "1,4", "--peers", peer, *more, fault=fault)
    assert reports[0]["status"] == "WARPLU_SUCCESS"
    return reports[0]["peers"][0]


def lives():
    """They fail in their own line, which says where; every answer is judged; a limit is for each call."""
    peer = of_a_life("none analyze")
    assert (peer["status"], peer["judged"], peer["inaccurate"]) == ("WARPLU_SUCCESS", 4, 0), peer
    assert peer["life_ms"]["1"]["repeats"] == peer["life_ms"]["4"]["repeats"] == 2, peer
    peer = of_a_life("slow refactor", "--limit", "0.35")
    assert peer["status"] == "WARPLU_SUCCESS" and peer["life_ms"]["4"]["min"] >= 600 > peer["life_ms"]["1"]["max"], peer
    assert peer["longest_call"]["call"] == "refactor" and 200 <= peer["longest_call"]["ms"] < 350, peer
    peer = of_a_life("slow solve", "--limit", "0.35")
    assert peer["life_ms"]["4"]["min"] >= 800 and peer["longest_call"]["call"] == "solve", peer
    assert peer["life_ms"]["1"]["repeats"] == 2, peer
    assert of_a_life("same refactor")["status"] == "WARPLU_SUCCESS"
    peer = of_a_life("stale refactor")
    assert peer["inaccurate"] == 3 and 1e-3 < peer["backward_error"] < 0.05, peer
    for fault, status, message in (("fail refactor", "WARPLU_SINGULAR", "at solve 2: its code 42"),
                                   ("exit refactor", "PEER_ENDED", "at solve 2: ended with exit status 7"),
                                   ("hang refactor", "PEER_TIMED_OUT", "at solve 2: no answer within 0.2 s"),
                                   ("fail solve", "WARPLU_SINGULAR", "at solve 1: its code 42"),
                                   ("fail factor", "WARPLU_SINGULAR", "its code 42")):
        peer = of_a_life(fault, "--limit", "0.2")
        assert (peer["status"], peer["message"]) == (status, message), (fault, peer)
        assert peer["life_ms"]["4"]["median"] is peer["longest_call"]["ms"] is None, peer
    peer = of_a_life("wrong solve")
    assert (peer["status"], peer["inaccurate"]) == ("WARPLU_INACCURATE", 4) and peer["life_ms"]["4"]["repeats"] == 2, peer
    assert of_a_life("storage factor", peer="superlu_mt")["status"] == "WARPLU_SUCCESS"


def the_run_is_described():
    head, _ = bench(diagonal("A.mtx"), "--peers", "klu-noscale,umfpack")
    assert head["run"] == "warplu bench" and head["machine"]["cores"] >= 1 and head["machine"]["memory_bytes"] > 0
    assert f"WARPLU_PEERS={FAULTY}" in head["environment"]
    assert "--peers" in head["arguments"] and head["version"] and head["time"].endswith("Z")
    missing = {p["name"]: p["missing"] for p in head["peers"]}
    assert missing["klu-noscale"] is None and "-Dumfpack=enabled" in missing["umfpack"]


def missing_peers_have_a_line():
    _, reports = bench(diagonal("A.mtx"), "--peers", "all", folder=path("nowhere"))
    peers = reports[0]["peers"]
    assert len(peers) >= 15 and all(p["status"] == "WARPLU_NOT_COMPILED" and "-D" in p["message"]
                                    for p in peers if p["library"] != "warplu")
    table = run("bench", "A.mtx", "--peers", "all", "--repeat", "1").out
    assert table.count("left out: superlu_mt: ") == table.count("left out: klu: ") == 1
    listed = run("bench", "--list-peers").out
    assert listed.count("missing") == len(peers) and "-Dmkl_prefix=FOLDER" in listed
    os.environ["WARPLU_PEERS"] = FAULTY
    assert run("bench", "--list-peers").out.count(" built ") == 4


def a_plugin_by_hand():
    done = subprocess.run([os.path.join(FAULTY, "warplu-peer-klu")], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 2 and "warplu bench" in done.stderr


def members_one_by_one():
    """A peer with no way of its own is given each member; its answers are judged, its failures are its own line."""
    peer = two_matrices("none analyze", "--batch", "5")[0]
    assert peer["status"] == "WARPLU_SUCCESS" and peer["inaccurate_members"] == 0 and peer["threads"] == 1, peer
    assert peer["both_us"]["repeats"] == peer["refactor_us"]["repeats"] == 2 and peer["both_us"]["median"] > 0, peer
    peer = bench(diagonal("A.mtx"), "--peers", "klu-noscale", "--batch", "2", fault="slow both")[1][0]["peers"][0]
    assert 200e3 <= peer["both_us"]["min"] <= 350e3, peer  # a member's; a call is of two
    for peer in two_matrices("stale refactor", "--batch", "5"):
        assert peer["status"] == "WARPLU_INACCURATE" and peer["inaccurate_members"] > 0, peer
    for call in "refactor", "both":
        for peer in two_matrices("exit " + call, "--batch", "5"):
            assert (peer["status"], peer["message"]) == ("PEER_ENDED", "ended with exit status 7"), (call, peer)
    for peer in two_matrices("hang both", "--batch", "5", "--limit", "0.2"):
        assert peer["status"] == "PEER_TIMED_OUT" and peer["both_us"]["median"] is None, peer


def progress_on_a_terminal_alone():
    os.environ.update(WARPLU_PEERS=FAULTY, WARPLU_FAULT="none analyze")
    names = [diagonal("A.mtx"), diagonal("B.mtx")]
    table, shown = harness.run_on_a_terminal("bench", *names, "--peers", "klu-noscale", "--repeat", "3000")
    assert "1/2 A.mtx: " in shown and "2/2 B.mtx: " in shown and "50 %, about" in shown and "s left" in shown, shown
    assert shown.endswith("\r\033[K") and "\033" not in table
    assert run("bench", *names, "--peers", "klu-noscale", "--repeat", "3").err == ""


def no_process_stays():
    two_matrices("hang solve", "--limit", "0.2")
    os.environ.update(WARPLU_PEERS=FAULTY, WARPLU_FAULT="hang solve")
    child = subprocess.Popen([harness.WARPLU, "bench", diagonal("A.mtx"), "--peers", "klu-noscale"], cwd=harness.FOLDER.name)
    while not (peers := children_of(child.pid)):
        time.sleep(0.01)
    child.kill()
    child.wait()
    end = time.monotonic() + 10
    while any(os.path.exists(f"/proc/{pid}") for pid in peers):
        assert time.monotonic() < end, "a peer outlived the harness"
        time.sleep(0.01)


def state_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def children_of(pid):
    if not os.path.exists(f"/proc/{pid}/task/{pid}/children"):
        raise harness.tap.Skip("no /proc/PID/task/PID/children here")
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return file.read().split()


run_cases([without_a_fault, ends_anywhere, last_words_are_kept, more_storage_at_each_start, hangs_anywhere,
           both_as_one_call, a_limit_is_for_each_call, breaks_the_protocol, words_in_any_encoding, no_times_of_what_failed,
           standard_input_may_be_closed, sequences_say_how_a_peer_ended, sequences_that_fail_have_no_total,
           says_why_it_failed, wrong_answers_show, peers_rest_between_their_turns, orderings_as_asked, threads_as_asked, sequences, lives,
           the_run_is_described, missing_peers_have_a_line, a_plugin_by_hand, members_one_by_one, progress_on_a_terminal_alone,
           no_process_stays])
