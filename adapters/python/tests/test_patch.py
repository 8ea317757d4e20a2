"""patch: programs that call SciPy get its answers, types, warnings and errors."""
import copy
import pickle
import sys
import types
import warnings

import package
from package import close, matrix, numbers, raises

import numpy
import scipy.sparse
import scipy.sparse.linalg as scipy_linalg

import warplu
from warplu import _patch

REGULAR, SINGULAR = scipy.sparse.csc_matrix([[2.0, 1.0], [1.0, 3.0]]), scipy.sparse.csc_matrix([[1.0, 2.0], [2.0, 4.0]])
PAIR, NAN, IDENTITY = numpy.array([1.0, 2.0]), numpy.array([numpy.nan, 1.0]), scipy.sparse.identity(2, format="csc")


def with_nan():
    A = REGULAR.copy()
    A.data[0] = numpy.nan
    return A


# Calls of spsolve, splu and factorized, of what is patched and what uses it.
CALLS = {
    "a list": lambda: scipy_linalg.spsolve(REGULAR, [1, 2]),
    "a column": lambda: scipy_linalg.spsolve(REGULAR, [[1.0], [2.0]]),
    "columns": lambda: scipy_linalg.spsolve(REGULAR.tocsr(), numpy.eye(2)),
    "single precision": lambda: scipy_linalg.spsolve(REGULAR.astype("f"), PAIR.astype("f")),
    "single and double": lambda: scipy_linalg.spsolve(REGULAR.astype("f"), PAIR),
    "whole numbers": lambda: scipy_linalg.spsolve(REGULAR.astype(int), [1, 2]),
    "short whole numbers": lambda: scipy_linalg.spsolve(REGULAR.astype("i2"), PAIR.astype("f")),
    "complex b": lambda: scipy_linalg.spsolve(REGULAR, 1j * PAIR),
    "complex A": lambda: scipy_linalg.spsolve(1j * REGULAR, PAIR),
    "objects": lambda: scipy_linalg.spsolve(REGULAR, numpy.array([1.0, None])),
    "an array of SciPy": lambda: scipy_linalg.spsolve(scipy.sparse.csc_array(REGULAR), PAIR),
    "singular": lambda: scipy_linalg.spsolve(SINGULAR, PAIR),
    "singular, a list": lambda: scipy_linalg.spsolve(SINGULAR, [1.0, 2.0]),
    "singular, a column": lambda: scipy_linalg.spsolve(SINGULAR, [[1.0], [2.0]]),
    "singular, columns": lambda: scipy_linalg.spsolve(SINGULAR, numpy.eye(2)),
    "singular, sparse b": lambda: scipy_linalg.spsolve(SINGULAR, IDENTITY),
    "singular, dense": lambda: scipy_linalg.spsolve(SINGULAR.toarray(), PAIR),
    "singular by its pattern": lambda: scipy_linalg.spsolve(scipy.sparse.csc_matrix([[1.0, 0.0], [1.0, 0.0]]), PAIR),
    "NaN in b": lambda: scipy_linalg.spsolve(REGULAR, NAN),
    "infinite b": lambda: scipy_linalg.spsolve(REGULAR, [numpy.inf, 1.0]),
    "NaN in A": lambda: scipy_linalg.spsolve(with_nan(), PAIR),
    "NaN in sparse b": lambda: scipy_linalg.spsolve(REGULAR, scipy.sparse.csc_matrix([[numpy.nan, 0.0], [0.0, 1.0]])),
    "a dense matrix": lambda: scipy_linalg.spsolve(REGULAR.toarray(), PAIR),
    "coordinates": lambda: scipy_linalg.spsolve(REGULAR.tocoo(), PAIR),
    "a sparse column": lambda: scipy_linalg.spsolve(REGULAR, scipy.sparse.csc_matrix([[1.0], [2.0]])),
    "a sparse vector": lambda: scipy_linalg.spsolve(REGULAR, scipy.sparse.coo_array(PAIR)),
    "sparse columns": lambda: scipy_linalg.spsolve(REGULAR, scipy.sparse.csc_matrix([[2.0, 0.0], [1.0, 0.0]])),
    "sparse rows": lambda: scipy_linalg.spsolve(REGULAR, IDENTITY.tocsr()),
    "rows, and sparse columns": lambda: scipy_linalg.spsolve(REGULAR.tocsr(), IDENTITY),
    "not square": lambda: scipy_linalg.spsolve(REGULAR[:, :1], PAIR),
    "too short": lambda: scipy_linalg.spsolve(REGULAR, [1.0]),
    "no order": lambda: scipy_linalg.spsolve(REGULAR, PAIR, permc_spec="ALPHABETICAL"),
    "natural": lambda: scipy_linalg.spsolve(REGULAR, PAIR, "NATURAL", use_umfpack=False),
    "nothing": lambda: scipy_linalg.spsolve(scipy.sparse.csc_matrix((0, 0)), numpy.ones(0)),
    "factorized": lambda: scipy_linalg.factorized(REGULAR)(PAIR),
    "factorized, singular": lambda: scipy_linalg.factorized(SINGULAR),
    "factorized, NaN": lambda: scipy_linalg.factorized(REGULAR)(NAN),
    "factorized, complex": lambda: scipy_linalg.factorized(REGULAR)(1j * PAIR),
    "factorized, rows": lambda: scipy_linalg.factorized(REGULAR.tocsr())(PAIR),
    "factorized, coordinates": lambda: scipy_linalg.factorized(REGULAR.tocoo())(PAIR),
    "factorized, a list": lambda: scipy_linalg.factorized(REGULAR)([1.0, 2.0]),
    "splu": lambda: scipy_linalg.splu(REGULAR).solve(PAIR),
    "splu, factors": lambda: scipy_linalg.splu(REGULAR).L,
    "splu, transposed": lambda: scipy_linalg.splu(1j * REGULAR).solve(1j * PAIR, "H"),
    "splu, columns": lambda: scipy_linalg.splu(REGULAR).solve(numpy.eye(2), trans="T"),
    "splu, short": lambda: scipy_linalg.splu(REGULAR).solve(numpy.ones(3)),
    "splu, NaN": lambda: scipy_linalg.splu(REGULAR).solve(NAN),
    "splu, NaN in A": lambda: scipy_linalg.splu(with_nan()).solve(PAIR),
    "splu, trans": lambda: scipy_linalg.splu(REGULAR).solve(PAIR, "X"),
    "splu, singular": lambda: scipy_linalg.splu(SINGULAR),
    "splu, not square": lambda: scipy_linalg.splu(REGULAR[:, :1]),
    "splu, rows": lambda: scipy_linalg.splu(REGULAR.tocsr()).solve(PAIR),
    "splu, single": lambda: scipy_linalg.splu(REGULAR.astype("f")).solve(PAIR.astype("f")),
    "splu, copied": lambda: copy.copy(scipy_linalg.splu(REGULAR)),
    "splu, pickled": lambda: pickle.dumps(scipy_linalg.splu(REGULAR)),
    "splu, nothing": lambda: scipy_linalg.splu(scipy.sparse.csc_matrix((0, 0))).shape,
    "natural splu": lambda: scipy_linalg.splu(REGULAR, "NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True}).U,
    "eigenvalues": lambda: scipy_linalg.eigs(scipy.sparse.diags(numpy.arange(1.0, 30.0)).tocsc(), 2, sigma=3.2)[0],
    "an inverse": lambda: scipy_linalg.inv(REGULAR),
    "an exponential": lambda: scipy_linalg.expm(REGULAR),
}


def outcome(call):
    """The answer, or the error; and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = call()
        except Exception as error:
            answer = error
    return answer, [(w.category, str(w.message)) for w in caught]


def same(name, found, wanted):
    assert type(found) is type(wanted), f"{name}: {type(found).__name__} {found}, not {type(wanted).__name__} {wanted}"
    if isinstance(found, Exception):
        assert str(found) == str(wanted), f"{name}: {found}, not {wanted}"
    elif isinstance(found, tuple):
        assert found == wanted, name
    else:
        if scipy.sparse.issparse(found):
            assert found.nnz == wanted.nnz, name
            found, wanted = found.toarray(), wanted.toarray()
        assert found.shape == wanted.shape and found.dtype == wanted.dtype, f"{name}: {found.dtype}, not {wanted.dtype}"
        numpy.testing.assert_allclose(found, wanted, 1e-5 if found.dtype.char in "fF" else 1e-9, 1e-12, err_msg=name)


def manners_are_scipy_s():
    for name, call in CALLS.items():
        answer, warned = outcome(call)
        for package_names in ((), ("scipy",)):
            with warplu.patch(*package_names):
                found, told = outcome(call)
            same(name, found, answer)
            assert told == warned, f"{name}: {told}, not {warned}"


def the_work_is_warplu_s():
    A, b = matrix(seed=23), numbers((60,))
    before = warplu.cache_statistics()
    with warplu.patch():
        for _ in range(3):
            x = scipy_linalg.spsolve(A, b), scipy_linalg.splu(A).solve(b), scipy_linalg.factorized(A)(b)
        lu = scipy_linalg.splu(A)
        Pr = scipy.sparse.csc_matrix((numpy.ones(60), (lu.perm_r, numpy.arange(60))))
        Pc = scipy.sparse.csc_matrix((numpy.ones(60), (numpy.arange(60), lu.perm_c)))
        close(Pr @ A @ Pc, lu.L @ lu.U)
        assert lu.shape == (60, 60) and lu.nnz == lu.L.nnz + lu.U.nnz
        data = A.data.copy()
        A.data[:] = 0.0
        assert numpy.isnan(lu.solve(numpy.full(60, numpy.nan))).any()
        close(lu.solve(1.0 * b), x[0])
        A.data[:] = data
    for found in x:
        close(found, scipy_linalg.spsolve(A, b))
    after = warplu.cache_statistics()
    assert after["analyzed"] == before["analyzed"] + 1 and after["reused"] >= before["reused"] + 8, (before, after)


def transposed_solves_are_quiet():
    for seed in range(20):
        scales = 10.0 ** numpy.random.default_rng(seed).uniform(-8, 8, 60)
        A = (scipy.sparse.diags(scales) @ matrix(seed=seed)).tocsc()
        for _ in range(3):
            with warplu.patch():
                lu = scipy_linalg.splu(A)
            for trans in "TNTH":
                found, told = outcome(lambda trans=trans: lu.solve(numbers((60,)), trans))
                close(found, scipy_linalg.splu(A).solve(numbers((60,)), trans), 1e-9)
                assert told == [], told


def patches_nest():
    user = types.ModuleType("warplu_test_nested")
    user.spsolve = original = scipy_linalg.spsolve
    sys.modules[user.__name__] = user
    with warplu.patch():
        with warplu.patch("warplu_test_nested") as inner:
            assert inner.places == ["warplu_test_nested.spsolve"]
            same("nested", *(outcome(lambda f=f: f(SINGULAR, PAIR))[0] for f in (user.spsolve, original)))
        assert user.spsolve is original and scipy_linalg.spsolve is _patch.spsolve_as_scipy
    assert scipy_linalg.spsolve is original


def patch_replaces_and_puts_back():
    user = types.ModuleType("warplu_test_user.inner")
    user.spsolve = scipy_linalg.spsolve
    user.other = scipy_linalg.spilu
    sys.modules[user.__name__] = user
    A, b = matrix(), numbers((60,))
    with warplu.patch("warplu_test_user") as patched:
        assert patched.places == ["warplu_test_user.inner.spsolve"] and user.spsolve is not scipy_linalg.spsolve
        close(user.spsolve(A, b), scipy_linalg.spsolve(A, b))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            x = user.spsolve(scipy.sparse.csc_matrix([[1.0, 2.0], [2.0, 4.0]]), numpy.ones(2))
        assert numpy.all(numpy.isnan(x)) and x.shape == (2,)
        assert [c.category for c in caught] == [scipy_linalg.MatrixRankWarning]
    assert user.spsolve is scipy_linalg.spsolve
    raises(ValueError, warplu.patch, "warplu_test_nobody")


def modules_are_patched_by_dotted_names():
    import scipy.integrate  # its _ivp.bdf and _ivp.radau have names of their own

    for name in ("scipy.integrate", "scipy.integrate._ivp", "scipy.integrate._ivp.bdf"):
        with warplu.patch(name) as patched:
            assert "scipy.integrate._ivp.bdf.splu" in patched.places, patched.places
            assert all(place.startswith(f"{name}.") for place in patched.places), patched.places
            assert scipy.integrate._ivp.bdf.splu is _patch.splu_as_scipy
        assert scipy.integrate._ivp.bdf.splu is scipy_linalg.splu
    user = types.ModuleType("warplu_test_dotted.numbers.solve")
    user.spsolve = scipy_linalg.spsolve
    sys.modules[user.__name__] = user
    for name in ("warplu_test_dotted.num", "numbers.solve", "warplu_test_dotted.numbers.solve.spsolve"):
        assert name in str(raises(ValueError, warplu.patch, name))


def warnings_name_the_caller_s_line():
    with warplu.patch(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for k in range(2):
            scipy_linalg.spsolve(SINGULAR, PAIR)
        scipy_linalg.spsolve(REGULAR.tocoo(), PAIR)
    assert len(caught) == 2 and {w.filename for w in caught} == {__file__} and caught[0].lineno != caught[1].lineno, caught


package.run([manners_are_scipy_s, warnings_name_the_caller_s_line, the_work_is_warplu_s, transposed_solves_are_quiet, patches_nest, patch_replaces_and_puts_back,
             modules_are_patched_by_dotted_names])
