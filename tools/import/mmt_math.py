"""Expressions of Myokit: a Pratt parser of one line.

Operators bind, loosest first: or, and, not, relations, sums, products, signs, powers; all group to the left.
Numbers may have units, which are passed over: they convert nothing."""
import re

import mathml
import wm

TOKEN = re.compile(r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)"
                   r"|(?P<unit>\[[^\]]*\])|(?P<sign>//|==|!=|<=|>=|[-+*/^%()<>,=:]))")
LEVELS = {"or": 1, "and": 2, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6, "^": 8}
NOT, SIGN = 3, 7
SAME = {"or": "or", "and": "and", "==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "+": "+", "-": "-", "*": "*", "/": "/",
        "^": "^"}
FUNCTIONS = {"sqrt": "sqrt", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "exp": "exp",
             "log10": "log10", "floor": "floor", "ceil": "ceil", "abs": "abs"}


def tokens(text, line):
    """[(kind, text)], without units."""
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise wm.Unsupported("lines that are no mmt", line, text[at:].strip())
        at = match.end()
        if match.lastgroup != "unit":
            found.append((match.lastgroup, match.group(match.lastgroup)))
    return found


class Parser:
    """named(name): the expression that a name is. functions: {name: (arguments, text of the body, line)}, of the
    file."""

    def __init__(self, text, line, named, functions):
        self.tokens, self.line, self.named, self.functions, self.at = tokens(text, line), line, named, functions, 0

    def peek(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else None

    def take(self, expected=None):
        if self.at == len(self.tokens) or expected not in (None, self.peek()):
            raise wm.Unsupported("lines that are no mmt", self.line, f"{expected or 'more'} is missing")
        self.at += 1
        return self.tokens[self.at - 1]

    def whole(self):
        e = self.expression(0)
        if self.at < len(self.tokens):
            raise wm.Unsupported("lines that are no mmt", self.line, self.peek())
        return e

    def expression(self, least):
        left = self.operand()
        while self.peek() in LEVELS and LEVELS[self.peek()] > least:
            _, sign = self.take()
            left = self.joined(sign, left, self.expression(LEVELS[sign]))
        return left

    @staticmethod
    def joined(sign, a, b):
        if sign == "//":
            return ("floor", ("/", a, b))
        if sign == "%":
            return ("-", a, ("*", b, ("floor", ("/", a, b))))
        return (SAME[sign], a, b)

    def operand(self):
        kind, text = self.take()
        if kind == "number":
            return float(text)
        if text == "(":
            e = self.expression(0)
            self.take(")")
            return e
        if text == "not":
            return ("not", self.expression(NOT))
        if text in "+-":
            e = self.expression(SIGN)
            return e if text == "+" else -e if isinstance(e, float) else ("neg", e)
        if kind == "name":
            return self.call(text) if self.peek() == "(" else self.named(text)
        raise wm.Unsupported("lines that are no mmt", self.line, text)

    def call(self, name):
        self.take("(")
        operands = [self.expression(0)]
        while self.peek() == ",":
            self.take(",")
            operands.append(self.expression(0))
        self.take(")")
        return self.applied(name, operands)

    def applied(self, name, operands):
        if name in self.functions:
            return self.expanded(name, operands)
        if name in FUNCTIONS and len(operands) == 1:
            return (FUNCTIONS[name], *operands)
        if name == "log" and len(operands) in (1, 2):
            return ("ln", *operands) if len(operands) == 1 else mathml.log(operands[1], operands[0])
        if name == "if" and len(operands) == 3:
            return ("if", *operands)
        if name == "piecewise" and len(operands) % 2 == 1:
            pairs = [operands[k + 1 - 2 * (k % 2)] for k in range(len(operands) - 1)]
            return mathml.piecewise(pairs + operands[-1:])
        if name == "dot" and len(operands) == 1 and isinstance(operands[0], wm.Name):
            return ("rateof", operands[0])
        raise wm.Unsupported("other functions of Myokit", self.line, name)

    def expanded(self, name, operands):
        arguments, body, line = self.functions[name]
        if len(arguments) != len(operands):
            raise wm.Unsupported("operations with other numbers of operands", self.line, name)
        given = dict(zip(arguments, operands))
        inner = {n: f for n, f in self.functions.items() if n != name}

        def named(n):
            if n not in given:
                raise wm.Unsupported("names that nothing has", line, n)
            return given[n]
        return Parser(body, line, named, inner).whole()
