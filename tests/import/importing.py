"""What tests of the importers share: a source is converted, and the model that comes of it run.

    begin(SOURCE, WARPLU)
"""
import csv
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile

import tap

FOLDER = tempfile.TemporaryDirectory()
NEEDED = {"sbml": "libsbml"}
ENDINGS = {"sbml": ".xml", "cellml": ".cellml", "mmt": ".mmt"}
PLACE = {}


def begin(source, warplu):
    PLACE.update(source=source, warplu=warplu)


def write(name, text):
    path = os.path.join(FOLDER.name, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def convert(tool, text):
    """What the program of an importer answers."""
    module = NEEDED.get(tool)
    if module and importlib.util.find_spec(module) is None:
        raise tap.Skip(f"no Python package {module}")
    path = write("model" + ENDINGS[tool], text)
    program = os.path.join(PLACE["source"], "tools", "import", tool)
    return subprocess.run([sys.executable, "-B", program, path], capture_output=True, text=True)


def converted(tool, text):
    done = convert(tool, text)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(text, watch, to, steps=2, method="rodas4"):
    """Rows of a model's text, at 0, to/steps ... to. Names are those of its only element."""
    path = write("model.wm", text)
    element = re.search(r"^element (\w+)", text, re.MULTILINE).group(1)
    done = subprocess.run([PLACE["warplu"], "model", "run", path, "--to", repr(to), "--every", repr(to / steps), "--watch",
                           ",".join(f"{element}.{name}" for name in watch), "--rtol", "1e-9", "--atol", "1e-12", "--method", method],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + text
    return [[float(cell) for cell in row] for row in list(csv.reader(io.StringIO(done.stdout)))[1:]]


def last(tool, source, watch, to, steps=2):
    """The last row of a source, without its time."""
    return run(converted(tool, source), watch, to, steps)[-1][1:]


def refused(tool, text, kind, mark=None):
    """Nothing is converted; the message has the kind, and the line on which `mark` stands."""
    done = convert(tool, text)
    line = text[:text.index(mark)].count("\n") + 1 if mark else None
    assert done.returncode == 1 and not done.stdout and done.stderr.startswith(f"{tool}: "), done
    assert kind in done.stderr and (line is None or f":{line}: " in done.stderr), (line, done.stderr)
