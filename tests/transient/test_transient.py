"""The second example, examples/transient.c: what it says, how its error falls with the step, that it lives through
pivots that stop fitting, and that its waveforms are those of KLU and of ngspice.

    test_transient.py SOURCE TRANSIENT KLU    (KLU: the example with KLU in warplu's place, or '')
"""
import bisect
import os
import re
import shutil
import subprocess
import sys
import tempfile

source = sys.argv[1]
program, program_by_klu = (path and os.path.abspath(path) for path in sys.argv[2:4])
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

folder = tempfile.mkdtemp(prefix="warplu-transient-")
METHODS = ("be", "trap")
CORNER, FAR, FIRST, LAST, SENSOR = range(1, 6)  # columns of a waveform; column 0 is time
NODES = (CORNER, FAR, FIRST, LAST, SENSOR)
RANGE = 5.0  # volts, what the outputs swing through


def call(executable, *arguments):
    return subprocess.run([executable, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)


def rows(name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return [[float(word) for word in line.split()] for line in file if "time" not in line]


def simulate(executable, *arguments):
    """The waveform and what was printed."""
    done = call(executable, *arguments, "--waveform", "waveform")
    assert done.returncode == 0, f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return rows("waveform"), done.stdout


def waveform(method, mesh, steps, step):
    return simulate(program, "--method", method, "--mesh", str(mesh), "--steps", str(steps), "--step", step)[0]


def difference(a, b, node):
    assert len(a) == len(b)
    return max(abs(p[node] - q[node]) for p, q in zip(a, b))


def number(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    assert found, f"'{pattern}' in\n{text}"
    return float(found.group(1))


def bad_arguments_are_explained():
    for arguments in (["--what", "1"], ["--mesh"], ["--mesh", "0"], ["--mesh", "8x"], ["--mesh", "1001"], ["--steps", "-1"],
                      ["--step", "0"], ["--step", "inf"], ["--step", "nan"], ["--method", "euler"], ["--netlist", ""],
                      ["file"]):
        done = call(program, *arguments)
        assert done.returncode == 2, f"{arguments}: exit {done.returncode}"
        assert done.stderr.startswith("usage: transient ") and not done.stdout, (arguments, done.stderr)
    done = call(program, "--help")
    assert done.returncode == 0 and done.stdout.startswith("usage: transient "), done


def errors_end_the_run_with_a_message():
    # So short a step that capacitance over step is infinite: the solver refuses the values.
    cases = [(["--step", "1e-320", "--steps", "3"], "not a number"), (["--waveform", "no/such/folder"], "no/such/folder"),
             (["--netlist", "no/such/folder"], "no/such/folder")]
    if os.path.exists("/dev/full"):
        cases += [(["--waveform", "/dev/full"], "/dev/full"), (["--netlist", "/dev/full"], "/dev/full")]
    for arguments, words in cases:
        done = call(program, *arguments)
        assert done.returncode == 1, f"{arguments}: exit {done.returncode}\n{done.stderr}"
        assert done.stderr.startswith("transient: ") and words in done.stderr, (arguments, done.stderr)


def pivots_that_stop_fitting_are_chosen_again():
    total = 0
    for method in METHODS:
        for mesh in (3, 6, 8):
            text = simulate(program, "--method", method, "--mesh", str(mesh))[1]
            repivots = number(r", (\d+) times pivoted again$", text)
            # Later than the operating point, whose own pivots are new.
            assert len(re.findall(r"^[1-9][\d.e-]* s: pivoted again$", text, re.MULTILINE)) <= repivots
            total += len(re.findall(r"^[1-9][\d.e-]* s: pivoted again$", text, re.MULTILINE))
            assert number(r"^warnings: .* (\d+) inaccurate", text) == 0, text
            assert number(r"^warnings: .* (\d+) others", text) == 0, text
            assert number(r"backward error (\S+)$", text) <= 1e-10, text
            assert 0 < number(r"pivot growth ([^,]+),", text) <= 1, text
    assert total >= 3, f"{total} times in six runs: the circuit does not ask for new pivots any more"


def error_falls_as_the_method_says():
    """Halving the step halves the error of backward Euler and quarters that of the trapezoidal rule; both have one
    limit, from which backward Euler is about twice as far as from itself at half the step."""
    for mesh in tap.some((2, 5)):
        runs = {method: [waveform(method, mesh, 2500 * 2**k, str(2e-12 / 2**k))[::2**k] for k in range(3)] for method in METHODS}
        for node in (FIRST, LAST):
            for method, order in zip(METHODS, (2.0, 4.0)):
                coarse, fine, finest = runs[method]
                ratio = difference(coarse, fine, node) / difference(fine, finest, node)
                assert 0.85 * order < ratio < 1.15 * order, (method, mesh, node, ratio)
            coarse, fine, _ = runs["be"]
            ratio = difference(coarse, runs["trap"][2], node) / difference(coarse, fine, node)
            assert 1.7 < ratio < 2.3, (mesh, node, ratio)


def waveforms_are_klu_s():
    if not program_by_klu:
        raise tap.Skip("built without KLU")
    worst = 0.0
    for method, mesh in tap.some([(method, mesh) for method in METHODS for mesh in (1, 3, 8, 16)]):
        arguments = ("--method", method, "--mesh", str(mesh))
        ours, theirs = simulate(program, *arguments)[0], simulate(program_by_klu, *arguments)[0]
        largest = max(abs(v) for row in theirs for v in row[1:])
        relative = max(difference(ours, theirs, node) for node in NODES) / largest
        worst = max(worst, relative)
        assert relative <= 1e-9, f"{method}, mesh {mesh}: {relative:.1e} of the largest voltage"
    print(f"# largest difference from KLU's: {worst:.1e} of the largest voltage")


def ngspice_waveform(arguments):
    done = call(program, *arguments, "--netlist", "circuit.cir")
    assert done.returncode == 0, done.stderr
    done = call("ngspice", "-b", "circuit.cir")
    try:
        return rows("ngspice.waveform")
    except OSError:
        raise AssertionError(f"ngspice wrote no waveform\n{done.stdout}{done.stderr}") from None
    finally:
        if os.path.exists(os.path.join(folder, "ngspice.waveform")):
            os.remove(os.path.join(folder, "ngspice.waveform"))


def interpolate(samples, times, time, node):
    """Linear between two samples."""
    i = min(max(bisect.bisect_left(times, time), 1), len(times) - 1)
    a, b = samples[i - 1], samples[i]
    return a[node] + (b[node] - a[node]) * (time - a[0]) / (b[0] - a[0])


def allowed(method, ours, finer, node):
    """How far two programs may be apart that use the same method with steps up to the same length.

    Discretization: from Richardson, the error is 2 (backward Euler) or 4/3 (trapezoidal rule) of the difference to half
    the step; each program has that much. Interpolation: a kink between two samples, of the second difference d there,
    is cut off by d/2 at most. Newton: both stop within a relative 1e-6, which is doubled for what steps hand on."""
    richardson = 2.0 if method == "be" else 4.0 / 3.0
    kink = max(abs(a[node] - 2.0 * b[node] + c[node]) for a, b, c in zip(ours, ours[1:], ours[2:]))
    return 2.0 * richardson * difference(ours, finer, node) + kink / 2.0 + 2e-6 * RANGE


def waveforms_are_ngspice_s():
    if shutil.which("ngspice") is None:
        raise tap.Skip("no ngspice")
    for method, mesh in tap.some((("be", 1), ("be", 3), ("be", 8), ("trap", 1), ("trap", 3), ("trap", 8))):
        ours, finer = waveform(method, mesh, 5000, "1e-12"), waveform(method, mesh, 10000, "5e-13")[::2]
        theirs = ngspice_waveform(["--method", method, "--mesh", str(mesh), "--steps", "5000", "--step", "1e-12"])
        times = [row[0] for row in theirs]
        assert abs(times[-1] - ours[-1][0]) < 1e-14, f"{method}, mesh {mesh}: ngspice stopped at {times[-1]} s"
        for node in NODES:
            apart = max(abs(row[node] - interpolate(theirs, times, row[0], node)) for row in ours)
            most = allowed(method, ours, finer, node)
            assert most < 0.005 * RANGE, f"{method}, mesh {mesh}, node {node}: nothing is compared within {most} V"
            assert apart <= most, f"{method}, mesh {mesh}, node {node}: {apart:.1e} V apart, {most:.1e} V allowed"
            print(f"# {method}, mesh {mesh}, node {node}: {apart:.1e} V apart, {most:.1e} V allowed")


def readme_shows_what_it_prints():
    """Words as they stand, numbers as #; how often is pivoted again depends on the orderings at hand."""
    def skeleton(text):
        lines = [" ".join(re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "#", line).split()) for line in text.splitlines()]
        return [line for line in lines if line != "# s: pivoted again"]
    with open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        shown = re.search(r"^```text\n(mesh .*?)^```$", file.read(), re.MULTILINE | re.DOTALL).group(1)
    printed = simulate(program)[1]
    assert skeleton(printed) == skeleton(shown), f"printed:\n{printed}\nREADME.md shows:\n{shown}"


try:
    tap.run([bad_arguments_are_explained, errors_end_the_run_with_a_message, pivots_that_stop_fitting_are_chosen_again,
             error_falls_as_the_method_says, waveforms_are_klu_s, waveforms_are_ngspice_s, readme_shows_what_it_prints])
finally:
    shutil.rmtree(folder, ignore_errors=True)
