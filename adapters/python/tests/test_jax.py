"""warplu.jax against dense solves of JAX: values, batches, derivatives."""
import doctest
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import package
from package import close, matrix, numbers, raises

try:
    import jax
    import jax.numpy as jnp
except ImportError as missing:
    print(f"1..0 # SKIP {missing}")
    sys.exit(0)
import numpy

import warplu.jax

jax.config.update("jax_enable_x64", True)
N = 25
CASES = [("csc", numpy.float64, "N"), ("csr", numpy.float64, "T"), ("csc", numpy.complex128, "H"), ("csr", numpy.complex128, "N")]


def functions(form, dtype, trans, **options):
    """A's values, and x(values, b) by warplu and by a dense solve."""
    A = matrix(N, form, dtype, density=0.1)
    coo = A.tocoo()
    rows, columns = (coo.col, coo.row) if trans != "N" else (coo.row, coo.col)
    ptr, idx = A.indptr, A.indices

    def sparse(values, b):
        return warplu.jax.solve(ptr, idx, values, b, storage=form, trans=trans, **options)

    def dense(values, b):
        values = values.conj() if trans == "H" else values
        return jnp.linalg.solve(jnp.zeros((N, N), values.dtype).at[rows, columns].add(values), b)

    return A.data, sparse, dense


def solutions():
    for case in CASES:
        values, sparse, dense = functions(*case)
        for shape in ((N,), (N, 4)):
            b = numbers(shape, case[1])
            close(sparse(values, b), dense(values, b))
            close(jax.jit(sparse)(values, b), dense(values, b))


def batches():
    for case in CASES[1:3]:
        values, sparse, dense = functions(*case)
        many, b = values * (1 + 0.1 * numbers((6, len(values)))), numbers((6, N), case[1])
        for axes, arguments in (((0, 0), (many, b)), ((None, 0), (values, b)), ((0, None), (many, b[0])),
                                ((0, 1), (many, numbers((N, 6), case[1])))):
            close(jax.jit(jax.vmap(sparse, axes))(*arguments), jax.vmap(dense, axes)(*arguments))
        for inner, outer in (((None, 0), (0, None)), ((0, None), (None, 0)), ((None, 0), (0, 0))):
            right = numbers((6, 6, N), case[1]) if outer == (0, 0) else b
            twice = [jax.vmap(jax.vmap(f, inner), outer)(many, right) for f in (sparse, dense)]
            close(*twice)
        columns = numbers((6, N, 3), case[1])
        close(jax.vmap(sparse)(many, columns), jax.vmap(dense)(many, columns))


def derivatives():
    for case in CASES:
        values, sparse, dense = functions(*case)
        b, weights = numbers((N,), case[1]), numbers((N,), case[1], seed=5)
        tangents = numbers(values.shape, case[1], seed=6), numbers((N,), case[1], seed=7)
        for found, wanted in zip(jax.jvp(sparse, (values, b), tangents), jax.jvp(dense, (values, b), tangents)):
            close(found, wanted)
        pull = [jax.jit(lambda v, r, f=f: jax.vjp(f, v, r)[1](weights.astype(r.dtype)))(values, b) for f in (sparse, dense)]
        for found, wanted in zip(*pull):
            close(found, wanted)


def derivatives_of_batches_and_of_derivatives():
    values, sparse, dense = functions("csr", numpy.float64, "N")
    many, b = values * (1 + 0.1 * numbers((4, len(values)))), numbers((4, N))
    found, wanted = [jax.vmap(jax.grad(lambda v, r, f=f: jnp.sum(f(v, r)**2)))(many, b) for f in (sparse, dense)]
    close(found, wanted)
    found, wanted = [jax.hessian(lambda v, f=f: jnp.sum(f(v, b[0])**2))(values) for f in (sparse, dense)]
    close(found, wanted, 1e-8)


def failures_raise_or_are_nan():
    values, sparse, _ = functions("csc", numpy.float64, "N")
    b = numbers((N,))
    try:
        jax.block_until_ready(sparse(numpy.zeros_like(values), b))
        raise AssertionError("a singular matrix was solved with")
    except (ValueError, RuntimeError) as error:
        assert "WARPLU_SINGULAR" in str(error), error
    _, sparse, dense = functions("csc", numpy.float64, "N", on_failure="nan")
    many = numpy.array([values, numpy.zeros_like(values), values])
    found = jax.vmap(sparse, (0, None))(many, b)
    assert numpy.all(numpy.isnan(found[1]))
    close(found[0], dense(values, b))
    close(found[2], found[0], 1e-12)


def what_does_not_fit_is_refused():
    values, sparse, _ = functions("csc", numpy.float64, "N")
    raises(ValueError, sparse, values[:-1], numbers((N,)))
    raises(ValueError, sparse, values, numbers((N + 1,)))
    raises(ValueError, warplu.jax.solve, [0, 1], [0], [1.0], [1.0], trans="X")
    assert "csr" in str(raises(ValueError, warplu.jax.solve, [0, 1], [0], [1.0], [1.0], storage="coo"))
    raises(ValueError, warplu.jax.solve, [0, 2, 1], [0], [1.0], [1.0, 1.0])


def patterns_may_be_traced():
    A, b = matrix(N, density=0.1), numbers((N,))
    solve = jax.jit(warplu.jax.solve)
    close(solve(A.indptr, A.indices, A.data, b), numpy.linalg.solve(A.toarray(), b))
    found, wanted = [jax.grad(lambda v, f=f: jnp.sum(f(A.indptr, A.indices, v, b)**2))(A.data) for f in (solve, warplu.jax.solve)]
    close(found, wanted)


def examples_run():
    found = doctest.testmod(warplu.jax)
    assert found.failed == 0 and found.attempted > 5, found


package.run([solutions, batches, derivatives, derivatives_of_batches_and_of_derivatives, failures_raise_or_are_nan,
             what_does_not_fit_is_refused, patterns_may_be_traced, examples_run])
