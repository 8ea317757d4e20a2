"""The class Batch: many systems of one pattern at once."""
from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Literal, Unpack

import numpy
from numpy.typing import ArrayLike

from . import _device, _matrix, _options, _warplu
from ._solver import Single, Solver, transposition

BatchTrans = Literal["N", "T"]
#: How a member was answered for, in the order of the library's enumeration.
WAYS = ("none", "replayed", "refined", "other_program", "own_solver")
_FOUND = numpy.dtype([("status", numpy.int32), ("way", numpy.int32), ("program", numpy.int32), ("verdict", numpy.int32),
                      ("backward_error", numpy.float64), ("refinement_steps", numpy.int32)])
_MEMBER = numpy.dtype([("status", numpy.int32), ("way", "U13"), ("program", numpy.int32), ("verdict", "U7"),
                       ("backward_error", numpy.float64), ("refinement_steps", numpy.int32)])


class Batch(Single):
    """count systems of a solver's pattern, replayed together. A is a matrix in CSC or CSR format, or a solver of one: values, numbers
    alone, stand as its data do. values has the shape (count, nnz), b (count, n) or
    (count, nrhs, n); with the layout "interleaved" members are the last index: (nnz, count), (n, count), (nrhs, n, count).
    Without members are the values that all share (shared_values) and the right-hand sides (shared_rhs). mask, an array of True and
    False, says which members take part. trans is "N" or "T"; "H" is refused where numbers are complex: conjugate b and x. Options are
    given by keyword: `help(warplu.BatchOptions)`. Members without an answer that keeps the promise are told of by a WarpluWarning, and
    in `members`.

    >>> import numpy, scipy.sparse, warplu
    >>> A = scipy.sparse.csc_matrix([[4.0, 1.0], [2.0, 3.0]])
    >>> batch = warplu.Batch(A, 3)
    >>> values = numpy.array([1.0, 2.0, 4.0])[:, None] * A.data
    >>> batch.refactor_solve(values, numpy.tile([1.0, 2.0], (3, 1)))
    array([[0.1  , 0.6  ],
           [0.05 , 0.3  ],
           [0.025, 0.15 ]])
    """

    __slots__ = ("count", "_handle", "_solver", "_options", "_held")
    _handle: _warplu.Batch
    _AGAIN = "make another Batch"

    def __init__(self, A: Any, count: int, solver_options: _options.Options | None = None,
                 **options: Unpack[_options.BatchOptions]):
        given = A._converted if isinstance(A, Solver) else _matrix.conversion(A)
        if given is not None:
            raise ValueError(f"a batch takes values alone, which have no order of their own where the matrix is {given}: make it of "
                             "a matrix in CSC or CSR format, as A.tocsc() or scipy.sparse.csc_matrix(A)")
        self._solver = A if isinstance(A, Solver) else Solver(A, **(solver_options or {}))
        self.count, self._options = count, options
        self._held: list[_device.DeviceArray] = []
        numbers = _options.read(options)
        del numbers["storage"], numbers["scalar"]
        self._handle = _warplu.Batch(self._solver._handle, count, numbers)

    def _describe(self) -> str:
        n = self._solver.shape[0]
        return f" of {self.count} systems, {n} x {n}, {self._solver.dtype}"

    def _shape(self, shared: str, *inner: int) -> tuple[int, ...]:
        """The shape of an array that has inner numbers for each member, or for all."""
        return self._placed(shared, self.count, inner)

    def _placed(self, shared: str, count: Any, inner: tuple[Any, ...]) -> tuple[Any, ...]:
        """Dimensions of a member's numbers, and of members, as the options place them."""
        if self._options.get(shared):
            return inner
        return (*inner, count) if self._options.get("layout") == "interleaved" else (count, *inner)

    def _array(self, array: Any, shape: tuple[int, ...], name: str) -> numpy.ndarray:
        numbers = _matrix.numbers(array, self._solver.dtype)
        if numbers.shape != shape:
            raise ValueError(f"{name} has shape {numbers.shape}: {shape} is needed")
        return numbers

    def _values(self, values: Any) -> numpy.ndarray:
        return self._array(values, self._shape("shared_values", self._solver._handle.nnz), "values")

    def _columns(self, b: Any) -> tuple[numpy.ndarray, numpy.ndarray]:
        """b and room for x."""
        n, b = self._solver.shape[0], _matrix.numbers(b, self._solver.dtype)
        inner: tuple[int, ...] = (n,)
        if b.ndim > len(self._shape("shared_rhs", n)):
            inner = (b.shape[1 if b.ndim == 3 and self._options.get("layout") != "interleaved" else 0], n)
        if b.shape != self._shape("shared_rhs", *inner):
            one, several = (f"({', '.join(self._placed('shared_rhs', 'count', names))})" for names in (("n",), ("nrhs", "n")))
            raise ValueError(f"b has shape {b.shape}: {one} or {several} is needed, where count = {self.count}, n = {n}")
        return b, numpy.full(self._shape("", *inner), numpy.nan, self._solver.dtype)

    def _mask(self, mask: Any) -> numpy.ndarray | None:
        if mask is None:
            return None
        found = numpy.ascontiguousarray(mask)
        if found.dtype != numpy.bool_ or found.shape != (self.count,):
            raise ValueError(f"mask: {self.count} of True and False are needed, one for each member, not {found.dtype} of shape "
                             f"{found.shape}")
        return found

    def factor(self, values: ArrayLike) -> int:
        """Chooses pivots that suit the members, and compiles their program."""
        return self._handle.factor(self._values(values))

    def refactor_solve(self, values: ArrayLike, b: ArrayLike, mask: ArrayLike | None = None,
                       trans: BatchTrans = "N") -> numpy.ndarray:
        """Factors and solves; x is NaN for members that take no part."""
        code = self._transposed(trans)
        b, x = self._columns(b)
        self._handle.refactor_solve(self._values(values), self._mask(mask), code, b, x)
        return x

    def refactor(self, values: ArrayLike, mask: ArrayLike | None = None) -> int:
        """Factors, and keeps the factors (keep_factors)."""
        return self._handle.refactor(self._values(values), self._mask(mask))

    def solve(self, b: ArrayLike, mask: ArrayLike | None = None, trans: BatchTrans = "N") -> numpy.ndarray:
        """Solves by factors that were kept."""
        code = self._transposed(trans)
        b, x = self._columns(b)
        self._handle.solve(self._mask(mask), code, b, x)
        return x

    def _transposed(self, trans: Any) -> bool:
        code = transposition(trans)
        if code == 2 and self._solver.dtype == _matrix.COMPLEX:
            raise ValueError("a batch solves with A and A': conjugate b and x for A^H")
        return code != 0

    def refactor_solve_device(self, values: Any, b: Any, out: Any, mask: Any = None, trans: BatchTrans = "N",
                              stream: Any = None) -> int:
        """Enqueues refactor_solve with arrays on the device, in C's order. Before the first transposed call comes
        `prepare_transposed`."""
        arrays = (values, b, out) if mask is None else (values, b, out, mask)
        stream, found = _device.read(stream, arrays)
        n, dtype = self._solver.shape[0], self._solver.dtype
        inner: tuple[int, ...] = (n,) if len(found[2].shape) == 2 else (found[2].shape[-3:][int(self._is_contiguous())], n)
        found[0].expect(dtype, self._shape("shared_values", self._solver._handle.nnz), "values")
        found[1].expect(dtype, self._shape("shared_rhs", *inner), "b")
        found[2].expect(dtype, self._shape("", *inner), "out")
        if mask is not None and (found[3].dtype.itemsize != 1 or found[3].shape != (self.count,)):
            raise ValueError(f"mask: {self.count} bytes are needed")
        self._held = found
        return self._handle.refactor_solve_device(found[0].pointer, found[3].pointer if mask is not None else 0,
                                                  self._transposed(trans), inner[0] if len(inner) == 2 else 1,
                                                  found[1].pointer, found[2].pointer, stream)

    def _is_contiguous(self) -> bool:
        return self._options.get("layout") != "interleaved"

    def finish_device(self, stream: Any = None) -> int:
        """Waits for the stream, and mends what the device did not vouch for."""
        status = self._handle.finish_device(_device.stream_number(stream))
        self._held = []
        return status

    def prepare_transposed(self) -> None:
        """Makes what transposed calls on a device need; nothing more is made during these."""
        self._handle.prepare_transposed()

    @property
    def members(self) -> numpy.ndarray:
        """A record for each member: status, way, program, verdict, backward_error, refinement_steps (warplu_batch_member in
        warplu/batch.h). The way is "none", "replayed", "refined", "other_program" or "own_solver", the verdict one of those of
        `Statistics`."""
        found = numpy.array(self._handle.members(0, self.count), _FOUND)
        names, named = {"way": WAYS, "verdict": _options.VERDICTS}, numpy.empty(len(found), _MEMBER)
        for field in _MEMBER.names or ():
            named[field] = numpy.array(names[field])[found[field]] if field in names else found[field]
        return named

    @property
    def statistics(self) -> SimpleNamespace:
        """warplu_batch_statistics in warplu/batch.h."""
        return SimpleNamespace(**self._handle.statistics())
