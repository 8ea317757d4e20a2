"""Matrices that are assembled anew for each step: SciPy leaves out entries that become zero, and has them in any order. Their
numbers are put where the analyzed pattern has them, and `union` makes a pattern that holds all that occur."""
from __future__ import annotations

from typing import Any

import numpy

from . import _matrix
from ._errors import PatternMismatchError, Status

_ADVICE = ("Analyze a pattern with all entries that can occur, which warplu.union(A, B) makes of several matrices; entries that a "
           "matrix then lacks count as zeros")


def union(A: Any, *others: Any) -> Any:
    """A matrix of A's numbers, by columns, with explicit zeros where only the others have entries: its pattern is that of all
    of them. A solver that is made of it takes each of them, and whatever lies within.

    >>> import numpy, scipy.sparse, warplu
    >>> A, B = scipy.sparse.csc_matrix([[2.0, 0.0], [1.0, 4.0]]), scipy.sparse.csc_matrix([[0.0, 3.0], [1.0, 1.0]])
    >>> lu = warplu.splu(warplu.union(A, B))
    >>> lu.solve(numpy.array([2.0, 5.0]))
    array([1., 1.])
    >>> status = lu.refactor(B)
    >>> lu.solve(numpy.array([3.0, 2.0]))
    array([1., 1.])
    """
    from scipy import sparse

    if isinstance(A, (list, tuple)) and any(getattr(part, "ndim", 0) == 2 for part in A):
        raise TypeError(f"matrices are given one by one, union(A, B) or union(*matrices), not in a {type(A).__name__}")
    parts = [sparse.coo_matrix(part) for part in (A, *others)]
    for part in parts:
        if part.shape != parts[0].shape:
            raise ValueError(f"a union of matrices of the shapes {parts[0].shape} and {part.shape}")
    numbers = [parts[0].data, *(numpy.zeros(part.nnz, parts[0].dtype) for part in parts[1:])]
    rows, columns = (numpy.concatenate([getattr(part, name) for part in parts]) for name in ("row", "col"))
    made = sparse.coo_matrix((numpy.concatenate(numbers), (rows, columns)), parts[0].shape).tocsc()
    return sparse.csc_array(made) if type(A).__name__.endswith("_array") else made


class Places:
    """Where the values of a pattern stand, by row and column; of duplicates, the first."""

    __slots__ = ("_n", "_sorted", "_order")

    def __init__(self, n: int, indptr: numpy.ndarray, indices: numpy.ndarray):
        self._n = n
        keys = self._keys(indptr, indices)
        self._order = numpy.argsort(keys, kind="stable")
        self._sorted = keys[self._order]

    def _keys(self, indptr: numpy.ndarray, indices: numpy.ndarray) -> numpy.ndarray:
        lines = numpy.repeat(numpy.arange(self._n, dtype=numpy.int64), numpy.diff(indptr))
        keys: numpy.ndarray = lines * self._n + indices
        return keys

    def put(self, A: Any, dtype: numpy.dtype) -> numpy.ndarray:
        """The numbers of a matrix in the same storage, as the pattern has them; duplicates are summed."""
        nnz = int(A.indptr[-1])
        indices, data = A.indices[:nnz], _matrix.numbers(A.data[:nnz], dtype)
        if A.shape != (self._n, self._n):
            raise PatternMismatchError(Status.PATTERN_MISMATCH, f"the matrix has the shape {A.shape}, and {self._n} rows and "
                                       "columns were analyzed")
        if nnz > 0 and not 0 <= indices.min() <= indices.max() < self._n:
            raise ValueError("indices of the matrix are out of range")
        keys = self._keys(A.indptr, indices)
        at = numpy.searchsorted(self._sorted, keys)
        at[at == len(self._sorted)] = 0
        known = self._sorted[at] == keys
        strange = numpy.flatnonzero(~known & (data != 0))
        if len(strange) > 0:
            outer, inner = divmod(int(keys[strange[0]]), self._n)
            place = (outer, inner) if A.format == "csr" else (inner, outer)
            more = f", and {len(strange) - 1} more," if len(strange) > 1 else ""
            raise PatternMismatchError(Status.PATTERN_MISMATCH, f"the matrix has an entry {place}{more} where the pattern that was "
                                       f"analyzed has none. {_ADVICE}")
        values = numpy.zeros(len(self._sorted), dtype)
        numpy.add.at(values, self._order[at[known]], data[known])
        return values
