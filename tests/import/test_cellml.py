"""tools/import/cellml: models converted and run, against what they come to by hand; what is refused, with its line. TAP on standard output.

    test_cellml.py SOURCE WARPLU
"""
import math
import os
import re
import sys

source, WARPLU = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(source, "tests", "support"))
import importing  # noqa: E402
import tap  # noqa: E402

importing.begin(source, WARPLU)

UNITS = """<units name="ms"><unit prefix="milli" units="second"/></units>
<units name="per_s"><unit units="second" exponent="-1"/></units>
<units name="per_ms"><unit prefix="milli" units="second" exponent="-1"/></units>
<units name="mV"><unit prefix="milli" units="volt"/></units>
<units name="degree"><unit units="kelvin" offset="273.15"/></units>
"""
CELL = f"""<?xml version="1.0" encoding="UTF-8"?>
<model xmlns="http://www.cellml.org/cellml/2.0#" xmlns:cellml="http://www.cellml.org/cellml/2.0#" name="decay">
{UNITS}<component name="rates"><variable name="k" units="per_s" initial_value="500" interface="public"/></component>
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


def one(variables, equations, more="", version="1.0"):
    """A model of one component; a variable is (name, units, initial value or None), an equation (left, right)."""
    made = "".join(f'<variable name="{n}" units="{u}"' + (f' initial_value="{v}"/>\n' if v is not None else "/>\n") for n, u, v in variables)
    maths = "".join(f"<apply><eq/>{a}{b}</apply>\n" for a, b in equations)
    return (f'<model xmlns="http://www.cellml.org/cellml/{version}#" xmlns:cellml="http://www.cellml.org/cellml/{version}#" name="m">\n{UNITS}'
            f'<component name="c">\n{made}<math xmlns="http://www.w3.org/1998/Math/MathML">\n{maths}</math></component>\n{more}</model>\n')


def rate(name):
    return f"<apply><diff/><bvar><ci>t</ci></bvar><ci>{name}</ci></apply>"


def cn(value):
    return f'<cn cellml:units="dimensionless">{value}</cn>'


def apply(operation, *operands):
    return f"<apply><{operation}/>{''.join(operands)}</apply>"


T = ("t", "second", None)


def connected_units_are_converted():
    """in = 1 + 3 exp(-t/2), as times are ms and k is 500/s; `in` is a word of the language."""
    text = importing.converted("cellml", CELL)
    name = re.search(r"^  state (\w+) = 4$", text, re.MULTILINE).group(1)
    assert f"# cell.in is {name}" in text.split("\n"), text
    for t, x in importing.run(text, [name], 4.0):
        assert abs(x - 1 - 3 * math.exp(-t / 2)) < 1e-7, (t, x, text)


def initial_values_have_units():
    """-0.07 V of a connected variable are -70 mV; w begins with twice what it is at."""
    other = ('<component name="o"><variable name="v" units="volt" initial_value="-0.07" public_interface="out"/></component>\n<connection>'
             '<map_components component_1="c" component_2="o"/><map_variables variable_1="v" variable_2="v"/></connection>\n')
    source = one([T, ("v", "mV", None), ("w", "mV", "u"), ("u", "mV", "3")], [(rate("v"), cn(0)), (rate("w"), cn(0))], other)
    assert importing.last("cellml", source, ["v", "w"], 1.0) == [-70.0, 3.0]


def derivatives_are_named():
    """x' = 2, y = 3 x' + 1."""
    source = one([T, ("x", "dimensionless", 0), ("y", "dimensionless", None)],
                 [(rate("x"), cn(2)), ("<ci>y</ci>", apply("plus", apply("times", cn(3), rate("x")), cn(1)))])
    assert importing.last("cellml", source, ["y"], 1.0) == [7.0]


def numbers_have_exponents():
    source = one([T, ("x", "dimensionless", 0)], [(rate("x"), '<cn cellml:units="dimensionless" type="e-notation">2.5<sep/>-1</cn>')])
    assert abs(importing.last("cellml", source, ["x"], 2.0)[0] - 0.5) < 1e-9


def equations_may_be_implicit():
    """z^3 = x, at x = 8: an unknown with a guess, and one without."""
    for begun in (1, None):
        source = one([T, ("x", "dimensionless", 2), ("z", "dimensionless", begun)],
                     [(rate("x"), cn(1)), (apply("power", "<ci>z</ci>", cn(3)), "<ci>x</ci>")])
        assert abs(importing.last("cellml", source, ["z"], 6.0)[0] - 2.0) < 1e-6


def what_cannot_be_said_is_refused():
    x = ("x", "dimensionless", 0)
    grows = [(rate("x"), cn(1))]
    reset = '<component name="q"><variable name="a" units="mV"/><reset variable="a" test_variable="a" order="1"/></component>'
    imported = '<import xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="o.cellml"><component name="a" component_ref="a"/></import>'
    wrong_units = ('<component name="o"><variable name="x" units="mV"/></component>\n'
                   '<connection component_1="c" component_2="o"><map_variables variable_1="x" variable_2="x"/></connection>')
    for text, kind, mark in (
            (one([T, x], grows, imported, "2.0"), "imports", "<import"), (one([T, x], grows, reset, "2.0"), "resets", "<reset"),
            (one([T, ("x", "dimensionless", None)], grows), "states without an initial value", '<variable name="x"'),
            (one([T, x, ("y", "mV", None)], [(rate("x"), "<ci>y</ci>")]), "variables that nothing determines", "<apply><eq"),
            (one([T, x], grows + [("<ci>x</ci>", cn(1))]), "equations that determine nothing", "<apply><eq/><ci>x"),
            (one([T, x], [(rate("x"), apply("gamma", cn(1)))]), "other operations of MathML: gamma", "<apply><eq"),
            (one([T, x, ("y", "degree", 1)], grows), "units with an offset: degree", '<units name="degree"'),
            (one([T, ("x", "parsec", 0)], grows), "units that nothing defines: parsec", '<variable name="x"'),
            (one([T, x], [(rate("x"), apply("not"))]), "operations with other numbers of operands: not", "<apply><eq"),
            (one([T, x], grows, wrong_units, "2.0"), "connections of other units", "<map_variables"),
            ("<model", "files that are no XML", None), ("<svg/>", "files that are no CellML", "<svg")):
        importing.refused("cellml", text, kind, mark)


tap.run([connected_units_are_converted, initial_values_have_units, derivatives_are_named, numbers_have_exponents, equations_may_be_implicit,
         what_cannot_be_said_is_refused])
