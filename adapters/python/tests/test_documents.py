"""The examples of the package's documents are run: those of its functions, and those of README.md."""
import doctest
import inspect
import os
import types

import package

import warplu
from warplu import _batch, _device, _errors, _options, _patch, _pattern, _scipy, _solver


def examples_of_functions_run():
    tried = 0
    for module in (warplu, _batch, _device, _errors, _options, _patch, _pattern, _scipy, _solver):
        found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
        assert found.failed == 0, f"{module.__name__}: {found}"
        tried += found.attempted
    assert tried > 20, tried


def the_readme_runs():
    path = os.path.join(package.source, "adapters", "python", "README.md")
    found = doctest.testfile(path, module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0 and found.attempted > 10, found


def what_is_public_has_a_text():
    for name in warplu.__all__:
        found = getattr(warplu, name)
        assert found.__doc__, name
        for method, value in vars(found).items() if isinstance(found, type) else ():
            assert method.startswith("_") or not isinstance(value, (types.FunctionType, property, classmethod)) or inspect.getdoc(
                getattr(found, method)), f"{name}.{method}"


package.run([examples_of_functions_run, the_readme_runs, what_is_public_has_a_text])
