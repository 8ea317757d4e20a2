"""The libraries as their users get them: installed into a temporary folder, found by pkg-config or CMake, compiled against, run.

    test_install.py SOURCE BUILD MESON SANITIZE COMPILER...
"""
import glob
import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction

source, build, meson, sanitize = sys.argv[1:5]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402
import packages  # noqa: E402
import stage  # noqa: E402
from stage import find, library_folder, needs_shared_libraries, pkg_config, prefix, run  # noqa: E402

compiler = sys.argv[5:]
packages.source = source


def installs():
    stage.begin(build, meson, compiler, sanitize)


def adapters_headers():
    """Those of all adapters, built or not, as programs include them."""
    return [os.path.relpath(path, start) for start in glob.glob(os.path.join(source, "adapters", "*", "include"))
            for path in glob.glob(os.path.join(start, "*", "*.h"))]


def installs_the_public_headers_alone():
    folder = os.path.join(prefix(), "include")
    found = sorted(os.path.relpath(os.path.join(f, n), folder) for f, _, names in os.walk(folder) for n in names)
    public = [f"warplu/{name}" for name in os.listdir(os.path.join(source, "include", "warplu")) if name.endswith((".def", ".h"))]
    assert "warplu/matrix_market.h" in found and "warplu/model.h" in found
    assert sorted(set(found) - set(adapters_headers())) == sorted([*public, "warplu/version.h"]), found


def installed_headers_compile_alone():
    folder = os.path.join(prefix(), "include")
    headers = [name for name in os.listdir(os.path.join(folder, "warplu")) if name.endswith(".h")]
    cpp = {"gcc": "g++", "clang": "clang++"}.get(os.path.basename(compiler[-1]), "c++")
    languages = [(compiler, "c", "c11")] + ([([cpp], "c++", "c++11")] if shutil.which(cpp) else [])
    for command, language, standard in languages:
        for header in headers:
            # SUNDIALS' headers do not compile as C++11
            wanted = standard.replace("++11", "++14") if f"warplu/{header}" in adapters_headers() else standard
            run(*command, "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", f"-std={wanted}", "-I" + folder, "-x",
                language, "-", input=f"#include <warplu/{header}>\nint warplu_header_test = 0;\n")


def sonames_are_the_abi_versions():
    needs_shared_libraries()
    for name, wanted in (("libwarplu.so", "libwarplu.so.0.2"), ("libwarplu-mm.so", "libwarplu-mm.so.0.2"),
                         ("libwarpmodel.so", "libwarpmodel.so.0.2")):
        library = os.path.join(library_folder(), name)
        assert os.path.islink(library), library
        if shutil.which("readelf") is None:
            raise tap.Skip("no readelf")
        soname = re.search(r"SONAME.*\[(.*)\]", run("readelf", "-d", library)).group(1)
        assert soname == wanted, soname
        assert os.path.exists(os.path.join(library_folder(), soname))


def pkg_config_knows_the_version():
    needs_shared_libraries()
    header = open(find("version.h"), encoding="utf-8").read()
    for module in ("warplu", "warplu-mm", "warpmodel"):
        assert f'"{pkg_config("--modversion", modules=[module])}"' in header
        libraries = [flag for flag in pkg_config("--libs", modules=[module]).split() if flag.startswith("-l")]
        assert libraries == ["-l" + module], f"users of a shared library link it alone: {libraries}"


def installed_command_finds_its_peers():
    if not os.path.exists(os.path.join(prefix(), "bin", "warplu")):
        raise tap.Skip("built without the command line")
    listed = run(find("warplu"), "bench", "--list-peers", env={k: v for k, v in os.environ.items() if k != "WARPLU_PEERS"})
    assert re.search(r"^warplu +built ", listed, re.MULTILINE), listed
    os.rename(find("warplu-peer-warplu"), os.path.join(stage.FOLDER, "elsewhere"))
    assert re.search(r"^warplu +missing ", run(find("warplu"), "bench", "--list-peers"), re.MULTILINE)


def solution(step):
    """The chain of examples/first.c by elimination in fractions."""
    n, g = 4, 1 + Fraction(step, 2)
    a = [[Fraction(0)] * (n + 1) for _ in range(n)]
    for i in range(n):
        for j in (i - 1, i + 1):
            if 0 <= j < n:
                a[i][j] = -g
                a[i][i] += g
        a[i][i] += 1
    a[0][n] = Fraction(1)
    for k in range(n):
        a[k] = [v / a[k][k] for v in a[k]]
        for i in range(n):
            if i != k:
                a[i] = [v - a[i][k] * w for v, w in zip(a[i], a[k])]
    return [float(row[n]) for row in a]


def example(name, *libraries, parts=(), modules=("warplu",), arguments=()):
    """Compiles as its first comment says, strictly, and returns what it prints."""
    program = os.path.join(stage.FOLDER, name)
    files = [os.path.join(source, "examples", part + ".c") for part in (name, *parts)]
    run(*compiler, *stage.STRICT, *stage.sanitizer_flags, *files, "-o", program,
        *pkg_config("--cflags", "--libs", modules=modules).split(), *libraries)
    return stage.run_with_libraries(program, *arguments)


def first_program_compiles_and_runs():
    output = example("first")
    lines = output.splitlines()
    assert len(lines) == 5, output
    for step, line in enumerate(lines):
        match = re.fullmatch(r"step (\d): x =((?: \d\.\d{6})+), backward error (\S+)", line)
        assert match and int(match.group(1)) == step, line
        found = [float(v) for v in match.group(2).split()]
        assert all(abs(a - b) < 1e-6 for a, b in zip(found, solution(step))), (line, solution(step))
        assert 0 <= float(match.group(3)) < 1e-15, line


def transient_program_compiles_and_runs():
    output = example("transient", "-lm", parts=["circuit", "options"])
    assert re.search(r"^1000 steps: \d+ iterations, \d+ times pivoted again$", output, re.MULTILINE), output
    assert re.search(r"^warnings: \d+ pivoted again, 0 inaccurate, 0 others$", output, re.MULTILINE), output


def monte_carlo_program_compiles_and_runs():
    output = example("monte_carlo", "-lm", parts=["circuit", "options", "plot"], arguments=["--samples", "9", "--steps", "5"])
    assert re.search(r"^5 steps: \d+ calls for \d+ systems, ", output, re.MULTILINE), output


def model_program_compiles_and_runs():
    example("model", modules=["warpmodel"], arguments=[os.path.join(source, "examples", "models", "robertson.wm")])
    packages.model_is_right(os.path.join(stage.FOLDER, "model"))


def a_program_of_both_libraries_compiles_and_runs():
    path = stage.write_matrix()
    output = example("read_matrix", modules=stage.BOTH, arguments=[path])
    match = re.fullmatch(r"3 unknowns, backward error (\S+)\n", output)
    assert match and 0 <= float(match.group(1)) < 1e-15, output
    with open(path, "a", encoding="utf-8") as file:
        file.write("4 4 1\n")
    failed = subprocess.run([os.path.join(stage.FOLDER, "read_matrix"), path], stderr=subprocess.PIPE, text=True, check=False,
                            env=dict(os.environ, LD_LIBRARY_PATH=library_folder()))
    assert failed.returncode == 1 and failed.stderr.startswith(f"{path}:7: expected "), failed.stderr


def installed_command_runs():
    if not os.path.exists(os.path.join(prefix(), "bin", "warplu")):
        raise tap.Skip("built without the command line")
    output = stage.run_with_libraries(os.path.join(prefix(), "bin", "warplu"), "--version")
    assert re.fullmatch(r"warplu \d+\.\d+\.\d+", output.strip()), output


try:
    tap.run([installs, installs_the_public_headers_alone, installed_headers_compile_alone, sonames_are_the_abi_versions,
             pkg_config_knows_the_version, first_program_compiles_and_runs, transient_program_compiles_and_runs,
             monte_carlo_program_compiles_and_runs, model_program_compiles_and_runs,
             a_program_of_both_libraries_compiles_and_runs, installed_command_runs, *packages.CASES,
             installed_command_finds_its_peers])
finally:
    stage.end()
