"""Exact simulation of a system with events, by the rules of docs/models.md (Events) and nothing of the engines.

States move with constant rates or relax to a constant, so crossings have closed forms; numbers are fractions, exact but
for the logarithms of those that relax. Where rounding decides what an engine does, as whether a condition on a state
is met together with another event or a rounding later, LeftOut is raised: the rules do not say what is right.
Cost: some operations for each event and atom (comparison) a jump."""
import math
from fractions import Fraction

from event_texts import Line, Occasion

NEAR = Fraction(1, 10 ** 4)      # times that are as near as this and not equal are told apart by rounding
TINY = Fraction(1, 10 ** 9)      # numbers of states that have moved and are as near to 0
LONGEST = Fraction(1, 2)         # of steps: outputs are not farther apart
ROUNDS_MOST, WAITING_MOST, JUMPS_MOST = 100, 8, 300


class LeftOut(Exception):
    """The rules do not say what is right."""


class Refused(Exception):
    """The engines have to refuse: one of these texts is in the message."""

    def __init__(self, *texts):
        super().__init__(*texts)
        self.texts = texts


class Run:
    """rates: {state: ("line", line of what rests) | ("switch", condition of what rests or of t, rate, rate) |
    ("relax", factor, line of what rests)}; unknowns are lines that the caller has put in."""

    def __init__(self, initial, rates, events, k):
        self.rates, self.events = rates, events
        self.values = {**initial, "t": Fraction(0), "k": Fraction(k)}
        self.rounded = set()            # states that have moved since they were set
        self.late = {}                  # states whose values come from searched times: numbers of these
        self.slope, self.relax, self.now_late, self.just_set = {}, {}, frozenset(), set()
        self.zero = {}                  # atoms that are at 0 now: the side that they have come to
        self.queue = []                 # occasions that are due later
        self.history = []               # (time, lines of the events of a round)
        self.plan()
        self.memory = [False] * len(events)
        for e in self.events:
            if e.condition:
                self.memory[e.number] = e.condition.is_true(self.sign_now)

    # ------------------------------------------------------------ motion

    def plan(self):
        """Finds how states move from now on."""
        before, self.slope, self.relax = {**self.slope, **self.relax}, {"t": Fraction(1)}, {}
        for state, rate in self.rates.items():
            if rate[0] == "relax":
                self.relax[state] = (rate[1], rate[2].of(self.values))
            elif rate[0] == "line":
                self.slope[state] = rate[1].of(self.values)
            else:
                self.slope[state] = rate[2 if rate[1].is_true(self.sign_behind) else 3]
        for state, way in {**self.slope, **self.relax}.items():
            if self.moves(state) and (state in self.just_set or way != before.get(state, way)):
                self.late[state] = self.late.get(state, frozenset()) | self.now_late

    def moves(self, name):
        if name in self.relax:
            return self.relax[name][1] != self.values[name]
        return self.slope.get(name, 0) != 0

    def sign_behind(self, atom):
        """The sign of an atom of the time and what rests, a little later."""
        v = atom.line.of(self.values)
        return v if v != 0 else atom.line.factors.get("t", 0)

    def slope_of(self, line):
        total = Fraction(0)
        for name, factor in line.factors.items():
            if name in self.relax:
                c, goal = self.relax[name]
                total += factor * c * (goal - self.values[name])
            else:
                total += factor * self.slope.get(name, 0)
        return total

    def crossing(self, line):
        """The next time at which a line is 0, or None."""
        movers = [name for name in line.factors if self.moves(name)]
        v = line.of(self.values)
        relaxing = [name for name in movers if name in self.relax]
        if not movers:
            return None
        if relaxing:
            assert len(movers) == 1
            c, goal = self.relax[movers[0]]
            factor = line.factors[movers[0]]
            moving = factor * (self.values[movers[0]] - goal)
            rest = v - moving
            if moving == 0 or rest == 0 or abs(v) < TINY:
                return None
            ratio = float(-moving / rest)
            if 0 < ratio < 1 + 1e-6 and ratio > 1 - 1e-6:
                raise LeftOut("grazes its goal")
            return self.values["t"] + Fraction(math.log(ratio) / float(c)) if ratio > 1 else None
        slope = self.slope_of(line)
        return self.values["t"] - v / slope if slope != 0 and v != 0 and (v < 0) == (slope > 0) else None

    def values_at(self, time):
        values, span = dict(self.values), time - self.values["t"]
        for name, slope in self.slope.items():
            values[name] += slope * span
        for name, (c, goal) in self.relax.items():
            values[name] = goal + (values[name] - goal) * Fraction(math.exp(-float(c) * float(span)))
        return values

    def is_searched(self, atom):
        """Whether steps seek the time at which an atom is 0: all but conditions of the time alone."""
        return self.is_rounded(atom.line) or any(e.condition is atom and e.by_sign for e in self.events)

    def lateness(self, line):
        return frozenset().union(*(self.late.get(name, frozenset()) for name in line.factors))

    # ---------------------------------------------------------- conditions

    def is_rounded(self, line):
        return any(name in self.rounded or self.moves(name) for name in line.factors if name != "t")

    def sign_now(self, atom):
        """The sign at this time: of what has crossed just now, where it has come to."""
        if atom in self.zero:
            return self.zero[atom]
        v = atom.line.of(self.values)
        if abs(v) < TINY and self.is_rounded(atom.line):
            raise LeftOut("a rounding tells the sign")
        return v

    def sign_later(self, atom):
        s = 0 if atom in self.zero else self.sign_now(atom)
        if s != 0:
            return s
        slope = self.slope_of(atom.line)
        return slope if slope != 0 else self.zero.get(atom, 0)

    def leave(self):
        """Goes on behind a jump; returns the events by condition that become true a little later."""
        late = []
        for e in self.events:
            if e.condition is None:
                continue
            later = e.condition.is_true(self.sign_later)
            if later and not self.memory[e.number]:
                late.append(Occasion(e))
            else:
                self.memory[e.number] = later
        return late

    # --------------------------------------------------------------- jumps

    def wait(self, event):
        """Puts what an event with a delay sets into its queue."""
        now, late = self.values["t"], self.now_late
        if sum(o.event is event and o.time > now for o in self.queue) == WAITING_MOST:
            raise Refused(f"more than {WAITING_MOST} of the event at line {event.line} wait")
        due = now + event.delay.of(self.values)
        if due <= now:
            raise Refused(f"the delay of the event at line {event.line} is no number above 0")
        kept = {}
        for state, line, condition in [] if event.late else event.sets:
            is_done = condition is None or condition.is_true(self.sign_now)
            of = line if is_done else Line({state: 1})
            kept[state] = of.of(self.values), self.is_rounded(of), self.lateness(of)
        self.queue.append(Occasion(event, due, None if event.late else kept, late | self.lateness(event.delay)))

    def assign(self, fired):
        """One round: all values are those before it."""
        self.history.append((float(self.values["t"]), [o.event.line for o in fired]))
        setting, reads_rounded, kept_late = {}, set(), {}
        for o in fired:
            e = o.event
            if o.waits:
                self.wait(e)
                continue
            for state, line, condition in e.sets:
                if o.kept is not None:
                    value, is_rounded, kept_late[state] = o.kept[state]
                    if is_rounded:
                        reads_rounded.add(state)
                    setting.setdefault(state, []).append((e, value, False, is_rounded, Line({}, value)))
                    continue
                value = line.of(self.values)
                is_done = condition is None or condition.is_true(self.sign_now)
                is_itself = line.factors == {state: 1} and line.constant == 0
                if not is_done or ((condition is not None or is_itself) and value == self.values[state]):
                    continue
                is_rounded = self.is_rounded(line)
                if is_rounded:
                    reads_rounded.add(state)
                setting.setdefault(state, []).append((e, value, state in line.factors, is_rounded, line))
        troubles = []
        for state, by in setting.items():
            for i, one in enumerate(by):
                for two in by[:i]:
                    same = one[1] == two[1]
                    if same and (one[3] or two[3]) and one[4].text() != two[4].text():
                        raise LeftOut("a rounding tells whether values are the same")
                    if not same or one[2] or two[2]:
                        troubles.append(sorted((two[0].line, one[0].line)))
        if troubles:
            raise Refused(*[f"the events at lines {a} and {b} happen at once" for a, b in troubles])
        changed = set(setting)
        for state, by in setting.items():
            self.late[state] = kept_late.get(state, self.lateness(by[0][4]))
            self.just_set.add(state)
            self.values[state] = by[0][1]
            self.rounded.discard(state)
        self.rounded |= reads_rounded
        self.zero = {a: s for a, s in self.zero.items() if not changed & set(a.line.factors)}

    def jump(self, fired, sign=None):
        """Rounds of the highest priority, until none waits and none becomes true."""
        sign = sign or self.sign_now
        for o in fired:
            if o.event.condition:
                self.memory[o.event.number] = o.time is None or self.memory[o.event.number]
        for _ in range(ROUNDS_MOST):
            first = max(o.priority for o in fired)
            before, fired = fired, [o for o in fired if o.priority < first]
            self.assign([o for o in before if o.priority == first])
            self.plan()
            for e in self.events:
                if e.condition is None:
                    continue
                now = e.condition.is_true(sign)
                if now and not self.memory[e.number]:
                    fired.append(Occasion(e))
                self.memory[e.number] = now
            if not fired:
                return
        raise Refused(*[f"more than {ROUNDS_MOST} times at once, at last that at line {o.event.line}"
                        for o in before + fired])

    def arrive(self, time):
        """Goes to a time at which something crosses or is due; returns the events of the first round."""
        hits = {a: self.slope_of(a.line) for a in self.atoms() if self.crossing(a.line) == time}
        timed = [Occasion(e) for e in self.events if e.at and e.at.of(self.values) == time]
        due = [o for o in self.queue if o.time == time]
        moving = {name for name in self.values if self.moves(name)}
        is_edge = time in self.edges()
        self.values, self.just_set = self.values_at(time), set()
        self.values["t"] = time
        rounded = {a for a in hits if self.is_searched(a)}
        lateness = {self.lateness(a.line) for a in rounded} | {o.lateness for o in due}
        lateness |= {frozenset()} if timed or is_edge else set()
        if len(lateness) > 1:
            raise LeftOut("a search tells whether events are of one time")
        self.now_late = max(lateness, default=frozenset())
        if rounded and not (timed or is_edge or due):
            self.now_late = self.now_late | {len(self.history)}
        self.rounded |= moving - {"t"}
        self.zero = {a: s for a, s in self.zero.items() if not moving & set(a.line.factors)}
        self.zero.update({a: hits[a] for a in rounded})
        fired, unsure = timed + due, []
        self.queue = [o for o in self.queue if o.time > time]
        for e in self.events:
            if e.condition is None:
                continue
            now = e.condition.is_true(self.sign_now)
            if any(a in rounded for a in e.condition.atoms()) and not (e.by_sign and now):
                unsure.append(e)
            if now and not self.memory[e.number]:
                fired.append(Occasion(e))
            if len({a.line.text() for a in e.condition.atoms() if a in rounded}) > 1:
                raise LeftOut("a rounding tells which part is first")
            if now != self.memory[e.number] and not e.by_sign and self.turns_back(e, now):
                raise LeftOut("a step may hide it")
            self.memory[e.number] = now
        others = is_edge or any(o.time is not None or o.event not in unsure for o in fired)
        if unsure and (others or (fired and len(unsure) > 1)):
            raise LeftOut("a rounding tells whether events are of one round")
        return fired

    def turns_back(self, event, now):
        """Whether a condition that has become true, or false, would be that for less than the longest step."""
        times = sorted(x for x in (self.crossing(a.line) for a in event.condition.atoms()) if x is not None)
        for time in times:
            if time - self.values["t"] > LONGEST:
                break
            values = self.values_at(time + NEAR / 2)
            if event.condition.is_true(lambda a, v=values: a.line.of(v)) != now:
                return True
        return False

    def atoms(self):
        return [a for e in self.events if e.condition for a in e.condition.atoms()]

    def edges(self):
        """Times at which rates switch."""
        lines = [rate[1].line for rate in self.rates.values() if rate[0] == "switch" and "t" in rate[1].line.factors]
        return [x for x in map(self.crossing, lines) if x is not None]

    def next_time(self):
        now = self.values["t"]
        times = [self.crossing(a.line) for a in self.atoms()] + self.edges()
        times += [e.at.of(self.values) for e in self.events if e.at] + [o.time for o in self.queue]
        times = [x for x in times if x is not None and x > now]
        if not times:
            return None
        first = min(times)
        if first - now < NEAR or any(0 < x - first < NEAR for x in times):
            raise LeftOut("times are nearly one")
        return first

    def run(self, outputs):
        """Returns the values at output times: of an event's time those before; None where an event by sign or condition
        is so near that rounding tells which side."""
        rows = []
        late = [e for e in self.events if e.at and e.at.of(self.values) <= 0]
        if late:
            raise Refused(*[f"the time of the event at line {e.line} is not behind the start" for e in late])
        first = [Occasion(e) for e in self.events if e.options.get("initially") and self.memory[e.number]]
        if outputs[0] == 0:
            rows.append(self.values_at(outputs.pop(0)))
        if first:
            self.jump(first)
        self.go_on()
        for _ in range(JUMPS_MOST):
            time = self.next_time()
            while outputs and (time is None or outputs[0] <= time + NEAR):
                out = outputs.pop(0)
                is_near = time is not None and abs(out - time) <= NEAR
                exact = is_near and out == time and not self.is_late(time)
                rows.append(None if is_near and not exact else self.values_at(out))
            if not outputs or time is None:
                return rows
            fired = self.arrive(time)
            if fired:
                self.jump(fired)
            self.go_on()
        raise LeftOut("too many events")

    def is_late(self, time):
        """Whether a rounding tells on which side of this time an event is."""
        hits = [a for a in self.atoms() if self.crossing(a.line) == time and self.is_searched(a)]
        return bool(hits) or any(o.time == time and o.lateness for o in self.queue)

    def go_on(self):
        """Makes jumps of what becomes true a little behind this time."""
        for _ in range(JUMPS_MOST):
            self.plan()
            fired = self.leave()
            if not fired:
                return
            self.jump(fired, self.sign_later)
        raise LeftOut("ever again at one time")
