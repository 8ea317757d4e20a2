"""The assembler takes the kernel of each elementary function, without spilling registers.

    test_assembler.py SOURCE TEST_LINES PTXAS
"""
import os
import re
import subprocess
import sys
import tempfile

source, program, assembler = sys.argv[1:]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402


def functions():
    with open(os.path.join(source, "src", "model", "elementary", "functions.def"), encoding="utf-8") as file:
        found = re.findall(r"^WLM_(?:ONE|TWO)\((\w+)\)$", file.read(), re.MULTILINE)
    assert len(found) > 10, found
    return found


def kernels_assemble():
    with tempfile.TemporaryDirectory() as folder:
        for function in functions():
            text = subprocess.run([program, function], capture_output=True, check=True).stdout
            path = os.path.join(folder, function + ".ptx")
            with open(path, "wb") as file:
                file.write(text)
            result = subprocess.run([assembler, "-arch=sm_90", "-v", path, "-o", os.path.join(folder, "out")],
                                    capture_output=True, text=True, check=False)
            assert result.returncode == 0, f"{function}: {result.stdout}{result.stderr}"
            assert "0 bytes spill stores" in result.stdout + result.stderr, f"{function}: {result.stdout}{result.stderr}"


tap.run([kernels_assemble])
