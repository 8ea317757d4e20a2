"""tools/import/sbml: models converted and run, against what they come to by hand; what is refused, with its line. TAP on standard output.

    test_sbml.py SOURCE WARPLU
"""
import math
import os
import sys

source, WARPLU = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(source, "tests", "support"))
import importing  # noqa: E402
import tap  # noqa: E402

importing.begin(source, WARPLU)
MATHML = 'xmlns="http://www.w3.org/1998/Math/MathML"'
TIME = '<csymbol encoding="text" definitionURL="http://www.sbml.org/sbml/symbols/time">t</csymbol>'
COMPARTMENT = '<compartment id="c" size="2" spatialDimensions="3" constant="{}"/>'


def apply(operation, *operands):
    """MathML of numbers, names and MathML."""
    def shown(o):
        return f"<cn>{o}</cn>" if isinstance(o, (int, float)) else o if o.startswith("<") else f"<ci>{o}</ci>"
    return f"<apply><{operation}/>{''.join(map(shown, operands))}</apply>"


def formula(e):
    if not isinstance(e, str):
        e = f"<cn>{e}</cn>"
    return f"<math {MATHML}>{e if e.startswith('<') else f'<ci>{e}</ci>'}</math>"


def parameter(identifier, value=None, constant="false"):
    return f'<parameter id="{identifier}" constant="{constant}"' + (f' value="{value}"/>' if value is not None else "/>")


def species(identifier, amount=None, concentration=None, only="false", boundary="false", more=""):
    begun = f'initialAmount="{amount}"' if amount is not None else f'initialConcentration="{concentration}"'
    return (f'<species id="{identifier}" compartment="c" {begun} hasOnlySubstanceUnits="{only}" '
            f'boundaryCondition="{boundary}" constant="false" {more}/>')


def rule(kind, variable, e):
    named = f' variable="{variable}"' if variable else ""
    return f"<{kind}Rule{named}>{formula(e)}</{kind}Rule>"


def assignment(symbol, e):
    return f'<initialAssignment symbol="{symbol}">{formula(e)}</initialAssignment>'


def reaction(identifier, law, reactants="", products="", fast=""):
    taken = f"<listOfReactants>{reactants}</listOfReactants>" if reactants else ""
    return (f'<reaction id="{identifier}" reversible="false" {fast}>{taken}<listOfProducts>{products}</listOfProducts>'
            f"<kineticLaw>{formula(law)}</kineticLaw></reaction>")


def reference(of, stoichiometry=1, identifier="", constant="true"):
    named = f'id="{identifier}"' if identifier else ""
    return f'<speciesReference species="{of}" {named} constant="{constant}"' + (f' stoichiometry="{stoichiometry}"/>' if stoichiometry else "/>")


def event(identifier, trigger, assigned, delay=None, priority=None, persistent="true", initial="true", at_trigger="true"):
    parts = [f'<trigger initialValue="{initial}" persistent="{persistent}">{formula(trigger)}</trigger>']
    parts += [f"<priority>{formula(priority)}</priority>"] if priority is not None else []
    parts += [f"<delay>{formula(delay)}</delay>"] if delay is not None else []
    made = "".join(f'<eventAssignment variable="{v}">{formula(e)}</eventAssignment>' for v, e in assigned)
    return (f'<event id="{identifier}" useValuesFromTriggerTime="{at_trigger}">{"".join(parts)}<listOfEventAssignments>{made}'
            "</listOfEventAssignments></event>")


LISTS = {"compartment": "Compartments", "species": "Species", "parameter": "Parameters", "initialAssignment": "InitialAssignments",
         "assignmentRule": "Rules", "rateRule": "Rules", "algebraicRule": "Rules", "reaction": "Reactions", "event": "Events"}


def sbml(*parts, version=2, more="", attributes=""):
    """A model of level 3, of parts in any order; each part is a line."""
    order = dict.fromkeys(LISTS.values(), "")
    for part in parts:
        order[LISTS[part[1:].split()[0].split(">")[0]]] += part + "\n"
    lists = "".join(f"<listOf{name}>\n{text}</listOf{name}>\n" for name, text in order.items() if text)
    return (f'<?xml version="1.0" encoding="UTF-8"?>\n<sbml xmlns="http://www.sbml.org/sbml/level3/version{version}/core" level="3" '
            f'version="{version}" {attributes}>\n<model id="m">\n{lists}</model>\n{more}</sbml>\n')


def near(found, expected, within=1e-6):
    assert len(found) == len(expected) and all(abs(a - b) <= within * max(1.0, abs(b)) for a, b in zip(found, expected)), (found, expected)


def last(*parts, watch, to=2.0, **more):
    return importing.last("sbml", sbml(*parts, **more), watch, to, steps=8)


def reactions_move_species():
    """A is a concentration in two litres, B an amount: A' = -A/2, B = 1 + 4 (3 - A); n is a stoichiometry by its name."""
    law = apply("divide", apply("times", "n", "k", "A", "c"), 2)
    parts = [COMPARTMENT.format("true"), species("A", concentration=3), species("B", amount=1, only="true"), parameter("k", 0.5, "true"),
             parameter("twice"), rule("assignment", "twice", apply("times", 2, "A")),
             reaction("r", law, reference("A"), reference("B", 2, "n"))]
    a = 3 * math.exp(-1)
    near(last(*parts, watch=["A", "B", "twice"]), [a, 1 + 4 * (3 - a), 2 * a])


def stoichiometries_change():
    """S' = 3 r with r = 1/2 and the stoichiometry t, by a rule; c is 2."""
    parts = [COMPARTMENT.format("true"), species("S", amount=0, only="true"), rule("assignment", "n", TIME),
             reaction("r", 0.5, products=reference("S", None, "n", "false"))]
    near(last(*parts, watch=["S"]), [1.0])
    parts[2] = assignment("n", apply("plus", 1, 2))
    near(last(*parts, watch=["S"]), [3.0])


def conversion_factors_scale_amounts():
    parts = [COMPARTMENT.format("true"), species("S", amount=0, only="true", more='conversionFactor="f"'), parameter("f", 4, "true"),
             reaction("r", 0.5, products=reference("S"))]
    near(last(*parts, watch=["S"]), [4.0])


def compartments_change():
    """c = 2 + t: the amount of S stays 6 as its concentration falls; an event halves c at 1."""
    parts = [COMPARTMENT.format("false"), species("S", concentration=3), parameter("k", 0), rule("rate", "c", 1)]
    near(last(*parts, watch=["c", "S"]), [4.0, 1.5])
    halved = event("e", apply("geq", TIME, 1), [("c", apply("divide", "c", 2))])
    near(last(*parts, halved, watch=["c", "S"]), [2.5, 6 / 2.5])
    both = event("e", apply("geq", TIME, 1), [("c", 1), ("S", 5)])  # the amount is 5 times the size before
    near(last(*parts[:1], *parts[1:], both, watch=["c", "S"]), [2.0, 15.0 / 2.0])


def concentrations_by_rules_change_with_compartments():
    """S' = 1 of a concentration; c doubles at 1, so that S = 4 becomes 2, or what an event sets, 5, becomes 5/2."""
    parts = [COMPARTMENT.format("false"), species("S", concentration=3, boundary="true"), rule("rate", "S", 1)]
    near(last(*parts, event("e", apply("geq", TIME, 1), [("c", 4)]), watch=["S"]), [3.0])
    near(last(*parts, event("e", apply("geq", TIME, 1), [("S", 5), ("c", 4)]), watch=["S"]), [3.5])


def algebraic_rules_determine():
    """x + 2 y = 3 t, y = x: a definition; x^3 = t + 8: an unknown."""
    parts = [parameter("x", 1), parameter("y"), rule("assignment", "y", "x"),
             rule("algebraic", None, apply("minus", apply("plus", "x", apply("times", 2, "y")), apply("times", 3, TIME)))]
    near(last(*parts, watch=["x", "y"]), [2.0, 2.0])
    cubic = [parameter("x", 1), parameter("z", 0), rule("rate", "z", "x"),
             rule("algebraic", None, apply("minus", apply("power", "x", 3), apply("plus", TIME, 8)))]
    near(last(*cubic, watch=["x"], to=19.0), [3.0])


def rules_alone_run():
    """y = 2 t + p, without a state."""
    parts = [parameter("p", 3), parameter("y"), rule("assignment", "y", apply("plus", apply("times", 2, TIME), "p"))]
    near(last(*parts, watch=["y"]), [7.0])
    text = importing.converted("sbml", sbml(*parts))
    assert "state" not in text, text


def rates_are_named():
    """y = t^2 has the rate 2 t, the concentration of what stays as its compartment grows -n/c^2."""
    rate = '<csymbol encoding="text" definitionURL="http://www.sbml.org/sbml/symbols/rateOf">rateOf</csymbol>'
    named = f"<apply>{rate}<ci>{{}}</ci></apply>"
    parts = [COMPARTMENT.format("false"), species("S", concentration=3), parameter("y", 1), parameter("r"), parameter("q"), rule("rate", "c", 1),
             rule("rate", "y", apply("times", 2, TIME)), rule("assignment", "r", named.format("y")), rule("assignment", "q", named.format("S"))]
    near(last(*parts, watch=["r", "q"]), [4.0, -6 / 16])


def initial_assignments_are_those_of_the_start():
    """x begins with 2 y + 1, y with 3, and a constant keeps what x was."""
    parts = [parameter("x"), parameter("y", 3), parameter("k", None, "true"), rule("rate", "x", 1), rule("rate", "y", 1),
             assignment("x", apply("plus", apply("times", 2, "y"), 1)), assignment("k", "x")]
    near(last(*parts, watch=["x", "k"]), [9.0, 7.0])
    near(last(parameter("x"), rule("assignment", "x", apply("times", 2, TIME)), watch=["x"], to=3.0), [6.0])
    sized = '<compartment id="c" spatialDimensions="3" constant="true"/>'  # by an assignment, of which the concentration S = 6/3 is
    parts = [sized, species("S", amount=6, boundary="true"), parameter("x", 0), parameter("y", 0), parameter("k", 2, "true"),
             assignment("c", 3), assignment("x", apply("plus", "y", "S")), rule("rate", "x", 0), rule("assignment", "y", apply("plus", "k", 1))]
    near(last(*parts, watch=["x"]), [5.0])


def events_happen():
    """At times, and at what states reach; x = t."""
    x = [parameter("x", 0), parameter("p", 1), parameter("q", 1), rule("rate", "x", 1)]
    at = event("e", apply("geq", TIME, 1), [("p", apply("plus", "p", TIME))])
    near(last(*x, at, watch=["p"]), [2.0])
    near(last(*x, event("e", apply("gt", "x", 1.3), [("p", "x"), ("x", 0)]), watch=["p", "x"]), [1.3, 0.7])
    near(last(*x, event("e", apply("and", apply("gt", "x", 1.3001), apply("lt", "x", 1.3002)), [("p", 7)]), watch=["p"]), [7.0])


def events_cause_each_other():
    """x = 5 at 1, which makes x > 3 true, which makes p = x + 1."""
    parts = [parameter("x", 0), parameter("p", 0), event("a", apply("geq", TIME, 1), [("x", 5)]),
             event("b", apply("gt", "x", 3), [("p", apply("plus", "x", 1))])]
    near(last(*parts, watch=["x", "p"]), [5.0, 6.0])


def events_wait():
    """The trigger holds at x = 1, values are those of then or of half a time unit later."""
    x = [parameter("x", 0), parameter("p", 0), rule("rate", "x", 1)]
    for at_trigger, expected in (("true", 1.0), ("false", 1.5)):
        near(last(*x, event("e", apply("geq", "x", 1), [("p", "x")], delay=0.5, at_trigger=at_trigger), watch=["p"]), [expected])
    short = apply("and", apply("geq", "x", 1), apply("lt", "x", 1.25))
    for persistent, expected in (("true", 1.5), ("false", 0.0)):
        near(last(*x, event("e", short, [("p", "x")], delay=0.5, at_trigger="false", persistent=persistent), watch=["p"]), [expected])


def an_event_is_due_several_times():
    """A saw of period 1/4 triggers every time, half a unit before: four are due before 2, of which three by 1.4."""
    parts = [parameter("x", 0), parameter("n", 0), rule("rate", "x", 4), event("saw", apply("geq", "x", 1), [("x", 0)]),
             event("e", apply("geq", "x", 0.5), [("n", apply("plus", "n", 1))], delay=0.5, at_trigger="false")]
    near(last(*parts, watch=["n"], to=1.4), [4.0])


def an_event_is_due_too_often():
    """Eight times within its delay: the run ends, and says why."""
    text = importing.converted("sbml", sbml(
        parameter("x", 0), parameter("n", 0), rule("rate", "x", 4), event("saw", apply("geq", "x", 1), [("x", 0)]),
        event("e", apply("geq", "x", 0.5), [("n", apply("plus", "n", 1))], delay=2.5)))
    near(importing.run(text, ["n"], 1.5)[-1][1:], [0.0])
    try:
        importing.run(text, ["n"], 2.5)
    except AssertionError as error:
        assert "e_full" in str(error).split("\n", maxsplit=1)[0], error
    else:
        raise AssertionError("no word of it")


def priorities_order_events():
    """Three at one time: what comes last leaves its value, and by chance nothing is chosen."""
    for order in ((1, 2, 3), (3, 1, 2), (2, 3, 1)):
        parts = [parameter("p", 0), parameter("n", 0)]
        parts += [event(f"e{k}", apply("geq", TIME, 1), [("p", k), ("n", apply("plus", apply("times", 10, "n"), k))], priority=priority,
                        at_trigger="false") for k, priority in enumerate(order)]
        places = sorted(range(3), key=lambda k: -order[k])
        near(last(*parts, watch=["p", "n"]), [places[-1], 100 * places[0] + 10 * places[1] + places[2]])


def an_event_calls_another_one_off():
    """Both want x to be 0; who comes first sets it, and the other one does not persist."""
    parts = [parameter("x", 0), parameter("y", 0), parameter("z", 0), rule("rate", "x", 1)]
    parts += [event(v, apply("geq", "x", 1), [(v, 1), ("x", 0)], priority=p, persistent="false") for v, p in (("y", 1), ("z", 2))]
    near(last(*parts, watch=["x", "y", "z"], to=1.5), [0.5, 0.0, 1.0])


def events_of_the_start_happen():
    """A trigger that holds at 0 and is taken to have been false; another one follows it; a third waits."""
    parts = [parameter("x", 1), parameter("p", 0), parameter("q", 0), rule("rate", "p", 1),
             event("a", apply("gt", "x", 0), [("x", 4)], initial="false"), event("b", apply("gt", "x", 3), [("p", "x")]),
             event("c", apply("gt", "x", 2), [("q", apply("plus", "p", "k"))], delay=1, at_trigger="false"),
             parameter("k", None, "true"), assignment("k", apply("times", "x", 10))]
    near(last(*parts, watch=["x", "p", "q"]), [4.0, 6.0, 15.0])
    kept = [parameter("x", 1), parameter("y", 0), parameter("k", None, "true"), assignment("k", "x"),
            event("a", apply("gt", "x", 0), [("x", 4)], initial="false"), event("b", apply("gt", "x", 3), [("y", "k")])]
    near(last(*kept, watch=["y"]), [1.0])


def functions_and_submodels_are_flattened():
    comp = ('xmlns:comp="http://www.sbml.org/sbml/level3/version1/comp/version1" comp:required="true"')
    more = ('<comp:listOfModelDefinitions><comp:modelDefinition id="d"><listOfParameters><parameter id="p" value="1" constant="false"/>'
            f'</listOfParameters><listOfRules>{rule("rate", "p", "p")}</listOfRules></comp:modelDefinition></comp:listOfModelDefinitions>')
    text = sbml(parameter("k", 1, "true"), version=1, more=more, attributes=comp)
    text = text.replace("</model>", '<comp:listOfSubmodels><comp:submodel comp:id="a" comp:modelRef="d"/></comp:listOfSubmodels></model>')
    near(importing.last("sbml", text, ["a__p"], 2.0), [math.exp(2)])
    replaced = '<comp:listOfReplacedElements><comp:replacedElement comp:idRef="p" comp:submodelRef="a"/></comp:listOfReplacedElements>'
    own = '<parameter id="k" constant="false" value="3">' + replaced + "</parameter>"
    near(importing.last("sbml", text.replace(parameter("k", 1, "true"), own), ["k"], 2.0), [3 * math.exp(2)])
    function = (f'<listOfFunctionDefinitions><functionDefinition id="f"><math {MATHML}><lambda><bvar><ci>x</ci></bvar>'
                f'{apply("times", "x", "x")}</lambda></math></functionDefinition></listOfFunctionDefinitions>')
    text = sbml(parameter("y", 0), rule("rate", "y", "<apply><ci>f</ci><cn>3</cn></apply>"))
    near(importing.last("sbml", text.replace('<model id="m">', '<model id="m">' + function), ["y"], 2.0), [18.0])


def level_1_is_read():
    """b grows by half of what a loses."""
    text = ('<?xml version="1.0" encoding="UTF-8"?><sbml xmlns="http://www.sbml.org/sbml/level1" level="1" version="2"><model name="m">'
            '<listOfCompartments><compartment name="c" volume="1"/></listOfCompartments><listOfSpecies>'
            '<species name="a" compartment="c" initialAmount="1"/><species name="b" compartment="c" initialAmount="0"/></listOfSpecies>'
            '<listOfReactions><reaction name="r" reversible="false"><listOfReactants><speciesReference species="a"/></listOfReactants>'
            '<listOfProducts><speciesReference species="b" stoichiometry="1" denominator="2"/></listOfProducts>'
            '<kineticLaw formula="k*a"><listOfParameters><parameter name="k" value="1"/></listOfParameters></kineticLaw></reaction>'
            "</listOfReactions></model></sbml>")
    near(importing.last("sbml", text, ["a", "b"], 2.0), [math.exp(-2), (1 - math.exp(-2)) / 2])


def what_cannot_be_said_is_refused():
    x = [parameter("x", 0), parameter("y", 0), rule("rate", "x", 1)]
    past = ('<apply><csymbol encoding="text" definitionURL="http://www.sbml.org/sbml/symbols/delay">d</csymbol><ci>x</ci><cn>1</cn></apply>')
    fast = reaction("r", 1, products=reference("S"), fast='fast="true"')
    chance = [event(f"e{k}", apply("geq", "x", 1), [("y", apply("plus", "y", k))], priority=1, at_trigger="false") for k in (1, 2)]
    multi = 'xmlns:q="http://www.sbml.org/sbml/level3/version1/arrays/version1" q:required="true"'
    for text, kind, mark in (
            (sbml(*x, rule("assignment", "y", past)), "values of the past, by delay()", "<assignmentRule"),
            (sbml(COMPARTMENT.format("true"), species("S", amount=0), fast, version=1), "fast reactions: r", "<reaction "),
            (sbml(*x, *chance), "choices by chance", '<event id="e2"'),
            (sbml(*x, event("e", apply("eq", "x", 1), [("y", 1)])), "triggers that hold for an instant", "<event "),
            (sbml(*x, version=1, attributes=multi), "packages that the file requires", "<sbml"),
            (sbml(*x, rule("assignment", "y", "x"), event("e", apply("geq", "x", 1), [("y", 1)])),
             "events that set what is no variable of its own: y", "<event "),
            (sbml(*x, rule("algebraic", None, "x")), "algebraic rules that determine nothing", "<algebraicRule"),
            (sbml(parameter("a", 0), parameter("b", 0), rule("algebraic", None, apply("minus", "a", "b"))),
             "algebraic rules that may determine several", "<algebraicRule"),
            (sbml(COMPARTMENT.format("true").replace('size="2"', ""), species("S", amount=1), reaction("r", 1, products=reference("S"))),
             "rates by symbols without a value: c", "<compartment id"),
            (sbml(parameter("x"), rule("rate", "x", 1)), "states without an initial value: x", "<parameter"),
            ("<sbml", "errors that libSBML finds", None)):
        importing.refused("sbml", text, kind, mark)


tap.run([reactions_move_species, stoichiometries_change, conversion_factors_scale_amounts, compartments_change,
         concentrations_by_rules_change_with_compartments, algebraic_rules_determine, rules_alone_run,
         rates_are_named, initial_assignments_are_those_of_the_start, events_happen, events_cause_each_other, events_wait,
         an_event_is_due_several_times, an_event_is_due_too_often, priorities_order_events, an_event_calls_another_one_off, events_of_the_start_happen,
         functions_and_submodels_are_flattened, level_1_is_read, what_cannot_be_said_is_refused])
