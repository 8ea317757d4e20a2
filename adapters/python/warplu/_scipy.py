"""spsolve, splu and factorized as scipy.sparse.linalg has them. Solvers come from the process' cache of patterns and go back
to it, so that matrices of a pattern that is known are refactored, not analyzed."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Unpack

import numpy

from . import _matrix, _options, _warplu
from ._errors import Status
from ._solver import TRANS, Absent, Single, Solver, Trans, transposition

_empty, _ndarray, _STORAGE = numpy.empty, numpy.ndarray, _matrix.STORAGE


def spsolve(A: Any, b: Any, permc_spec: str | None = None, use_umfpack: bool = True,
            **options: Unpack[_options.Options]) -> Any:
    """Solves A x = b, as scipy.sparse.linalg.spsolve does.

    A is sparse and square, b dense of one or two dimensions, or sparse; x is of b's kind, and one-dimensional where b has
    one column. Numbers are computed in double precision; x has SciPy's type, float32 where A and b are, which rounds it: give
    float64 for all digits. permc_spec "NATURAL" is kept, other orders are the library's own choice; it is not given beside
    ordering. use_umfpack has no effect. A singular matrix raises SingularMatrixError, where SciPy warns and answers NaN.

    >>> import numpy, scipy.sparse, warplu
    >>> A = scipy.sparse.csr_matrix([[4.0, 1.0], [2.0, 3.0]])
    >>> warplu.spsolve(A, numpy.array([1.0, 2.0]))
    array([0.1, 0.6])
    """
    if permc_spec is not None:
        _take_order(permc_spec, options)
    if not options and type(b) is _ndarray and b.ndim == 1:
        # What is float64 or complex128 already goes to the library as it is.
        storage = _STORAGE.get(getattr(A, "format", ""))
        if storage is not None:
            n, columns = A.shape
            data = A.data
            x = _empty(n, data.dtype)
            if n == columns and _warplu.spsolve(A.indptr, A.indices, data, b, x, n, storage, None) is not NotImplemented:
                return x
    return _convert_and_solve(A, b, options)


def _take_order(permc_spec: str, options: Any) -> None:
    """permc_spec as an option, which it is not given beside."""
    if "ordering" in options:
        raise TypeError("permc_spec and the option ordering both name an order: give one of them")
    if permc_spec == "NATURAL":
        options["ordering"] = "natural"


def _convert_and_solve(A: Any, b: Any, options: Any) -> Any:
    sparse_b = hasattr(b, "tocsc")
    A, b = (array if hasattr(array, "tocsc") else numpy.asarray(array) for array in (A, b))
    dtype = _matrix.COMPLEX if _matrix.COMPLEX in (_matrix.kind_of(b), _matrix.kind_of(A)) else _matrix.FLOAT
    kind = type(A if hasattr(A, "tocsc") else b.tocsc()) if sparse_b else None
    type_of_x = _matrix.scipy_type(A.dtype, b.dtype) or dtype
    A = _matrix.Matrix(A, dtype)
    if b.ndim not in (1, 2) or b.shape[0] != A.n:
        raise ValueError(f"matrix - rhs dimension mismatch ({(A.n, A.n)} - {b.shape})")
    is_vector = b.ndim == 1 or b.shape[1] == 1
    dense = b.toarray() if sparse_b else b
    x = numpy.empty(b.shape, dtype, order="F")
    if x.size > 0:
        numbers = _options.read(options)
        status = _warplu.spsolve(A.indptr, A.indices, A.data, _matrix.columns(dense, dtype), x, A.n, A.storage, numbers)
        if status is NotImplemented:
            raise ValueError("these arrays are no sparse matrix: indptr, indices and data do not fit together")
    x = x.astype(type_of_x, order="F", copy=False)
    if is_vector:
        return x.ravel()
    return x if kind is None else kind(x)


@functools.cache
def kind_of_factors() -> Any:
    """The class that SciPy's SuperLU gives L and U: csc_array, or csc_matrix in versions of before."""
    from scipy.sparse import csc_matrix, linalg

    from . import _patch

    return type(_patch._originals.get("splu", linalg.splu)(csc_matrix([[1.0]])).L)


class Nothing(Absent):
    """The factors of a matrix without rows, which the library does not make."""

    n = nnz = 0

    def __init__(self) -> None:
        super().__init__(Status.EMPTY, "the matrix has no rows")

    def refactor(self, values: Any) -> int:
        return 0

    def solve(self, b: Any, x: Any, trans: int) -> int:
        return 0

    def has_pattern(self, indptr: Any, indices: Any) -> bool:
        return len(indptr) == 1

    def pattern(self) -> tuple[bytes, bytes]:
        return bytes(4), b""

    def factors(self) -> tuple[bytes, ...]:
        return bytes(8), b"", b"", bytes(8), b"", b"", b"", b""


class SuperLU(Single):
    """Factors of a matrix, with what SciPy's object of that name has: solve, L, U, perm_r, perm_c, shape and nnz. `refactor`
    brings new values into the same pattern. `solver` is the object of warplu that does the work.

    It is neither copied nor pickled, as SciPy's is not: `splu` of a pattern that is known makes another one for the time
    of a copy.

    Pr A Pc = L U, where L has ones on its diagonal, Pr has them at (perm_r[i], i) and Pc at (j, perm_c[j]).
    """

    __slots__ = ("solver", "shape", "_dtype", "_handle", "_factors", "_nnz")
    _AGAIN = "call splu again, which does not analyze a known pattern anew"

    def __init__(self, A: Any, options: Any):
        matrix = _matrix.Matrix(A)
        self.solver = Solver.__new__(Solver)
        self.solver._open(matrix, options, True, None, Nothing())
        self._handle, self._dtype = self.solver._handle, matrix.data.dtype
        self._handle.refactor(matrix.data)
        self.shape = matrix.n, matrix.n
        self._factors: tuple[Any, ...] | None = None
        self._nnz: int | None = None

    def close(self) -> None:
        """Gives the memory back, to the cache of patterns. Later calls raise WrongPhaseError."""
        self.solver.close()
        self._factors = self._nnz = None
        super().close()

    def _describe(self) -> str:
        return f" of a {self.shape[0]} x {self.shape[1]} matrix, {self._dtype}, {self.solver._handle.nnz} entries"

    def refactor(self, values: Any) -> int:
        """Factors with new values: an array that stands as the matrix' data do, or a matrix whose entries lie
        within the pattern: where it has none, values are zero. 0, or
        Status.REPIVOTED where the pivots had to be chosen again."""
        self._factors = self._nnz = None
        return self.solver.refactor(values)

    def solve(self, rhs: Any, trans: Trans = "N") -> numpy.ndarray:
        """Solves A x = rhs, A' x = rhs ("T") or A^H x = rhs ("H"), for one column or several."""
        dtype = self._dtype
        if type(rhs) is _ndarray and rhs.dtype is dtype and rhs.shape == self.shape[:1] and trans in TRANS \
                and rhs.flags.c_contiguous and rhs.flags.aligned:
            x = _empty(self.shape[0], dtype)
            if self._handle.solve(rhs, x, TRANS[trans]) != 0:
                self._factors = self._nnz = None
            return x
        return self._solve_converted(_matrix.dense(rhs), trans)

    def _solve_converted(self, rhs: numpy.ndarray, trans: Trans) -> numpy.ndarray:
        transposition(trans)
        if rhs.ndim not in (1, 2) or rhs.shape[0] != self.shape[0]:
            raise ValueError(f"rhs is of incompatible size: {rhs.shape}, and the matrix is {self.shape}")
        if rhs.size == 0:
            return numpy.empty(rhs.shape, self._dtype)
        self._factors = self._nnz = None
        if self._dtype == _matrix.FLOAT and numpy.iscomplexobj(rhs):
            return self.solver.solve(rhs.real, trans) + 1j * self.solver.solve(rhs.imag, trans)
        return self.solver.solve(rhs, trans)

    # ------------------------------------------------------------ the factors

    def _read_factors(self) -> tuple[Any, ...]:
        """(L, U, perm_r, perm_c), kept until the factors change."""
        if self._factors is None:
            kind = kind_of_factors()
            Lp, Li, Lx, Up, Ui, Ux, P, Q = self._handle.factors()
            values = numpy.frombuffer(Ux, _matrix.COMPLEX)
            L = (numpy.frombuffer(Lx, self._dtype), numpy.frombuffer(Li, numpy.int32), numpy.frombuffer(Lp, numpy.int64))
            U = (values if self._dtype == _matrix.COMPLEX else values.real, numpy.frombuffer(Ui, numpy.int32),
                 numpy.frombuffer(Up, numpy.int64))
            self._factors = (*(kind(parts, self.shape, copy=True) for parts in (L, U)),
                             *(_inverse(numpy.frombuffer(order, numpy.int32)) for order in (P, Q)))
        return self._factors

    @property
    def L(self) -> Any:
        """The lower factor, by columns, with ones on its diagonal."""
        return self._read_factors()[0]

    @property
    def U(self) -> Any:
        """The upper factor, by columns."""
        return self._read_factors()[1]

    @property
    def perm_r(self) -> numpy.ndarray:
        """Where each row of A stands in the factors."""
        order: numpy.ndarray = self._read_factors()[2]
        return order

    @property
    def perm_c(self) -> numpy.ndarray:
        """Where each column of A stands in the factors."""
        order: numpy.ndarray = self._read_factors()[3]
        return order

    @property
    def nnz(self) -> int:
        """Entries of L and U."""
        if self._nnz is None:
            L, U, *_ = self._read_factors()
            self._nnz = L.nnz + U.nnz
        return self._nnz


def _inverse(order: numpy.ndarray) -> numpy.ndarray:
    """Where each number stands in the order."""
    places = numpy.empty_like(order)
    places[order] = numpy.arange(len(order), dtype=order.dtype)
    return places


def splu(A: Any, permc_spec: str | None = None, diag_pivot_thresh: float | None = None, relax: int | None = None,
         panel_size: int | None = None, options: Any = None, **more: Unpack[_options.Options]) -> SuperLU:
    """Factors A, as scipy.sparse.linalg.splu does; the object that comes back has `refactor`, too.

    permc_spec "NATURAL" and diag_pivot_thresh are kept; other orders are the library's own choice. relax, panel_size and
    options speak of SuperLU's algorithm and have no effect. Further options are warplu's, by keyword; ordering is not given
    beside permc_spec, nor pivot_tolerance beside diag_pivot_thresh. Factors and solutions are float64 or complex128.

    >>> import numpy, scipy.sparse, warplu
    >>> A = scipy.sparse.csc_matrix([[4.0, 1.0], [2.0, 3.0]])
    >>> lu = warplu.splu(A)
    >>> lu.solve(numpy.array([1.0, 2.0]))
    array([0.1, 0.6])
    >>> lu.refactor(2 * A.data)
    0
    >>> lu.solve(numpy.array([1.0, 2.0]), trans="T")
    array([-0.05,  0.35])
    """
    if permc_spec is not None:
        _take_order(permc_spec, more)
    if diag_pivot_thresh is not None:
        if "pivot_tolerance" in more:
            raise TypeError("diag_pivot_thresh and the option pivot_tolerance both name a threshold: give one of them")
        more["pivot_tolerance"] = diag_pivot_thresh
    return SuperLU(A, more)


def factorized(A: Any, **options: Unpack[_options.Options]) -> Callable[[Any], numpy.ndarray]:
    """A function that solves with A, as scipy.sparse.linalg.factorized does.

    >>> import numpy, scipy.sparse, warplu
    >>> solve = warplu.factorized(scipy.sparse.csc_matrix([[4.0, 1.0], [2.0, 3.0]]))
    >>> solve(numpy.array([1.0, 2.0]))
    array([0.1, 0.6])
    """
    return SuperLU(A, options).solve


def cache_statistics() -> dict[str, int]:
    """What the process' cache of solvers holds and has done (warplu_cache_statistics in warplu/cache.h)."""
    return _warplu.cache_statistics()
