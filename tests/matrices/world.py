"""What the tests of matrices/fetch share: the program, a server and a folder for each test, and the archives there.

The first argument is the source folder."""
import hashlib
import importlib.machinery
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings

source = sys.argv[1]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402
from server import Server, archive, inflate, matrix  # noqa: E402

FETCH = os.path.join(source, "matrices", "fetch")
A, B = matrix(1), matrix(2)
ARCHIVE = archive({"add32/add32.mtx": A, "add32/add32_b.mtx": B, "add32/add32_coord.mtx": B, "add32/notes.txt": b"x"})
OTHER = archive({"add32/add32.mtx": B})
NAME = "Hamm/add32"
FILES = ["SHA256SUMS", "add32.mtx.gz", "add32_b.mtx.gz"]
for variable in [name for name in os.environ if name.lower().endswith("_proxy")]:
    del os.environ[variable]


def load():
    loader = importlib.machinery.SourceFileLoader("fetch", FETCH)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fetch", loader))
    loader.exec_module(module)
    return module


PROGRAM = load()


def live(arguments, out, err, before):
    """The life of a forked process."""
    code = 3
    try:
        signal.alarm(60)
        sys.stdout, sys.stderr, sys.argv = out, err, ["fetch", *arguments]
        if before:
            before()
        code = PROGRAM.main()
    except SystemExit as leave:
        code = leave.code
    except BaseException:  # whatever it is, the test is told
        traceback.print_exc()
    finally:
        out.flush()
        err.flush()
        os._exit(code)


# Newer Pythons warn of a fork beside threads.
warnings.simplefilter("ignore", DeprecationWarning)


class World:
    """A server and a folder for one test."""

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.server, self.folder = Server(), os.path.join(self.temporary.name, "into")
        self.server.put(NAME, ARCHIVE)
        return self

    def __exit__(self, *_):
        self.server.close()
        self.temporary.cleanup()

    def command(self, *arguments):
        return [sys.executable, FETCH, "--server", self.server.url, "--into", self.folder, "--wait", "0",
                *arguments]

    def run(self, *arguments, code=0, before=None):
        """In a fork: Python takes longer to start than all the rest takes. The server's threads are idle then."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            child = os.fork()
            if child == 0:
                live(self.command(*arguments)[2:], out, err, before)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            texts = [file.seek(0) or file.read() for file in (out, err)]
        assert status == code, (arguments, status, texts)
        assert "Traceback" not in texts[1], texts[1]
        return subprocess.CompletedProcess(arguments, status, *texts)

    def fails(self, *arguments, reason, **options):
        done = self.run(*arguments, code=1, **options)
        assert re.search(reason, done.stdout), (reason, done.stdout)
        return done

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write(self, name, contents):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(contents)

    def listed(self):
        return sorted(os.listdir(self.folder))

    def ranges(self):
        return [headers.get("Range") for _, headers in self.server.requests]

    def holds(self, text=A, files=FILES):
        """The folder has these files, the matrix has this text, and all sums are right."""
        assert self.listed() == sorted(files), self.listed()
        assert inflate(self.read("add32.mtx.gz")) == text
        for name in files:
            if name != "SHA256SUMS" and not name.endswith(".bad"):
                assert self.sums()[name] == hashlib.sha256(self.read(name)).hexdigest()

    def sums(self):
        lines = [line for line in self.read("SHA256SUMS").decode().splitlines() if not line.startswith("#")]
        return {name: value for value, name in (line.split("  ") for line in lines)}


def is_sum_of(value, contents):
    return value == hashlib.sha256(contents).hexdigest()


def flip(contents, place):
    return contents[:place] + bytes([contents[place] ^ 1]) + contents[place + 1:]


def wait_for(world, process, name, size):
    deadline = time.monotonic() + 30
    while not os.path.exists(world.path(name)) or os.path.getsize(world.path(name)) < size:
        assert process.poll() is None and time.monotonic() < deadline, f"{name} does not come"
        time.sleep(0.002)


run_cases = tap.run
