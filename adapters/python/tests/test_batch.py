"""Batch against NumPy, member by member."""
import os
import re
import warnings

import package
from package import close, matrix, numbers, raises

import numpy

import warplu
from warplu import _batch, _options

COUNT, N = 12, 60


def systems(dtype, form="csc"):
    """A matrix, the members' values, and their dense matrices."""
    A = matrix(form=form, dtype=dtype)
    values = A.data * (1 + 0.1 * numbers((COUNT, A.nnz), dtype))
    dense = []
    for one in values:
        B = A.copy()
        B.data = one
        dense.append(B.toarray())
    return A, values, numpy.array(dense)


def members_are_solved():
    for dtype in (numpy.float64, numpy.complex128):
        A, values, dense = systems(dtype, "csr")
        batch = warplu.Batch(A, COUNT)
        b = numbers((COUNT, N), dtype)
        close(batch.refactor_solve(values, b), numpy.linalg.solve(dense, b[..., None])[..., 0], 1e-9)
        close(batch.refactor_solve(values, b, trans="T"),
              numpy.linalg.solve(dense.transpose(0, 2, 1), b[..., None])[..., 0], 1e-9)
        several = numbers((COUNT, 3, N), dtype)
        close(batch.refactor_solve(values, several),
              numpy.linalg.solve(dense, several.transpose(0, 2, 1)).transpose(0, 2, 1), 1e-9)
        assert batch.statistics.took_part == COUNT and numpy.all(batch.members["status"] == 0)


def layouts_and_sharing():
    A, values, dense = systems(numpy.float64)
    b = numbers((COUNT, 2, N))
    x = numpy.linalg.solve(dense, b.transpose(0, 2, 1)).transpose(0, 2, 1)
    batch = warplu.Batch(A, COUNT, layout="interleaved")
    close(batch.refactor_solve(values.T, b.transpose(1, 2, 0)), x.transpose(1, 2, 0), 1e-9)
    batch = warplu.Batch(A, COUNT, shared_rhs=True)
    close(batch.refactor_solve(values, b[0]), numpy.linalg.solve(dense, b[0].T[None]).transpose(0, 2, 1), 1e-9)
    batch = warplu.Batch(A, COUNT, shared_values=True)
    close(batch.refactor_solve(values[0], b), numpy.linalg.solve(dense[:1], b.transpose(0, 2, 1)).transpose(0, 2, 1), 1e-9)
    raises(ValueError, batch.refactor_solve, values, b)


def factors_are_kept():
    A, values, dense = systems(numpy.float64)
    solver = warplu.Solver(A)
    solver.factor(A)
    batch = warplu.Batch(solver, COUNT, keep_factors=True, threads=1)
    batch.factor(values)
    batch.refactor(values)
    for seed in (3, 4):
        b = numbers((COUNT, N), seed=seed)
        close(batch.solve(b), numpy.linalg.solve(dense, b[..., None])[..., 0], 1e-9)
    raises(warplu.WrongPhaseError, warplu.Batch(A, COUNT).refactor, values)


def masks_leave_members_out():
    A, values, dense = systems(numpy.float64)
    mask = numpy.arange(COUNT) % 3 == 0
    batch = warplu.Batch(A, COUNT)
    b = numbers((COUNT, N))
    x = batch.refactor_solve(values, b, mask)
    close(x[mask], numpy.linalg.solve(dense[mask], b[mask][..., None])[..., 0], 1e-9)
    assert numpy.all(numpy.isnan(x[~mask])) and batch.statistics.took_part == mask.sum()
    for wrong in (mask[:-1], [0, 3, 6, 9], mask.astype(int), numpy.ones((COUNT, 1), bool)):
        text = str(raises(ValueError, batch.refactor_solve, values, b, wrong))
        assert f"mask: {COUNT} of True and False" in text, text
    close(batch.refactor_solve(values, b, list(mask))[mask], x[mask], 0)


def matrices_without_an_order_are_refused():
    """At once, and not by each call; the solver of such a matrix, too."""
    A = matrix()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for other, name in ((A.tocoo(), "coo"), (A.toarray(), "dense"), (A.toarray().tolist(), "dense")):
            text = str(raises(ValueError, warplu.Batch, other, COUNT))
            assert name in text and "CSC or CSR" in text, text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solver = warplu.Solver(A.tocoo())
    raises(ValueError, warplu.Batch, solver, COUNT)
    for call in (solver.refactor_device, lambda values: solver.refactor_solve_device(values, None, None)):
        assert "have no order" in str(raises(ValueError, call, None))


def members_that_fail_are_told_of():
    A, values, dense = systems(numpy.float64)
    values[5] = 0.0
    batch = warplu.Batch(A, COUNT)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x = batch.refactor_solve(values, numbers((COUNT, N)))
    assert [c.message.status for c in caught] == [warplu.Status.MEMBERS_FAILED], caught
    assert batch.members["status"][5] == warplu.Status.SINGULAR and numpy.count_nonzero(batch.members["status"]) == 1
    assert set(batch.members["way"]) <= {"replayed", "refined", "own_solver"}, batch.members
    assert set(batch.members["verdict"]) <= set(_options.VERDICTS) and batch.members["verdict"][5] == "weak", batch.members
    assert numpy.all(numpy.isnan(x[5])) and not numpy.any(numpy.isnan(numpy.delete(x, 5, 0)))


def choices_of_members_are_the_header_s():
    with open(os.path.join(package.source, "include", "warplu", "batch.h"), encoding="utf-8") as file:
        text = file.read()
    listed = re.findall(r"WARPLU_BATCH_(\w+) = (\d)", text[:text.index("} warplu_batch_way;")].split("enum warplu_batch_way")[1])
    assert [(name.upper(), str(number)) for number, name in enumerate(_batch.WAYS)] == listed, listed
    assert all(numpy.array(name).astype(_batch._MEMBER["way"]) == name for name in _batch.WAYS)


def what_does_not_fit_is_refused():
    A, values, _ = systems(numpy.float64)
    batch = warplu.Batch(A, COUNT)
    raises(ValueError, batch.refactor_solve, values[:-1], numbers((COUNT, N)))
    raises(ValueError, batch.refactor_solve, values, numbers((COUNT, N + 1)))
    raises(ValueError, batch.refactor_solve, values, numbers((COUNT + 1, 2, N)))
    for options, needed in (({}, "(count, n) or (count, nrhs, n)"), ({"layout": "interleaved"}, "(n, count) or (nrhs, n, count)"),
                            ({"shared_rhs": True}, "(n) or (nrhs, n)")):
        other = warplu.Batch(A, COUNT, **options)
        for shape in ((COUNT, N, 3), (3,), (2, 2, 2, 2)):
            text = str(raises(ValueError, other.refactor_solve, values.T if "layout" in options else values, numbers(shape)))
            assert needed in text and f"count = {COUNT}, n = {N}" in text, text
    turned = warplu.Batch(A.astype(complex), COUNT)
    assert "conjugate" in str(raises(ValueError, turned.refactor_solve, values, numbers((COUNT, N)), trans="H"))
    raises(warplu.InvalidArgumentError, warplu.Batch, A, 0)
    raises(TypeError, warplu.Batch, A, COUNT, colour=1)
    raises(ValueError, warplu.Batch, A, COUNT, layout="heap")
    raises(ValueError, warplu.Batch, A, COUNT, devices=list(range(65)))


package.run([members_are_solved, layouts_and_sharing, factors_are_kept, masks_leave_members_out,
             matrices_without_an_order_are_refused, choices_of_members_are_the_header_s,
             members_that_fail_are_told_of, what_does_not_fit_is_refused])
