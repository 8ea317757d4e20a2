"""Events whose triggers hold at the start, and are taken to have been false before: carried out on the numbers of
the start."""
import math

import due
import wm

MOST = 1000


def holds(numbers, event):
    return numbers.value(event.trigger) != 0.0


def entry(numbers, event):
    """(time, event, its values or None)."""
    return numbers.value(event.delay), event, [numbers.value(a.value) if event.at_trigger else None for a in event.assigned]


def before(numbers, event):
    return -math.inf if event.priority is None else numbers.value(event.priority)


def carry_out(system, numbers):
    """Carries out what happens at the start; what is due later is left: [(time, event, numbers)]."""
    left = [entry(numbers, e) for e in system.events if not e.true_before and holds(numbers, e)]
    for _ in range(MOST):
        now = [e for e in left if e[0] <= 0.0]
        if not now:
            return [(time * (1.0 + due.GAP), event, [v or 0.0 for v in values]) for time, event, values in left]
        first = max(now, key=lambda e: before(numbers, e[1]))
        left.remove(first)
        _, event, values = first
        were = {e.name: holds(numbers, e) for e in system.events}
        value_of = [numbers.value(a.value) if v is None else v for a, v in zip(event.assigned, values)]
        numbers.set({a.target: v * numbers.value(a.scale) for a, v in zip(event.assigned, value_of)})
        left = [e for e in left if e[1].persistent or holds(numbers, e[1])]
        left += [entry(numbers, e) for e in system.events if holds(numbers, e) and not were[e.name]]
    raise wm.Unsupported("events that cause each other for ever", system.events[0].line)
