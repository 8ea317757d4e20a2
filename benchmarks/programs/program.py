"""What a case of this benchmark is: a program as its users run it, by two ways that are timed against each other."""
import dataclasses
import os


class Missing(Exception):
    """What is not installed, in words for the reader."""


@dataclasses.dataclass
class Way:
    """One way to run the program: with its own solver, with libwarplu-klu preloaded, by a plugin."""
    label: str
    command: list
    environment: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Case:
    """name: what --only takes. read: the output to counts and values, see readers.py. tolerance: how far values may be apart, as a part of
    the largest; the program's own tolerance. counts_apart: how far counts may be, an integer or a part of them. goal: the least ratio that is
    wanted. ranks: MPI processes, where KLU's share is not sampled. processes: how often a program of milliseconds runs for one time."""
    name: str
    about: str
    before: Way
    after: Way
    read: object
    tolerance: float
    goal: float
    ranks: int = 1
    processes: int = 1
    counts_apart: tuple = (1, 0.01)


@dataclasses.dataclass
class Places:
    """Where things are; run.py's options. Each call of need answers a path or raises Missing."""
    work: str
    peers: str
    klu1: str
    klu2: str
    petsc_source: str
    petsc_plugin: str
    vacask_source: str
    lightsim2grid_plugin: str
    package: str
    adapters: bool = True

    def need(self, field, what):
        path = getattr(self, field)
        if not path or not os.path.exists(path):
            raise Missing(f"{what} is not there: --{field.replace('_', '-')} {path or 'PATH'}")
        return os.path.abspath(path)

    def python(self, name):
        """The interpreter of a virtual environment that has the package of this name."""
        path = os.path.join(os.path.abspath(self.peers), f"venv-{name}", "bin", "python")
        if not os.path.exists(path):
            raise Missing(f"{name} is not installed in {os.path.join(self.peers, 'venv-' + name)}")
        return path

    def preload(self, version):
        """The environment in which libwarplu-klu answers for libklu.so.VERSION. Without adapters both ways are the same: only the
        program itself is measured."""
        if not self.adapters:
            return {}
        return {"LD_PRELOAD": self.need(f"klu{version}", f"libwarplu-klu for libklu.so.{version}")}

    def preloaded(self, command, version=1, **environment):
        """The two ways of a program that reaches KLU through libklu's functions."""
        return (Way("own KLU", command, environment), Way("libwarplu-klu", command, environment | self.preload(version)))


def driver(name):
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "drivers", name)
