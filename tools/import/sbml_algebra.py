"""Algebraic rules: which symbol each of them determines, and what it then is.

A rule may determine a symbol that it names, itself or through assignment rules, and that nothing else does; a
matching gives each rule one of its own. Where the symbol stands linearly, its definition follows; else it is an
unknown, and the rule a closing equation."""
import compute
import wm


class Algebra:
    """solved: {identifier: rule}."""

    def __init__(self, model):
        self.model, self.solved = model, {}
        self.rules = [r for r in model.model.getListOfRules() if r.isAlgebraic() and r.isSetMath()]
        candidates = [self.candidates(r) for r in self.rules]
        for k, rule in enumerate(self.rules):
            if not self.match(k, candidates, set()):
                raise wm.Unsupported("algebraic rules that determine nothing", rule.getLine())
        for identifier, k in self.solved.items():
            others = [c for c in candidates[k] if c not in self.solved and self.rank(c) <= self.rank(identifier)]
            if others:
                raise wm.Unsupported("algebraic rules that may determine several symbols", self.rules[k].getLine(),
                                     f"{identifier} or {others[0]}")
        self.solved = {identifier: self.rules[k] for identifier, k in self.solved.items()}

    def match(self, k, candidates, tried):
        for identifier in candidates[k]:
            if identifier in tried:
                continue
            tried.add(identifier)
            if identifier not in self.solved or self.match(self.solved[identifier], candidates, tried):
                self.solved[identifier] = k
                return True
        return False

    def candidates(self, rule):
        found, left = [], identifiers(rule.getMath())
        while left:
            identifier = left.pop(0)
            other = self.model.rules.get(identifier)
            if identifier in found:
                continue
            found.append(identifier)
            left += identifiers(other.getMath()) if other is not None and other.isAssignment() else []
        free = [i for i in found if self.free(i)]
        return sorted(free, key=self.rank)

    def rank(self, identifier):
        """What events set, and species that reactions may not change, come last, what has no value first."""
        symbol = self.model.symbols[identifier]
        kind = symbol.getElementName()
        given = kind == "parameter" and symbol.isSetValue() or kind == "compartment"
        return identifier in self.model.set_by_events, kind == "species" and symbol.getBoundaryCondition(), given

    def free(self, identifier):
        m = self.model
        symbol = m.symbols.get(identifier)
        if symbol is None or identifier in m.rules or symbol.getElementName() == "reaction":
            return False
        if symbol.getConstant() and m.level > 1:
            return False
        if symbol.getElementName() != "species" or symbol.getBoundaryCondition():
            return True
        reactions = m.model.getListOfReactions()
        return not any(s.getSpecies() == identifier for r in reactions for l in (r.getListOfReactants(), r.getListOfProducts()) for s in l)

    def write(self):
        """Definitions, or unknowns with closing equations."""
        m, s = self.model, self.model.system
        for identifier, rule in self.solved.items():
            name, e = m.name(identifier), m.formulas.of(rule)
            if identifier in m.set_by_events:
                raise wm.Unsupported("what an algebraic rule gives and an event sets", rule.getLine(), identifier)
            if not self.define(name, e):
                s.unknowns[name] = m.begun(identifier, self.given(identifier))
                s.closing.append(e)

    def define(self, name, e):
        s = self.model.system
        parts = compute.linear(self.inlined(e, name), name)
        if parts is None or parts[0] == 0.0:
            return False
        a, b = parts
        s.defined[name] = compute.negative(b) if a == 1.0 else b if a in (("neg", 1.0), -1.0) else ("/", compute.negative(b), a)
        if name in s.support([a, b]):
            del s.defined[name]
            return False
        return True

    def inlined(self, e, name):
        s = self.model.system
        return compute.replace(e, lambda n: self.inlined(s.defined[n], name) if n in s.defined and name in s.support([n]) else n)

    def given(self, identifier):
        symbol = self.model.symbols[identifier]
        if symbol.getElementName() == "species":
            return self.model.begun_species(symbol)
        if symbol.getElementName() == "speciesReference":
            return self.model.stoichiometry_set(symbol)
        return symbol.getSize() if symbol.getElementName() == "compartment" else symbol.getValue()


def identifiers(ast):
    """Names in a formula, in order."""
    here = [ast.getName()] if ast.isName() and ast.getName() else []
    return here + [n for i in range(ast.getNumChildren()) for n in identifiers(ast.getChild(i))]
