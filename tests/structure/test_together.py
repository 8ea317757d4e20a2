"""All internal headers in one file, in two orders, and each of them alone: types have names of their own, and no header
lives off what another includes.

    test_together.py SOURCE VERSION-HEADER-FOLDER COMPILER...

Kernel templates, which are included once for each instruction set and have no guard, are left out."""
import os
import subprocess
import sys

source, generated = sys.argv[1:3]
compiler = sys.argv[3:]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import rooms  # noqa: E402
import tap  # noqa: E402

HEADERS = [path for path in rooms.files(source, "src", ".h") if not rooms.is_template(source, path)]
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-D_POSIX_C_SOURCE=200809L",
         "-Wno-unused-function"]


def compiles(headers):
    text = "".join(f'#include "{header}"\n' for header in headers) + "int wlu_structure_test = 0;\n"
    folders = [os.path.join(source, "include"), os.path.join(source, "src"), generated]
    result = subprocess.run([*compiler, *FLAGS, *("-I" + folder for folder in folders), "-x", "c", "-"], input=text,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert result.returncode == 0, f"{' '.join(headers)[:200]}:\n{result.stdout}"


def together_in_order():
    assert len(HEADERS) > 50, "the headers were not found"
    compiles(HEADERS)


def together_in_reverse():
    compiles(HEADERS[::-1])


def each_alone():
    for header in HEADERS:
        compiles([header, header])


tap.run([together_in_order, together_in_reverse, each_alone])
