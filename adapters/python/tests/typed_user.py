"""A user's program with types, as `mypy --strict` takes it: test_types.py asks it, and runs the program."""
from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import warplu

Vector = npt.NDArray[np.float64]


def assemble(n: int, t: float) -> sp.csc_matrix:
    off = -np.ones(n - 1)
    return sp.csc_matrix(np.diag((2.0 + t) * np.ones(n)) + np.diag(off, 1) + np.diag(off, -1))


def newton(n: int, options: warplu.Options) -> Vector:
    x: Vector = np.zeros(n)
    with warplu.Solver(assemble(n, 0.0), **options) as solver:
        for k in range(5):
            status: int = solver.refactor(assemble(n, 0.1 * k))
            x = solver.solve(np.ones(n))
            assert status == warplu.Status.SUCCESS, solver.statistics
    return x


def members(n: int, count: int) -> Vector:
    a = assemble(n, 0.0)
    batch = warplu.Batch(a, count)
    x: Vector = batch.refactor_solve(np.tile(a.data, (count, 1)), np.ones((count, n)))
    return x


def why_singular(a: sp.csc_matrix) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warplu.splu(a)
    except warplu.SingularMatrixError as error:
        return f"{error.status.name}: {error}"
    return ""


def main() -> None:
    n = 50
    x = newton(n, {"check": "always", "expected_refactors": 5})
    y: Vector = warplu.splu(assemble(n, 0.4)).solve(np.ones(n))
    z: Vector = warplu.spsolve(assemble(n, 0.4), np.ones(n))
    assert float(np.abs(x - y).max()) < 1e-12 and float(np.abs(x - z).max()) < 1e-12
    assert members(n, 3).shape == (3, n)
    assert "SINGULAR" in why_singular(sp.csc_matrix(np.ones((3, 3))))


if __name__ == "__main__":
    main()
