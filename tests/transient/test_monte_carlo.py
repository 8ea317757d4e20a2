"""The example examples/monte_carlo.c: without a spread it is the transient example, percentiles are those of the samples,
which do not depend on how many there are; the table and the picture.

    test_monte_carlo.py SOURCE MONTE_CARLO TRANSIENT
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

source = sys.argv[1]
program, transient = map(os.path.abspath, sys.argv[2:4])
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

folder = tempfile.mkdtemp(prefix="warplu-monte-carlo-")
NODES = ["corner", "far", "first", "last", "sensor"]
SHORT = ["--mesh", "3", "--steps", "150", "--step", "2e-11"]  # through saturation
SVG = "{http://www.w3.org/2000/svg}"


def call(executable, *arguments):
    return subprocess.run([executable, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)


def table(*arguments):
    """Rows of time and percentiles, and what was printed."""
    done = call(program, *SHORT, *arguments, "--csv", "table.csv")
    assert done.returncode == 0, f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    with open(os.path.join(folder, "table.csv"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert lines[0] == "time,p5,p50,p95" and len(lines) == 152, lines[:2]
    return [[float(word) for word in line.split(",")] for line in lines[1:]], done.stdout


def bad_arguments_are_explained():
    for arguments in (["--what", "1"], ["--samples"], ["--samples", "0"], ["--samples", "3x"], ["--spread", "1"], ["--spread", "-0.1"],
                      ["--spread", "nan"], ["--seed", "0"], ["--node", "middle"], ["--on", "moon"], ["--threads", "1025"],
                      ["--mesh", "1001"], ["--steps", "0"], ["--step", "inf"], ["--method", "euler"], ["--csv", ""], ["file"]):
        done = call(program, *arguments)
        assert done.returncode == 2 and done.stderr.startswith("usage: monte_carlo ") and not done.stdout, (arguments, done)
    done = call(program, "--help")
    assert done.returncode == 0 and done.stdout.startswith("usage: monte_carlo "), done


def errors_end_the_run_with_a_message():
    cases = [(["--csv", "no/such/folder"], "no/such/folder"), (["--svg", "no/such/folder"], "no/such/folder"),
             (["--step", "1e-320", "--steps", "3"], "not a number")]
    if os.path.exists("/dev/full"):
        cases += [(["--csv", "/dev/full"], "/dev/full"), (["--svg", "/dev/full"], "/dev/full")]
    for arguments, words in cases:
        done = call(program, *SHORT, "--samples", "3", *arguments)
        assert done.returncode == 1 and done.stderr.startswith("monte_carlo: ") and words in done.stderr, (arguments, done)


def without_a_spread_samples_are_the_transient_circuit():
    for method in "be", "trap":
        done = call(transient, *SHORT, "--method", method, "--waveform", "waveform")
        assert done.returncode == 0, done.stderr
        with open(os.path.join(folder, "waveform"), encoding="utf-8") as file:
            expected = [[float(word) for word in line.split()] for line in file]
        for column, node in enumerate(NODES, 1):
            rows = table("--method", method, "--samples", "9", "--spread", "0", "--node", node)[0]
            for row, want in zip(rows, expected):
                assert row[0] == want[0] and all(abs(v - want[column]) <= 1e-9 for v in row[1:]), (method, node, row, want)


def percentiles_are_those_of_the_samples():
    """A sample is the same however many there are: of up to 19 the 5th and the 95th percentile are the least and the most."""
    runs = {count: table("--samples", str(count))[0] for count in (1, 2, 3, 40)}
    apart = 0.0
    for one, two, three, many in zip(*runs.values()):
        assert one[1] == one[2] == one[3] and two[2] == two[1] <= two[3]
        first = one[1]
        near = min((abs(v - first), v) for v in (two[1], two[3]))[1]
        second = two[1] + two[3] - near
        assert abs(near - first) <= 1e-9 and three[1] <= three[2] <= three[3]
        for sample in first, second:
            assert min(abs(v - sample) for v in three[1:]) <= 1e-9, (one, two, three)
        assert many[1] <= many[2] <= many[3]
        apart = max(apart, many[3] - many[1])
    assert 0.1 < apart < 5.0, apart


def spread_and_seed_count():
    def width(*arguments):
        return max(row[3] - row[1] for row in table("--samples", "30", *arguments)[0])
    assert width("--spread", "0.05") < width("--spread", "0.1") < width("--spread", "0.3")
    assert table("--samples", "5")[0] != table("--samples", "5", "--seed", "8")[0]


def threads_give_the_same_bits():
    assert table("--samples", "20")[0] == table("--samples", "20", "--threads", "3")[0]


def what_it_says():
    text = table("--samples", "20", "--node", "sensor")[1]
    assert re.search(r"^mesh 3 by 3: \d+ unknowns, \d+ entries, trapezoidal rule, 20 samples on the host$", text, re.MULTILINE), text
    calls, systems = map(int, re.search(r"^150 steps: (\d+) calls for (\d+) systems, ", text, re.MULTILINE).groups())
    assert 151 * 20 <= systems < 20 * calls, text  # a mask leaves out who has settled
    assert re.search(r"^at the end: sensor 5 % -?\d\.\d{4} V, 50 % -?\d\.\d{4} V, 95 % -?\d\.\d{4} V$", text, re.MULTILINE), text


def points(element):
    return [tuple(map(float, point.split(","))) for point in element.get("points").split()]


def the_picture_is_of_the_table():
    rows, _ = table("--samples", "20", "--svg", "picture.svg")
    root = xml.etree.ElementTree.parse(os.path.join(folder, "picture.svg")).getroot()
    assert root.tag == SVG + "svg"
    words = [text.text for text in root.iter(SVG + "text")]
    for wanted in "Voltage of node last: 20 samples, elements off by at most 20 %", "median", "time, ns", "voltage, V", "0", "3", "5":
        assert wanted in words, (wanted, words)
    (line,), (band,) = map(points, root.iter(SVG + "polyline")), map(points, root.iter(SVG + "polygon"))
    frame = [r for r in root.iter(SVG + "rect") if r.get("class") == "frame"][0]
    left, top, width, height = (float(frame.get(key)) for key in ("x", "y", "width", "height"))
    assert all(left <= x <= left + width + 0.01 and top <= y <= top + height + 0.01 for x, y in line + band)
    assert len(line) == 151 and len(band) == 302 and band[0][0] == line[0][0] == left and band[-1][0] == left
    # Heights are in proportion to voltages: those of two ticks say how.
    at = {float(t.text): float(t.get("y")) - 4 for t in root.iter(SVG + "text") if t.get("text-anchor") == "end"}
    scale = (at[5.0] - at[0.0]) / 5.0
    for row, point, low, high in zip(rows, line, band, reversed(band)):
        for value, place in zip(row[1:], (low, point, high)):
            assert abs(at[0.0] + scale * value - place[1]) <= 0.06, (row, place)


try:
    tap.run([bad_arguments_are_explained, errors_end_the_run_with_a_message, without_a_spread_samples_are_the_transient_circuit,
             percentiles_are_those_of_the_samples, spread_and_seed_count, threads_give_the_same_bits, what_it_says,
             the_picture_is_of_the_table])
finally:
    shutil.rmtree(folder, ignore_errors=True)
