"""Options by keyword: names of choices become numbers, arrays of orders become what the extension takes."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

import numpy
from numpy.typing import ArrayLike

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
VERDICTS = ("healthy", "suspect", "weak")
_NUMBERS = {name: {choice: number for number, choice in enumerate(choices)} for name, choices in CHOICES.items()}


class Options(TypedDict, total=False):
    """Options of a solver; what they mean is told in warplu/warplu.h. Others are left at the library's defaults."""

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
    """Options of a batch; what they mean is told in warplu/batch.h."""

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
        elif name in ("row_order", "col_order") and value is not None:
            value = order(name, value)
        elif name == "devices" and value is not None:
            value = list(value)
        numbers[name] = value
    return numbers


def order(name: str, value: ArrayLike) -> numpy.ndarray:
    """The numbers of a permutation, none of them rounded or cut off."""
    wanted = numpy.asarray(value)
    found = wanted.astype(numpy.int32, order="C", casting="same_kind")
    if not numpy.array_equal(found, wanted):
        raise OverflowError(f"{name} has numbers beyond 32 bits")
    return found


def choose(name: str, value: Any) -> int:
    number = _NUMBERS[name].get(value)
    if number is None:
        raise ValueError(f"{name} is one of {', '.join(CHOICES[name])}: not {value!r}")
    return number
