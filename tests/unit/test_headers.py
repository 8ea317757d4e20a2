"""Each public header compiles alone, twice in a row, as C and as C++, without a warning. The first one has few calls, and
every call has a table of the statuses it answers.

    test_headers.py SOURCE VERSION-HEADER-FOLDER COMPILER...
"""
import os
import re
import shutil
import subprocess
import sys

source, generated = sys.argv[1:3]
compiler = sys.argv[3:]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

HEADERS = ["warplu/batch.h", "warplu/batch_device.h", "warplu/cache.h", "warplu/complex.h", "warplu/device.h", "warplu/inspect.h", "warplu/matrix_market.h", "warplu/model.h", "warplu/save.h", "warplu/status.h",
            "warplu/version.h", "warplu/warplu.h"]
FIRST_CALLS = 15  # that most programs can do with
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


def declarations(header):
    """(comment before it, declaration) of every call of a header."""
    with open(os.path.join(source, "include", header), encoding="utf-8") as file:
        return re.findall(r"((?:/\*(?:[^*]|\*(?!/))*\*/\n)?)^(WARPLU_API [^;]*;)", file.read(), re.MULTILINE)


def first_header_is_small():
    calls = declarations("warplu/warplu.h")
    assert 10 < len(calls) <= FIRST_CALLS, f"warplu.h has {len(calls)} calls"


def every_call_lists_its_statuses():
    """One line a status: the name and when, or another call whose table it is; each status once."""
    with open(os.path.join(source, "include", "warplu", "status.def"), encoding="utf-8") as file:
        known = set(re.findall(r"^WARPLU_STATUS\((\w+)", file.read(), re.MULTILINE))
    for header in HEADERS:
        if header.endswith(("version.h", "status.h")):
            continue
        assert declarations(header), f"{header}: no calls found"
        for comment, declaration in declarations(header):
            name = re.search(r"(warplu_\w+)\(", declaration).group(1)
            listed = re.findall(r"^ \*   WARPLU_(\w+)", comment, re.MULTILINE)
            refers = re.search(r"^ \*   (as|others +as) warplu_", comment, re.MULTILINE)
            if declaration.startswith("WARPLU_API warplu_status "):
                assert listed or refers, f"{header}: {name} has no table of statuses"
            assert len(set(listed)) == len(listed), f"{header}: {name} lists a status twice"
            assert set(listed) <= known, f"{header}: {name} lists {sorted(set(listed) - known)}"


def each_compiles_as_c11():
    compiles(compiler, "c", "c11")


def each_compiles_as_c17():
    compiles(compiler, "c", "c17")


def each_compiles_as_cpp11():
    compiles(cpp_compiler(), "c++", "c++11")


def each_compiles_as_cpp20():
    compiles(cpp_compiler(), "c++", "c++20")


tap.run([list_is_complete, first_header_is_small, every_call_lists_its_statuses, each_compiles_as_c11, each_compiles_as_c17,
         each_compiles_as_cpp11, each_compiles_as_cpp20])
