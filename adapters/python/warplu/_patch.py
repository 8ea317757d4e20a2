"""warplu in programs that call SciPy: `patch` puts warplu's spsolve, splu and factorized where SciPy's are.

    with warplu.patch("pandapower"):
        pandapower.runpp(net)

Modules that took the function by name (`from scipy.sparse.linalg import spsolve`) are patched one by one: those that are named
and those below them, and scipy.sparse.linalg where none is named. Answers, warnings and errors are SciPy's: what warplu does not
do as SciPy does, or refuses (a singular matrix, numbers that are not finite, arguments that do not fit), SciPy's own function
is called for.
"""
from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

import numpy

from . import _matrix, _scipy
from ._errors import WarpluError, caller_level

_originals: dict[str, Any] = {}
_ORDERS = (None, "MMD_ATA", "MMD_AT_PLUS_A", "COLAMD")
# What warplu raises where SciPy is asked instead. MemoryError is among the first.
_REFUSALS = (WarpluError, ValueError, TypeError)


def _ask_scipy(name: str, *arguments: Any) -> Any:
    """SciPy's own function, as if the line that called the patched one had called it: that is what warnings name, and once where filters say so."""
    frame = sys._getframe(caller_level() - 1)
    call = compile("\n" * (frame.f_lineno - 1) + "call(*arguments)", frame.f_code.co_filename, "eval")
    return eval(call, frame.f_globals, {"call": _originals[name], "arguments": arguments})


def spsolve_as_scipy(A: Any, b: Any, permc_spec: str | None = None, use_umfpack: bool = True) -> Any:
    """spsolve with SciPy's types, warnings and errors."""
    x = _solve(A, b) if permc_spec in (*_ORDERS, "NATURAL") else None
    return _ask_scipy("spsolve", A, b, permc_spec, use_umfpack) if x is None else x


def _solve(A: Any, b: Any) -> Any:
    """x, in the precision that SciPy computes in; None where SciPy is to be asked."""
    if not _is_compressed(A):
        return None
    if not hasattr(b, "tocsc"):
        b = numpy.asarray(b)
    elif b.ndim == 2 and b.shape[1] != 1 and not A.format == b.format == "csc":
        return None  # converted by SciPy, with its warnings
    try:
        return _scipy.spsolve(A, b) if _matrix.scipy_type(A.dtype, b.dtype) is not None else None
    except _REFUSALS:
        return None


def _is_compressed(A: Any) -> bool:
    from scipy.sparse import issparse

    return issparse(A) and getattr(A, "format") in ("csc", "csr")


class PatchedSuperLU:
    """What splu gives in patched programs: SciPy's attributes and manners. Right-hand sides that warplu does not take go to
    SciPy's factors, which are made for the first of them; for these the matrix is kept."""

    __slots__ = ("_lu", "_A", "_scipy", "_transposed")

    def __init__(self, A: Any):
        self._lu, self._A, self._transposed = _scipy.splu(A), A.copy(), False
        self._scipy: Any = None

    def solve(self, rhs: Any, trans: Any = "N") -> numpy.ndarray:
        """Solves A x = rhs, A' x = rhs ("T") or A^H x = rhs ("H")."""
        if type(rhs) is numpy.ndarray and numpy.can_cast(rhs.dtype, self._lu.solver.dtype):
            try:
                return self._solve(rhs, trans)
            except _REFUSALS:
                pass
        if self._scipy is None:
            self._scipy = _ask_scipy("splu", self._A)
        x: numpy.ndarray = self._scipy.solve(rhs, trans)
        return x

    def _solve(self, rhs: numpy.ndarray, trans: Any) -> numpy.ndarray:
        """The first transposed solve comes with the values, which it may be checked against; the solver keeps them then."""
        if trans in ("T", "H") and not self._transposed and rhs.size > 0:
            self._transposed = True
            return self._lu.solver.refactor_solve(self._A, rhs, trans)
        return self._lu.solve(rhs, trans)

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle 'SuperLU' object")

    def __repr__(self) -> str:
        return f"<SuperLU by warplu{self._lu._describe()}>"

    shape = property(lambda self: self._lu.shape)
    nnz = property(lambda self: self._lu.nnz)
    L = property(lambda self: self._lu.L)
    U = property(lambda self: self._lu.U)
    perm_r = property(lambda self: self._lu.perm_r)
    perm_c = property(lambda self: self._lu.perm_c)


def splu_as_scipy(A: Any, permc_spec: str | None = None, diag_pivot_thresh: float | None = None, relax: int | None = None,
                  panel_size: int | None = None, options: Any = None) -> Any:
    """splu. Who asks for a natural order, a threshold or SuperLU's options may want SuperLU's own factors, and gets them."""
    asked = options or permc_spec not in _ORDERS or any(x is not None for x in (diag_pivot_thresh, relax, panel_size))
    if not asked and _is_compressed(A) and A.format == "csc" and A.dtype.char in "dD" and A.shape[0] > 0:
        try:
            return PatchedSuperLU(A)
        except _REFUSALS:
            pass
    return _ask_scipy("splu", A, permc_spec, diag_pivot_thresh, relax, panel_size, {} if options is None else options)


def factorized_as_scipy(A: Any) -> Any:
    """factorized; SciPy's warns of formats that it converts, and its own function is called for these."""
    lu = splu_as_scipy(A) if _is_compressed(A) and A.format == "csc" else None
    return lu.solve if isinstance(lu, PatchedSuperLU) else _ask_scipy("factorized", A)


_REPLACEMENTS = {"spsolve": spsolve_as_scipy, "splu": splu_as_scipy, "factorized": factorized_as_scipy}


class patch:
    """Replaces SciPy's functions in modules, which have to be imported before: those that are named, as "pandapower" or
    "scipy.integrate", and all below them. Without names: scipy.sparse.linalg, for what looks the functions up there. `undo`, or
    the end of a with block, puts them back.

    >>> import scipy.sparse.linalg, warplu
    >>> original = scipy.sparse.linalg.spsolve
    >>> with warplu.patch() as patched:
    ...     print(patched.places)
    ...     scipy.sparse.linalg.spsolve is original
    ['scipy.sparse.linalg.factorized', 'scipy.sparse.linalg.splu', 'scipy.sparse.linalg.spsolve']
    False
    >>> scipy.sparse.linalg.spsolve is original
    True
    """

    def __init__(self, *packages: str):
        import scipy.sparse.linalg

        for name, replacement in _REPLACEMENTS.items():
            if getattr(scipy.sparse.linalg, name) is not replacement:  # it is within another patch
                _originals[name] = getattr(scipy.sparse.linalg, name)
        self._replaced: list[tuple[Any, str, Any]] = []
        for module in self._modules(packages):
            for name, original in _originals.items():
                if vars(module).get(name) is original:
                    self._replaced.append((module, name, original))
        if packages and not self._replaced:
            raise ValueError(f"of {', '.join(packages)}, and of modules below, none that is imported has scipy.sparse.linalg's "
                             f"{', '.join(_REPLACEMENTS)} by that name")
        for module, name, _ in self._replaced:
            setattr(module, name, _REPLACEMENTS[name])

    @staticmethod
    def _modules(packages: tuple[str, ...]) -> list[Any]:
        if not packages:
            return [sys.modules["scipy.sparse.linalg"]]
        below = tuple(f"{package}." for package in packages)
        return [module for name, module in sorted(sys.modules.items())
                if module is not None and (name in packages or name.startswith(below))]

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
