"""The libraries as their users get them: installed into a temporary folder, found by pkg-config, compiled against, run.

    test_install.py SOURCE BUILD MESON SANITIZE COMPILER...
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction

source, build, meson, sanitize = sys.argv[1:5]
compiler = sys.argv[5:]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

stage = tempfile.mkdtemp(prefix="warplu-install-")
sanitizer_flags = [] if sanitize == "none" else [f"-fsanitize={sanitize}"]


def run(*command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)
    assert result.returncode == 0, f"{' '.join(command)}: exit {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


def find(name):
    found = [os.path.join(folder, name) for folder, _, files in os.walk(stage) if name in files]
    assert len(found) == 1, f"{name}: found {found}"
    return found[0]


def prefix():
    return os.path.dirname(os.path.dirname(os.path.dirname(find("warplu.h"))))


def pkg_config(*arguments, modules=("warplu",)):
    if shutil.which("pkg-config") is None:
        raise tap.Skip("no pkg-config")
    environment = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(find("warplu.pc")))
    return run("pkg-config", f"--define-variable=prefix={prefix()}", *arguments, *modules, env=environment).strip()


def library_folder():
    return os.path.dirname(find("warplu.pc")).rsplit("/", 1)[0]


def installs():
    run(meson, "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", stage)


def installs_the_public_headers_alone():
    folder = os.path.join(prefix(), "include")
    found = sorted(os.path.relpath(os.path.join(f, n), folder) for f, _, names in os.walk(folder) for n in names)
    public = [f"warplu/{name}" for name in os.listdir(os.path.join(source, "include", "warplu")) if name.endswith((".def", ".h"))]
    assert "warplu/matrix_market.h" in found and found == sorted([*public, "warplu/version.h"]), found


def installed_headers_compile_alone():
    folder = os.path.join(prefix(), "include")
    headers = [name for name in os.listdir(os.path.join(folder, "warplu")) if name.endswith(".h")]
    cpp = {"gcc": "g++", "clang": "clang++"}.get(os.path.basename(compiler[-1]), "c++")
    languages = [(compiler, "c", "c11")] + ([([cpp], "c++", "c++11")] if shutil.which(cpp) else [])
    for command, language, standard in languages:
        for header in headers:
            run(*command, "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", f"-std={standard}", "-I" + folder, "-x",
                language, "-", input=f"#include <warplu/{header}>\nint warplu_header_test = 0;\n")


def sonames_are_the_abi_versions():
    for name, wanted in (("libwarplu.so", "libwarplu.so.0.2"), ("libwarplu-mm.so", "libwarplu-mm.so.0.2")):
        library = os.path.join(library_folder(), name)
        assert os.path.islink(library), library
        if shutil.which("readelf") is None:
            raise tap.Skip("no readelf")
        soname = re.search(r"SONAME.*\[(.*)\]", run("readelf", "-d", library)).group(1)
        assert soname == wanted, soname
        assert os.path.exists(os.path.join(library_folder(), soname))


def pkg_config_knows_the_version():
    header = open(find("version.h"), encoding="utf-8").read()
    for module in ("warplu", "warplu-mm"):
        assert f'"{pkg_config("--modversion", modules=[module])}"' in header
        libraries = [flag for flag in pkg_config("--libs", modules=[module]).split() if flag.startswith("-l")]
        assert libraries == ["-l" + module], f"users of a shared library link it alone: {libraries}"


def installed_command_finds_its_peers():
    if not os.path.exists(os.path.join(prefix(), "bin", "warplu")):
        raise tap.Skip("built without the command line")
    listed = run(find("warplu"), "bench", "--list-peers", env={k: v for k, v in os.environ.items() if k != "WARPLU_PEERS"})
    assert re.search(r"^warplu +built ", listed, re.MULTILINE), listed
    os.rename(find("warplu-peer-warplu"), os.path.join(stage, "elsewhere"))
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
    program = os.path.join(stage, name)
    files = [os.path.join(source, "examples", part + ".c") for part in (name, *parts)]
    run(*compiler, "-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wvla",
        "-pedantic", "-Werror", *sanitizer_flags, *files, "-o", program,
        *pkg_config("--cflags", "--libs", modules=modules).split(), *libraries)
    return run(program, *arguments, env=dict(os.environ, LD_LIBRARY_PATH=library_folder()))


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


def a_program_of_both_libraries_compiles_and_runs():
    path = os.path.join(stage, "a.mtx")
    with open(path, "w", encoding="utf-8") as file:
        file.write("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4\n2 2 4\n3 3 4\n3 1 -1\n")
    output = example("read_matrix", modules=["warplu", "warplu-mm"], arguments=[path])
    match = re.fullmatch(r"3 unknowns, backward error (\S+)\n", output)
    assert match and 0 <= float(match.group(1)) < 1e-15, output
    with open(path, "a", encoding="utf-8") as file:
        file.write("4 4 1\n")
    failed = subprocess.run([os.path.join(stage, "read_matrix"), path], stderr=subprocess.PIPE, text=True, check=False,
                            env=dict(os.environ, LD_LIBRARY_PATH=library_folder()))
    assert failed.returncode == 1 and failed.stderr.startswith(f"{path}:7: expected "), failed.stderr


def installed_command_runs():
    if not os.path.exists(os.path.join(prefix(), "bin", "warplu")):
        raise tap.Skip("built without the command line")
    output = run(os.path.join(prefix(), "bin", "warplu"), "--version",
                 env=dict(os.environ, LD_LIBRARY_PATH=library_folder()))
    assert re.fullmatch(r"warplu \d+\.\d+\.\d+", output.strip()), output


try:
    tap.run([installs, installs_the_public_headers_alone, installed_headers_compile_alone, sonames_are_the_abi_versions,
             pkg_config_knows_the_version, first_program_compiles_and_runs, transient_program_compiles_and_runs,
             monte_carlo_program_compiles_and_runs,
             a_program_of_both_libraries_compiles_and_runs, installed_command_runs, installed_command_finds_its_peers])
finally:
    shutil.rmtree(stage, ignore_errors=True)
