"""SUNDIALS of Debian (libsundials-dev): a user's program, and its own KLU examples, whose sources the package ships."""
import os
import subprocess

import readers
from program import Case, Missing, driver

EXAMPLES = "/usr/share/doc/libsundials-dev/examples"
LIBRARIES = ["-lsundials_cvode", "-lsundials_ida", "-lsundials_kinsol", "-lsundials_arkode", "-lsundials_nvecserial", "-lsundials_sunmatrixsparse",
             "-lsundials_sunlinsolklu", "-lsundials_sunmatrixdense", "-lsundials_sunlinsoldense", "-lsundials_sunnonlinsolnewton", "-lm"]


def compiled(places, source):
    """Builds a program of one file, and answers its path."""
    if not os.path.exists("/usr/include/sunlinsol/sunlinsol_klu.h"):
        raise Missing("SUNDIALS is not installed: libsundials-dev")
    if not os.path.exists(source):
        raise Missing(f"{source} is not there")
    program = os.path.join(places.work, os.path.splitext(os.path.basename(source))[0])
    done = subprocess.run(["cc", "-O2", "-w", "-I/usr/include/suitesparse", source, "-o", program, *LIBRARIES], capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(f"{source} does not compile: {done.stderr.strip().splitlines()[-1]}")
    return program


def gray_scott(places, size, end, goal):
    program = compiled(places, driver("gs2d.c"))
    before, after = places.preloaded([program, str(size), str(end)])
    return Case(f"gs2d-{size}", f"CVODE, Gray-Scott in 2-D, n {2 * size * size}, to t {end}", before, after, readers.named, 1e-4, goal)


# The stiff examples choose their steps to the last digit of the solution: rounding elsewhere changes their counts, cvRoberts' from 533 to 579, and to
# 511 with another of KLU's own scales. The table has those that differ.
def example(places, path, *arguments, processes=1):
    program = compiled(places, os.path.join(EXAMPLES, path))
    name = os.path.basename(program)
    before, after = places.preloaded([program, *arguments])
    return Case(f"sundials-{name}", " ".join(["SUNDIALS' example", name, *arguments]), before, after, readers.every_number, 3e-4, 0.97, processes=processes,
                counts_apart=(5, 0.12))


CASES = {
    "gs2d-50": lambda places: gray_scott(places, 50, 1000, 8.0),
    "gs2d-16": lambda places: gray_scott(places, 16, 300, 0.97),
    "sundials-cvRoberts_klu": lambda places: example(places, "cvode/serial/cvRoberts_klu.c", processes=200),
    "sundials-cvRoberts_block_klu": lambda places: example(places, "cvode/serial/cvRoberts_block_klu.c", "1000"),
    "sundials-idaHeat2D_klu": lambda places: example(places, "ida/serial/idaHeat2D_klu.c", processes=200),
    "sundials-idaRoberts_klu": lambda places: example(places, "ida/serial/idaRoberts_klu.c", processes=200),
    "sundials-kinFerTron_klu": lambda places: example(places, "kinsol/serial/kinFerTron_klu.c", processes=200),
    "sundials-ark_brusselator1D_klu": lambda places: example(places, "arkode/C_serial/ark_brusselator1D_klu.c"),
}
