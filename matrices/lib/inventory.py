"""What the folder has: its files against their checksums, and the list of sets and matrices.

Nothing is fetched here. What is not there is said and is no error, for a user may remove what is not needed."""
import os

from .failures import Failed
from .files import set_aside, size_of, sum_of
from .say import megabytes
from .sums import differs


def verify(folder, matrix):
    """What is there against its sums; what is not there is only said."""
    record = folder.sums.of(matrix)
    if not record.sums:
        raise Failed("nothing is recorded")
    wrong, absent = [], []
    for name, recorded in record.sums.items():
        if not os.path.exists(folder.file(name)):
            absent += [name] if name in record.files() else []
            continue
        found = sum_of(folder.file(name))
        if found != recorded and folder.args.accept:
            record.sums[name] = found
        elif found != recorded:
            set_aside(folder.file(name))
            wrong.append(differs(name, recorded, found))
    if wrong:
        raise Failed("; ".join(wrong))
    if folder.args.accept:
        folder.sums.put(matrix, record)
    return "verified" + (f", without {' '.join(absent)}, not there" if absent else "")


def show_list(sets, folder):
    for name, matrices in sets.items():
        here = sum(all_there(folder, matrix) for matrix in matrices)
        print(f"set {name}: {len(matrices)} matrices, {here} here")
    for matrix, record in sorted(folder.sums.records.items()):
        size = sum(size_of(folder.file(name)) for name in record.files())
        print(f"{matrix}: {megabytes(size) if all_there(folder, matrix) else 'not here any more'}")


def all_there(folder, matrix):
    names = folder.sums.of(matrix).files()
    return bool(names) and all(os.path.exists(folder.file(name)) for name in names)
