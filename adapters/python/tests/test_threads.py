"""Threads: the GIL is free during calls, a shared solver takes its users in turn, and Ctrl-C ends a long call."""
import signal
import threading
import time

import package
from package import close, matrix, numbers

import numpy
import scipy.sparse

import warplu


def large():
    """A matrix whose factorization takes seconds: it fills in wholly."""
    return matrix(2500, density=0.01)


def together(work, threads=4):
    """Runs work(number) in threads; the first exception is raised."""
    errors = []

    def run(number):
        try:
            work(number)
        except BaseException as error:  # handed to the test's thread
            errors.append(error)

    running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    if errors:
        raise errors[0]


def the_gil_is_free():
    A = matrix(900, density=0.01)
    solver, state = warplu.Solver(A, expected_refactors=4), []

    def factor(_):
        state.append("begun")
        solver.factor(A.data)
        state.append("done")

    thread, counted = threading.Thread(target=factor, args=(0,)), 0
    thread.start()
    while "done" not in state:
        counted += "begun" in state
        time.sleep(0.0005)
    thread.join()
    assert counted > 10, f"this thread ran {counted} times during the call"


def a_shared_solver_takes_turns():
    A = matrix()
    lu = warplu.splu(A)
    dense = A.toarray()

    def work(number):
        b = numbers((60, 1 + number), seed=number)
        for _ in range(100):
            close(lu.solve(b), numpy.linalg.solve(dense, b))
            lu.refactor(A.data)
            close(lu.solve(b, "T"), numpy.linalg.solve(dense.T, b))

    together(work)


def the_cache_serves_threads():
    matrices = [matrix(seed=seed) for seed in (1, 2, 3)]

    def work(number):
        for step in range(60):
            A = matrices[step % 3] * (1.0 + number)
            b = numbers((60,), seed=step)
            close(A @ warplu.spsolve(A, b), b)
            if step % 10 == 0:
                close(A @ warplu.splu(A).solve(b), b)

    together(work)
    assert warplu.cache_statistics()["in_use"] == 0


def a_signal_ends_a_long_call():
    class Stop(Exception):
        pass

    def stop(*_):
        raise Stop

    A, before = large(), signal.signal(signal.SIGALRM, stop)
    try:
        for call in (lambda: warplu.spsolve(A, numpy.ones(2500)), lambda: warplu.Solver(A).factor(A)):
            signal.setitimer(signal.ITIMER_REAL, 0.15)
            begin = time.process_time()
            try:
                call()
                raise AssertionError("the call went on")
            except Stop:
                assert time.process_time() - begin < 2, "it took too long to stop"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    close(warplu.spsolve(scipy.sparse.identity(3, format="csc"), numpy.ones(3)), numpy.ones(3))


package.run([the_gil_is_free, a_shared_solver_takes_turns, the_cache_serves_threads, a_signal_ends_a_long_call])
