"""matrices/fetch against a server on the loopback interface: what is cut off, changed, corrupt, refused, absent.

    test_fetch.py SOURCE
"""
import gzip
import hashlib
import http.client
import importlib.machinery
import importlib.util
import io
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback
import urllib.request
import warnings

source = sys.argv[1]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(source, "tests", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
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


def fetched_then_had():
    with World() as world:
        done = world.run(NAME)
        assert re.fullmatch(r"Hamm/add32: fetched add32.mtx.gz add32_b.mtx.gz \(\d\.\d MB\)\n", done.stdout), done
        assert done.stderr == "", done.stderr
        world.holds()
        assert inflate(world.read("add32_b.mtx.gz")) == B
        assert world.read("add32.mtx.gz")[4:8] == bytes(4), "the time is in it"
        assert is_sum_of(world.sums()["Hamm__add32.tar.gz"], ARCHIVE)
        assert world.run("add32", NAME).stdout == "Hamm/add32: have\n" and len(world.server.requests) == 1


def all_files_and_the_archive_kept():
    with World() as world:
        world.run(NAME)
        world.run(NAME, "--all-files", "--keep")
        world.holds(files=FILES + ["add32_coord.mtx.gz", "Hamm__add32.tar.gz"])
        assert world.read("Hamm__add32.tar.gz") == ARCHIVE and len(world.server.requests) == 2
        assert world.run(NAME, "--all-files").stdout == "Hamm/add32: have\n"


def a_set_goes_on_after_a_failure():
    with World() as world:
        done = world.fails("--set", "paper", reason=r"Hamm/memplus: failed: the server has no such file \(HTTP 404\)")
        assert done.stdout.count("failed") == 3 and "Hamm/add32: fetched" in done.stdout
        assert len(world.server.requests) == 4, "a file that is not there was asked for again"
        world.holds()


def a_cut_connection_is_resumed():
    with World() as world:
        world.server.tell(NAME, ("cut", 10000), ("cut", 5000))
        world.run(NAME, "--keep", "--retries", "0")
        assert world.ranges() == [None, "bytes=10000-", "bytes=15000-"], world.ranges()
        assert all(headers["If-Range"] == '"1"' for _, headers in world.server.requests[1:])
        assert world.read("Hamm__add32.tar.gz") == ARCHIVE


def a_range_is_asked_for_where_the_server_leads():
    with World() as world:
        world.server.tell(NAME, 302, ("cut", 10000), 302)
        world.run(NAME)
        assert world.ranges() == [None, None, "bytes=10000-", "bytes=10000-"]
        assert [path.endswith("?there") for path, _ in world.server.requests] == [False, True] * 2
        world.holds()


def plain_https():
    """https without the cryptography, for which a server would need a certificate."""
    urllib.request.HTTPSHandler.https_open = lambda self, request: self.do_open(http.client.HTTPConnection, request)


def https_does_not_lead_to_http():
    with World() as world:
        secure = world.server.url.replace("http:", "https:")
        away = f"{world.server.url}/MM/{NAME}.tar.gz?away"
        world.server.tell(NAME, 302, ("lead", away))
        world.fails(NAME, "--server", secure, before=plain_https,
                    reason=rf"failed: refused: the server leads from https to http, {re.escape(away)}\n")
        assert world.listed() == [] and len(world.server.requests) == 2, "it is neither followed nor tried again"
        world.server.tell(NAME, 302, ("lead", away.replace("http:", "https:")))
        world.run(NAME, "--server", secure, before=plain_https)
        world.holds()


def a_truncated_transfer_is_kept_for_the_next_run():
    with World() as world:
        world.server.tell(NAME, ("cut", 10000), ("cut", 0), ("cut", 0))
        size = len(ARCHIVE)
        world.fails(NAME, "--retries", "1", reason=rf"ended after 10000 of {size} bytes; 0.0 MB are kept, run again")
        assert world.listed() == ["Hamm__add32.tar.gz.part", "Hamm__add32.tar.gz.part.tag"]
        assert world.read("Hamm__add32.tar.gz.part") == ARCHIVE[:10000]
        world.run(NAME)
        assert world.ranges()[-1] == "bytes=10000-"
        world.holds()


def a_server_without_ranges_begins_anew():
    with World() as world:
        world.server.tell(NAME, ("cut", 10000), "whole")
        world.run(NAME)
        assert world.ranges() == [None, "bytes=10000-"]
        world.holds()


def a_server_that_always_cuts_does_not_go_on_for_ever():
    with World() as world:
        world.server.put(NAME, ARCHIVE, tag=None)
        world.server.tell(NAME, *[("cut", 10000)] * 20)
        world.fails(NAME, "--retries", "2", reason=r"failed: the transfer ended after \d+ of \d+ bytes; run again\n")
        assert world.ranges() == [None] * 4, "without a tag nothing may be resumed, and three times is enough"


def a_changed_file_begins_anew():
    with World() as world:
        world.server.tell(NAME, ("cut", 10000), ("cut", 0))
        world.fails(NAME, "--retries", "0", reason="run again")
        world.server.put(NAME, OTHER, tag=None)
        world.server.tell(NAME, ("cut", 5000))
        world.run(NAME)
        assert world.ranges() == [None, "bytes=10000-", "bytes=10000-", None], "the old tag is not the new file's"
        world.holds(text=B, files=["SHA256SUMS", "add32.mtx.gz"])


def a_range_that_cannot_be_had():
    for part, asked in (ARCHIVE, ["bytes={}-"]), (ARCHIVE + b"more", ["bytes={}-", None]):
        with World() as world:
            world.write("Hamm__add32.tar.gz.part", part)
            world.write("Hamm__add32.tar.gz.part.tag", b'"1"')
            world.run(NAME)
            assert world.ranges() == [a and a.format(len(part)) for a in asked], world.ranges()
            world.holds()


def a_range_that_was_not_asked_for():
    with World() as world:
        world.server.tell(NAME, ("cut", 10000), "elsewhere")
        world.run(NAME)
        assert world.ranges() == [None, "bytes=10000-", None]
        world.holds()


def a_weak_tag_is_not_resumed_from():
    with World() as world:
        world.server.put(NAME, ARCHIVE, tag='W/"1"')
        world.server.tell(NAME, ("cut", 10000))
        world.run(NAME)
        assert world.ranges() == [None, None]
        world.holds()


def errors_of_the_server_are_waited_out():
    with World() as world:
        world.server.tell(NAME, 500, 503, 429)
        begin = time.monotonic()
        world.run(NAME, "--wait", "0.05")
        assert len(world.server.requests) == 4 and time.monotonic() - begin >= 0.35
        world.holds()
    with World() as world:
        world.server.tell(NAME, 403)
        world.fails(NAME, reason="failed: the server answers HTTP 403 Forbidden\n")
        assert len(world.server.requests) == 1


def the_server_says_when_to_come_again():
    """In seconds, at most a minute; a date, nonsense and less than the own wait, which doubles, change nothing."""
    with World() as world:
        slept = os.path.join(world.temporary.name, "slept")

        def sleep(seconds):
            with open(slept, "a", encoding="utf-8") as file:
                file.write(f"{seconds:g} ")

        answers = "7", "86400", "Wed, 21 Oct 2065 07:28:00 GMT", "-30", "3", "9" * 5000
        world.server.tell(NAME, *[("later", text) for text in answers], 500)
        world.run(NAME, "--wait", "1", "--retries", "7", before=lambda: setattr(time, "sleep", sleep))
        with open(slept, encoding="utf-8") as file:
            assert file.read() == "7 60 4 8 16 60 64 "
        world.holds()


def silence_is_an_error():
    with World() as world:
        world.server.tell(NAME, ("hang", 10000), ("hang", 0))
        world.fails(NAME, "--retries", "0", "--timeout", "0.2", reason=r"the transfer broke \(timed out\); 0.0 MB are")
        assert world.listed() == ["Hamm__add32.tar.gz.part", "Hamm__add32.tar.gz.part.tag"]


def corrupt_archives():
    html = b"<html>Please log in</html>"
    bad = {f"C{k}/add32": contents for k, contents in enumerate(
        (html, b"", ARCHIVE[:-4000], flip(ARCHIVE, len(ARCHIVE) - 6), flip(ARCHIVE, 5000)))}
    with World() as world:
        for name, contents in bad.items():
            world.server.put(name, contents)
        done = world.run(*bad, code=1)
        for line, name in zip(done.stdout.splitlines(), bad):
            aside = name.replace("/", "__") + ".tar.gz.bad"
            assert re.fullmatch(rf"{name}: failed: the archive is corrupt \(.+\); put aside as {aside}", line), line
        assert world.listed() == [f"C{k}__add32.tar.gz.bad" for k in range(5)]
        world.server.put("C1/add32", ARCHIVE)
        world.run("C1/add32")
        world.holds(files=FILES + [f"C{k}__add32.tar.gz.bad" for k in range(5)])


def link(kind, target):
    info = tarfile.TarInfo("add32/add32_b.mtx")
    info.type, info.linkname = kind, target
    return info


def huge():
    """The beginning of an archive whose one member claims to be large."""
    info = tarfile.TarInfo("add32/add32.mtx")
    info.size = 1 << 40
    return gzip.compress(info.tobuf(tarfile.GNU_FORMAT))


def refused_archives():
    good = {"add32/add32.mtx": A}
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for text in A, B:
            info = tarfile.TarInfo("add32/add32.mtx")
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text))
    cases = [(archive({**good, "add32/../../escaped.mtx": A}), "leads elsewhere"),
             (archive({**good, "/tmp/add32.mtx": A}), "leads elsewhere"),
             (archive({**good, "link": link(tarfile.SYMTYPE, "/etc/passwd")}), "is a link"),
             (archive({**good, "link": link(tarfile.LNKTYPE, "add32/add32.mtx")}), "is a link"),
             (huge(), "would have 1099511627776 bytes"),
             (archive({"add32/add32.mtx": b"<html>"}), "no Matrix Market file"),
             (archive({"other/add32.mtx": A}), "does not have add32/add32.mtx"),
             (made.getvalue(), "is in it twice")]
    with World() as world:
        names = [f"R{k}/add32" for k in range(len(cases))]
        for name, (contents, _) in zip(names, cases):
            world.server.put(name, contents)
        done = world.run(*names, "--all-files", code=1)
        for line, name, (_, reason) in zip(done.stdout.splitlines(), names, cases):
            assert re.match(f"{name}: failed: .*{reason}", line), (line, reason)
        assert world.listed() == [f"R{k}__add32.tar.gz.bad" for k in range(len(cases))], world.listed()
        assert not os.path.exists(os.path.join(world.temporary.name, "escaped.mtx.gz"))


def an_archive_of_too_many_members():
    with World() as world:
        world.fails(NAME, reason="the archive is refused: it has more than 3 members",
                    before=lambda: setattr(PROGRAM, "MOST_MEMBERS", 3))


def a_changed_archive_is_an_error_until_accepted():
    with World() as world:
        world.run(NAME)
        os.remove(world.path("add32.mtx.gz"))
        world.server.put(NAME, OTHER)
        done = world.fails(NAME, reason="; --accept records the new one; put aside as Hamm__add32.tar.gz.bad")
        sums = [hashlib.sha256(contents).hexdigest() for contents in (OTHER, ARCHIVE)]
        assert "has the checksum {}, recorded is {}".format(*sums) in done.stdout
        assert world.sums()["Hamm__add32.tar.gz"] == sums[1] and world.read("Hamm__add32.tar.gz.bad") == OTHER
        assert world.listed() == ["Hamm__add32.tar.gz.bad", "SHA256SUMS", "add32_b.mtx.gz"]
        world.run(NAME, "--accept")
        assert world.sums()["Hamm__add32.tar.gz"] == sums[0]
        world.holds(text=B, files=FILES + ["Hamm__add32.tar.gz.bad"])


def verify_finds_a_flipped_byte():
    with World() as world:
        world.run(NAME, "--keep")
        assert world.run("--verify").stdout == "Hamm/add32: verified\n"
        good = world.read("add32.mtx.gz")
        world.write("add32.mtx.gz", flip(good, 1000))
        done = world.fails("--verify", reason="failed: add32.mtx.gz has the checksum")
        sums = [hashlib.sha256(contents).hexdigest() for contents in (flip(good, 1000), good)]
        assert "{}, recorded is {}; put aside as add32.mtx.gz.bad".format(*sums) in done.stdout
        assert world.sums()["add32.mtx.gz"] == sums[1]
        assert world.run("--verify").stdout == "Hamm/add32: verified, without add32.mtx.gz, not there\n"
        world.run(NAME)
        assert world.read("add32.mtx.gz") == good and len(world.server.requests) == 1
        world.fails("--verify", "Hamm/memplus", reason="Hamm/memplus: failed: nothing is recorded")


def verify_accepts():
    with World() as world:
        world.run(NAME)
        world.write("add32.mtx.gz", b"mine")
        world.run("--verify", "--accept")
        assert is_sum_of(world.sums()["add32.mtx.gz"], b"mine") and world.run("--verify").stderr == ""


def damage_is_mended():
    with World() as world:
        world.run(NAME)
        world.write("add32.mtx.gz", flip(world.read("add32.mtx.gz"), 1000))
        assert "fetch: add32.mtx.gz has the checksum" in world.run(NAME).stderr
        world.holds(files=FILES + ["add32.mtx.gz.bad"])


def nothing_else_is_overwritten():
    with World() as world:
        world.write("add32.mtx.gz", b"mine")
        world.fails(NAME, reason="add32.mtx.gz is there already and not recorded")
        assert world.read("add32.mtx.gz") == b"mine" and not world.server.requests


def equal_names_of_two_groups():
    with World() as world:
        world.server.put("Others/add32", OTHER)
        world.run(NAME, "Others/add32")
        world.holds(files=FILES + ["Others__add32.mtx.gz"])
        assert inflate(world.read("Others__add32.mtx.gz")) == B
        done = world.run(NAME, "Others/add32", "--verify")
        assert done.stdout == "Hamm/add32: verified\nOthers/add32: verified\n"


def bare_names_by_the_index():
    with World() as world:
        rows = "2\n08-Oct-2020 17:09:58\nA,twice,1,1\nB,twice,1,1\nC,once,1,1\n"
        world.server.files["/files/ssstats.csv"] = (rows.encode(), None)
        world.server.put("C/once", archive({"once/once.mtx": A}))
        done = world.fails("twice", "once", "never", "add32",
                           reason="twice: failed: several groups have this name, give one of A/twice, B/twice\n")
        assert "C/once: fetched" in done.stdout and "Hamm/add32: fetched" in done.stdout
        assert re.search("never: failed: no set has this name, nor has the index .*ssstats.csv", done.stdout)
        world.run("once")
        assert [path for path, _ in world.server.requests].count("/files/ssstats.csv") == 1, "it is cached"


def offline():
    with World() as world:
        world.server.close()
        begin = time.monotonic()
        done = world.fails(NAME, "Hamm/memplus", "unheard", "--retries", "1", "--wait", "0.6",
                           reason="^Hamm/add32: failed: the server cannot be reached\nHamm/memplus: failed: the server")
        assert "unheard: failed: give its group, GROUP/NAME; the index" in done.stdout
        assert 0.6 <= time.monotonic() - begin < 1.7, "it is waited once and not for every matrix"
        lines = done.stderr.splitlines()
        assert lines[0].startswith(f"fetch: {world.server.url} cannot be reached (Connection refused); bring these")
        assert "matrices/fetch --from FOLDER" in lines[0]
        assert lines[1:] == [f"  {world.server.url}/MM/Hamm/{name}.tar.gz" for name in ("add32", "memplus")]
        assert world.listed() == []


def by_hand():
    with World() as world:
        hand = os.path.join(world.temporary.name, "hand")
        third = archive({"circuit_3/circuit_3.mtx": B})
        for name, contents in {"add32.tar.gz": ARCHIVE, "Bomhof/circuit_3.tar.gz": third, "memplus.mtx": A,
                               "memplus_b.mtx": B, "holiday.tar.gz": b"photographs", "Made__up.mtx": B,
                               "circuit_4.mtx": b"<html>"}.items():
            world.write(os.path.join(hand, name), contents)
        done = world.fails("--from", hand, reason="Bomhof/circuit_4: failed: this is no Matrix Market file\n")
        assert done.stdout.count(": fetched") == 3 and done.stdout.count("\n") == 4
        assert done.stderr == "fetch: left alone, in no set and no index: holiday; to take one, name it GROUP/NAME\n"
        world.holds(files=FILES + ["circuit_3.mtx.gz", "memplus.mtx.gz", "memplus_b.mtx.gz"])
        assert inflate(world.read("memplus.mtx.gz")) == A and inflate(world.read("memplus_b.mtx.gz")) == B
        assert world.run("--from", hand, "Made/up").stdout.startswith("Made/up: fetched up.mtx.gz")
        world.fails("--from", hand, "Hamm/add20", reason="Hamm/add20: failed: .* has neither")
        assert world.run("--from", hand, "memplus").stdout == "Hamm/memplus: have\n"
        assert os.path.exists(os.path.join(hand, "add32.tar.gz")) and not world.server.requests


def by_hand_against_recorded_sums():
    with World() as world:
        world.run(NAME)
        recorded = world.sums()
        hand = os.path.join(world.temporary.name, "hand")
        world.write(os.path.join(hand, "add32.mtx"), B)
        os.remove(world.path("add32.mtx.gz"))
        world.fails("--from", hand, reason="add32.mtx.gz has the checksum .* recorded is " + recorded["add32.mtx.gz"])
        assert world.sums() == recorded and not os.path.exists(world.path("add32.mtx.gz"))
        world.write(os.path.join(hand, "add32.mtx"), A)
        world.run("--from", hand)
        assert world.sums() == recorded
        world.holds(files=FILES + ["add32.mtx.gz.bad"])


def progress_on_a_terminal_alone():
    with World() as world:
        terminal, end = pty.openpty()
        done = subprocess.run(world.command(NAME), stdout=subprocess.PIPE, stderr=end, timeout=60, check=True)
        os.close(end)
        shown = os.read(terminal, 1 << 16).decode()
        os.close(terminal)
        assert re.match(r"\rHamm/add32  \d+ %  \d\.\d of \d\.\d MB  \d+:\d\d left", shown), shown
        assert shown.endswith("\r\033[K") and done.stdout.startswith(b"Hamm/add32: fetched")


def wait_for(world, process, name, size):
    deadline = time.monotonic() + 30
    while not os.path.exists(world.path(name)) or os.path.getsize(world.path(name)) < size:
        assert process.poll() is None and time.monotonic() < deadline, f"{name} does not come"
        time.sleep(0.002)


def killed_while_downloading():
    with World() as world:
        world.server.tell(NAME, ("hang", 20000))
        with subprocess.Popen(world.command(NAME), stdout=subprocess.PIPE) as process:
            wait_for(world, process, "Hamm__add32.tar.gz.part", 20000)
            process.send_signal(signal.SIGKILL)
        assert world.listed() == ["Hamm__add32.tar.gz.part", "Hamm__add32.tar.gz.part.tag"]
        world.run(NAME)
        assert world.ranges() == [None, "bytes=20000-"]
        world.holds()


def killed_while_unpacking():
    text = matrix(3, 40000)
    with World() as world:
        world.server.put(NAME, archive({"add32/add32.mtx": text}))
        with subprocess.Popen(world.command(NAME), stdout=subprocess.PIPE) as process:
            wait_for(world, process, "add32.mtx.gz.new", 1)
            process.send_signal(signal.SIGKILL)
        assert "add32.mtx.gz" not in world.listed() and "Hamm__add32.tar.gz" in world.listed()
        world.run(NAME)
        assert len(world.server.requests) == 1, "the archive was there"
        world.holds(text=text, files=["SHA256SUMS", "add32.mtx.gz"])


def killed_between_record_and_name():
    """The sums are there, the file is the one from before: it is not taken for what the sums say."""
    with World() as world:
        world.run(NAME)
        world.write("add32.mtx.gz", b"from before")
        os.remove(world.path("add32_b.mtx.gz"))
        world.run(NAME)
        world.holds(files=FILES + ["add32.mtx.gz.bad"])


def one_run_at_a_time():
    with World() as world:
        world.server.tell(NAME, ("hang", 1))
        with subprocess.Popen(world.command(NAME), stdout=subprocess.PIPE) as process:
            wait_for(world, process, "Hamm__add32.tar.gz.part", 1)
            assert "another run is at work in" in world.run("Hamm/memplus", code=1).stderr
            process.kill()


def disks_that_do_not_take_it():
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

    with World() as world:
        world.fails(NAME, reason="Hamm/add32: failed: cannot write: File too large\n", before=small_files)
        assert world.listed() == ["Hamm__add32.tar.gz.part", "Hamm__add32.tar.gz.part.tag"]
        world.run(NAME, "--keep")
        for name in "add32.mtx.gz", "add32_b.mtx.gz":
            os.remove(world.path(name))
        world.fails(NAME, reason="failed: cannot write: File too large\n", before=small_files)
        assert world.listed() == ["Hamm__add32.tar.gz", "SHA256SUMS"]
        file = os.path.join(world.temporary.name, "file")
        world.write(file, b"")
        assert f"fetch: {file}: " in world.run(NAME, "--into", file, code=1).stderr
        assert f"fetch: {file}/into: Not a directory" in world.run(NAME, "--into", f"{file}/into", code=1).stderr


def sums_that_cannot_be_read():
    with World() as world:
        world.write("SHA256SUMS", b"# Hamm/add32\nnonsense\n")
        done = world.run(NAME, code=1)
        assert "SHA256SUMS:2: neither" in done.stderr and world.read("SHA256SUMS") == b"# Hamm/add32\nnonsense\n"


def lists():
    with World() as world:
        assert "set paper: 4 matrices, 0 here" in world.run("--list").stdout and not os.path.exists(world.folder)
        world.run(NAME)
        done = world.run("--list")
        assert "set paper: 4 matrices, 1 here" in done.stdout and re.search(r"Hamm/add32: \d\.\d MB\n", done.stdout)


def sets_are_names():
    folder = os.path.join(source, "matrices", "sets")
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
        assert lines and len(lines) == len(set(lines)), f"{name}: a name is there twice"
        assert all(re.fullmatch(r"\w+/\w+", line) for line in lines), name


def usage():
    with World() as world:
        for arguments in [], ["--set", "nonsense"], ["../x"], ["A/../B"], ["A/B/C"], ["--from", "/nowhere"], \
                ["--verify", "--list"], ["--server", "file:///etc", NAME], ["--timeout", "no", NAME]:
            assert world.run(*arguments, code=2).stderr.startswith("usage: matrices/fetch"), arguments
        assert not os.path.exists(world.folder) and not world.server.requests
    assert os.access(FETCH, os.X_OK)


tap.run([fetched_then_had, all_files_and_the_archive_kept, a_set_goes_on_after_a_failure, a_cut_connection_is_resumed,
         a_range_is_asked_for_where_the_server_leads, https_does_not_lead_to_http,
         a_truncated_transfer_is_kept_for_the_next_run, a_server_without_ranges_begins_anew,
         a_server_that_always_cuts_does_not_go_on_for_ever, a_changed_file_begins_anew, a_range_that_cannot_be_had,
         a_range_that_was_not_asked_for, a_weak_tag_is_not_resumed_from, errors_of_the_server_are_waited_out,
         the_server_says_when_to_come_again, silence_is_an_error, corrupt_archives, refused_archives,
         an_archive_of_too_many_members, a_changed_archive_is_an_error_until_accepted,
         verify_finds_a_flipped_byte, verify_accepts, damage_is_mended, nothing_else_is_overwritten,
         equal_names_of_two_groups, bare_names_by_the_index, offline, by_hand, by_hand_against_recorded_sums,
         progress_on_a_terminal_alone, killed_while_downloading, killed_while_unpacking,
         killed_between_record_and_name, one_run_at_a_time, disks_that_do_not_take_it, sums_that_cannot_be_read, lists,
         sets_are_names, usage])
