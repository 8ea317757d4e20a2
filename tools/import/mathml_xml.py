"""Content MathML, as xml_lines.py reads it, as expressions."""
import mathml
import wm

SPACE = "http://www.w3.org/1998/Math/MathML"
QUALIFIERS = {"degree", "logbase", "bvar"}


class Reader:
    """named(identifier, line): what an identifier is. derivative(of, by, line): what d of/d by is."""

    def __init__(self, named, derivative):
        self.named, self.derivative = named, derivative

    def convert(self, e):
        if e.space != SPACE:
            raise wm.Unsupported("elements within formulas", e.line, e.name)
        if e.name == "ci":
            return self.named(e.text.strip(), e.line)
        if e.name == "cn":
            return number(e)
        if e.name in mathml.CONSTANTS:
            return mathml.CONSTANTS[e.name]
        if e.name == "piecewise":
            return self.piecewise(e)
        if e.name == "apply" and e.children:
            return self.apply(e)
        raise wm.Unsupported("other operations of MathML", e.line, e.name)

    def piecewise(self, e):
        operands = []
        for part in sorted(e.children, key=lambda c: c.name == "otherwise"):
            if part.name not in ("piece", "otherwise") or len(part.children) != (2 if part.name == "piece" else 1):
                raise wm.Unsupported("other operations of MathML", part.line, part.name)
            operands += [self.convert(c) for c in part.children]
        return mathml.piecewise(operands)

    def apply(self, e):
        operation, operands = e.children[0], e.children[1:]
        qualifiers = {c.name: c for c in operands if c.name in QUALIFIERS}
        values = [c for c in operands if c.name not in QUALIFIERS]
        if operation.name == "diff":
            return self.diff(e, qualifiers, values)
        values = [self.convert(v) for v in values]
        if operation.name == "root":
            values.insert(0, self.qualifier(qualifiers, "degree", 2.0))
        if operation.name == "log":
            values.insert(0, self.qualifier(qualifiers, "logbase", 10.0))
        try:
            return mathml.operation(operation.name, values)
        except wm.Unsupported as reason:
            raise wm.Unsupported(reason.kind, operation.line, operation.name) from reason

    def qualifier(self, qualifiers, name, otherwise):
        if name not in qualifiers:
            return otherwise
        if len(qualifiers[name].children) != 1:
            raise wm.Unsupported("operations with other numbers of operands", qualifiers[name].line, name)
        return self.convert(qualifiers[name].children[0])

    def diff(self, e, qualifiers, values):
        bound = qualifiers["bvar"].children if "bvar" in qualifiers else []
        if len(values) != 1 or values[0].name != "ci" or len(bound) != 1 or bound[0].name != "ci":
            raise wm.Unsupported("derivatives that are not the first one of a variable", e.line)
        return self.derivative(values[0].text.strip(), bound[0].text.strip(), e.line)


def number(e):
    """Of <cn>: a real or whole number, with an exponent, or a fraction."""
    parts = [e.text] + [c.tail for c in e.children if c.name == "sep"]
    kind = e.get("type", "real" if len(parts) == 1 else "e-notation")
    try:
        if kind == "e-notation" and len(parts) == 2:
            return float(f"{float(parts[0])!r}e{int(parts[1])}") if "e" not in parts[0].lower() else float(parts[0]) * 10.0**int(parts[1])
        if kind == "rational" and len(parts) == 2:
            return float(parts[0]) / float(parts[1])
        if kind in ("real", "integer", "double") and len(parts) == 1:
            return float(int(parts[0], int(e.get("base", "10")))) if kind == "integer" else float(parts[0])
    except (ValueError, ZeroDivisionError) as error:
        raise wm.Unsupported("numbers that are none", e.line, "".join(parts).strip()) from error
    raise wm.Unsupported("numbers that are none", e.line, "".join(parts).strip())
