"""benchmarks/builds and benchmarks/small: two libraries in one process, their tables, and what they say of one that is
not there. TAP on standard output.

    test_libraries.py BUILDS WARPLU.so MATRIX [SMALL OURS.so KLU.so]
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.dont_write_bytecode = True
import tap  # noqa: E402

BUILDS, WARPLU, MATRIX, *OTHERS = sys.argv[1:]


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True)


def numbers_of(line):
    return [float(word) for word in re.findall(r"[-+.\de]*\d", line)]


def a_build_is_as_fast_as_itself():
    done = run(BUILDS, WARPLU, WARPLU, MATRIX)
    assert done.returncode == 0, done.stderr
    row, last = done.stdout.splitlines()
    assert row.startswith(MATRIX) and last.startswith("1 matrices"), done.stdout
    refactor, solve, *checked = numbers_of(row[len(MATRIX):])
    assert 0.3 < refactor < 3 and 0.3 < solve < 3 and checked[0] == checked[1], row
    assert numbers_of(last)[1:] == [refactor, solve], done.stdout


def what_does_not_load_is_an_error():
    done = run(BUILDS, WARPLU, "there_is_none.so", MATRIX)
    assert done.returncode == 1 and "there_is_none.so" in done.stderr, done
    done = run(BUILDS, WARPLU, WARPLU, "there_is_none.mtx")
    assert done.returncode == 1 and "there_is_none.mtx" in done.stderr, done


def small_systems_stand_in_a_table():
    small, ours, klu = OTHERS
    done = run(small, ours, klu, "--turns", "3")
    assert done.returncode == 0, done.stderr
    head, *rows, last = done.stdout.splitlines()
    assert len(rows) > 40 and "ratio" in head, done.stdout
    for row in rows:
        kind, n, nnz, _, theirs, mine, ratio, _, *_ = row.split()
        assert int(nnz) >= int(n) >= 3 and float(mine) > 0, row
        assert abs(float(ratio) - float(theirs) / float(mine)) <= 0.05 * float(ratio) + 0.01, (kind, row)
    assert last.startswith("geometric means") and all(value > 0 for value in numbers_of(last)), last


def small_wants_libraries():
    small, ours, _ = OTHERS
    done = run(small, ours, "there_is_none.so")
    assert done.returncode == 1 and "there_is_none.so" in done.stderr, done
    done = run(small, ours)
    assert done.returncode == 2 and done.stderr.startswith("usage"), done


tap.run([a_build_is_as_fast_as_itself, what_does_not_load_is_an_error] +
        ([small_systems_stand_in_a_table, small_wants_libraries] if OTHERS else []))
