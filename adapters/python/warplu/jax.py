"""warplu in JAX: `solve` works under jit, vmap, grad and their combinations, on CPUs and NVIDIA GPUs.

    import jax, warplu.jax
    jax.config.update("jax_enable_x64", True)
    x = warplu.jax.solve(A.indptr, A.indices, values, b)

Under vmap a matrix that all members share is factored once, with all right-hand sides; others are refactored one after the
other by one solver, on a GPU all at once. Derivatives, forward and reverse, are solves with the same factors or their
transpose. On a GPU numbers stay there; a call waits until the device has vouched for its answer.
"""
from __future__ import annotations

import hashlib
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy

from . import _warplu
from ._matrix import STORAGE

for _platform, _handler in _warplu.jax_handlers().items():
    jax.ffi.register_ffi_target("warplu_solve", _handler, platform=_platform)


def solve(indptr: Any, indices: Any, values: Any, b: Any, *, storage: Literal["csc", "csr"] = "csc",
          trans: Literal["N", "T", "H"] = "N", on_failure: Literal["raise", "nan"] = "raise") -> jax.Array:
    """Solves A x = b for a sparse matrix A with these values: one b, or the columns of a matrix.

    indptr and indices are those of SciPy's CSC or CSR. Numbers are float64 or complex128 (jax_enable_x64). trans: A', or
    A^H. on_failure: a singular matrix, or a solution that is not accurate, ends the computation with an error, or gives NaN.

    >>> import jax, numpy, scipy.sparse, warplu.jax
    >>> jax.config.update("jax_enable_x64", True)
    >>> A = scipy.sparse.csc_matrix([[4.0, 1.0], [2.0, 3.0]])
    >>> b = numpy.array([1.0, 2.0])
    >>> warplu.jax.solve(A.indptr, A.indices, A.data, b)
    Array([0.1, 0.6], dtype=float64)
    >>> def energy(values):
    ...     return warplu.jax.solve(A.indptr, A.indices, values, b) @ b
    >>> jax.jit(jax.grad(energy))(A.data).shape
    (4,)
    """
    if trans not in ("N", "T", "H") or on_failure not in ("raise", "nan"):
        raise ValueError(f"trans is N, T or H and on_failure raise or nan: not {trans!r}, {on_failure!r}")
    if storage not in STORAGE:
        raise ValueError(f"storage is csc or csr: not {storage!r}")
    values, b = jnp.asarray(values), jnp.asarray(b)
    dtype = jnp.result_type(values.dtype, b.dtype, jnp.float64)
    if dtype not in (jnp.float64, jnp.complex128):
        raise TypeError('warplu computes in double precision: jax.config.update("jax_enable_x64", True)')
    values, b = values.astype(dtype), b.astype(dtype)
    if trans == "H":
        values = values.conj()
    pattern = jnp.asarray(indptr, jnp.int32), jnp.asarray(indices, jnp.int32)
    n = pattern[0].shape[0] - 1
    if values.ndim != 1 or b.ndim not in (1, 2) or b.shape[0] != n or values.shape != pattern[1].shape:
        raise ValueError(f"values has shape {values.shape} and b {b.shape}: ({pattern[1].shape[0]},) and ({n},) or ({n}, k) "
                         "are needed")

    outer = _outer_indices(indptr, pattern)
    attributes = {"storage": STORAGE[storage], "nan": int(on_failure == "nan")} | _key(indptr, indices, values)

    def column(one: jax.Array) -> jax.Array:
        return _solve(pattern, outer, values, one, int(trans != "N"), attributes)

    return column(b) if b.ndim == 1 else jax.vmap(column, in_axes=1, out_axes=1)(b)


def _outer_indices(indptr: Any, pattern: tuple[jax.Array, jax.Array]) -> Any:
    """Each entry's column in CSC, row in CSR. A pattern that is known when a function is traced is expanded then: XLA takes
    minutes to fold it."""
    n, nnz = pattern[0].shape[0] - 1, pattern[1].shape[0]
    if isinstance(indptr, jax.core.Tracer):
        return jnp.repeat(jnp.arange(n, dtype=jnp.int32), jnp.diff(pattern[0]), total_repeat_length=nnz)
    counts = numpy.diff(numpy.asarray(indptr))
    if counts.sum() != nnz or (counts < 0).any():
        raise ValueError("indptr does not end with the number of indices, or it falls")
    return numpy.repeat(numpy.arange(n, dtype=numpy.int32), counts)


def _key(indptr: Any, indices: Any, values: Any) -> dict[str, int]:
    """The pattern's digest, by which a traced call finds its solver without a look at the pattern, which a GPU would have to
    hand over. Calls that are not traced have none: each pattern would have them compiled anew."""
    halves = numpy.zeros(2, numpy.int64)
    if isinstance(values, jax.core.Tracer) and not any(isinstance(a, jax.core.Tracer) for a in (indptr, indices)):
        digest = hashlib.blake2b(digest_size=16)
        for array in (indptr, indices):
            digest.update(numpy.ascontiguousarray(array, numpy.int32))
        halves = numpy.frombuffer(digest.digest(), numpy.int64)
    return {"key0": int(halves[0]), "key1": int(halves[1])}


def _solve(pattern: tuple[jax.Array, jax.Array], outer: Any, values: jax.Array, b: jax.Array, trans: int,
           attributes: dict[str, int]) -> jax.Array:
    indptr, indices = pattern

    def call(right: jax.Array, transposed: int) -> jax.Array:
        target = jax.ffi.ffi_call("warplu_solve", jax.ShapeDtypeStruct(right.shape, right.dtype), vmap_method="expand_dims")
        return target(indptr, indices, values, right, trans=numpy.int64(transposed),
                      **{name: numpy.int64(number) for name, number in attributes.items()})

    def multiply(x: jax.Array) -> jax.Array:
        rows, columns = (outer, indices) if attributes["storage"] != trans else (indices, outer)
        return jnp.zeros_like(x).at[rows].add(values * x[columns])

    return jax.lax.custom_linear_solve(multiply, b, lambda _, right: call(right, trans),
                                       lambda _, right: call(right, 1 - trans))
