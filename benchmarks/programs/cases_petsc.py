"""PETSc of Debian (libpetsc-real-dev) and two of its tutorials, built from an unmodified source tree of the same version (--petsc-source)."""
import os
import shutil
import subprocess

import readers
from program import Case, Missing, Way

PKG_CONFIG = "/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/lib/pkgconfig"
REACTION = "src/ts/tutorials/advection-diffusion-reaction"
SOURCES = {"ex5": [f"{REACTION}/ex5.c", f"{REACTION}/reaction_diffusion.c"], "ex19": ["src/snes/tutorials/ex19.c"]}
NEWTON_IN_TIME = ["-ts_max_time", "100", "-snes_monitor", "-ts_monitor", "-ts_view_solution"]


def compiled(places, name):
    source = places.need("petsc_source", "a source tree of PETSc 3.18")
    if not shutil.which("mpicc") or not os.path.exists(PKG_CONFIG):
        raise Missing("PETSc is not installed: libpetsc-real-dev, libopenmpi-dev")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], capture_output=True, text=True, check=True,
                           env={**os.environ, "PKG_CONFIG_PATH": PKG_CONFIG}).stdout.split()
    program = os.path.join(places.work, f"petsc_{name}")
    files = [os.path.join(source, path) for path in SOURCES[name]]
    done = subprocess.run(["mpicc", "-O2", "-w", *files, "-o", program, *flags, "-lm"], capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(f"{name} does not compile: {done.stderr.strip().splitlines()[-1]}")
    return program


def grid(size):
    return ["-da_grid_x", str(size), "-da_grid_y", str(size)]


def direct(solver):
    return ["-ksp_type", "preonly", "-pc_type", "lu", "-pc_factor_mat_solver_type", solver]


def schwarz(solver):
    return ["-pc_type", "asm", "-sub_pc_type", "lu", "-sub_pc_factor_mat_solver_type", solver]


def plugged(places, solver, command, choose):
    """PETSc with a solver of its own, and with the plugin."""
    if not places.adapters:
        return Way(solver, command + choose(solver)), Way(solver, command + choose(solver))
    plugin = places.need("petsc_plugin", "warplu's plugin for PETSc")
    return Way(solver, command + choose(solver)), Way("warplu plugin", command + choose("warplu") + ["-dll_append", plugin])


def reaction_klu(places):
    before, after = places.preloaded([compiled(places, "ex5"), *grid(64), *NEWTON_IN_TIME, *direct("klu")])
    return Case("petsc-ex5-klu", "PETSc TS ex5 64x64, n 8192, solver klu", before, after, readers.petsc, 1e-5, 6.0)


def reaction_plugin(places):
    before, after = plugged(places, "petsc", [compiled(places, "ex5"), *grid(64), *NEWTON_IN_TIME], direct)
    return Case("petsc-ex5-plugin", "PETSc TS ex5 64x64, n 8192, PETSc's own LU", before, after, readers.petsc, 1e-5, 2.5)


def cavity(places):
    command = [compiled(places, "ex19"), *grid(40), "-lidvelocity", "100", "-grashof", "1e4", "-snes_monitor", "-snes_view_solution", *direct("klu")]
    before, after = places.preloaded(command)
    return Case("petsc-ex19-klu", "PETSc SNES ex19 40x40, 8 factorizations, klu", before, after, readers.petsc, 1e-5, 1.6)


def ranks(places, solver, goal):
    launch = ["mpirun", "-n", "2", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
    before, after = plugged(places, solver, [*launch, compiled(places, "ex5"), *grid(96), *NEWTON_IN_TIME], schwarz)
    return Case(f"petsc-asm-{solver}", f"PETSc TS ex5 96x96, 2 ranks, ASM of {solver}", before, after, readers.petsc, 1e-3, goal, ranks=2)


CASES = {
    "petsc-ex5-klu": reaction_klu,
    "petsc-ex5-plugin": reaction_plugin,
    "petsc-ex19-klu": cavity,
    "petsc-asm-petsc": lambda places: ranks(places, "petsc", 1.8),
    "petsc-asm-klu": lambda places: ranks(places, "klu", 1.8),
}
