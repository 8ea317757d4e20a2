"""Expressions of wm.py, computed, searched and rewritten.

Numbers are C's: 1/0 is infinite, the logarithm of -1 is no number, and nothing is raised."""
import functools
import math
import operator

import wm


def _quotient(a, b):
    if b == 0.0:
        return math.nan if a == 0.0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def _sign(a):
    return math.copysign(1.0, a) if a else 0.0


COMPUTED = {"or": lambda a, b: a != 0 or b != 0, "and": lambda a, b: a != 0 and b != 0, "=": operator.eq, "<>": operator.ne,
            "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "+": operator.add, "-": operator.sub,
            "*": operator.mul, "/": _quotient, "^": math.pow, "not": operator.not_, "neg": operator.neg, "min": min, "max": max,
            "abs": abs, "floor": math.floor, "ceil": math.ceil, "sign": _sign, "rsqrt": lambda a: _quotient(1.0, math.sqrt(a)),
            "ln": lambda a: -math.inf if a == 0.0 else math.log(a), "log10": lambda a: -math.inf if a == 0.0 else math.log10(a)}
SHORT = {"or", "and", "+", "*", "min", "max"}  # any number of operands


def apply(operation, numbers):
    """The number that an operation makes of numbers."""
    function = COMPUTED.get(operation) or getattr(math, operation)
    try:
        if operation in SHORT and len(numbers) > 2:
            return float(functools.reduce(function, numbers))
        return float(function(*numbers))
    except OverflowError:
        return math.inf if operation in ("exp", "cosh", "^", "expm1") else math.nan
    except ValueError:
        return math.inf if operation == "^" and numbers[0] == 0.0 else math.nan


def value(e, of):
    """The number that an expression is; of(name) is that of a name."""
    if isinstance(e, str):
        return of(e)
    if isinstance(e, (int, float)):
        return float(e)
    operation, *operands = e
    if operation == "if":
        return value(operands[1] if value(operands[0], of) else operands[2], of)
    return apply(operation, [value(o, of) for o in operands])


def number_of(e):
    """The number of an expression without names, or None."""
    return value(e, None) if not wm.names_in(e) and not operations_in(e) & {"rateof", "delay"} else None


def operations_in(e):
    """The operations of an expression."""
    return {e[0]}.union(*(operations_in(o) for o in e[1:])) if isinstance(e, tuple) else set()


def replace(e, by):
    """The expression with by(name) in place of each name; operations of numbers, and choices by them, are done."""
    if isinstance(e, str):
        return by(e)
    if isinstance(e, (int, float)):
        return e
    operation, *operands = e
    if operation == "if":
        condition = replace(operands[0], by)
        if isinstance(condition, (int, float)):
            return replace(operands[1] if condition else operands[2], by)
        return ("if", condition, replace(operands[1], by), replace(operands[2], by))
    return (operation, *(replace(o, by) for o in operands))


def linear(e, name):
    """(a, b) of e = a name + b, where a and b have no `name`; None where it is not linear."""
    if name not in wm.names_in(e):
        return 0.0, e
    if isinstance(e, str):
        return 1.0, 0.0
    operation, *operands = e
    parts = [linear(o, name) for o in operands]
    if operation == "if" and parts[0] and parts[0][0] == 0.0 and None not in parts:
        return tuple(("if", operands[0], parts[1][k], parts[2][k]) for k in (0, 1))
    if None in parts:
        return None
    if operation in ("+", "-", "neg"):
        return tuple(_sum(operation, [p[k] for p in parts]) for k in (0, 1))
    others = [p[1] for p in parts if p[0] == 0.0]
    if operation == "*" and len(others) == len(parts) - 1:
        a, b = next(p for p in parts if p[0] != 0.0)
        return _product(a, others), _product(b, others)
    if operation == "/" and parts[1][0] == 0.0:
        return tuple(0.0 if n == 0.0 else ("/", n, operands[1]) for n in parts[0])
    return None


def negative(e):
    if isinstance(e, (int, float)):
        return -e if e else 0.0
    if isinstance(e, tuple) and e[0] in ("neg", "-"):
        return e[1] if e[0] == "neg" else ("-", e[2], e[1])
    return ("neg", e)


def _product(a, others):
    return 0.0 if a == 0.0 else wm.fold("*", *others) if a == 1.0 else ("*", a, *others)


def _sum(operation, operands):
    if operation == "neg":
        return 0.0 if operands[0] == 0.0 else ("neg", operands[0])
    if operation == "-":
        return operands[0] if operands[1] == 0.0 else ("neg", operands[1]) if operands[0] == 0.0 else ("-", *operands)
    kept = [o for o in operands if o != 0.0]
    return wm.fold("+", *kept) if kept else 0.0
