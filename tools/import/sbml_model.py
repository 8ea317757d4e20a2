"""A model of SBML, of one level or another, as the form of form.py.

A symbol is a compartment, species, parameter or reference to a species with an identifier. What it is follows from
who determines it: an assignment rule, a rate rule, an algebraic rule, reactions, events, or nothing but its initial
value. A species is a state in the unit that SBML means by its name, an amount where hasOnlySubstanceUnits, else a
concentration; where its compartment changes, an amount, and its concentration a definition."""
import math

import compute
import libsbml
import wm
from form import Assignment, Event, System
from sbml_algebra import Algebra
from sbml_math import Formulas


def refuse(kind, element, what):
    raise wm.Unsupported(kind, element.getLine(), what)


class Model:
    def __init__(self, model):
        self.model, self.system = model, System()
        self.formulas = Formulas(model, self.named)
        self.level = model.getLevel()
        self.symbols, self.locals = {}, {}
        self.rules = {r.getVariable(): r for r in model.getListOfRules() if not r.isAlgebraic() and r.isSetMath()}
        self.begins = {a.getSymbol(): a for a in model.getListOfInitialAssignments() if a.isSetMath()}
        self.set_by_events = {a.getVariable() for e in model.getListOfEvents() for a in e.getListOfEventAssignments() if a.isSetMath()}
        self.references = self.list_references()
        self.changed = {}  # {species: [(factor, reaction)]}
        self.amounts = {}  # {species: the name of its amount}, where that is the state

    # ------------------------------------------------------------------ names

    def list_references(self):
        """References to species that have identifiers, by these."""
        return {s.getId(): s for r in self.model.getListOfReactions() for l in (r.getListOfReactants(), r.getListOfProducts())
                for s in l if s.isSetId()}

    def name(self, identifier):
        return self.system.names.of(identifier, identifier)

    def named(self, identifier, line):
        if identifier in self.locals:
            return self.locals[identifier]
        if identifier not in self.symbols:
            raise wm.Unsupported("names that nothing has", line, identifier)
        return self.name(identifier)

    def collect(self):
        m = self.model
        for elements in (m.getListOfCompartments(), m.getListOfSpecies(), m.getListOfParameters(), m.getListOfReactions()):
            self.symbols.update({e.getId(): e for e in elements})
        self.symbols.update(self.references)
        for identifier, element in self.symbols.items():
            self.system.lines[self.name(identifier)] = element.getLine()

    # ------------------------------------------------------------------ what a symbol is

    def declare(self, identifier, begun, scale=None):
        """A symbol that no reaction changes. begun: its initial value, a number or an expression."""
        if identifier in self.algebra.solved:
            return
        s, name, rule = self.system, self.name(identifier), self.rules.get(identifier)
        begun = self.begun(identifier, begun)
        if rule is not None and rule.isAssignment():
            s.defined[name] = self.formulas.of(rule)
        elif rule is not None:
            s.states[name], s.rates[name] = begun, self.formulas.of(rule)
        elif identifier in self.set_by_events:
            s.states[name], s.rates[name] = begun, 0.0
        elif isinstance(begun, (int, float)):
            s.constants[name] = begun
        else:
            s.frozen[name] = begun

    def begun(self, identifier, begun):
        return self.formulas.of(self.begins[identifier]) if identifier in self.begins else begun

    def changes(self, identifier):
        return identifier in self.rules or identifier in self.set_by_events or identifier in self.algebra.solved

    def compartments(self):
        for c in self.model.getListOfCompartments():
            unsized = 1.0 if self.level == 1 or c.getSpatialDimensionsAsDouble() == 0.0 else math.nan
            self.declare(c.getId(), c.getSize() if c.isSetSize() else unsized)

    def parameters(self):
        for p in self.model.getListOfParameters():
            self.declare(p.getId(), p.getValue() if p.isSetValue() else math.nan)
        for identifier, reference in self.references.items():
            number = self.stoichiometry_set(reference)
            if isinstance(number, float):
                self.declare(identifier, number)
            else:
                self.system.defined[self.name(identifier)] = number

    # ------------------------------------------------------------------ species

    def is_amount(self, species):
        compartment = self.model.getCompartment(species.getCompartment())
        point = self.level == 2 and compartment is not None and compartment.getSpatialDimensions() == 0
        return species.getHasOnlySubstanceUnits() or point

    def begun_species(self, species):
        """Initial value, in the unit of the species' name."""
        amount, size = self.is_amount(species), self.name(species.getCompartment())
        if species.isSetInitialAmount():
            number = species.getInitialAmount()
            return number if amount else self.over(number, size)
        if species.isSetInitialConcentration():
            number = species.getInitialConcentration()
            return ("*", number, size) if amount else number
        return math.nan

    def over(self, number, size):
        """number / size, as a number where the size is one that stays."""
        known = self.system.constants.get(size)
        return number / known if known else ("/", number, size)

    def species(self):
        for s in self.model.getListOfSpecies():
            terms, rule = self.changed.get(s.getId(), []), self.rules.get(s.getId())
            begun = self.begun_species(s)
            scaled = not self.is_amount(s) and self.changes(s.getCompartment()) and rule is None
            if scaled:
                self.amount_of(s, begun, terms)
            elif terms and rule is None:
                self.reacting(s, begun, terms)
            else:
                self.declare(s.getId(), begun)

    def rate(self, species, terms):
        """Of the amount."""
        rate = wm.fold("+", *terms)
        factor = species.getConversionFactor() or self.model.getConversionFactor()
        return ("*", rate, self.name(factor)) if factor else rate

    def reacting(self, species, begun, terms):
        s, name, rate = self.system, self.name(species.getId()), self.rate(species, terms)
        s.states[name] = self.begun(species.getId(), begun)
        s.rates[name] = rate if self.is_amount(species) else ("/", rate, self.name(species.getCompartment()))

    def amount_of(self, species, begun, terms):
        """The amount is the state, or the constant, as the compartment changes."""
        s, size = self.system, self.name(species.getCompartment())
        name = self.system.new(f"{species.getId()}_amount")
        begun = self.begun(species.getId(), begun)
        initial = species.getInitialAmount() if species.isSetInitialAmount() and species.getId() not in self.begins else ("*", begun, size)
        s.defined[self.name(species.getId())] = ("/", name, size)
        self.amounts[species.getId()] = name
        if terms or species.getId() in self.set_by_events:
            s.states[name], s.rates[name] = initial, self.rate(species, terms) if terms else 0.0
        else:
            s.frozen[name] = initial

    # ------------------------------------------------------------------ reactions

    def stoichiometry_set(self, reference):
        """The number that the file gives."""
        if self.level == 1:
            return reference.getStoichiometry() / reference.getDenominator()
        if reference.isSetStoichiometryMath() and reference.getStoichiometryMath().isSetMath():
            return self.formulas.of(reference.getStoichiometryMath())
        if reference.isSetStoichiometry():
            return reference.getStoichiometry()
        return 1.0 if self.level == 2 else math.nan

    def factor(self, reference):
        """What one turn of the reaction takes or makes of the species."""
        return self.name(reference.getId()) if reference.isSetId() else self.stoichiometry_set(reference)

    def reactions(self):
        for r in self.model.getListOfReactions():
            law = r.getKineticLaw()
            if r.isSetFast() and r.getFast():
                refuse("fast reactions", r, r.getId())
            if law is None or not law.isSetMath():
                if self.moved(r):
                    refuse("reactions without a kinetic law", r, r.getId())
                continue
            self.local_parameters(r, law)
            self.system.defined[self.name(r.getId())] = self.formulas.of(law)
            self.locals = {}
            for references, sign in ((r.getListOfReactants(), -1.0), (r.getListOfProducts(), 1.0)):
                for reference in references:
                    self.add_change(r, reference, sign)

    def moved(self, reaction):
        """Whether a reaction has species that it changes."""
        return any(self.free(self.model.getSpecies(s.getSpecies())) for l in (reaction.getListOfReactants(), reaction.getListOfProducts())
                   for s in l)

    @staticmethod
    def free(species):
        return species is not None and not species.getBoundaryCondition() and not species.getConstant()

    def local_parameters(self, reaction, law):
        for p in list(law.getListOfParameters()) + list(law.getListOfLocalParameters()):
            name = self.system.names.of((reaction.getId(), p.getId()), f"{reaction.getId()}_{p.getId()}")
            self.locals[p.getId()] = name
            self.system.constants[name] = p.getValue() if p.isSetValue() else math.nan
            self.system.lines[name] = p.getLine()

    def add_change(self, reaction, reference, sign):
        if not self.free(self.model.getSpecies(reference.getSpecies())):
            return
        factor, rate = self.factor(reference), self.name(reaction.getId())
        if isinstance(factor, float) and math.isnan(factor):
            refuse("stoichiometries that nothing sets", reference, f"{reference.getSpecies()} in {reaction.getId()}")
        term = rate if factor == 1.0 else ("*", factor, rate)
        self.changed.setdefault(reference.getSpecies(), []).append(term if sign > 0 else ("neg", term))

    # ------------------------------------------------------------------ events

    def events(self):
        for k, e in enumerate(self.model.getListOfEvents()):
            trigger = e.getTrigger()
            condition = self.formulas.of(trigger)
            delay, priority = self.formulas.of(e.getDelay()), self.formulas.of(e.getPriority())
            assigned = [a for a in e.getListOfEventAssignments() if a.isSetMath()]
            if condition is None or not assigned:
                continue
            self.system.events.append(Event(
                name=self.system.new(e.getId() or f"event_{k + 1}"), line=e.getLine(), trigger=condition, priority=priority,
                true_before=trigger.getInitialValue() if self.level == 3 else True,
                persistent=trigger.getPersistent() if self.level == 3 else True, delay=0.0 if delay is None else delay,
                at_trigger=e.getUseValuesFromTriggerTime(), assigned=self.assignments(assigned)))

    def assignments(self, assigned):
        values = {a.getVariable(): self.formulas.of(a) for a in assigned}
        for a in assigned:
            if self.amounts.get(a.getVariable(), self.name(a.getVariable())) not in self.system.states:
                refuse("events that set what is no variable of its own", a, a.getVariable())
        made = []
        for variable, value in values.items():
            if variable in self.amounts:
                size = self.name(self.model.getSpecies(variable).getCompartment())
                made.append(Assignment(self.amounts[variable], value, size))
            elif not self.concentration_in(variable, values):
                made.append(Assignment(self.name(variable), value))
        return made + [a for size in values if self.model.getCompartment(size) for a in self.rescaled(size, values)]

    def concentration_in(self, variable, sizes):
        """Whether it is a state that is a concentration in one of these compartments."""
        s = self.model.getSpecies(variable)
        return s is not None and s.getCompartment() in sizes and not self.is_amount(s) and self.name(variable) in self.system.states

    def rescaled(self, size, values):
        """Of concentrations that are states, by rules, in a compartment that an event changes: the amount is what
        it was, or follows from the concentration that the event sets and the size before it."""
        for s in self.model.getListOfSpecies():
            if s.getCompartment() == size and self.concentration_in(s.getId(), values):
                yield Assignment(self.name(s.getId()), ("/", values.get(s.getId(), self.name(s.getId())), values[size]), self.name(size))

    # ------------------------------------------------------------------ all

    def convert(self):
        self.collect()
        self.algebra = Algebra(self)
        self.compartments()
        self.parameters()
        self.reactions()
        self.species()
        self.algebra.write()
        self.events()
        return self.system
