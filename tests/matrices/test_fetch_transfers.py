"""matrices/fetch against a server on the loopback interface: what is cut off, changed under way, late, silent, absent.

    test_fetch_transfers.py SOURCE
"""
import http.client
import os
import pty
import re
import signal
import subprocess
import sys
import time
import urllib.request

sys.dont_write_bytecode = True
from world import ARCHIVE, B, NAME, OTHER, World, run_cases, wait_for  # noqa: E402


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


def plain_host():
    """The test's server in place of the collection's own file server."""
    plain_https()
    sys.modules["lib.net"].PLAIN_HOSTS.add("127.0.0.1")


def https_leads_to_the_collection_s_file_server():
    with World() as world:
        world.server.tell(NAME, 302, ("lead", f"{world.server.url}/MM/{NAME}.tar.gz?away"))
        world.run(NAME, "--server", world.server.url.replace("http:", "https:"), before=plain_host)
        world.holds()


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


def progress_on_a_terminal_alone():
    with World() as world:
        terminal, end = pty.openpty()
        done = subprocess.run(world.command(NAME), stdout=subprocess.PIPE, stderr=end, timeout=60, check=True)
        os.close(end)
        shown = os.read(terminal, 1 << 16).decode()
        os.close(terminal)
        assert re.match(r"\rHamm/add32  \d+ %  \d\.\d of \d\.\d MB  \d+:\d\d left", shown), shown
        assert shown.endswith("\r\033[K") and done.stdout.startswith(b"Hamm/add32: fetched")


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


run_cases([a_cut_connection_is_resumed, a_range_is_asked_for_where_the_server_leads, https_does_not_lead_to_http,
           https_leads_to_the_collection_s_file_server,
           a_truncated_transfer_is_kept_for_the_next_run, a_server_without_ranges_begins_anew,
           a_server_that_always_cuts_does_not_go_on_for_ever, a_changed_file_begins_anew, a_range_that_cannot_be_had,
           a_range_that_was_not_asked_for, a_weak_tag_is_not_resumed_from, errors_of_the_server_are_waited_out,
           the_server_says_when_to_come_again, silence_is_an_error, offline, progress_on_a_terminal_alone,
           killed_while_downloading])
