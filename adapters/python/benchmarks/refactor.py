#!/usr/bin/env python3
"""A loop of refactorizations in Python: SciPy's splu each time against warplu's refactor.

    refactor.py [--steps N] [--seconds S] [--permc SPEC] FOLDER NAME ...      matrices FOLDER/NAME.mtx.gz
    refactor.py [--steps N] [--seconds S] [--permc SPEC] FOLDER --set FILE    one name a line

Each of N steps (100) brings new values (those of the file, each changed by up to 1 %), factors and solves one right-hand side.
warplu's time is that of the whole loop, its first splu with analysis and compilation among it. SciPy's steps are all alike:
after S seconds (5) the rest is taken to be as fast as those done. SciPy orders by SPEC: its default COLAMD takes minutes a step on
some circuits, where MMD_AT_PLUS_A takes milliseconds. Run both on one thread. The last line is the geometric mean of the ratios. A * beside an error: it is above 1e-8, relative to the right-hand side.
"""
import argparse
import math
import os
import sys
import time
import warnings

import numpy
import scipy.io
import scipy.sparse
import scipy.sparse.linalg

import warplu


def read(folder, name):
    A = scipy.sparse.csc_matrix(scipy.io.mmread(os.path.join(folder, name + ".mtx.gz")))
    A.sort_indices()
    return A.astype(numpy.float64)


def steps_of(A, count):
    """New values for each step, and the right-hand side."""
    random = numpy.random.default_rng(1)
    return [A.data * (1 + 0.01 * random.uniform(-1, 1, A.nnz)) for _ in range(count)], random.standard_normal(A.shape[0])


def with_values(A, values):
    return scipy.sparse.csc_matrix((values, A.indices, A.indptr), A.shape)


def time_scipy(A, steps, b, seconds, permc):
    begin, done, x = time.perf_counter(), 0, None
    for values in steps:
        x = scipy.sparse.linalg.splu(with_values(A, values), permc_spec=permc).solve(b)
        done += 1
        if time.perf_counter() - begin > seconds:
            break
    return (time.perf_counter() - begin) / done * len(steps), residual(A, steps[done - 1], b, x)


def time_warplu(A, steps, b):
    begin = time.perf_counter()
    lu = warplu.splu(with_values(A, steps[0]))
    x = lu.solve(b)
    for values in steps[1:]:
        lu.refactor(values)
        x = lu.solve(b)
    return time.perf_counter() - begin, residual(A, steps[-1], b, x)


def residual(A, values, b, x):
    """The largest residual over the size of its equation: |b - A x| / (|A| |x| + |b|)."""
    A = with_values(A, values)
    size = abs(A) @ abs(x) + abs(b)
    return float(numpy.max(abs(b - A @ x) / numpy.where(size > 0, size, 1)))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--permc", default="COLAMD")
    parser.add_argument("--set")
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = list(options.names)
    if options.set:
        with open(options.set, encoding="utf-8") as file:
            names += [line.strip() for line in file if line.strip() and not line.startswith("#")]
    warnings.simplefilter("ignore", scipy.sparse.SparseEfficiencyWarning)
    print(f"# scipy {scipy.__version__}, warplu {warplu.__version__}, {options.steps} steps, {options.permc}")
    print(f"{'matrix':26} {'n':>7} {'scipy ms':>10} {'warplu ms':>10} {'ratio':>7}  errors")
    logarithms = []
    for name in names:
        A = read(options.folder, name)
        steps, b = steps_of(A, options.steps)
        try:
            scipy_s, scipy_error = time_scipy(A, steps, b, options.seconds, options.permc)
        except RuntimeError as error:
            print(f"{name:26} {A.shape[0]:7} SciPy: {error}")
            continue
        warplu_s, warplu_error = time_warplu(A, steps, b)
        logarithms.append(math.log(scipy_s / warplu_s))
        errors = " ".join(f"{e:.0e}{'*' if not e <= 1e-8 else ''}" for e in (scipy_error, warplu_error))
        per_step = 1e3 / len(steps)
        print(f"{name:26} {A.shape[0]:7} {scipy_s * per_step:10.3f} {warplu_s * per_step:10.3f} {scipy_s / warplu_s:7.1f}  "
              f"{errors}", flush=True)
    print(f"geometric mean of {len(logarithms)}: {math.exp(sum(logarithms) / max(len(logarithms), 1)):.1f}")
    return 0 if logarithms else 1


sys.exit(main())
