"""The class Solver: the library's calls on one solver, with NumPy's arrays."""
from __future__ import annotations

import os
from types import SimpleNamespace, TracebackType
from typing import Any, Literal, NamedTuple, Self

import numpy
from numpy.typing import ArrayLike
from typing import Unpack

from . import _device, _matrix, _options, _warplu
from ._errors import InvalidArgumentError, PatternMismatchError, Status, error, of_file, warn_always
from ._pattern import Places

TRANS = {"N": 0, "T": 1, "H": 2}
Trans = Literal["N", "T", "H"]


class Statistics(SimpleNamespace):
    """What the library counts and measures; the members are those of warplu_statistics in warplu/warplu.h, with names for
    the ordering and the verdict.

    The verdict says whether the pivots suit the last values: "healthy", every solve is what a success promises; "suspect", that is
    not proven, and solves are checked; "weak", the factors are not to be used. It says nothing of conditioning: `Solver.condition`
    does. Before any factorization it is "healthy", for nothing else has been found."""


class Pivot(NamedTuple):
    """A pivot: its row and column of A, its place, its scaled value, and the value's part of its column's largest."""

    row: int
    column: int
    position: int
    block: int
    value: complex
    ratio: float


def transposition(trans: Any) -> int:
    number = TRANS.get(trans)
    if number is None:
        raise ValueError(f"trans is one of N, T, H: not {trans!r}")
    return number


class Absent:
    """In the place of the extension's object where there is none: whatever is asked of it is refused."""

    def __init__(self, status: Status, text: str):
        self._told = status, text

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name) if name.startswith("__") else error(*self._told)


CLOSED: Any = Absent(Status.WRONG_PHASE, "it is closed")


class Single:
    """What has its numbers in the library. Copies of the Python object would share them, so that a refactor of one changed
    the other; SciPy's SuperLU refuses them as well. `close`, or the end of a with block, gives the memory back."""

    __slots__ = ()
    _AGAIN = ""
    _handle: Any

    def close(self) -> None:
        """Gives the memory back, of factors from the cache to the cache. Later calls raise WrongPhaseError."""
        self._handle = CLOSED

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()

    def _describe(self) -> str:
        return ""

    def __repr__(self) -> str:
        return f"<warplu.{type(self).__name__}{', closed' if self._handle is CLOSED else self._describe()}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot copy or pickle a {type(self).__name__}, whose numbers are the library's: {self._AGAIN}")


class Solver(Single):
    """A solver for matrices of one pattern: analyzed once, pivots chosen once, replayed for every new set of values.

    A is a sparse matrix (CSC or CSR as it is, others converted), or a dense one. Its pattern is analyzed; factors come with
    `factor` or `refactor`. Options are given by keyword: `help(warplu.Options)`. Values are arrays that stand as A.data does, or
    matrices: those of the same arrays of indices are taken as they are; others may have their entries in any order and lack
    some, which count as zeros. An entry that the pattern has not raises PatternMismatchError, and `union` makes a pattern that
    has it. Threads that share a solver take turns; the GIL is free during calls.

    >>> import numpy, scipy.sparse, warplu
    >>> A = scipy.sparse.csc_matrix([[4.0, 1.0], [2.0, 3.0]])
    >>> solver = warplu.Solver(A)
    >>> for step in range(3):
    ...     solver.refactor((1 + step) * A.data)
    ...     print(solver.solve(numpy.array([1.0, 2.0])))
    0
    [0.1 0.6]
    0
    [0.05 0.3 ]
    0
    [0.03333333 0.2       ]
    """

    __slots__ = ("_handle", "_dtype", "_storage", "_converted", "_held", "_places", "__weakref__")
    _handle: _warplu.Solver
    _AGAIN = "make another Solver, or use save and Solver.restore"

    def __init__(self, A: Any, **options: Unpack[_options.Options]):
        self._open(_matrix.Matrix(A), options, False, None)

    def _open(self, A: _matrix.Matrix, options: Any, cached: bool, path: Any, empty: Any = None) -> None:
        """cached: from the process' cache. path: of a file. empty: what stands in for the extension's object where n is 0."""
        scalar = int(A.data.dtype == _matrix.COMPLEX)
        numbers = _options.read(options, A.storage, scalar)
        self._dtype, self._storage, self._converted = A.data.dtype, A.storage, A.converted
        self._held: list[_device.DeviceArray] = []
        self._places: Places | None = None
        self._handle = empty if A.n == 0 and empty is not None else \
            _warplu.Solver(numbers, A.n, A.indptr, A.indices, A.data, cached, path)

    def _describe(self) -> str:
        n = self._handle.n
        return f" of {n} x {n} matrices, {self._dtype}, {self._handle.nnz} entries"

    @classmethod
    def restore(cls, path: str | os.PathLike[str], A: Any, **options: Unpack[_options.Options]) -> Solver:
        """A solver with analysis, pivots and program of a file that `save` wrote, for a matrix of that pattern, in the same format:
        the pattern is compared with the file's. It has no factors until `refactor`."""
        A, solver = _matrix.Matrix(A), cls.__new__(cls)
        A.indptr, A.indices = A.indptr.astype(numpy.int32, copy=False), A.indices.astype(numpy.int32, copy=False)
        with of_file(path):
            solver._open(A, options, False, path)
        return solver

    def save(self, path: str | os.PathLike[str], program: bool = True) -> None:
        """Writes analysis and pivots to a file, and the compiled program."""
        with of_file(path):
            self._handle.save(path, program)

    # ------------------------------------------------------------ factors

    def _values(self, values: Any) -> numpy.ndarray:
        if getattr(values, "format", None) is None:
            self._expect_own_order()
            given = _matrix.numbers(values, self._dtype)
            if given.ndim != 1:
                raise ValueError(f"values have shape {given.shape}: one dimension is needed, or a sparse matrix")
            if len(given) != self._handle.nnz:
                raise ValueError(f"{len(given)} values for the {self._handle.nnz} entries of the pattern: give the matrix itself, "
                                 "whose missing entries count as zeros, where it may lack some")
            return given
        A = _matrix.compressed(values)
        if _matrix.STORAGE[A.format] != self._storage:
            A = A.tocsr() if self._storage else A.tocsc()
        if not self._handle.has_pattern(_matrix.indices(A.indptr), _matrix.indices(A.indices)):
            if self._places is None:
                self._places = Places(self._handle.n, *(numpy.frombuffer(part, numpy.int32) for part in self._handle.pattern()))
            return self._places.put(A, self._dtype)
        return _matrix.numbers(A.data[:A.indptr[-1]], self._dtype)

    def _expect_own_order(self) -> None:
        """Numbers alone stand in the order of the matrix that the solver was made of, which has to be one of columns or rows."""
        if self._converted is not None:
            raise ValueError(f"the matrix was converted ({self._converted} to csc), and values alone have no order then: "
                             "give the matrix itself, or make the solver of a matrix in CSC or CSR format")

    def factor(self, values: Any) -> int:
        """Chooses pivots for these values and factors."""
        return self._handle.factor(self._values(values))

    def refactor(self, values: Any) -> int:
        """Factors with new values, by the pivots that were chosen before where they serve. The answer is 0, or
        Status.REPIVOTED where new pivots were chosen."""
        return self._handle.refactor(self._values(values))

    def solve(self, b: ArrayLike, trans: Trans = "N", out: numpy.ndarray | None = None) -> numpy.ndarray:
        """Solves A x = b, A' x = b (trans "T") or A^H x = b ("H"); b has one column or several. out: where x goes, an array
        of b's shape with contiguous columns; it may be b."""
        right, x = self._columns(b, out)
        self._handle.solve(right, x, transposition(trans))
        return x

    def refactor_solve(self, values: Any, b: ArrayLike, trans: Trans = "N",
                       out: numpy.ndarray | None = None) -> numpy.ndarray:
        """`refactor` and `solve` in one call."""
        code, values = transposition(trans), self._values(values)
        right, x = self._columns(b, out, code != 0)  # a transposed solve may be done twice
        if code != 0 and out is not None and numpy.may_share_memory(values, x):
            values = values.copy()
        self._handle.refactor_solve(values, right, x, code)
        return x

    def _right(self, b: Any) -> numpy.ndarray:
        """b as the extension takes it."""
        ready = type(b) is numpy.ndarray and b.ndim == 1 and b.dtype is self._dtype and b.flags.c_contiguous and b.flags.aligned
        right: numpy.ndarray = b if ready else _matrix.columns(b, self._dtype)
        if right.ndim not in (1, 2) or right.shape[0] != self._handle.n:
            raise ValueError(f"b has shape {right.shape}, and A has {self._handle.n} rows")
        return right

    def _columns(self, b: Any, out: Any, keeps_b: bool = False) -> tuple[numpy.ndarray, numpy.ndarray]:
        """b and x: the same array, or apart from each other; the latter where b is to be kept."""
        b = self._right(b)
        if out is None:
            return b, numpy.empty(b.shape, self._dtype, order="F")
        if not isinstance(out, numpy.ndarray) or out.shape != b.shape or out.dtype != self._dtype \
                or not (out.flags.f_contiguous and out.flags.aligned):
            raise ValueError(f"out is an array of {self._dtype} of b's shape, with contiguous columns")
        if numpy.may_share_memory(b, out) and (keeps_b or _matrix.start(b) != _matrix.start(out)):
            b = b.copy(order="F")
        return b, out

    # ------------------------------------------------------------ devices

    def refactor_device(self, values: Any, stream: Any = None) -> int:
        """Enqueues a refactor with values in the memory of a GPU: an array with __cuda_array_interface__ or DLPack. stream:
        a number, or an object of a library that has one; None: the array's, or the default stream."""
        self._expect_own_order()
        stream, (values,) = _device.read(stream, (values,))
        values.expect(self._dtype, (self._handle.nnz,), "values")
        self._held = [values]
        return self._handle.refactor_device(values.pointer, stream)

    def solve_device(self, b: Any, out: Any, trans: Trans = "N", stream: Any = None) -> int:
        """Enqueues a solve, with b and out on the device: n numbers, or columns of n numbers (in Fortran's order)."""
        stream, (b, out) = _device.read(stream, (b, out))
        nrhs = _device.count_columns(b, out, self._dtype, self._handle.n)
        return self._handle.solve_device(self._transposed(trans), nrhs, b.pointer, out.pointer, stream)

    def refactor_solve_device(self, values: Any, b: Any, out: Any, trans: Trans = "N", stream: Any = None) -> int:
        """Enqueues both."""
        self._expect_own_order()
        stream, (values, b, out) = _device.read(stream, (values, b, out))
        values.expect(self._dtype, (self._handle.nnz,), "values")
        nrhs = _device.count_columns(b, out, self._dtype, self._handle.n)
        self._held = [values, b, out]
        return self._handle.refactor_solve_device(values.pointer, self._transposed(trans), nrhs, b.pointer, out.pointer,
                                                  stream)

    def _transposed(self, trans: Any) -> bool:
        code = transposition(trans)
        if code == 2 and self._dtype == _matrix.COMPLEX:
            raise ValueError("a device solves with A and A': conjugate b and x for A^H")
        return code != 0

    def finish_device(self, values: Any = None, stream: Any = None) -> int:
        """Waits for the stream and judges the last replay. values: the same numbers on the host, with which weak pivots are
        replaced. A warning tells of results that have to be computed again, or are not what a success promises."""
        status = self._handle.finish_device(None if values is None else self._values(values), _device.stream_number(stream))
        self._held = []
        if status == Status.REPIVOTED:
            warn_always(status, "new pivots are in use: solves enqueued since the refactor have to be enqueued again")
        return status

    @property
    def device_health(self) -> dict[str, Any]:
        """What the last replay on the device has shown (warplu_device_health in warplu/device.h)."""
        return self._handle.device_health()

    # ------------------------------------------------------------ what it knows

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n)"""
        return self._handle.n, self._handle.n

    @property
    def dtype(self) -> numpy.dtype:
        """float64 or complex128: what values, right-hand sides and solutions are made of."""
        return self._dtype

    @property
    def statistics(self) -> Statistics:
        """What has been counted and measured so far."""
        numbers = self._handle.statistics()
        numbers["ordering"] = _options.CHOICES["ordering"][numbers["ordering"]]
        numbers["verdict"] = _options.VERDICTS[numbers["verdict"]]
        return Statistics(**numbers)

    def position(self, row: int, column: int) -> int:
        """Where in the values entry (row, column) stands: the first of duplicates."""
        n = self._handle.n
        if not (0 <= row < n and 0 <= column < n):
            raise InvalidArgumentError(Status.INVALID_ARGUMENT, f"entry ({row}, {column}) of a matrix of {n} rows and columns")
        try:
            return self._handle.position(row, column)
        except PatternMismatchError as told:
            raise PatternMismatchError(told.status, f"entry ({row}, {column}) lies outside the analyzed pattern") from None

    def diagonal(self) -> tuple[numpy.ndarray, float, float]:
        """The pivots in scaled values, the smallest magnitude and the largest: their ratio is KLU's rcond."""
        out = numpy.empty(self._handle.n, self._dtype)
        smallest, largest = self._handle.diagonal(out)
        return out, smallest, largest

    def determinant(self) -> tuple[float | complex, int]:
        """(mantissa, exponent): the determinant is mantissa * 2**exponent. The mantissa is a float for a real matrix, a complex
        number for a complex one."""
        real, imaginary, exponent = self._handle.determinant()
        return (complex(real, imaginary) if self._dtype == _matrix.COMPLEX else real), exponent

    def singularity(self) -> dict[str, Any]:
        """Why the matrix is singular (warplu_singularity in warplu/inspect.h)."""
        return self._handle.singularity()

    def condition(self, values: Any) -> float:
        """An estimate of the condition number in the 1-norm. values have to be those that were factored: of others, which cannot be
        told apart, the number means nothing."""
        return self._handle.condition(self._values(values))

    def skeel_condition(self, values: Any, x: ArrayLike | None = None) -> float:
        """Skeel's condition number, for a solution x where it is given."""
        x = None if x is None else _matrix.numbers(x, self._dtype)
        return self._handle.skeel_condition(self._values(values), x)

    def pivot_growth(self, values: Any) -> float:
        """Reciprocal pivot growth, KLU's rgrowth."""
        return self._handle.pivot_growth(self._values(values))

    def backward_error(self, values: Any, b: ArrayLike, x: ArrayLike, trans: Trans = "N") -> float:
        """The componentwise backward error of x, the largest of its columns."""
        return self._error(values, b, x, trans, False)

    def forward_error(self, values: Any, b: ArrayLike, x: ArrayLike, trans: Trans = "N") -> float:
        """A bound of x's error, relative to its largest number: LAPACK's ferr."""
        return self._error(values, b, x, trans, True)

    def _error(self, values: Any, b: Any, x: Any, trans: Any, forward: bool) -> float:
        code, b, x = transposition(trans), self._right(b), _matrix.columns(x, self._dtype)
        if x.shape != b.shape:
            raise ValueError(f"x has shape {x.shape}, and b {b.shape}")
        if code == 2 and self._dtype == _matrix.COMPLEX:
            code, b, x = 1, b.conj(), x.conj()
        return self._handle.error(self._values(values), b, x, code != 0, forward)

    def weak_pivots(self, values: Any, threshold: float = 1e-3, most: int = 100) -> list[Pivot]:
        """The weakest pivots, those whose ratio is at most the threshold."""
        return [Pivot(row, column, position, block, complex(real, imaginary), ratio) for
                row, column, position, block, real, imaginary, ratio in
                self._handle.pivots(self._values(values), threshold, most)]
