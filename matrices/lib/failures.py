"""Why a matrix cannot be had.

What goes wrong with one matrix is an exception of the kinds below, whose text the user reads as the reason; the other
matrices are gone on with. The kind says what may still be tried."""


class Failed(Exception):
    """A matrix cannot be had; the text is the reason."""


class Refused(Failed):
    """What came is not what it should be."""


class Transient(Failed):
    """It may be had by trying again, after wait_s at the earliest."""

    def __init__(self, text, wait_s=0):
        super().__init__(text)
        self.wait_s = wait_s


class Unreachable(Transient):
    """No connection to the server."""


def reason_of(error):
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def file_error(error):
    return f"{error.filename}: {reason_of(error)}" if error.filename else f"cannot write: {reason_of(error)}"
