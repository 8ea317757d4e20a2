"""The folder of matrices: what it has, and how an archive's files come into it.

An archive is read once, from end to end, and nothing of it is trusted: not its paths, its links, its sizes nor how
often a name is in it. The files are written as .new, their sums recorded, and only then do they get their names; what
is there under a name that is not recorded was put there by somebody else, and stays."""
import gzip
import os
import shutil
import tarfile
import zlib

from .failures import Failed, Refused
from .files import BLOCK, remove, set_aside, settle, size_of, sum_of
from .names import NAME, archive_name
from .say import megabytes, note
from .sums import Record, Sums, differs

BANNER = b"%%MatrixMarket"
# What reading a damaged archive raises.
CORRUPT = (tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile, ValueError)


def copy_matrix(source, path):
    """Compresses a Matrix Market file into path; the same contents give the same bytes."""
    first = source.read(BLOCK)
    if not first.startswith(BANNER):
        raise Refused("this is no Matrix Market file")
    try:
        with open(path, "wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
            file.write(first)
            shutil.copyfileobj(source, file, BLOCK)
            file.close()
            settle(raw)
    except BaseException:
        remove(path)
        raise


def member_file(member, name, everything, most_bytes):
    """The file name of a member that is wanted, else None; raises where the archive is not to be trusted."""
    parts = member.name.split("/")
    parts = parts[1:] if parts[0] == "." else parts
    if member.name.startswith("/") or ".." in parts or not (member.isfile() or member.isdir()):
        raise Refused(f"the archive is refused: {member.name!a} is a link, a device or a path that leads elsewhere")
    if member.size > most_bytes:
        raise Refused(f"the archive is refused: {member.name!a} would have {member.size} bytes")
    if not member.isfile() or len(parts) != 2 or parts[0] != name or not NAME.fullmatch(parts[1]):
        return None
    wanted = parts[1].endswith(".mtx") if everything else parts[1] in (f"{name}.mtx", f"{name}_b.mtx")
    return parts[1] if wanted else None


class Folder:
    """The folder of matrices and its checksums."""

    def __init__(self, args, most_members, most_bytes):
        self.path, self.args = args.into, args
        self.most_members, self.most_bytes = most_members, most_bytes
        self.sums = Sums(self.path)

    def file(self, name):
        return os.path.join(self.path, name)

    def has(self, matrix):
        """All that is recorded is there; what is damaged is put aside."""
        record = self.sums.of(matrix)
        if not record.files() or (self.args.all_files and not record.whole):
            return False
        return all([self.sound(name, record.sums[name]) for name in record.files()])

    def sound(self, name, recorded):
        if not os.path.exists(self.file(name)):
            return False
        found = sum_of(self.file(name))
        if found != recorded:
            set_aside(self.file(name))
            note(differs(name, recorded, found))
        return found == recorded

    def target(self, matrix, name):
        """Where a .mtx file goes. What is there and not recorded was not put there by this program."""
        name += ".gz"
        if self.sums.owner_of(name) not in (None, matrix):
            name = matrix.split("/")[0] + "__" + name
        if os.path.lexists(self.file(name)) and self.sums.owner_of(name) is None:
            raise Failed(f"{self.file(name)} is there already and not recorded; move it elsewhere")
        return name

    def unpack(self, matrix, path):
        """Writes the wanted members of an archive beside their places; returns their file names."""
        made = {}
        try:
            with gzip.open(path) as inflated:
                with tarfile.open(fileobj=inflated, mode="r|") as archive:
                    for count, member in enumerate(archive):
                        self.unpack_member(matrix, archive, member, made)
                        if count == self.most_members:
                            raise Refused(f"the archive is refused: it has more than {self.most_members} members")
                while inflated.read(BLOCK):  # to the end, where the checksum is
                    pass
            if matrix.split("/")[1] + ".mtx" not in made:
                raise Refused("the archive does not have {1}/{1}.mtx".format(*matrix.split("/")))
        except BaseException:
            self.discard(made.values())
            raise
        return list(made.values())

    def unpack_member(self, matrix, archive, member, made):
        wanted = member_file(member, matrix.split("/")[1], self.args.all_files, self.most_bytes)
        if wanted in made:
            raise Refused(f"the archive is refused: {member.name!a} is in it twice")
        if wanted:
            made[wanted] = self.target(matrix, wanted)
            copy_matrix(archive.extractfile(member), self.file(made[wanted] + ".new"))

    def discard(self, names):
        for name in names:
            remove(self.file(name + ".new"))

    def publish(self, matrix, names, archive_sum, whole):
        """Records the sums, then gives the files their names. Other files of the matrix stay recorded while there."""
        record, old = Record(whole), self.sums.of(matrix)
        record.sums = {name: old.sums[name] for name in old.files() if os.path.exists(self.file(name))}
        if archive_sum:
            record.sums[archive_name(matrix)] = archive_sum
        try:
            record.sums.update((name, sum_of(self.file(name + ".new"))) for name in names)
            self.sums.put(matrix, record)
        except OSError:
            self.discard(names)
            raise
        for name in names:
            os.replace(self.file(name + ".new"), self.file(name))
        size = sum(size_of(self.file(name)) for name in names)
        return f"fetched {' '.join(sorted(names))} ({megabytes(size)})"

    def take_archive(self, matrix, path, ours):
        """Takes the matrix out of an archive; one of our own that turns out bad is put aside."""
        name, found = os.path.basename(path), sum_of(path)
        recorded = self.sums.of(matrix).sums.get(archive_name(matrix), found)
        try:
            if found != recorded and not self.args.accept:
                raise Refused(f"{name} has the checksum {found}, recorded is {recorded}; --accept records the new one")
            names = self.unpack(matrix, path)
        except (Refused, *CORRUPT) as error:
            text = str(error) if isinstance(error, Refused) else f"the archive is corrupt ({error})"
            if ours:
                set_aside(path)
                text += f"; put aside as {name}.bad"
            raise Failed(text) from error
        done = self.publish(matrix, names, found, self.args.all_files)
        if ours and not self.args.keep:
            remove(path)
        return done
