"""Every malformed file of tests/bad, through the command line: exit 1, the file's name and line and what was expected in
the message, nothing on standard output, nothing written."""
import os

from harness import path, run, run_cases

BAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bad")


def expected():
    with open(os.path.join(BAD, "EXPECTED"), encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                yield line.rstrip("\n").split(" ", 2)


def every_file_is_in_the_list():
    listed = {name for name, _, _ in expected()}
    found = {name for name in os.listdir(BAD) if ".mtx" in name}
    assert listed == found, listed ^ found
    assert len(listed) > 50


def solve_refuses_each():
    for name, _, substring in expected():
        done = run("solve", os.path.join(BAD, name), "-o", "x.mtx", code=1)
        assert name in done.err and substring in done.err, f"{name}: {done.err}"
        assert done.out == "" and not os.path.exists(path("x.mtx")), name


def json_carries_the_status():
    for name, status, _ in expected():
        done = run("info", os.path.join(BAD, name), "--json", code=1)
        assert f'"status": "{status}"' in done.out, f"{name}: {done.out}"


def bench_goes_on_after_each():
    names = [os.path.join(BAD, name) for name, _, _ in expected()]
    done = run("bench", *names, "--json", code=1)
    lines = done.out.splitlines()[1:]  # the first one tells of the run
    assert len(lines) == len(names)
    for line, (name, status, _) in zip(lines, expected()):
        assert f'"status": "{status}"' in line and name in line, line


run_cases([every_file_is_in_the_list, solve_refuses_each, json_carries_the_status, bench_goes_on_after_each])
