"""An installation in a temporary folder, which is not the one that was configured: what finds the libraries has to follow.

    stage.begin(build, meson, compiler, sanitize)   installs
    stage.end()                                     removes it
"""
import os
import shutil
import subprocess
import tempfile

import tap

FOLDER = tempfile.mkdtemp(prefix="warplu-install-")
BOTH = ("warplu", "warplu-mm")
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wvla", "-pedantic", "-Werror"]
MATRIX = "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4\n2 2 4\n3 3 4\n3 1 -1\n"
compiler, sanitizer_flags = [], []


def run(*command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)
    assert result.returncode == 0, f"{' '.join(command)}: exit {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


def begin(build, meson, with_compiler, sanitize):
    compiler[:] = with_compiler
    sanitizer_flags[:] = [] if sanitize == "none" else [f"-fsanitize={sanitize}"]
    run(meson, "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", FOLDER)


def end():
    shutil.rmtree(FOLDER, ignore_errors=True)


def find(name):
    found = [os.path.join(folder, name) for folder, _, files in os.walk(FOLDER) if name in files]
    assert len(found) == 1, f"{name}: found {found}"
    return found[0]


def prefix():
    return os.path.dirname(os.path.dirname(os.path.dirname(find("warplu.h"))))


def library_folder():
    return os.path.dirname(find("warplu.pc")).rsplit("/", 1)[0]


def needs_shared_libraries():
    if not os.path.exists(os.path.join(library_folder(), "libwarplu.so")):
        raise tap.Skip("built without shared libraries")


def pkg_config(*arguments, modules=("warplu",)):
    if shutil.which("pkg-config") is None:
        raise tap.Skip("no pkg-config")
    environment = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(find("warplu.pc")))
    return run("pkg-config", f"--define-variable=prefix={prefix()}", *arguments, *modules, env=environment).strip()


def run_with_libraries(program, *arguments):
    return run(program, *arguments, env=dict(os.environ, LD_LIBRARY_PATH=library_folder()))


def needed(program):
    if shutil.which("readelf") is None:
        raise tap.Skip("no readelf")
    return run("readelf", "-d", program)


def write_matrix():
    path = os.path.join(FOLDER, "a.mtx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(MATRIX)
    return path
