"""Statuses of the library as exceptions and warnings. The extension calls `fail` and `warn`."""
from __future__ import annotations

import contextlib
import enum
import errno
import os
import sys
import warnings
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy


class Status(enum.IntEnum):
    """The library's status codes: 0 is success, above 0 a warning, below 0 an error."""

    SUCCESS = 0
    REPIVOTED = 1
    INACCURATE = 2
    UNCHECKED = 3
    WEAK = 4
    ENQUEUED = 5
    MEMBERS_FAILED = 6
    INVALID_ARGUMENT = -1
    WRONG_PHASE = -2
    OUT_OF_MEMORY = -3
    OVERFLOW = -4
    STRUCTURALLY_SINGULAR = -5
    SINGULAR = -6
    NOT_FINITE = -7
    NOT_SQUARE = -8
    EMPTY = -9
    NO_VALUES = -10
    COMPLEX_UNSUPPORTED = -11
    PATTERN_MISMATCH = -12
    CANNOT_OPEN = -13
    CANNOT_READ = -14
    CANNOT_WRITE = -15
    BAD_FORMAT = -16
    NOT_COMPILED = -17
    NO_DEVICE = -18
    PROGRAM_TOO_LARGE = -19
    CANCELLED = -20
    THREADS_UNSUPPORTED = -21
    INTERNAL = -22
    VERSION_MISMATCH = -23
    DEVICE_FAILED = -24
    PRECISION_UNSUPPORTED = -25
    EMPTY_COLUMNS = -26
    FACTORS_TOO_LARGE = -27
    MODEL_EQUATIONS = -28
    NO_CONVERGENCE = -29
    STEP_TOO_SMALL = -30
    OUT_OF_RANGE = -31
    TOO_MANY_STEPS = -32


class _Told(Exception):
    """What a status and a text say. It goes through pickle, and so comes back from other processes."""

    status: Status

    def __init__(self, status: int, text: str):
        super().__init__(text)
        self.status = Status(status)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (int(self.status), self.args[0]), vars(self)


class WarpluError(_Told, RuntimeError):
    """A call of the library was not done. `status` says why; SciPy's splu raises RuntimeError, too."""


class SingularMatrixError(WarpluError, numpy.linalg.LinAlgError):
    """The matrix has no usable pivot in a column, or is singular by its pattern alone."""


class NotFiniteError(WarpluError, ValueError):
    """A value, a right-hand side or a result is infinite or not a number."""


class InvalidArgumentError(WarpluError, ValueError):
    """An argument or an option is out of its range."""


class PatternMismatchError(WarpluError, ValueError):
    """Values do not belong to the pattern that was analyzed."""


class WrongPhaseError(WarpluError):
    """A call came before one that it needs: there are no factors, no pivots or no program yet."""


class OutOfMemoryError(WarpluError, MemoryError):
    """There is no memory, or a limit of the options is exceeded."""


def _errno_of(text: str) -> int | None:
    """The number whose words the system has put at the end of a text."""
    return next((number for number in errno.errorcode if text.endswith(os.strerror(number))), None)


class FileError(WarpluError, OSError):
    """A file cannot be opened, read or written, or is none of `save`: an OSError, too, with filename, and errno where the system
    said why."""

    def __init__(self, status: int, text: str):
        super().__init__(status, text)
        self.errno = _errno_of(text)

    def __reduce__(self) -> tuple[Any, ...]:
        kind, arguments, state = super().__reduce__()
        return kind, arguments, state | {"filename": self.filename}

    __str__ = BaseException.__str__


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file: a FileNotFoundError, too."""


class DeviceError(WarpluError):
    """There is no such device, it failed, or this build has no kernels for it."""


class WarpluWarning(_Told, RuntimeWarning):
    """A call was done, and its result needs a look. `status` says why."""


_ERRORS = {
    Status.SINGULAR: SingularMatrixError, Status.STRUCTURALLY_SINGULAR: SingularMatrixError,
    Status.NOT_FINITE: NotFiniteError, Status.PATTERN_MISMATCH: PatternMismatchError,
    Status.WRONG_PHASE: WrongPhaseError, Status.OUT_OF_MEMORY: OutOfMemoryError,
    Status.FACTORS_TOO_LARGE: OutOfMemoryError, Status.PROGRAM_TOO_LARGE: OutOfMemoryError,
    Status.CANNOT_OPEN: FileError, Status.CANNOT_READ: FileError, Status.CANNOT_WRITE: FileError,
    Status.BAD_FORMAT: FileError, Status.VERSION_MISMATCH: FileError,
    Status.NO_DEVICE: DeviceError, Status.DEVICE_FAILED: DeviceError, Status.NOT_COMPILED: DeviceError,
    Status.INVALID_ARGUMENT: InvalidArgumentError, Status.EMPTY: InvalidArgumentError,
    Status.OVERFLOW: InvalidArgumentError, Status.NOT_SQUARE: InvalidArgumentError,
    Status.THREADS_UNSUPPORTED: InvalidArgumentError, Status.PRECISION_UNSUPPORTED: InvalidArgumentError,
}
# New pivots keep the promise of a success, and what is enqueued is judged later.
_QUIET = frozenset({Status.REPIVOTED, Status.ENQUEUED})
_HERE = os.path.dirname(__file__)


def error(status: int, text: str) -> WarpluError:
    kind = _ERRORS.get(Status(status), WarpluError)
    return (MissingFileError if kind is FileError and _errno_of(text) == errno.ENOENT else kind)(status, text)


@contextlib.contextmanager
def of_file(path: str | bytes | os.PathLike[Any]) -> Iterator[None]:
    """Gives errors of the block the name of its file."""
    try:
        yield
    except FileError as found:
        found.filename = os.fspath(path)
        raise


def fail(status: int, text: str) -> None:
    raise error(status, text)


def warn(status: int, text: str) -> None:
    if status not in _QUIET:
        warn_always(status, text)


def warn_always(status: int, text: str) -> None:
    """Warns as if by the line that called into the package."""
    warnings.warn(WarpluWarning(status, text), stacklevel=caller_level())


def caller_level() -> int:
    """The stacklevel of the line that called into the package, for a function of the package that warns."""
    level = 1
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == _HERE:
        level, frame = level + 1, frame.f_back
    return level
