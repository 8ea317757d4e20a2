"""`python -m warplu` tells the versions of what works together."""
import importlib
import platform

from . import __version__, _warplu

print(f"warplu {__version__} ({_warplu.__file__})")
print(f"Python {platform.python_version()}, {platform.machine()}")
for name in ("numpy", "scipy", "jax"):
    try:
        print(f"{name} {importlib.import_module(name).__version__}")
    except ImportError:
        print(f"{name}: not installed")
