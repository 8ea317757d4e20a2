"""Arrays on a device: what is read of them, and calls with them where there is a GPU, or a driver that is named by
WARPLU_LIBCUDA."""
import package
from package import close, matrix, numbers, raises

from driver import Driver, Interface
import numpy

import warplu
from warplu import _device, _warplu

N = 60


class Tensor:
    """A host array's DLPack that claims to be on a device."""

    def __init__(self, array, device=(2, 0)):
        self.array, self.device, self.streams = array, device, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__()


def interfaces_are_read():
    stream, (a, b) = _device.read(None, (Interface(4096, (3,), stream=7), Interface(8192, (2, 3), complex, (16, 32))))
    assert stream == 7 and (a.pointer, a.shape, a.dtype) == (4096, (3,), numpy.float64) and a.is_contiguous("C")
    assert b.is_contiguous("F") and not b.is_contiguous("C")
    assert _device.read(9, (Interface(4096, (3,), stream=7),))[0] == 9
    raises(ValueError, _device.read, None, (Interface(1, (3,), stream=7), Interface(1, (3,), stream=8)))
    raises(TypeError, _device.read, None, (numpy.zeros(3),))
    raises(TypeError, _device.read, None, (object(),))


def dlpack_is_read():
    array = numpy.zeros((4, 3), order="F")
    tensor = Tensor(array)
    stream, (found,) = _device.read(None, (tensor,))
    assert stream == 0 and tensor.streams == [1]
    assert (found.pointer, found.shape, found.dtype) == (array.ctypes.data, (4, 3), numpy.float64)
    assert found.is_contiguous("F") and not found.is_contiguous("C")
    tensor = Tensor(array[1:, 1:])
    _, (found,) = _device.read(5, (tensor,))
    assert tensor.streams == [5] and found.pointer == array[1:, 1:].ctypes.data and not found.is_contiguous("F")
    assert _device.read(None, (Tensor(numpy.zeros(3, complex)),))[1][0].dtype == complex
    raises(TypeError, _device.read, None, (Tensor(array, (1, 0)),))
    raises(TypeError, _device.read, None, (Tensor(numpy.zeros(3, numpy.float32)),))
    capsule = array.__dlpack__()
    _warplu.read_dlpack(capsule)
    raises(ValueError, _warplu.read_dlpack, capsule)


def streams_are_numbers():
    class CuPy:
        ptr = 11

    class PyTorch:
        cuda_stream = 12

    class Cuda:
        def __cuda_stream__(self):
            return 0, 13

    assert [_device.stream_number(s) for s in (None, 10, CuPy(), PyTorch(), Cuda())] == [0, 10, 11, 12, 13]


def shapes_are_checked():
    A = matrix()
    solver = warplu.Solver(A)
    good, nnz = Interface(4096, (N,)), A.nnz
    for values in (Interface(1, (nnz + 1,)), Interface(1, (nnz,), complex), Interface(1, (nnz,), strides=(16,))):
        raises(ValueError, solver.refactor_device, values)
    for b, x in ((Interface(1, (N + 1,)), good), (good, Interface(1, (N, 1))), (good, Interface(1, (N,), numpy.float32)),
                 (Interface(1, (N, 2)), Interface(1, (N, 2))), (Interface(1, (N,), strides=(16,)), good)):
        raises(ValueError, solver.solve_device, b, x)


def solvers_of_the_host_refuse_them():
    A = matrix()
    solver = warplu.Solver(A)
    solver.factor(A)
    raises(warplu.DeviceError, solver.refactor_device, Interface(4096, (A.nnz,)))
    raises(warplu.DeviceError, solver.finish_device)


def on_device(A, **options):
    driver = Driver()
    try:
        return driver, warplu.Solver(A, executor="cuda", **options)
    except warplu.DeviceError as absent:
        raise package.Skip(str(absent)) from absent


def solves_on_a_device():
    for form, dtype in (("csc", numpy.float64), ("csr", numpy.complex128)):
        A = matrix(form=form, dtype=dtype)
        driver, solver = on_device(A)
        solver.factor(A)
        for shape in ((N,), (N, 3)):
            b = numbers(shape, dtype)
            x, right = driver.put(numpy.zeros_like(b), "F"), driver.put(b, "F")
            assert solver.refactor_solve_device(driver.put(2 * A.data), right, x) == warplu.Status.ENQUEUED
            solver.finish_device(2 * A.data)
            close(driver.get(x, "F"), numpy.linalg.solve(2 * A.toarray(), b))
            solver.refactor_device(driver.put(A.data))
            solver.solve_device(right, right)
            solver.finish_device()
            close(driver.get(right, "F"), numpy.linalg.solve(A.toarray(), b))
        assert solver.device_health["finite"] == 1


def batches_on_a_device():
    A = matrix()
    driver, solver = on_device(A)
    values = A.data * (1 + 0.1 * numbers((20, A.nnz)))
    batch = warplu.Batch(A, 20, executor="cuda")
    batch.factor(values)
    b = numbers((20, 2, N))
    wanted = batch.refactor_solve(values, b)
    x = driver.put(numpy.zeros_like(b))
    batch.refactor_solve_device(driver.put(values), driver.put(b), x)
    batch.finish_device()
    close(driver.get(x), wanted)
    del solver


class DlpackAlone:
    """An array that has nothing but DLPack."""

    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


def arrays_of_cupy():
    A = matrix()
    _, solver = on_device(A)
    try:
        import cupy
    except ImportError as missing:
        raise package.Skip(str(missing)) from missing
    solver.factor(A)
    b, stream = numbers((N, 3)), cupy.cuda.Stream(non_blocking=True)
    for wrap in (lambda array: array, DlpackAlone):
        with stream:
            values, right = cupy.asarray(2 * A.data), cupy.asarray(b, order="F")
            x = cupy.zeros((N, 3), order="F")
            solver.refactor_solve_device(wrap(values), wrap(right), wrap(x), stream=stream)
        solver.finish_device(2 * A.data, stream)
        close(cupy.asnumpy(x), numpy.linalg.solve(2 * A.toarray(), b))


def arrays_of_pytorch():
    A = matrix()
    _, solver = on_device(A)
    try:
        import torch
    except ImportError as missing:
        raise package.Skip(str(missing)) from missing
    solver.factor(A)
    b, stream = numbers((N, 3)), torch.cuda.Stream()
    for wrap in (lambda array: array, DlpackAlone):
        with torch.cuda.stream(stream):
            values, right = torch.tensor(2 * A.data, device="cuda"), torch.tensor(b.T.copy(), device="cuda").T
            x = torch.zeros((3, N), dtype=torch.float64, device="cuda").T
            solver.refactor_solve_device(wrap(values), wrap(right), wrap(x), stream=stream)
        solver.finish_device(2 * A.data, stream)
        close(x.cpu().numpy(), numpy.linalg.solve(2 * A.toarray(), b))


package.run([interfaces_are_read, dlpack_is_read, streams_are_numbers, shapes_are_checked, solvers_of_the_host_refuse_them,
             solves_on_a_device, batches_on_a_device, arrays_of_cupy, arrays_of_pytorch])
