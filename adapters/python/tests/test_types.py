"""Types of the package: a user's program passes `mypy --strict`, and so does the package; what is wrong does not. Skipped without mypy 1.8 or later
and types of SciPy."""
import importlib.metadata
import os
import subprocess
import sys
import tempfile

import package

TESTS = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(TESTS, "typed_user.py")
CACHE = tempfile.TemporaryDirectory()


def versions():
    try:
        importlib.metadata.version("scipy-stubs")
        return tuple(int(part) for part in importlib.metadata.version("mypy").split(".")[:2])
    except importlib.metadata.PackageNotFoundError:
        return (0, 0)


def mypy(program):
    if versions() < (1, 8):
        raise package.Skip("no mypy 1.8 with types of SciPy")
    environment = os.environ | {"MYPYPATH": os.path.join(package.source, "adapters", "python")}
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", CACHE.name, program], env=environment, capture_output=True, text=True)


def a_users_program_has_no_errors():
    done = mypy(PROGRAM)
    assert done.returncode == 0, done.stdout


def what_is_wrong_is_found():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "wrong.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("import warplu\n\nwarplu.Solver(None, chek='always')\nwarplu.Solver(None).solve([1.0], trans='X')\n")
        done = mypy(path)
    assert done.returncode == 1 and "chek" in done.stdout and "trans" in done.stdout, done.stdout


def the_program_runs():
    import typed_user

    typed_user.main()


package.run([a_users_program_has_no_errors, what_is_wrong_is_found, the_program_runs])
