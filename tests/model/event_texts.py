"""Expressions, conditions and events of event_systems.py, as they are written in a model's text."""
import math
from fractions import Fraction


class Line:
    """A linear expression: {name: factor} and a constant."""

    def __init__(self, factors, constant=0):
        self.factors = {name: Fraction(x) for name, x in factors.items() if x}
        self.constant = Fraction(constant)

    def text(self):
        terms = [f"{float(x)!r}*{name}" for name, x in self.factors.items()]
        return "(" + " + ".join(terms + [repr(float(self.constant))]).replace("+ -", "- ") + ")"

    def of(self, values):
        return self.constant + sum(x * values[name] for name, x in self.factors.items())


class Compare:
    """A comparison of a line with 0; signs of events are `>=`."""

    def __init__(self, sign, line):
        self.sign, self.line = sign, line

    def text(self):
        return f"{self.line.text()} {self.sign} 0"

    def atoms(self):
        return [self]

    def is_true(self, sign_of):
        s = sign_of(self)
        return {"<": s < 0, "<=": s <= 0, ">": s > 0, ">=": s >= 0, "=": s == 0}[self.sign]


class Logic:
    """and, or, not of conditions."""

    def __init__(self, word, *of):
        self.word, self.of = word, of

    def text(self):
        if self.word == "not":
            return f"not ({self.of[0].text()})"
        return "(" + f" {self.word} ".join(x.text() for x in self.of) + ")"

    def atoms(self):
        return [a for x in self.of for a in x.atoms()]

    def is_true(self, sign_of):
        values = [x.is_true(sign_of) for x in self.of]
        return not values[0] if self.word == "not" else all(values) if self.word == "and" else any(values)


class Event:
    """at: a line of k, or None; condition: of those by sign a Compare. sets: (state, line, condition or None: kept
    unless that is true). options: falling, initially, delay (a line), late, priority."""

    def __init__(self, sets, at=None, condition=None, by_sign=False, **options):
        self.sets, self.at, self.by_sign, self.options = sets, at, by_sign, options
        self.said = self.condition = condition
        self.delay, self.late = options.get("delay"), options.get("late", False)
        self.priority = options.get("priority", 0)
        if options.get("falling") and by_sign:
            line = condition.line
            self.condition = Compare(">=", Line({n: -x for n, x in line.factors.items()}, -line.constant))
        elif options.get("falling"):
            self.condition = Logic("not", condition)
        self.number = self.line = 0

    def text(self):
        if self.at:
            what = f"t = {self.at.text()}"
        else:
            what = self.said.line.text() if self.by_sign else self.said.text()
        for word, value in self.options.items():
            what += f" {word}" + (f" {value.text()}" if word == "delay" else f" {value}" if word == "priority" else "")
        values = [v.text() if c is None else f"if {c.text()} then {v.text()} else {s}" for s, v, c in self.sets]
        return f"event {what}: " + ", ".join(f"{x[0]} = {value}" for x, value in zip(self.sets, values))


class Occasion:
    """An event that happens: by its trigger, or due, with values that have been kept or None."""

    def __init__(self, event, time=None, kept=None, lateness=frozenset()):
        self.event, self.time, self.kept, self.lateness = event, time, kept, lateness
        self.waits = event.delay is not None and time is None
        self.priority = math.inf if self.waits else event.priority
