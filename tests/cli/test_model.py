#!/usr/bin/env python3
"""warplu model from the outside: what it counts, runs, draws and times, and what it says of bad texts and options.
Standard library only; TAP on standard output. Usage: test_model.py WARPLU"""
import csv
import io
import json
import math
import os
import re
import time
import xml.etree.ElementTree as xml

from harness import path, read_file, run, run_cases, run_on_a_terminal, write

DECAY = """element cell()
  param g = 2
  param x0 = 1
  state x = x0
  x' = -g*x
  twice = 2*x
end
use cell()
run rodas4 to 1 every 0.25
watch cell.x, cell.twice
"""
BLOW_UP = DECAY.replace("-g*x", "g*x^2")


def model(*arguments, code=0, **more):
    return run("model", *arguments, code=code, **more)


def rows(text):
    """The line of names, and numbers."""
    lines = list(csv.reader(io.StringIO(text)))
    return lines[0], [[float(cell) for cell in line] for line in lines[1:]]


def counts_what_it_holds():
    name = write("decay.wm", DECAY)
    counted = dict(line.split() for line in model("check", name).out.splitlines())
    assert counted == {"kinds": "1", "sets": "0", "uses": "1", "nodes": "0", "instances": "1", "definitions": "1", "equations": "1",
                       "balances": "0", "stores": "0", "sums": "0", "unknowns": "1"}, counted
    assert json.loads(model("check", name, "--json").out) == {key: int(value) for key, value in counted.items()}
    assert model("check", "-", stdin=DECAY.encode()).out == model("check", name).out


def bad_texts_have_their_place():
    name = write("bad.wm", DECAY.replace("-g*x", "-h*x"))
    for command in ("check", "run", "bench", "disasm"):
        assert model(command, name, code=1).err.startswith("warplu: bad.wm:5:9: error: 'h' is not defined"), command
        said = model(command, "none.wm", code=1).err
        assert said.startswith("warplu: none.wm: ") and len(said.splitlines()) == 1, said
    assert "'run ... to T'" in model("run", write("endless.wm", DECAY.replace("run rodas4 to 1 every 0.25", "")), code=1).err


def runs_are_read_back():
    out = model("run", write("decay.wm", DECAY)).out
    names, numbers = rows(out)
    assert names == ["t", "cell.x", "cell.twice"]
    assert [row[0] for row in numbers] == [0, 0.25, 0.5, 0.75, 1]
    for t, x, twice in numbers:
        assert abs(x - math.exp(-2 * t)) < 3e-6 and twice == 2 * x, (t, x, twice)
    for cell in re.split(r"[,\n]", out.split("\n", 1)[1]):
        assert cell in ("", repr(float(cell)) if cell else "", "%.17g" % float(cell) if cell else ""), cell


def options_change_the_run():
    name = write("decay.wm", DECAY)
    names, numbers = rows(model("run", name, "--set", "cell.g=1", "--set", "cell.x0=3", "--watch", "cell.twice", "--to", "2", "--every", "2").out)
    assert names == ["t", "cell.twice"] and numbers[0] == [0, 6] and len(numbers) == 2
    assert abs(numbers[1][1] - 6 * math.exp(-2)) < 1e-5
    euler = rows(model("run", name, "--method", "euler", "--dt", "0.25").out)[1]
    assert [row[1] for row in euler] == [0.5 ** k for k in range(5)], euler
    loose, tight = (rows(model("run", name, "--rtol", r, "--atol", r).out)[1][-1][1] for r in ("1e-3", "1e-12"))
    assert abs(tight - math.exp(-2)) < 1e-11 < abs(loose - math.exp(-2))
    assert model("run", name, "--threads", "2").out == model("run", name).out
    said = model("run", name, "--steps", "7", code=1).err
    assert re.fullmatch(r"warplu: at t = [^:]*: a run has taken all the steps that it may, 7: the option steps [^\n]*\n", said), said


def members_have_rows_of_their_own():
    name = write("decay.wm", DECAY)
    names, numbers = rows(model("run", name, "--batch", "2").out)
    assert names == ["member", "t", "cell.x", "cell.twice"] and len(numbers) == 10
    assert [row[1:] for row in numbers[:5]] == [row[1:] for row in numbers[5:]] and numbers[5][0] == 1
    members = write("members.csv", "cell.g,cell.x0\n1,1\n2,3\n0,5\n")
    numbers = rows(model("run", name, "--from", members, "--every", "1").out)[1]
    for member, (g, x0) in enumerate(((1, 1), (2, 3), (0, 5))):
        assert abs(numbers[2 * member + 1][2] - x0 * math.exp(-g)) < 1e-5, numbers
    said = model("run", name, "--from", members, "--set", "cell.g=4", code=1).err
    assert "'cell.g' is set for all members, and 'cell.g' of members.csv has a value for each" in said, said
    text = DECAY.replace("watch", 'batch 5 from "members.csv"\nwatch')
    said = model("run", write("five.wm", text), code=1).err
    assert "members.csv has 3 lines of numbers: expected one for each of 5 members" in said, said
    assert len(rows(model("run", write("three.wm", text.replace("5 from", "3 from"))).out)[1]) == 15
    said = model("run", name, "--from", write("wrong.csv", "cell.g\n1\nx\n"), code=1).err
    assert said.startswith("warplu: wrong.csv:3:1: error: expected a number"), said
    assert "did you mean 'cell.x0'" in model("run", name, "--from", write("wrong.csv", "cell.x1\n1\n"), code=1).err


def definitions_alone_have_rows():
    text = "element m()\n  param a = 2\n  x = a*t\nend\nuse m()\nrun rodas4 to 3 every 1\nwatch m.x\n"
    name = write("definitions.wm", text)
    assert rows(model("run", name).out) == (["t", "m.x"], [[0, 0], [1, 2], [2, 4], [3, 6]])
    numbers = rows(model("run", name, "--from", write("of_members.csv", "m.a\n1\n5\n")).out)[1]
    assert [line[-1] for line in numbers if line[1] == 3] == [3, 15], numbers
    assert "no unknowns" in model("run", name, "--executor", "cuda", code=1).err


def failed_members_are_named():
    name, members = write("blow.wm", BLOW_UP), write("members.csv", "cell.g\n-1\n2\n")
    done = model("run", name, "--from", members, "--out", "members_out.csv", code=1)
    assert re.search(r"^warplu: member 1: at t = 0\.(5|49\d*): ", done.err, re.MULTILINE), done.err
    of_first = [row for row in rows(read_file("members_out.csv"))[1] if row[0] == 0]
    assert len(of_first) == 5 and abs(of_first[4][2] - 0.5) < 1e-5


def rows_before_a_failure_are_kept():
    for lanes in ("", " over i in 0..15"):  # members, instances
        text = BLOW_UP.replace("use cell()", "use cell()" + lanes).replace("watch cell.x", "watch cell[0].x").replace("cell.twice", "cell[0].twice")
        done = model("run", write("blow.wm", text), "--out", "before.csv", "--plot", "before.svg", code=1)
        assert re.match(r"warplu: (at )?t = 0\.(5\d*|49\d*): ", done.err) and len(done.err.splitlines()) == 1, done.err
        numbers = rows(read_file("before.csv"))[1]
        assert [row[0] for row in numbers[:2]] == [0, 0.25] and len(numbers) < 4 and abs(numbers[1][1] - 2) < 1e-4, numbers
        assert model("run", "blow.wm", code=1).out == read_file("before.csv") and os.path.exists(path("before.svg"))
    write("kept.csv", "as it was\n")  # nothing to write
    model("run", write("nan.wm", BLOW_UP.replace("x^2", "ln(-x)")), "--out", "kept.csv", "--every", "1", "--watch", "cell.none", code=1)
    assert read_file("kept.csv") == "as it was\n"


def mended_attempts_say_nothing():
    """Steps that are made again with a shorter length succeed without a word."""
    text = "element e()\n  state x = 1\n  x' = -sqrt(x)\nend\nuse e() over i in 0..15\nrun rodas4 to 1.99999 every 1\nwatch e[0].x\n"
    assert model("run", write("rough.wm", text)).err == ""


def capacitors_between_resistors_are_right():
    """A source, 1 ohm, a capacitor, 1 ohm to ground: at the start, behind an edge, by all implicit methods in both engines."""
    text = """nodes a[{0}] {{ balance v = 0 }}
nodes b[{0}] {{ balance v = 0 }}
element link(a, b)
  q = 1*(a.v - b.v)
  a.v += a.v - {1} + ddt(q)
  b.v += b.v - ddt(q)
end
use link(a[i], b[i]) over i in 0..{0} - 1
watch a[0].v, b[0].v
"""
    for count in (1, 16):  # members, instances
        for source, begin, later in (("1", [0.5, 0.5], 1), ("pulse(0.5, 10)", [0, 0], 0.5)):
            name, u = write("floating.wm", text.format(count, source)), 1 - math.exp(-later / 2)
            for method, dt in (("backward-euler", 0.001), ("trapezoidal", 0.01), ("tr-bdf2", 0), ("rodas3", 0), ("rodas4", 0)):
                ways = ["--method", method, "--to", "1", "--every", "1"] + (["--dt", dt] if dt else [])
                found = rows(model("run", name, *ways).out)[1]
                within = 1e-4 if method == "backward-euler" else 2e-6
                for (_, *row), expected, most in zip(found, (begin, [(1 + u) / 2, (1 - u) / 2]), (1e-11, within)):
                    assert all(abs(x - right) < most for x, right in zip(row, expected)), (count, source, method, found)


def fixed_steps_have_no_limit():
    """More of them than controlled ones may be."""
    ways = ["--method", "euler", "--dt", "1e-6", "--to", "11", "--every", "11"]
    assert abs(rows(model("run", write("decay.wm", DECAY), *ways).out)[1][1][1] / math.exp(-22) - 1) < 1e-4


def names_with_commas_are_quoted():
    text = "element e()\n  state y[2,2] = 1\n  for i in 0..1, j in 0..1: y[i,j]' = -y[i,j]*(i + 1)\nend\nuse e()\nrun rodas4 to 1 every 1\n"
    name = write("array.wm", text + "watch e.y[1,1], e.y[0,1]\n")
    said, given = model("run", name).out, model("run", name, "--watch", "e.y[1,1],e.y[0,1]").out
    names, numbers = rows(said)
    assert said == given and names == ["t", "e.y[1,1]", "e.y[0,1]"] and len(numbers[1]) == 3, said
    assert abs(numbers[1][1] - math.exp(-2)) < 1e-5 and abs(numbers[1][2] - math.exp(-1)) < 1e-5


def ranges_are_watched():
    """A column for each of a range; a name without a number is of one alone, in both engines."""
    text = ("element e()\n  state y[2] = 1\n  for i in 0..1: y[i]' = -y[i]\n  z = 2*y[0]\nend\nuse e() over i in 0..{last}\n"
            "run rk4 dt 0.1 to 1 every 1\nwatch e[2..4].y[1], e[1].z\n")
    for last in (4, 19):
        name = write("range.wm", text.replace("{last}", str(last)))
        said, given = model("run", name).out, model("run", name, "--watch", "e[2..4].y[1],e[1].z").out
        assert said == given and rows(said)[0] == ["t", "e[2].y[1]", "e[3].y[1]", "e[4].y[1]", "e[1].z"], said
        names, numbers = rows(model("run", name, "--watch", "sum e[0..2].z,e[1].z").out)
        assert names == ["t", "sum e[0..2].z", "e[1].z"] and abs(numbers[1][1] - 3*numbers[1][2]) < 1e-14, numbers
        for wrong in ("e.z", "e.y[0]"):
            assert f"'{wrong}' is no unknown" in model("run", name, "--watch", wrong, code=1).err
        assert "expected a range" in model("run", name, "--watch", "e[3..2].z", code=1).err
        assert f"'e[{last + 1}].z' is no" in model("run", name, "--watch", f"e[0..{last + 1}].z", code=1).err


def files_are_there_whole():
    name = write("decay.wm", DECAY)
    done = model("run", name, "--out", "rows.csv", "--json")
    assert read_file("rows.csv") == model("run", name).out
    report = json.loads(done.out)
    assert report["model"] == "decay.wm" and report["method"] == "rodas4" and report["status"] == "success", report
    assert report["members"] == report["unknowns"] == 1 and report["steps"] > 5 and report["run_seconds"] > 0
    beside = model("run", name, "--out", "-", "--json")
    assert beside.out == read_file("rows.csv") and json.loads(beside.err)["steps"] == report["steps"]
    for option in ("--out", "--plot"):
        assert "cannot be written" in model("run", name, option, "nowhere/rows", code=1).err


def drawings_are_well_formed():
    name = write("a<&b.wm", DECAY)
    model("run", name, "--out", "rows.csv", "--plot", "rows.svg", "--batch", "20")
    root = xml.fromstring(read_file("rows.svg"))
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == space + "svg" and len(root.findall(space + "polyline")) == 32  # 16 members, two panels
    texts = [element.text for element in root.iter(space + "text")]
    assert "a<&b.wm" in texts and "cell.x" in texts and "0.4" in texts, texts
    # values whose ticks are closer than their rounding, and that a double just holds
    for low, rate in (("1e17", "16"), ("-1.7e308", "1.7e308")):
        text = f"element e()\n  state x = {low}\n  x' = {rate}\nend\nuse e()\nrun euler dt 0.5 to 2\nwatch e.x\n"
        model("run", write("large.wm", text), "--out", "rows.csv", "--plot", "large.svg")
        points = xml.fromstring(read_file("large.svg")).find(space + "polyline").get("points")
        assert "nan" not in points and "inf" not in points, points


def programs_are_printed():
    lines = model("disasm", write("decay.wm", DECAY)).out.splitlines()
    assert any(re.match(r"  \w+ = fma ", line) for line in lines), lines
    assert model("disasm", "decay.wm", "--method", "euler", "--dt", "0.1").out != "\n".join(lines) + "\n"
    chain = "element e()\n  state x[40] = 1\n  for i in 0..39: x[i]' = -x[i] + (if i > 0 then x[i - 1] else 0)\nend\nuse e()\n"
    assert " fma " in model("disasm", write("chain.wm", chain + "run rodas4 to 1\n")).out  # which run steps by the solver


def times_are_reported():
    name = write("decay.wm", DECAY)
    report = json.loads(model("bench", name, "--lanes", "64", "--repeat", "3", "--json").out)
    assert report["lanes"] == 64 and report["repeats"] == 3 and report["method"] == "rodas4", report
    for key in ("read_seconds", "compile_seconds", "evaluation_seconds", "step_seconds"):
        assert 0 < report[key] < 10, (key, report)
    text = dict(line.split(None, 1) for line in re.sub(r" (ms|ns)\b", "", model("bench", name, "--lanes", "64", "--repeat", "1").out).splitlines())
    assert set(text) == {"model", "method", "unknowns", "operations", "lanes", "read", "compile", "evaluation", "step"}, text
    line = "\n".join(("element gap(a, b)", "  a.v += a.v - b.v", "  b.v += b.v - a.v", "end", "nodes n[40] { store v = i }",
                      "use gap(n[i], n[i + 1]) over i in 0..38", "run euler dt 0.01 to 1", ""))
    report = json.loads(model("bench", write("line.wm", line), "--repeat", "1", "--json").out)
    assert report["lanes"] == 1 and report["evaluation_seconds"] is None and report["step_seconds"] > 0, report
    assert model("bench", write("nan.wm", BLOW_UP.replace("x^2", "ln(-1 - x^2)")), "--repeat", "1", code=1).err.startswith("warplu: ")


def bad_options_are_refused():
    name = write("decay.wm", DECAY)
    for arguments in ((), ("walk", name), ("run",), ("run", name, name), ("run", name, "--method", "heun"), ("run", name, "--batch", "0"),
                      ("run", name, "--dt", "-1"), ("run", name, "--nothing"), ("run", name, "--plot", "-"), ("bench", name, "--lanes", "0")):
        model(*arguments, code=2)
    assert "expected NAME=NUMBER" in model("run", name, "--set", "cell.g", code=1).err
    assert "expected NAME=NUMBER" in model("run", name, "--set", "cell.g=1x", code=1).err
    assert "did you mean 'cell.g'" in model("run", name, "--set", "cel.g=1", code=1).err
    assert "did you mean 'cell.x'" in model("run", name, "--watch", "cell.twice,cel.x", code=1).err
    assert "needs the length of a step" in model("run", name, "--method", "rk4", code=1).err
    assert "longer --every" in model("run", name, "--every", "1e-300", code=1).err
    assert model("--help").out.startswith("Usage: warplu model ") and "--rtol" in model("run", "--help").out


def progress_is_for_terminals():
    """A run of more than half a second says how far it is, and takes the line away."""
    many = write("many.csv", "cell.g\n" + "".join(f"{1 + k / 1000}\n" for k in range(64)))
    name = write("decay.wm", DECAY)
    begin = time.monotonic()
    out, shown = run_on_a_terminal("model", "run", name, "--from", many, "--method", "euler", "--dt", "1e-6", "--every", "0.01")
    took = time.monotonic() - begin
    assert len(out.splitlines()) == 1 + 64 * 101
    assert took < 0.6 or re.fullmatch(r"(\r\x1b\[K\d+ % of rows)+\r\x1b\[K", shown), shown
    assert run_on_a_terminal("model", "run", name)[1] == ""


run_cases([counts_what_it_holds, bad_texts_have_their_place, runs_are_read_back, options_change_the_run, members_have_rows_of_their_own,
           definitions_alone_have_rows, failed_members_are_named, rows_before_a_failure_are_kept, mended_attempts_say_nothing,
           capacitors_between_resistors_are_right, fixed_steps_have_no_limit, names_with_commas_are_quoted, ranges_are_watched,
           files_are_there_whole, drawings_are_well_formed, programs_are_printed, times_are_reported,
           bad_options_are_refused, progress_is_for_terminals])
