"""The example program takes the steps that it takes with SUNDIALS' KLU module, and comes to the same solution.

    test_klu.py SOURCE GRAY_SCOTT
"""
import os
import subprocess
import sys

source, program = sys.argv[1:3]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402


def run(*arguments):
    """What the program prints, by name."""
    result = subprocess.run([program, "--size", "16", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            check=False)
    assert result.returncode == 0, f"{arguments}: exit {result.returncode}\n{result.stdout}{result.stderr}"
    return {name: float(value) for name, value in (line.split() for line in result.stdout.splitlines())}


def compare(storage):
    ours, theirs = (run("--by", storage, "--solver", solver) for solver in ("warplu", "klu"))
    for name in ("steps", "newton", "setups"):
        assert abs(ours[name] - theirs[name]) <= 0.01 * theirs[name], f"{name}: {ours[name]}, {theirs[name]}"
    points = [name for name in theirs if name.startswith("u(")]
    assert len(points) == 4
    for name in points:
        assert abs(ours[name] - theirs[name]) <= 1e-5 * abs(theirs[name]), f"{name}: {ours[name]}, {theirs[name]}"


def takes_the_same_steps_by_columns():
    compare("columns")


def takes_the_same_steps_by_rows():
    compare("rows")


tap.run([takes_the_same_steps_by_columns, takes_the_same_steps_by_rows])
