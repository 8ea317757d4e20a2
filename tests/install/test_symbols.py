"""The shared libraries' faces to the linker: each exports what its headers declare and nothing else, and needs no driver,
KLU or CHOLMOD; the solver needs no zlib, and the Matrix Market library not the solver.

    test_symbols.py SOURCE SANITIZE LIBWARPLU LIBWARPLU-MM LIBWARPMODEL [PROGRAM]
"""
import os
import re
import shutil
import subprocess
import sys

source, sanitize, solver, matrix_market, model = sys.argv[1:6]
programs = sys.argv[6:]
LIBRARIES = [solver, matrix_market, model]
APART = {matrix_market: "matrix_market.h", model: "model.h"}  # libraries of one header; the others are the solver's
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402


def output(tool, *arguments):
    if shutil.which(tool) is None:
        raise tap.Skip(f"no {tool}")
    return subprocess.run([tool, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def exported(library):
    lines = output("nm", "--dynamic", "--defined-only", library).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line.strip()}


def declared(library):
    folder = os.path.join(source, "include", "warplu")
    names = [APART[library]] if library in APART else [n for n in sorted(os.listdir(folder)) if n.endswith(".h") and n not in APART.values()]
    text = "".join(open(os.path.join(folder, name), encoding="utf-8").read() for name in names)
    return set(re.findall(r"^WARPLU_API [^(;]*?(\w+)\(", text, re.MULTILINE))


def needed(file):
    found = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", file))
    assert found, f"{file} needs nothing"
    return found


def each_exports_what_its_headers_declare():
    for library in LIBRARIES:
        assert declared(library), f"no declaration found for {library}"
        found = {n for n in exported(library) if not (sanitize != "none" and re.match(r"__(odr_)?asan|__ubsan", n))}
        extra, missing = sorted(found - declared(library)), sorted(declared(library) - found)
        assert not extra and not missing, f"{library}: too many: {extra}, missing: {missing}"


def none_needs_an_optional_solver():
    for library in LIBRARIES:
        wrong = [name for name in needed(library)
                 if re.match(r"lib(cuda|klu|cholmod|umfpack|superlu|openblas|blas|lapack)", name)]
        assert not wrong, f"{library} needs {wrong}"


def matrix_market_stands_alone():
    allowed = r"lib(z|c|m)\.so|ld-linux" + ("" if sanitize == "none" else r"|lib(asan|ubsan|tsan|pthread|gcc_s)\.so")
    wrong = [name for name in needed(matrix_market) if not re.match(allowed, name)]
    assert not wrong, f"{matrix_market} needs {wrong}"


def the_solver_needs_no_zlib():
    for library in (solver, model):
        assert not [name for name in needed(library) if name.startswith("libz.")], f"{library} needs {needed(library)}"


def nothing_needs_the_driver():
    """It is opened at run time: a machine without one runs all of this, even where the linker finds a stub."""
    for file in [*LIBRARIES, *programs]:
        assert not [name for name in needed(file) if "cuda" in name], f"{file} needs {needed(file)}"


def stacks_are_not_executable():
    for library in LIBRARIES:
        text = output("readelf", "-lW", library)
        line = [l for l in text.splitlines() if "GNU_STACK" in l]
        assert line and "E" not in line[0].split()[-2], line


tap.run([each_exports_what_its_headers_declare, none_needs_an_optional_solver, matrix_market_stands_alone,
         the_solver_needs_no_zlib, nothing_needs_the_driver, stacks_are_not_executable])
