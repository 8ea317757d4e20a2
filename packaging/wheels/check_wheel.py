#!/usr/bin/env python3
"""What a wheel says of itself, and what the extension in it asks of a machine.

    check_wheel.py WHEEL...

The tag names Python 3.11's stable ABI and a glibc; the extension exports its initialization alone; it and the libraries
beside it need the C library, of no later glibc than the tag's, and each other; licences are there. Needs readelf and nm."""
import os
import re
import subprocess
import sys
import tempfile
import zipfile

# What every Linux with glibc has.
SYSTEM = re.compile(r"lib(c|m|pthread|dl)\.so\.\d|ld-linux[-\w]*\.so\.\d")
TAG = re.compile(r"cp311-abi3-manylinux_2_(\d+)_(x86_64|aarch64)\.whl$")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def exported(library):
    lines = output("nm", "--dynamic", "--defined-only", library).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line.strip()} - {"_init", "_fini"}


def needed(library):
    """Names of shared libraries, but for those that every Linux has."""
    return {name for name in re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", library)) if not SYSTEM.fullmatch(name)}


def newest_glibc(library):
    """2.n: n."""
    return max((int(n) for n in re.findall(r"GLIBC_2\.(\d+)", output("readelf", "-V", library))), default=0)


def extension_faults(library):
    """What is wrong with the extension, whatever is beside it."""
    names = exported(library)
    return [] if names == {"PyInit__warplu"} else [f"{library} exports {sorted(names)[:9]}"]


def wheel_faults(path, folder):
    with zipfile.ZipFile(path) as wheel:
        wheel.extractall(folder)
        names = wheel.namelist()
    tag = TAG.search(os.path.basename(path))
    if tag is None:
        return [f"{path} has another tag"]
    libraries = [name for name in names if ".so" in os.path.basename(name)]
    extension = os.path.join(folder, "warplu", "_warplu.abi3.so")
    faults = extension_faults(extension)
    beside = {os.path.basename(name) for name in libraries}
    for library in (os.path.join(folder, name) for name in libraries):
        faults += [f"{library} needs {name}" for name in needed(library) - beside]
        if newest_glibc(library) > int(tag[1]):
            faults.append(f"{library} needs glibc 2.{newest_glibc(library)}")
    for licence in ("LICENSE", "LICENSES.md"):
        if not any(name.endswith("/" + licence) and ".dist-info/" in name for name in names):
            faults.append(f"{path} has no {licence}")
    return faults


def main():
    faults = []
    for path in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            found = wheel_faults(path, folder)
        faults += found
        if not found:
            print(f"{os.path.basename(path)}: {os.path.getsize(path) / 1e6:.1f} MB, in order")
    print("\n".join(faults), end="\n" if faults else "", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
