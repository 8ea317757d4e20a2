"""Random linear circuits against their exact solutions, by every implicit method and in both engines.

    test_circuits.py SOURCE WARPLU [COUNT [SEED [EXECUTOR]]]

Resistors, capacitors, coils, sources of voltage and of current (constant, sine, pulse) between random nodes. The exact solution
comes from the pencil E z' = A z of nodal analysis, whose sources are unknowns too: the invariant subspace of its finite modes
(Stewart and Sun, Matrix Perturbation Theory, 1990, VI.1), and exponentials of matrices. A circuit of index 1 or 2 has to be right
wherever its method takes the index; one without a solution, or of a higher index, has to be refused.
The large engine gets sixteen copies. Another executor than the CPU, as cuda, steps what the small engine does, and prints the same."""
import os
import subprocess
import sys
import tempfile

source, program = sys.argv[1:3]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

try:
    import numpy
    import scipy.linalg
except ImportError as error:
    MISSING = f"{error} (python is {sys.executable})"
else:
    MISSING = None

COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else len(tap.some(range(40)))
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
OTHER = f"--executor {sys.argv[5]}" if len(sys.argv) > 5 else None
END, EDGE = 2.0, 0.7
# name, options for the two engines (None: not controlled there and of too low an order), error that is taken, index it takes
METHODS = [("trapezoidal", "--rtol 1e-6 --atol 1e-8", "--dt 0.001", 1e-4, 2), ("backward-euler", "--dt 0.001", "--dt 0.001", 5e-2, 2),
           ("tr-bdf2", "--rtol 1e-6 --atol 1e-8", "--rtol 1e-6 --atol 1e-8", 1e-4, 2),
           ("rodas3", "--rtol 1e-6 --atol 1e-8", "--rtol 1e-6 --atol 1e-8", 1e-4, 1),
           ("rodas4", "--rtol 1e-6 --atol 1e-8", "--rtol 1e-6 --atol 1e-8", 1e-4, 1)]
WAVES = {"constant": "1", "sine": "sin(3*t)", "pulse": f"pulse({EDGE}, 100)"}
COPIES = 16


class Circuit:
    """Elements (type, node, node, value, wave), node -1 is ground; unknowns: nodes, then currents of coils and voltage sources."""

    def __init__(self, random):
        self.nodes = int(random.integers(1, 6))
        count = int(random.integers(self.nodes, 2 * self.nodes + 4))
        self.elements = []
        for _ in range(count):
            kind = random.choice(list("RRCCCLVI"))
            a, b = random.choice(self.nodes + 1, 2, replace=False) - 1
            value = float(numpy.round(10.0 ** random.uniform(-0.7, 0.7), 3))
            self.elements.append((kind, int(a), int(b), value, str(random.choice(list(WAVES)))))
        self.currents = [k for k, e in enumerate(self.elements) if e[0] in "LV"]
        self.n = self.nodes + len(self.currents)

    def pencil(self):
        """E, A of z: unknowns, then 1, sin, cos, pulse."""
        n = self.n
        e, a = numpy.zeros((n + 4, n + 4)), numpy.zeros((n + 4, n + 4))
        columns = {"constant": n, "sine": n + 1, "pulse": n + 3}
        e[n:, n:] = numpy.eye(4)
        a[n + 1, n + 2], a[n + 2, n + 1] = 3.0, -3.0
        for k, (kind, i, j, value, wave) in enumerate(self.elements):
            nodes = [(row, sign) for row, sign in ((i, 1.0), (j, -1.0)) if row >= 0]
            here = self.nodes + self.currents.index(k) if kind in "LV" else -1
            for row, sign in nodes:
                for column, other in nodes:
                    if kind == "C":
                        e[row, column] += sign * other * value
                    if kind == "R":
                        a[row, column] -= sign * other / value
                if kind in "LV":
                    a[row, here] -= sign
                    a[here, row] += sign
                if kind == "I":
                    a[row, columns[wave]] -= sign * value
            if kind == "L":
                e[here, here] = value
            if kind == "V":
                a[here, columns[wave]] -= value
        return e, a

    def text(self, copies):
        node = ["nodes n%d%s { balance v }" % (k, f"[{copies}]" if copies > 1 else "") for k in range(self.nodes)]
        element, use = [], []
        for k, (kind, i, j, value, wave) in enumerate(self.elements):
            of = {"R": "({a} - {b})/{x}", "C": "ddt({x}*({a} - {b}))", "L": "i", "V": "i", "I": "{x}*{w}"}[kind]
            of = of.format(a="a.v", b="b.v", x=value, w=WAVES[wave])
            lines = {"L": ["state i = 0", f"i' = (a.v - b.v)/{value}"],
                     "V": ["unknown i = 0", f"0 = a.v - b.v - {value}*{WAVES[wave]}"]}.get(kind, [])
            element += [f"element e{k}(a, b)", *lines, f"a.v += {of}", f"b.v += -({of})", "end"]
            at = "[i]" if copies > 1 else ""
            names = ["ground" if x < 0 else f"n{x}{at}" for x in (i, j)]
            use.append(f"use e{k}({names[0]}, {names[1]})" + (f" over i in 0..{copies - 1}" if copies > 1 else ""))
        last = f"[{copies - 1}]" if copies > 1 else ""
        watch = ["watch " + ", ".join(f"n{k}{last}.v" for k in range(self.nodes))]
        return "\n".join(element + ["nodes ground { fixed v = 0 }"] + node + use + watch) + "\n"

    def has(self, wave):
        return any(e[4] == wave and e[0] in "VI" for e in self.elements)


def modes(e, a):
    """(index, projector onto the finite modes along the others, z' = f z on them), or None where nothing determines z."""
    n = len(e)
    shift = 0.83
    if numpy.linalg.cond(shift * e - a) > 1e10:
        return None
    g = numpy.linalg.solve(shift * e - a, e)
    index, power = 0, numpy.eye(n)
    ranks = [n]
    while True:
        power = power @ g
        power /= max(numpy.abs(power).max(), 1e-300)
        singular = numpy.linalg.svd(power, compute_uv=False)
        if numpy.any((singular > 1e-12) & (singular < 1e-7)):
            return None  # too near to a change of the rank to be told
        ranks.append(int(numpy.sum(singular > 1e-9)))
        if ranks[-1] == ranks[-2]:
            break
        index += 1
    finite = scipy.linalg.orth(power, rcond=1e-9)
    infinite = scipy.linalg.null_space(power, rcond=1e-9)
    basis = numpy.hstack([finite, infinite])
    if numpy.linalg.cond(basis) > 1e8:
        return None
    left = numpy.linalg.inv(basis)[:finite.shape[1]]
    m = left @ g @ finite
    rate = shift * numpy.eye(len(m)) - numpy.linalg.inv(m)
    if numpy.abs(numpy.linalg.eigvals(rate)).max(initial=0.0) > 1e3 or numpy.linalg.eigvals(rate).real.max(initial=0.0) > 2.0:
        return None
    return index, finite @ left, lambda z, t: finite @ (scipy.linalg.expm(rate * t) @ (left @ z))


def exact(circuit, found):
    """z behind the jump at the end: sources begin at 0, jump, and the pulse rises at EDGE."""
    _, projector, move = found
    z = numpy.zeros(circuit.n + 4)
    z[circuit.n], z[circuit.n + 2] = 1.0, 1.0
    z = move(projector @ z, EDGE)
    z[circuit.n + 3] = 1.0
    return move(projector @ z, END - EDGE)


def run(folder, text, options):
    path = os.path.join(folder, "circuit.wm")
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    result = subprocess.run([program, "model", "run", path, "--to", str(END), "--every", str(END), *options.split()],
                            capture_output=True, text=True, check=False, timeout=300)
    if result.returncode != 0:
        return None, result.stderr.strip()
    return numpy.array([float(x) for x in result.stdout.strip().split("\n")[-1].split(",")[1:]]), ""


def check(circuit, found, folder, counts, wrong):
    index = found[0]
    truth = exact(circuit, found)[:circuit.nodes]
    for name, small, large, most, takes in METHODS:
        for copies, options in ((1, small), (COPIES, large)):
            got, why = run(folder, circuit.text(copies), f"--method {name} {options}")
            if got is None and index > takes and "(index 2)" in why:  # said by name
                counts["refused"] += 1
                continue
            error = numpy.inf if got is None else (numpy.abs(got - truth) / (1.0 + numpy.abs(truth))).max(initial=0.0)
            counts["right" if error <= most else "wrong" if got is not None else "stopped"] += 1
            if not error <= most:
                wrong.append(f"index {index}, {name} {options}, {copies}: {why or error}\n{circuit.text(copies)}")
            if OTHER and copies == 1:
                check_elsewhere(circuit, f"--method {name} {options} {OTHER}", folder, got, counts, wrong)


def check_elsewhere(circuit, options, folder, got, counts, wrong):
    """The other executor has the same numbers, or none either."""
    other, why = run(folder, circuit.text(1), options)
    same = other is got is None or (other is not None and got is not None and numpy.array_equal(got, other))
    counts["same elsewhere"] += same
    if not same:
        wrong.append(f"{options}: {why or other} for {got}\n{circuit.text(1)}")


def is_singular(e, a):
    """Whether the pencil is, whatever the shift: two tell it."""
    return all(numpy.linalg.cond(shift * e - a) > 1e14 for shift in (0.83, 2.3))


def check_refusal(circuit, folder, wrong):
    for copies in (1, COPIES):
        got, why = run(folder, circuit.text(copies), "--method tr-bdf2")
        if got is not None or "no equation" not in why:
            wrong.append(f"nothing fixes it, {copies}: {why or got}\n{circuit.text(copies)}")


def circuits_are_right():
    if MISSING:
        raise tap.Skip(MISSING)
    random = numpy.random.default_rng(SEED)
    counts = dict.fromkeys(["right", "refused", "wrong", "stopped", "index 1", "index 2", "higher", "singular",
                            "left out", "same elsewhere"], 0)
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        while sum(counts[key] for key in ("index 1", "index 2")) < COUNT:
            circuit = Circuit(random)
            found = modes(*circuit.pencil())
            if is_singular(*circuit.pencil()):
                counts["singular"] += 1
                check_refusal(circuit, folder, wrong)
                continue
            if found is None or (found[0] == 2 and (circuit.has("pulse") or circuit.has("constant"))):
                counts["left out"] += 1
                continue
            if found[0] > 2:
                counts["higher"] += 1
                continue
            counts["index 2" if found[0] == 2 else "index 1"] += 1
            check(circuit, found, folder, counts, wrong)
    print("#", counts)
    assert not wrong, f"{len(wrong)} of {sum(counts[k] for k in ('right', 'wrong', 'stopped'))}:\n" + "\n".join(wrong[:int(os.environ.get("WRONG_MOST", "3"))])
    assert counts["right"] > 5 * COUNT, counts


tap.run([circuits_are_right])
