"""The rooms of the library from left to right, and its files and includes as the structure tests read them.

A room is a folder of src; a room below another room comes after it. A unit is a header and the source of the same name."""
import os
import re

ROOMS = ["base", "device", "matrix_market", "matrix", "cost", "order", "numerics", "pivot", "program", "lu", "exec/residual", "exec",
         "exec/reference", "exec/cpu", "exec/device", "exec/flow", "exec/levels", "exec/batch", "solver", "solver/batch", "api"]
# Those of libwarpmodel, which stand in a line of their own behind base.
MODEL = ["model/ptx", "model/elementary", "model/graph", "model/method", "model/text", "model/program", "model/exec", "model/device",
         "model/equations", "model/step", "model/system", "model/api"]
ROOMS += MODEL
# Rooms that none of the others includes, and what they may include.
APART = {"device": ["base", "device"], "matrix_market": ["base", "matrix_market"],
         **{room: ["base"] + MODEL[:MODEL.index(room) + 1] for room in MODEL}}
APART["model/system"].remove("model/step")  # two engines: what both need stands in rooms to their left
# Who runs a device, of both libraries: no other room knows a driver.
RUN_DEVICES = ["exec/device", "exec/flow", "exec/levels", "exec/batch", "model/device"]
# What kernels share with the host.
KERNELS_MAY = ["base", "numerics", "program", "exec/device"]


def room_of(path):
    return os.path.dirname(path)


def may_include(room):
    """The rooms whose files those of a room may include: itself and those to the left."""
    rooms = APART.get(room, [other for other in ROOMS[:ROOMS.index(room) + 1] if other not in APART])
    return rooms + ["device"] if room in RUN_DEVICES else rooms


def unit_of(path):
    return os.path.splitext(path)[0]


def files(source, top, endings):
    """Paths below source/top that end so, relative to it, in order."""
    root = os.path.join(source, top)
    found = []
    for folder, _, names in os.walk(root):
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names if name.endswith(endings)]
    return sorted(found)


def text(source, top, path):
    with open(os.path.join(source, top, path), encoding="utf-8") as file:
        return file.read()


def includes(source, top, path):
    """What a file includes by quotes, in order."""
    return re.findall(r'^[ \t]*#[ \t]*include "([^"]+)"', text(source, top, path), re.MULTILINE)


def is_template(source, path):
    """A header without a guard: a kernel template, included once for each instruction set."""
    return not re.search(r"^#ifndef (\w+)\n#define \1$", text(source, "src", path), re.MULTILINE)
