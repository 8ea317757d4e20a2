"""benchmarks/many: its table, and what it says of a file that is not there. TAP on standard output.

    test_many.py MANY MATRIX
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.dont_write_bytecode = True
import tap  # noqa: E402

MANY, MATRIX = sys.argv[1:]


def run(*arguments):
    return subprocess.run([MANY, *arguments], capture_output=True, text=True)


def a_row_a_matrix():
    done = run(MATRIX)
    assert done.returncode == 0, done.stderr
    head, row = done.stdout.splitlines()
    assert head.startswith("us a right-hand side"), head
    name, n, *numbers = row.split()
    assert (name, n) == ("many.mtx", "36") and len(numbers) == 6, row
    one, eight, ratio = map(float, numbers[:3])
    assert one > 0 and eight > 0 and abs(ratio - one / eight) <= 0.1 * ratio + 0.1, row


def a_missing_file_is_an_error():
    done = run("there_is_none.mtx")
    assert done.returncode != 0 and "there_is_none.mtx" in done.stderr, (done.returncode, done.stderr)


tap.run([a_row_a_matrix, a_missing_file_is_an_error])
