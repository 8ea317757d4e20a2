#!/usr/bin/env python3
"""Every peer that this build has: right answers by each of its orderings, ours among them where it takes one, for first and
for changed values and for batches, on one thread and on two; a singular matrix is refused, shown to be wrong, or made regular and that
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
    """What the peer itself says it has."""
    peer = reports(STEPS[0], "--peers", name, "--peer-orderings", "none-such")[0]["peers"][0]
    if peer["status"] == "WARPLU_NO_DEVICE":
        raise Skip(peer["message"])
    assert peer["status"] == "WARPLU_INVALID_ARGUMENT" and "it has " in peer["message"], peer
    return peer["message"].split("it has ")[1].split(", ")


def solves_nothing(peer):
    """GLU's program factors, and takes no right-hand side."""
    return peer["status"] == "WARPLU_NOT_COMPILED" and peer["refactor_ms"]["median"] is not None


def check_peer(peer):
    # SuperLU_MT 4.0 on two threads is wrong now and then; it is shown to be, or has factored anew.
    if peer["library"] == "superlu_mt" and peer["threads"] > 1:
        assert peer["status"] in ("WARPLU_SUCCESS", "WARPLU_INACCURATE"), peer
        return
    # cuDSS has no deterministic mode for its column orderings.
    if peer["name"] == "cudss-deterministic" and "colamd" in peer["ordering_asked"]:
        assert peer["status"] == "WARPLU_SUCCESS" or "NOT_SUPPORTED" in peer["message"], peer
        return
    assert peer["status"] == "WARPLU_SUCCESS", peer
    assert peer["backward_error"] <= 1e-12 and peer["repivots"] == 0, peer
    assert peer["version"] and peer["ordering"], peer
    assert peer.get("lu_nnz", len(ENTRIES)) >= len(ENTRIES), peer
    assert peer["solve_ms"]["median"] > 0, peer


def solves_by_every_ordering(name):
    def case():
        orderings = orderings_of(name)
        probe = reports(STEPS[0], "--peers", name, "--peer-orderings", "default,ours")[0]["peers"]
        if probe[0]["status"] == "WARPLU_NO_DEVICE":
            raise Skip(probe[0]["message"])
        if solves_nothing(probe[0]):
            return
        takes_ours = probe[1]["status"] == "WARPLU_SUCCESS"
        assert takes_ours or probe[1]["message"] == "it takes no given order", probe[1]
        wanted = ",".join(["default", "best"] + orderings + ["ours"] * takes_ours)
        steps = reports("--sequence", *STEPS, "--peers", name, "--peer-orderings", wanted, "--threads", "2")
        assert len(steps) == len(STEPS)
        for step in steps:
            for peer in step["peers"]:
                check_peer(peer)

    case.__name__ = f"{name}_solves_by_every_ordering"
    return case


def says_singular(name):
    """Numerically singular, structurally not: an error, an answer that is shown to be worth nothing, or pivots that the
    peer says it replaced."""
    def case():
        orderings_of(name)
        singular = {(i, j): 1.0 for i in (0, 1) for j in (0, 1)}
        singular.update({(i, i): 1.0 for i in range(2, 9)})
        write("singular.mtx", matrix_text(9, 9, singular))
        write("b.mtx", "%%MatrixMarket matrix array real general\n9 1\n" + "\n".join("123456789") + "\n")
        peer = reports("singular.mtx", "--peers", name, "--rhs", "b.mtx", code=1)[0]["peers"][0]
        assert peer["status"] not in ("WARPLU_NOT_COMPILED", "PEER_TIMED_OUT"), peer
        assert peer["status"] != "WARPLU_SUCCESS" or peer.get("perturbed", 0) > 0, peer

    case.__name__ = f"{name}_shows_a_singular_matrix"
    return case


def solves_batches(name):
    """Members at once or one by one, on one thread and, of who can, on two."""
    def case():
        peers = reports(STEPS[0], "--batch", "7", "--executors", "reference", "--threads", "2", "--peers", name)[0]["peers"]
        for peer in peers:
            if peer["status"] == "WARPLU_NO_DEVICE":
                raise Skip(peer["message"])
            # cuDSS has no matching in uniform batches, GLU's program no solve.
            if "NOT_SUPPORTED" in peer.get("message", "") or peer["status"] == "WARPLU_NOT_COMPILED":
                continue
            if peer["library"] == "superlu_mt" and peer["threads"] > 1:
                continue
            assert peer["status"] == "WARPLU_SUCCESS" and peer["inaccurate_members"] == 0, peer
            assert peer["backward_error"] <= 1e-12 and peer["refactor_us"]["median"] > 0 and peer["both_us"]["median"] > 0, peer

    case.__name__ = f"{name}_solves_batches"
    return case


NAMES = built()
assert "warplu" in NAMES
run_cases([make(name) for name in NAMES for make in (solves_by_every_ordering, says_singular, solves_batches)])
