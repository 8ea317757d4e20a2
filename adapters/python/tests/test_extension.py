"""The extension as a wheel takes it: what it exports and needs; and that packaging/wheels/check_wheel.py finds faults."""
import os
import sys
import tempfile
import zipfile

import package
from package import build, source

sys.path.insert(0, os.path.join(source, "packaging", "wheels"))
import check_wheel  # noqa: E402

EXTENSION = os.path.join(build, "adapters", "python", "warplu", "_warplu.abi3.so")


def it_exports_its_initialization_alone():
    assert check_wheel.extension_faults(EXTENSION) == []
    assert check_wheel.extension_faults(os.path.realpath(sys.executable)) != []


def it_needs_what_wheels_bring():
    brought = ("libamd.", "libcolamd.", "libbtf.", "libsuitesparseconfig.", "libmetis.")
    assert all(name.startswith(brought) for name in check_wheel.needed(EXTENSION)), check_wheel.needed(EXTENSION)


def faults_of_wheels_are_found():
    with tempfile.TemporaryDirectory() as folder:
        wheel = os.path.join(folder, "warplu-0-cp311-abi3-manylinux_2_3_x86_64.whl")
        with zipfile.ZipFile(wheel, "w") as file:
            file.write(EXTENSION, "warplu/_warplu.abi3.so")
        faults = "\n".join(check_wheel.wheel_faults(wheel, folder))
        for fault in ("needs libamd", "needs glibc 2.", "has no LICENSE", "has no LICENSES.md"):
            assert fault in faults, faults
        other = os.path.join(folder, "warplu-0-cp311-cp311-linux_x86_64.whl")
        os.rename(wheel, other)
        assert "another tag" in check_wheel.wheel_faults(other, folder)[0]


package.run([it_exports_its_initialization_alone, it_needs_what_wheels_bring, faults_of_wheels_are_found])
