#!/usr/bin/env python3
"""warplu ended by a signal while it writes a file: the program ends by that signal, the old target is as it was, and nothing
else is in the folder. As the program is, and built without files that have no name yet, as some file systems lack them.
Standard library only; TAP on standard output. Usage: test_signals.py WARPLU [named]"""
import os
import signal
import subprocess
import sys
import tempfile
import time

from harness import WARPLU, Skip, matrix_text, run_cases

ENOUGH = 200000  # bytes that have been written when the signal comes
OLD = b"what stood there before\n"
BIG = ("gen", "mesh2d", "--size", "500000")


def written(process, folder):
    """Bytes of the largest file that the process has open in the folder: what it reads there is small."""
    descriptors, most = f"/proc/{process.pid}/fd", 0
    for fd in os.listdir(descriptors):
        try:
            target, size = os.readlink(f"{descriptors}/{fd}"), os.stat(f"{descriptors}/{fd}").st_size
        except FileNotFoundError:  # closed in the meantime
            continue
        if target.startswith(folder + "/"):
            most = max(most, size)
    return most


def interrupt(number, arguments, files):
    """Sends the signal when enough is written. The folder's files before are `files`, name: bytes; afterwards, too."""
    if not os.path.isdir(f"/proc/{os.getpid()}/fd"):
        raise Skip("there is no /proc to see when the program writes")
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        for name, data in files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        process = subprocess.Popen([WARPLU, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))  # nohup ignores it
        end = time.monotonic() + 100
        while process.poll() is None and time.monotonic() < end and written(process, folder) < ENOUGH:
            time.sleep(0.001)
        process.send_signal(number)
        error = process.communicate(timeout=60)[1]
        assert process.returncode == -number, f"{arguments}: ended by {process.returncode}, not {-number}: {error!r}"
        assert error == b"", error
        left = {name: open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder)}
        assert left == files, f"{arguments}: in the folder are {({name: len(data) for name, data in left.items()})}"


def a_generated_matrix():
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        interrupt(number, [*BIG, "-o", "a.mtx"], {"a.mtx": OLD})
        interrupt(number, [*BIG, "-o", "a.mtx"], {})


def a_compressed_matrix():
    interrupt(signal.SIGINT, [*BIG, "-o", "a.mtx.gz"], {"a.mtx.gz": OLD})


def a_solution():
    files = {"input.mtx": matrix_text(4, 4, {(k, k): 3 for k in range(4)}).encode(),
             "b.mtx": matrix_text(4, 1000000, {(0, 0): 1}).encode(), "x.mtx": OLD}
    interrupt(signal.SIGTERM, ["solve", "input.mtx", "--rhs", "b.mtx", "--check", "off", "-o", "x.mtx"], files)


def a_program_that_is_killed():
    """SIGKILL leaves no time to remove anything."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
        except OSError as error:
            raise Skip("this file system has no files without a name") from error
    interrupt(signal.SIGKILL, [*BIG, "-o", "a.mtx"], {"a.mtx": OLD})


CASES = [a_generated_matrix, a_compressed_matrix, a_solution]
run_cases(CASES if sys.argv[2:] == ["named"] else CASES + [a_program_that_is_killed])
