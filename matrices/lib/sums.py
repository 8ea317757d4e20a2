"""SHA256SUMS: what every archive and file should be.

The file is in sha256sum's format, so that sha256sum -c reads it as well. It is replaced as a whole, by renaming a new
one, and never written in place: a run that is killed leaves the old one or the new one."""
import os
import re

from .failures import Failed
from .files import settle
from .names import MATRIX


class Record:
    """What is known of one matrix: {file name: sum}, and whether every .mtx of its archive was taken."""

    def __init__(self, whole=False):
        self.whole, self.sums = whole, {}

    def files(self):
        return [name for name in self.sums if not name.endswith(".tar.gz")]


class Sums:
    """SHA256SUMS: a comment names the matrix, the lines below it are its archive's and its files'."""
    TITLE = re.compile(rf"# ({MATRIX.pattern})( \(all files\))?")
    LINE = re.compile(r"([0-9a-f]{64}) [ *]([^/]+)")

    def __init__(self, folder):
        self.path, self.records = os.path.join(folder, "SHA256SUMS"), {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.parse(file.read().splitlines())

    def parse(self, lines):
        record = None
        for number, line in enumerate(lines, 1):
            title, entry = self.TITLE.fullmatch(line), self.LINE.fullmatch(line)
            if title:
                record = self.records[title[1]] = Record(bool(title[4]))
            elif entry and record:
                record.sums[entry[2]] = entry[1]
            else:
                raise Failed(f"{self.path}:{number}: neither '# GROUP/NAME' nor a checksum")

    def of(self, matrix):
        return self.records.get(matrix, Record())

    def owner_of(self, name):
        return next((matrix for matrix, record in self.records.items() if name in record.sums), None)

    def put(self, matrix, record):
        self.records[matrix] = record
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            for title, entry in sorted(self.records.items()):
                file.write(f"# {title}{' (all files)' if entry.whole else ''}\n")
                file.writelines(f"{entry.sums[name]}  {name}\n" for name in sorted(entry.sums))
            settle(file)
        os.replace(self.path + ".new", self.path)


def differs(name, recorded, found):
    return f"{name} has the checksum {found}, recorded is {recorded}; put aside as {name}.bad"
