#!/usr/bin/env python3
"""Every peer that this build has: right answers by each of its orderings, ours among them where it takes one, for first and
for changed values, on one thread and on two; a singular matrix is refused, shown to be wrong, or made regular and that
said. TAP on standard output.

    test_solvers.py WARPLU
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from harness import matrix_text, run, run_cases, write  # noqa: E402
from tap import Skip  # noqa: E402

N = 120
RANDOM = random.Random(5)
os.environ.pop("WARPLU_PEERS", None)


def dominant():
    """Unsymmetric, with a diagonal that every solver may pivot on."""
    entries = {(RANDOM.randrange(N), j): RANDOM.uniform(-1, 1) for j in range(N) for _ in range(3)}
    entries.update({(j, j): RANDOM.choice((-1, 1)) * RANDOM.uniform(5, 9) for j in range(N)})
    return entries


def changed(entries):
    return {place: value * RANDOM.uniform(0.5, 1.5) for place, value in entries.items()}


ENTRIES = dominant()
STEPS = [write("S0.mtx", matrix_text(N, N, ENTRIES))]
STEPS += [write(f"S{k}.mtx", matrix_text(N, N, changed(ENTRIES))) for k in (1, 2, 3)]


def built():
    lines = run("bench", "--list-peers").out.splitlines()
    return [line.split()[0] for line in lines if line[20:29].strip() == "built"]


def reports(*arguments, code=0):
    out = run("bench", "--json", "--repeat", "1", *arguments, code=code).out
    return [json.loads(line) for line in out.splitlines()[1:]]


def orderings_of(name):
    """What the peer itself says it has; None where it cannot run here."""
    peer = reports(STEPS[0], "--peers", name, "--peer-orderings", "none-such")[0]["peers"][0]
    if peer["status"] == "WARPLU_NO_DEVICE":
        assert peer["message"]
        return None
    assert peer["status"] == "WARPLU_INVALID_ARGUMENT" and "it has " in peer["message"], peer
    return peer["message"].split("it has ")[1].split(", ")


def check_steps(name, orderings):
    steps = reports("--sequence", *STEPS, "--peers", name, "--peer-orderings", ",".join(orderings), "--threads", "2")
    assert len(steps) == len(STEPS)
    for step in steps:
        for peer in step["peers"]:
            # SuperLU_MT 4.0 on two threads is wrong now and then, and shown to be.
            if name.startswith("superlu_mt") and peer["threads"] > 1 and peer["status"] == "WARPLU_INACCURATE":
                continue
            assert peer["status"] == "WARPLU_SUCCESS", peer
            assert peer["backward_error"] <= 1e-12 and peer["repivots"] == 0, peer
            assert peer["version"] and peer["ordering"], peer
            assert peer.get("lu_nnz", len(ENTRIES)) >= len(ENTRIES), peer
            assert peer["solve_ms"]["median"] > 0, peer
    return {peer["threads"] for peer in steps[0]["peers"]}


def solves_by_every_ordering(name):
    def case():
        orderings = orderings_of(name)
        if orderings is None:
            raise Skip("no device")
        probe = reports(STEPS[0], "--peers", name, "--peer-orderings", "ours")[0]["peers"][0]
        takes_ours = probe["status"] == "WARPLU_SUCCESS"
        assert takes_ours or probe["message"] == "it takes no given order", probe
        check_steps(name, ["default", "best"] + orderings + ["ours"] * takes_ours)

    case.__name__ = f"{name}_solves_by_every_ordering"
    return case


def says_singular(name):
    """Numerically singular, structurally not: an error, an answer that is shown to be worth nothing, or pivots that the
    peer says it replaced."""
    def case():
        if orderings_of(name) is None:
            raise Skip("no device")
        singular = {(i, j): 1.0 for i in (0, 1) for j in (0, 1)}
        singular.update({(i, i): 1.0 for i in range(2, 9)})
        write("singular.mtx", matrix_text(9, 9, singular))
        write("b.mtx", "%%MatrixMarket matrix array real general\n9 1\n" + "\n".join("123456789") + "\n")
        peer = reports("singular.mtx", "--peers", name, "--rhs", "b.mtx", code=1)[0]["peers"][0]
        assert peer["status"] not in ("WARPLU_NOT_COMPILED", "PEER_TIMED_OUT"), peer
        assert peer["status"] != "WARPLU_SUCCESS" or peer.get("perturbed", 0) > 0, peer

    case.__name__ = f"{name}_shows_a_singular_matrix"
    return case


NAMES = built()
assert "warplu" in NAMES
run_cases([make(name) for name in NAMES for make in (solves_by_every_ordering, says_singular)])
