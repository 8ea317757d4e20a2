#!/usr/bin/env python3
"""Rates of converted models at the start, against Myokit's of the same files.

    benchmarks/model/myokit_rates.py FILE...          .cellml or .mmt; needs the Python package myokit

Each state's rate, by tools/import and by Myokit's own reader and evaluation, has to be equal within 1e-9 of itself. The
pace of a protocol is 0.7 in both. Prints a line for each file, and how many agree."""
import math
import os
import sys
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools", "import"))
import cellml_model  # noqa: E402
import mmt_model  # noqa: E402
import rates  # noqa: E402
import start  # noqa: E402
import xml_lines  # noqa: E402

try:
    import myokit
    import myokit.formats.cellml
except ImportError:
    sys.exit("needs the Python package myokit")

PACE = 0.7


def form_of(path):
    if path.endswith(".cellml"):
        return cellml_model.Model(xml_lines.read(path)).convert()
    with open(path, encoding="utf-8") as file:
        return mmt_model.Model(file.read()).convert()


def peer_of(path):
    return myokit.formats.cellml.CellMLImporter().model(path) if path.endswith(".cellml") else myokit.load_model(path)


def difference(path):
    """None, or what differs."""
    system, model = form_of(path), peer_of(path)
    rates.resolve(system)
    numbers, names = start.Numbers(system), system.names.given
    model.binding("time").set_rhs(0)
    pace = model.binding("pace")
    if pace is not None:
        pace.set_rhs(PACE)
        numbers.known[names[pace.qname()]] = PACE
    if model.count_states() != len(system.states):
        return f"{len(system.states)} states, not {model.count_states()}"
    for variable, expected in zip(model.states(), model.evaluate_derivatives(ignore_errors=True)):
        found = numbers.value(system.rates[names[variable.qname()]])
        if not (math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-13) or found != found and expected != expected):
            return f"{variable.qname()}: {found}, not {expected}"
    return None


def main():
    warnings.simplefilter("ignore")
    wrong = 0
    for path in sys.argv[1:]:
        found = difference(path)
        wrong += found is not None
        print(f"{os.path.basename(path)}: {found or 'equal'}")
    print(f"{len(sys.argv) - 1 - wrong} of {len(sys.argv) - 1} are equal")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
