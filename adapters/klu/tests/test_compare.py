"""The drop-in beside the real KLU: the same programs run with either, by preloading, from a folder, by warplu-klu-run.

    test_compare.py SOURCE FOLDER PROGRAM...

FOLDER has the built libraries and warplu-klu-run; the programs are linked to the real libklu.so.N of the machine.
"""
import os
import subprocess
import sys

source, folder, *programs = sys.argv[1:]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

TOLERANCE = 1e-6


os.environ.pop("LD_LIBRARY_PATH", None)  # meson's, which leads to the drop-in


def real_library():
    lines = subprocess.run(["ldd", programs[0]], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    found = [line.split() for line in lines if line.strip().startswith("libklu.so.")]
    assert len(found) == 1 and not found[0][2].startswith(os.path.realpath(folder)), lines
    return found[0][0]


def library():
    return os.path.join(folder, real_library())


def run(*command, **environment):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                            env={**os.environ, "WARPLU_KLU_FOLDER": folder, **environment})
    assert result.returncode == 0, f"{command}: exit {result.returncode}\n{result.stderr}"
    return result


def assert_same(ours, theirs):
    ours, theirs = ours.split(), theirs.split()
    assert len(ours) == len(theirs), f"{len(ours)} words, not {len(theirs)}"
    for at, (a, b) in enumerate(zip(ours, theirs)):
        if b.startswith("#"):
            x, y = float(a[1:]), float(b[1:])
            assert abs(x - y) <= TOLERANCE * (1 + abs(y)), f"word {at}: {a}, not {b}; behind {theirs[at - 12:at]}"
        else:
            assert a == b, f"word {at}: {a}, not {b}; behind {theirs[max(0, at - 12):at]}"


def preloaded_gives_what_the_real_one_gives():
    for program in programs:
        theirs = run(program).stdout
        result = run(program, LD_PRELOAD=library(), WARPLU_KLU_STATS="1")
        assert_same(result.stdout, theirs)
        assert "refactor=44:" in result.stderr, result.stderr


def in_its_place_gives_what_the_real_one_gives():
    for program in programs:
        assert_same(run(program, LD_LIBRARY_PATH=folder).stdout, run(program).stdout)


def runner_tells_both():
    runner = os.path.join(folder, "warplu-klu-run")
    for program in programs:
        result = run("sh", runner, "--compare", program)
        lines = result.stdout.splitlines()
        assert_same("\n".join(lines[len(lines) // 2:]), run(program).stdout)
        said = result.stderr
        assert "with KLU: " in said and "with warplu: " in said and "times less time" in said, said
        assert said.count(" 44 calls") == 2 and "no calls" not in said, said


def other_layouts_are_left_to_their_klu():
    other = "2" if real_library().endswith(".1") else "1"
    for program in programs:
        if "_long" not in os.path.basename(program):
            continue
        theirs = run(program).stdout
        result = run("sh", os.path.join(folder, "warplu-klu-run"), "--abi", other, program)
        assert result.stdout == theirs, result.stdout
        assert f"{os.path.basename(program)} uses a KLU with another" in result.stderr, result.stderr


def runner_refuses():
    runner = os.path.join(folder, "warplu-klu-run")
    for arguments, word in ([], "no command"), (["--abi", "3", "true"], "--abi is"), (["--none"], "no such option"), (
            ["/no/such"], "no such command"):
        result = subprocess.run(["sh", runner, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                check=False, env={**os.environ, "WARPLU_KLU_FOLDER": folder})
        assert result.returncode == 2 and word in result.stderr, (arguments, result.returncode, result.stderr)
    result = subprocess.run(["sh", runner, "sh", "-c", "exit 7"], stderr=subprocess.PIPE, text=True, check=False,
                            env={**os.environ, "WARPLU_KLU_FOLDER": folder})
    assert result.returncode == 7 and "no calls to KLU" in result.stderr, result


def unknown_words_of_the_environment_are_said():
    result = run(programs[0], LD_PRELOAD=library(), WARPLU_KLU_CHECK="sometimes", WARPLU_KLU_THREADS="many",
                 WARPLU_KLU_REPEAT="never")
    assert result.stderr.count("left out") == 3, result.stderr


tap.run([preloaded_gives_what_the_real_one_gives, in_its_place_gives_what_the_real_one_gives, runner_tells_both,
         other_layouts_are_left_to_their_klu, runner_refuses, unknown_words_of_the_environment_are_said])
