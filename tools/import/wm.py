"""Text of models, from expressions: what the importers share.

An expression is a number, a name (Name) or a tuple (operation, operands...); operations are those of OPERATORS, the
functions of the language, and "if" (condition, then, else). docs/models.md has the language."""
import functools
import math
import operator
import re

# Operation: text between operands, precedence.
OPERATORS = {"or": (" or ", 1), "and": (" and ", 2), "=": (" = ", 4), "<>": (" <> ", 4), "<": (" < ", 4), "<=": (" <= ", 4),
             ">": (" > ", 4), ">=": (" >= ", 4), "+": (" + ", 5), "-": (" - ", 5), "*": ("*", 6), "/": ("/", 6), "^": ("^", 8)}
NOT, NEGATIVE, PRIMARY = 3, 7, 9
FUNCTIONS = {"min", "max", "abs", "sign", "floor", "ceil", "sqrt", "exp", "ln", "log10", "sin", "cos", "tan", "asin", "acos",
             "atan", "atan2", "tanh", "sinh", "cosh", "expm1", "log1p", "erf", "erfc", "rsqrt"}
RESERVED = FUNCTIONS | {"and", "balance", "batch", "const", "ddt", "div", "element", "else", "end", "event", "every", "fixed",
                        "for", "from", "gate", "if", "in", "input", "mod", "nodes", "not", "of", "or", "over", "pairs", "param",
                        "pi", "pulse", "run", "state", "store", "sum", "t", "then", "to", "unknown", "use", "watch", "with", "dt",
                        "rtol", "atol"}


class Name(str):
    """A variable, in an expression."""


class Unsupported(Exception):
    """Something of the source that the language has not; the text says what and where."""


class Names:
    """Names that the language takes, one for each key, as close to the wished one as they can be."""

    def __init__(self):
        self.given = {}
        self.taken = {name.lower() for name in RESERVED}

    def of(self, key, *wishes):
        if key not in self.given:
            wishes = [re.sub(r"\W", "_", wish) for wish in wishes]
            wishes = [wish if re.match(r"[A-Za-z]", wish) else "v" + wish for wish in wishes]
            candidates = wishes + [f"{wishes[-1]}_{k}" for k in range(2, 10 + len(self.given))]
            name = next(c for c in candidates if c.lower() not in self.taken)
            self.taken.add(name.lower())
            self.given[key] = Name(name)
        return self.given[key]


def number(value):
    """Digits that give the double again."""
    if math.isnan(value) or math.isinf(value):
        raise Unsupported(f"the number {value}")
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def fold(operation, *operands):
    """The expression, without sums and products of one operand."""
    return operands[0] if len(operands) == 1 and operation in ("+", "*", "and", "or") else (operation, *operands)


def text(expression, least=0):
    """Text of an expression, in brackets where its precedence is below `least`."""
    shown, precedence = _shown(expression)
    return f"({shown})" if precedence < least else shown


def _shown(e):
    if isinstance(e, Name):
        return str(e), PRIMARY
    if isinstance(e, (int, float)):
        return number(e), PRIMARY if e >= 0 else NEGATIVE
    operation, *operands = e
    if operation == "if":
        condition, yes, no = operands
        return f"if {text(condition)} then {text(yes)} else {text(no)}", 0
    if operation == "not":
        return "not " + text(operands[0], NOT + 1), NOT
    if operation == "neg":
        return "-" + text(operands[0], NEGATIVE + 1), NEGATIVE
    if operation in FUNCTIONS:
        return f"{operation}({', '.join(text(o) for o in operands)})", PRIMARY
    between, precedence = OPERATORS[operation]
    if operation == "^":
        return between.join((text(operands[0], precedence + 1), text(operands[1], precedence))), precedence
    first = text(operands[0], precedence)
    return between.join([first] + [text(o, precedence + 1) for o in operands[1:]]), precedence


def names_in(e):
    """The names of an expression."""
    if isinstance(e, Name):
        return {e}
    return set().union(*(names_in(o) for o in e[1:])) if isinstance(e, tuple) else set()


COMPUTED = {"or": lambda a, b: float(a != 0 or b != 0), "and": lambda a, b: float(a != 0 and b != 0), "=": operator.eq, "<>": operator.ne,
            "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "+": operator.add, "-": operator.sub,
            "*": operator.mul, "/": operator.truediv, "^": math.pow, "not": operator.not_, "neg": operator.neg, "min": min, "max": max,
            "abs": abs, "floor": math.floor, "ceil": math.ceil, "ln": math.log}


def value(e, known):
    """The number that an expression is; known: {name: number or expression}."""
    if isinstance(e, str):
        return value(known[e], known)
    if isinstance(e, (int, float)):
        return float(e)
    operation, *operands = e
    if operation == "if":
        return value(operands[1] if value(operands[0], known) else operands[2], known)
    numbers = [value(o, known) for o in operands]
    if operation in ("and", "or", "+", "*") and len(numbers) > 2:
        return float(functools.reduce(COMPUTED[operation], numbers))
    return float((COMPUTED.get(operation) or getattr(math, operation))(*numbers))


def element(name, comment, parameters, states, definitions, rates, events=()):
    """Text of a model of one element: parameters and states are {name: number or expression}."""
    lines = [f"# {line}".rstrip() for line in comment] + [f"element {name}()"]
    lines += [f"  param {p} = {text(v)}" for p, v in parameters.items()]
    lines += [f"  state {s} = {text(v)}" for s, v in states.items()]
    lines += [f"  {d} = {text(e)}" for d, e in definitions.items()]
    lines += [f"  {s}' = {text(rates[s])}" for s in states]
    lines += [f"  event {text(condition)}: " + ", ".join(f"{n} = {text(v)}" for n, v in assigned) for condition, assigned in events]
    return "\n".join(lines + ["end", f"use {name}()", ""])
