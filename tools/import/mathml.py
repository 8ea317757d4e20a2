"""Operations of MathML, of SBML and CellML alike, as expressions of wm.py.

What the language has not is made of what it has: inverse functions of others and of logarithms, quotients of floors."""
import math

import compute
import wm

CONSTANTS = {"exponentiale": math.e, "pi": math.pi, "true": 1.0, "false": 0.0, "infinity": ("/", 1.0, 0.0), "notanumber": ("/", 0.0, 0.0)}
SAME = {"abs": "abs", "exp": "exp", "ln": "ln", "floor": "floor", "ceiling": "ceil", "not": "not", "sin": "sin", "cos": "cos",
        "tan": "tan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsin": "asin", "arccos": "acos", "arctan": "atan"}
RECIPROCAL = {"sec": "cos", "csc": "sin", "cot": "tan", "sech": "cosh", "csch": "sinh", "coth": "tanh"}
OF_RECIPROCAL = {"arcsec": "arccos", "arccsc": "arcsin", "arccot": "arctan", "arcsech": "arccosh", "arccsch": "arcsinh",
                 "arccoth": "arctanh"}
RELATIONS = {"eq": "=", "neq": "<>", "lt": "<", "leq": "<=", "gt": ">", "geq": ">="}
EMPTY = {"plus": 0.0, "times": 1.0, "and": 1.0, "or": 0.0, "xor": 0.0}
SHIFT = 12
NARY = {"plus": "+", "times": "*", "and": "and", "or": "or", "min": "min", "max": "max"}


def arcsinh(x):
    """Odd, and without loss near 0."""
    size = ("abs", x)
    return ("*", ("sign", x), ("log1p", ("+", size, ("/", ("^", x, 2.0), ("+", 1.0, ("sqrt", ("+", ("^", x, 2.0), 1.0)))))))


def arccosh(x):
    return ("ln", ("+", x, ("*", ("sqrt", ("-", x, 1.0)), ("sqrt", ("+", x, 1.0)))))


def arctanh(x):
    return ("*", 0.5, ("log1p", ("/", ("*", 2.0, x), ("-", 1.0, x))))


def quotient(a, b):
    """Of whole numbers, towards 0."""
    ratio = ("/", a, b)
    return ("if", (">=", ratio, 0.0), ("floor", ratio), ("ceil", ratio))


def rem(a, b):
    return ("-", a, ("*", b, quotient(a, b)))


def xor(*operands):
    result = ("<>", operands[0], 0.0)
    for operand in operands[1:]:
        result = ("<>", result, ("<>", operand, 0.0))
    return result


def implies(a, b):
    return ("or", ("not", a), b)


def factorial(x):
    """Of what changes by Stirling's series, SHIFT further on, within 1e-12."""
    known = compute.number_of(x)
    if known is not None:
        whole = 0 <= known <= 170 and known == int(known)
        return float(math.factorial(int(known))) if whole else CONSTANTS["notanumber"]
    z = ("+", x, float(SHIFT))
    terms = [("/", c, ("^", z, float(k))) for c, k in ((1 / 12, 1), (-1 / 360, 3), (1 / 1260, 5), (-1 / 1680, 7))]
    logarithm = ("+", ("*", ("+", z, 0.5), ("ln", z)), ("neg", z), math.log(2 * math.pi) / 2, *terms)
    return ("exp", ("-", logarithm, ("ln", ("*", *(("+", x, float(k)) for k in range(1, SHIFT + 1))))))


def root(degree, x):
    return ("sqrt", x) if degree == 2.0 else ("^", x, ("/", 1.0, degree))


def log(base, x):
    return ("log10", x) if base == 10.0 else ("/", ("ln", x), ("ln", base))


MADE = {f.__name__: f for f in (arcsinh, arccosh, arctanh, quotient, rem, implies, factorial, root, log)}


KNOWN = {*EMPTY, *NARY, *RELATIONS, *SAME, *RECIPROCAL, *OF_RECIPROCAL, *MADE, "minus", "divide", "power", "piecewise"}


def piecewise(operands):
    """Values and conditions in turn, then what is otherwise; without it there is no number."""
    operands = list(operands)
    result = operands.pop() if len(operands) % 2 else CONSTANTS["notanumber"]
    for k in range(len(operands) - 2, -1, -2):
        result = ("if", operands[k + 1], operands[k], result)
    return result


def counts(name):
    """(least, most) operands of an operation."""
    if name in SAME or name in RECIPROCAL or name in OF_RECIPROCAL or name in ("arcsinh", "arccosh", "arctanh", "factorial"):
        return 1, 1
    if name in RELATIONS:
        return 2, math.inf
    return {"minus": (1, 2), "piecewise": (0, math.inf), "min": (1, math.inf), "max": (1, math.inf)}.get(
        name, (0, math.inf) if name in EMPTY else (2, 2))


def operation(name, operands):
    """MathML's <apply><NAME/>operands</apply>."""
    least, most = counts(name)
    if name in KNOWN and not least <= len(operands) <= most:
        raise wm.Unsupported("operations with other numbers of operands", 0, name)
    if name in EMPTY and not operands:
        return EMPTY[name]
    if name in NARY:
        return operands[0] if len(operands) == 1 else (NARY[name], *operands)
    if name in RELATIONS:
        return wm.fold("and", *((RELATIONS[name], a, b) for a, b in zip(operands, operands[1:])))
    if name == "minus":
        return ("neg", *operands) if len(operands) == 1 else ("-", *operands)
    if name in ("divide", "power"):
        return ("/" if name == "divide" else "^", *operands)
    if name in SAME:
        return (SAME[name], *operands)
    if name in RECIPROCAL:
        return ("/", 1.0, (RECIPROCAL[name], *operands))
    if name in OF_RECIPROCAL:
        return operation(OF_RECIPROCAL[name], [("/", 1.0, operands[0])])
    if name == "xor":
        return xor(*operands)
    if name == "piecewise":
        return piecewise(operands)
    if name in MADE:
        return MADE[name](*operands)
    raise wm.Unsupported("other operations of MathML", 0, name)
