"""The reader against SciPy's mmread, bit for bit, on every *.mtx.gz in the folder WARPLU_MATRICES names.

usage: compare_scipy.py DUMP_CSC        prints TAP; skipped with a reason where SciPy or the folder is missing.

What SciPy does differently, and how it is met here:
- pattern files get ones: only the pattern is compared;
- mirrored entries may come behind all others, so sums of duplicates may be rounded in another order: files with
  duplicates are compared to a few units in the last place, all others to the bit;
- array files come as dense arrays: our pattern of them must be full. Their numbers are added to zeros, so that
  -0 becomes 0: the sign of a zero is not compared there, nor for integers, where a mirrored 0 of a skew-symmetric
  file is -0 for us alone.
"""
import gzip
import os
import subprocess
import sys


def skip(reason):
    print("1..0 # SKIP " + reason)
    sys.exit(0)


try:
    import numpy as np
    import scipy
    from scipy.io import mmread
except ImportError as error:
    skip(f"{error} (python is {sys.executable})")


def read_ours(dump, path):
    done = subprocess.run([dump, path], capture_output=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.decode().strip())
    head = np.frombuffer(done.stdout, np.int64, 7)
    nrow, ncol, nnz, stored, duplicates, parts, array = (int(v) for v in head)
    at = head.nbytes
    ptr = np.frombuffer(done.stdout, np.int32, ncol + 1, at)
    at += ptr.nbytes
    idx = np.frombuffer(done.stdout, np.int32, nnz, at)
    at += idx.nbytes
    values = np.frombuffer(done.stdout, np.float64, nnz * parts, at)
    if parts == 2:
        values = values.view(np.complex128)
    return (nrow, ncol), ptr, idx, values, duplicates, parts, array


def as_csc(matrix):
    """Column pointers, rows and values of SciPy's answer, duplicates summed in its order."""
    if isinstance(matrix, np.ndarray):
        nrow, ncol = matrix.shape
        ptr = np.arange(ncol + 1) * nrow
        return ptr, np.tile(np.arange(nrow), ncol), matrix.T.reshape(-1)
    coo = matrix.tocoo()
    order = np.lexsort((coo.row, coo.col))  # stable
    row, col, data = coo.row[order], coo.col[order], coo.data[order]
    first = np.ones(len(row), bool)
    first[1:] = (row[1:] != row[:-1]) | (col[1:] != col[:-1])
    values = np.zeros(int(first.sum()), data.dtype)
    # stored, then added to: 0 + -0 would lose a sign
    values[:] = data[first]
    np.add.at(values, (np.cumsum(first) - 1)[~first], data[~first])
    ptr = np.concatenate(([0], np.cumsum(np.bincount(col[first], minlength=coo.shape[1]))))
    return ptr, row[first], values


def difference(dump, path):
    """None where the readers agree, else what differs."""
    shape, ptr, idx, values, duplicates, parts, array = read_ours(dump, path)
    theirs = mmread(path)
    if tuple(theirs.shape) != shape:
        return f"shape {shape}, SciPy {theirs.shape}"
    if bool(array) != isinstance(theirs, np.ndarray):
        return "one is an array, the other is not"
    their_ptr, their_idx, their_values = as_csc(theirs)
    if not np.array_equal(ptr, their_ptr) or not np.array_equal(idx, their_idx):
        return f"patterns: {len(idx)} entries, SciPy {len(their_idx)}"
    if parts == 0:
        return None
    signless = array or their_values.dtype.kind in "iu"
    their_values = np.ascontiguousarray(their_values, values.dtype)
    if values.tobytes() == their_values.tobytes():
        return None
    if signless and (values + 0.0).tobytes() == (their_values + 0.0).tobytes():
        return None
    if duplicates and np.allclose(values, their_values, rtol=1e-14, atol=0):
        return None
    different = np.flatnonzero(values != their_values)
    k = int(different[0]) if len(different) else 0
    return f"{len(different)} values; entry {k}: {values[k]!r}, SciPy {their_values[k]!r}"


def main():
    folder = os.environ.get("WARPLU_MATRICES")
    if not folder:
        skip("WARPLU_MATRICES names no folder")
    names = sorted(n for n in os.listdir(folder) if n.endswith(".mtx.gz"))
    if not names:
        skip("no .mtx.gz in " + folder)
    print(f"1..{len(names)}\n# SciPy {scipy.__version__}")
    failures = 0
    for number, name in enumerate(names, 1):
        try:
            found = difference(sys.argv[1], os.path.join(folder, name))
        except (ValueError, OSError, EOFError, gzip.BadGzipFile) as error:
            found = str(error)
        failures += found is not None
        print(f"{'ok' if found is None else 'not ok'} {number} - {name}")
        if found is not None:
            print("# " + found)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
