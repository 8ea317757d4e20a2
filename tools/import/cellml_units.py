"""Units of CellML: each is a factor times powers of base units."""
import math

import wm

PREFIXES = {"yotta": 24, "zetta": 21, "exa": 18, "peta": 15, "tera": 12, "giga": 9, "mega": 6, "kilo": 3, "hecto": 2,
            "deka": 1, "deca": 1, "deci": -1, "centi": -2, "milli": -3, "micro": -6, "nano": -9, "pico": -12, "femto": -15,
            "atto": -18, "zepto": -21, "yocto": -24}
BASE = ("ampere", "candela", "kelvin", "kilogram", "metre", "mole", "second")
# Of others: the power of ten, and powers of ampere, kelvin, kilogram, metre, mole, second.
DERIVED = {"becquerel": (0, "s-1"), "coulomb": (0, "s A"), "dimensionless": (0, ""), "farad": (0, "kg-1 m-2 s4 A2"), "gram": (-3, "kg"),
           "gray": (0, "m2 s-2"), "henry": (0, "kg m2 s-2 A-2"), "hertz": (0, "s-1"), "joule": (0, "kg m2 s-2"), "katal": (0, "mol s-1"),
           "litre": (-3, "m3"), "liter": (-3, "m3"), "lumen": (0, "cd"), "lux": (0, "m-2 cd"), "meter": (0, "m"), "newton": (0, "kg m s-2"),
           "ohm": (0, "kg m2 s-3 A-2"), "pascal": (0, "kg m-1 s-2"), "radian": (0, ""), "siemens": (0, "kg-1 m-2 s3 A2"),
           "sievert": (0, "m2 s-2"), "steradian": (0, ""), "tesla": (0, "kg s-2 A-1"), "volt": (0, "kg m2 s-3 A-1"),
           "watt": (0, "kg m2 s-3"), "weber": (0, "kg m2 s-2 A-1")}
SIGNS = {"A": "ampere", "K": "kelvin", "kg": "kilogram", "m": "metre", "mol": "mole", "s": "second", "cd": "candela"}


class Unit:
    def __init__(self, factor, powers):
        self.factor, self.powers = factor, {base: p for base, p in powers.items() if p != 0.0}

    def times(self, other, exponent, factor):
        powers = dict(self.powers)
        for base, p in other.powers.items():
            powers[base] = powers.get(base, 0.0) + p * exponent
        return Unit(self.factor * other.factor**exponent * factor, powers)


def known():
    """The units that CellML has."""
    units = {base: Unit(1.0, {base: 1.0}) for base in BASE}
    for name, (tens, powers) in DERIVED.items():
        found = Unit(float(f"1e{tens}"), {})
        for word in powers.split():
            sign = word.rstrip("-0123456789")
            found = found.times(units[SIGNS[sign]], float(word[len(sign):] or 1), 1.0)
        units[name] = found
    return units


class Units:
    """Those of a model, or of one component: of its <units> elements."""

    def __init__(self, elements, outer=None):
        self.elements, self.outer = {e.get("name"): e for e in elements}, outer
        self.found, self.open = {} if outer else known(), set()

    def of(self, name, line):
        if name in self.found:
            return self.found[name]
        if name not in self.elements:
            if self.outer is None:
                raise wm.Unsupported("units that nothing defines", line, str(name))
            return self.outer.of(name, line)
        if name in self.open:
            raise wm.Unsupported("units that define each other", line, name)
        self.open.add(name)
        self.found[name] = self.define(self.elements[name])
        self.open.discard(name)
        return self.found[name]

    def define(self, element):
        parts = element.all("unit")
        if not parts:
            return Unit(1.0, {element.get("name"): 1.0})
        found = Unit(1.0, {})
        for part in parts:
            if part.get("offset", "0") not in ("0", "0.0"):
                raise wm.Unsupported("units with an offset", part.line, element.get("name"))
            try:
                exponent, scale = self.scale(part)
            except ValueError as error:
                raise wm.Unsupported("numbers that are none", part.line, str(error)) from error
            found = found.times(self.of(part.get("units"), part.line), exponent, scale)
        return found

    @staticmethod
    def scale(part):
        """The exponent of a part of a unit, and its factor."""
        exponent, prefix = float(part.get("exponent", "1")), part.get("prefix", "0")
        tens = (PREFIXES[prefix] if prefix in PREFIXES else int(prefix)) * exponent
        return exponent, (float(f"1e{tens:g}") if tens.is_integer() else 10.0**tens) * float(part.get("multiplier", "1"))


def ratio(one, other, line, what):
    """How many `other` one of `one` is."""
    if one.powers != other.powers:
        raise wm.Unsupported("connections of other units", line, what)
    factor = one.factor / other.factor
    return 1.0 if math.isclose(factor, 1.0, rel_tol=1e-12) else float(f"{factor:.13g}")
