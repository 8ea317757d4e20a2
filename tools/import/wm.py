"""Text of models, from expressions: what the importers share.

An expression is a number, a name (Name) or a tuple (operation, operands...); operations are those of OPERATORS, the
functions of the language, and "if" (condition, then, else). docs/models.md has the language."""
import math
import re

# Operation: text between operands, precedence.
OPERATORS = {"or": (" or ", 1), "and": (" and ", 2), "=": (" = ", 4), "<>": (" <> ", 4), "<": (" < ", 4), "<=": (" <= ", 4),
             ">": (" > ", 4), ">=": (" >= ", 4), "+": (" + ", 5), "-": (" - ", 5), "*": ("*", 6), "/": ("/", 6), "^": ("^", 8)}
NOT, NEGATIVE, PRIMARY = 3, 7, 9
RELATIONS = {name for name, (_, precedence) in OPERATORS.items() if precedence == 4}  # they do not chain
FUNCTIONS = {"min", "max", "abs", "sign", "floor", "ceil", "sqrt", "exp", "ln", "log10", "sin", "cos", "tan", "asin", "acos",
             "atan", "atan2", "tanh", "sinh", "cosh", "expm1", "log1p", "erf", "erfc", "rsqrt"}
RESERVED = FUNCTIONS | {"and", "balance", "batch", "const", "ddt", "discrete", "div", "element", "else", "end", "event", "every", "fixed",
                        "for", "from", "function", "gate", "if", "in", "include", "input", "limit", "mod", "nodes", "not", "of", "or", "over", "pairs", "param",
                        "pi", "pulse", "run", "state", "step", "store", "sum", "t", "then", "to", "unknown", "use", "watch", "with", "dt",
                        "rtol", "atol", "cfl"}


class Name(str):
    """A variable, in an expression."""


TIME = Name("t")


class Unsupported(Exception):
    """Something of the source that the language has not: its kind, which the manual lists, the line of the source,
    0 where it is not known, and what it is there."""

    def __init__(self, kind, line=0, what=""):
        super().__init__(f"{kind}: {what}" if what else kind)
        self.kind, self.line = kind, line


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
        raise Unsupported("numbers that are none", 0, str(value))
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def fold(operation, *operands):
    """The expression, without sums and products of one operand."""
    return operands[0] if len(operands) == 1 and operation in ("+", "*", "and", "or") else (operation, *operands)


def both(*conditions):
    """and, without what is known."""
    kept = [c for c in conditions if c != 1.0]
    return 0.0 if 0.0 in kept else fold("and", *kept) if kept else 1.0


def either(*conditions):
    """or, without what is known."""
    kept = [c for c in conditions if c != 0.0]
    return 1.0 if 1.0 in kept else fold("or", *kept) if kept else 0.0


def negated(condition):
    if isinstance(condition, float):
        return float(condition == 0.0)
    return condition[1] if isinstance(condition, tuple) and condition[0] == "not" else ("not", condition)


def choose(condition, yes, no):
    """if, without what is known."""
    return no if condition == 0.0 else yes if condition == 1.0 or yes == no else ("if", condition, yes, no)


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
    if operation in FUNCTIONS or operation == "pulse":
        return f"{operation}({', '.join(text(o) for o in operands)})", PRIMARY
    between, precedence = OPERATORS[operation]
    if operation == "^":
        return between.join((text(operands[0], precedence + 1), text(operands[1], precedence))), precedence
    first = text(operands[0], precedence + (operation in RELATIONS))
    return between.join([first] + [text(o, precedence + 1) for o in operands[1:]]), precedence


def names_in(e):
    """The names of an expression."""
    if isinstance(e, Name):
        return {e}
    return set().union(*(names_in(o) for o in e[1:])) if isinstance(e, tuple) else set()
