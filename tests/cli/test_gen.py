#!/usr/bin/env python3
"""warplu gen from the outside: every kind parses, has the size and the structure it promises, is reproducible
from its seed and keeps its pattern over a sequence; usage errors and unwritable files end as documented.
Standard library only; TAP on standard output. Usage: test_gen.py WARPLU"""

import gzip
import json
import os
import subprocess
import sys
import tempfile

KINDS = ("powergrid", "ladder", "memory", "mesh2d", "mesh3d", "random")
EXACT = ("ladder", "random")  # n is the size asked for
SIZES = (16, 100, 1000, 5000)

warplu = sys.argv[1]
cases = []


def case(function):
    cases.append(function)
    return function


def run(*arguments, code=0):
    """Runs warplu, checks its exit code and that it complains exactly when it fails; (stdout, stderr)."""
    done = subprocess.run([warplu, *arguments], capture_output=True, timeout=300)
    error = done.stderr.decode()
    assert done.returncode == code, f"{arguments}: exit {done.returncode}, expected {code}: {error}"
    if code != 0:
        assert error.startswith("warplu: ") and error.count("\n") == 1, f"{arguments}: stderr {error!r}"
        assert done.stdout == b"", f"{arguments}: stdout {done.stdout[:80]!r}"
    return done.stdout, error


def parse(data):
    """A coordinate file: (n, {(row, column): value}), with everything the format promises checked."""
    lines = data.decode("ascii").splitlines()
    assert lines[0] == "%%MatrixMarket matrix coordinate real general", lines[0]
    body = [line for line in lines[1:] if not line.startswith("%")]
    rows, cols, count = map(int, body[0].split())
    assert rows == cols and count == len(body) - 1
    entries = {}
    for line in body[1:]:
        row, col, value = line.split()
        key = int(row), int(col)
        assert 1 <= key[0] <= rows and 1 <= key[1] <= cols and key not in entries
        entries[key] = float(value)
        assert abs(entries[key]) < 1e300
    return rows, entries


def parse_array(data):
    lines = data.decode("ascii").splitlines()
    assert lines[0] == "%%MatrixMarket matrix array real general", lines[0]
    body = [line for line in lines[1:] if not line.startswith("%")]
    assert body[0].split()[1] == "1" and int(body[0].split()[0]) == len(body) - 1
    return [float(line) for line in body[1:]]


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if path.endswith(".gz") else data


def generate(kind, size, *arguments):
    return parse(run("gen", kind, "--size", str(size), *arguments)[0])


def matchable(n, entries):
    """Whether the nonzeros hold a perfect matching (Kuhn's algorithm, without recursion, for small n)."""
    columns = [[] for _ in range(n)]
    for (row, col), value in entries.items():
        if value != 0:
            columns[col - 1].append(row - 1)
    row_of, col_of = [-1] * n, [-1] * n
    for start in range(n):
        parent, queue, free = {}, [start], -1
        for col in queue:
            for row in columns[col]:
                if row in parent:
                    continue
                parent[row] = col
                if col_of[row] < 0:
                    free = row
                    break
                queue.append(col_of[row])
            if free >= 0:
                break
        if free < 0:
            return False
        while free >= 0:
            col = parent[free]
            before = row_of[col]
            row_of[col], col_of[free] = free, col
            free = before
    return True


def factors(n, entries):
    """Smallest pivot over largest value of dense elimination with partial pivoting."""
    a = [[0.0] * n for _ in range(n)]
    for (row, col), value in entries.items():
        a[row - 1][col - 1] = value
    smallest = largest = max(abs(v) for v in entries.values())
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[p] = a[p], a[k]
        smallest = min(smallest, abs(a[k][k]))
        if smallest == 0:
            return 0.0
        for i in range(k + 1, n):
            if a[i][k] != 0:
                factor = a[i][k] / a[k][k]
                row, top = a[i], a[k]
                for j in range(k, n):
                    row[j] -= factor * top[j]
    return smallest / largest


@case
def complex_values_are_the_real_ones_turned():
    """a (1 + i t): real parts are those of the real matrix, t is by place alone, in [-1, 1], and nowhere near constant."""
    turns = {}
    for seed in "1", "2":
        n, entries = generate("random", 200, "--seed", seed)
        data, _ = run("gen", "random", "--size", "200", "--seed", seed, "--complex")
        lines = data.decode("ascii").splitlines()
        assert lines[0] == "%%MatrixMarket matrix coordinate complex general" and "--complex" in lines[1], lines[:2]
        found = {(int(i), int(j)): (float(re), float(im)) for i, j, re, im in (line.split() for line in lines[3:])}
        assert found.keys() == entries.keys() and lines[2].split()[0] == str(n)
        for place, (re, im) in found.items():
            assert re == entries[place] and abs(im) <= abs(re)
            if re != 0:
                t = im / re
                assert abs(turns.setdefault(place, t) - t) <= 1e-15
    mean = sum(turns.values()) / len(turns)
    spread = sum((t - mean)**2 for t in turns.values()) / len(turns)
    assert abs(mean) < 0.2 and abs(spread - 1 / 3) < 0.1, (mean, spread)
    report = json.loads(run("gen", "ladder", "--size", "10", "--complex", "--json", "-o", os.devnull)[0])
    assert report["complex"] is True, report


@case
def every_kind_has_the_size_asked_for():
    for kind in KINDS:
        for size in SIZES:
            n, entries = generate(kind, size)
            slack = 0 if kind in EXACT else 2 + 0.45 * size if size < 50 else 0.08 * size
            assert abs(n - size) <= slack, f"{kind} --size {size}: n {n}"
            assert len({row for row, _ in entries}) == n and len({col for _, col in entries}) == n


@case
def small_ones_are_nonsingular():
    for kind in KINDS:
        for seed in ("1", "2", "3"):
            n, entries = generate(kind, 60, "--seed", seed)
            assert matchable(n, entries), f"{kind} seed {seed}: structurally singular"
            ratio = factors(n, entries)
            assert ratio > 1e-9, f"{kind} seed {seed}: pivot ratio {ratio}"


@case
def larger_ones_have_a_zero_free_transversal():
    for kind, options in (("memory", ()), ("powergrid", ("--sources",))):
        n, entries = generate(kind, 2000, *options)
        assert matchable(n, entries), kind


@case
def meshes_and_ladder_have_their_stencils():
    n, entries = generate("mesh2d", 900)
    assert n == 900 and len(entries) == 900 + 2 * 2 * 29 * 30
    n, entries = generate("mesh3d", 1000)
    assert n == 1000 and len(entries) == 1000 + 2 * 3 * 9 * 100
    for (row, col), value in entries.items():
        assert (value > 0) == (row == col) and entries[col, row] == value
    n, entries = generate("ladder", 50)
    assert len(entries) == 49 + 2 * 48 + 2 and (50, 50) not in entries
    assert all(abs(row - col) <= 1 or 50 in (row, col) for row, col in entries)


@case
def random_pattern_of_the_paper():
    n, entries = generate("random", 8000)
    assert n == 8000 and len(entries) == 16000
    assert all((k, k) in entries for k in range(1, n + 1))
    n, entries = generate("random", 1000, "--density", "2.5")
    assert len(entries) == 3500
    n, entries = generate("random", 40, "--density", "19.5")
    assert len(entries) == 40 + 780


@case
def memory_is_unsymmetric_with_zero_diagonals():
    n, entries = generate("memory", 2000)
    assert sum(1 for k in range(1, n + 1) if entries.get((k, k), 0) == 0) > 10
    assert any((col, row) not in entries for row, col in entries)
    assert any(entries.get((col, row)) != value for (row, col), value in entries.items())


@case
def powergrid_has_layers_and_sources():
    patterns = set()
    for layers in ("2", "4", "9"):
        n, entries = generate("powergrid", 1500, "--layers", layers)
        assert abs(n - 1500) < 80
        patterns.add(frozenset(entries))
        assert all(abs(entries[col, row] - value) == 0 for (row, col), value in entries.items())
        assert all((k, k) in entries for k in range(1, n + 1))
    assert len(patterns) == 3
    n, entries = generate("powergrid", 1500, "--sources")
    branches = [k for k in range(1, n + 1) if (k, k) not in entries]
    assert branches and all(sum(1 for row, _ in entries if row == k) == 1 for k in branches)


@case
def same_seed_same_bytes():
    for kind in KINDS:
        first = run("gen", kind, "--size", "800", "--seed", "7")[0]
        assert first == run("gen", kind, "--size", "800", "--seed", "7")[0], kind
        assert first == run("gen", "--seed=7", "--size=800", "--output", "-", kind)[0], kind
        assert first != run("gen", kind, "--size", "800", "--seed", "8")[0], kind
        values = parse(first)[1].values()
        assert list(values) != list(generate(kind, 800, "--seed", "18446744073709551615")[1].values()), kind
    assert run("gen", "mesh2d", "--size", "9")[0] == run("gen", "mesh2d", "--size", "9", "--seed", "1")[0]


@case
def sequences_keep_their_pattern():
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            out, rhs = os.path.join(folder, kind + ".mtx"), os.path.join(folder, kind + "_b.mtx.gz")
            run("gen", kind, "--size", "700", "--steps", "10", "--output", out, "--rhs", rhs)
            steps = [parse(read(out[:-4] + f"_{k:03d}.mtx")) for k in range(10)]
            sides = [parse_array(read(rhs[:-7] + f"_{k:03d}.mtx.gz")) for k in range(10)]
            assert not os.path.exists(out) and not os.path.exists(rhs)
            assert all(list(entries) == list(steps[0][1]) for _, entries in steps), kind
            values = {tuple(entries.values()) for _, entries in steps}
            assert len(values) == 10, f"{kind}: {len(values)} different steps of 10"
            assert all(len(side) == steps[0][0] for side in sides)
            alone = generate(kind, 700)
            assert list(alone[1].items()) == list(steps[0][1].items()), f"{kind}: step 0 is not the matrix alone"
        zeros = [{key for key, v in entries.items() if v == 0}
                 for _, entries in (parse(read(os.path.join(folder, f"memory_{k:03d}.mtx"))) for k in range(4))]
        assert zeros[0] and len({frozenset(z) for z in zeros}) > 1, "no transistor changes its region"


@case
def gzip_holds_the_same_matrix():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.mtx.gz")
        run("gen", "mesh2d", "--size", "400", "--output", path)
        with open(path, "rb") as file:
            assert file.read(2) == b"\x1f\x8b"
        assert read(path) == run("gen", "mesh2d", "--size", "400")[0]


@case
def reports():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'a "b".mtx')
        out, error = run("gen", "powergrid", "--size", "300", "--seed", "18446744073709551615", "--json",
                         "--output", path, "--steps", "2")
        report = json.loads(out)
        assert error == "" and report["kind"] == "powergrid" and report["steps"] == 2
        assert report["seed"] == 2**64 - 1 and report["layers"] == 4 and report["sources"] is False
        for name in report["matrices"]:
            n, entries = parse(read(name))
            assert (n, len(entries)) == (report["n"], report["nnz"])
        out, error = run("gen", "random", "--size", "30", "--json")
        assert json.loads(error)["n"] == parse(out)[0] == 30
        out, error = run("gen", "random", "--size", "30")
        assert error == "warplu: random: n 30, nnz 60, 1 step\n", error


@case
def help_and_version():
    out = run("--help")[0].decode()
    assert out.startswith("Usage: warplu ") and "\n  gen " in out
    assert run("--version")[0].decode().startswith("warplu ")
    out = run("gen", "--help")[0].decode()
    assert out.startswith("Usage: warplu gen ") and all(kind in out for kind in KINDS)
    for name in ("size", "seed", "steps", "output", "rhs", "layers", "sources", "density", "json", "help"):
        assert "--" + name in out, name


@case
def usage_errors():
    def usage(expected, *arguments):
        error = run(*arguments, code=2)[1]
        assert expected in error, f"{arguments}: {error!r} lacks {expected!r}"

    usage("expected a command")
    usage("did you mean 'gen'", "gne")
    usage("unknown option '--bogus'", "--bogus")
    usage("expected a KIND", "gen")
    usage("did you mean 'mesh2d'", "gen", "mesh2", "--size", "9")
    usage("unknown kind 'circle'", "gen", "circle", "--size", "9")
    usage("expected --size N", "gen", "ladder")
    usage("unexpected 'memory'", "gen", "ladder", "memory", "--size", "9")
    usage("did you mean '--seed'", "gen", "ladder", "--seeds", "9")
    usage("unknown option '-x'", "gen", "ladder", "-x")
    usage("try 'warplu gen --help'", "gen", "ladder", "--what")
    usage("--size: expected a value", "gen", "ladder", "--size")
    usage("--json takes no value", "gen", "ladder", "--size", "9", "--json=yes")
    for size in ("0", "-5"):
        usage("--size: expected 1 to", "gen", "ladder", "--size", size)
    for size in ("", "x", "9x", "1e3", "9.5"):
        usage("--size: expected an integer", "gen", "ladder", "--size", size)
    for seed in ("-1", "x", "18446744073709551616"):
        usage("--seed: expected an integer from 0", "gen", "ladder", "--size", "9", "--seed", seed)
    usage("expected a number", "gen", "random", "--size", "9", "--density", "nan")
    usage("density is 5, expected 0 to 4", "gen", "random", "--size", "9", "--density", "5")
    usage("takes no --density", "gen", "memory", "--size", "99", "--density", "1")
    usage("takes no --layers", "gen", "mesh2d", "--size", "99", "--layers", "3")
    usage("takes no --sources", "gen", "ladder", "--size", "99", "--sources")
    usage("--layers: expected 2 to 12", "gen", "powergrid", "--size", "99", "--layers", "1")
    usage("expected 16 or more", "gen", "memory", "--size", "15")
    usage("--steps writes files", "gen", "memory", "--size", "99", "--steps", "2")
    usage("both be standard output", "gen", "memory", "--size", "99", "--rhs", "-")
    usage("the same file", "gen", "memory", "--size", "99", "--rhs", "a.mtx", "--output", "a.mtx")


@case
def steps_beside_what_is_no_file():
    with tempfile.TemporaryDirectory() as folder:
        def at(name):
            return os.path.join(folder, name)

        os.mkfifo(at("pipe"))
        os.mkdir(at("folder"))
        with open(at("file.mtx"), "w", encoding="ascii"):
            pass
        for name, target in (("device", "/dev/full"), ("device.mtx", "/dev/null"), ("link.mtx", at("file.mtx")),
                             ("stdout", "/dev/stdout"), ("nowhere", at("missing"))):
            os.symlink(target, at(name))
        before = sorted(os.listdir(folder))
        for name in set(before) - {"file.mtx"}:
            what = {"pipe": "no regular file", "folder": "a folder"}.get(name, "a symbolic link")
            arguments = ("gen", "mesh2d", "--size", "9", "--steps", "2", "--output")
            error = run(*arguments, at(name), code=1)[1]
            assert f"{at(name)}: is {what}; --steps writes files beside --output" in error, error
            error = run(*arguments, at("new.mtx"), "--rhs", at(name), code=1)[1]
            assert f"{at(name)}: is {what}; --steps writes files beside --rhs" in error, error
        assert sorted(os.listdir(folder)) == before, os.listdir(folder)
        error = run(*arguments, at("file.mtx/a.mtx"), code=1)[1]
        assert f"{at('file.mtx/a.mtx')}: cannot be used by --steps: Not a directory" in error, error
        run(*arguments, at("file.mtx"))
        assert sorted(os.listdir(folder)) == sorted(before + ["file_000.mtx", "file_001.mtx"])


@case
def sizes_beyond_the_index_type():
    for kind, size in (("mesh3d", 400000000), ("powergrid", 700000000), ("memory", 500000000),
                       ("ladder", 800000000), ("random", 1200000000), ("mesh2d", 3000000000)):
        error = run("gen", kind, "--size", str(size), "--output", os.devnull, code=1)[1]
        assert "2147483647" in error, f"{kind}: {error!r}"


@case
def unwritable_output():
    with tempfile.TemporaryDirectory() as folder:
        missing = os.path.join(folder, "no", "such", "a.mtx")
        assert missing in run("gen", "mesh2d", "--size", "9", "--output", missing, code=1)[1]
        assert folder in run("gen", "mesh2d", "--size", "9", "--output", folder, code=1)[1]
        path = os.path.join(folder, "a.mtx")
        run("gen", "mesh2d", "--size", "9", "--output", path, "--rhs", missing, code=1)
        parse(read(path))
        assert os.listdir(folder) == ["a.mtx"], os.listdir(folder)
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([warplu, "gen", "mesh2d", "--size", "900"], stdout=full, stderr=subprocess.PIPE)
            assert done.returncode == 1 and done.stderr.startswith(b"warplu: "), done
            done = subprocess.run([warplu, "--help"], stdout=full, stderr=subprocess.PIPE)
            assert done.returncode == 1 and b"standard output" in done.stderr, done


def main():
    failures = 0
    print(f"1..{len(cases)}")
    for number, function in enumerate(cases, 1):
        name = function.__name__.replace("_", " ")
        try:
            function()
            print(f"ok {number} - {name}", flush=True)
        except Exception as error:  # a test reports whatever went wrong and goes on
            failures += 1
            line = error.__traceback__
            while line.tb_next is not None:
                line = line.tb_next
            detail = str(error).replace("\n", " ") or type(error).__name__
            print(f"not ok {number} - {name}\n# line {line.tb_lineno}: {detail}", flush=True)
    return failures > 0


sys.exit(main())
