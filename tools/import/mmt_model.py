"""A model of Myokit, with its protocol, as the form of form.py.

A variable is a state where a line dot(x) = ... has its rate, else a parameter if it is a number, else a definition.
What is bound to time is the time, and what is bound to pace the sum of the protocol's pulses; of other bindings the
file's value holds."""
import re

import compute
import mmt_lines
import mmt_math
import wm
from form import System

VARIABLE = re.compile(r"(?:(dot)\s*\(\s*([A-Za-z]\w*)\s*\)|([A-Za-z]\w*))\s*(.*)$", re.DOTALL)
REST = re.compile(r"^(?:=(?P<value>.*?))?(?:\bin\s*\[[^\]]*\]\s*)?(?:\bbind\s+(?P<bind>\w+)\s*)?(?:\blabel\s+\w+\s*)?(?::.*)?$", re.DOTALL)
FUNCTION = re.compile(r"([A-Za-z]\w*)\s*\(([\w\s,]*)\)\s*=(.*)$", re.DOTALL)
PERIODS = 1000  # pulses written out where a period ends


class Variable:
    def __init__(self, key, line, is_state, parent):
        self.key, self.line, self.is_state, self.parent = key, line, is_state, parent
        self.value, self.bind, self.children = None, None, {}


class Model:
    def __init__(self, source):
        found = mmt_lines.segments(source)
        if "model" not in found:
            raise wm.Unsupported("files without a model")
        self.system, self.components, self.aliases, self.functions = System(), {}, {}, {}
        self.begins, self.all, self.name = {}, [], "model"
        self.protocol = found.get("protocol", [])
        self.read(found["model"])

    # ------------------------------------------------------------------ reading

    def read(self, lines):
        here = None
        for line in lines:
            if re.fullmatch(r"\[\w+\]", line.text):
                here = line.text[1:-1]
                self.components[here], self.aliases[here] = {}, {}
                self.component(here, line.children)
            elif here is None:
                self.head(line)
            else:
                self.component(here, [line])

    def head(self, line):
        """Of the model itself: initial values, functions and texts."""
        if FUNCTION.match(line.text):
            name, arguments, body = FUNCTION.match(line.text).groups()
            self.functions[name] = ([a.strip() for a in arguments.split(",") if a.strip()], body, line.number)
        elif "=" in line.text and not line.text.endswith(":"):
            name, value = line.text.split("=", 1)
            self.begins[name.strip()] = (value, line.number)
        elif not line.text.endswith(":"):
            raise wm.Unsupported("lines that are no mmt", line.number, line.text)

    def component(self, component, lines):
        for line in lines:
            if line.text.startswith("use "):
                for part in line.text[4:].split(","):
                    name, _, alias = part.strip().partition(" as ")
                    if "." not in name:
                        raise wm.Unsupported("lines that are no mmt", line.number, line.text)
                    self.aliases[component][(alias or name.split(".")[-1]).strip()] = name.strip()
            elif not re.fullmatch(r"[\w.]+\s*:", line.text):
                self.variable(component, line, None)

    def variable(self, component, line, parent):
        match = VARIABLE.match(line.text)
        rest = REST.match(match.group(4)) if match else None
        if rest is None:
            raise wm.Unsupported("lines that are no mmt", line.number, line.text)
        name = match.group(2) or match.group(3)
        v = Variable((f"{parent.key}.{name}" if parent else f"{component}.{name}"), line.number, bool(match.group(1)), parent)
        v.component, v.value, v.bind = component, rest.group("value"), rest.group("bind")
        (parent.children if parent else self.components[component])[name] = v
        self.all.append(v)
        for child in line.children:
            self.field(component, child, v)

    def field(self, component, line, v):
        """What is indented below a variable: its unit, its binding, texts, and variables of its own."""
        if line.text.startswith("bind "):
            v.bind = line.text.split()[1]
        elif not re.match(r"(?:in\s*\[|label\s)", line.text) and not re.fullmatch(r"[\w.]+\s*:", line.text):
            self.variable(component, line, v)

    # ------------------------------------------------------------------ names

    def given(self, v):
        if v.bind == "time":
            return wm.TIME
        last = v.key.split(".")[-1]
        name = self.system.names.of(v.key, last, v.key)
        self.system.lines[name] = v.line
        return name

    def find(self, v, name):
        """The variable that a name means within another one's expression."""
        if "." in name:
            component, _, rest = name.partition(".")
            found = self.components.get(component, {}).get(rest)
        else:
            here, found = v, None
            while here is not None and found is None:
                found, here = here.children.get(name), here.parent
            found = found or self.components[v.component].get(name)
            if found is None and name in self.aliases[v.component]:
                return self.find(v, self.aliases[v.component][name])
        if found is None:
            raise wm.Unsupported("names that nothing has", v.line, name)
        return found

    def parsed(self, text, line, v):
        return mmt_math.Parser(text, line, lambda name: self.given(self.find(v, name)), self.functions).whole()

    # ------------------------------------------------------------------ the form

    def convert(self):
        for v in self.all:
            if v.bind == "time":
                continue
            if v.bind == "pace":
                self.system.defined[self.given(v)] = self.pace()
            elif v.value is None or not v.value.strip():
                raise wm.Unsupported("variables that nothing determines", v.line, v.key)
            else:
                self.one(v)
        return self.system

    def one(self, v):
        s, e = self.system, self.parsed(v.value, v.line, v)
        if v.is_state:
            if v.key not in self.begins:
                raise wm.Unsupported("states without an initial value", v.line, v.key)
            text, line = self.begins[v.key]
            s.states[self.given(v)], s.rates[self.given(v)] = self.parsed(text, line, v), e
        elif compute.number_of(e) is not None:
            s.constants[self.given(v)] = compute.number_of(e)
        else:
            s.defined[self.given(v)] = e

    def pace(self):
        """Level, start, length, and of what repeats the period and how often; a time may be "next"."""
        pulses, following = [], 0.0
        for line in self.protocol:
            words = line.text.replace("next", repr(following)).split()
            try:
                level, start, length, period, times = (list(map(float, words)) + [0.0, 0.0])[:5]
            except ValueError as error:
                raise wm.Unsupported("lines that are no mmt", line.number, line.text) from error
            following = start + length
            if times > PERIODS:
                raise wm.Unsupported("protocols of more pulses", line.number, f"{times:g}")
            starts = [start + k * period for k in range(int(times))] if period > 0.0 and times > 0.0 else [start]
            repeated = (period,) if period > 0.0 and times == 0.0 else ()
            pulses += [("*", level, ("pulse", at, length, *repeated)) for at in starts]
        return wm.fold("+", *pulses) if pulses else 0.0
