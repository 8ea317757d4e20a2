"""Times at which conditions of the time alone become true."""
import compute
import wm

SOON = 1e-9  # "behind the start"
RELATIONS = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}


class Instants:
    def __init__(self, system, numbers):
        self.system, self.numbers = system, numbers

    def of(self, e):
        """Expressions of the times, [] for never; None where they cannot be told."""
        s = self.system
        found = s.support([e])
        if "t" not in found or any(n in s.states or n in s.unknowns for n in found):
            return None
        e = self.inlined(e)
        bound = self.plain(e)
        if bound is not None:
            at = self.numbers.value(bound)
            return [bound] if at > 0.0 else [SOON] if at == 0.0 and e[0] in ("<", ">") else []
        bounds = self.bounds(e)
        if bounds is None:
            return None
        times = sorted({t for t in map(self.numbers.value, bounds) if t >= 0.0})
        return [max(t, SOON) for k, t in enumerate(times) if self.begins(e, times, k)]

    def inlined(self, e):
        s = self.system
        return compute.replace(e, lambda n: self.inlined(s.defined[n]) if n in s.defined and s.changes([n]) else n)

    @staticmethod
    def plain(e):
        """The bound of t >= bound and its like, or None."""
        if not isinstance(e, tuple) or e[0] not in RELATIONS or e[0] in ("=", "<>"):
            return None
        operation, a, b = e if e[1] == "t" else (RELATIONS[e[0]], e[2], e[1])
        return b if a == "t" and "t" not in wm.names_in(b) and operation in (">", ">=") else None

    def bounds(self, e):
        """Sides of relations between t and what is constant; None where t stands otherwise."""
        if "t" not in wm.names_in(e):
            return []
        if isinstance(e, str) or e[0] not in set(RELATIONS) | {"and", "or", "not", "if"}:
            return None
        if e[0] in RELATIONS and "t" in e[1:]:
            other = e[2] if e[1] == "t" else e[1]
            return None if "t" in wm.names_in(other) else [other]
        parts = [self.bounds(o) for o in e[1:]]
        return None if None in parts else sum(parts, [])

    def begins(self, e, times, k):
        """That a condition is false before a time, and true at or behind it."""
        t, last = times[k], times[k - 1] if k > 0 else 0.0
        following = times[k + 1] if k + 1 < len(times) else t + 1.0
        if t == 0.0:
            return not self.holds(e, t) and self.holds(e, following / 2)
        before, there = self.holds(e, (last + t) / 2), self.holds(e, t)
        return there and not before or not there and self.holds(e, (t + following) / 2)

    def holds(self, e, time):
        return compute.value(e, lambda n: time if n == "t" else self.numbers.of(n)) != 0.0

    def refuse(self, trigger, line):
        """Equality of what changes by rates holds for no time that steps could see."""
        if not isinstance(trigger, tuple):
            return
        logical = any(isinstance(o, tuple) and o[0] in set(RELATIONS) | {"and", "or", "not"} for o in trigger[1:])
        if trigger[0] == "=" and not logical and any(self.moves(o) for o in trigger[1:]):
            raise wm.Unsupported("triggers that hold for an instant, where two values are equal", line)
        for part in trigger[1:]:
            self.refuse(part, line)

    def moves(self, e):
        s = self.system
        return any(n == "t" or n in s.unknowns or s.rates.get(n, 0.0) != 0.0 for n in s.support([e]))
