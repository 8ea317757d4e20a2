"""What objects ask of each other goes the way of the rooms, too: a file that declares by hand what it may not include fails here.

    test_links.py SOURCE BUILD

Symbols are read by nm from the objects of a build: of one for another kind of machine, which nm does not know, nothing is said. Models
call libwarplu by its public functions. The table of executors (exec_list.def) names what stands to the right of it."""
import os
import subprocess
import sys

source, build = sys.argv[1:3]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import rooms  # noqa: E402
import tap  # noqa: E402

# (file, symbol): refined.c asks the CPU's executor for its kernel.
MAY = {("exec/refined.c", "wlu_looking_kernel")}
TABLE = "exec/target.c"


def source_of(known, path):
    """The file of src that an object is of, or None. Meson names it FOLDER/LIBRARY.p/FILE.o, with _ for / in FILE, and names files
    of other folders by those."""
    folder, name = os.path.dirname(os.path.dirname(path)), os.path.basename(path)[:-2]
    beside = name.replace(".._", os.path.dirname(folder) + "_", 1)
    return known.get(os.path.join(folder, name).replace("/", "_")) or known.get(beside.replace("/", "_"))


def symbols():
    """({file: symbols that it asks for}, {symbol: files that have it})."""
    known = {path.replace("/", "_"): path for path in rooms.files(source, "src", ".c")}
    objects = {path: source_of(known, path.replace(os.sep, "/")) for path in rooms.files(build, "src", ".c.o")}
    command = ["nm", "-A", "-P"] + [path for path, file in objects.items() if file]
    result = subprocess.run(command, cwd=os.path.join(build, "src"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    asked, owners = {}, {}
    for line in result.stdout.splitlines():
        path, name, kind = line.split()[:3]
        file = objects[path.rstrip(":")]
        if kind == "U":
            asked.setdefault(file, set()).add(name)
        elif kind.isupper():
            owners.setdefault(name, set()).add(file)
    return asked, owners


def references_point_to_the_left():
    try:
        asked, owners = symbols()
    except FileNotFoundError:
        raise tap.Skip("there is no nm")
    pairs = [(file, name) for file in sorted(asked) for name in sorted(asked[file]) if name in owners]
    if not pairs:
        raise tap.Skip("nm reads no symbols of this build")
    assert len(pairs) > 1000, f"{len(pairs)} references: the objects were not read"
    wrong = []
    for file, name in pairs:
        here = rooms.room_of(file)
        is_public = here in rooms.MODEL and name.startswith("warplu_")
        is_table = file == TABLE and name.startswith("wlu_executor_")
        if is_public or is_table or (file, name) in MAY:
            continue
        if not any(rooms.room_of(owner) in rooms.may_include(here) for owner in owners[name]):
            wrong.append(f"src/{file} needs {name} of src/{', '.join(sorted(owners[name]))}")
    assert not wrong, "\n".join(wrong)


tap.run([references_point_to_the_left])
