"""Archives and Matrix Market files that the user brought, where there is no network.

They are found by the names that browsers and the collection give them, are held against the same checksums as what is
downloaded, and are left where they are."""
import gzip
import os
import re

from .failures import Failed
from .files import sum_of
from .folder import CORRUPT, copy_matrix
from .names import MATRIX, NAME, archive_name
from .say import note
from .sums import differs


class ByHand:
    """A folder of archives and Matrix Market files that the user brought."""

    def __init__(self, path):
        self.path = path

    def first(self, *names):
        paths = (os.path.join(self.path, name) for name in names)
        return next((path for path in paths if os.path.isfile(path)), None)

    def names(self):
        """What the files here are called: NAME, or GROUP/NAME where a folder or the file's name has the group."""
        listed = set()
        for group in [""] + [entry.name for entry in os.scandir(self.path) if entry.is_dir()]:
            matches = map(re.compile(r"(.+?)\.(?:tar\.gz|mtx|mtx\.gz)").fullmatch, self.listdir(group))
            stems = {match[1] for match in matches if match}
            stems -= {f"{stem}_b" for stem in stems}
            listed.update(f"{group}/{stem}" if group else stem.replace("__", "/", 1) for stem in stems)
        return sorted(name for name in listed if NAME.fullmatch(name) or MATRIX.fullmatch(name))

    def listdir(self, group):
        try:
            return os.listdir(os.path.join(self.path, group))
        except PermissionError:
            return []

    def known_names(self, names):
        """Those that can be matrices of the collection. A folder of downloads has other files as well."""
        listed = {name: names.find(name) for name in self.names()}
        strange = [name for name in listed if not listed[name] and "/" not in name]
        if strange:
            note(f"left alone, in no set and no index: {', '.join(strange)}; to take one, name it GROUP/NAME")
        return [name for name in listed if listed[name]]

    def take(self, folder, matrix):
        if folder.has(matrix):
            return "have"
        name, flat = matrix.split("/")[1], matrix.replace("/", "__")
        archive = self.first(*(f"{stem}.tar.gz" for stem in (matrix, flat, name)))
        if archive:
            return folder.take_archive(matrix, archive, ours=False)
        files = [f"{flat}{{}}.mtx", f"{name}{{}}.mtx", f"{matrix}{{}}.mtx"]
        both = [self.first(*(f.format(end) + gz for f in files for gz in ("", ".gz"))) for end in ("", "_b")]
        if both[0] is None:
            raise Failed(f"{self.path} has neither {flat}.tar.gz, {name}.tar.gz nor {name}.mtx")
        sources = {f"{name}{end}.mtx": path for end, path in zip(("", "_b"), both) if path}
        return self.take_files(folder, matrix, sources)

    def take_files(self, folder, matrix, sources):
        recorded, made = folder.sums.of(matrix).sums, {}
        try:
            for wanted, path in sources.items():
                made[path] = folder.target(matrix, wanted)
                with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
                    copy_matrix(file, folder.file(made[path] + ".new"))
                self.compare(folder, made[path], recorded)
        except BaseException as error:
            folder.discard(made.values())
            if isinstance(error, CORRUPT):
                raise Failed(f"{path} is corrupt ({error})") from error
            raise
        return folder.publish(matrix, list(made.values()), recorded.get(archive_name(matrix)), False)

    @staticmethod
    def compare(folder, name, recorded):
        """The same contents are compressed to the same bytes, by one version of zlib."""
        new = folder.file(name + ".new")
        found = sum_of(new)
        if recorded.get(name, found) != found and not folder.args.accept:
            os.replace(new, folder.file(name + ".bad"))
            raise Failed(differs(name, recorded[name], found) + "; --accept records the new one")
