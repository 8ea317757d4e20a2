"""The assembler takes the kernel of each method, some with events, for all processors that the library is for.

    test_step_assembler.py SOURCE TEST_STEP_DEVICE PTXAS
"""
import os
import subprocess
import sys
import tempfile

source, program, assembler = sys.argv[1:]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

PROCESSORS = ("sm_80", "sm_90", "sm_100")
KERNELS_LEAST = 21


def kernels():
    """Texts, by number until there are no more."""
    found = []
    while True:
        result = subprocess.run([program, "--text", str(len(found))], capture_output=True, check=False)
        if result.returncode != 0:
            assert len(found) >= KERNELS_LEAST, len(found)
            return found
        found.append(result.stdout)


def known(processor, folder):
    """Whether this assembler is new enough."""
    path = os.path.join(folder, "empty.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry f()\n{\nret;\n}\n")
    return subprocess.run([assembler, "-arch=" + processor, path, "-o", os.path.join(folder, "out")], capture_output=True,
                          check=False).returncode == 0


def kernels_assemble():
    with tempfile.TemporaryDirectory() as folder:
        processors = [p for p in PROCESSORS if known(p, folder)]
        assert processors, f"{assembler} knows none of {PROCESSORS}"
        for number, text in enumerate(kernels()):
            path = os.path.join(folder, "kernel.ptx")
            with open(path, "wb") as file:
                file.write(text)
            for processor in processors:
                result = subprocess.run([assembler, "-O1", "-arch=" + processor, path, "-o", os.path.join(folder, "out")],
                                        capture_output=True, text=True, check=False)
                assert result.returncode == 0, f"{number}, {processor}: {result.stdout}{result.stderr}"


tap.run([kernels_assemble])
