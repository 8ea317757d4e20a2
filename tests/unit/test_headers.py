"""Each public header compiles alone, twice in a row, as C and as C++, without a warning.

    test_headers.py SOURCE VERSION-HEADER-FOLDER COMPILER...
"""
import os
import shutil
import subprocess
import sys

source, generated = sys.argv[1:3]
compiler = sys.argv[3:]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

HEADERS = ["warplu/matrix_market.h", "warplu/status.h", "warplu/version.h", "warplu/warplu.h"]
FLAGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]


def cpp_compiler():
    name = {"gcc": "g++", "clang": "clang++"}.get(os.path.basename(compiler[-1]), "c++")
    if shutil.which(name) is None:
        raise tap.Skip(f"no {name}")
    return [name]


def compiles(command, language, standard):
    for header in HEADERS:
        text = f"#include <{header}>\n#include <{header}>\nint warplu_header_test = 0;\n"
        result = subprocess.run(
            [*command, *FLAGS, f"-std={standard}", "-I" + os.path.join(source, "include"), "-I" + generated,
             "-x", language, "-"], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        assert result.returncode == 0, f"{header} as {standard}:\n{result.stdout}"


def list_is_complete():
    names = [n for n in os.listdir(os.path.join(source, "include", "warplu")) if n.endswith((".h", ".h.in"))]
    assert sorted("warplu/" + n.replace(".h.in", ".h") for n in names) == sorted(HEADERS), names


def each_compiles_as_c11():
    compiles(compiler, "c", "c11")


def each_compiles_as_c17():
    compiles(compiler, "c", "c17")


def each_compiles_as_cpp11():
    compiles(cpp_compiler(), "c++", "c++11")


def each_compiles_as_cpp20():
    compiles(cpp_compiler(), "c++", "c++20")


tap.run([list_is_complete, each_compiles_as_c11, each_compiles_as_c17, each_compiles_as_cpp11, each_compiles_as_cpp20])
