"""Options by keyword: names of choices become numbers, arrays of orders become what the extension takes."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

import numpy
from numpy.typing import ArrayLike

from . import _warplu

#: Choices by name, in the order of the library's enumerations.
CHOICES = {
    "ordering": ("auto", "natural", "amd", "colamd", "metis", "given"),
    "matching": ("auto", "never", "always"),
    "scaling": ("none", "sum", "max"),
    "on_weak": ("repivot", "refine", "report"),
    "check": ("off", "suspect", "always", "replays"),
    "executor": ("auto", "reference", "cpu", "cuda"),
    "device_strategy": ("auto", "flow", "levels"),
    "precision": ("double", "single", "mixed"),
    "repeatable": ("not", "small", "from_open", "strictly"),
    "layout": ("contiguous", "interleaved"),
}
#: The ranges of numbers, in the words of the library's messages.
RANGES = {
    "pivot_tolerance": "from 0 to 1",
    "pivot_absolute": "0 or more, and finite",
    "max_refinement_steps": "0 or more",
    "threads": "from 0 to 1024",
    "expected_refactors": "0 or more",
    "max_program_bytes": "1 or more",
    "max_cache_bytes": "0 or more",
    "max_factor_bytes": "0 or more",
    "device": "-1 or more",
    "sample": "1 or more",
}
VERDICTS = ("healthy", "suspect", "weak")
_NUMBERS = {name: {choice: number for number, choice in enumerate(choices)} for name, choices in CHOICES.items()}


#: What options mean, of solvers and of batches.
MEANINGS = {
    "ordering": "the order of elimination; auto: amd until replays pay for a race of all; given: `row_order` and `col_order`",
    "row_order": "for the ordering given: row k of the order is A's row `row_order[k]`, which leaves no choice of pivots; without it pivoting "
                 "orders the rows",
    "col_order": "for the ordering given, which needs it: column k of the order is A's column `col_order[k]`",
    "btf": "block triangular form; False: the matrix is one block",
    "matching": "match rows to columns for large entries on the diagonal; auto: where the diagonal is weak",
    "scaling": "scales of rows; max: by their largest magnitude; sum: by the sum of magnitudes",
    "pivot_tolerance": "the diagonal is the pivot while it is at least this times its column's largest",
    "pivot_absolute": "scaled pivots of at most this magnitude are refused",
    "on_weak": "weak pivots for new values: choose others; or keep them, and refine solves, or only judge these; no effect with check off",
    "check": "which solves are checked, and refined: suspect ones, all, or those by a suspect replay; off: none, and replays are not judged: "
             "weak pivots go unnoticed",
    "max_refinement_steps": "the most for one right-hand side",
    "executor": "what replays: auto and cpu in vectors on this CPU, cuda on an NVIDIA GPU, reference slowly",
    "device_strategy": "how a GPU replays",
    "precision": "what factors and solves are computed in; mixed: single, and refined in double. The CPU has double alone",
    "threads": "the caller's among them; 0: one for each processor. They are used where that helps",
    "expected_refactors": "so many refactorizations have to pay for analysis and compilation; 0: not known, both grow with replays",
    "max_program_bytes": "the most that the compiled factorization takes",
    "max_cache_bytes": "the most that earlier pivots and their programs take",
    "max_factor_bytes": "the most that factors may take; 0: no limit",
    "device": "the GPU's number; -1: the one whose CUDA context is current",
    "repeatable": "what bits of answers may depend on, from anything to values alone (warplu/cache.h)",
}
BATCH_MEANINGS = {
    "layout": "the numbers of a member together; or members as the last index",
    "shared_values": "all members have one matrix",
    "shared_rhs": "all members have the same right-hand sides",
    "executor": "what replays; auto: what the solver has",
    "threads": "the caller's among them; 0: one for each processor",
    "keep_factors": "keep the factors of all members, for `refactor` and `solve` apart",
    "repair": "members whose pivots are weak are repaired; False: they are reported",
    "sample": "so many members' values pivots are chosen from, at most",
    "max_factor_bytes": "the most that kept factors may take; 0: no limit",
    "devices": "numbers of the GPUs that share the members",
    "fewer_devices": "go on without a GPU that is absent or fails",
}
_FLAGS = ("btf", "shared_values", "shared_rhs", "keep_factors", "repair", "fewer_devices")


def values_of(name: str, defaults: Mapping[str, Any]) -> str:
    """The default, and other choices or the range, in words."""
    default = defaults.get(name)
    if name in CHOICES:
        choices = list(CHOICES[name])
        return ", ".join([choices.pop(int(defaults[name])), *choices])
    if name in _FLAGS:
        return ", ".join(str(flag) for flag in (bool(default), not default))
    number = f"{default:g}" if isinstance(default, float) else str(default)
    return f"{number}; {RANGES[name]}" if name in RANGES else number


def table(meanings: Mapping[str, str], defaults: Mapping[str, Any]) -> list[str]:
    """Rows of Markdown."""
    return [f"| `{name}` | {values_of(name, defaults)} | {meaning} |" for name, meaning in meanings.items()]


def _lines(meanings: Mapping[str, str], defaults: Mapping[str, Any]) -> str:
    return "\n".join(f"    {name}: {values_of(name, defaults)}\n        {meaning}" for name, meaning in meanings.items())


class Options(TypedDict, total=False):
    """Options of a solver, by keyword; the first value is the default. Numbers have a range."""

    ordering: Literal["auto", "natural", "amd", "colamd", "metis", "given"]
    row_order: ArrayLike | None
    col_order: ArrayLike | None
    btf: bool
    matching: Literal["auto", "never", "always"]
    scaling: Literal["none", "sum", "max"]
    pivot_tolerance: float
    pivot_absolute: float
    on_weak: Literal["repivot", "refine", "report"]
    check: Literal["off", "suspect", "always", "replays"]
    max_refinement_steps: int
    executor: Literal["auto", "reference", "cpu", "cuda"]
    device_strategy: Literal["auto", "flow", "levels"]
    precision: Literal["double", "single", "mixed"]
    threads: int
    expected_refactors: float
    max_program_bytes: int
    max_cache_bytes: int
    max_factor_bytes: int
    device: int
    repeatable: Literal["not", "small", "from_open", "strictly"]


class BatchOptions(TypedDict, total=False):
    """Options of a batch, by keyword; the first value is the default. Numbers have a range."""

    layout: Literal["contiguous", "interleaved"]
    shared_values: bool
    shared_rhs: bool
    executor: Literal["auto", "reference", "cpu", "cuda"]
    threads: int
    keep_factors: bool
    repair: bool
    sample: int
    max_factor_bytes: int
    devices: Sequence[int] | None
    fewer_devices: bool


for _kind, _meanings, _defaults in zip((Options, BatchOptions), (MEANINGS, BATCH_MEANINGS), _warplu.default_options()):
    _kind.__doc__ = f"{_kind.__doc__}\n\n{_lines(_meanings, _defaults)}\n"


def read(options: Mapping[str, Any], storage: int = 0, scalar: int = 0) -> dict[str, Any]:
    """The dictionary that the extension takes. storage and scalar follow from the matrix."""
    numbers: dict[str, Any] = {"storage": storage, "scalar": scalar}
    for name, value in options.items():
        if name in ("storage", "scalar"):
            raise TypeError(f"{name} is that of the matrix")
        if name in _NUMBERS:
            value = choose(name, value)
        elif isinstance(value, numpy.generic):
            value = value.item()
        if name in _FLAGS and not isinstance(value, int):
            raise TypeError(f"option {name}: True or False is needed, not {value!r}")
        if name in ("row_order", "col_order") and value is not None:
            value = order(name, value)
        elif name == "devices" and value is not None:
            value = numbers_of_devices(value)
        numbers[name] = value
    orders = [name for name in ("col_order", "row_order") if options.get(name) is not None]
    if orders and options.get("ordering") != "given":
        raise ValueError(f'option {orders[0]} needs ordering="given"')
    return numbers


def numbers_of_devices(value: Any) -> list[int]:
    try:
        return list(value)
    except TypeError:
        raise TypeError(f"option devices: a list of numbers is needed, not {value!r}") from None


def order(name: str, value: ArrayLike) -> numpy.ndarray:
    """The numbers of a permutation, none of them rounded or cut off."""
    wanted = numpy.asarray(value)
    if not numpy.can_cast(wanted.dtype, numpy.int32, "same_kind"):
        raise TypeError(f"option {name}: whole numbers are needed, not {wanted.dtype}")
    found = wanted.astype(numpy.int32, order="C", casting="same_kind")
    if not numpy.array_equal(found, wanted):
        raise OverflowError(f"option {name} has numbers beyond 32 bits")
    return found


def choose(name: str, value: Any) -> int:
    number = _NUMBERS[name].get(value) if isinstance(value, str) else None
    if number is None:
        raise ValueError(f"option {name} is one of {', '.join(CHOICES[name])}: not {value!r}")
    return number
