"""pypowsybl: a security analysis by OpenLoadFlow, one line out at a time.

    pypowsybl_security.py CASE CONTINGENCIES     a network of pandapower, whose own interpreter need not be pypowsybl's
"""
import sys
import warnings

import pandapower.networks
import pypowsybl

from section import Section

warnings.filterwarnings("ignore")
network = pypowsybl.network.convert_from_pandapower(getattr(pandapower.networks, sys.argv[1])())
analysis = pypowsybl.security.create_analysis()
for line in network.get_lines().index[:int(sys.argv[2])]:
    analysis.add_single_element_contingency(line, line)
timed = Section()
with timed:
    results = analysis.run_ac(network)
states = [result.status for result in results.post_contingency_results.values()]
timed.report({"contingencies": len(states), "converged": sum(str(state).endswith("CONVERGED") for state in states)}, [])
