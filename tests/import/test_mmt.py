"""tools/import/mmt: models converted and run, against what they come to by hand; what is refused, with its line. TAP on standard output.

    test_mmt.py SOURCE WARPLU
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

CELL = '''[[model]]
name: A cell # of two components
desc: """
Here = nothing
is a variable"""
cell.v = -80 + 2
gate.x = 0.5
square(a) = a * a

[engine]
time = 0 [ms] bind time
pace = 0 bind pace

[cell]
use engine.pace
use gate.x as open
dot(v) = -(v + 80 [mV]) * rate
        + pace
    in [mV]
    desc: potential
    rate = half * scale
        half = 0.5 [1/ms]
        scale = 1
    lost = 3
y = square(open) +
    1 : a description = no equation

[gate]
dot(x) = (0 - x) / tau
tau = if(cell.v < -1000, 1, 2)
z = piecewise(x > 1, 1, x > 0.2, 2, 3)
in = -7 // 2 + -7 % 3 + 2^3^2
log2 = log(8, 2)
fall = dot(x)

[[protocol]]
# level start length period times
 3  1 1 0 0
 1  next 0.5 4 0

[[script]]
import not.this
'''.replace("+\n    1", "+ \\\n    1").replace("* rate\n        + pace", "* rate \\\n        + pace")


def a_model_is_converted():
    text = importing.converted("mmt", CELL)
    v, x, y, z, fall = importing.run(text, ["v", "x", "y", "z", "fall"], 2.0)[-1][1:]
    assert "  param gate_in = 62\n" in text and "  param log2 = 3\n" in text, text
    open_ = 0.5 * math.exp(-1)
    after = -80 + (2 * math.exp(-0.5)) * math.exp(-0.5) + 3 / 0.5 * (1 - math.exp(-0.5))
    for found, expected in ((x, open_), (y, open_**2 + 1), (v, after), (z, 3), (fall, -open_ / 2)):
        assert abs(found - expected) < 1e-6, (found, expected, text)


def protocols_are_pulses():
    """w is what the pulses come to: twice a tenth, a fifth in all; and periods for ever."""
    begin = "[[model]]\nc.w = 0\n[c]\npace = 0 bind pace\nt = 0 bind time\ndot(w) = pace\n[[protocol]]\n"
    assert abs(importing.last("mmt", begin + "0.5 0.5 0.2 1 2\n", ["w"], 5.0, 10)[0] - 0.2) < 1e-9
    assert abs(importing.last("mmt", begin + "0.5 0.5 0.2 1 0\n", ["w"], 5.0, 10)[0] - 0.5) < 1e-9
    assert importing.last("mmt", begin, ["w"], 5.0) == [0.0]


def what_cannot_be_said_is_refused():
    for text, kind, mark in (
            (CELL.replace("cell.v = -80 + 2\n", ""), "states without an initial value: cell.v", "dot(v)"),
            (CELL.replace("log(8, 2)", "gamma(8)"), "other functions of Myokit: gamma", "log2"),
            (CELL.replace("use gate.x as open\n", ""), "names that nothing has: open", "y ="),
            (CELL.replace("log2 = log(8, 2)", "log2 = log(8, 2"), "lines that do not end", "log2"),
            (CELL.replace("log2 = log(8, 2)", "log2 = 3 ! 4"), "lines that are no mmt: ! 4", "log2"),
            (CELL.replace("log2 = log(8, 2)", "log2"), "variables that nothing determines: gate.log2", "log2"),
            (CELL.replace("use gate.x as open", "use open"), "lines that are no mmt: use open", "use open"),
            (CELL.replace("0.5 4 0", "0.5 4 9999"), "protocols of more pulses", " 1  next"),
            ("[[protocol]]\n1 1 1 0 0\n", "files without a model", None)):
        importing.refused("mmt", text, kind, mark)


tap.run([a_model_is_converted, protocols_are_pulses, what_cannot_be_said_is_refused])
