"""Rates of change: what rateOf of SBML, and a derivative within an equation of CellML, mean.

That of a state is its equation, that of a constant 0, that of a definition follows from its expression by the rules of
calculus. Unknowns have none that an expression says: refused."""
import compute
import wm


class Rates:
    def __init__(self, system):
        self.system, self.open = system, []

    def resolve(self):
        """Takes ("rateof", name) out of everything."""
        s = self.system
        for table in (s.constants, s.frozen, s.states, s.rates, s.defined, s.unknowns):
            for name in table:
                table[name] = self.without(table[name], s.line_of(name))
        s.closing = [self.without(e, 0) for e in s.closing]
        for event in s.events:
            event.trigger, event.delay = (self.without(e, event.line) for e in (event.trigger, event.delay))
            event.priority = None if event.priority is None else self.without(event.priority, event.line)
            for assignment in event.assigned:
                assignment.value = self.without(assignment.value, event.line)

    def without(self, e, line):
        if not isinstance(e, tuple):
            return e
        if e[0] == "rateof":
            return self.of_name(e[1], line)
        return (e[0], *(self.without(o, line) for o in e[1:]))

    def of_name(self, name, line):
        s = self.system
        if name in self.open:
            raise wm.Unsupported("circles of rates and definitions", line, name)
        self.open.append(name)
        if name in s.states:
            rate = self.without(s.rates[name], line)
        elif name in s.defined:
            rate = self.of(s.defined[name], line)
        elif name in s.unknowns:
            raise wm.Unsupported("rates of what an algebraic equation gives", line, name)
        else:
            rate = 1.0 if name == "t" else 0.0
        self.open.pop()
        return rate

    def of(self, e, line):
        """d/dt of an expression."""
        if isinstance(e, str):
            return self.of_name(e, line)
        if isinstance(e, (int, float)):
            return 0.0
        operation, *operands = e
        if operation == "rateof":
            raise wm.Unsupported("rates of rates", line)
        if operation == "if":
            yes, no = (self.of(o, line) for o in operands[1:])
            return 0.0 if yes == no == 0.0 else ("if", operands[0], yes, no)
        rates = [self.of(o, line) for o in operands]
        if all(r == 0.0 for r in rates) or operation in ("floor", "ceil", "sign", "not", "and", "or", "=", "<>", "<", "<=", ">", ">="):
            return 0.0
        return self.rule(operation, operands, rates, line)

    @staticmethod
    def rule(operation, operands, rates, line):
        a, da = operands[0], rates[0]
        b, db = (operands[1], rates[1]) if len(operands) > 1 else (0.0, 0.0)
        if operation in ("+", "-", "neg"):
            return (operation, *rates)
        if operation == "*":
            terms = [("*", rate, *operands[:k], *operands[k + 1:]) for k, rate in enumerate(rates) if rate != 0.0]
            return wm.fold("+", *terms)
        if operation == "/":
            return ("-", ("/", da, b), ("*", ("/", a, b), ("/", db, b)))
        if operation == "^" and db == 0.0:
            return ("*", b, ("^", a, ("-", b, 1.0)), da)
        simple = {"exp": ("exp", a), "ln": ("/", 1.0, a), "sin": ("cos", a), "cos": ("neg", ("sin", a)), "sqrt": ("/", 0.5, ("sqrt", a)),
                  "tanh": ("-", 1.0, ("^", ("tanh", a), 2.0)), "abs": ("sign", a)}
        if operation not in simple:
            raise wm.Unsupported("rates of other functions", line, operation)
        return ("*", simple[operation], da)


def resolve(system):
    """Replaces rates of named things, where a model has any."""
    tables = (system.constants, system.frozen, system.states, system.rates, system.defined, system.unknowns)
    parts = [e for table in tables for e in table.values()] + system.closing
    for event in system.events:
        parts += [event.trigger, event.delay, event.priority or 0.0] + [a.value for a in event.assigned]
    if any("rateof" in compute.operations_in(e) for e in parts):
        Rates(system).resolve()
