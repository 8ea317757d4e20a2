"""What variables are at the start: as numbers, for what is decided there, and as expressions of parameters, which is
what the language takes.

A definition that changes has a second one, NAME_start, of what it is at the start. What an unknown is there only
the engine finds: Newton's method finds its number here, for one closing equation at a time, and an expression of it
is refused."""
import math

import compute
import wm


class Numbers:
    """The numbers at the start; `over` has those that events of the start have changed."""

    def __init__(self, system):
        self.system, self.known, self.open, self.over = system, {"t": 0.0}, set(), {}

    def of(self, name):
        if name in self.over:
            return self.over[name]
        if name not in self.known:
            if name in self.open:
                raise wm.Unsupported("circles of initial values", self.system.line_of(name), name)
            self.open.add(name)
            self.known[name] = self.compute(name)
            self.open.discard(name)
        return self.known[name]

    def compute(self, name):
        s = self.system
        if name in s.unknowns:
            return self.solve(name)
        table = next((t for t in (s.constants, s.frozen, s.states, s.defined) if name in t), None)
        if table is None:
            raise wm.Unsupported("names that nothing has", 0, name)
        return self.value(table[name])

    def value(self, e):
        return compute.value(e, self.of)

    def set(self, numbers):
        """States have other numbers; what depends on them is computed again."""
        frozen = {name: self.of(name) for name in self.system.frozen}
        self.over.update(numbers)
        self.known = {"t": 0.0, **frozen}

    def solve(self, name):
        """Of the closing equation that has this unknown and no other."""
        s = self.system
        for e in s.closing:
            if wm.names_in(e) & set(s.unknowns) == {name}:
                return self.newton(name, e)
        raise wm.Unsupported("initial values by algebraic equations", s.line_of(name), name)

    def newton(self, name, e):
        def residual(x):
            return compute.value(e, lambda n: x if n == name else self.of(n))

        x = self.value(self.system.unknowns[name])
        x = 0.0 if math.isnan(x) else x
        for _ in range(100):
            step = 1e-7 * max(abs(x), 1e-3)
            at, slope = residual(x), (residual(x + step) - residual(x - step)) / (2 * step)
            if slope == 0.0 or math.isnan(slope):
                break
            x -= at / slope
            if abs(at / slope) <= 1e-13 * max(abs(x), 1e-300):
                return x
        if abs(residual(x)) <= 1e-12:
            return x
        raise wm.Unsupported("initial values by algebraic equations", self.system.line_of(name), name)


class Texts:
    """Expressions of parameters alone."""

    def __init__(self, system, numbers):
        self.system, self.numbers, self.starts, self.open = system, numbers, {}, []
        self.made = {}

    def of(self, e):
        return compute.replace(e, self.of_name)

    def of_name(self, name):
        s = self.system
        if name == "t":
            return 0.0
        if name in s.constants or name in s.frozen:
            return name
        if name in s.defined and not s.changes([name]):
            return name
        if name in s.unknowns:
            return self.numbers.of(name)
        if name not in s.states and name not in s.defined:
            raise wm.Unsupported("names that nothing has", 0, name)
        return self.start(name)

    def start(self, name):
        s = self.system
        if name in self.open:
            raise wm.Unsupported("circles of initial values", s.line_of(name), name)
        if name not in self.starts:
            self.open.append(name)
            e = self.of((s.states if name in s.states else s.defined)[name])
            self.open.pop()
            if isinstance(e, tuple) and compute.number_of(e) is None:
                made = s.new(f"{name}_start")
                self.made[made] = e
                e = made
            self.starts[name] = e
        return self.starts[name]


def refuse_unset(system, numbers):
    """Rates that are no numbers, because of a symbol that the source gives none."""
    unset = {name for name, number in system.constants.items() if math.isnan(number)}
    for name in system.states if unset else ():
        needed = unset & system.support([system.rates[name]])
        if needed and math.isnan(numbers.value(system.rates[name])):
            lost = min(needed, key=system.line_of)
            raise wm.Unsupported("rates by symbols without a value", system.line_of(lost), lost)


def lower(system, numbers):
    """Puts expressions of parameters in place of what states, unknowns and frozen numbers are at the start."""
    refuse_unset(system, numbers)
    texts = Texts(system, numbers)
    frozen = {name: texts.of(e) for name, e in system.frozen.items()}
    states = {}
    for name, e in system.states.items():
        begun = numbers.over[name] if name in numbers.over else texts.starts.get(name) or texts.of(e)
        known = compute.number_of(begun)
        states[name] = begun if known is None else finite(known, name, system)
    system.unknowns = {name: finite(guess(numbers, name, e), name, system) for name, e in system.unknowns.items()}
    system.frozen = {**frozen, **texts.made}
    system.states = states
    for name, number in system.constants.items():
        if not math.isfinite(number):
            system.defined[name] = ("/", 0.0 if math.isnan(number) else math.copysign(1.0, number), 0.0)
    system.constants = {name: number for name, number in system.constants.items() if math.isfinite(number)}


def guess(numbers, name, e):
    try:
        return numbers.of(name)
    except wm.Unsupported:
        found = numbers.value(e)
        return found if math.isfinite(found) else 1.0


def finite(number, name, system):
    if not math.isfinite(number):
        raise wm.Unsupported("states without an initial value", system.line_of(name), name)
    return number
