"""Memory of a GPU for tests, from the driver itself through ctypes, so that they need no other package."""
import ctypes
import functools
import os

import package

import numpy


class Interface:
    """An array by __cuda_array_interface__."""

    def __init__(self, pointer, shape, dtype=numpy.float64, strides=None, stream=None):
        self.__cuda_array_interface__ = {"data": (pointer, False), "shape": shape, "typestr": numpy.dtype(dtype).str,
                                         "strides": strides, "stream": stream, "version": 3}


@functools.cache
class Driver:
    """The CUDA driver, opened once: memory on the first device."""

    def __init__(self):
        try:
            self.cuda = ctypes.CDLL(os.environ.get("WARPLU_LIBCUDA", "libcuda.so.1"))
        except OSError as missing:
            raise package.Skip("no CUDA driver") from missing
        device, context = ctypes.c_int(), ctypes.c_void_p()
        if self.cuda.cuInit(0) != 0 or self.cuda.cuDeviceGet(ctypes.byref(device), 0) != 0:
            raise package.Skip("no GPU")
        self.check(self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
        self.check(self.cuda.cuCtxPushCurrent_v2(context))

    def check(self, result):
        assert result == 0, f"CUDA error {result}"

    def put(self, array, order="C"):
        array, pointer = numpy.asarray(array, order=order), ctypes.c_uint64()
        self.check(self.cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(array.nbytes)))
        self.check(self.cuda.cuMemcpyHtoDAsync_v2(pointer, array.ctypes.data_as(ctypes.c_void_p),
                                                  ctypes.c_size_t(array.nbytes), None))
        self.check(self.cuda.cuStreamSynchronize(None))
        strides = array.strides if order == "F" else None
        return Interface(pointer.value, array.shape, array.dtype, strides)

    def get(self, interface, order="C"):
        found = interface.__cuda_array_interface__
        array = numpy.empty(found["shape"], found["typestr"], order=order)
        self.check(self.cuda.cuMemcpyDtoHAsync_v2(array.ctypes.data_as(ctypes.c_void_p),
                                                  ctypes.c_uint64(found["data"][0]), ctypes.c_size_t(array.nbytes), None))
        self.check(self.cuda.cuStreamSynchronize(None))
        return array
