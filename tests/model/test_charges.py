"""Random circuits whose charges are no linear functions, against solutions that they were made for, in both engines.

    test_charges.py SOURCE WARPLU [COUNT [SEED]]

Each node's voltage is chosen, a sine or an exponential function; sources of currents are what charges and conductances then
leave over, so the solution is exact. Charges stand between nodes, and do not determine all of them (deficient rank); they grow
with their voltage, linear or not, some by a hundredth. Voltages have scales from 1e-12 to 1e12, currents too. Where a voltage is
forced, by an equation that is weighed, a current follows the rates of charges (index 2). What comes has to be right, or
refused by name."""
import math
import os
import random
import subprocess
import sys
import tempfile

source, program = sys.argv[1:3]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else len(tap.some(range(24)))
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
COPIES = 16
# name, options for the two engines, error that is taken
METHODS = [("trapezoidal", "--rtol 1e-6", "--dt 0.001", 1e-3), ("backward-euler", "--dt 0.001", "--dt 0.001", 0.1),
           ("tr-bdf2", "--rtol 1e-6", "--rtol 1e-6", 1e-3), ("rodas3", "--rtol 1e-6", "--rtol 1e-6", 1e-3),
           ("rodas4", "--rtol 1e-6", "--rtol 1e-6", 1e-3)]
REFUSED = ("(index 2)", "charge is not linear", "capacity that changes", "charge changes with time",
           "whose errors this method keeps")
# a charge of u, and its derivative
CHARGES = [("{u}", "1"), ("({u} + {u}^3/3)", "(1 + {u}^2)"), ("tanh({u})", "(1/cosh({u})^2)"), ("exp({u})", "exp({u})"),
           ("({u} + sqrt(1 + {u}^2))", "(1 + {u}/sqrt(1 + {u}^2))"), ("(0.1*{u} + max({u} - 0.2, 0)^2)", "(0.1 + 2*max({u} - 0.2, 0))")]


class Wave:
    """A function of the time, its derivative, and its values."""

    def __init__(self, rng):
        a, b, w, p = (round(rng.uniform(*span), 4) for span in ((-1, 1), (0.3, 1), (0.5, 6), (0, 6)))
        if rng.random() < 0.7:
            self.text, self.rate = f"({a} + {b}*sin({w}*t + {p}))", f"({b}*{w}*cos({w}*t + {p}))"
            self.at = lambda t: a + b * math.sin(w * t + p)
        else:
            self.text, self.rate = f"({a} + {b}*exp(-{w}*t))", f"(-{b}*{w}*exp(-{w}*t))"
            self.at = lambda t: a + b * math.exp(-w * t)


class Circuit:
    def __init__(self, rng):
        self.n = rng.randint(1, 5)
        self.volt, self.ampere = (10.0 ** rng.choice([0, 0, 0, -3, -6, -12, 3, 6, 12]) for _ in range(2))
        self.nodes, self.currents, self.lines = [Wave(rng) for _ in range(self.n)], [], []
        self.terms = [[] for _ in range(self.n)]
        charges = CHARGES[:1] if rng.random() < 0.35 else CHARGES
        for _ in range(rng.randint(0, self.n + 1)):
            self.add_charge(rng, *rng.sample(range(-1, self.n), 2), *rng.choice(charges))
        for node in range(self.n):
            self.add_conductances(rng, node)
        if rng.random() < 0.5:
            for node in rng.sample(range(self.n), rng.randint(1, max(1, self.n - 1))):
                self.add_source(rng, node)

    def u(self, node):
        return f"p{node}.v/{self.volt:g}" if node >= 0 else "0"

    def add_charge(self, rng, a, b, charge, slope):
        size = round(rng.uniform(0.2, 2) * rng.choice([1, 1, 0.01, 10]), 5)
        text = f"{size}*{charge.format(u=f'({self.u(a)} - {self.u(b)})')}"
        value = [(self.nodes[k].text, self.nodes[k].rate) if k >= 0 else ("0", "0") for k in (a, b)]
        rate = f"{size}*{slope.format(u=f'({value[0][0]} - {value[1][0]})')}*({value[0][1]} - {value[1][1]})"
        for node, sign in ((a, ""), (b, "-")):
            if node >= 0:
                self.terms[node].append(f"{sign}{self.ampere:g}*ddt({text}) - {sign}{self.ampere:g}*{rate}")

    def add_conductances(self, rng, node):
        for other, wave in enumerate(self.nodes):
            if other == node or rng.random() < 0.5:
                g = rng.uniform(0.5, 2) + 0.4 * self.n if other == node else rng.uniform(-0.4, 0.4)
                self.terms[node].append(f"({self.ampere * g:.6g})*({self.u(other)} - {wave.text})")
        if rng.random() < 0.5:
            self.terms[node].append(f"{self.ampere * rng.uniform(0.1, 1):.6g}*(({self.u(node)})^3 - {self.nodes[node].text}^3)")

    def add_source(self, rng, node):
        name, wave, weight = f"i{len(self.currents)}", Wave(rng), rng.choice(["1", "1e6", "1e-6"])
        self.currents.append(wave)
        self.lines += [f"  unknown {name} = 0", f"  0 = ({self.u(node)} - {self.nodes[node].text})*{weight}"]
        self.terms[node].append(f"{name} - {self.ampere:g}*{wave.text}")

    def text(self, copies):
        many, last = (f"[{copies}]", f"[{copies - 1}]") if copies > 1 else ("", "")
        lines = [f"nodes n{k}{many} {{ balance v = {self.volt * wave.at(0.0):.17g} }}" for k, wave in enumerate(self.nodes)]
        lines += [f"element all({', '.join(f'p{k}' for k in range(self.n))})", *self.lines]
        lines += [f"  p{node}.v += {term}" for node in range(self.n) for term in self.terms[node]]
        ports = ", ".join(f"n{k}{'[i]' if copies > 1 else ''}" for k in range(self.n))
        lines += ["end", f"use all({ports})" + (f" over i in 0..{copies - 1}" if copies > 1 else "")]
        watched = [f"n{k}{last}.v" for k in range(self.n)] + [f"all{last}.i{k}" for k in range(len(self.currents))]
        return "\n".join([*lines, "watch " + ", ".join(watched)]) + "\n"

    def errors(self, found):
        """Of what is watched at 1, as shares of its scale."""
        scaled = [(self.volt, wave) for wave in self.nodes] + [(self.ampere, wave) for wave in self.currents]
        return [abs(x / scale - wave.at(1.0)) / 2 for x, (scale, wave) in zip(found, scaled)]


def run(folder, circuit, copies, method, options):
    path = os.path.join(folder, "charges.wm")
    with open(path, "w", encoding="ascii") as file:
        file.write(circuit.text(copies))
    absolute = 2e-7 * (min(circuit.volt, circuit.ampere) if circuit.currents else circuit.volt)
    return subprocess.run([program, "model", "run", path, "--to", "1", "--every", "1", "--method", method, *options.split(),
                           "--atol", repr(absolute)], capture_output=True, text=True, check=False, timeout=120)


def charges_are_right():
    rng, counts, wrong = random.Random(SEED), {"right": 0, "refused": 0, "stopped": 0}, []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(COUNT):
            circuit = Circuit(rng)
            for method, small, large, most in METHODS:
                for copies, options in ((1, small), (COPIES, large)):
                    result = run(folder, circuit, copies, method, options)
                    if result.returncode != 0:
                        counts["refused" if any(x in result.stderr for x in REFUSED) else "stopped"] += 1
                        continue
                    error = max(circuit.errors([float(x) for x in result.stdout.strip().split("\n")[-1].split(",")[1:]]))
                    counts["right"] += error <= most
                    if not error <= most:
                        wrong.append(f"{method} {options}, {copies}: {error}\n{circuit.text(copies)}")
    print("#", counts)
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:int(os.environ.get("WRONG_MOST", "3"))])
    assert counts["right"] > 3 * COUNT and counts["stopped"] <= COUNT // 2, counts


tap.run([charges_are_right])
