#!/usr/bin/env python3
"""benchmarks/paper.py: on the command line, and on a program that answers what it is told to, so that peers, devices and
failures are there without the libraries. The scripts run from a copy: a collection beside them plays no part.
Standard library only; TAP on standard output. Usage: test_paper.py WARPLU SCRIPT"""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys

from harness import WARPLU, matrix_text, path, run, run_cases, write

SOURCE = os.path.dirname(os.path.abspath(sys.argv[2]))
SCRIPT = path("copy/benchmarks/paper.py")
COLLECTION = path("copy/matrices/collection")
SMALL = {(0, 0): 2, (1, 1): 3, (1, 0): 1}
# Answers by what stands in fake.json; every call is kept in calls.
FAKE = """#!%s
import json, os, signal, sys, time
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "calls"), "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
with open(os.path.join(here, "fake.json")) as file:
    answers = json.load(file)
kind = "help" if "--help" in sys.argv else sys.argv[1] + ("-unsplit" if "--unsplit" in sys.argv else "")
if kind == "gen":
    with open(sys.argv[sys.argv.index("--output") + 1], "w") as file:
        file.write(answers["gen"])
    sys.exit(0)
matrix = os.path.basename(sys.argv[2]) if len(sys.argv) > 2 else ""
answer = answers.get(kind + " " + matrix, answers.get(kind))
time.sleep(answer.get("sleep", 0))
sys.stdout.write(answer.get("out", ""))
sys.stdout.flush()
sys.stderr.write(answer.get("err", ""))
if answer.get("kill"):
    os.kill(os.getpid(), signal.SIGKILL)
sys.exit(answer.get("code", 0))
""" % sys.executable


def paper(*arguments, code=0, warplu=WARPLU):
    done = subprocess.run([sys.executable, SCRIPT, "--warplu", warplu, "--matrices", path("m")] + [str(a) for a in arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100, check=False)
    assert done.returncode == code, f"exit {done.returncode}, expected {code}\n{done.stdout}\n{done.stderr}"
    assert (code == 0) == (done.stderr == ""), done.stderr
    return done if code else done.stdout


def tables(*arguments, **more):
    return json.loads(paper(*arguments, "--json", **more))["tables"]


def table(*arguments, **more):
    found = tables(*arguments, **more)
    assert len(found) == 1
    return found[0]


def rows_of(found, matrix):
    return [row for row in found["rows"] if row["matrix"] == matrix]


def row_of(found, matrix, source):
    rows = [row for row in rows_of(found, matrix) if row["source"] == source]
    assert len(rows) == 1, (source, [row["source"] for row in rows_of(found, matrix)])
    return rows[0]


def noted(found, *words):
    return [note for note in found["notes"] if all(word in note for word in words)]


def matrices(**files):
    """Puts files, and nothing else, into the folder of matrices."""
    shutil.rmtree(path("m"), ignore_errors=True)
    os.makedirs(path("m"))
    for name, entries in files.items():
        n = 1 + max(max(place) for place in entries)
        write(f"m/{name}.mtx", matrix_text(n, n, entries))


# ----------------------------------------------------- on the command line

def the_paper_stands_without_matrices():
    matrices()
    for number in "345678":
        found = table(number, "--only", "circuit_4")
        assert noted(found, "circuit_4: missing", "matrices/fetch Bomhof/circuit_4"), found
        assert found["rows"] and all(row["source"].startswith("paper") for row in found["rows"])
    found = table(3, "--only", "memplus")
    assert noted(found, "memplus: missing", "matrices/fetch Hamm/memplus")
    assert rows_of(found, "memplus") == [{
        "matrix": "memplus", "source": "paper", "n": 17758, "nnz": 99147, "instructions": 1238173, "unsplit": 884,
        "split": 1063, "longest": 38173, "longest_split": 38173}]
    rows = table(5, "--only", "circuit_3")["rows"]
    assert [rows[0][key] for key in ("least", "mean", "best", "least_split", "mean_split", "best_split")] == [
        47.6, 71.1, 100, 86.2, 98.9, 100]


def random_is_drawn():
    matrices()
    found = table(3, "--only", "Random", "--orderings", "auto,colamd")
    run("gen", "random", "--size", "8000", "--output", path("drawn.mtx"))
    for took, options in (("auto: ", ()), ("colamd, one block", ("--ordering", "colamd", "--no-btf"))):
        scalar = json.loads(run("info", path("drawn.mtx"), "--json", *options).out)["scalar_program"]
        row = next(row for row in found["rows"] if row["source"].startswith(took))
        assert (row["n"], row["nnz"], row["instructions"]) == (8000, 16000, scalar["instructions"])
        assert (row["unsplit"], row["split"]) == (scalar["vectors_unsplit"], scalar["vectors_split"])
        assert (row["longest"], row["longest_split"]) == (scalar["longest_unsplit"], scalar["longest_split"])
        assert row["share"] == scalar["instructions"] / 23642
    assert noted(found, "Random: drawn here") and not noted(found, "Random: 8000 unknowns")


def explicit_zeros_are_dropped():
    matrices(add32={**SMALL, (0, 1): 0})
    found = table(3, "--only", "add32", "--orderings", "natural")
    assert row_of(found, "add32", "natural, one block")["nnz"] == 3
    assert noted(found, "add32: 1 explicit zeros") and noted(found, "2 unknowns and 3 entries here, 4960 and 19848")
    found = table(3, "--only", "add32", "--orderings", "natural", "--keep-zeros")
    assert row_of(found, "add32", "natural, one block")["nnz"] == 4 and not noted(found, "explicit zeros")


def files_by_every_name():
    text = matrix_text(2, 2, SMALL)
    for name in ("m/add32.mtx.gz", "m/Hamm__add32.mtx", "copy/matrices/collection/add32.mtx.gz"):
        matrices()
        shutil.rmtree(COLLECTION, ignore_errors=True)
        os.makedirs(COLLECTION)
        with (gzip.open if name.endswith("gz") else open)(path(name), "wt") as file:
            file.write(text)
        assert row_of(table(3, "--only", "add32", "--orderings", "amd"), "add32", "amd, one block")["nnz"] == 3
    shutil.rmtree(COLLECTION)


def divisions_and_short_vectors():
    matrices(memplus=SMALL)
    found = table(6, "--only", "memplus", "--ordering", "natural")
    row = row_of(found, "memplus", "warplu, natural")
    # two blocks: MSUB y1, and a DIV by either pivot
    assert (row["instructions"], row["divisions"]) == (3, 2) and abs(row["share"] - 200 / 3) < 1e-12
    assert row["short"] == row["vectors"] > 0 and row["short_share"] == 100
    ours = row_of(found, "memplus", "paper")
    assert (ours["share"], ours["short_share"]) == (5.7, 19)


def cpu_times_in_a_run():
    matrices(add32=SMALL)
    found = table(4, "--only", "add32", "--repeat", 2)
    for name in ("reference", "cpu"):
        row = row_of(found, "add32", f"warplu {name}, CPU")
        assert all(0 < row[form]["min"] <= row[form]["median"] <= row[form]["max"] for form in ("unsplit", "split"))


def text_is_aligned():
    matrices(add32=SMALL)
    lines = paper(3, "--only", "add32", "--orderings", "auto,natural").splitlines()
    head = next(k for k, line in enumerate(lines) if line.startswith("matrix"))
    assert lines[0].startswith("Table 3.") and len({len(line) for line in lines[head:head + 4]}) == 1, lines
    assert lines[head + 1].startswith("add32 ") and lines[head + 2].startswith("      ")
    assert [line.split()[-5] for line in lines[head + 1:head + 3]] == ["-", lines[head + 2].split()[-5]]
    assert any(line.startswith("* ") for line in lines)


# ------------------------------------------------------- on canned answers

def loop(median):
    return {"min": median / 2, "median": median, "max": 2 * median, "repeats": 3}


def entry(name, refactor=None, solve=None, **more):
    made = {"name": name, "threads": 1, "status": "WARPLU_SUCCESS", "analyze_ms": 1, "factor_ms": 2, "compile_ms": 4,
            "refactor_ms": loop(refactor) if refactor else {"min": None, "median": None, "max": None},
            "solve_ms": loop(solve) if solve else {"min": None, "median": None, "max": None}, "backward_error": 1e-16}
    return {**made, **more}


def bench_answer(executors, peers=(), status="WARPLU_SUCCESS", **more):
    record = {"run": "warplu bench", "version": "9.9", "machine": {"processor": "Abacus", "cores": 3}, "peers": []}
    matrix = {"matrix": "x", "n": 2, "nnz": 3, "status": status, "ordering": "amd", "executors": executors,
              "peers": list(peers), **more}
    return {"out": json.dumps(record) + "\n" + json.dumps(matrix) + "\n", "code": 0 if status == "WARPLU_SUCCESS" else 1}


def warps(base):
    return {"passes": 10 * base, "most_passes": 7 * base, "least_filling": 0.125, "mean_filling": 0.25, "best_filling": 0.5,
            "least_agreement": 0.5, "mean_agreement": 0.75, "best_agreement": 1.0}


INFO = {"n": 2, "nnz": 3, "status": "WARPLU_SUCCESS", "ordering": "amd", "scalar_program": {
    "instructions": 50, "divisions": 10, "vectors_unsplit": 4, "vectors_split": 5, "longest_unsplit": 9, "longest_split": 8,
    "widths": [{"width": "8..15", "vectors": 2}, {"width": "16..31", "vectors": 1}, {"width": "32..63", "vectors": 2}],
    "warps_unsplit": warps(2), "warps_split": warps(1)}}
HELP = "      --executors LIST   of auto, reference, cpu{}, comma-separated (auto)\n"


def fake(**answers):
    """A program with these answers; the folder of matrices has add32 and memplus."""
    matrices(add32=SMALL, memplus=SMALL)
    defaults = {"help": {"out": HELP.format("")}, "info": {"out": json.dumps(INFO)}, "gen": matrix_text(2, 2, SMALL)}
    write("fake.json", json.dumps({**defaults, **answers}))
    write("fake", FAKE)
    os.chmod(path("fake"), 0o755)
    write("calls", "")
    return path("fake")


def calls(command):
    with open(path("calls")) as file:
        return [call for call in map(json.loads, file) if call[0] == command and "--help" not in call]


def superlu_mt_beside():
    peers = [entry("superlu_mt", 30, 10, threads=6, ordering="colamd", ordering_asked="colamd", version="SuperLU_MT 4",
                   about="as it is"),
             entry("superlu_mt", 6, 2, threads=6, ordering="mmd", ordering_asked="best", factor_ms=14),
             entry("superlu_mt", threads=6, ordering_asked="colamd", status="PEER_ENDED", message="signal 11")]
    program = fake(bench=bench_answer([entry("cpu", 3, 1), entry("cpu", 1, 1, threads=6)], peers))
    found = table(7, "--only", "memplus", "--threads", "6", warplu=program)
    best = row_of(found, "memplus", "superlu_mt, best: mmd")
    failed = rows_of(found, "memplus")[-1]
    colamd = next(row for row in rows_of(found, "memplus") if row.get("total") == 40)
    assert colamd["source"] == "superlu_mt, colamd" and colamd["ratio"] == 20 and colamd["anew"] == 6
    assert best["total"] == 8 and best["ratio"] == 4 and best["anew"] == 8 and best["threads"] == 6
    assert failed["status"] == "PEER_ENDED: signal 11" and "ratio" not in failed
    ours = [row for row in rows_of(found, "memplus") if row["source"] == "warplu cpu, amd"]
    assert [(row["threads"], row["total"], row["ratio"], row["setup"]) for row in ours] == [(1, 4, 2, 7), (6, 2, 1, 7)]
    assert ours[0]["refactor"] == {"min": 1.5, "median": 3, "max": 6} and ours[0]["error"] == 1e-16
    theirs = row_of(found, "memplus", "paper, SuperLU_MT")
    assert (theirs["total"], theirs["ratio"], theirs["threads"]) == (299.54, 152.82, 6)
    assert row_of(found, "memplus", "paper, replay on GPU")["total"] == 1.96
    assert noted(found, "superlu_mt: as it is; SuperLU_MT 4") and noted(found, "warplu 9.9 on Abacus, 3 cores")
    asked = " ".join(calls("bench")[0])
    assert "--peers superlu_mt --peer-orderings colamd,best" in asked and "--threads 6" in asked
    assert "out of memory" in paper(7, "--only", "circuit_4", warplu=program)


def missing_peers_are_said_once():
    lacks = [entry(name, status="WARPLU_NOT_COMPILED", message="build it so") for name in ("superlu_mt", "superlu_mt")]
    found = table(7, warplu=fake(bench=bench_answer([entry("cpu", 3, 1)], lacks)))
    assert len(noted(found, "superlu_mt: missing; build it so")) == 1
    assert not any(row["source"].startswith("superlu_mt") for row in found["rows"])
    assert row_of(found, "add32", "warplu cpu, amd")["total"] == row_of(found, "memplus", "warplu cpu, amd")["total"] == 4


def threads_that_warplu_lacks_are_left_out():
    lacks = entry("cpu", threads=2, status="WARPLU_THREADS_UNSUPPORTED", message="not yet")
    found = table(7, "--only", "add32", warplu=fake(bench=bench_answer([entry("cpu", 3, 1), lacks])))
    assert [row["threads"] for row in rows_of(found, "add32") if row["source"].startswith("warplu")] == [1]


def dense_without_a_device():
    none = entry("cusolver-dense", ordering_asked="default", status="WARPLU_NO_DEVICE", message="no GPU")
    program = fake(bench=bench_answer([entry("cpu", 3, 1)], [none]))
    found = table(8, "--only", "add32", warplu=program)
    assert row_of(found, "add32", "cusolver-dense, default")["status"] == "WARPLU_NO_DEVICE: no GPU"
    dense = row_of(found, "add32", "paper, dense (CULA)")
    assert dense["total"] == 188 and abs(dense["ratio"] - 188 / 0.31) < 1e-9
    assert "--peers cusolver-dense" in " ".join(calls("bench")[0])


def split_against_unsplit():
    answers = {"bench": bench_answer([entry("reference", 20, 2), entry("cpu", 10, 1)]),
               "bench-unsplit": bench_answer([entry("reference", 40, 4), entry("cpu", 30, 3)])}
    found = table(4, "--only", "add32", warplu=fake(**answers))
    for name, unsplit, split in (("reference", 44, 22), ("cpu", 33, 11)):
        row = row_of(found, "add32", f"warplu {name}, CPU")
        assert row["unsplit"] == {"min": unsplit / 2, "median": unsplit, "max": 2 * unsplit}
        assert row["split"]["median"] == split
    passes = row_of(found, "add32", "passes, counted")
    assert (passes["mean"], passes["most"], passes["mean_split"], passes["most_split"]) == (5, 14, 2, 7)
    assert row_of(found, "add32", "warplu, GPU")["status"] == "needs the CUDA back end"
    figures = row_of(found, "add32", "paper, GPU")
    assert [figures[key] for key in ("unsplit", "split", "mean", "most", "mean_split", "most_split")] == [
        0.32, 0.31, 105, 1989, 43, 640]
    assert all("reference,cpu" in call for call in calls("bench"))


def a_gpu_once_it_is_there():
    executors = [entry("cpu", 10, 1), entry("cuda", 1, 1)]
    answers = {"help": {"out": HELP.format(",\n                         cuda")}, "bench": bench_answer(executors),
               "bench-unsplit": bench_answer(executors)}
    program = fake(**answers)
    found = table(4, "--only", "add32", warplu=program)
    assert row_of(found, "add32", "warplu cuda, GPU")["split"]["median"] == 2 and "needs the CUDA" not in json.dumps(found)
    assert "reference,cpu,cuda" in calls("bench")[0]
    assert "needs the CUDA" not in json.dumps(table(5, "--only", "add32", warplu=program))
    executors[1] = entry("cuda", status="WARPLU_NO_DEVICE", message="no GPU")
    answers["bench"] = answers["bench-unsplit"] = bench_answer(executors)
    assert row_of(table(4, "--only", "add32", warplu=fake(**answers)), "add32", "warplu cuda, GPU")["status"] == (
        "WARPLU_NO_DEVICE: no GPU")


def efficiency_from_counts():
    answer = json.loads(json.dumps(INFO))
    answer["scalar_program"]["warps_split"]["mean_agreement"] = 1.0
    found = table(5, "--only", "add32", warplu=fake(info={"out": json.dumps(answer)}))
    row = row_of(found, "add32", "agreement, counted")
    assert (row["least"], row["mean"], row["best"], row["mean_split"]) == (50, 75, 100, 100)
    row = row_of(found, "add32", "filling, counted")
    assert (row["least"], row["mean"], row["best"], row["mean_split"]) == (12.5, 25, 50, 25)
    assert "needs the CUDA back end" in row_of(found, "add32", "warplu, measured")["status"]


def shares_from_counts():
    row = row_of(table(6, "--only", "add32", warplu=fake()), "add32", "warplu, amd")
    assert (row["share"], row["vectors"], row["short"], row["short_share"]) == (20, 5, 3, 60)


def all_of_them():
    program = fake(**{"bench": bench_answer([entry("cpu", 3, 1)]), "bench-unsplit": bench_answer([entry("cpu", 3, 1)])})
    assert [found["table"] for found in tables("all", warplu=program)] == [3, 4, 5, 6, 7, 8]
    assert re.findall(r"^Table (\d)", paper("all", warplu=program), re.M) == list("345678")


def long_counts_are_given_up():
    found = table(6, "--only", "add32", "--limit", 1, warplu=fake(info={"sleep": 20}))
    assert noted(found, "add32", "not counted within 1 s") and len(found["rows"]) == 1
    skipped = {**INFO, "scalar_program": {"skipped": "too long"}}
    assert noted(table(6, "--only", "add32", warplu=fake(info={"out": json.dumps(skipped)})), "not counted: too long")


# ------------------------------------------------------------------ failures

def failures_of_a_matrix_keep_its_line():
    singular = {**INFO, "status": "WARPLU_SINGULAR", "message": "column 1"}
    done = paper(6, warplu=fake(**{"info add32.mtx": {"out": json.dumps(singular)}}), code=1)
    assert "WARPLU_SINGULAR: column 1" in done.stdout and "warplu, amd" in done.stdout
    assert done.stderr == "paper: warplu failed on a matrix; see its line\n"
    failed = bench_answer([], status="WARPLU_OUT_OF_MEMORY", message="no room")
    answers = {"bench": bench_answer([entry("cpu", 3, 1)]), "bench memplus.mtx": failed}
    for number in "78":
        done = paper(number, warplu=fake(**answers), code=1)
        assert "WARPLU_OUT_OF_MEMORY: no room" in done.stdout and "warplu cpu, amd" in done.stdout
    done = paper(4, "--only", "add32", code=1, warplu=fake(**{
        "bench": bench_answer([entry("cpu", 3, 1)]),
        "bench-unsplit": bench_answer([entry("cpu", status="WARPLU_INTERNAL", message="why")])}))
    assert "WARPLU_INTERNAL: why" in done.stdout


def programs_that_break():
    assert "nowhere: No such file" in paper(3, "--only", "Random", code=1, warplu=path("nowhere")).stderr
    broken = {"info": ({"kill": True}, "signal 9"), "bench": ({"err": "warplu: bad\n", "code": 2}, "exit 2: warplu: bad")}
    for command, (answer, reason) in broken.items():
        done = paper(6 if command == "info" else 7, "--only", "add32", code=1, warplu=fake(**{command: answer}))
        assert done.stderr.startswith("paper: ") and reason in done.stderr and done.stderr.count("\n") == 1, done.stderr
    for answer in ({"out": "nonsense"}, {"out": "[1]"}):
        assert "warplu info: no JSON" in paper(6, "--only", "add32", code=1, warplu=fake(info=answer)).stderr
    killed = {**bench_answer([entry("cpu", 3, 1)]), "kill": True}
    assert "signal 9" in paper(7, "--only", "add32", code=1, warplu=fake(bench=killed)).stderr
    assert "names no executors" in paper(4, "--only", "add32", code=1, warplu=fake(help={"out": "?"})).stderr
    write("m/add32.mtx", "not a matrix\n")
    assert "exit 1" in paper(7, "--only", "add32", code=1).stderr or "WARPLU_" in paper(7, "--only", "add32", code=1).stdout


def usage():
    for arguments in (("9",), ("7", "--threads", "0"), (), ("3", "--only", "nobody")):
        assert "usage:" in paper(*arguments, code=2).stderr


os.makedirs(os.path.dirname(SCRIPT))
for file_name in os.listdir(SOURCE):
    if re.fullmatch(r"paper\w*\.py", file_name):
        shutil.copy(os.path.join(SOURCE, file_name), os.path.dirname(SCRIPT))
shutil.copytree(os.path.join(SOURCE, "paper"), os.path.join(os.path.dirname(SCRIPT), "paper"))
run_cases([the_paper_stands_without_matrices, random_is_drawn, explicit_zeros_are_dropped, files_by_every_name,
           divisions_and_short_vectors, cpu_times_in_a_run, text_is_aligned, superlu_mt_beside, missing_peers_are_said_once,
           threads_that_warplu_lacks_are_left_out, dense_without_a_device, split_against_unsplit, a_gpu_once_it_is_there,
           efficiency_from_counts, shares_from_counts, all_of_them, long_counts_are_given_up,
           failures_of_a_matrix_keep_its_line, programs_that_break, usage])
