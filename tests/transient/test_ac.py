"""The example examples/ac.c: what it says, its voltages against ngspice's, the operating point's slope at low frequencies,
and the matrix that it writes.

    test_ac.py SOURCE AC
"""
import cmath
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

source = sys.argv[1]
program = os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

folder = tempfile.mkdtemp(prefix="warplu-ac-")
PROBES = 5


def call(executable, *arguments):
    return subprocess.run([executable, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)


def rows(name):
    """Frequencies with the phasors of the probes."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        table = [[float(word) for word in line.split()] for line in file if "frequency" not in line]
    return [(row[0], [complex(*row[k:k + 2]) for k in range(1, 1 + 2 * PROBES, 2)]) for row in table]


def sweep(*arguments):
    """The table and what was printed."""
    done = call(program, *arguments, "--table", "table")
    assert done.returncode == 0, f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return rows("table"), done.stdout


def bad_arguments_are_explained():
    for arguments in (["--what", "1"], ["--mesh"], ["--mesh", "0"], ["--mesh", "1001"], ["--from", "0"], ["--from", "nan"],
                      ["--decades", "0"], ["--decades", "21"], ["--points", "0"], ["--points", "2x"], ["--netlist", ""],
                      ["--matrix", ""], ["--table", ""], ["file"]):
        done = call(program, *arguments)
        assert done.returncode == 2 and done.stderr.startswith("usage: ac ") and not done.stdout, (arguments, done)
    done = call(program, "--help")
    assert done.returncode == 0 and done.stdout.startswith("usage: ac "), done


def errors_end_the_run_with_a_message():
    # So high a frequency that angular frequency times capacitance is infinite: the solver refuses the values.
    cases = [(["--from", "1e307", "--mesh", "2", "--decades", "20", "--points", "1"], "not a number")]
    cases += [([option, "no/such/folder"], "no/such/folder") for option in ("--netlist", "--matrix", "--table")]
    if os.path.exists("/dev/full"):
        cases += [([option, "/dev/full"], "/dev/full") for option in ("--netlist", "--matrix", "--table")]
    for arguments, words in cases:
        done = call(program, *arguments)
        assert done.returncode == 1 and done.stderr.startswith("ac: ") and words in done.stderr, (arguments, done)


def frequencies_are_as_asked():
    table, text = sweep()
    assert len(table) == 1000 and re.search(r"^1000 frequencies: \d+ times pivoted again, warnings: 0 inaccurate, 0 others$",
                                            text, re.MULTILINE), text
    for k, (frequency, _) in enumerate(table):
        assert abs(frequency / (1e3 * 10.0**(k / 111)) - 1.0) < 1e-12, (k, frequency)
    table, _ = sweep("--from", "50", "--decades", "2", "--points", "3")
    assert [round(frequency, 6) for frequency, _ in table] == [50.0, 107.721735, 232.079442, 500.0, 1077.217345, 2320.794417, 5000.0]


def capacitors_show_in_proportion_at_low_frequencies():
    """Far below all poles real parts stand still, and imaginary parts grow with the frequency."""
    table, _ = sweep("--from", "1", "--decades", "3", "--points", "1")
    for (low, before), (high, after) in zip(table, table[1:]):
        for a, b in zip(before, after):
            assert abs(a.real - b.real) <= 1e-9 * abs(b.real), (low, high, a, b)
            assert a.imag != 0.0 and abs(b.imag / a.imag - high / low) <= 1e-3 * high / low, (low, high, a, b)


def phasors_are_ngspice_s():
    if shutil.which("ngspice") is None:
        raise tap.Skip("no ngspice")
    worst = 0.0
    for mesh in tap.some((1, 3, 8, 24)):
        ours, _ = sweep("--mesh", str(mesh), "--netlist", "circuit.cir")
        done = call("ngspice", "-b", "circuit.cir")
        assert os.path.exists(os.path.join(folder, "ngspice.table")), f"{done.stdout}{done.stderr}"
        theirs = rows("ngspice.table")
        os.remove(os.path.join(folder, "ngspice.table"))
        assert len(ours) == len(theirs) == 1000, (mesh, len(theirs))
        for (frequency, mine), (same, other) in zip(ours, theirs):
            assert abs(frequency / same - 1.0) < 1e-12, (frequency, same)
            largest = max(map(abs, other))
            for a, b in zip(mine, other):
                worst = max(worst, abs(a - b) / largest)
                assert abs(a - b) <= 1e-8 * largest, f"mesh {mesh}, {frequency} Hz: {a} against {b}"
    print(f"# largest difference from ngspice's: {worst:.1e} of the largest voltage of its frequency")


def solve(matrix, b):
    """Gaussian elimination with partial pivoting."""
    n = len(b)
    rows_ = [matrix[i] + [b[i]] for i in range(n)]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows_[i][k]))
        rows_[k], rows_[best] = rows_[best], rows_[k]
        for i in range(k + 1, n):
            factor = rows_[i][k] / rows_[k][k]
            rows_[i] = [a - factor * p for a, p in zip(rows_[i], rows_[k])]
    x = [0j] * n
    for k in reversed(range(n)):
        x[k] = (rows_[k][n] - sum(rows_[k][j] * x[j] for j in range(k + 1, n))) / rows_[k][k]
    return x


def the_matrix_is_that_of_the_middle():
    """Its solution is the table's phasors, for one volt in the drive's equation: the row of one entry that is 1."""
    table, _ = sweep("--mesh", "3", "--decades", "2", "--points", "4", "--matrix", "a.mtx", "--from", "1e9")
    with open(os.path.join(folder, "a.mtx"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert lines[0] == "%%MatrixMarket matrix coordinate complex general", lines[0]
    n, _, nnz = map(int, lines[1].split())
    assert len(lines) == nnz + 2
    matrix = [[0j] * n for _ in range(n)]
    for line in lines[2:]:
        i, j, re_, im = line.split()
        matrix[int(i) - 1][int(j) - 1] += complex(float(re_), float(im))
    drives = [i for i in range(n) if [a for a in matrix[i] if a != 0] == [1.0]]
    expected = table[4][1]
    close = []
    for drive in drives:
        x = solve(matrix, [complex(i == drive) for i in range(n)])
        close.append(all(min(abs(x[i] - v) for i in range(n)) <= 1e-9 * abs(v) for v in expected))
    assert sum(close) == 1, (drives, close)


def decibels_and_degrees_are_the_last_phasors():
    table, text = sweep("--mesh", "3", "--decades", "6")
    frequency, phasors = table[-1]
    line = re.search(r"^at (\S+) Hz:(.*)$", text, re.MULTILINE)
    assert abs(float(line.group(1)) / frequency - 1.0) < 1e-3, line.group(0)
    found = re.findall(r" (\w+) (-?[\d.]+) dB (-?[\d.]+) deg", line.group(2))
    assert [name for name, _, _ in found] == ["corner", "far", "first", "last", "sensor"], found
    for (_, decibels, degrees), v in zip(found, phasors):
        assert abs(float(decibels) - 20.0 * math.log10(abs(v))) <= 0.051, (decibels, v)
        assert abs(float(degrees) - math.degrees(cmath.phase(v))) <= 0.051, (degrees, v)


try:
    tap.run([bad_arguments_are_explained, errors_end_the_run_with_a_message, frequencies_are_as_asked,
             capacitors_show_in_proportion_at_low_frequencies, phasors_are_ngspice_s, the_matrix_is_that_of_the_middle,
             decibels_and_degrees_are_the_last_phasors])
finally:
    shutil.rmtree(folder, ignore_errors=True)
