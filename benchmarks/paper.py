#!/usr/bin/env python3
"""The tables of the method's paper, its figures beside this program's.

    benchmarks/paper.py 3           instructions and vectors
    benchmarks/paper.py 4           split and unsplit: times, and branches a vector
    benchmarks/paper.py 5           warp execution efficiency
    benchmarks/paper.py 6           divisions, and vectors shorter than a warp
    benchmarks/paper.py 7           against SuperLU_MT
    benchmarks/paper.py 8           against dense LU on the GPU
    benchmarks/paper.py all

The method is Tominaga and Maekawa's (2013): "The Speed-up Method Solving Random-sparse Equations Using Instruction-level
Parallelism by the CUDA". Their figures lie in benchmarks/paper/figures.csv: single precision, a Core i7 3930K and a GeForce
GTX 580. Every other number comes from a run of this command; what cannot be had is said to be missing, and how to get it.

Matrices are looked for in the folders of --matrices, then in matrices/collection, where matrices/fetch --set paper puts
them. Exit status: 0, also where a matrix or a peer is missing or a peer fails; 1 where warplu cannot be run or fails; 2 for
a usage error. Python 3 and its standard library alone."""
import argparse
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import paper_runs  # noqa: E402
from paper_runs import USED  # noqa: E402
from paper_text import Table, Time  # noqa: E402

ROOT = os.path.dirname(paper_runs.HERE)
NEEDS_CUDA = "needs the CUDA back end"


class Run:
    """What the tables share: options, the paper's figures with the matrices' files, whether something failed."""

    def __init__(self, options, scratch):
        self.options, self.failed = options, False
        self.program = paper_runs.Program(options.warplu, options.limit, options.repeat)
        self.cuda = None
        folders = options.matrices + [paper_runs.COLLECTION]
        self.figures = [figure for figure in paper_runs.figures() if options.only in (None, figure["matrix"])]
        for figure in self.figures:
            figure["file"], figure["notes"] = paper_runs.matrix_file(self.program, folders, figure, scratch,
                                                                     options.keep_zeros)

    def ordering(self):
        return ("--ordering", self.options.ordering)

    def has_cuda(self):
        if self.cuda is None:
            self.cuda = any(name.startswith("cuda") for name in self.program.executors())
        return self.cuda

    def fail(self, table, name, report):
        """A matrix that warplu did not solve keeps a line."""
        self.failed = True
        table.add(matrix=name, source="warplu", status=f"{report['status']}: {report.get('message') or ''}".rstrip(": "))

    def info(self, table, figure, *options):
        """What warplu info tells of the scalar program; else None, and the table says why."""
        name = figure["matrix"]
        if figure["file"] is None:
            return None
        report = self.program.info(figure["file"], *options)
        if report is None:
            table.note(f"{name}, {' '.join(options)}: not counted within {self.options.limit} s (--limit)")
            return None
        if report["status"] not in USED:
            self.fail(table, name, report)
            return None
        check_size(table, figure, report["n"], report["nnz"])
        scalar = report["scalar_program"]
        if "skipped" in scalar:
            table.note(f"{name}, {' '.join(options)}: not counted: {scalar['skipped']}")
            return None
        return dict(scalar, n=report["n"], nnz=report["nnz"], ordering=report["ordering"])

    def bench(self, table, figure, *options):
        """The matrix's record of warplu bench; else None, and the table says why."""
        if figure["file"] is None:
            return None
        run, report = self.program.bench(figure["file"], *self.ordering(), *options)
        machine = run.get("machine", {})
        if machine:
            table.note(f"warplu {run.get('version')} on {machine.get('processor')}, {machine.get('cores')} cores; times of "
                       "warplu and of its peers in ms, median (least to most), double precision")
        if report["status"] not in USED:
            self.fail(table, figure["matrix"], report)
            return None
        check_size(table, figure, report["n"], report["nnz"])
        return report


def check_size(table, figure, n, nnz):
    if (n, nnz) != (figure["n"], figure["nnz"]):
        table.note(f"{figure['matrix']}: {n} unknowns and {nnz} entries here, {figure['n']} and {figure['nnz']} in the paper")


def usable(entry):
    return entry["status"] in USED and entry["refactor_ms"]["median"] is not None


def step(entry):
    return Time(entry["refactor_ms"], entry["solve_ms"])


def percent(share):
    return None if share is None else 100.0 * share


# -------------------------------------------------------------------- counts

def table_3(run):
    table = Table(3, "Instructions and vectors of one factorization and one solve", {
        "matrix": "matrix", "source": "source", "n": "n", "nnz": "nonzeros", "instructions": "instructions",
        "share": "of the\npaper's", "unsplit": "vectors\nunsplit", "split": "vectors\nsplit",
        "longest": "longest\nunsplit", "longest_split": "longest\nsplit", "status": ""})
    for figure in run.figures:
        name, file = figure["matrix"], figure["file"]
        table.add(matrix=name, source="paper", n=figure["n"], nnz=figure["nnz"], instructions=figure["instructions"],
                  unsplit=figure["vectors_unsplit"], split=figure["vectors_split"], longest=figure["longest"],
                  longest_split=figure["longest"])
        table.note(*figure["notes"])
        for ordering in run.options.orderings.split(",") if file else []:
            one_block = () if ordering == "auto" else ("--no-btf",)
            scalar = run.info(table, figure, "--ordering", ordering, *one_block)
            if scalar is None:
                continue
            took = f"auto: {scalar['ordering']}" if ordering == "auto" else f"{ordering}, one block"
            table.add(matrix=name, source=took, n=scalar["n"], nnz=scalar["nnz"], instructions=scalar["instructions"],
                      share=scalar["instructions"] / figure["instructions"], unsplit=scalar["vectors_unsplit"],
                      split=scalar["vectors_split"], longest=scalar["longest_unsplit"],
                      longest_split=scalar["longest_split"])
    table.note("instructions: multiply-subtracts and divisions, scalar, before anything is fused, as the paper counts",
               "auto: what warplu takes, in block triangular form, whose blocks below the diagonal are not eliminated; one "
               "block: --no-btf. The paper names neither its order nor its pivots")
    return table


def table_4(run):
    table = Table(4, "Unsplit and split: a factorization with a solve in ms, and branches a vector", {
        "matrix": "matrix", "source": "source", "unsplit": "unsplit\nms", "split": "split\nms",
        "mean": "branches\nunsplit\nmean", "most": "\n\nmost", "mean_split": "branches\nsplit\nmean",
        "most_split": "\n\nmost", "status": ""})
    executors = run.program.executors()
    for figure in run.figures:
        name = figure["matrix"]
        table.add(matrix=name, source="paper, GPU", unsplit=figure["unsplit_ms"], split=figure["split_ms"],
                  mean=figure["unsplit_branches"], most=figure["unsplit_most_branches"],
                  mean_split=figure["split_branches"], most_split=figure["split_most_branches"])
        table.note(*figure["notes"])
        add_passes(run, table, figure)
        reports = [run.bench(table, figure, "--executors", ",".join(executors), *form) for form in (("--unsplit",), ())]
        if None not in reports:
            add_times(run, table, name, *reports)
        if figure["file"] and not run.has_cuda():
            table.add(matrix=name, source="warplu, GPU", status=NEEDS_CUDA)
    table.note("the paper's branches are its profiler's count, over whatever it profiled; passes are the arithmetic alone: warps "
               "of 32 records of a vector, those that hold both operations twice, in the scalar program",
               "the paper launches a kernel a vector of scalar instructions; warplu's replays run its fused program, and on "
               "the CPU, so neither column is the paper's measurement")
    return table


def add_passes(run, table, figure):
    scalar = run.info(table, figure, *run.ordering())
    if scalar is None:
        return
    unsplit, split = scalar["warps_unsplit"], scalar["warps_split"]
    table.add(matrix=figure["matrix"], source="passes, counted", mean=unsplit["passes"] / scalar["vectors_unsplit"],
              most=unsplit["most_passes"], mean_split=split["passes"] / scalar["vectors_split"],
              most_split=split["most_passes"])


def add_times(run, table, name, unsplit, split):
    """A line an executor, which both reports have in one order."""
    for ours in zip(unsplit["executors"], split["executors"]):
        gpu = ours[0]["name"].startswith("cuda")
        source = f"warplu {ours[0]['name']}, {'GPU' if gpu else 'CPU'}"
        if all(usable(entry) for entry in ours):
            table.add(matrix=name, source=source, unsplit=step(ours[0]), split=step(ours[1]))
            continue
        bad = next(entry for entry in ours if not usable(entry))
        table.add(matrix=name, source=source, status=failure(bad))
        run.failed = run.failed or not gpu


def failure(entry):
    return f"{entry['status']}: {entry.get('message') or ''}".rstrip(": ")


def table_5(run):
    table = Table(5, "Warp execution efficiency over the vectors, percent", {
        "matrix": "matrix", "source": "source", "least": "unsplit\nmin", "mean": "\navg", "best": "\nmax",
        "least_split": "split\nmin", "mean_split": "\navg", "best_split": "\nmax", "status": ""})
    for figure in run.figures:
        name = figure["matrix"]
        table.add(matrix=name, source="paper, measured", least=figure["unsplit_least"], mean=figure["unsplit_mean"],
                  best=figure["unsplit_best"], least_split=figure["split_least"], mean_split=figure["split_mean"],
                  best_split=figure["split_best"])
        table.note(*figure["notes"])
        scalar = run.info(table, figure, *run.ordering())
        if scalar is None:
            continue
        for kind in ("agreement", "filling"):
            cells = {key + end: percent(warps[f"{key}_{kind}"]) for key in ("least", "mean", "best")
                     for end, warps in (("", scalar["warps_unsplit"]), ("_split", scalar["warps_split"]))}
            table.add(matrix=name, source=f"{kind}, counted", **cells)
        table.add(matrix=name, source="warplu, measured",
                  status="needs a profiler's run" if run.has_cuda() else f"{NEEDS_CUDA} and a profiler")
    table.note("filling: records over 32 lanes a pass; agreement leaves out lanes past a vector's end, so that only mixed "
               "operations lower it. Both are counted in the scalar program, in the order of emission",
               "a vector of one record fills 3.1 % of a warp, and solves end with such: the paper's least can hardly be of the "
               "arithmetic alone")
    return table


def table_6(run):
    table = Table(6, "Divisions among the instructions, and vectors shorter than a warp", {
        "matrix": "matrix", "source": "source", "instructions": "instructions", "divisions": "divisions", "share": "%",
        "vectors": "vectors,\nsplit", "short": "shorter\nthan 32", "short_share": "%", "status": ""})
    for figure in run.figures:
        name = figure["matrix"]
        table.add(matrix=name, source="paper", instructions=figure["instructions"], share=figure["divisions_percent"],
                  vectors=figure["vectors_split"], short_share=figure["short_percent"])
        table.note(*figure["notes"])
        scalar = run.info(table, figure, *run.ordering())
        if scalar is None:
            continue
        short = sum(row["vectors"] for row in scalar["widths"] if int(row["width"].split("..")[1]) < 32)
        table.add(matrix=name, source=f"warplu, {scalar['ordering']}", instructions=scalar["instructions"],
                  divisions=scalar["divisions"], share=percent(scalar["divisions"] / scalar["instructions"]),
                  vectors=scalar["vectors_split"], short=short, short_share=percent(short / scalar["vectors_split"]))
    table.note("the paper gives shares of memplus and circuit_4 alone")
    return table


# --------------------------------------------------------------------- times

def median(entry):
    return step(entry).median


def add_ours(run, table, name, report):
    """Lines of warplu's executors, and the entry with the shortest step."""
    entries = [entry for entry in report["executors"] if usable(entry)]
    if not entries:
        run.failed = True
        first = report["executors"][0] if report["executors"] else report
        table.add(matrix=name, source="warplu", status=failure(first))
        return None
    best = min(entries, key=median)
    for entry in entries:
        table.add(matrix=name, source=f"warplu {entry['name']}, {report['ordering']}", threads=entry["threads"],
                  setup=entry["analyze_ms"] + entry["factor_ms"] + entry["compile_ms"], refactor=Time(entry["refactor_ms"]),
                  solve=Time(entry["solve_ms"]), total=step(entry).median, ratio=median(entry) / median(best),
                  error=entry["backward_error"])
    return best


def order_of(entry):
    """The order a peer used, where it tells it, and whether it is the best of its own."""
    asked, used = entry.get("ordering_asked") or "default", entry.get("ordering")
    return f"best: {used}" if used and asked == "best" else used or asked


def add_peers(table, name, report, ours):
    for entry in report["peers"]:
        if entry["status"] == "WARPLU_NOT_COMPILED":
            table.note(f"{entry['name']}: missing; {entry.get('message') or 'this build lacks it'}")
            continue
        cells = {"matrix": name, "source": f"{entry['name']}, {order_of(entry)}", "threads": entry["threads"]}
        if entry.get("version"):
            table.note(f"{entry['name']}: {entry.get('about') or 'a peer'}; {entry['version']}")
        if not usable(entry):
            table.add(**cells, status=failure(entry))
            continue
        anew = entry["factor_ms"] + entry["solve_ms"]["median"]
        table.add(**cells, setup=entry["analyze_ms"], factor=entry["factor_ms"], refactor=Time(entry["refactor_ms"]),
                  solve=Time(entry["solve_ms"]), total=median(entry), error=entry["backward_error"],
                  **({"ratio": median(entry) / median(ours), "anew": anew / median(ours)} if ours else {}))


TIMES = {"matrix": "matrix", "source": "source", "threads": "threads", "setup": "scheduling,\nanalysis", "factor": "factor",
         "refactor": "refactor", "solve": "solve", "total": "refactor\n+ solve", "ratio": "over\nwarplu",
         "anew": "factor + solve\nover warplu", "error": "backward\nerror", "status": ""}
RATIOS = ("over warplu: refactor and solve over warplu's fastest; factor + solve over warplu: a peer's first factorization, "
          "one sample and cold, with its solve, over warplu's warm refactor and solve; analysis is left out on both sides. "
          "The paper's ratio is over its own split replay")


def table_7(run):
    threads = run.options.threads
    table = Table(7, f"SuperLU_MT, {threads} thread{'s' if threads > 1 else ''}, and the replay, in ms", TIMES)
    for figure in run.figures:
        name = figure["matrix"]
        superlu = figure["superlu_mt_ms"]
        table.add(matrix=name, source="paper, replay on GPU", setup=figure["scheduling_ms"], total=figure["split_ms"])
        table.add(matrix=name, source="paper, SuperLU_MT", threads=6, ratio=figure["speedup"],
                  **({"status": superlu} if isinstance(superlu, str) else {"total": superlu}))
        table.note(*figure["notes"])
        report = run.bench(table, figure, "--threads", threads, "--peers", "superlu_mt",
                           "--peer-orderings", "colamd,best")
        if report is not None:
            add_peers(table, name, report, add_ours(run, table, name, report))
    table.note("scheduling: analysis, pivoting and compiling with the first replay; a peer's analysis beside it", RATIOS)
    return table


def table_8(run):
    table = Table(8, "Dense LU on the GPU, and the replay, in ms", TIMES)
    for figure in run.figures:
        name = figure["matrix"]
        table.add(matrix=name, source="paper, replay on GPU", setup=figure["scheduling_ms"], total=figure["split_ms"])
        dense = figure["dense_ms"]
        table.add(matrix=name, source="paper, dense (CULA)", **(
            {"status": dense} if isinstance(dense, str) else {"total": dense, "ratio": dense / figure["split_ms"]}))
        table.note(*figure["notes"])
        report = run.bench(table, figure, "--peers", "cusolver-dense")
        if report is not None:
            add_peers(table, name, report, add_ours(run, table, name, report))
    table.note("the paper's ratios are quotients of its times; scheduling: analysis, pivoting and compiling with the first "
               "replay", RATIOS)
    return table


TABLES = {"3": table_3, "4": table_4, "5": table_5, "6": table_6, "7": table_7, "8": table_8}


def positive(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parse():
    parser = argparse.ArgumentParser(description="A table of the method's paper, its figures beside this program's.")
    add = parser.add_argument
    add("table", choices=list(TABLES) + ["all"], help="which")
    add("--warplu", default=os.path.join(ROOT, "build", "tools", "warplu"), metavar="PATH",
        help="the command line (build/tools/warplu)")
    add("--matrices", action="append", default=[], metavar="FOLDER",
        help="where files are; repeatable (matrices/collection, which is looked in last)")
    add("--only", choices=[figure["matrix"] for figure in paper_runs.figures()], help="one matrix alone")
    add("--keep-zeros", action="store_true", help="entries that are zero count, as they stand in the file")
    add("--ordering", default="auto", help="of warplu in tables 4 to 8 (auto)")
    add("--orderings", default="auto,amd,colamd,metis", metavar="LIST", help="of warplu in table 3 (auto,amd,colamd,metis)")
    add("--threads", type=positive, default=cores(), metavar="N", help="of SuperLU_MT and of warplu (one a core)")
    add("--limit", type=positive, default=120, metavar="SECONDS",
        help="a count, or a call of a peer, that takes longer is given up (120)")
    add("--repeat", type=positive, metavar="N", help="as of warplu bench (by time)")
    add("--json", action="store_true", help="one JSON object")
    return parser.parse_args()


def main():
    options = parse()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            run = Run(options, scratch)
            tables = []
            for number in TABLES if options.table == "all" else [options.table]:
                tables.append(TABLES[number](run))
                if not options.json:
                    print(("\n" if len(tables) > 1 else "") + tables[-1].text(), end="", flush=True)
    except paper_runs.Broken as error:
        print(f"paper: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps({"tables": [table.data() for table in tables]}, indent=1))
    if run.failed:
        print("paper: warplu failed on a matrix; see its line", file=sys.stderr)
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
