"""The report of tools/demo, from what `warplu info --json` and `warplu bench --sequence --json` said.

    demo_report.py INFO BENCH

Exit status 1 where a solver of warplu's failed or was inaccurate in any step.
"""
import json
import math
import os
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "benchmarks"))
import results  # noqa: E402


def number(value):
    return f"{value:,}".replace(",", " ")


class Column:
    """One solver over the sequence."""

    def __init__(self, series):
        entries = list(series)
        self.first = entries[0]
        self.failed = [e for e in entries if not e.accurate]
        self.refactor, self.solve = self.medians(entries[1:], "refactor"), self.medians(entries[1:], "solve")
        self.complete = not self.failed and bool(self.refactor) and bool(self.solve)
        self.error = max((e.error for e in entries if e.error is not None), default=0.0)
        self.repivots = sum(e.data.get("repivots", 0) for e in entries)

    @staticmethod
    def medians(entries, what):
        return [ms for ms in (e.time(what) for e in entries) if ms is not None]

    @property
    def setup(self):
        return self.first.time("setup")

    @property
    def step(self):
        return statistics.median(self.refactor) + statistics.median(self.solve)


def row(label, cells):
    print(f"  {label:<38}" + "".join(f"{c:>16}" for c in cells))


def milliseconds(values):
    return f"{statistics.median(values):.3f}" if values else "-"


def show_matrix(info):
    structure, pivots, program = info["structure"], info["pivots"], info["program"]
    scalar = info.get("scalar_program", {})
    print(f"\nMatrix\n  {number(info['n'])} unknowns, {number(info['nnz'])} nonzeros, {number(structure['blocks'])} "
          f"diagonal blocks, the largest of {number(structure['largest_block'])}")
    print(f"  order {info['ordering']}; L, U and F hold {number(pivots['lu_nnz'])} entries: "
          f"fill-in {pivots['fill']:.2f} times the nonzeros")
    print(f"  {number(pivots['terms'])} multiply-subtracts, {number(pivots['height'])} pivots on the longest chain")
    print("Program")
    if "instructions" in scalar:
        print(f"  scalar, with a solve: {number(scalar['instructions'])} records, "
              f"{number(scalar['vectors_unsplit'])} levels, {number(scalar['vectors_split'])} vectors")
    print(f"  compiled: {number(sum(program['records'].values()))} records, {number(program['levels'])} levels, "
          f"{number(program['vectors'])} vectors, {program['program_bytes'] / 1e6:.1f} MB")
    print(f"  {number(program['dot_pivots'])} pivots as DOT streams, {number(program['tile_pivots'])} in tiles")


def show_times(steps, columns):
    good = {name: c for name, c in columns.items() if c.complete}
    print(f"Times in ms, one thread, medians of {len(steps) - 1} steps of changed values")
    row("", good)
    for label, key in (("analysis", "analyze_ms"), ("first factorization", "factor_ms"), ("compile", "compile_ms")):
        row(label, [f"{c.first.data[key]:.3f}" if c.first.data.get(key) else "-" for c in good.values()])
    row("refactor", [milliseconds(c.refactor) for c in good.values()])
    row("solve", [milliseconds(c.solve) for c in good.values()])
    row(f"{len(steps) - 1} refactors and solves", [f"{sum(c.refactor) + sum(c.solve):.1f}" for c in good.values()])
    row("pivoted again", [str(c.repivots) for c in good.values()])
    row("entries of L, U and F", [number(c.first.lu_nnz) if c.first.lu_nnz else "-" for c in good.values()])
    row("largest backward error", [f"{c.error:.1e}" for c in good.values()])
    for name, c in columns.items():
        if name not in good:
            worst = (c.failed or [c.first])[0]
            print(f"  {name}: {worst.status} {worst.data.get('message', '')}".rstrip())


def show_comparison(columns):
    ours = next(iter(columns.values()))
    for name, c in list(columns.items())[1:]:
        if not (c.complete and ours.complete):
            continue
        refactor = statistics.median(c.refactor) / statistics.median(ours.refactor)
        solve = statistics.median(c.solve) / statistics.median(ours.solve)
        line = f"{name} takes {refactor:.2f} times warplu's refactor, {solve:.2f} times its solve"
        extra, gain = ours.setup - c.setup, c.step - ours.step
        if gain > 0 and extra > 0:
            line += f"; warplu's longer set-up is repaid after {math.ceil(extra / gain)} steps"
        print(line)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        info = json.load(file)
    try:
        run, *_ = results.read(sys.argv[2])
    except results.BadFile as error:
        print(error, file=sys.stderr)
        return 1
    steps = run.rows
    if not steps or steps[0].ours is None:
        print("the benchmark gave no result", file=sys.stderr)
        return 1
    titles = {steps[0].ours.title: "warplu", "klu": "KLU scale 2", "klu-noscale": "KLU scale -1"}
    columns = {titles.get(s.title, s.title): Column(s) for s in results.series_of(steps)}
    print(f"\nwarplu {info['version']} on {run.facts.get('processor', 'an unknown processor')}")
    show_matrix(info)
    show_times(steps, columns)
    show_comparison(columns)
    ours = next(iter(columns.values()))
    if not ours.complete:
        print("warplu failed or was inaccurate in some step", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
