"""What the tests of the command line share: running it, and writing and reading Matrix Market files."""
import os
import pty
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.dont_write_bytecode = True
import tap  # noqa: E402

WARPLU = os.path.abspath(sys.argv[1])
FOLDER = tempfile.TemporaryDirectory()


class Done:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout.decode(), done.stderr.decode()


def run(*arguments, code=0, stdin=b"", program=WARPLU):
    """Runs warplu in the folder of temporary files and checks its exit code."""
    done = Done(subprocess.run([program, *map(str, arguments)], input=stdin, capture_output=True, timeout=250,
                               cwd=FOLDER.name))
    assert done.code == code, f"{arguments}: exit {done.code}, expected {code}\n{done.out}\n{done.err}"
    if code != 0:
        assert done.err and all(line.startswith("warplu: ") for line in done.err.splitlines()), done.err
    return done


def run_on_a_terminal(*arguments):
    """What warplu writes to standard output, and to standard error where that is a terminal."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen([WARPLU, *arguments], stdout=subprocess.PIPE, stderr=theirs, cwd=FOLDER.name)
    os.close(theirs)
    out, shown = child.communicate(timeout=60)[0].decode(), b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:
        pass  # the terminal's end
    os.close(ours)
    return out, shown.decode()


def path(name):
    return os.path.join(FOLDER.name, name)


def write(name, text):
    with open(path(name), "w") as file:
        file.write(text)
    return name


def matrix_text(rows, cols, entries, field="real"):
    """entries: {(row, col): value}, zero-based; a value may be a string."""
    def number(value):
        return value if isinstance(value, str) else repr(float(value))

    lines = [f"%%MatrixMarket matrix coordinate {field} general", f"{rows} {cols} {len(entries)}"]
    lines += [f"{i + 1} {j + 1}" + ("" if field == "pattern" else " " + number(v)) for (i, j), v in entries.items()]
    return "\n".join(lines) + "\n"


def array_text(columns, field="real"):
    lines = [f"%%MatrixMarket matrix array {field} general", f"{len(columns[0])} {len(columns)}"]
    return "\n".join(lines + [repr(v) for column in columns for v in column]) + "\n"


def read_array(text):
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    rows, cols = map(int, lines[0].split())
    numbers = [float(line) for line in lines[1:]]
    assert len(numbers) == rows * cols
    return [numbers[k * rows:(k + 1) * rows] for k in range(cols)]


def read_file(name):
    with open(path(name)) as file:
        return file.read()


def sample(random, n, per_column=4):
    """A sparse matrix with a dominant diagonal that is moved off the diagonal by a row permutation."""
    rows = list(range(n))
    random.shuffle(rows)
    entries = {}
    for j in range(n):
        for _ in range(per_column):
            entries[rows[random.randrange(n)], j] = random.uniform(-1, 1)
        entries[rows[j], j] = random.choice((-1, 1)) * random.uniform(5, 9)
    return entries


def multiply(n, entries, x, transposed=False):
    y = [0.0] * n
    for (i, j), v in entries.items():
        if transposed:
            y[j] += v * x[i]
        else:
            y[i] += v * x[j]
    return y


def complex_text(rows, cols, entries, symmetry="general"):
    """entries: {(row, col): complex}."""
    lines = [f"%%MatrixMarket matrix coordinate complex {symmetry}", f"{rows} {cols} {len(entries)}"]
    return "\n".join(lines + [f"{i + 1} {j + 1} {v.real!r} {v.imag!r}" for (i, j), v in entries.items()]) + "\n"


def read_complex(name):
    lines = [line for line in read_file(name).splitlines() if not line.startswith("%")]
    rows, cols = map(int, lines[0].split())
    numbers = [complex(*map(float, line.split())) for line in lines[1:]]
    assert len(numbers) == rows * cols, (len(numbers), rows, cols)
    return [numbers[k * rows:(k + 1) * rows] for k in range(cols)]


def residual_is_small(entries, b, x, op="plain"):
    """The largest |b - op(A) x| of an equation over its largest |a||x| and |b|."""
    rest, size, largest = list(b), [abs(v) for v in b], max(map(abs, x))
    for (i, j), v in entries.items():
        row, col = (i, j) if op == "plain" else (j, i)
        v = v.conjugate() if op == "conjugate" else v
        rest[row] -= v * x[col]
        size[row] = max(size[row], abs(v) * largest)
    assert all(abs(r) <= 1e-13 * s for r, s in zip(rest, size)), max(abs(r) / s for r, s in zip(rest, size))


run_cases = tap.run
Skip = tap.Skip
