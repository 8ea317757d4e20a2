"""warplu: a refactorizing sparse direct solver.

    lu = warplu.splu(A)         as scipy.sparse.linalg.splu; lu.refactor(values) replays the factorization
    x = warplu.spsolve(A, b)    as scipy.sparse.linalg.spsolve; patterns that are known are not analyzed again
    solver = warplu.Solver(A)   everything that the library has
    batch = warplu.Batch(A, 9)  many systems of one pattern at once
    warplu.patch("package")     warplu where a program calls SciPy's spsolve
"""
from . import _warplu
from ._batch import Batch
from ._errors import (DeviceError, FileError, InvalidArgumentError, MissingFileError, NotFiniteError, OutOfMemoryError,
                      PatternMismatchError, SingularMatrixError, Status, WarpluError, WarpluWarning, WrongPhaseError)
from ._options import BatchOptions, Options
from ._patch import patch
from ._pattern import union
from ._scipy import SuperLU, cache_statistics, factorized, splu, spsolve
from ._solver import Pivot, Solver, Statistics

__version__ = _warplu.version
__all__ = ["Batch", "BatchOptions", "DeviceError", "FileError", "InvalidArgumentError", "MissingFileError", "NotFiniteError", "Options",
           "OutOfMemoryError", "PatternMismatchError", "Pivot", "SingularMatrixError", "Solver", "Statistics", "Status", "SuperLU", "WarpluError",
           "WarpluWarning", "WrongPhaseError", "cache_statistics", "factorized", "patch", "splu", "spsolve", "union"]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
