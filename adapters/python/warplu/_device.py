"""Arrays in the memory of a GPU, by __cuda_array_interface__ or DLPack, and streams."""
from __future__ import annotations

from typing import Any

import numpy

from . import _warplu

_CUDA, _CUDA_MANAGED = 2, 13  # kDLCUDA, kDLCUDAManaged
_FLOAT, _BOOL, _UNSIGNED, _COMPLEX = 2, 6, 1, 5  # DLPack's codes of types


class DeviceArray:
    """A pointer with its shape, in bytes its strides, and what keeps it alive."""

    __slots__ = ("pointer", "shape", "strides", "dtype", "owner")

    def __init__(self, pointer: int, shape: tuple[int, ...], strides: tuple[int, ...] | None, dtype: numpy.dtype, owner: Any):
        self.pointer, self.shape, self.strides, self.dtype, self.owner = pointer, shape, strides, dtype, owner

    def is_contiguous(self, order: str) -> bool:
        """Whether numbers follow each other, in C's or Fortran's order."""
        if self.strides is None:
            return order == "C" or sum(size != 1 for size in self.shape) <= 1
        expected = self.dtype.itemsize
        for size, stride in list(zip(self.shape, self.strides))[::-1 if order == "C" else 1]:
            if size != 1 and stride != expected:
                return False
            expected *= size
        return True

    def expect(self, dtype: numpy.dtype, shape: tuple[int, ...], name: str) -> None:
        if self.dtype != dtype or self.shape != shape or not self.is_contiguous("C"):
            raise ValueError(f"{name}: a contiguous array of {dtype} of shape {shape} is needed, not {self.dtype} of "
                             f"shape {self.shape}")


def count_columns(b: DeviceArray, x: DeviceArray, dtype: numpy.dtype, n: int) -> int:
    """How many columns of n numbers b and x have."""
    for array, name in ((b, "b"), (x, "out")):
        if array.dtype != dtype or len(array.shape) not in (1, 2) or array.shape[0] != n or array.shape != b.shape:
            raise ValueError(f"{name}: an array of {dtype} of shape ({n},) or ({n}, k), that of b, is needed, not "
                             f"{array.dtype} of shape {array.shape}")
        if not array.is_contiguous("F"):
            raise ValueError(f"{name}: columns have to be contiguous: the transpose of a (k, {n}) array in C's order")
    return b.shape[1] if len(b.shape) == 2 else 1


def stream_number(stream: Any) -> int:
    """The stream's pointer, of a number or an object of CuPy, PyTorch, Numba or CUDA Python; None: the default stream."""
    if stream is None:
        return 0
    if hasattr(stream, "__cuda_stream__"):
        found = stream.__cuda_stream__
        return int((found() if callable(found) else found)[1])
    for name in ("ptr", "cuda_stream", "handle"):
        if hasattr(stream, name):
            return int(getattr(stream, name) or 0)
    return int(stream)


def read(stream: Any, arrays: tuple[Any, ...]) -> tuple[int, list[DeviceArray]]:
    """The stream and the arrays. Without a stream that is the one that all arrays name which name one."""
    interfaces = [getattr(array, "__cuda_array_interface__", None) for array in arrays]
    named = {found["stream"] for found in interfaces if found is not None and found.get("stream") is not None}
    if stream is None and len(named) > 1:
        raise ValueError("the arrays belong to different streams: order them, and name one stream")
    number = next(iter(named), 0) if stream is None else stream_number(stream)
    return number, [_by_interface(array, found) if found is not None else _by_dlpack(array, number)
                    for array, found in zip(arrays, interfaces)]


def _by_interface(array: Any, found: dict[str, Any]) -> DeviceArray:
    return DeviceArray(found["data"][0], tuple(found["shape"]), found.get("strides"), numpy.dtype(found["typestr"]), array)


def _by_dlpack(array: Any, stream: int) -> DeviceArray:
    if not hasattr(array, "__dlpack__") or array.__dlpack_device__()[0] not in (_CUDA, _CUDA_MANAGED):
        raise TypeError(f"an array in the memory of a GPU is needed, not {type(array).__name__}")
    owner, pointer, shape, strides, (code, bits, lanes), _ = _warplu.read_dlpack(array.__dlpack__(stream=stream or 1))
    kinds = {(_FLOAT, 64): "f8", (_COMPLEX, 128): "c16", (_BOOL, 8): "?", (_UNSIGNED, 8): "u1"}
    if lanes != 1 or (code, bits) not in kinds:
        raise TypeError("an array of float64 or complex128 is needed")
    dtype = numpy.dtype(kinds[code, bits])
    steps = None if strides is None else tuple(stride * dtype.itemsize for stride in strides)
    return DeviceArray(pointer, tuple(shape), steps, dtype, owner)
