"""ANDES: the WECC grid in time, with the disturbance of its own case file."""
import andes

from section import Section

andes.config_logger(stream_level=40)
system = andes.load(andes.get_case("wecc/wecc_full.xlsx"), no_output=True, default_config=True)
timed = Section()
with timed:
    system.PFlow.run()
    system.TDS.config.tf = 3
    system.TDS.config.no_tqdm = 1
    system.TDS.run()
system.dae.ts.unpack()
timed.report({"steps": len(system.dae.ts.t)}, list(system.dae.x) + list(system.dae.y))
