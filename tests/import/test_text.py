"""tools/import: expressions, their texts, numbers and forms, against Python's. TAP on standard output.

    test_text.py SOURCE
"""
import math
import os
import random
import re
import sys

source = sys.argv[1]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(source, "tests", "support"))
sys.path.insert(0, os.path.join(source, "tools", "import"))
import compute  # noqa: E402
import conditions  # noqa: E402
import mathml  # noqa: E402
import tap  # noqa: E402
import wm  # noqa: E402

X, Y = wm.Name("x"), wm.Name("y")


def expression(depth):
    """A random one."""
    if depth == 0 or random.random() < 0.1:
        return random.choice((X, Y, 2.0, -3.0, 0.5))
    operation = random.choice(("+", "-", "*", "/", "^", "neg"))
    return (operation, *(expression(depth - 1) for _ in range(1 if operation == "neg" else 2)))


def value(e, names):
    if isinstance(e, str):
        return names[e]
    if isinstance(e, float):
        return e
    a, *b = (value(o, names) for o in e[1:])
    return {"+": lambda: a + b[0], "-": lambda: a - b[0], "*": lambda: a * b[0], "/": lambda: a / b[0], "^": lambda: a**b[0],
            "neg": lambda: -a}[e[0]]()


def brackets_stand_where_precedence_asks_for_them():
    """Python's operators bind as the language's do."""
    random.seed(5)
    compared = 0
    for _ in range(2000):
        e, names = expression(4), {"x": 1.25, "y": 0.75}
        try:
            expected = value(e, names)
            found = eval(wm.text(e).replace("^", "**"), {}, names)
        except (ZeroDivisionError, OverflowError):
            continue
        assert found == expected or (found != found and expected != expected), (e, wm.text(e))
        compared += 1
    assert compared > 1000, compared


def texts_are_as_short_as_can_be():
    for e, expected in ((("-", X, ("-", Y, 1)), "x - (y - 1)"), (("*", ("+", X, Y), X), "(x + y)*x"), (("neg", ("^", X, 2)), "-x^2"),
                        (("^", ("neg", X), 2), "(-x)^2"), (("^", X, ("^", Y, 2)), "x^y^2"), (("^", ("^", X, Y), 2), "(x^y)^2"),
                        (("and", ("<", X, 1), ("not", ("or", X, Y))), "x < 1 and not (x or y)"), (("max", X, -1.0), "max(x, -1)"),
                        (("<", ("=", X, Y), ("<", X, 1)), "(x = y) < (x < 1)"), (("+", 1, ("if", X, 2, 3)), "1 + (if x then 2 else 3)"), (wm.fold("+", X), "x"), (("*", X, -2.0), "x*-2")):
        assert wm.text(e) == expected, (e, wm.text(e))


def numbers_are_read_as_they_were():
    random.seed(6)
    for x in [0.0, 1e15, 1e-320, 3.0, 1e300, 0.1] + [random.uniform(-1, 1) * 10.0**random.randint(-300, 300) for _ in range(500)]:
        assert float(wm.number(x)) == x, x
    for x in (math.nan, math.inf):
        try:
            assert not wm.number(x)
        except wm.Unsupported:
            continue
        raise AssertionError(x)


def names_are_the_language_s():
    names = wm.Names()
    assert names.of(1, "V") == "V" and names.of(2, "v") == "v_2" and names.of(1, "other") == "V"
    assert names.of(3, "V", "membrane_V") == "membrane_V"
    assert names.of(4, "if") == "if_2" and names.of(5, "2nd x") == "v2nd_x" and names.of(6, "a-b") == "a_b"


def expressions_are_computed():
    names = {"x": 2.0, "y": ("+", X, 1.0, 0.5)}
    for e, expected in ((("^", X, Y), 2.0**3.5), (("if", ("<", Y, X), 1, ("neg", Y)), -3.5), (("and", X, ("not", 0.0), Y), 1.0),
                        (("max", ("ln", X), ("exp", 0.0)), 1.0), (("-", ("sqrt", 4.0), ("floor", Y)), -1.0)):
        def of(name):
            return names[name] if isinstance(names[name], float) else compute.value(names[name], of)
        assert compute.value(e, of) == expected, e


def c_numbers_are_computed():
    """What raises in Python and not in C."""
    for e, expected in ((("/", 1.0, 0.0), math.inf), (("/", -1.0, 0.0), -math.inf), (("ln", 0.0), -math.inf), (("exp", 1e4), math.inf),
                        (("^", 0.0, -1.0), math.inf)):
        assert compute.value(e, None) == expected, e
    for e in (("/", 0.0, 0.0), ("ln", -1.0), ("asin", 2.0), ("sqrt", -1.0), ("^", -1.0, 0.5)):
        assert math.isnan(compute.value(e, None)), e


def linear_equations_are_solved():
    """e = a x + b, at two points; and what is not linear."""
    for e in (("-", X, Y), ("+", Y, ("neg", ("*", 2.0, X)), 1.0), ("*", Y, ("-", X, 3.0)), ("/", ("+", X, 1.0), Y),
              ("if", ("<", Y, 0.5), X, ("*", 3.0, X)), ("-", ("-", Y, X), ("*", X, 0.5))):
        a, b = compute.linear(e, X)
        assert X not in wm.names_in(a) | wm.names_in(b), (a, b)
        for x in (0.0, 2.0, -7.0):
            of = {"x": x, "y": 0.25}.get
            assert compute.value(e, of) == compute.value(a, of) * x + compute.value(b, of), (e, a, b)
    for e in (("*", X, X), ("sin", X), ("/", Y, X), ("^", X, 2.0), ("if", X, Y, X)):
        assert compute.linear(e, X) is None, e


def made_functions_have_their_values():
    """Those of MathML that the language has not."""
    def at(name, *operands):
        return compute.value(mathml.operation(name, operands), None)

    for x in (-3.0, -1e-9, 0.0, 0.3, 2.0, 1e5):
        assert math.isclose(at("arcsinh", x), math.asinh(x), rel_tol=1e-14), x
        assert math.isclose(at("sech", x / 1e3), 1 / math.cosh(x / 1e3), rel_tol=1e-14), x
    for x in (1.0, 1.5, 700.0):
        assert math.isclose(at("arccosh", x), math.acosh(x), rel_tol=1e-13), x
        assert math.isclose(at("arcsec", x), math.acos(1 / x), abs_tol=1e-15), x
    for x in (-0.9, 0.0, 1e-9, 0.5):
        assert math.isclose(at("arctanh", x), math.atanh(x), rel_tol=1e-14), x
    for a, b in ((7.0, 2.0), (-7.0, 2.0), (7.0, -2.0), (6.0, 3.0)):
        assert at("quotient", a, b) == math.trunc(a / b) and at("rem", a, b) == math.fmod(a, b), (a, b)
    for n in (0, 1, 5, 20, 170):
        changing = compute.value(mathml.factorial(X), lambda _, n=n: float(n))
        assert at("factorial", float(n)) == float(math.factorial(n)) and math.isclose(changing, math.factorial(n), rel_tol=1e-12), n
    assert at("xor", 1.0, 1.0, 1.0) == 1 and at("xor", 1.0, 0.0, 1.0) == 0 and at("implies", 1.0, 0.0) == 0 and at("implies", 0.0, 0.0) == 1
    assert at("lt", 1.0, 2.0, 3.0) == 1 and at("lt", 1.0, 3.0, 2.0) == 0 and math.isnan(at("piecewise", 5.0, 0.0))


def a_condition_is_its_parts():
    """Where one changes, and the others let it."""
    less, more = ("<", X, 1.0), (">", Y, 2.0)
    assert conditions.parts(("and", less, ("not", ("or", more, less)))) == [less, more]
    for whole, value, expected in ((("and", less, more), 1.0, more), (("and", less, more), 0.0, 0.0), (("or", less, more), 1.0, 1.0),
                                   (("not", less), 0.0, 1.0), (("or", less, more), 0.0, more)):
        assert conditions.given(whole, less, value) == expected, (whole, value)


def every_reason_is_in_the_manual():
    """docs/importers.md lists the kinds of refusals."""
    folder = os.path.join(source, "tools", "import")
    texts = ""
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            texts += file.read()
    kinds = set(re.findall(r'(?:Unsupported|refuse)\(\s*"([^"]+)"', texts))
    with open(os.path.join(source, "docs", "importers.md"), encoding="utf-8") as file:
        listed = re.findall(r"^\| ([^|]+) \| [^|]*\|$", file.read().partition("## What is refused")[2], re.MULTILINE)
    listed = {kind for cell in listed for kind in cell.split("; ")}
    assert len(kinds) > 30 and not kinds - listed, sorted(kinds - listed)


tap.run([brackets_stand_where_precedence_asks_for_them, texts_are_as_short_as_can_be, numbers_are_read_as_they_were, names_are_the_language_s,
         expressions_are_computed, c_numbers_are_computed, linear_equations_are_solved, made_functions_have_their_values,
         a_condition_is_its_parts, every_reason_is_in_the_manual])
