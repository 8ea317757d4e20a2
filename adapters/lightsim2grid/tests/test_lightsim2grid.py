"""The plugin in lightsim2grid: the same power flows as by its own solvers, one by one and in series, and what is singular is told.

    test_lightsim2grid.py SOURCE PREFIX PLUGIN     PREFIX: the folder of the package lightsim2grid
"""
import os
import sys

source, prefix, plugin = sys.argv[1:4]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(prefix)))
try:
    import numpy as np
    import lightsim2grid
    from lightsim2grid.lightsim2grid_cpp import ErrorType, LSGrid, TimeSeriesCPP
except ImportError as error:
    print(f"1..0 # SKIP {error}")
    sys.exit(0)

BUSES, LINES = 40, 60
NAMES = {"NR_WARPLU", "NRSing_WARPLU", "DC_WARPLU"}


def ring(broken=False):
    """Buses in a ring with chords: a generator at each tenth bus, the first is slack, a load at each other. Broken: the
    last bus has no line."""
    grid = LSGrid()
    grid.set_init_vm_pu(1.0)
    grid.set_sn_mva(100.0)
    grid.init_bus(BUSES, 1, np.full(BUSES, 138.0), 0, 0)
    begin = np.array([k % BUSES for k in range(LINES)], dtype=np.int32)
    end = np.array([(k + 1 if k < BUSES else k + 7) % BUSES for k in range(LINES)], dtype=np.int32)
    if broken:
        kept = (begin != BUSES - 1) & (end != BUSES - 1)
        begin, end = begin[kept], end[kept]
    x = 0.02 + 0.001 * np.arange(len(begin))
    grid.init_powerlines(0.2 * x, x, np.full(len(begin), 0.001j), begin, end)
    at = np.arange(0, BUSES, 10, dtype=np.int32)
    grid.init_generators(np.full(len(at), 50.0), np.full(len(at), 1.02), np.full(len(at), -300.0), np.full(len(at), 300.0), at)
    loads = np.setdiff1d(np.arange(BUSES, dtype=np.int32), at)
    grid.init_loads(np.full(len(loads), 5.0), np.full(len(loads), 1.0), loads)
    grid.add_gen_slackbus(0, 1.0)
    return grid


def flow(name, broken=False):
    """The voltages, none where it does not converge, and the error that its algorithm tells."""
    grid = ring(broken)
    grid.change_algorithm(name)
    solve, algorithm = (grid.dc_pf, grid.get_dc_algo) if name.startswith("DC") else (grid.ac_pf, grid.get_algo)
    return solve(np.ones(grid.total_bus(), dtype=complex), 10, 1e-9), algorithm().get_error()


def series(name, steps=30):
    grid = ring()
    start = grid.ac_pf(np.ones(grid.total_bus(), dtype=complex), 10, 1e-9)
    runs = TimeSeriesCPP(grid)
    runs.change_algorithm(name)
    scale = (1 + 0.3 * np.sin(np.arange(steps)))[:, None]
    generators, loads = len(grid.get_generators()), len(grid.get_loads())
    status = runs.compute_Vs(50 * scale * np.ones(generators), np.zeros((steps, 0)), 5 * scale * np.ones(loads),
                             scale * np.ones(loads), start, 10, 1e-9)
    assert status == 1, status
    return runs.get_voltages()


def registers():
    lightsim2grid.load_algorithm_plugin(plugin)
    assert NAMES <= set(LSGrid().available_algorithm_names())


def flows_are_those_of_its_own_solver():
    for name in sorted(NAMES):
        wanted, found = flow(name.replace("WARPLU", "SparseLU"))[0], flow(name)[0]
        assert len(wanted) == BUSES and len(found) == BUSES, (name, len(wanted), len(found))
        assert np.ptp(np.angle(wanted)) > 0.01, "the grid carries nothing"
        assert abs(wanted - found).max() < 1e-10, name


def series_are_those_of_its_own_solver():
    wanted, found = series("NRSing_SparseLU"), series("NRSing_WARPLU")
    assert wanted.shape == found.shape == (30, BUSES), found.shape
    assert abs(wanted - found).max() < 1e-10


def islands_are_singular():
    for name in sorted(NAMES):
        voltages, error = flow(name, broken=True)
        assert len(voltages) == 0 and error == ErrorType.SingularMatrix, (name, error)


tap.run([registers, flows_are_those_of_its_own_solver, series_are_those_of_its_own_solver, islands_are_singular])
