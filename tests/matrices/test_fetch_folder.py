"""matrices/fetch and its folder: what archives hold, names, checksums, files brought by hand, a full disk, kills.

    test_fetch_folder.py SOURCE
"""
import gzip
import hashlib
import io
import os
import re
import resource
import signal
import subprocess
import sys
import tarfile

sys.dont_write_bytecode = True
from server import archive, inflate, matrix  # noqa: E402
from world import (  # noqa: E402
    A, ARCHIVE, B, FETCH, FILES, NAME, OTHER, PROGRAM, World, flip, is_sum_of, run_cases, source, wait_for)


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


run_cases([fetched_then_had, all_files_and_the_archive_kept, a_set_goes_on_after_a_failure, corrupt_archives,
           refused_archives, an_archive_of_too_many_members, a_changed_archive_is_an_error_until_accepted,
           verify_finds_a_flipped_byte, verify_accepts, damage_is_mended, nothing_else_is_overwritten,
           equal_names_of_two_groups, bare_names_by_the_index, by_hand, by_hand_against_recorded_sums,
           killed_while_unpacking, killed_between_record_and_name, one_run_at_a_time, disks_that_do_not_take_it,
           sums_that_cannot_be_read, lists, sets_are_names, usage])
