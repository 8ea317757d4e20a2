"""The built package, for tests: `import package` puts it in Python's path, and skips the test where it cannot be.

    test_NAME.py SOURCE BUILD
"""
import os
import sys

source, build = sys.argv[1:3]
sys.path.insert(0, os.path.join(source, "tests", "support"))
sys.path.insert(0, os.path.join(build, "adapters", "python"))
import tap  # noqa: E402

try:
    import numpy
    import scipy.sparse
except ImportError as missing:
    print(f"1..0 # SKIP {missing}")
    sys.exit(0)


def matrix(n=60, form="csc", dtype=numpy.float64, seed=1, density=0.05):
    """A sparse matrix that is well conditioned, unsymmetric and reducible, with its largest entries off the diagonal."""
    random = numpy.random.default_rng(seed)
    A = scipy.sparse.random(n, n, density, random_state=seed, format="csc")
    A = A + scipy.sparse.diags(2.0 + random.uniform(0, 1, n)).tocsr()[random.permutation(n)]
    if dtype == numpy.complex128:
        A = A + 1j * scipy.sparse.random(n, n, density, random_state=seed + 1, format="csc")
    return A.asformat(form).astype(dtype)


def numbers(shape, dtype=numpy.float64, seed=2):
    random = numpy.random.default_rng(seed)
    found = random.standard_normal(shape)
    return found + 1j * random.standard_normal(shape) if dtype == numpy.complex128 else found


def close(found, wanted, tolerance=1e-10):
    """Asserts that shapes and numbers agree."""
    found, wanted = (x.toarray() if scipy.sparse.issparse(x) else numpy.asarray(x) for x in (found, wanted))
    assert found.shape == wanted.shape, f"{found.shape}, not {wanted.shape}"
    scale = numpy.max(numpy.abs(wanted), initial=1e-300)
    difference = numpy.max(numpy.abs(found - wanted), initial=0.0)
    assert difference <= tolerance * scale, f"differs by {difference:.1e} of {scale:.1e}"


def raises(kind, call, *arguments, **options):
    """The exception that the call raises, of that very kind."""
    try:
        call(*arguments, **options)
    except kind as error:
        assert type(error) is kind, f"{type(error).__name__}, not {kind.__name__}"
        return error
    raise AssertionError(f"no {kind.__name__}")


run, Skip = tap.run, tap.Skip
