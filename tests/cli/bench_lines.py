"""Lines as warplu bench --json prints them, made by hand, for tests of what reads them."""
import json


def run_record(version="0.1.0", processor="P", arguments=(), peers=()):
    return {"run": "warplu bench", "version": version, "compiler": "12", "time": "2026-01-02T03:04:05Z",
            "machine": {"processor": processor, "cores": 2, "memory_bytes": 8 << 30}, "arguments": list(arguments),
            "peers": list(peers)}


def samples(median, shortest=None):
    return {"min": median if shortest is None else shortest, "median": median, "max": median, "repeats": 5}


def executor(refactor=1.0, solve=1.0, setup=3.0, error=1e-16, name="cpu", alone=None, **more):
    return {"name": name, "threads": 1, "check": "suspect", "status": "WARPLU_SUCCESS", "analyze_ms": setup / 3,
            "factor_ms": setup / 3, "compile_ms": setup / 3, "refactor_ms": samples(refactor),
            "solve_ms": samples(solve), "solve_alone_ms": samples(solve if alone is None else alone),
            "backward_error": error, "repivots": 0, **more}


def peer(name, refactor=1.0, solve=1.0, setup=1.0, error=1e-16, **more):
    made = executor(refactor, solve, setup, error, name, ordering_asked="default", lu_nnz=100, bytes=80, **more)
    del made["check"], made["solve_alone_ms"]
    if not (error is not None and error <= 1e-10):
        made["status"] = "WARPLU_INACCURATE"
    return made


def lived(name, *totals, horizons=(1, 10), share=0.5, error=1e-16, shortest=None, **more):
    """An entry's lives: the median time up to each horizon."""
    made = {"name": name, "threads": 1, "status": "WARPLU_SUCCESS" if error <= 1e-10 else "WARPLU_INACCURATE",
            "life_ms": {str(h): samples(total) for h, total in zip(horizons, totals)},
            "shortest_calls_ms": {str(h): shortest or total for h, total in zip(horizons, totals)},
            "longest_call": {"call": "refactor", "solve": 7, "ms": 1.5, "share": share}, "judged": horizons[-1],
            "inaccurate": 0, "residual": error, "backward_error": error, "repivots": 0, **more}
    return made if "told" in made else {**made, "ordering_asked": "default"}


def member_of(name, both, refactor, error=1e-16, **more):
    """An entry's times a member of a batch, in microseconds."""
    made = {"name": name, "threads": 1, "status": "WARPLU_SUCCESS" if error <= 1e-10 else "WARPLU_INACCURATE",
            "both_us": samples(both), "refactor_us": samples(refactor), "inaccurate_members": 0, "residual": error,
            "backward_error": error, **more}
    return made if "batch" in made else {**made, "ordering_asked": "default"}


def failed(name, status, message="", **more):
    """As an entry that was never timed."""
    nothing = {"min": None, "median": None, "max": None, "repeats": 0}
    return {"name": name, "threads": 1, "status": status, "message": message, "analyze_ms": None, "factor_ms": None,
            "compile_ms": None, "refactor_ms": nothing, "solve_ms": nothing, "residual": None, "backward_error": None,
            "repivots": 0, "ordering_asked": "default", **more}


def matrix(name, executors=(), peers=(), **more):
    return {"matrix": f"folder/{name}.mtx.gz", "status": "WARPLU_SUCCESS", "n": 9, "nnz": 30, "terms": 10,
            "program_bytes": 50, "lu_nnz": 50, "executors": list(executors), "peers": list(peers), **more}


def text(*lines):
    return "".join(json.dumps(line) + "\n" for line in lines)
