"""Events by SBML's rules, as events of the language.

An event of the language sets states when an expression rises from below 0, across a jump too, all by the values before
it. Events that do not meddle with each other are said so: with the trigger as a
condition, or with the times at which a trigger of the time alone becomes true. All others are carried out one by
one, by due.py, each `event_gap` of the time behind what causes it, which is a parameter."""
import begun
import compute
import conditions
import due
import wm
from instants import Instants


class Events:
    """made: [(whether at a time, the time or what rises, [(state, expression)])]; bounds: {state: its range}."""

    def __init__(self, system, numbers):
        self.system, self.numbers, self.instants = system, numbers, Instants(system, numbers)
        self.made, self.bounds = [], {}

    @staticmethod
    def truth(condition):
        """What rises through 0 when a condition becomes true."""
        return ("-", condition if conditions.logical(condition) else ("<>", condition, 0.0), 0.5)

    @staticmethod
    def delayed(event):
        return compute.number_of(event.delay) != 0.0

    def independent(self):
        """Whether each may be carried out when its trigger becomes true, whatever the others do."""
        events = self.system.events
        if any({a.target for a in e.assigned} & self.system.support([e.trigger]) and len(conditions.parts(e.trigger)) > 1
               for e in events):
            return False  # parts that its own assignments change are not told from the whole
        pairs = ((one, other) for one in events for other in events if one is not other)
        return not any(self.delayed(e) for e in events) and not any(self.meddles(*pair) for pair in pairs)

    def meddles(self, one, other):
        targets = {a.target for a in one.assigned}
        if targets & self.system.support([other.trigger]):
            return True
        used = set() if other.at_trigger else self.system.support([a.whole() for a in other.assigned])
        return bool(targets & ({a.target for a in other.assigned} | used)) and not self.apart(one, other)

    def refuse_chance(self):
        """Of events of one priority that become due together SBML asks for a choice by chance."""
        events = self.system.events
        for k, one in enumerate(events):
            for other in events[:k]:
                given = one.priority is not None and other.priority is not None
                same = given and self.numbers.value(one.priority) == self.numbers.value(other.priority)
                if same and self.together(one, other) and (self.spoils(one, other) or self.spoils(other, one)):
                    raise wm.Unsupported("choices by chance, between events of one priority", one.line, f"{other.name} and {one.name}")

    def together(self, one, other):
        starts = not one.true_before and not other.true_before
        return one.trigger == other.trigger or starts or None not in (self.instants.of(one.trigger), self.instants.of(other.trigger)) \
            and not self.apart(one, other)

    def spoils(self, one, other):
        """Whether what `other` does depends on whether `one` was before it."""
        targets = {a.target for a in one.assigned}
        used = set() if other.at_trigger else self.system.support([a.whole() for a in other.assigned])
        stops = set() if other.persistent else self.system.support([other.trigger])
        return bool(targets & (used | stops))

    def apart(self, one, other):
        """Whether the times of two events are known, and others."""
        times = [self.instants.of(e.trigger) for e in (one, other)]
        if None in times:
            return False
        first, second = ({self.numbers.value(t) for t in of} for of in times)
        return not first & second

    def when(self, condition, line, assigned):
        """Puts assignments at each time that a condition becomes true."""
        self.instants.refuse(condition, line)
        parts = conditions.parts(condition) if self.instants.of(condition) is None else [condition]
        for part in parts:
            with_it, without = (conditions.given(condition, part, value) for value in (1.0, 0.0))
            for change, now, before in ((part, with_it, without), (wm.negated(part), without, with_it)):
                guard = wm.both(now, wm.negated(before))
                if guard != 0.0:
                    self.at(change, guard, assigned)

    def at(self, part, guard, assigned):
        """Puts assignments at each time that a part of a condition becomes true, where the guard holds."""
        times = self.instants.of(part)
        guarded = [(state, wm.choose(guard, value, state)) for state, value in assigned]
        if times is not None:
            self.made += [(True, t, guarded) for t in times]
        elif compute.number_of(part) is None:
            self.made.append((False, self.truth(part), guarded))

    def write(self):
        self.refuse_chance()
        left = begun.carry_out(self.system, self.numbers)
        if not left and self.independent():
            for e in self.system.events:
                self.when(e.trigger, e.line, [(a.target, a.whole()) for a in e.assigned])
        elif self.system.events:
            due.Queue(self, left).write()
        return self.made
