"""Files: sizes, checksums, putting aside, and the lock of a folder.

What is damaged is renamed to .bad, never removed: it may be what the user wants to look at."""
import fcntl
import hashlib
import os

from .failures import Failed

BLOCK = 1 << 16


def size_of(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


def remove(path):
    if os.path.lexists(path):
        os.remove(path)


def settle(file):
    file.flush()
    os.fsync(file.fileno())


def sum_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(BLOCK), b""):
            digest.update(block)
    return digest.hexdigest()


def set_aside(path):
    os.replace(path, path + ".bad")


def lock(path):
    """Only one run works in a folder. Held until the process ends."""
    try:
        fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Failed(f"another run is at work in {path}") from error
