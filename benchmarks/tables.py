#!/usr/bin/env python3
"""Writes the tables of the documents from the measured results in benchmarks/measured.

    benchmarks/tables.py DOCUMENT...            rewrites the tables
    benchmarks/tables.py --check DOCUMENT...    exit status 1 where a table is not what the results give

A table stands in a document between two comments, of which the first says what it is made from:

    <!-- table: FILE.csv [VIEW [ARGUMENT...]] -->
    <!-- end of table -->

VIEW is one of
    all                    every column (the default)
    columns NAME,NAME...   these columns, in this order
    ratios OURS:THEIRS...  every column, THEIRS followed in brackets by its ratio to OURS of the same row
    headline FILE.csv      README.md's table: the CPU's solvers from the first file, the GPU's from the second

Files are what `benchmarks/report.py --csv` prints, so that a new run of the benchmark is one command, and the documents another.
Ratios are those of the numbers shown, and means of ratios are geometric; words and "-" are left as they are.
"""
import csv
import difflib
import os
import re
import sys

sys.dont_write_bytecode = True
from results import geometric_mean  # noqa: E402

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "measured")
TABLE = re.compile(r"(<!-- table: (?P<what>[^>]*?) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def read(name):
    """Head and rows."""
    with open(os.path.join(FOLDER, name), encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    if any(len(line) != len(lines[0]) for line in lines):
        sys.exit(f"tables: {name}: lines of different lengths")
    return lines[0], lines[1:]


def number(cell):
    """None where the cell is no number."""
    try:
        return float(cell.removeprefix("! "))
    except ValueError:
        return None


def index(head, column):
    if column not in head:
        sys.exit(f"tables: no column '{column}': there are {', '.join(head)}")
    return head.index(column)


def ratio(ours, theirs):
    """Of two cells; None where one is no number."""
    ours, theirs = number(ours), number(theirs)
    return None if ours is None or theirs is None else theirs / ours


def with_ratios(head, rows, pairs):
    for pair in pairs:
        ours, theirs = (index(head, column) for column in pair.split(":"))
        for row in rows:
            found = ratio(row[ours], row[theirs])
            row[theirs] += "" if found is None else f" ({found:.2f})"
    return head, rows


def means(head, rows, ours, theirs):
    """Geometric mean and least of the ratios of two columns."""
    found = [ratio(row[index(head, ours)], row[index(head, theirs)]) for row in rows]
    found = [r for r in found if r is not None]
    return geometric_mean(found), min(found)


CPU_TITLES = [("KLU", "klu"), ("CKTSO", "cktso"), ("oneMKL PARDISO", "pardiso")]


def headline(cpu, gpu):
    lines = []
    for title, solver in CPU_TITLES:
        row = next(row for row in cpu[1] if row[0] == solver)
        lines.append([title, *(row[index(cpu[0], column)] for column in ("refactor", "least", "both")), "one CPU core"])
    refactor, both = means(*gpu, "refactor ms", "cuDSS refactor"), means(*gpu, "both", "cuDSS both")
    lines.append(["cuDSS", f"{refactor[0]:.2f}", f"{refactor[1]:.2f}", f"{both[0]:.2f}", "one NVIDIA H200"])
    column = index(gpu[0], "cusolverRf / ours")
    found = [r for r in (number(row[column]) for row in gpu[1]) if r is not None]
    lines.append(["cusolverRf", f"{geometric_mean(found):.1f}", f"{min(found):.1f}", "-", "one NVIDIA H200"])
    return ["compared with", "refactor", "least", "refactor and solve", "on"], lines


def table_of(what):
    name, view, *arguments = (what if " " in what else what + " all").split(" ")
    head, rows = read(name)
    if view == "columns":
        chosen = [index(head, column) for column in " ".join(arguments).split(",")]
        head, rows = [head[c] for c in chosen], [[row[c] for c in chosen] for row in rows]
    elif view == "ratios":
        head, rows = with_ratios(head, rows, " ".join(arguments).split(","))
    elif view == "headline":
        head, rows = headline((head, rows), read(arguments[0]))
    elif view != "all":
        sys.exit(f"tables: no view '{view}'")
    words = [all(number(row[c].split(" (")[0]) is None for row in rows) for c in range(len(head))]
    rule = "|" + "|".join("---" if word else "--:" for word in words) + "|\n"
    head, *rows = ("| " + " | ".join(line) + " |\n" for line in [head, *rows])
    return head + rule + "".join(rows)


def written(text):
    return TABLE.sub(lambda m: m.group(1) + table_of(m.group("what")) + m.group(3), text)


def main():
    arguments = sys.argv[1:]
    check = arguments[:1] == ["--check"]
    documents = arguments[1:] if check else arguments
    if not documents or any(d.startswith("-") for d in documents):
        sys.exit("usage: tables.py [--check] DOCUMENT...")
    wrong = 0
    for path in documents:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if text.count("<!-- table:") != len(TABLE.findall(text)):
            sys.exit(f"tables: {path}: a table without an end")
        new = written(text)
        if check and new != text:
            wrong = 1
            print("\n".join(difflib.unified_diff(text.splitlines(), new.splitlines(), path, "generated", lineterm="")))
        elif not check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
