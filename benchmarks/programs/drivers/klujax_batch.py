"""klujax: a batch of systems of one pattern under jax.jit, a 2-D diffusion problem with another coefficient each.

    klujax_batch.py SIZE BATCH      SIZE x SIZE points
"""
import sys

import jax
import klujax
import numpy as np
import scipy.sparse

from section import Section

jax.config.update("jax_enable_x64", True)
size, batch = int(sys.argv[1]), int(sys.argv[2])
line = scipy.sparse.diags([np.ones(size - 1), np.full(size, -2.0), np.ones(size - 1)], [-1, 0, 1])
plane = scipy.sparse.kronsum(line, line).tocoo()
random = np.random.default_rng(1)
strength = random.uniform(0.5, 2, (batch, 1))
values = plane.data[None, :] * strength - (plane.row == plane.col) * random.uniform(0.1, 1, (batch, plane.nnz))
right = random.standard_normal((batch, size * size, 1))
arguments = [jax.numpy.asarray(array) for array in (plane.row.astype(np.int32), plane.col.astype(np.int32), values, right)]
solve = klujax.solve.lower(*arguments).compile()
timed = Section()
with timed:
    answer = solve(*arguments).block_until_ready()
timed.report({"systems": batch}, np.asarray(answer)[-1, :, 0])
