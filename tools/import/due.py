"""Events that are due: carried out one by one, by priority, as SBML has it.

States of an event's slot say whether the event is due there, when, and, where its values are those of the trigger's
time, what they are. Times are `event_gap` of themselves behind what causes them. One event of the language carries out who comes first, and notes which triggers that has made
true or false; definitions NAME_then are what states and definitions are behind it. A slot holds one occasion of an
event; where an event with a delay becomes true more often within it than it has slots, the state NAME_full leaves
its range, which ends the run."""
import compute
import wm

GAP = 1e-9
SLOTS = 6


class Slot:
    def __init__(self, queue, event):
        new = queue.system.new
        self.event, self.due, self.at = event, new(f"{event.name}_due"), new(f"{event.name}_at")
        self.ready, self.first = new(f"{event.name}_ready"), new(f"{event.name}_first")
        self.kept = [new(f"{event.name}_{a.target}") if event.at_trigger else None for a in event.assigned]

    def values(self):
        return [a.whole(kept) for a, kept in zip(self.event.assigned, self.kept)]

    def states(self):
        return [self.due, self.at] + [k for k in self.kept if k is not None]


class Queue:
    """events: of happen.py. begun: [(time, event, numbers)], what is due from the start on."""

    def __init__(self, events, begun):
        self.events, self.system = events, events.system
        self.gap, self.last = self.system.new("event_gap"), self.system.new("event_last")
        self.targets = {a.target for e in self.system.events for a in e.assigned}
        self.slots = {e.name: self.slots_of(e, begun) for e in self.system.events}
        self.all = [s for slots in self.slots.values() for s in slots]
        self.full = {e.name: self.system.new(f"{e.name}_full") for e in self.system.events if len(self.slots[e.name]) > 1}
        self.then = {}
        self.declare(begun)

    def slots_of(self, event, begun):
        again = self.events.delayed(event) or self.targets & self.system.support([event.trigger])
        several = event.persistent and again and not self.once(event)
        return [Slot(self, event) for _ in range(max(SLOTS if several else 1, sum(b[1] is event for b in begun)))]

    def once(self, event):
        times = self.events.instants.of(event.trigger)
        return times is not None and len(times) <= 1 and event.true_before

    # ------------------------------------------------------------------ states and definitions

    def state(self, name, begun=0.0, bounds=None):
        self.system.states[name], self.system.rates[name] = begun, 0.0
        if bounds:
            self.events.bounds[name] = bounds

    def declare(self, begun):
        s, left = self.system, list(begun)
        s.constants[self.gap] = GAP
        self.state(self.last, -1.0)
        for name in self.full.values():
            self.state(name, 0.0, " in 0..0.5")
        for slot in self.all:
            mine = next((b for b in left if b[1] is slot.event), None)
            if mine is not None:
                left.remove(mine)
            self.state(slot.due, float(mine is not None))
            self.state(slot.at, mine[0] if mine else 0.0)
            for k, name in enumerate(slot.kept):
                if name is not None:
                    self.state(name, mine[2][k] if mine else 0.0)
            s.defined[slot.ready] = wm.both(slot.due, (">=", wm.TIME, ("max", slot.at, self.behind_gap(self.last))))
        for slot in self.all:
            s.defined[slot.first] = self.first(slot)
        self.declare_then()

    def declare_then(self):
        for target in sorted(self.targets):
            value = target
            for slot in reversed(self.all):
                for a, v in zip(slot.event.assigned, slot.values()):
                    value = wm.choose(slot.first, v, value) if a.target == target else value
            self.then[target] = self.system.new(f"{target}_then")
            self.system.defined[self.then[target]] = value

    def first(self, slot):
        """That a slot is ready, and no other one, ready or within half a gap, comes before it."""
        soon, place = ("*", wm.TIME, ("+", 1.0, ("*", 0.5, self.gap))), self.all.index(slot)
        conditions = [slot.ready]
        for k, other in enumerate(self.all):
            before = 0.0 if other is slot else self.precedes(other.event.priority, slot.event.priority, k < place)
            conditions.append(wm.negated(wm.both(other.due, (">=", soon, other.at), before)))
        return wm.both(*conditions)

    @staticmethod
    def precedes(a, b, earlier):
        if a is None or b is None:
            return float(earlier if (a is None) == (b is None) else a is not None)
        known = compute.number_of(a), compute.number_of(b)
        if None in known:
            return (">=" if earlier else ">", a, b)
        return float(known[0] > known[1] or earlier and known[0] == known[1])

    # ------------------------------------------------------------------ behind an assignment

    def behind(self, e):
        """What an expression is behind the assignments."""
        return compute.replace(e, self.behind_name)

    def behind_name(self, name):
        s = self.system
        if name in self.then or not s.support([name]) & self.targets:
            return self.then.get(name, name)
        if name in s.unknowns:
            raise wm.Unsupported("triggers of what an algebraic equation gives and an event changes", s.line_of(name), name)
        self.then[name] = s.new(f"{name}_then")
        s.defined[self.then[name]] = self.behind(s.defined[name])
        return self.then[name]

    # ------------------------------------------------------------------ events of the language

    def define(self, wish, e):
        """A name for an expression that is used more than once."""
        if not isinstance(e, tuple):
            return e
        name = self.system.new(wish)
        self.system.defined[name] = e
        return name

    def note(self, event, becomes, stays, behind):
        """Assignments by which an event takes its first free slot if it `becomes` due; stays[k]: that slot k stays
        due."""
        assigned, busy, slots = [], 1.0, self.slots[event.name]
        for slot, stay in zip(slots, stays):
            take = wm.both(becomes, busy, wm.negated(stay)) if len(slots) > 1 else becomes
            busy = wm.both(busy, stay)
            values = [(slot.at, self.later(behind(event.delay)))]
            values += [(k, behind(a.value)) for a, k in zip(event.assigned, slot.kept) if k is not None]
            assigned.append((slot.due, wm.either(take, stay)))
            assigned += [(name, wm.choose(take, value, name)) for name, value in values if take != 0.0]
        if event.name in self.full and becomes != 0.0:
            assigned.append((self.full[event.name], wm.both(becomes, busy)))
        return [(name, value) for name, value in assigned if name != value]

    def behind_gap(self, time):
        return ("*", time, ("+", 1.0, self.gap))

    def later(self, delay):
        return self.behind_gap(wm.TIME if compute.number_of(delay) == 0.0 else ("+", wm.TIME, delay))

    def write(self):
        for event in self.system.events:
            due = [slot.due for slot in self.slots[event.name]]
            self.events.when(event.trigger, event.line, self.unless_now(self.note(event, 1.0, due, lambda e: e)))
            if not event.persistent:
                self.events.when(wm.negated(event.trigger), 0, self.unless_now([(name, 0.0) for name in due]))
        assigned = [(target, self.then[target]) for target in sorted(self.targets)] + [(self.last, wm.TIME)]
        for event in self.system.events:
            assigned += self.carried(event)
        ready = wm.either(*(slot.ready for slot in self.all))
        self.events.made.append((False, self.events.truth(ready), assigned))

    def unless_now(self, assigned):
        """Assignments that are not made behind a jump at its time: `carried` has noted what it makes true."""
        return [(name, wm.choose((">", wm.TIME, self.last), value, name)) for name, value in assigned]

    def carried(self, event):
        """What carrying out one event makes of another one, or of itself."""
        becomes, falls = 0.0, 0.0
        if self.targets & self.system.support([event.trigger]):
            then = self.define(f"{event.name}_holds", self.behind(event.trigger))
            becomes = self.define(f"{event.name}_again", wm.both(then, wm.negated(event.trigger)))
            falls = 0.0 if event.persistent else wm.negated(then)
        stays = [wm.both(slot.due, wm.negated(slot.first), wm.negated(falls)) for slot in self.slots[event.name]]
        if becomes != 0.0 and len(stays) > 1:
            stays = [self.define(f"{event.name}_stays", stay) for stay in stays]
        return self.note(event, becomes, stays, self.behind)
