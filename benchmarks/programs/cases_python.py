"""Python programs around KLU, all of PyPI: klujax, PyBaMM, and scripts of kvxopt and nbklu that factor once."""
import readers
from program import Case, driver


def klujax(places, size, batch):
    before, after = places.preloaded([places.python("klujax"), driver("klujax_batch.py"), str(size), str(batch)])
    return Case("klujax-batch", f"klujax.solve, {batch} systems of n {size * size}", before, after, readers.driver, 1e-8, 4.0)


# Its number of steps moves between 242 and 259 (20 points) when rtol is changed by a part of 1e-7: rounding decides.
def pybamm(places, points, goal):
    before, after = places.preloaded([places.python("pybamm"), driver("pybamm_dfn.py"), str(points)], version=2)
    return Case(f"pybamm-dfn-{points}", f"PyBaMM, DFN, {points} points", before, after, readers.driver, 1e-5, goal, counts_apart=(1, 0.1))


def one_shot(places, package, size):
    before, after = places.preloaded([places.python("kvxopt"), driver("one_shot.py"), package, str(size)])
    return Case(f"one-shot-{package}-{size}", f"{package}, one solve of n {size * size}", before, after, readers.driver, 1e-8, 0.97)


CASES = {
    "klujax-batch": lambda places: klujax(places, 63, 300),
    "pybamm-dfn-60": lambda places: pybamm(places, 60, 1.2),
    "pybamm-dfn-20": lambda places: pybamm(places, 20, 0.97),
    "one-shot-kvxopt-30": lambda places: one_shot(places, "kvxopt", 30),
    "one-shot-kvxopt-150": lambda places: one_shot(places, "kvxopt", 150),
    "one-shot-nbklu-30": lambda places: one_shot(places, "nbklu", 30),
    "one-shot-nbklu-150": lambda places: one_shot(places, "nbklu", 150),
}
