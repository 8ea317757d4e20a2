"""What the importers' programs have in common: their arguments, their messages, and the way from the form to text."""
import os
import sys

import form
import happen
import rates
import start
import wm


def fail(tool, message):
    print(f"{tool}: {message}", file=sys.stderr)
    sys.exit(1)


def needs(tool, package, error):
    """error: of an import."""
    if error.name != "libsbml":
        raise error
    fail(tool, f"needs the Python package {package}")


def text(name, system, comment):
    """The model's text, of a name and a form."""
    rates.resolve(system)
    numbers = start.Numbers(system)
    events = happen.Events(system, numbers)
    happenings = events.write()
    start.lower(system, numbers)
    return form.element(str(wm.Names().of("model", name)), comment, system, happenings, events.bounds)


def converted(tool, convert, path):
    """The text of a file. convert(path): (name, form)."""
    comment = [f"From {os.path.basename(path)} by tools/import/{tool}."]
    return text(*convert(path), comment)


def main(tool, manual, convert, arguments):
    if len(arguments) != 2 or arguments[1].startswith("-"):
        print(manual.strip(), file=sys.stderr)
        sys.exit(2)
    path = arguments[1]
    if not os.path.isfile(path):
        fail(tool, f"{path}: no such file")
    sys.setrecursionlimit(20000)
    try:
        print(converted(tool, convert, path), end="")
    except wm.Unsupported as reason:
        at = f"{path}:{reason.line}" if reason.line > 0 else path
        fail(tool, f"{at}: cannot be said in the language: {reason}")
