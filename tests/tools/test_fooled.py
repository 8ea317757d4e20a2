"""benchmarks/fooled: warplu is never wrong with a success code where frozen pivots fail, and KLU is, so that the cases
are worth something.

    test_fooled.py FOOLED
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.dont_write_bytecode = True
import tap  # noqa: E402

DONE = subprocess.run([sys.argv[1]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
LINES = DONE.stdout.splitlines()


def warplu_is_never_wrong():
    assert DONE.returncode == 0, DONE.stdout
    assert LINES[-1] == "46 answers of warplu, 0 wrong with a success code", LINES[-1]
    assert "WRONG" not in DONE.stdout


def klu_is_fooled():
    fooled = [line for line in LINES if line.endswith("fooled")]
    assert len(fooled) >= 10 and all(re.search(r" klu +SUCCESS ", line) for line in fooled), DONE.stdout


def every_case_has_its_lines():
    assert sum(" klu " in line for line in LINES) == 23 and sum(" warplu A' " in line for line in LINES) == 23


tap.run([warplu_is_never_wrong, klu_is_fooled, every_case_has_its_lines])
