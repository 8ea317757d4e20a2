"""Problems of the Test Set for IVP Solvers (Mazzia and Magherini, release 2.4, Bari, 2008) against their published end values.

    test_ivp.py SOURCE WARPLU            runs each in both engines, and compares docs/ivp.md
    test_ivp.py SOURCE WARPLU --table    prints its table; minutes

Models are those of examples/models, values those of ivp.csv: the problem, what is watched, the value. The error is the largest
over these, of |found - value| / (|value| + floor), where floor is what the problem's scales ask for; atol is rtol times it. Where a
published value is that of rounding, the file has another one, and says why. Methods of order 2 run at 1e-6 alone, and long
runs stand in the table without being tested. The large engine gets sixteen copies."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

source, program = sys.argv[1:3]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

COPIES = 16
# model, index, method, end, floor, most error over the tolerance, tolerances that are tested, whether in the large engine too
PROBLEMS = [("hires", 0, "rodas4", 321.8122, 1e-4, 10, "6 9", True), ("pollution", 0, "rodas4", 60, 1e-8, 10, "6 9", True),
            ("robertson", 0, "rodas4", 1e11, 1e-8, 10, "6 9", True), ("van_der_pol", 0, "rodas4", 2, 1, 10, "6 9", True),
            ("ring_modulator", 0, "rodas4", 1e-3, 0.1, 100, "6", False), ("oregonator", 0, "rodas4", 360, 1, 10, "6 9", True),
            ("e5", 0, "rodas4", 1e13, 1e-22, 10, "6 9", True), ("pleiades", 0, "dormand-prince", 3, 1, 1000, "6 9", True),
            ("medical_akzo", 0, "rodas4", 20, 1e-4, 10, "6", False), ("nand_gate", 0, "tr-bdf2", 80, 1, 10, "", False),
            ("beam", 1, "rodas4", 5, 1, 10, "6", False), ("chemical_akzo", 1, "rodas4", 180, 1e-3, 10, "6 9", True),
            ("transistor_amplifier", 1, "rodas4", 0.2, 1, 10, "6", True), ("charge_pump", 2, "tr-bdf2", 1200, 1, 10, "6 9", True),
            ("car_axis", 2, "tr-bdf2", 3, 1, 100, "6", False), ("andrews", 2, "tr-bdf2", 0.03, 1, 10, "6", False),
            ("water_tube", 2, "tr-bdf2", 61200, 1e-4, 10, "", False)]


def values_of(model):
    with open(os.path.join(source, "tests", "model", "ivp.csv"), encoding="ascii", newline="") as file:
        rows = csv.reader(line for line in file if not line.startswith("#"))
        return {watch: float(value) for name, watch, value in rows if name == model}


def several(text):
    """The model COPIES times, and a function from what is watched to that of the last copy."""
    consts = dict(re.findall(r"^const (\w+) = (\d+)$", text, re.M))
    sizes = {name: int(consts.get(count, count) or 1)
             for name, count, kind in re.findall(r"^nodes (\w+)(?:\[(\w+)\])? \{ *(\w+)", text, re.M) if kind != "fixed"}
    uses = re.findall(r"^use (\w+)\(", text, re.M)

    def node(name, index):
        return f"{name}[{sizes[name]}*i + {index or 0}]" if name in sizes else name

    def of_nodes(match):
        if match[1] not in sizes:
            return match[0]
        return f"nodes {match[1]}[{COPIES * sizes[match[1]]}] " + re.sub(r"\bi\b", f"(i mod {sizes[match[1]]})", match[2])

    def of_use(match):
        ports = ", ".join(node(*re.match(r"(\w+)(?:\[(.*)\])?$", port).groups()) for port in match[2].split(", ") if port)
        return f"use {match[1]}({ports}){match[3]} over i in 0..{COPIES - 1}"

    def last(watch):
        name, index, rest = re.match(r"(\w+)(?:\[(\d+)\])?\.(.*)", watch).groups()
        if name in sizes:
            return f"{name}[{sizes[name] * (COPIES - 1) + int(index or 0)}].{rest}"
        return f"{name}[{int(index or 0) * COPIES + COPIES - 1}].{rest}"  # each instance has a use of its own

    assert uses
    text = re.sub(r"^nodes (\w+)(?:\[\w+\])? (\{[^}]*\})", of_nodes, text, flags=re.M)
    text = re.sub(r"^use (\w+)\((.*?)\)(.*)$", of_use, text, flags=re.M)
    return re.sub(r"^watch .*$", "", text, flags=re.M), last


def error_of(problem, digits, copies):
    """(error, steps)"""
    model, _, method, end, floor, *_ = problem
    values = values_of(model)
    with open(os.path.join(source, "examples", "models", model + ".wm"), encoding="utf-8") as file:
        text, last = file.read(), str
    if copies > 1:
        text, last = several(text)
    tolerance = 10.0 ** -digits
    with tempfile.TemporaryDirectory() as folder:
        path, rows = os.path.join(folder, model + ".wm"), os.path.join(folder, "rows.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        # a row before the end, where it is an edge, has what is before it
        result = subprocess.run([program, "model", "run", path, "--method", method, "--to", repr(1.01 * end), "--every", repr(end),
                                 "--rtol", repr(tolerance), "--atol", repr(tolerance * floor), "--watch", ",".join(map(last, values)),
                                 "--json", "--out", rows], capture_output=True, text=True, check=False, timeout=3000)
        assert result.returncode == 0, f"{model} by {method} at 1e-{digits}, {copies}: {result.stderr}"
        with open(rows, encoding="ascii", newline="") as file:
            row = [float(x) for x in list(csv.reader(file))[2]]
    assert abs(row[0] - end) <= 1e-12 * end, row
    errors = [abs(found - value) / (abs(value) + floor) for found, value in zip(row[1:], values.values())]
    return max(errors), json.loads(result.stdout)["steps"]


def unknowns_of(model):
    result = subprocess.run([program, "model", "check", os.path.join(source, "examples", "models", model + ".wm"), "--json"],
                            capture_output=True, text=True, check=True)
    return json.loads(result.stdout)["unknowns"]


def cell(problem, digits):
    try:
        error, steps = error_of(problem, digits, 1)
    except AssertionError as error:
        print("#", error, file=sys.stderr)
        return "stops |"
    return f"{error:.1e} | {steps}"


def table():
    print("| problem | index | unknowns | method | error at 1e-6 | steps | error at 1e-9 | steps |\n|---|--:|--:|---|--:|--:|--:|--:|")
    for problem in PROBLEMS:
        print(f"| `{problem[0]}` | {problem[1]} | {unknowns_of(problem[0])} | `{problem[2]}` | {cell(problem, 6)} | {cell(problem, 9)} |", flush=True)


def documented():
    with open(os.path.join(source, "docs", "ivp.md"), encoding="utf-8") as file:
        rows = [[x.strip() for x in line.split("|")[1:-1]] for line in file if line.startswith("| `")]
    return {row[0].strip("`"): row for row in rows}


def the_table_has_all():
    assert list(documented()) == [problem[0] for problem in PROBLEMS]


def problems_are_right():
    rows = documented()
    for problem in tap.some(PROBLEMS):
        for digits in map(int, problem[6].split()):
            error, steps = error_of(problem, digits, 1)
            said = rows[problem[0]][4 if digits == 6 else 6:][:2]
            assert error <= problem[5] * 10.0 ** -digits, f"{problem[0]} at 1e-{digits}: {error}"
            assert said == [f"{error:.1e}", str(steps)], f"{problem[0]} at 1e-{digits}: docs/ivp.md has {said}, not {error:.1e}, {steps}"


def problems_are_right_in_copies():
    for problem in tap.some(PROBLEMS):
        if problem[7]:
            error, _ = error_of(problem, 6, COPIES)
            assert error <= problem[5] * 1e-6, f"{problem[0]} at 1e-6, {COPIES} copies: {error}"


if sys.argv[3:] == ["--table"]:
    table()
else:
    tap.run([the_table_has_all, problems_are_right, problems_are_right_in_copies])
