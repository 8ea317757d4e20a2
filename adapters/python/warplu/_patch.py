"""warplu in programs that call SciPy: `patch` puts warplu's spsolve, and factorized, where SciPy's are.

    with warplu.patch("pandapower"):
        pandapower.runpp(net)

Modules that took the function by name (`from scipy.sparse.linalg import spsolve`) are patched one by one: those of the
packages that are named, and SciPy itself where no package is. What is patched keeps SciPy's manners: a singular matrix gives
NaN and scipy.sparse.linalg.MatrixRankWarning.
"""
from __future__ import annotations

import sys
import warnings
from types import TracebackType
from typing import Any

import numpy

from . import _scipy
from ._errors import SingularMatrixError


def spsolve_as_scipy(A: Any, b: Any, permc_spec: str | None = None, use_umfpack: bool = True) -> Any:
    """spsolve, with SciPy's answer to a singular matrix."""
    try:
        return _scipy.spsolve(A, b, permc_spec, use_umfpack)
    except SingularMatrixError:
        from scipy.sparse.linalg import MatrixRankWarning

        warnings.warn("Matrix is exactly singular", MatrixRankWarning, stacklevel=2)
        is_vector = b.ndim == 1 or b.shape[1] == 1
        return numpy.full(b.shape[:1] if is_vector else b.shape, numpy.nan, numpy.result_type(A.dtype, b.dtype, float))


def factorized_as_scipy(A: Any) -> Any:
    return _scipy.factorized(A)


_REPLACEMENTS = {"spsolve": spsolve_as_scipy, "factorized": factorized_as_scipy}


class patch:
    """Replaces SciPy's functions in the modules of packages, which have to be imported before. Without packages:
    scipy.sparse.linalg, for what looks the functions up there. `undo`, or the end of a with block, puts them back.

    >>> import scipy.sparse.linalg, warplu
    >>> original = scipy.sparse.linalg.spsolve
    >>> with warplu.patch() as patched:
    ...     print(patched.places)
    ...     scipy.sparse.linalg.spsolve is original
    ['scipy.sparse.linalg.factorized', 'scipy.sparse.linalg.spsolve']
    False
    >>> scipy.sparse.linalg.spsolve is original
    True
    """

    def __init__(self, *packages: str):
        import scipy.sparse.linalg

        originals = {name: getattr(scipy.sparse.linalg, name) for name in _REPLACEMENTS}
        self._replaced: list[tuple[Any, str, Any]] = []
        for module in self._modules(packages):
            for name, original in originals.items():
                if vars(module).get(name) is original:
                    self._replaced.append((module, name, original))
        if packages and not self._replaced:
            raise ValueError(f"no module of {', '.join(packages)} that is imported uses scipy.sparse.linalg's "
                             f"{' or '.join(_REPLACEMENTS)}")
        for module, name, _ in self._replaced:
            setattr(module, name, _REPLACEMENTS[name])

    @staticmethod
    def _modules(packages: tuple[str, ...]) -> list[Any]:
        if not packages:
            return [sys.modules["scipy.sparse.linalg"]]
        return [module for name, module in sorted(sys.modules.items())
                if module is not None and name.split(".")[0] in packages]

    @property
    def places(self) -> list[str]:
        """What was replaced, by name."""
        return sorted(f"{module.__name__}.{name}" for module, name, _ in self._replaced)

    def undo(self) -> None:
        """Puts the functions back."""
        while self._replaced:
            module, name, original = self._replaced.pop()
            setattr(module, name, original)

    def __enter__(self) -> patch:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.undo()
