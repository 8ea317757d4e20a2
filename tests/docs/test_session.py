"""The README's session: its commands run, and print what it shows but for the numbers that are times.

    test_session.py SOURCE WARPLU METIS KLU    (METIS, KLU: true or false, what the build has)
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

source, warplu, metis, klu = sys.argv[1:5]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

NUMBER = re.compile(r"(?<![\w(])-?\d+(\.\d+)?(e[-+]?\d+)?\b")


def session():
    with open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        block = re.search(r"^```console\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL).group(1)
    return [(part.split("\n", 1)[0], part.split("\n", 1)[1]) for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]


def skeleton(text):
    """Words and signs in their order, numbers as #."""
    return [" ".join(NUMBER.sub("#", line).split()) for line in text.splitlines() if line.strip()]


def readme_session_runs_as_shown():
    if metis != "true" or klu != "true":
        raise tap.Skip("the session shows a build with METIS and KLU")
    folder = tempfile.mkdtemp(prefix="warplu-session-")
    environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(warplu)) + os.pathsep + os.environ["PATH"])
    try:
        commands = session()
        assert len(commands) > 2
        for command, shown in commands:
            done = subprocess.run(command, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            assert done.returncode == 0, f"$ {command}\n{done.stdout}"
            assert skeleton(done.stdout) == skeleton(shown), f"$ {command}\n{done.stdout}\nREADME.md shows:\n{shown}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


tap.run([readme_session_runs_as_shown])
