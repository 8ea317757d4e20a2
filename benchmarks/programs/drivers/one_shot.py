"""A program that factors once: one system of a 2-D diffusion problem, through a Python binding of KLU.

    one_shot.py kvxopt|nbklu SIZE     SIZE x SIZE points
"""
import sys

import numpy as np
import scipy.sparse

from section import Section


def by_kvxopt(matrix, right):
    from kvxopt import klu, matrix as dense, spmatrix
    coo = matrix.tocoo()
    a, b = spmatrix(coo.data.tolist(), coo.row.tolist(), coo.col.tolist(), matrix.shape), dense(right.tolist())
    timed = Section()
    with timed:
        klu.linsolve(a, b)
    return timed, np.array(b).ravel()


def by_nbklu(matrix, right):
    from nbklu.scipy import splu
    timed = Section()
    with timed:
        answer = splu(matrix).solve(right)
    return timed, answer


size = int(sys.argv[2])
line = scipy.sparse.diags([np.ones(size - 1), np.full(size, -2.0), np.ones(size - 1)], [-1, 0, 1])
plane = scipy.sparse.csc_matrix(scipy.sparse.kronsum(line, line) - 0.1 * scipy.sparse.eye(size * size))
solve = {"kvxopt": by_kvxopt, "nbklu": by_nbklu}[sys.argv[1]]
section, found = solve(plane, np.random.default_rng(1).standard_normal(size * size))
section.report({}, found)
