"""The rooms of the library: arrows point one way.

    test_includes.py SOURCE

A file of src includes files of its own room and of rooms to the left (tests/support/rooms.py has the line); between the
units of a room there is no cycle; kernels include what they share with the host and no more; a driver's names stand in one
room; guards are named by path."""
import os
import re
import sys

source = sys.argv[1]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import rooms  # noqa: E402
import tap  # noqa: E402

SOURCES = rooms.files(source, "src", (".c", ".h"))


def arrows():
    """(file, included file) for all includes that name a file of src."""
    known = set(rooms.files(source, "src", (".c", ".h", ".def")))
    return [(path, found) for path in SOURCES for found in rooms.includes(source, "src", path) if found in known]


def every_folder_is_a_room():
    for path in SOURCES:
        assert rooms.room_of(path) in rooms.ROOMS, f"src/{path}: tests/support/rooms.py has no such room"


def arrows_point_to_the_left():
    assert len(arrows()) > 100, "the includes were not read"
    wrong = []
    for path, found in arrows():
        if rooms.room_of(found) not in rooms.may_include(rooms.room_of(path)):
            wrong.append(f"src/{path} includes {found}")
    assert not wrong, "\n".join(wrong)


def units_of_a_room_form_no_cycle():
    graph = {}
    for path, found in arrows():
        here, there = rooms.unit_of(path), rooms.unit_of(found)
        if here != there and rooms.room_of(path) == rooms.room_of(found):
            graph.setdefault(here, set()).add(there)
    done, cycles = set(), []

    def visit(unit, way):
        if unit in way:
            cycles.append(" -> ".join(way[way.index(unit):] + [unit]))
        elif unit not in done:
            for other in sorted(graph.get(unit, ())):
                visit(other, way + [unit])
            done.add(unit)

    for unit in sorted(graph):
        visit(unit, [])
    assert not cycles, "\n".join(cycles)


def kernels_include_what_they_share():
    kernels = rooms.files(source, "cuda", (".cu", ".cuh"))
    assert kernels
    for path in kernels:
        for found in rooms.includes(source, "cuda", path):
            if os.path.exists(os.path.join(source, "src", found)):
                assert rooms.room_of(found) in rooms.KERNELS_MAY, f"cuda/{path} includes {found}"


def drivers_have_one_room():
    """Its names as its library exports them, and the library's: what another driver has to have stands in src/device."""
    word = re.compile(r"\bcu[A-Z][A-Za-z]+(?:_v\d)?\b|\blibcuda\b|\bdlopen\b")
    found = {}
    for path in SOURCES:
        for name in word.findall(rooms.text(source, "src", path)):
            found.setdefault(rooms.room_of(path), []).append(f"src/{path}: {name}")
    assert len(found.pop("device", [])) > 40, "the names were not read"
    assert not found, "\n".join(sum(found.values(), []))


def guards_are_named_by_path():
    for path in SOURCES:
        if path.endswith(".h") and not rooms.is_template(source, path):
            guard = "WLU_" + re.sub(r"\W", "_", rooms.unit_of(path)).upper() + "_H"
            assert f"#ifndef {guard}\n#define {guard}\n" in rooms.text(source, "src", path), f"src/{path}: not {guard}"


tap.run([every_folder_is_a_room, arrows_point_to_the_left, units_of_a_room_form_no_cycle, kernels_include_what_they_share,
         drivers_have_one_room, guards_are_named_by_path])
