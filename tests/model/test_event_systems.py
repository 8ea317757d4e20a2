"""Random systems with events against an independent simulation (event_systems.py), by many methods and in both engines.

    test_event_systems.py SOURCE WARPLU [COUNT [SEED [FIRST]]]

States that move evenly, rest, or relax; events by time, by sign and by condition that set them, in rounds, at one time,
by priorities, later, with hysteresis; rates that states and the time switch, and unknowns that follow states. Three
instances differ in a parameter; the large engine has sixteen, like these in turn. Rows have to be right, and what the
rules refuse has to be refused with the lines of its events. Systems in which a rounding decides are left out and
counted (event_systems.LeftOut). FIRST: the number of the first system, to look at one again."""
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

source, program = sys.argv[1:3]
sys.path.insert(0, os.path.join(source, "tests", "support"))
sys.path.insert(0, os.path.join(source, "tests", "model"))
import tap  # noqa: E402
from event_systems import LeftOut, Refused, Run  # noqa: E402
from event_texts import Compare, Event, Line, Logic  # noqa: E402

COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else len(tap.some(range(40)))
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
FIRST = int(sys.argv[5]) if len(sys.argv) > 5 else 1
EVERY, ROWS = Fraction(1, 2), 8
END = Fraction(129, 32)
# options, whether steps estimate errors well enough for states that relax, and whether unknowns can be solved for
SMALL = [("euler --dt 0.0390625", False, False), ("rk4 --dt 0.01", True, False), ("dormand-prince", True, False),
         ("bogacki-shampine", True, False), ("rush-larsen --dt 0.02", False, False),
         ("backward-euler --dt 0.05", False, True), ("backward-euler", False, True), ("trapezoidal", False, True),
         ("trapezoidal --dt 0.005", True, True), ("tr-bdf2", True, True), ("rodas3", True, True),
         ("rodas4", True, True), ("rodas4 --dt 0.0625", True, True)]
LARGE = [way for way in SMALL if way[0] not in ("trapezoidal", "backward-euler")] + [("split --dt 0.02", False, False)]
COPIES = 16


def quarter(r, least, most):
    return Fraction(r.randint(4 * least, 4 * most), 4)


class System:
    """States x (moving), d (resting), y (relaxing), u an unknown; what stands in the text, and what a Run takes."""

    def __init__(self, r):
        self.r = r
        self.x = [f"x[{i}]" for i in range(r.randint(1, 3))]
        self.d = [f"d[{i}]" for i in range(r.randint(1, 3))]
        self.y = ["y"] if r.random() < 0.2 else []
        self.u = None
        if r.random() < 0.2:
            self.u = Line({r.choice(self.x): r.choice([-1, 0.5, 2]), r.choice(self.d): r.choice([0, 1])},
                          quarter(r, -1, 1))
        self.initial = {name: quarter(r, -1, 1) for name in self.x + self.y}
        self.initial.update({name: Fraction(r.randint(-1, 2)) for name in self.d})
        self.rates = {name: self.rate() for name in self.x}
        self.rates.update({name: ("line", Line({})) for name in self.d})
        speeds = [Fraction(1, 2), Fraction(1), Fraction(2)]
        self.rates.update({name: ("relax", r.choice(speeds), self.resting()) for name in self.y})
        self.events = [self.event() for _ in range(r.randint(2, 7))]
        self.histories = []
        self.shifts = [Fraction(0), quarter(r, -1, 1), Fraction(r.randint(-32, 32), 64)]
        first = 2 + len(self.initial) + len(self.rates) + (2 if self.u else 0) + 1
        for n, e in enumerate(self.events):
            e.number, e.line = n, first + n

    def resting(self):
        r = self.r
        return Line({r.choice(self.d): r.choice([-1, 0, 0.5, 1])}, quarter(r, -2, 2))

    def rate(self):
        r = self.r
        type_ = r.random()
        if type_ < 0.35:
            return "line", Line({}, r.choice([-2, -1, -0.5, 0.25, 0.5, 1, 1, 2]))
        if type_ < 0.7:
            return "line", self.resting()
        if type_ < 0.85:
            return "switch", Compare(r.choice(["<", ">", ">="]), self.resting()), quarter(r, -2, 2), quarter(r, -2, 2)
        at = Line({"t": 1}, -Fraction(r.randint(1, 30), 8))
        return "switch", Compare(r.choice(["<", ">", ">=", "<="]), at), quarter(r, -2, 2), quarter(r, -2, 2)

    def moving(self):
        """A line that moves, and is not of two exponentials."""
        r = self.r
        if self.y and r.random() < 0.4:
            return Line({"y": r.choice([-1, 1, 2])}, quarter(r, -2, 2))
        if r.random() < 0.1:
            return Line({"t": r.choice([1, 2]), "k": r.choice([0, 1])}, -Fraction(r.randint(1, 30), 8))
        factors = {r.choice(self.x): r.choice([-1, 1, -0.5, 2])}
        if r.random() < 0.4:
            factors[r.choice(self.x + self.d + ["k"])] = r.choice([-1, 1, 0.5])
        return Line(factors, quarter(r, -3, 3))

    def compare(self):
        r = self.r
        type_ = r.random()
        if type_ < 0.25:
            return Compare("=", Line({r.choice(self.d): 1}, -r.randint(-1, 3)))
        if type_ < 0.35:
            return Compare(r.choice(["<", ">", "<=", ">="]), self.resting())
        return Compare(r.choice(["<", ">", "<=", ">="]), self.moving())

    def condition(self, depth=0):
        r = self.r
        if depth == 2 or r.random() < 0.55:
            return self.compare()
        word = r.choice(["and", "or", "not"])
        return Logic(word, *[self.condition(depth + 1) for _ in range(1 if word == "not" else 2)])

    def value(self, state):
        """A line that the state is set to, and its condition."""
        r = self.r
        if r.random() < 0.35:
            line = Line({state: r.choice([1, 1, -1, 0.5])}, quarter(r, -2, 2))
        elif r.random() < 0.5 or state in self.x:
            line = Line({}, r.randint(-2, 3) if state in self.d else quarter(r, -2, 2))
        else:
            line = Line({r.choice(self.d): r.choice([1, -1])}, r.randint(-1, 2))
        if state in self.x and r.random() < 0.2:
            line = Line({r.choice(self.x + self.d + ["k", "t"]): r.choice([1, -1])}, quarter(r, -1, 1))
        return line, self.compare() if r.random() < 0.15 else None

    def options(self):
        r, options = self.r, {}
        if r.random() < 0.25:
            by = r.choice(self.d + ["k"])
            options["delay"] = Line({by: r.choice([0, 0, 0, 0.25])}, Fraction(r.randint(3, 14), 8))
            if r.random() < 0.5:
                options["late"] = True
        if r.random() < 0.3:
            options["priority"] = r.choice([-1, 1, 1, 2.5])
        return options

    def event(self):
        r = self.r
        states = r.sample(self.x + self.d + self.y, r.randint(1, min(3, len(self.x) + len(self.d))))
        sets = [(state, *self.value(state)) for state in states]
        type_, options = r.random(), self.options()
        if type_ < 0.3:
            late = r.random() > 0.01
            at = Line({"k": r.choice([0, 0, 1, 0.5])}, Fraction(r.randint(9, 32), 8) if late else Fraction(1, 4))
            return Event(sets, at=at, **options)
        options.update({word: True for word in ("falling", "initially") if r.random() < 0.2})
        if type_ < 0.6:
            return Event(sets, condition=Compare(">=", self.moving()), by_sign=True, **options)
        return Event(sets, condition=self.condition(), **options)

    def texts(self):
        """The element's lines behind its first."""
        lines = ["  param k = 0"]
        for name, x in self.initial.items():
            if name.endswith("[0]"):
                letter = name[0]
                values = ", ".join(repr(float(v)) for n, v in self.initial.items() if n[0] == letter)
                lines.append(f"  state {letter}[{values.count(',') + 1}] = {{{values}}}")
            elif name == "y":
                lines.append(f"  state y = {float(x)!r}")
            else:
                lines.append("")
        for name, rate in self.rates.items():
            if rate[0] == "relax":
                lines.append(f"  {name}' = {float(rate[1])!r}*({rate[2].text()} - {name})")
            elif rate[0] == "line":
                lines.append(f"  {name}' = {rate[1].text()}")
            else:
                lines.append(f"  {name}' = if {rate[1].text()} then {float(rate[2])!r} else {float(rate[3])!r}")
        if self.u:
            lines += ["  unknown u = 0", f"  0 = u - {self.u.text()}"]
        by_u = self.u.text() if self.u else None
        return lines + ["  " + (e.text().replace(by_u, "u") if by_u else e.text()) for e in self.events] + ["end"]

    def watches(self, instance):
        return ", ".join(f"e[{instance}].{name}" for name in self.initial)

    def text(self, copies, options):
        a, b, c = (repr(float(x)) for x in self.shifts)
        k = f"if i mod 3 = 0 then {a} else if i mod 3 = 1 then {b} else {c}"
        use = f"use e() with k = {k} over i in 0..{copies - 1}"
        net = ["element leak(n)", "  n.v += n.v + ddt(n.v)", "end", "nodes w { balance v = 1 }", "use leak(w)"]
        watch = "watch " + ", ".join(map(self.watches, range(3)))
        return "\n".join(["element e()", *self.texts(), use, *(net if "split" in options else []), watch]) + "\n"


def expected(system):
    """(rows of all three instances, texts of refusals), one of them None."""
    runs, refusals = [], []
    for k in system.shifts:
        rows, run = None, Run(system.initial, system.rates, system.events, k)
        try:
            rows = run.run([n * EVERY for n in range(ROWS + 1)] + [END])
        except Refused as why:
            refusals.append((run.values["t"], why.texts))
        system.histories.append(run.history)
        runs.append(rows)
    return runs, refusals


def call(folder, text, options):
    path = os.path.join(folder, "system.wm")
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    command = [program, "model", "run", path, "--to", str(float(END)), "--every", str(float(EVERY)), "--rtol", "1e-8",
               "--atol", "1e-10", "--method", *options.split()]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    rows = [[float(x) for x in line.split(",")] for line in result.stdout.strip().split("\n")[1:]]
    return rows, result.stderr.strip()


def difference(system, rows, runs):
    """Where rows of three instances differ from what is expected, or ''."""
    names = list(system.initial)
    if len(rows) < ROWS + 1:
        return f"{len(rows)} rows"
    for n in range(ROWS + 1):
        for i, want in enumerate(runs):
            if want[n] is None:
                continue
            for j, name in enumerate(names):
                got, right = rows[n][1 + i * len(names) + j], float(want[n][name])
                if not abs(got - right) <= (3e-4 if system.y else 1e-6) * (1 + abs(right)):
                    return f"t = {rows[n][0]}, e[{i}].{name} is {got!r}, not {right!r}"
    return ""


def check(system, folder, counts, wrong):
    runs, refusals = expected(system)
    first = min((t for t, _ in refusals), default=None)
    texts = [x for t, why in refusals for x in why if t <= first + Fraction(1, 1000)]
    for copies, ways in ((3, SMALL), (COPIES, LARGE)):
        fit = [way for way in ways if (way[1] or not system.y) and (way[2] or not system.u)]
        for options, _, _ in system.r.sample(fit, 2):
            rows, why = call(folder, system.text(copies, options), options)
            if refusals:
                what = "" if any(x in why for x in texts) else f"not refused with one of {texts}: {why}"
            else:
                what = why or difference(system, rows, runs)
            counts["wrong" if what else "refused" if refusals else "right"] += 1
            if what:
                wrong.append(f"{options}, {copies} copies: {what}\n{system.text(copies, options)}"
                             + "\n".join(f"e[{i}] {one}" for i, one in enumerate(system.histories)))


def systems_are_right():
    counts = dict.fromkeys(["systems", "events", "right", "refused", "wrong", "left out"], 0)
    wrong, reasons = [], {}
    number = FIRST - 1
    with tempfile.TemporaryDirectory() as folder:
        while counts["systems"] < COUNT:
            number += 1
            system = System(random.Random(SEED * 1000003 + number))
            try:
                check(system, folder, counts, wrong)
                counts["systems"] += 1
                counts["events"] += max(sum(len(lines) for _, lines in one) for one in system.histories)
            except LeftOut as why:
                counts["left out"] += 1
                reasons[str(why)] = reasons.get(str(why), 0) + 1
    print("#", counts, reasons)
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:int(os.environ.get("WRONG_MOST", "3"))])


tap.run([systems_are_right])
