"""Matrices and arrays as the extension takes them: compressed columns or rows, float64 or complex128, without copies where
they are so already. SciPy's sorted indices and summed duplicates are not needed."""
from __future__ import annotations

import warnings
from typing import Any

import numpy

from ._errors import caller_level

FLOAT, COMPLEX = numpy.dtype(numpy.float64), numpy.dtype(numpy.complex128)
STORAGE = {"csc": 0, "csr": 1}
_INDICES = (numpy.dtype(numpy.int32), numpy.dtype(numpy.int64))


class Matrix:
    """The arrays of a square sparse matrix. converted: what it was before, where it was neither by columns nor by rows: its
    numbers stood in another order then."""

    __slots__ = ("storage", "n", "indptr", "indices", "data", "converted")

    def __init__(self, A: Any, dtype: numpy.dtype | None = None):
        self.converted, A = conversion(A), compressed(A)
        rows, self.n = A.shape
        if rows != self.n:
            raise ValueError(f"matrix must be square (has shape {A.shape})")
        self.storage = STORAGE[A.format]
        self.indptr, self.indices = indices(A.indptr), indices(A.indices)
        if self.indptr.dtype != self.indices.dtype:
            self.indptr, self.indices = self.indptr.astype(numpy.int64), self.indices.astype(numpy.int64)
        nnz = int(self.indptr[-1])
        self.data = numbers(A.data[:nnz], dtype or kind_of(A.data))


def conversion(A: Any) -> str | None:
    """The format that a matrix is converted from; None: it is by columns or rows, and stays as it is."""
    found = getattr(A, "format", "dense")
    return None if found in STORAGE else found


def compressed(A: Any) -> Any:
    """A by columns or rows; what is neither is converted by SciPy, with its warning."""
    if conversion(A) is None:
        return A
    from scipy import sparse

    warnings.warn("warplu takes matrices in CSC or CSR format; this one is converted", sparse.SparseEfficiencyWarning,
                  stacklevel=caller_level())
    return sparse.csc_matrix(A)


def kind_of(array: Any) -> numpy.dtype:
    """float64 or complex128, for any numbers."""
    return COMPLEX if numpy.iscomplexobj(array) else FLOAT


def scipy_type(A: numpy.dtype, b: numpy.dtype) -> numpy.dtype | None:
    """What SciPy's spsolve answers in, for a matrix and a right-hand side of these types; None: it takes no such numbers."""
    found = numpy.promote_types(next((char for char in "fdFD" if numpy.can_cast(A, char)), A), b)
    return found if found.char in "fdFD" else None


def dense(array: Any) -> numpy.ndarray:
    """A dense array: a sparse matrix, of which NumPy would make an array of one object, is refused."""
    if hasattr(array, "tocsc"):
        raise TypeError(f"a dense array is needed, not a sparse one ({type(array).__name__}): give its toarray()")
    return numpy.asarray(array)


def numbers(array: Any, dtype: numpy.dtype) -> numpy.ndarray:
    """A contiguous array of one dimension; complex numbers do not become real ones."""
    if type(array) is numpy.ndarray and array.dtype is dtype and array.flags.c_contiguous and array.flags.aligned:
        return array
    return _aligned(dense(array).astype(dtype, order="C", casting="same_kind", copy=False))


def columns(array: Any, dtype: numpy.dtype) -> numpy.ndarray:
    """The same with each column contiguous."""
    return _aligned(dense(array).astype(dtype, order="F", casting="same_kind", copy=False))


def indices(array: Any) -> numpy.ndarray:
    array = numpy.asarray(array)
    return _aligned(numpy.ascontiguousarray(array if array.dtype in _INDICES else array.astype(numpy.int64)))


def _aligned(array: numpy.ndarray) -> numpy.ndarray:
    """Fields of packed records are not."""
    return array if array.flags.aligned else array.copy(order="A")


def start(array: numpy.ndarray) -> int:
    """The address of the first number."""
    return int(array.__array_interface__["data"][0])
