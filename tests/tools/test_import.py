"""tools/import: the texts that are made of expressions, and models of CellML and SBML, converted and run, against what they
come to by hand. TAP on standard output.

    test_import.py SOURCE WARPLU
"""
import csv
import importlib.util
import io
import math
import os
import random
import re
import subprocess
import sys
import tempfile

source, WARPLU = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(source, "tests", "support"))
sys.path.insert(0, os.path.join(source, "tools", "import"))
import tap  # noqa: E402
import wm  # noqa: E402

FOLDER = tempfile.TemporaryDirectory()
X, Y = wm.Name("x"), wm.Name("y")

CELLML = """<?xml version="1.0" encoding="UTF-8"?>
<model xmlns="http://www.cellml.org/cellml/2.0#" xmlns:cellml="http://www.cellml.org/cellml/2.0#" name="decay">
  <units name="ms"><unit prefix="milli" units="second"/></units>
  <units name="per_s"><unit units="second" exponent="-1"/></units>
  <units name="per_ms"><unit prefix="milli" units="second" exponent="-1"/></units>
  <component name="rates"><variable name="k" units="per_s" initial_value="500" interface="public"/></component>
  <component name="clock"><variable name="time" units="ms" interface="public"/></component>
  <component name="cell">
    <variable name="time" units="ms" interface="public"/>
    <variable name="in" units="dimensionless" initial_value="4"/>
    <variable name="k" units="per_ms" interface="public"/>
    <variable name="flow" units="per_ms"/>
    <math xmlns="http://www.w3.org/1998/Math/MathML">
      <apply><eq/><ci>flow</ci><apply><times/><apply><minus/><ci>k</ci></apply>
        <apply><minus/><ci>in</ci><cn cellml:units="dimensionless">1</cn></apply></apply></apply>
      <apply><eq/><apply><diff/><bvar><ci>time</ci></bvar><ci>in</ci></apply>
        <piecewise><piece><ci>flow</ci><apply><lt/><ci>time</ci><cn cellml:units="ms">1000</cn></apply></piece>
          <otherwise><cn cellml:units="per_ms">0</cn></otherwise></piecewise></apply>
    </math>
  </component>
  <connection component_1="clock" component_2="cell"><map_variables variable_1="time" variable_2="time"/></connection>
  <connection component_1="rates" component_2="cell"><map_variables variable_1="k" variable_2="k"/></connection>
</model>
"""

SBML = """<?xml version="1.0" encoding="UTF-8"?>
<sbml xmlns="http://www.sbml.org/sbml/level3/version1/core" level="3" version="1">
  <model id="pair" substanceUnits="mole" timeUnits="second" volumeUnits="litre" extentUnits="mole">
    <listOfCompartments><compartment id="c" size="2" spatialDimensions="3" constant="true"/></listOfCompartments>
    <listOfSpecies>
      <species id="A" compartment="c" initialConcentration="3" hasOnlySubstanceUnits="false" boundaryCondition="false" constant="false"/>
      <species id="B" compartment="c" initialAmount="1" hasOnlySubstanceUnits="true" boundaryCondition="false" constant="false"/>
    </listOfSpecies>
    <listOfParameters>
      <parameter id="k" value="0.5" constant="true"/><parameter id="twice" constant="false"/>
      <parameter id="p" value="1" constant="false"/>
    </listOfParameters>
    <listOfRules><assignmentRule variable="twice"><math xmlns="http://www.w3.org/1998/Math/MathML">
      <apply><times/><cn>2</cn><ci>A</ci></apply></math></assignmentRule></listOfRules>
    <listOfReactions><reaction id="r" reversible="false" fast="false">
      <listOfReactants><speciesReference species="A" stoichiometry="1" constant="true"/></listOfReactants>
      <listOfProducts><speciesReference id="n" species="B" stoichiometry="2" constant="true"/></listOfProducts>
      <kineticLaw><math xmlns="http://www.w3.org/1998/Math/MathML">
        <apply><divide/><apply><times/><ci>n</ci><ci>k</ci><ci>A</ci><ci>c</ci></apply><cn>2</cn></apply></math></kineticLaw>
    </reaction></listOfReactions>
    <listOfEvents><event id="e" useValuesFromTriggerTime="true">
      <trigger initialValue="false" persistent="true"><math xmlns="http://www.w3.org/1998/Math/MathML">
        <apply><geq/><csymbol encoding="text" definitionURL="http://www.sbml.org/sbml/symbols/time">t</csymbol><cn>1</cn></apply></math></trigger>
      <listOfEventAssignments><eventAssignment variable="p"><math xmlns="http://www.w3.org/1998/Math/MathML"><cn>7</cn></math>
      </eventAssignment></listOfEventAssignments></event></listOfEvents>
  </model>
</sbml>
"""


def expression(depth):
    """A random one."""
    if depth == 0 or random.random() < 0.1:
        return random.choice((X, Y, 2.0, -3.0, 0.5))
    operation = random.choice(("+", "-", "*", "/", "^", "neg"))
    return (operation, *(expression(depth - 1) for _ in range(1 if operation == "neg" else 2)))


def value(e, names):
    if isinstance(e, str):
        return names[e]
    if isinstance(e, float):
        return e
    a, *b = (value(o, names) for o in e[1:])
    return {"+": lambda: a + b[0], "-": lambda: a - b[0], "*": lambda: a * b[0], "/": lambda: a / b[0], "^": lambda: a**b[0],
            "neg": lambda: -a}[e[0]]()


def brackets_stand_where_precedence_asks_for_them():
    """Python's operators bind as the language's do."""
    random.seed(5)
    compared = 0
    for _ in range(2000):
        e, names = expression(4), {"x": 1.25, "y": 0.75}
        try:
            expected = value(e, names)
            found = eval(wm.text(e).replace("^", "**"), {}, names)
        except (ZeroDivisionError, OverflowError):
            continue
        assert found == expected or (found != found and expected != expected), (e, wm.text(e))
        compared += 1
    assert compared > 1000, compared


def texts_are_as_short_as_can_be():
    for e, expected in ((("-", X, ("-", Y, 1)), "x - (y - 1)"), (("*", ("+", X, Y), X), "(x + y)*x"), (("neg", ("^", X, 2)), "-x^2"),
                        (("^", ("neg", X), 2), "(-x)^2"), (("^", X, ("^", Y, 2)), "x^y^2"), (("^", ("^", X, Y), 2), "(x^y)^2"),
                        (("and", ("<", X, 1), ("not", ("or", X, Y))), "x < 1 and not (x or y)"), (("max", X, -1.0), "max(x, -1)"),
                        (("+", 1, ("if", X, 2, 3)), "1 + (if x then 2 else 3)"), (wm.fold("+", X), "x"), (("*", X, -2.0), "x*-2")):
        assert wm.text(e) == expected, (e, wm.text(e))


def numbers_are_read_as_they_were():
    random.seed(6)
    for x in [0.0, 1e15, 1e-320, 3.0, 1e300, 0.1] + [random.uniform(-1, 1) * 10.0**random.randint(-300, 300) for _ in range(500)]:
        assert float(wm.number(x)) == x, x
    for x in (math.nan, math.inf):
        try:
            assert not wm.number(x)
        except wm.Unsupported:
            continue
        raise AssertionError(x)


def names_are_the_language_s():
    names = wm.Names()
    assert names.of(1, "V") == "V" and names.of(2, "v") == "v_2" and names.of(1, "other") == "V"
    assert names.of(3, "V", "membrane_V") == "membrane_V"
    assert names.of(4, "if") == "if_2" and names.of(5, "2nd x") == "v2nd_x" and names.of(6, "a-b") == "a_b"


def convert(tool, text, ending):
    module = {"cellml": "libcellml", "sbml": "libsbml"}[tool]
    if importlib.util.find_spec(module) is None:
        raise tap.Skip(f"no Python package {module}")
    path = os.path.join(FOLDER.name, "model" + ending)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return subprocess.run([sys.executable, "-B", os.path.join(source, "tools", "import", tool), path], capture_output=True, text=True)


def run(text, watch, to):
    """Rows of a model's text, at 0, to/2 and to."""
    path = os.path.join(FOLDER.name, "model.wm")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    checked = subprocess.run([WARPLU, "model", "check", path], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr + text
    done = subprocess.run([WARPLU, "model", "run", path, "--to", str(to), "--every", str(to / 2), "--watch", ",".join(watch),
                           "--rtol", "1e-9", "--atol", "1e-12"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + text
    return [[float(cell) for cell in row] for row in list(csv.reader(io.StringIO(done.stdout)))[1:]]


def expressions_are_computed():
    names = {"x": 2.0, "y": ("+", X, 1.0, 0.5)}
    for e, expected in ((("^", X, Y), 2.0**3.5), (("if", ("<", Y, X), 1, ("neg", Y)), -3.5), (("and", X, ("not", 0.0), Y), 1.0),
                        (("max", ("ln", X), ("exp", 0.0)), 1.0), (("-", ("sqrt", 4.0), ("floor", Y)), -1.0)):
        assert wm.value(e, names) == expected, e


def cellml_is_converted():
    """in = 1 + 3 exp(-t/2), as times are ms and k is 500/s; `in` is a word of the language."""
    done = convert("cellml", CELLML, ".cellml")
    assert done.returncode == 0, done.stderr
    name = re.search(r"^  state (\w+) = 4$", done.stdout, re.MULTILINE).group(1)
    for t, x in run(done.stdout, [f"decay.{name}"], 4):
        assert abs(x - 1 - 3 * math.exp(-t / 2)) < 1e-7, (t, x, done.stdout)


def cellml_says_what_it_refuses():
    math_of = '<math xmlns="http://www.w3.org/1998/Math/MathML"><cn cellml:units="{}">1</cn></math>'
    reset = (f'<reset variable="in" test_variable="time" order="1"><test_value>{math_of.format("ms")}</test_value>'
             f'<reset_value>{math_of.format("dimensionless")}</reset_value></reset>')
    imported = ('<import xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="other.cellml">'
                '<component name="a" component_ref="a"/></import>')
    for wrong in ("<model", CELLML.replace('initial_value="500"', ""), CELLML.replace('initial_value="4"', ""),
                  CELLML.replace("    <math", f"    {reset}\n    <math"), CELLML.replace("</model>", imported + "</model>")):
        done = convert("cellml", wrong, ".cellml")
        assert done.returncode == 1 and done.stderr.startswith("cellml: ") and not done.stdout, done


def sbml_is_converted():
    """A' = -A/2 is a concentration in two litres, B an amount: B = 1 + 4 (3 - A). At t = 1 an event sets p."""
    done = convert("sbml", SBML, ".xml")
    assert done.returncode == 0, done.stderr
    for t, a, b, twice, p in run(done.stdout, ["pair.A", "pair.B", "pair.twice", "pair.p"], 4):
        expected = 3 * math.exp(-t / 2)
        assert abs(a - expected) < 1e-7 and abs(b - 1 - 4 * (3 - expected)) < 1e-6 and twice == 2 * a, (t, a, b, done.stdout)
        assert p == (1 if t < 1 else 7), (t, p)


def inverse_functions_are_converted():
    two_of_a = "<apply><times/><cn>2</cn><ci>A</ci></apply>"
    for function, python in (("arcsin", math.asin), ("arccos", math.acos), ("arctan", math.atan)):
        quarter = f"<apply><{function}/><apply><divide/><ci>A</ci><cn>4</cn></apply></apply>"
        done = convert("sbml", SBML.replace(two_of_a, quarter), ".xml")
        assert done.returncode == 0, done.stderr
        for t, a, x in run(done.stdout, ["pair.A", "pair.twice"], 4):
            assert abs(x - python(a / 4)) < 1e-12, (function, t, a, x)


def sbml_says_what_it_refuses():
    for wrong in ("<sbml", SBML.replace("assignmentRule variable=\"twice\"", "algebraicRule").replace("</assignmentRule>", "</algebraicRule>"),
                  SBML.replace("<trigger ", "<delay><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><cn>1</cn></math></delay><trigger "),
                  SBML.replace("<cn>1</cn></apply></math></trigger>", "<cn>0</cn></apply></math></trigger>"),
                  SBML.replace("<cn>1</cn></apply></math></trigger>", "<cn>-1</cn></apply></math></trigger>"),
                  SBML.replace('fast="false"', 'fast="true"')):
        done = convert("sbml", wrong, ".xml")
        assert done.returncode == 1 and done.stderr.startswith("sbml: ") and not done.stdout, done


tap.run([brackets_stand_where_precedence_asks_for_them, texts_are_as_short_as_can_be, numbers_are_read_as_they_were, names_are_the_language_s,
         expressions_are_computed, cellml_is_converted, cellml_says_what_it_refuses, sbml_is_converted,
         inverse_functions_are_converted, sbml_says_what_it_refuses])
