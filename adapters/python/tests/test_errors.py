"""Exceptions and warnings: they come back from other processes as they were."""
import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import package
from package import raises

import numpy
import scipy.sparse

import warplu
from warplu import _errors


def classes():
    """Each class with a status that it is for."""
    kinds = {kind: status for status, kind in _errors._ERRORS.items()}
    return kinds | {warplu.WarpluError: warplu.Status.CANCELLED, warplu.WarpluWarning: warplu.Status.WEAK}


def all_go_through_pickle():
    assert len(classes()) > 8
    for kind, status in classes().items():
        told = kind(status, "column 3 of 7")
        told.add_note("step 5")
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            found = pickle.loads(pickle.dumps(told, protocol))
            assert type(found) is kind and found.status is status and str(found) == str(told), (kind, found)
            assert found.__notes__ == ["step 5"]
        for found in (copy.copy(told), copy.deepcopy(told)):
            assert type(found) is kind and found.status is status


def solve(last):
    A = scipy.sparse.csc_matrix([[1.0, 2.0], [2.0, last]])
    return warplu.splu(A).solve(numpy.array([1.0, 2.0]))[0]


def a_pool_outlives_a_singular_matrix():
    """Of both kinds of pools; a process that cannot read an exception breaks the first and hangs the second."""
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(1, mp_context=fork) as pool:
        results = [pool.submit(solve, last) for last in (5.0, 4.0, 6.0)]
        assert results[0].result(30) == results[2].result(30) == 1.0
        text = str(raises(warplu.SingularMatrixError, results[1].result, 30))
        assert "the matrix is singular" in text, text
    with fork.Pool(1) as pool:
        error = raises(warplu.SingularMatrixError, pool.map_async(solve, (5.0, 4.0, 6.0)).get, 30)
        assert str(error) == text and error.status == warplu.Status.SINGULAR


package.run([all_go_through_pickle, a_pool_outlives_a_singular_matrix])
