"""The shared library's face to the linker: it exports warplu_* alone and needs no driver, KLU or CHOLMOD.

    test_symbols.py SOURCE LIBRARY SANITIZE [PROGRAM]
"""
import os
import re
import shutil
import subprocess
import sys

source, library, sanitize = sys.argv[1:4]
programs = sys.argv[4:]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402


def output(tool, *arguments):
    if shutil.which(tool) is None:
        raise tap.Skip(f"no {tool}")
    return subprocess.run([tool, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def exported():
    lines = output("nm", "--dynamic", "--defined-only", library).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line.strip()}


def declared():
    text = open(os.path.join(source, "include", "warplu", "warplu.h"), encoding="utf-8").read()
    return set(re.findall(r"^WARPLU_API [^(;]*?(\w+)\(", text, re.MULTILINE))


def exports_what_the_header_declares():
    assert declared(), "no declaration found"
    extra = {name for name in exported() if not (sanitize != "none" and re.match(r"__(odr_)?asan|__ubsan", name))}
    assert extra == declared(), f"too many: {sorted(extra - declared())}, missing: {sorted(declared() - extra)}"


def needs_no_optional_solver():
    needed = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", library))
    assert needed
    wrong = [name for name in needed if re.match(r"lib(cuda|klu|cholmod|umfpack|superlu|openblas|blas|lapack)", name)]
    assert not wrong, f"{library} needs {wrong}"


def nothing_needs_the_driver():
    """It is opened at run time: a machine without one runs all of this, even where the linker finds a stub."""
    for file in [library, *programs]:
        needed = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", file))
        assert needed and not [name for name in needed if "cuda" in name], f"{file} needs {needed}"


def stack_is_not_executable():
    text = output("readelf", "-lW", library)
    line = [l for l in text.splitlines() if "GNU_STACK" in l]
    assert line and "E" not in line[0].split()[-2], line


tap.run([exports_what_the_header_declares, needs_no_optional_solver, nothing_needs_the_driver, stack_is_not_executable])
