"""spsolve, splu, factorized and patch against SciPy's."""
import copy
import pickle
import warnings

import package
from package import close, matrix, numbers, raises

import numpy
import scipy.sparse
import scipy.sparse.linalg as scipy_linalg

import warplu

KINDS = [(form, dtype) for form in ("csc", "csr") for dtype in (numpy.float64, numpy.complex128)]


def spsolve_gives_what_scipy_s_gives():
    for form, dtype in KINDS:
        A = matrix(form=form, dtype=dtype)
        for shape in ((60,), (60, 1), (60, 4)):
            b = numbers(shape, dtype)
            found = warplu.spsolve(A, b)
            close(found, scipy_linalg.spsolve(A, b))
            assert found.dtype == dtype


def spsolve_converts():
    A, b = matrix(), numbers((60,))
    x = scipy_linalg.spsolve(A, b)
    wide = A.copy()
    wide.indices, wide.indptr = A.indices.astype(numpy.int64), A.indptr.astype(numpy.int64)
    longer = scipy.sparse.csc_matrix(A)
    longer.data, longer.indices = numpy.append(A.data, 7.0), numpy.append(A.indices, 0).astype(A.indices.dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy.sparse.SparseEfficiencyWarning)
        for form in (wide, longer, A.tocoo(), A.tolil(), A.toarray(), scipy.sparse.csc_array(A)):
            close(warplu.spsolve(form, b), x)
    close(warplu.spsolve(A, b.reshape(60, 1)[:, 0][::1]), x)
    close(warplu.spsolve(A, numpy.repeat(b, 2)[::2]), x)
    close(warplu.spsolve(A, list(b)), x)
    close(warplu.spsolve(A.astype(numpy.float32), b.astype(numpy.float32)), x, 1e-4)
    close(warplu.spsolve(A, b + 1j * b), x + 1j * x)
    close(warplu.spsolve(A.astype(complex), b), x)
    integers = scipy.sparse.csc_matrix(numpy.array([[2, 1], [1, 3]]))
    close(warplu.spsolve(integers, numpy.array([3, 4])), [1.0, 1.0])


def spsolve_takes_each_format():
    """With any numbers on either side; what SciPy's dtype is, it is."""
    kinds = (numpy.float32, numpy.float64, numpy.complex64, numpy.complex128)
    forms = ("csc", "csr", "coo", "lil", "dok", "dia", "bsr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in kinds:
            for of_b in (*kinds, int):
                A = (matrix().astype(complex) * (1 + 1j if numpy.dtype(dtype).kind == "c" else 1)).astype(dtype)
                b = (100 * numbers((60,))).astype(of_b)
                wanted = scipy_linalg.spsolve(A, b)
                for form in (*(A.asformat(name) for name in forms), scipy.sparse.lil_array(A), A.toarray()):
                    found = warplu.spsolve(form, b)
                    assert found.dtype == wanted.dtype, (type(form), found.dtype, wanted.dtype)
                    close(found, wanted, 1e-4)
        B = scipy.sparse.identity(60, format="csc")
        for form in (matrix().toarray(), matrix().tolil()):
            close(warplu.spsolve(form, B), scipy_linalg.spsolve(matrix(), B))


def options_are_not_given_twice():
    A, b = matrix(), numbers((60,))
    for call, name in ((lambda: warplu.splu(A, diag_pivot_thresh=0.1, pivot_tolerance=0.1), "pivot_tolerance"),
                       (lambda: warplu.splu(A, permc_spec="COLAMD", ordering="amd"), "ordering"),
                       (lambda: warplu.spsolve(A, b, permc_spec="NATURAL", ordering="natural"), "ordering")):
        text = str(raises(TypeError, call))
        assert name in text and "give one of them" in text, text


def sparse_right_hand_sides_of_splu_are_refused():
    A, b = matrix(), scipy.sparse.csc_matrix(numbers((60, 1)))
    solver = warplu.Solver(A)
    for call in (warplu.splu(A).solve, solver.solve, lambda b: solver.refactor_solve(A, b), lambda b: solver.skeel_condition(A, b)):
        assert "toarray()" in str(raises(TypeError, call, b))


def spsolve_warns_of_conversions_as_scipy_does():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warplu.spsolve(matrix().tocoo(), numbers((60,)))
    assert [c.category for c in caught] == [scipy.sparse.SparseEfficiencyWarning], caught


def spsolve_takes_sparse_right_hand_sides():
    A = matrix()
    B = scipy.sparse.random(60, 5, 0.1, random_state=3, format="csc")
    found = warplu.spsolve(A, B)
    assert scipy.sparse.issparse(found) and found.format == "csc"
    close(found, scipy_linalg.spsolve(A, B))
    one = B[:, :1]
    close(warplu.spsolve(A, one), scipy_linalg.spsolve(A, one))


def duplicates_and_order_do_not_matter():
    A = scipy.sparse.csc_matrix((numpy.array([1.0, 3.0, 1.0, 2.0, 1.0]), numpy.array([1, 0, 0, 1, 0]),
                                 numpy.array([0, 3, 5])), (2, 2))
    close(warplu.spsolve(A, numpy.array([1.0, 2.0])), numpy.linalg.solve([[4.0, 1.0], [1.0, 2.0]], [1.0, 2.0]))


def spsolve_refuses_what_does_not_fit():
    A = matrix()
    raises(ValueError, warplu.spsolve, A[:, :50], numbers((60,)))
    for shape in ((59,), (120,), (59, 2), (60, 2, 2)):
        raises(ValueError, warplu.spsolve, A, numbers(shape))
    broken = A.copy()
    broken.indices = broken.indices[:5]
    raises(ValueError, warplu.spsolve, broken, numbers((60,)))
    broken = A.copy()
    broken.indices = numpy.full_like(A.indices, 60)
    raises(warplu.InvalidArgumentError, warplu.spsolve, broken, numbers((60,)))
    raises(ValueError, warplu.spsolve, A, numbers((60,)), ordering="alphabetical")
    raises(TypeError, warplu.spsolve, A, numbers((60,)), colour="blue")


def spsolve_knows_patterns():
    A = matrix(seed=17)
    before = warplu.cache_statistics()
    for factor in range(1, 5):
        close(warplu.spsolve(factor * A, numbers((60,))), scipy_linalg.spsolve(factor * A, numbers((60,))))
    after = warplu.cache_statistics()
    assert after["analyzed"] == before["analyzed"] + 1 and after["reused"] == before["reused"] + 3, after
    first = warplu.splu(A)
    second = warplu.splu(A)
    del first, second
    found = warplu.cache_statistics()
    assert found["analyzed"] == after["analyzed"] and found["reused"] == after["reused"] + 1, found
    assert found["cloned"] == after["cloned"] + 1 and found["in_use"] == after["in_use"], found


def orders(lu):
    n = lu.shape[0]
    ones = numpy.ones(n)
    Pr = scipy.sparse.csc_matrix((ones, (lu.perm_r, numpy.arange(n))), lu.shape)
    return Pr, scipy.sparse.csc_matrix((ones, (numpy.arange(n), lu.perm_c)), lu.shape)


def factors_keep_scipy_s_identity():
    for form, dtype in KINDS:
        A = matrix(200, form, dtype, density=0.008)
        A.data *= numpy.exp2(numpy.random.default_rng(4).integers(-20, 20, A.nnz))  # scales matter
        for options in ({}, {"btf": False}, {"matching": "always"}, {"scaling": "none", "matching": "never"}):
            lu = warplu.splu(A, **options)
            Pr, Pc = orders(lu)
            permuted = (Pr @ A @ Pc).toarray()
            L, U = lu.L.toarray(), lu.U.toarray()
            rounding = abs(L) @ abs(U)
            assert numpy.all(abs(permuted - L @ U) <= 1e-12 * rounding), numpy.max(abs(permuted - L @ U))
            assert numpy.all(L.diagonal() == 1) and not numpy.triu(L, 1).any() and not numpy.tril(U, -1).any()
            assert lu.L.dtype == lu.U.dtype == dtype and lu.nnz == lu.L.nnz + lu.U.nnz
            assert lu.L.has_sorted_indices and lu.U.has_sorted_indices


def the_matrix_above_has_blocks_and_scales():
    A = matrix(200, density=0.008)
    A.data *= numpy.exp2(numpy.random.default_rng(4).integers(-20, 20, A.nnz))
    statistics = warplu.splu(A).solver.statistics
    assert statistics.blocks > 5 and statistics.f_nnz > 5, statistics


def splu_solves():
    for form, dtype in KINDS:
        A = matrix(form=form, dtype=dtype)
        lu, reference = warplu.splu(A), scipy_linalg.splu(A.tocsc())
        assert lu.shape == (60, 60)
        for trans in "NTH":
            for shape in ((60,), (60, 1), (60, 5)):
                b = numbers(shape, dtype)
                close(lu.solve(b, trans), reference.solve(b, trans))
        close(lu.solve(numbers((60, 5), dtype)[:, ::2]), reference.solve(numbers((60, 5), dtype)[:, ::2].copy()))
        assert lu.solve(numpy.empty((60, 0))).shape == (60, 0)
    close(warplu.splu(matrix()).solve(numbers((60,), complex)), scipy_linalg.spsolve(matrix(), numbers((60,), complex)))
    raises(ValueError, warplu.splu(matrix()).solve, numbers((60,)), "X")
    raises(ValueError, warplu.splu(matrix()).solve, numbers((61,)))
    raises(ValueError, warplu.splu(matrix()).solve, numbers((120,)))


def refactor_follows_the_values():
    for form, dtype in KINDS:
        A, b = matrix(form=form, dtype=dtype), numbers((60,), dtype)
        lu = warplu.splu(A)
        for step in range(1, 12):
            B = A.copy()
            B.data = A.data * (1 + 0.1 * numbers(A.nnz, seed=step))
            lu.refactor(B.data if step % 2 else B)
            Pr, Pc = orders(lu)
            close(lu.L @ lu.U, Pr @ B @ Pc)
            for trans in "NTH":
                close(lu.solve(b, trans), scipy_linalg.splu(B.tocsc()).solve(b, trans), 1e-9)


def refactor_refuses_other_patterns():
    A = matrix()
    lu = warplu.splu(A)
    error = raises(warplu.PatternMismatchError, lu.refactor, matrix(seed=9))
    assert error.status == warplu.Status.PATTERN_MISMATCH
    moved = A.indptr.copy()
    moved[5] += 1 if moved[6] > moved[5] else -1
    raises(warplu.PatternMismatchError, lu.refactor, scipy.sparse.csc_matrix((A.data, A.indices, moved), A.shape))
    raises(ValueError, lu.refactor, A.data[:-1])
    raises(TypeError, lu.refactor, A.data.astype(complex))
    lu.refactor(A.tocsr())
    close(lu.solve(numbers((60,))), scipy_linalg.spsolve(A, numbers((60,))))


def matrices_that_are_assembled_anew():
    """Entries in another order, doubled, or left out because they are zero; in both storages, by both ways."""
    for form, dtype in KINDS:
        A, b = matrix(form=form, dtype=dtype), numbers((60,), dtype)
        lu, solver = warplu.splu(A), warplu.Solver(A)
        B = A.tocoo()
        B.data[abs(B.data) < 0.3] = 0.0
        for _ in range(2):
            order = numpy.random.default_rng(5).permutation(B.nnz)
            shuffled = scipy.sparse.coo_matrix((B.data[order], (B.row[order], B.col[order])), B.shape)
            less = A.__class__(B)
            doubled = A.__class__((numpy.repeat(less.data, 2) / 2, numpy.repeat(less.indices, 2), 2 * less.indptr), B.shape)
            less.eliminate_zeros()
            assert less.nnz < A.nnz
            outside = less + 0.0 * A.__class__((numpy.ones(1, dtype), ([0], [1])), (60, 60))
            backwards = reversed_entries(A.__class__(B))
            for M in (shuffled.asformat(form), doubled, less, less.asformat("csr" if form == "csc" else "csc"), outside,
                      backwards):
                lu.refactor(M)
                close(lu.solve(b), numpy.linalg.solve(B.toarray(), b))
                close(solver.refactor_solve(M, b), numpy.linalg.solve(B.toarray(), b))
            B.data *= 1.5
        raises(ValueError, solver.refactor, less.data)


def reversed_entries(A):
    """The same matrix with the entries of each column, or row, in falling order."""
    outer = numpy.repeat(numpy.arange(60), numpy.diff(A.indptr))
    order = numpy.lexsort((-A.indices, outer))
    return A.__class__((A.data[order], A.indices[order], A.indptr), A.shape)


def duplicates_are_filled_once():
    A = scipy.sparse.csc_matrix((numpy.array([1.0, 3.0, 1.0, 2.0, 1.0]), numpy.array([1, 0, 0, 1, 0]), numpy.array([0, 3, 5])), (2, 2))
    lu = warplu.splu(A)
    M = scipy.sparse.csc_matrix([[5.0, 1.0], [2.0, 3.0]])
    lu.refactor(M)
    close(lu.solve(numpy.array([6.0, 5.0])), [1.0, 1.0])


def a_pattern_that_lacks_an_entry_says_so():
    for form, place in (("csc", "(3, 5)"), ("csr", "(3, 5)")):
        A = scipy.sparse.identity(8, format=form)
        lu = warplu.splu(A)
        one = A + scipy.sparse.coo_matrix(([2.0], ([3], [5])), (8, 8)).asformat(form)
        text = str(raises(warplu.PatternMismatchError, lu.refactor, one))
        assert place in text and "more" not in text and "warplu.union" in text, text
        two = one + scipy.sparse.coo_matrix(([2.0], ([7], [6])), (8, 8)).asformat(form)
        assert "and 1 more" in str(raises(warplu.PatternMismatchError, lu.refactor, two))
        raises(warplu.PatternMismatchError, lu.refactor, scipy.sparse.identity(9, format=form))
        beyond = A.copy()
        beyond.indices[7] = 8
        raises(ValueError, lu.refactor, beyond)
        lu = warplu.splu(warplu.union(A, two))
        for M in (A, one, two):
            lu.refactor(M)
            close(lu.solve(numpy.ones(8)), scipy_linalg.spsolve(M, numpy.ones(8)))


def unions_take_matrices_one_by_one():
    A = matrix()
    for several in ([A, A], (A,), [A.toarray(), A.toarray()]):
        assert "union(A, B)" in str(raises(TypeError, warplu.union, several))
    close(warplu.union([[1.0, 0.0], [0.0, 2.0]]), numpy.diag([1.0, 2.0]))


def unions_hold_all():
    A, B, C = matrix(seed=1), matrix(form="csr", seed=2), scipy.sparse.identity(60, dtype=complex, format="dia")
    found = warplu.union(A, B, C, A)
    assert found.format == "csc" and found.dtype == A.dtype and found.has_canonical_format
    close(found, A)
    assert found.nnz == (abs(A.sign()) + abs(B.sign()) + scipy.sparse.identity(60)).nnz
    assert isinstance(warplu.union(scipy.sparse.csr_array(A), B), scipy.sparse.csc_array)
    raises(ValueError, warplu.union, A, scipy.sparse.identity(59))


def singular_matrices_are_refused():
    A = scipy.sparse.csc_matrix([[1.0, 2.0], [2.0, 4.0]])
    for call in (lambda: warplu.spsolve(A, numpy.ones(2)), lambda: warplu.splu(A), lambda: warplu.factorized(A)):
        error = raises(warplu.SingularMatrixError, call)
        assert error.status == warplu.Status.SINGULAR and isinstance(error, (RuntimeError, numpy.linalg.LinAlgError))
    empty = scipy.sparse.csc_matrix(([1.0], ([0], [0])), (2, 2))
    assert raises(warplu.SingularMatrixError, warplu.splu, empty).status == warplu.Status.STRUCTURALLY_SINGULAR
    raises(warplu.NotFiniteError, warplu.spsolve, matrix(), numpy.full(60, numpy.nan))


def factors_are_not_copied():
    """SciPy's SuperLU says so, too. A copy would share its factors, and follow when the other is refactored."""
    A = matrix()
    solver = warplu.Solver(A)
    for held in (warplu.splu(A), solver, warplu.Batch(solver, 2), scipy_linalg.splu(A)):
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            text = str(raises(TypeError, call, held))
            assert type(held).__name__ in text, text
    second = warplu.splu(A)  # what takes the place of a copy
    first = warplu.splu(A)
    second.refactor(2 * A.data)
    close(first.solve(numbers((60,))), 2 * second.solve(numbers((60,))))


def factorized_gives_a_function():
    close(warplu.factorized(matrix())(numbers((60,))), scipy_linalg.factorized(matrix())(numbers((60,))))


def natural_orders_are_kept():
    A = matrix() + 10 * scipy.sparse.identity(60)
    lu = warplu.splu(A, permc_spec="NATURAL", btf=False, matching="never")
    assert list(lu.perm_c) == list(range(60)) and lu.solver.statistics.ordering == "natural"


def numbers_of_a_converted_matrix_are_refused():
    """Their order was another one."""
    A = scipy.sparse.coo_matrix(([1.0, 2.0, 3.0, 9.0], ([0, 1, 0, 1], [1, 0, 0, 1])), shape=(2, 2))
    b = numpy.array([1.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lu, solver = warplu.splu(A), warplu.Solver(A.toarray())
        raises(ValueError, warplu.Batch, solver, 2)
        for call in (lu.refactor, solver.factor, solver.refactor):
            assert "converted" in str(raises(ValueError, call, A.data))
        lu.refactor(2 * A)
    close(lu.solve(b), numpy.linalg.solve(2 * A.toarray(), b))


def factors_are_of_scipy_s_kind():
    A = matrix()
    with warplu.patch():
        assert type(scipy.sparse.linalg.splu(A).U) is type(warplu.splu(A).L)
    assert type(warplu.splu(A).L) is type(scipy.sparse.linalg.splu(A).L)


package.run([spsolve_gives_what_scipy_s_gives, spsolve_converts, spsolve_takes_each_format, options_are_not_given_twice,
             sparse_right_hand_sides_of_splu_are_refused, spsolve_warns_of_conversions_as_scipy_does,
             spsolve_takes_sparse_right_hand_sides, duplicates_and_order_do_not_matter, spsolve_refuses_what_does_not_fit,
             spsolve_knows_patterns, factors_keep_scipy_s_identity, the_matrix_above_has_blocks_and_scales, splu_solves,
             refactor_follows_the_values, refactor_refuses_other_patterns,
             matrices_that_are_assembled_anew, duplicates_are_filled_once, a_pattern_that_lacks_an_entry_says_so, unions_hold_all, unions_take_matrices_one_by_one,
             singular_matrices_are_refused, factors_are_not_copied,
             factorized_gives_a_function, natural_orders_are_kept, numbers_of_a_converted_matrix_are_refused, factors_are_of_scipy_s_kind])
