"""A model of CellML, 1.0, 1.1 or 2.0, as the form of form.py.

Variables that are connected are one: it has the name and unit of that variable which an equation or an initial
value gives, and others are a factor times it. An equation of a derivative gives a state, one that begins with a
variable its definition; from others unknowns follow. What has an initial value, and no equation, is a parameter."""
import cellml_units
import mathml_xml
import wm
from form import System

SPACES = ("http://www.cellml.org/cellml/1.0#", "http://www.cellml.org/cellml/1.1#", "http://www.cellml.org/cellml/2.0#")
REFUSED = {"import": "imports", "reset": "resets", "reaction": "reactions of CellML 1"}


class Variable:
    def __init__(self, component, element, unit):
        self.component, self.name, self.line, self.unit = component, element.get("name"), element.line, unit
        if not self.name or not component:
            raise wm.Unsupported("elements without a name", element.line, element.name)
        self.initial, self.group, self.where = element.get("initial_value"), [self], element.line

    def join(self, other):
        if other.group is not self.group:
            self.group += other.group
            for member in other.group:
                member.group = self.group


class Equation:
    """left: ("diff", variable, by), a variable or None, where both sides are formulas."""

    def __init__(self, left, right, line, component):
        self.left, self.right, self.line, self.component = left, right, line, component


class Model:
    def __init__(self, root):
        if root.name != "model" or root.space not in SPACES:
            raise wm.Unsupported("files that are no CellML", root.line, root.name)
        self.root, self.system, self.variables, self.equations = root, System(), {}, []
        self.leader, self.time = {}, None  # of a group: the variable that it is

    # ------------------------------------------------------------------ reading

    def refuse(self, element):
        for child in element.children:
            if child.space in SPACES and child.name in REFUSED:
                raise wm.Unsupported(REFUSED[child.name], child.line, element.get("name", ""))
            self.refuse(child)

    def read(self):
        units = cellml_units.Units(self.root.all("units"))
        for component in self.root.all("component"):
            own = cellml_units.Units(component.all("units"), units)
            for element in component.all("variable"):
                variable = Variable(component.get("name"), element, own.of(element.get("units"), element.line))
                self.variables[component.get("name"), element.get("name")] = variable
        for connection in self.root.all("connection"):
            parts = (connection.all("map_components") or [connection])[0]
            for pair in connection.all("map_variables"):
                one, other = (self.variable(parts.get(f"component_{k}"), pair.get(f"variable_{k}"), pair.line) for k in (1, 2))
                cellml_units.ratio(one.unit, other.unit, pair.line, f"{one.name} and {other.name}")
                one.join(other)
        for component in self.root.all("component"):
            self.read_equations(component)

    def variable(self, component, name, line):
        if (component, name) not in self.variables:
            raise wm.Unsupported("names that nothing has", line, f"{component}.{name}")
        return self.variables[component, name]

    def read_equations(self, component):
        name = component.get("name")
        for math in (c for c in component.children if c.space == mathml_xml.SPACE and c.name == "math"):
            for e in math.children:
                if e.name != "apply" or len(e.children) != 3 or e.children[0].name != "eq":
                    raise wm.Unsupported("formulas that are no equations", e.line, name)
                self.equations.append(Equation(self.left(name, e.children[1]), e.children[1:], e.line, name))

    def left(self, component, e):
        if e.name == "ci":
            return self.variable(component, e.text.strip(), e.line)
        if e.name == "apply" and e.children and e.children[0].name == "diff":
            def named(of, by, line):
                return self.variable(component, of, line), self.variable(component, by, line)
            return mathml_xml.Reader(None, named).convert(e)
        return None

    # ------------------------------------------------------------------ names and factors

    def lead(self, variable, line):
        """Makes a variable that which its group is, if it is the first."""
        key = id(variable.group)
        if key in self.leader:
            return False
        self.leader[key] = variable
        variable.where = line
        return True

    def given(self, leader):
        """Its name: its own, with its component's where another one has it."""
        if leader is self.time:
            return wm.TIME
        full = f"{leader.component}.{leader.name}"
        name = self.system.names.of(full, leader.name, full)
        self.system.lines[name] = leader.where
        return name

    def leading(self, variable, line):
        leader = self.leader.get(id(variable.group))
        if leader is None:
            raise wm.Unsupported("variables that nothing determines", line, f"{variable.component}.{variable.name}")
        return leader

    def named(self, variable, line):
        """A variable, in its own unit."""
        leader = self.leading(variable, line)
        factor = cellml_units.ratio(leader.unit, variable.unit, line, variable.name)
        return self.given(leader) if factor == 1.0 else ("*", factor, self.given(leader))

    def rate_factor(self, variable, by, line):
        """Of a derivative in the units of these, as one in those of their leaders."""
        leader = self.leading(variable, line)
        if id(by.group) != id(self.time.group):
            raise wm.Unsupported("derivatives by several variables", line, by.name)
        of_time = cellml_units.ratio(self.time.unit, by.unit, line, by.name)
        return cellml_units.ratio(variable.unit, leader.unit, line, variable.name) * of_time

    def derivative(self, component, of, by, line):
        variable = self.variable(component, of, line)
        factor = self.rate_factor(variable, self.variable(component, by, line), line)
        rate = ("rateof", self.given(self.leading(variable, line)))
        return rate if factor == 1.0 else ("/", rate, factor)

    def reader(self, component):
        return mathml_xml.Reader(lambda name, line: self.named(self.variable(component, name, line), line),
                                 lambda of, by, line: self.derivative(component, of, by, line))

    # ------------------------------------------------------------------ what is what

    def number(self, variable):
        """A variable's initial value, in its leader's unit: a number, or another variable."""
        factor = cellml_units.ratio(variable.unit, self.leading(variable, variable.line).unit, variable.line, variable.name)
        try:
            return float(variable.initial) * factor
        except ValueError:
            other = self.named(self.variable(variable.component, variable.initial, variable.line), variable.line)
            return other if factor == 1.0 else ("*", factor, other)

    def assign(self):
        """Equations to the groups that they give; the others are left."""
        states = [e for e in self.equations if isinstance(e.left, tuple)]
        self.time = states[0].left[1] if states else None
        if states:
            self.lead(self.time, self.time.line)
        for e in states:
            if not self.lead(e.left[0], e.line):
                raise wm.Unsupported("variables that several equations give", e.line, e.left[0].name)
        begun = {}
        for v in (v for v in self.variables.values() if v.initial is not None):
            if begun.setdefault(id(v.group), v) is not v:
                raise wm.Unsupported("variables that several equations give", v.line, f"{v.component}.{v.name}")
        given, left = [], []
        for e in (e for e in self.equations if not isinstance(e.left, tuple)):
            alone = e.left is not None and id(e.left.group) not in begun and self.lead(e.left, e.line)
            (given if alone else left).append(e)
        for variable in begun.values():
            self.lead(variable, variable.line)
        for variable in begun.values():  # parameters have the shortest names
            if variable is self.leader[id(variable.group)]:
                self.given(variable)
        return states, given, left, begun

    def convert(self):
        self.refuse(self.root)
        self.read()
        states, given, left, begun = self.assign()
        chosen = self.choose(left)
        s = self.system
        for e in states:
            variable, by = e.left
            name, start = self.given(variable), begun.get(id(variable.group))
            if start is None:
                raise wm.Unsupported("states without an initial value", variable.line, variable.name)
            s.states[name] = self.number(start)
            s.rates[name] = self.scaled(self.reader(e.component).convert(e.right[1]), self.rate_factor(variable, by, e.line))
        for e in given:
            s.defined[self.given(e.left)] = self.reader(e.component).convert(e.right[1])
        self.parameters(begun)
        for e, name in zip(left, chosen):
            s.unknowns[name] = s.constants.pop(name, 1.0)
            s.closing.append(("-", *(self.reader(e.component).convert(side) for side in e.right)))
        return s

    @staticmethod
    def scaled(e, factor):
        return e if factor == 1.0 else ("*", factor, e)

    def parameters(self, begun):
        s = self.system
        for variable in begun.values():
            leader = self.leading(variable, variable.line)
            if self.given(leader) in s.states or leader is self.time:
                continue
            value = self.number(variable)
            (s.constants if isinstance(value, float) else s.frozen)[self.given(leader)] = value

    def choose(self, left):
        """Names of unknowns: each equation that gives no variable of its own takes one of its variables, which
        nothing gives or which alone of them has an initial value, a guess."""
        taken, names = {}, []
        candidates = [self.candidates(e) for e in left]

        def match(k, tried):
            for key in candidates[k]:
                if key not in tried:
                    tried.add(key)
                    if key not in taken or match(taken[key], tried):
                        taken[key] = k
                        return True
            return False

        for k, e in enumerate(left):
            if not match(k, set()):
                raise wm.Unsupported("equations that determine nothing", e.line)
        by_equation = {k: key for key, k in taken.items()}
        for k, e in enumerate(left):
            variable = next(v for v in self.variables.values() if id(v.group) == by_equation[k])
            self.lead(variable, e.line)
            names.append(self.given(self.leader[by_equation[k]]))
        return names

    def candidates(self, e):
        """Groups of an equation's variables that it may determine."""
        states = {id(q.left[0].group) for q in self.equations if isinstance(q.left, tuple)} | {id(self.time.group) if self.time else None}
        groups = dict.fromkeys(id(self.variable(e.component, n, e.line).group) for side in e.right for n in identifiers(side))
        free = [g for g in groups if g not in self.leader]
        guessed = [g for g in groups if g in self.leader and self.leader[g].initial is not None and g not in states]
        return free + (guessed if not free and len(guessed) == 1 else [])


def identifiers(e):
    """Of <ci> within an element."""
    here = [e.text.strip()] if e.name == "ci" else []
    return here + [n for c in e.children for n in identifiers(c)]
