"""Arrays of every kind: overlapping, read-only, strided, unaligned, empty, of other types and shapes, with wrong numbers."""
import warnings

import package
from package import close, matrix, numbers, raises

import numpy
import scipy.sparse

import warplu


def unaligned(array):
    """A copy that begins in the middle of a number."""
    room = bytearray(array.nbytes + array.itemsize)
    copy = numpy.ndarray(array.shape, array.dtype, room, array.itemsize // 2)
    copy[...] = array
    assert not copy.flags.aligned
    return copy


def solutions_may_lie_where_right_hand_sides_are():
    for n in (3, 60):
        A = matrix(n, density=0.5 if n == 3 else 0.05)
        solver = warplu.Solver(A)
        solver.factor(A)
        for shift in range(3):
            for trans, M in (("N", A.toarray()), ("T", A.toarray().T)):
                room = numbers((n + 2,))
                wanted = numpy.linalg.solve(M, room[shift:n + shift])
                close(solver.solve(room[shift:n + shift], trans, out=room[:n]), wanted)
        room = numbers((n, 4)).copy(order="F")
        wanted = numpy.linalg.solve(A.toarray(), room[:, 1:])
        close(solver.solve(room[:, 1:], out=room[:, :3]), wanted)


def badly_scaled(seed):
    """A matrix whose transposed solves have to be checked, and values like its own."""
    random = numpy.random.default_rng(seed)
    n = 12
    A = scipy.sparse.random(n, n, 0.2, random_state=seed, format="csc") + scipy.sparse.diags(2 + random.uniform(0, 1, n))
    A = scipy.sparse.csc_matrix(scipy.sparse.diags(10 ** random.uniform(-8, 8, n)) @ A)
    return A, [A.data * random.uniform(0.9, 1.1, A.nnz) for _ in range(8)]


def solve_in_place(by_extension):
    """First transposed solves whose solution takes the place of b; how many the extension says were not checked."""
    unchecked = 0
    for seed in range(20):
        A, values = badly_scaled(seed)
        solver, b = warplu.Solver(A, expected_refactors=100), numbers((12,))
        solver.factor(A)
        for step in values[:-1]:
            solver.refactor_solve(step, b)
        x = b.copy()
        if by_extension:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", warplu.WarpluWarning)
                status = solver._handle.refactor_solve(values[-1], x, x, 1)
            unchecked += status == warplu.Status.UNCHECKED
            if status == warplu.Status.UNCHECKED:
                continue
        else:
            solver.refactor_solve(values[-1], x, "T", out=x)
        assert solver.backward_error(values[-1], b, x, "T") < 1e-10, seed
    return unchecked


def first_transposed_solves_in_place_are_right():
    solve_in_place(False)


def the_extension_says_what_it_did_not_check():
    assert solve_in_place(True) > 0


def values_may_lie_where_solutions_go():
    A, values = badly_scaled(1)
    b = numbers((12,))
    for trans in "NT":
        solver = warplu.Solver(A, expected_refactors=100)
        solver.factor(A)
        for step in values[:-1]:
            solver.refactor_solve(step, b)
        room = values[-1].copy()
        x = solver.refactor_solve(room, b, trans, out=room[:12])
        assert solver.backward_error(values[-1], b, x, trans) < 1e-10


def arrays_need_not_be_aligned():
    A, b = matrix(), numbers((60,))
    wanted, packed = numpy.linalg.solve(A.toarray(), b), A.copy()
    packed.indptr, packed.indices, packed.data = (unaligned(part) for part in (A.indptr, A.indices, A.data))
    close(warplu.spsolve(packed, unaligned(b)), wanted)
    close(warplu.splu(packed).solve(unaligned(b)), wanted)
    solver = warplu.Solver(packed)
    solver.refactor(packed)
    close(solver.solve(unaligned(b)), wanted)
    close(solver.solve(unaligned(b[:, None])), wanted[:, None])
    raises(ValueError, solver.solve, b, out=unaligned(b))
    raises(ValueError, solver._handle.solve, unaligned(b), numpy.empty(60), 0)
    batch = warplu.Batch(solver, 2)
    close(batch.refactor_solve(unaligned(numpy.tile(A.data, (2, 1))), unaligned(numpy.tile(b, (2, 1)))),
          numpy.tile(wanted, (2, 1)))


def arrays_need_not_be_writable_nor_contiguous():
    A, b = matrix(), numbers((60,))
    wanted = numpy.linalg.solve(A.toarray(), b)
    for part in (A.indptr, A.indices, A.data, b):
        part.flags.writeable = False
    solver = warplu.Solver(A)
    solver.refactor(A.data)
    x = solver.solve(b)
    close(x, wanted)
    x.flags.writeable = False
    assert solver.backward_error(A, b, x) < 1e-11
    assert solver._handle.error(A.data, b, x, False, False) < 1e-11
    close(solver.solve(numpy.repeat(b, 2)[::2]), wanted)
    close(solver.solve(b[::-1]), numpy.linalg.solve(A.toarray(), b[::-1]))
    close(solver.solve(numpy.broadcast_to(1.0, 60)), numpy.linalg.solve(A.toarray(), numpy.ones(60)))
    solver.refactor(numpy.repeat(A.data, 3)[::3])
    close(solver.solve(b.astype(">f8")), wanted)


def nothing_is_solved_for_nothing():
    A = matrix()
    solver = warplu.Solver(A)
    assert solver.refactor_solve(A, numpy.empty((60, 0))).shape == (60, 0)
    assert solver.solve(numpy.empty((60, 0)), "T").shape == (60, 0)
    assert warplu.splu(A).solve(numpy.empty((60, 0))).shape == warplu.spsolve(A, numpy.empty((60, 0))).shape == (60, 0)
    assert warplu.Batch(solver, 2).refactor_solve(numpy.tile(A.data, (2, 1)), numpy.empty((2, 0, 60))).shape == (2, 0, 60)
    nothing = scipy.sparse.csc_matrix((0, 0))
    raises(warplu.InvalidArgumentError, warplu.Solver, nothing)
    lu = warplu.splu(nothing)  # as SciPy has it
    assert lu.solve(numpy.empty(0)).shape == lu.solve(numpy.empty(0), "T").shape == (0,) and lu.solve(numpy.empty((0, 3))).shape == (0, 3)
    assert lu.L.shape == lu.U.shape == lu.shape == (0, 0) and lu.nnz == 0 and lu.perm_r.shape == lu.perm_c.shape == (0,)
    assert lu.refactor(nothing) == lu.refactor(numpy.empty(0)) == 0
    assert raises(warplu.InvalidArgumentError, lambda: lu.solver.statistics).status == warplu.Status.EMPTY
    assert warplu.spsolve(nothing, numpy.empty(0)).shape == (0,)
    raises(warplu.InvalidArgumentError, warplu.Batch, solver, 0)
    raises(ValueError, warplu.Solver, scipy.sparse.csc_matrix((2, 3)))


def shapes_have_to_fit():
    A = matrix(6, density=1.0)
    b, values = numbers((6, 2)), A.toarray()
    solver = warplu.Solver(A)
    assert solver.factor(A) == 0 and A.nnz == 36
    for wrong in (values, values.ravel()[:-1], 1.0, A.data[:, None]):
        raises(ValueError, solver.refactor, wrong)
    for wrong in (b.T, numpy.ones((1, 6)), numpy.ones((6, 1, 1)), 1.0, numpy.ones(12)):
        raises(ValueError, solver.solve, wrong)
        raises(ValueError, solver.backward_error, A, wrong, wrong)
    x = solver.solve(b)
    raises(ValueError, solver.backward_error, A, b, x.T)
    raises(ValueError, solver.backward_error, A, b, x[:, 0])
    raises(ValueError, solver.skeel_condition, A, x)
    raises(ValueError, solver.solve, b, out=x.tolist())


def numbers_have_to_be_numbers():
    A, b = matrix(6, density=1.0), numbers((6,))
    solver = warplu.Solver(A)
    solver.factor(A)
    for wrong in ("six", None, numpy.array(["1"] * 6), b.astype(object), 1j * b):
        raises(TypeError, solver.solve, wrong)
    b[3] = numpy.nan
    raises(warplu.NotFiniteError, solver.solve, b)
    raises(warplu.NotFiniteError, solver.refactor, numpy.inf * A.data)
    raises(warplu.NotFiniteError, warplu.Solver(A).factor, numpy.nan * A.data)
    raises(warplu.NotFiniteError, warplu.spsolve, A, b)


def orders_have_to_be_whole_numbers():
    A = matrix(6)
    for wrong in ([0.0, 1, 2, 3, 4, 5], ["0"] * 6):
        raises(TypeError, warplu.Solver, A, ordering="given", col_order=wrong)
    for wrong in ([0, 1, 2, 3, 4, 2**32 + 5], numpy.array([0, 1, 2, 3, 4, 2**63 + 5], numpy.uint64)):
        raises(OverflowError, warplu.Solver, A, ordering="given", col_order=wrong)
    raises(warplu.InvalidArgumentError, warplu.Solver, A, ordering="given", col_order=[0, 1, 2, 3, 4, 4])
    raises(OverflowError, warplu.Batch, A, 2, devices=[2**32])
    solver = warplu.Solver(A, ordering="given", col_order=numpy.arange(6, dtype=numpy.uint16), btf=numpy.False_,
                           threads=numpy.int16(1))
    assert solver.refactor(A) == 0


package.run([solutions_may_lie_where_right_hand_sides_are, first_transposed_solves_in_place_are_right,
             the_extension_says_what_it_did_not_check,
             values_may_lie_where_solutions_go, arrays_need_not_be_aligned, arrays_need_not_be_writable_nor_contiguous,
             nothing_is_solved_for_nothing, shapes_have_to_fit, numbers_have_to_be_numbers, orders_have_to_be_whole_numbers])
