"""Power systems: lightsim2grid, pandapower, ANDES, pypowsybl, all of PyPI."""
import readers
from program import Case, Missing, Way, driver


def series(places, case, steps, goal, plugin=False):
    command = [places.python("lightsim2grid"), driver("lightsim2grid_series.py"), case, str(steps)]
    before, after = places.preloaded(command) if not plugin or not places.adapters else (
        Way("own KLU", command), Way("warplu plugin", [*command, places.need("lightsim2grid_plugin", "warplu's plugin for lightsim2grid")]))
    name = f"lightsim2grid-{case}" + ("-plugin" if plugin else "")
    return Case(name, f"lightsim2grid, {steps} steps of {case}", before, after, readers.driver, 1e-6, goal)


def pandapower(places, case, goal):
    command = [places.python("lightsim2grid"), driver("pandapower_runpp.py"), case]
    environment = {"PYTHONPATH": places.need("package", "warplu's Python package")} if places.adapters else {}
    after = Way("warplu.spsolve", [*command, "warplu"], environment) if places.adapters else Way("scipy", command)
    return Case(f"pandapower-{case}", f"pandapower runpp of {case}, scipy's spsolve", Way("scipy", command), after, readers.driver, 1e-6, goal)


def pandapower_klu(places, case):
    before, after = places.preloaded([places.python("lightsim2grid"), driver("pandapower_runpp.py"), case, "lightsim2grid"])
    return Case(f"pandapower-lightsim2grid-{case}", f"pandapower runpp of {case} by lightsim2grid", before, after, readers.driver, 1e-6, 0.97)


def andes(places):
    before, after = places.preloaded([places.python("kvxopt"), driver("andes_wecc.py")])
    return Case("andes-wecc", "ANDES, WECC, 3 s of simulated time", before, after, readers.driver, 1e-4, 0.97)


def security(places):
    before, after = places.preloaded([places.python("pypowsybl"), driver("pypowsybl_security.py"), "case2869pegase", "200"])
    return Case("pypowsybl-security", "pypowsybl, 200 contingencies of case2869pegase", before, after, readers.driver, 1e-4, 0.97)


CASES = {
    "lightsim2grid-case300": lambda places: series(places, "case300", 500, 0.97),
    "lightsim2grid-case1354pegase": lambda places: series(places, "case1354pegase", 500, 1.8),
    "lightsim2grid-case2869pegase": lambda places: series(places, "case2869pegase", 500, 1.8),
    "lightsim2grid-case9241pegase": lambda places: series(places, "case9241pegase", 500, 1.8),
    "lightsim2grid-case2869pegase-plugin": lambda places: series(places, "case2869pegase", 500, 1.8, True),
    "lightsim2grid-case9241pegase-plugin": lambda places: series(places, "case9241pegase", 500, 1.8, True),
    "pandapower-case9241pegase": lambda places: pandapower(places, "case9241pegase", 2.8),
    "pandapower-lightsim2grid-case2869pegase": lambda places: pandapower_klu(places, "case2869pegase"),
    "andes-wecc": andes,
    "pypowsybl-security": security,
}
