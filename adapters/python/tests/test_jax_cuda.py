"""The call behind warplu.jax on a GPU, as XLA makes it: frames of XLA's foreign function interface by hand, buffers on the
device. Where there is a GPU, or a driver that is named by WARPLU_LIBCUDA. JAX is not needed."""
import ctypes

import package
from package import close, matrix, numbers

from driver import Driver
import numpy

import warplu
from warplu import _warplu

N = 40
pointer, size, sixty_four = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64


def struct(*fields):
    """A struct of XLA's: its size, its extensions, and what is named."""
    names = [("size", size), ("extensions", pointer), *fields]
    kind = type("Struct", (ctypes.Structure,), {"_fields_": names})
    return lambda **values: kind(size=ctypes.sizeof(kind), **values)


Buffer = struct(("type", ctypes.c_int), ("data", pointer), ("rank", sixty_four), ("dims", pointer))
Buffers = struct(("count", sixty_four), ("kinds", pointer), ("buffers", pointer))
Attributes = struct(("count", sixty_four), ("kinds", pointer), ("names", pointer), ("values", pointer))
Error = struct(("message", ctypes.c_char_p), ("code", ctypes.c_int))
Stream = struct(("context", pointer), ("stream", pointer))
Device = struct(("context", pointer), ("number", ctypes.c_int32))
Version = struct(("major", ctypes.c_int), ("minor", ctypes.c_int))
Call = struct(("api", pointer), ("context", pointer), ("stage", ctypes.c_int), ("arguments", type(Buffers())),
              ("results", type(Buffers())), ("attributes", type(Attributes())))
Api = struct(("version", type(Version())), ("internal", pointer), ("calls", pointer * 18))


class Metadata(ctypes.Structure):
    _fields_ = [("size", size), ("version", type(Version())), ("traits", ctypes.c_uint32)]


class Extension(ctypes.Structure):
    _fields_ = [("size", size), ("kind", ctypes.c_int), ("next", pointer), ("metadata", pointer)]


class Name(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char_p), ("length", size)]


class Scalar(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("value", pointer)]


TYPES = {"int32": 4, "float64": 12, "complex128": 18}
CREATE_ERROR, GET_STREAM, GET_DEVICE, EXECUTE = 0, 4, 17, 3
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = pointer, [ctypes.py_object, ctypes.c_char_p]


class Xla:
    """Calls the handler of a platform; what it needs of XLA is answered here."""

    def __init__(self, platform="CUDA", device=0):
        self.handler = ctypes.CFUNCTYPE(pointer, pointer)(get_pointer(_warplu.jax_handlers()[platform], None))
        self.errors, self.device = [], device
        callback = ctypes.CFUNCTYPE(pointer, pointer)
        self.calls = {CREATE_ERROR: callback(self.create_error), GET_STREAM: callback(self.get_stream),
                      GET_DEVICE: callback(self.get_device)}
        self.api = Api(version=Version(major=0, minor=3))
        for place, call in self.calls.items():
            self.api.calls[place] = ctypes.cast(call, pointer)

    def create_error(self, at):
        error = ctypes.cast(at, ctypes.POINTER(type(Error()))).contents
        self.errors.append((error.code, error.message.decode()))
        return 1

    def get_stream(self, at):
        ctypes.cast(at, ctypes.POINTER(type(Stream()))).contents.stream = None
        return None

    def get_device(self, at):
        ctypes.cast(at, ctypes.POINTER(type(Device()))).contents.number = self.device
        return None

    def introduce(self):
        metadata = Metadata(size=ctypes.sizeof(Metadata), traits=7)
        extension = Extension(size=ctypes.sizeof(Extension), kind=1, metadata=ctypes.addressof(metadata))
        call = Call(extensions=ctypes.addressof(extension), api=ctypes.addressof(self.api))
        assert self.handler(ctypes.addressof(call)) is None
        return metadata.version.major, metadata.version.minor, metadata.traits

    def solve(self, A, values, b, shape, storage=0, trans=0, nan=0, key=(0, 0)):
        """X of this shape, or the message of an error."""
        driver, keep = Driver(), []

        def pointers(kind, things):
            keep.append(things)
            keep.append((kind * len(things))(*things))
            return ctypes.addressof(keep[-1])

        def buffers(arrays):
            made = [Buffer(type=TYPES[str(array.dtype)], data=put.__cuda_array_interface__["data"][0], rank=array.ndim,
                           dims=pointers(sixty_four, array.shape)) for array, put in arrays]
            keep.append(made)
            return Buffers(count=len(made), kinds=pointers(ctypes.c_int, [1] * len(made)),
                           buffers=pointers(pointer, [ctypes.addressof(one) for one in made]))

        def attributes(**numbers):
            held = [sixty_four(number) for number in numbers.values()]
            names = [Name(name.encode(), len(name)) for name in numbers]
            scalars = [Scalar(5, ctypes.addressof(number)) for number in held]
            keep.append(held)
            return Attributes(count=len(held), kinds=pointers(ctypes.c_int, [3] * len(held)),
                              names=pointers(pointer, [ctypes.addressof(name) for name in names]),
                              values=pointers(pointer, [ctypes.addressof(scalar) for scalar in scalars])), names, scalars

        x = numpy.full(shape, 7.0, values.dtype)
        inputs = [(array, driver.put(array)) for array in (A.indptr, A.indices, values, b)]
        output = driver.put(x)
        named, *held = attributes(storage=storage, trans=trans, nan=nan, key0=key[0], key1=key[1])
        keep.append(held)
        call = Call(api=ctypes.addressof(self.api), stage=EXECUTE, arguments=buffers(inputs), results=buffers([(x, output)]),
                    attributes=named)
        failed = self.handler(ctypes.addressof(call))
        return self.errors.pop()[1] if failed else driver.get(output)


def launches():
    """How often a kernel was launched, where the driver tells."""
    cuda = Driver().cuda
    if not hasattr(cuda, "emulated_cuda_launches"):
        return None
    cuda.emulated_cuda_launches.restype = cuda.emulated_cuda_faults.restype = sixty_four
    assert cuda.emulated_cuda_faults() == 0
    return cuda.emulated_cuda_launches()


def on_device():
    Driver()
    try:
        warplu.Solver(matrix(), executor="cuda")
    except warplu.DeviceError as absent:
        raise package.Skip(str(absent)) from absent
    return Xla()


def expected(A, values, b, shape, trans=0):
    """X by NumPy, member by member."""
    values = numpy.broadcast_to(values, shape[:-1] + values.shape[-1:])
    b, x = numpy.broadcast_to(b, shape), numpy.empty(shape, values.dtype)
    for place in numpy.ndindex(shape[:-1]):
        one = A.copy()
        one.data = values[place].copy()
        dense = one.toarray()
        x[place] = numpy.linalg.solve(dense.T if trans else dense, b[place])
    return x


def handlers_introduce_themselves():
    for platform in ("cpu", "CUDA"):
        assert Xla(platform).introduce() == (0, 3, 0)


def one_system_is_solved():
    xla = on_device()
    for form, dtype, trans in (("csc", numpy.float64, 0), ("csr", numpy.float64, 1), ("csc", numpy.complex128, 1)):
        A, b = matrix(N, form, dtype), numbers((N,), dtype)
        for scale in (1.0, 2.0, 3.0):
            before = launches()
            x = xla.solve(A, scale * A.data, b, (N,), int(form == "csr"), trans)
            close(x, expected(A, scale * A.data, b, (N,), trans))
            assert before is None or launches() > before
        many = numbers((5, N), dtype)
        x = xla.solve(A, A.data[None], many, (5, N), int(form == "csr"), trans)
        close(x, expected(A, A.data[None], many, (5, N), trans))


def values_of_their_own_are_a_batch():
    xla = on_device()
    for dtype, trans in ((numpy.float64, 0), (numpy.float64, 1), (numpy.complex128, 0)):
        A = matrix(N, "csc", dtype)
        for of_values, of_b, shape in (((6,), (6,), (6,)), ((6,), (1,), (6,)), ((4, 1), (4, 3), (4, 3)), ((4, 1), (1, 3), (4, 3)),
                                       ((1, 4), (3, 1), (3, 4)), ((2, 3), (2, 1), (2, 3)), ((2, 3), (1, 3), (2, 3)),
                                       ((2, 1, 3), (2, 2, 3), (2, 2, 3)), ((1,), (1,), (2,))):
            values = A.data * (1 + 0.1 * numbers(of_values + (A.nnz,)))
            b = numbers(of_b + (N,), dtype)
            for _ in range(2):
                before = launches()
                x = xla.solve(A, values, b, shape + (N,), trans=trans)
                close(x, expected(A, values, b, shape + (N,), trans))
                assert before is None or launches() > before


def weak_replays_are_mended():
    xla = on_device()
    A, b = matrix(N), numbers((N,))
    xla.solve(A, A.data, b, (N,))
    for seed in range(3):
        values = A.data * 10.0 ** numpy.random.default_rng(seed).uniform(-9, 9, A.nnz)
        values = A.data[numpy.random.default_rng(seed).permutation(A.nnz)] if seed == 2 else values
        one = A.copy()
        one.data = values
        x = xla.solve(A, values, b, (N,))
        assert warplu.Solver(A).backward_error(values, b, x) < 1e-10
        many = numpy.array([A.data, values, A.data])
        found = xla.solve(A, many, b[None], (3, N))
        for k in range(3):
            assert warplu.Solver(A).backward_error(many[k], b, found[k]) < 1e-10


def failures_end_the_call_or_are_nan():
    xla = on_device()
    A, b = matrix(N), numbers((N,))
    none = numpy.zeros(A.nnz)
    assert "WARPLU_SINGULAR" in xla.solve(A, none, b, (N,))
    assert numpy.isnan(xla.solve(A, none, b, (N,), nan=1)).all()
    many = numpy.array([A.data, none, 2 * A.data])
    assert "WARPLU_SINGULAR: member 1" in xla.solve(A, many, b[None], (3, N))
    found = xla.solve(A, many, b[None], (3, N), nan=1)
    close(found[[0, 2]], expected(A, many[[0, 2]], b[None], (2, N)))
    assert numpy.isnan(found[1]).all()
    assert numpy.isnan(xla.solve(A, numpy.array([none, none]), b[None], (2, N), nan=1)).all()
    many = numpy.array([none] * 8 + [A.data] * 3)
    found = xla.solve(A, many, b[None], (11, N), nan=1)
    assert numpy.isnan(found[:8]).all()
    close(found[8:], expected(A, many[8:], b[None], (3, N)))
    assert "WARPLU_NOT_FINITE" in xla.solve(A, numpy.full(A.nnz, numpy.nan), b, (N,))


def what_does_not_fit_is_refused():
    xla = on_device()
    A, b = matrix(N), numbers((N,))
    B = A.copy()
    B.indptr = A.indptr - numpy.int32(1)
    assert "indptr does not end" in xla.solve(B, A.data, b, (N,))
    B.indptr = A.indptr.copy()
    B.indptr[1] = 2**30
    assert "WARPLU_INVALID" in xla.solve(B, A.data, b, (N,))
    assert "no CUDA device 99" in Xla(device=99).solve(A, A.data, b, (N,))


def solvers_and_batches_come_and_go():
    xla = on_device()
    for key in (0, 0), (3, 4):
        for seed in range(20):
            A = matrix(N, seed=seed)
            key, count = (key[0], key[1] + (seed if any(key) else 0)), 1 + seed % 4
            values, b = A.data * numpy.linspace(1, 2, count)[:, None], numbers((count, N))
            for _ in range(2):
                close(xla.solve(A, values, b, (count, N), key=key), expected(A, values, b, (count, N)))


def a_key_stands_for_the_pattern():
    xla = on_device()
    A, b, key = matrix(N), numbers((N,)), (0, 99)
    wanted = expected(A, A.data, b, (N,))
    close(xla.solve(A, A.data, b, (N,), key=key), wanted)
    B = A.copy()
    B.indices = numpy.zeros_like(A.indices)
    close(xla.solve(B, A.data, b, (N,), key=key), wanted)
    assert "WARPLU" in xla.solve(B, A.data, b, (N,), key=(0, 98))


package.run([handlers_introduce_themselves, one_system_is_solved, values_of_their_own_are_a_batch, weak_replays_are_mended,
             failures_end_the_call_or_are_nan, what_does_not_fit_is_refused, solvers_and_batches_come_and_go,
             a_key_stands_for_the_pattern])
