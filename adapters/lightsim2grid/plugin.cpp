/* The algorithms that lightsim2grid.load_algorithm_plugin registers: its own, over warplu. The fast decoupled power flow
 * is not among them: its headers leave a function to the library, which has it for its own solvers. */
#include "solver.hpp"

#include <memory>

#include <AlgorithmRegistry.hpp>
#include <linear_solvers/LinearSolverPolicy.hpp>
#include <powerflow_algorithm/BaseDCAlgo.hpp>
#include <powerflow_algorithm/NRAlgo.hpp>

using Judged = ls2g::LinearSolverPolicy<WarpluLinearSolver<WARPLU_CHECK_REPLAYS>>;
using Checked = ls2g::LinearSolverPolicy<WarpluLinearSolver<WARPLU_CHECK_SUSPECT>>;

template <class Algorithm> static void add(ls2g::PluginRegistrar &registrar, const char *name)
{
    registrar.add(name, [] { return std::make_unique<Algorithm>(); });
}

static void add_all(ls2g::PluginRegistrar &registrar)
{
    add<ls2g::NRAlgo<Judged, ls2g::MultiSlackNRSystem>>(registrar, "NR_WARPLU");
    add<ls2g::NRAlgo<Judged, ls2g::SingleSlackNRSystem>>(registrar, "NRSing_WARPLU");
    add<ls2g::BaseDCAlgo<Checked>>(registrar, "DC_WARPLU");
}

LS2G_PLUGIN_ENTRY(add_all)
