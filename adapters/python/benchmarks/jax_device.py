"""Times of warplu.jax on a GPU: jitted calls with new values each time, of a 2-D convection-diffusion problem.

    PYTHONPATH=BUILD/adapters/python python3 jax_device.py [REPETITIONS]

One system, its derivative, and vmap over members of their own values; on the GPU, on the CPU beside it, and by JAX's own sparse
solve on the GPU (cuSOLVER's QR) where it has one. Wall times in milliseconds, the median and the least; residual: the largest
componentwise backward error. JAX_PLATFORMS=cuda,cpu has both."""
import sys
import time

import jax
import jax.numpy as jnp
import numpy
import scipy.sparse

import warplu
import warplu.jax

jax.config.update("jax_enable_x64", True)


def convection(side):
    """Five points, with a velocity that breaks the symmetry; CSR."""
    one, eye = scipy.sparse.diags([-1.2, 2.1, -0.8], [-1, 0, 1], (side, side)), scipy.sparse.eye(side)
    return (scipy.sparse.kron(one, eye) + scipy.sparse.kron(eye, one)).tocsr()


def times_of(call, inputs):
    """Median and least milliseconds, the first two calls apart, and the last answer."""
    found = []
    for values in inputs:
        begin = time.perf_counter()
        x = jax.block_until_ready(call(values))
        found.append(1e3 * (time.perf_counter() - begin))
    return numpy.median(found[2:]), min(found[2:]), found[0], x


def backward_error(A, values, b, x):
    solver = warplu.Solver(A)
    return max(solver.backward_error(v, r, y) for v, r, y in zip(*(numpy.atleast_2d(numpy.asarray(z)) for z in (values, b, x))))


def line(what, n, call, A, inputs, right, check=True):
    try:
        median, least, first, x = times_of(call, inputs)
    except Exception as error:  # a solver that is not there, or has no memory
        print(f"{what:34} {n:8} {type(error).__name__}: {str(error).splitlines()[0][:70]}", flush=True)
        return
    error = f"{backward_error(A, inputs[-1], right, x):8.1e}" if check else ""
    print(f"{what:34} {n:8} {median:10.3f} {least:10.3f} {first:10.1f} {error}", flush=True)


def measure(side, members, repetitions):
    A = convection(side)
    n, random = A.shape[0], numpy.random.default_rng(1)
    b = random.standard_normal((members, n))
    scale = 1 + 0.05 * random.standard_normal((repetitions + 2, members, 1))
    noise = 1 + 1e-3 * random.standard_normal((members, A.nnz))
    for platform in ("gpu", "cpu"):
        try:
            device = jax.devices(platform)[0]
        except RuntimeError:
            continue
        inputs = [jax.device_put(A.data * noise * s, device) for s in scale]
        right, ptr, idx = (jax.device_put(a, device) for a in (b, A.indptr, A.indices))
        solve = jax.jit(lambda v, r: warplu.jax.solve(ptr, idx, v, r, storage="csr"))
        if members > 1:
            many = jax.jit(jax.vmap(solve))
            line(f"warplu, {members} members, {platform}", n, lambda v: many(v, right), A, inputs, b)
            continue
        singles, one = [v[0] for v in inputs], right[0]
        line(f"warplu, {platform}", n, lambda v: solve(v, one), A, singles, b)
        slope = jax.jit(jax.grad(lambda v: jnp.sum(solve(v, one)**2)))
        line(f"warplu, gradient, {platform}", n, slope, A, singles, b, False)
        if platform == "gpu" and n <= 20000:
            from jax.experimental.sparse.linalg import spsolve
            own = jax.jit(lambda v: spsolve(v, idx, ptr, one))
            line("jax.experimental spsolve, gpu", n, own, A, singles[:4], b)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print(f"# JAX {jax.__version__}, {jax.devices()[0].device_kind}")
    print(f"{'':34} {'n':>8} {'median':>10} {'least':>10} {'first':>10}  residual")
    for size, batch in ((32, 1), (100, 1), (316, 1), (32, 1000), (100, 200)):
        measure(size, batch, count)
