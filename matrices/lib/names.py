"""Names of matrices: GROUP/NAME, the sets of them, and the collection's index.

A bare NAME is looked for in the sets first, so that what they have needs no index; the index is fetched once, into the
folder of matrices, and only for a name that no set has."""
import collections
import csv
import os
import re

from .failures import Failed

INDEX = "ssstats.csv"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
MATRIX = re.compile(rf"({NAME.pattern})/({NAME.pattern})")


def archive_name(matrix):
    return matrix.replace("/", "__") + ".tar.gz"


def read_set(path):
    with open(path, encoding="utf-8") as file:
        lines = (line.split("#")[0].strip() for line in file)
        return [line for line in lines if line]


def read_sets(folder):
    return {name[:-4]: read_set(os.path.join(folder, name)) for name in sorted(os.listdir(folder))
            if name.endswith(".txt")}


class Names:
    """Resolves NAME to GROUP/NAME: in the sets, else in the collection's index, which net (or nobody) fetches."""

    def __init__(self, sets, folder, net=None):
        self.net, self.path, self.index = net, os.path.join(folder, INDEX), None
        self.known = self.by_name(matrix for matrices in sets for matrix in matrices)

    @staticmethod
    def by_name(matrices):
        found = collections.defaultdict(set)
        for matrix in matrices:
            found[matrix.split("/")[1]].add(matrix)
        return found

    def read_index(self):
        """Two lines of its size and date, then GROUP,NAME,..."""
        if not os.path.exists(self.path):
            if self.net is None:
                return {}
            try:
                self.net.get(f"{self.net.server}/files/{INDEX}", self.path, INDEX)
            except Failed as error:
                raise Failed(f"give its group, GROUP/NAME; the index that knows it cannot be had ({error})") from error
        with open(self.path, encoding="utf-8", errors="replace", newline="") as file:
            rows = [f"{row[0]}/{row[1]}" for row in list(csv.reader(file))[2:] if len(row) > 1]
        return self.by_name(filter(MATRIX.fullmatch, rows))

    def find(self, name):
        """Every GROUP/NAME that may be meant; the index is asked for what no set has."""
        bare = name.split("/")[-1]
        if bare not in self.known and self.index is None:
            self.index = self.read_index()
        found = self.known.get(bare) or self.index.get(bare, set())
        return sorted(found & {name} if "/" in name else found)

    def resolve(self, name):
        if "/" in name:
            return name
        found = self.find(name)
        if len(found) > 1:
            raise Failed(f"several groups have this name, give one of {', '.join(found)}")
        if not found:
            raise Failed("no set has this name" + (
                f", nor has the index {self.path}; remove that file for a newer one"
                if os.path.exists(self.path) else "; give its group, GROUP/NAME"))
        return found[0]
