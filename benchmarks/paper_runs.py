"""What the paper's tables are made of: its matrices, its figures, and runs of the command line on the former.

Files are looked for under the names of figures.csv. Random is drawn where there is none: the paper took it from a
generator and did not publish it. Explicit zeros are dropped, for the paper's counts of nonzeros are without them."""
import csv
import gzip
import json
import os
import re
import subprocess
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
COLLECTION = os.path.join(os.path.dirname(HERE), "matrices", "collection")
FIGURES = os.path.join(HERE, "paper", "figures.csv")
DRAWN = "Random"
USED = ("WARPLU_SUCCESS", "WARPLU_REPIVOTED", "WARPLU_INACCURATE")


class Broken(Exception):
    """The program cannot be run, or answers what cannot be read; the text is the reason."""


def number(text):
    """A figure of the paper: a number, None, or words ("out of memory")."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


def figures():
    """The paper's figures, a dictionary a matrix, in its order."""
    with open(FIGURES, encoding="utf-8", newline="") as file:
        return [{key: number(text) for key, text in row.items()} for row in csv.DictReader(file)]


# ------------------------------------------------------------------ matrices

def find(folders, figure):
    """The matrix's file, None where no folder has it. A second of one name lies there as GROUP__NAME."""
    names = [figure["matrix"]]
    if figure["collection"]:
        names.insert(0, figure["collection"].replace("/", "__"))
    for folder in folders:
        for name in names:
            for end in (".mtx.gz", ".mtx"):
                path = os.path.join(folder, name + end)
                if os.path.isfile(path):
                    return path
    return None


def without_zeros(path, to):
    """Writes the matrix without its explicit zeros and returns how many there were; 0, and no file, where there are
    none or it is no list of real entries. What cannot be read is left to the command line, which says why."""
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="latin-1") as file:
            banner = file.readline()
            if banner.lower().split()[2:4] not in (["coordinate", "real"], ["coordinate", "integer"]):
                return 0
            lines = [line for line in file if line.strip() and not line.startswith("%")]
        sizes, entries = lines[0].split(), lines[1:]
        kept = [line for line in entries if float(line.split()[2]) != 0]
    except (OSError, EOFError, zlib.error, ValueError, IndexError):
        return 0
    if len(kept) == len(entries) or len(entries) != int(sizes[2]):
        return 0
    with open(to, "w", encoding="latin-1") as file:
        file.write(f"{banner}{sizes[0]} {sizes[1]} {len(kept)}\n")
        file.writelines(kept)
    return len(entries) - len(kept)


def matrix_file(program, folders, figure, scratch, keep_zeros):
    """(file, notes): the file None where it cannot be had."""
    name = figure["matrix"]
    path, notes = find(folders, figure), []
    if path is None and name == DRAWN:
        path = os.path.join(scratch, name + ".mtx")
        others = (figure["nnz"] - figure["n"]) / figure["n"]
        program.output("gen", "random", "--size", figure["n"], "--density", others, "--seed", 1, "--output", path)
        notes.append(f"{name}: drawn here (warplu gen random: a full diagonal and {figure['nnz'] - figure['n']} other "
                     "places); the paper's own is not published")
    if path is None:
        return None, [f"{name}: missing; matrices/fetch {figure['collection']} brings it, or name its folder by --matrices"]
    zeros = 0 if keep_zeros else without_zeros(path, os.path.join(scratch, "nonzero_" + name + ".mtx"))
    if zeros:
        path = os.path.join(scratch, "nonzero_" + name + ".mtx")
        notes.append(f"{name}: {zeros} explicit zeros of the file dropped, for the paper's count is without them")
    return path, notes


# ---------------------------------------------------------------------- runs

def parsed(line, what):
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Broken(f"{what}: no JSON: {line[:60]!r}")
    return value


class Program:
    """The command line."""

    def __init__(self, path, limit, repeat):
        self.path, self.limit, self.repeat = path, limit, repeat
        self.known = {}

    def run(self, arguments, limit=None):
        try:
            return subprocess.run([self.path] + [str(a) for a in arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, check=False, timeout=limit)
        except OSError as error:
            raise Broken(f"{self.path}: {error.strerror}; ninja -C build makes it, --warplu names another") from None

    def broken(self, arguments, done):
        said = done.stderr.strip().splitlines()
        ended = f"signal {-done.returncode}" if done.returncode < 0 else f"exit {done.returncode}"
        return Broken(f"{self.path} {' '.join(str(a) for a in arguments)}: {ended}" + (f": {said[-1]}" if said else ""))

    def output(self, *arguments):
        done = self.run(arguments)
        if done.returncode != 0:
            raise self.broken(arguments, done)
        return done.stdout

    def info(self, matrix, *options):
        """What warplu info tells; None where it takes longer than the limit."""
        arguments = ("info", matrix, "--json") + options
        if arguments not in self.known:
            try:
                done = self.run(arguments, self.limit)
            except subprocess.TimeoutExpired:
                self.known[arguments] = None
                return None
            if done.returncode < 0 or not done.stdout.strip():
                raise self.broken(arguments, done)
            self.known[arguments] = parsed(done.stdout, "warplu info")
        return self.known[arguments]

    def bench(self, matrix, *options):
        """(run record, the matrix's record) of warplu bench."""
        arguments = ["bench", matrix, "--json", "--limit", self.limit] + [str(o) for o in options]
        if self.repeat:
            arguments += ["--repeat", self.repeat]
        done = self.run(arguments)
        lines = [parsed(line, "warplu bench") for line in done.stdout.splitlines() if line.strip()]
        found = [line for line in lines if "matrix" in line]
        if done.returncode < 0 or not found:
            raise self.broken(arguments, done)
        return next((line for line in lines if "run" in line), {}), found[0]

    def executors(self):
        """Names that --executors takes, by the help."""
        text = self.output("bench", "--help")
        listed = re.search(r"--executors LIST\s+of (.*?),\s*comma-separated", text, re.S)
        if listed is None:
            raise Broken(f"{self.path} bench --help names no executors")
        return [name for name in re.split(r",\s*", listed.group(1)) if name != "auto"]
