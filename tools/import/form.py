"""The form that importers share: variables by what determines them, from which start.py, rates.py and happen.py make
what the language takes, and element() its text.

    constants    {name: number}       parameters
    frozen       {name: expression}   numbers that are what an expression is at the start
    states       {name: expression}   what a state is at the start: of anything, as that is at the start
    rates        {name: expression}   of each state
    defined      {name: expression}   definitions, at all times
    unknowns     {name: expression}   what closing equations determine, and a guess
    closing      [expression]         0 = expression
    events       [Event]
    lines        {name: line}         of the source

Expressions are those of wm.py and ("rateof", name), which rates.py replaces. What the language cannot say is
refused by wm.Unsupported with the line of the element that asks for it."""
import dataclasses

import wm


@dataclasses.dataclass
class Event:
    """What happens when a trigger becomes true, by SBML's rules."""
    name: str
    line: int
    trigger: object  # a condition
    true_before: bool = True  # what the trigger is taken to be before the start
    persistent: bool = True  # a trigger that becomes false before the event is carried out does not call it off
    delay: object = 0.0
    priority: object = None
    at_trigger: bool = True  # values are those of the trigger's time
    assigned: list = dataclasses.field(default_factory=list)  # Assignment


@dataclasses.dataclass
class Assignment:
    """target = value * scale; `scale` is that of the time of the assignment."""
    target: wm.Name
    value: object
    scale: object = 1.0

    def whole(self, value=None):
        value = self.value if value is None else value
        return value if self.scale == 1.0 else ("*", value, self.scale)


class System:
    def __init__(self):
        self.constants, self.frozen, self.states, self.rates, self.defined, self.unknowns = {}, {}, {}, {}, {}, {}
        self.closing, self.events, self.lines = [], [], {}
        self.names = wm.Names()

    def line_of(self, name):
        return self.lines.get(name, 0)

    def new(self, *wishes):
        """A name of nothing in the source."""
        return self.names.of(("made", wishes, len(self.names.given)), *wishes)

    def support(self, expressions):
        """All names that expressions depend on, through definitions and closing equations."""
        found, left = set(), set().union(*(wm.names_in(e) for e in expressions))
        while left:
            name = left.pop()
            found.add(name)
            more = wm.names_in(self.defined[name]) if name in self.defined else set()
            if name in self.unknowns:
                more = set().union(*(wm.names_in(e) for e in self.closing))
            left |= more - found
        return found

    def changes(self, expressions):
        """Whether expressions change after the start."""
        return any(n == "t" or n in self.states or n in self.unknowns for n in self.support(expressions))


def lines_of(parameters, states, discrete, definitions, unknowns):
    lines = [f"  param {p} = {wm.text(v)}" for p, v in parameters.items()]
    lines += [f"  {'discrete' if s in discrete else 'state'} {s} = {wm.text(v)}{bounds}" for s, (v, bounds) in states.items()]
    lines += [f"  unknown {u} = {wm.text(v)}" for u, v in unknowns.items()]
    return lines + [f"  {d} = {wm.text(e)}" for d, e in definitions.items()]


def refuse_unknown(system, happenings):
    """Names in expressions that nothing declares."""
    tables = [system.constants, system.frozen, system.states, system.rates, system.defined, system.unknowns]
    declared = {wm.TIME}.union(*tables)
    happen = [(0, e) for _, condition, assigned in happenings for e in (condition, *(value for _, value in assigned))]
    for owner, e in [item for table in tables for item in table.items()] + [(0, e) for e in system.closing] + happen:
        for lost in wm.names_in(e) - declared:
            raise wm.Unsupported("names that nothing has", system.line_of(owner), lost)


def element(name, comment, system, happenings, bounds=None):
    """The text of a model of one element. happenings: [(timed or None, condition or time, [(name, expression)])]."""
    refuse_unknown(system, happenings)
    renamed = [f"{key} is {given}" for key, given in system.names.given.items() if isinstance(key, str) and key.split(".")[-1] != given]
    lines = [f"# {line}".rstrip() for line in comment + renamed] + [f"element {name}()"]
    states = {s: (v, (bounds or {}).get(s, "")) for s, v in system.states.items()}
    discrete = {s for s, (_, range_of) in states.items() if system.rates[s] == 0.0 and range_of == ""}
    lines += lines_of(system.constants, states, discrete, {**system.frozen, **system.defined}, system.unknowns)
    lines += [f"  {s}' = {wm.text(system.rates[s])}" for s in states if s not in discrete]
    lines += [f"  0 = {wm.text(e)}" for e in system.closing]
    for timed, condition, assigned in happenings:
        at = "t = " if timed else ""
        lines.append(f"  event {at}{wm.text(condition)}: " + ", ".join(f"{n} = {wm.text(v)}" for n, v in assigned))
    return "\n".join(lines + ["end", f"use {name}()", ""])
