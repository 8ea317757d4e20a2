"""tools/gpu-check can fail: on a machine without a device, and on stand-ins for what it runs that go wrong in every way.

    test_gpu_check.py SOURCE WARPLU
"""
import os
import shutil
import subprocess
import sys
import tempfile

SOURCE, WARPLU = map(os.path.abspath, sys.argv[1:3])
sys.path.insert(0, os.path.join(SOURCE, "tests", "support"))
sys.dont_write_bytecode = True
import tap  # noqa: E402

MATRIX = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n"
DEVICE = "device:\n  status WARPLU_SUCCESS\n  name Stand-in\n"
NO_DEVICE = "device:\n  status WARPLU_NO_DEVICE\n  message no driver\n"
TABLE = "A: n 1\n  cuda-device amd 1\n  cpu amd 1\nleft out: cudss: get it\n"
TAP = "ok 1 - a\nok 2 - b # SKIP no room\n1..2\n"
CLEAN = {"memcheck": "ERROR SUMMARY: 0 errors", "racecheck": "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)",
         "synccheck": "ERROR SUMMARY: 0 errors"}


def program(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


def says(text, code=0):
    return f"cat <<'END'\n{text}\nEND\nexit {code}\n"


class Machine:
    """A tree of its own with the script, a build folder and a prefix, all stand-ins."""

    def __init__(self, folder, device=DEVICE, table=(TABLE, 0), tests=(TAP, 0), newton=(TAP, 0), stress=(TAP, 0),
                 sanitizer=CLEAN, matrices=("A.mtx",)):
        self.folder = folder
        os.makedirs(self.path("tools/lib"))
        shutil.copy(os.path.join(SOURCE, "tools", "gpu-check"), self.path("tools"))
        shutil.copy(os.path.join(SOURCE, "tools", "lib", "setup.sh"), self.path("tools/lib"))
        program(self.path("built/tools/warplu"),
                f"case $1 in\ninfo) {says(device)};;\nbench) echo \"$@\" >>'{folder}/calls'\n{says(*table)};;\nesac\nexit 1\n")
        if tests:
            program(self.path("built/tests/cuda/test_gpu"), f"echo \"$@\" >>'{folder}/hashes'\n" + says(*tests))
            program(self.path("built/tests/cuda/test_newton"), says(*newton))
            program(self.path("built/tests/cuda/stress"), f"echo \"$@\" >>'{folder}/arguments'\n" + says(*stress))
        os.makedirs(self.path("prefix/lib"))
        open(self.path("prefix/lib/libx.so.1"), "w", encoding="utf-8").close()
        if sanitizer:
            ends = "".join(f"{tool}) echo '========= {text}' ;;\n" for tool, text in sanitizer.items())
            program(self.path("prefix/deep/compute-sanitizer"),
                    "tool=$2\nshift 4\ncase \":$LD_LIBRARY_PATH:\" in *prefix/lib:*) ;; *) exit 3 ;; esac\n"
                    f"\"$@\"\ncode=$?\ncase $tool in\n{ends}esac\nexit $code\n")
        os.makedirs(self.path("matrices"))
        for name in matrices:
            with open(self.path(f"matrices/{name}"), "w", encoding="utf-8") as file:
                file.write(MATRIX)

    def path(self, name):
        return os.path.join(self.folder, name)

    def check(self, *options):
        """Exit status, last line, whole output."""
        arguments = ["--prefix", "prefix", "--built", "built", "--matrices", "matrices", *options]
        return run(self.path("tools/gpu-check"), *arguments, folder=self.folder)


def run(script, *arguments, folder):
    environment = {**os.environ, "CUDA_HOME": "/nowhere", "PATH": "/usr/bin:/bin"}
    done = subprocess.run([script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          cwd=folder, env=environment, timeout=100)
    return done.returncode, done.stdout.splitlines()[-1], done.stdout


def checked(*options, **how):
    with tempfile.TemporaryDirectory() as folder:
        return Machine(folder, **how).check(*options)


def expect(found, code, last, *words):
    assert found[0] == code and found[1] == last, found
    for word in words:
        assert word in found[2], (word, found[2])


def all_passes():
    expect(checked(), 0, "8 passed, 0 failed", "name Stand-in", "2 cases, 1 of them left out", "left out: ok 2 - b",
           "cuda-device amd", "left out: cudss: get it", "synccheck: passed")


def quick_says_what_it_leaves_out():
    expect(checked("--quick"), 0, "6 passed, 0 failed", "left out by --quick: racecheck, synccheck")


def no_device():
    expect(checked(device=NO_DEVICE), 1, "0 passed, 1 failed, 7 skipped", "WARPLU_NO_DEVICE", "no driver")
    expect(checked(device=""), 1, "0 passed, 1 failed, 7 skipped")


def failed_tests():
    for text, words in (("ok 1 - a\nnot ok 2 - breaks\n1..2", "1 of 2 cases failed"), ("ok 1 - a\n1..2", "1 of 2 cases ran"),
                        ("ok 1 - a", "before its plan"), ("ok 1 - a # SKIP\n1..1", "all cases were left out")):
        expect(checked(tests=(text, 0)), 1, "4 passed, 4 failed", words)
        expect(checked(newton=(text, 0)), 1, "7 passed, 1 failed", "newton: failed: ", words)
        expect(checked(stress=(text, 0)), 1, "4 passed, 4 failed", "stress: failed: ", words)
    expect(checked(tests=(TAP, 7)), 1, "4 passed, 4 failed", "exit status 7")
    expect(checked(newton=(TAP, 7)), 1, "7 passed, 1 failed", "exit status 7")
    expect(checked(stress=(TAP, 7)), 1, "4 passed, 4 failed", "exit status 7")
    expect(checked(tests=None), 1, "0 passed, 1 failed, 8 skipped", "was it built with CUDA?")


def what_sanitizers_find():
    for tool, text in (("memcheck", "ERROR SUMMARY: 2 errors"), ("racecheck", "RACECHECK SUMMARY: 1 hazard displayed"),
                       ("synccheck", "was killed")):
        expect(checked(sanitizer={**CLEAN, tool: text}), 1, "7 passed, 1 failed", f"{tool}-tests: failed")
    expect(checked(sanitizer=None), 1, "5 passed, 0 failed, 3 skipped", "racecheck: skipped: compute-sanitizer is neither")


def wrong_times():
    for table in ((TABLE, 1), ("A: n 1\n  cuda-device WARPLU_NO_DEVICE: x\n  cpu amd 1\n", 0), ("A: n 1\n  cpu amd 1\n", 0),
                  ("A: n 1\n  cuda-device amd 1  WARPLU_INACCURATE\n", 0)):
        expect(checked(table=table), 1, "7 passed, 1 failed", "benchmark: failed")


def matrices_that_are_systems():
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder, matrices=("with a blank.mtx", "B.mtx", "C.mtx", "D.mtx"), table=(4 * TABLE, 0))
        for name, head in (("b.mtx", "matrix array real general\n1 1"), ("c.mtx", "matrix coordinate complex general\n1 1 1"),
                           ("wide.mtx", "matrix coordinate real general\n1 2 1"),
                           ("p.mtx", "matrix coordinate pattern general\n1 1 1")):
            with open(machine.path("matrices/" + name), "w", encoding="utf-8") as file:
                file.write(f"%%MatrixMarket {head}\n")
        expect(machine.check("--replays", "9"), 0, "8 passed, 0 failed", "matrices/wide.mtx: no square real system")
        with open(machine.path("arguments"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        options = ("--replays 9", "--precision single --replays 9", "--replays 2", "--replays 1", "--replays 2")
        assert [line.startswith(option + " ") for line, option in zip(lines, options)] == 5 * [True], lines
        with open(machine.path("hashes"), encoding="utf-8") as file:
            assert file.read().splitlines() == [extent + "tests/emulate/hashes.csv" for extent in ("", "--few ", "--least ", "--few ")]
        assert [line.count(".mtx") for line in lines] == [4, 4, 3, 2, 3] and "with a blank.mtx" in lines[0], lines
    expect(checked(matrices=()), 1, "0 passed, 1 failed, 7 skipped", "no matrices in")


def this_build():
    """The real command line: where there is no device, one failure that says so, and no table."""
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder)
        os.remove(machine.path("built/tools/warplu"))
        os.symlink(WARPLU, machine.path("built/tools/warplu"))
        os.environ["WARPLU_LIBCUDA"] = machine.path("nowhere.so")
        found = run(machine.path("tools/gpu-check"), "--built", "built", folder=folder)
    expect(found, 1, "0 passed, 1 failed, 7 skipped", "device: failed: status WARPLU_NO")
    assert "cuda-device" not in found[2] and "memory.mtx" not in found[2], found


def usage():
    script = os.path.join(SOURCE, "tools", "gpu-check")
    with tempfile.TemporaryDirectory() as folder:
        done = run(script, "--help", folder=folder)
        assert done[0] == 0 and "--matrices DIR" in done[2]
        for arguments in (["--nothing"], ["--built"], ["--built", "nowhere"], ["--prefix", ""], ["x.mtx"], ["--replays"], ["--replays", "0"]):
            found = run(script, *arguments, folder=folder)
            assert found[0] == 2 and found[2].startswith("gpu-check: ") and "--quick" in found[2], (arguments, found)


tap.run([all_passes, quick_says_what_it_leaves_out, no_device, failed_tests, what_sanitizers_find, wrong_times,
         matrices_that_are_systems, this_build, usage])
