"""Solver: phases, options, what it knows, files, errors and warnings."""
import errno
import os
import pickle
import re
import subprocess
import sys
import tempfile
import warnings

import package
from package import close, matrix, numbers, raises

import numpy
import scipy.sparse

import warplu
from warplu import _options, _warplu


def phases_go_one_after_the_other():
    A, b = matrix(), numbers((60,))
    solver = warplu.Solver(A)
    assert solver.shape == (60, 60) and solver.dtype == numpy.float64
    raises(warplu.WrongPhaseError, solver.solve, b)
    solver.factor(A.data)
    close(solver.solve(b), numpy.linalg.solve(A.toarray(), b))
    solver.refactor(2 * A.data)
    close(solver.solve(b), numpy.linalg.solve(2 * A.toarray(), b))
    close(solver.refactor_solve(3 * A, b), numpy.linalg.solve(3 * A.toarray(), b))


def right_hand_sides_of_any_number():
    for dtype in (numpy.float64, numpy.complex128):
        A = matrix(form="csr", dtype=dtype)
        dense = {"N": A.toarray(), "T": A.toarray().T, "H": A.toarray().conj().T}
        solver = warplu.Solver(A)
        for columns in (1, 3, 17):
            b = numbers((60, columns), dtype)
            for trans, M in dense.items():
                close(solver.refactor_solve(A.data, b, trans), numpy.linalg.solve(M, b))
                close(solver.solve(b, trans), numpy.linalg.solve(M, b))
                assert solver.backward_error(A.data, b, solver.solve(b, trans), trans) < 1e-11


def solutions_go_where_they_are_asked_for():
    A, b = matrix(), numbers((60, 3)).copy(order="F")
    solver = warplu.Solver(A)
    solver.factor(A)
    wanted, out = solver.solve(b), numpy.empty((60, 3), order="F")
    assert solver.solve(b, out=out) is out
    close(out, wanted, 0)
    solver.solve(b, out=b)
    close(b, wanted, 0)
    for wrong in (numpy.empty((60, 3)), numpy.empty((60, 2), order="F"), numpy.empty((60, 3), complex, order="F")):
        raises(ValueError, solver.solve, b, out=wrong)
    fixed = numpy.empty((60, 3), order="F")
    fixed.flags.writeable = False
    raises(ValueError, solver.solve, b, out=fixed)


def header(*names):
    """The texts of the library's headers."""
    texts = []
    for name in names:
        with open(os.path.join(package.source, "include", "warplu", name + ".h"), encoding="utf-8") as file:
            texts.append(re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL))
    return "".join(texts)


def members(name, struct):
    """Names of a struct's members, but for its size and pointers to functions."""
    body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (struct, struct), header(name), re.DOTALL)[1]
    fields = re.findall(r"^\s*(?:const )?\w+ ([^;()]+);", body, re.MULTILINE)
    return {re.sub(r"[*\s]|\[.*", "", field) for line in fields for field in line.split(",")} - {"size"}


def every_member_is_shown():
    A = matrix()
    solver = warplu.Solver(A)
    solver.factor(A)
    assert set(vars(solver.statistics)) == members("warplu", "warplu_statistics")
    assert set(vars(warplu.Batch(solver, 2).statistics)) == members("batch", "warplu_batch_statistics")
    assert set(warplu.cache_statistics()) == members("cache", "warplu_cache_statistics")
    raises(warplu.SingularMatrixError, solver.factor, 0 * A.data)
    assert set(solver.singularity()) == members("inspect", "warplu_singularity")
    assert solver.statistics.n == 60 and solver.statistics.nnz == A.nnz and solver.statistics.factor_ns > 0


def every_option_is_taken():
    known = set(_options.Options.__annotations__)
    assert known == members("warplu", "warplu_options") - {"storage", "scalar", "allocator_user", "message", "message_user",
                                                           "cancel", "cancel_user"}
    assert set(_options.BatchOptions.__annotations__) == members("batch", "warplu_batch_options") - {"device_count"}
    A = matrix()
    natural = numpy.arange(60)
    values = {"ordering": "given", "row_order": None, "col_order": natural, "btf": False, "matching": "never",
              "scaling": "sum", "pivot_tolerance": 1.0, "pivot_absolute": 0.0, "on_weak": "refine", "check": "always",
              "max_refinement_steps": 3, "executor": "reference", "device_strategy": "auto", "precision": "single",
              "threads": 1, "expected_refactors": 100, "max_program_bytes": 10**9, "max_cache_bytes": 0,
              "max_factor_bytes": 10**9, "device": 0, "repeatable": "not"}
    assert set(values) == known, set(values) ^ known
    solver = warplu.Solver(A, **values)
    solver.factor(A)
    close(solver.solve(numbers((60,))), numpy.linalg.solve(A.toarray(), numbers((60,))), 1e-3)
    assert solver.statistics.ordering == "given" and solver.statistics.all_checked == 1 and solver.statistics.blocks == 1


def options_are_described():
    """In help(), and in the README's tables, with the library's defaults; where there is an option without a text, or one
    with another default, this says so."""
    with open(os.path.join(package.source, "adapters", "python", "README.md"), encoding="utf-8") as file:
        rows = {line.rstrip("\n") for line in file if line.startswith("| `")}
    for kind, meanings, defaults in zip((warplu.Options, warplu.BatchOptions), (_options.MEANINGS, _options.BATCH_MEANINGS),
                                        _warplu.default_options()):
        assert list(meanings) == list(kind.__annotations__)
        assert set(defaults) - {"storage", "scalar"} == set(meanings) - {"row_order", "col_order", "devices"}
        for name, row in zip(meanings, _options.table(meanings, defaults)):
            assert row in rows, f"README.md has no line {row}"
            assert f"    {name}: {_options.values_of(name, defaults)}\n" in kind.__doc__, kind.__doc__
        rows -= set(_options.table(meanings, defaults))
    assert not rows, rows


def choices_are_the_header_s():
    text = header("warplu", "batch", "cache")
    for name, choices in _options.CHOICES.items():
        for number, choice in enumerate(choices):
            prefix = {"device_strategy": "STRATEGY", "layout": "BATCH"}.get(name, name.upper())
            assert f"WARPLU_{prefix}_{choice.upper()} = {number}" in text, f"{name}: {choice}"


def wrong_options_are_refused():
    A = matrix()
    wrong = [(TypeError, {"colour": "blue"}), (TypeError, {"storage": 1}), (ValueError, {"ordering": "fastest"}),
             (ValueError, {"ordering": ["amd"]}), (TypeError, {"threads": "many"}), (TypeError, {"threads": 1.5}),
             (TypeError, {"btf": None}), (TypeError, {"btf": "no"}), (TypeError, {"btf": 0.0}), (TypeError, {"pivot_tolerance": "small"}), (TypeError, {"max_program_bytes": "4 GiB"}),
             (TypeError, {"row_order": "abc"}), (OverflowError, {"threads": 2**40}), (OverflowError, {"max_cache_bytes": 2**70}),
             (ValueError, {"col_order": numpy.arange(59), "ordering": "given"}), (ValueError, {"col_order": numpy.arange(60)}),
             (ValueError, {"row_order": numpy.arange(60), "ordering": "amd"})]
    ranges = {"threads": -1, "pivot_tolerance": 2.0, "pivot_absolute": -1.0, "max_refinement_steps": -1, "expected_refactors": -1,
              "max_program_bytes": 0, "max_cache_bytes": -1, "max_factor_bytes": -1, "device": -2}
    wrong += [(warplu.InvalidArgumentError, {name: value}) for name, value in ranges.items()]
    wrong += [(warplu.InvalidArgumentError, {"threads": 2, "executor": "reference"}),
              (warplu.InvalidArgumentError, {"ordering": "given"})]
    for kind, options in wrong:
        for call in (warplu.Solver, warplu.splu, lambda A, **more: warplu.spsolve(A, numbers((60,)), **more)):
            text = str(raises(kind, call, A, **options))
            assert next(iter(options)) in text, f"{options}: {text}"
    assert "a whole number is needed, not 1.5" in str(raises(TypeError, warplu.Solver, A, threads=1.5))
    assert "True or False is needed, not 'no'" in str(raises(TypeError, warplu.Solver, A, btf="no"))
    text = str(raises(warplu.InvalidArgumentError, warplu.Solver, A, ordering="given"))
    assert "col_order" in text and "range" not in text, text
    assert raises(warplu.InvalidArgumentError, warplu.Solver, A, threads=-1).status == warplu.Status.INVALID_ARGUMENT
    solver = warplu.Solver(A)
    for kind, options in ((warplu.InvalidArgumentError, {"sample": 0}), (warplu.InvalidArgumentError, {"threads": -1}),
                          (warplu.InvalidArgumentError, {"repair": 2}), (warplu.InvalidArgumentError, {"max_factor_bytes": -1}),
                          (TypeError, {"shared_values": "yes"}), (TypeError, {"devices": 3}), (TypeError, {"devices": ["a"]}),
                          (ValueError, {"layout": "random"})):
        text = str(raises(kind, warplu.Batch, solver, 2, **options))
        assert next(iter(options)) in text, f"{options}: {text}"
    assert "count" in str(raises(warplu.InvalidArgumentError, warplu.Batch, solver, 0))
    error = raises(warplu.OutOfMemoryError, warplu.Solver, A, max_factor_bytes=100)
    assert error.status == warplu.Status.FACTORS_TOO_LARGE and "max_factor_bytes" in str(error)


def refusals_name_the_range():
    """That of the help, for each option that has one."""
    solver, A, numbers_of = warplu.Solver(matrix()), matrix(), []
    for make, defaults in zip((lambda **one: warplu.Solver(A, **one), lambda **one: warplu.Batch(solver, 2, **one)),
                              _warplu.default_options()):
        known = set(defaults) - set(_options.CHOICES) - set(_options._FLAGS) - {"storage", "scalar"}
        numbers_of += sorted(known)
        assert known <= set(_options.RANGES), known
        for name in known:
            wanted = _options.RANGES[name]
            ends = [int(word) for word in wanted.replace(",", "").split() if word.lstrip("-").isdigit()]
            for value in (ends[0] - 1, *(end + 1 for end in ends[1:]), *([numpy.inf] if "finite" in wanted else [])):
                text = str(raises(warplu.InvalidArgumentError, make, **{name: value}))
                assert text.endswith(f"{name}: {value} is out of its range: {wanted}"), text
    assert set(_options.RANGES) == set(numbers_of)
    assert "count: 0 is out of its range: 1 or more" in str(raises(warplu.InvalidArgumentError, warplu.Batch, solver, 0))


def given_orders_have_no_choice_of_pivots():
    A = scipy.sparse.csc_matrix([[0.0, 1.0], [1.0, 1.0]])
    solver = warplu.Solver(A, ordering="given", row_order=[0, 1], col_order=[0, 1])
    text = str(raises(warplu.SingularMatrixError, solver.factor, A))
    assert "the given order has a zero pivot" in text and "row 0, column 0" in text and "singular" not in text, text


def arrays_of_other_types_are_refused_by_the_extension():
    A, x = matrix(), numpy.empty(60)
    solver = warplu.Solver(A)._handle
    raises(TypeError, solver.factor, A.data.astype(numpy.float32))
    raises(TypeError, solver.factor, A.data.astype(complex))
    raises(ValueError, solver.factor, A.data[:-1])
    raises(ValueError, solver.factor, numpy.repeat(A.data, 2)[::2])
    raises(TypeError, solver.factor, None)
    solver.factor(A.data)
    raises(ValueError, solver.solve, numpy.empty(61), numpy.empty(61), 0)
    raises(ValueError, solver.solve, numpy.empty(120), x, 0)
    raises(TypeError, solver.solve, x, x, 3)
    raises(TypeError, _warplu.Solver, {"colour": 1}, 60, A.indptr, A.indices, A.data, False, None)
    raises(ValueError, _warplu.Solver, None, 59, A.indptr, A.indices, A.data, False, None)
    raises(ValueError, _warplu.Solver, None, 60, A.indptr, A.indices[:-1], A.data, False, None)
    raises(ValueError, _warplu.Solver, None, -1, A.indptr[:0], A.indices, A.data, False, None)
    raises(warplu.InvalidArgumentError, _warplu.Solver, None, 0, A.indptr[:1], A.indices, A.data, False, None)
    raises(TypeError, _warplu.Solver, None, 60, A.indptr.astype(numpy.int64), A.indices, A.data, False, None)


def it_knows_its_factors():
    A = matrix()
    solver = warplu.Solver(A)
    assert solver.statistics.verdict == "healthy" and 'Before any factorization it is "healthy"' in warplu.Statistics.__doc__
    solver.factor(A)
    dense, b = A.toarray(), numbers((60,))
    mantissa, exponent = solver.determinant()
    close(mantissa * 2.0**exponent, numpy.linalg.det(dense))
    assert type(mantissa) is float and type(exponent) is int
    turned = warplu.Solver(1j * A)
    turned.factor(1j * A)
    mantissa, exponent = turned.determinant()
    assert type(mantissa) is complex and type(exponent) is int
    close(mantissa * 2.0**exponent, numpy.linalg.det(1j * dense))
    diagonal, smallest, largest = solver.diagonal()
    assert smallest == abs(diagonal).min() and largest == abs(diagonal).max()
    assert solver.statistics.largest_pivot == largest
    assert 0.2 < solver.condition(A) / numpy.linalg.cond(dense, 1) < 1.01
    assert 1 <= solver.skeel_condition(A) and solver.skeel_condition(A, b) > 0 and 0 < solver.pivot_growth(A) <= 1
    x = solver.solve(b)
    assert solver.backward_error(A, b, x) < 1e-11 and 0 < solver.forward_error(A, b, x) < 1e-10
    assert solver.backward_error(A, b, x + 1e-3) > 1e-6
    assert A.data[solver.position(A.indices[7], 0 if A.indptr[1] > 7 else numpy.searchsorted(A.indptr, 7, "right") - 1)] \
        == A.data[7]
    for kind, place in ((warplu.InvalidArgumentError, (0, 100)), (warplu.InvalidArgumentError, (-1, 2**40)),
                        (warplu.PatternMismatchError, tuple(int(k) for k in numpy.argwhere(dense == 0)[0]))):
        assert f"entry {place}" in str(raises(kind, solver.position, *place))
    pivots = solver.weak_pivots(A, numpy.inf, 1000)
    assert sorted(p.row for p in pivots) == list(range(60)) and len(solver.weak_pivots(A, numpy.inf, 3)) == 3
    assert solver.statistics.n == 60 and solver.statistics.verdict in ("healthy", "suspect")


def it_says_why_a_matrix_is_singular():
    A = scipy.sparse.csc_matrix([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 1.0, 1.0]])
    solver = warplu.Solver(A)
    error = raises(warplu.SingularMatrixError, solver.factor, A)
    assert "rows 0 and 1" in str(error)
    assert solver.singularity()["dependent_rows"] == (0, 1) and solver.singularity()["dependent_row_count"] == 1


def warnings_say_why():
    A = scipy.sparse.csc_matrix([[1e-30, 1.0], [1.0, 1.0]])
    solver = warplu.Solver(scipy.sparse.csc_matrix([[1.0, 1.0], [1.0, 3.0]]), on_weak="report", expected_refactors=100,
                           matching="never", btf=False, ordering="natural")
    solver.factor([1.0, 1.0, 1.0, 3.0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert solver.refactor(A.toarray().T.ravel()) == warplu.Status.WEAK
    assert [c.category for c in caught] == [warplu.WarpluWarning] and caught[0].message.status == warplu.Status.WEAK
    assert (caught[0].filename, caught[0].lineno) == (__file__, line_of("solver.refactor(A.toarray().T.ravel())"))


def line_of(text):
    """The one line of this file with the text, but for those that ask for it."""
    with open(__file__, encoding="utf-8") as file:
        found = [number for number, line in enumerate(file, 1) if text in line and "line_of" not in line]
    assert len(found) == 1, (text, found)
    return found[0]


def warnings_point_at_the_call():
    """Of conversions by each function that converts."""
    A, b = matrix().tocoo(), numbers((60,))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warplu.spsolve(A, b)  # 1st
        lu = warplu.splu(A)  # 2nd
        solver = warplu.Solver(A)  # 3rd
        warplu.factorized(A)  # 4th
        lu.refactor(A)  # 5th
        solver.refactor_solve(A, b)  # 6th
        warplu.splu(A, btf=False)  # 7th
    lines = [(w.filename, w.lineno) for w in caught]
    assert lines == [(__file__, line_of(f"  # {place}")) for place in ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th")], lines


def new_pivots_are_no_warning():
    A = scipy.sparse.csc_matrix([[1.0, 1.0], [1.0, 3.0]])
    solver = warplu.Solver(A, expected_refactors=100, matching="never", btf=False)
    solver.factor(A)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        status = solver.refactor([1e-30, 1.0, 1.0, 1e-30])
    assert status == warplu.Status.REPIVOTED
    close(solver.solve([1.0, 2.0]), [2.0, 1.0])


def files_keep_what_was_found():
    for form, dtype in (("csc", numpy.float64), ("csr", numpy.complex128)):
        A, b = matrix(form=form, dtype=dtype), numbers((60,), dtype)
        solver = warplu.Solver(A)
        solver.factor(A)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pivots")
            solver.save(path)
            restored = warplu.Solver.restore(path, A)
            raises(warplu.PatternMismatchError, warplu.Solver.restore, path, matrix(seed=8, form=form, dtype=dtype))
            error = raises(warplu.MissingFileError, warplu.Solver.restore, path + "?", A)
            assert isinstance(error, FileNotFoundError) and error.filename == path + "?"
            again = pickle.loads(pickle.dumps(error))
            assert again.filename == error.filename and again.errno == errno.ENOENT and str(again) == str(error)
            assert error.status == warplu.Status.CANNOT_OPEN and isinstance(error, OSError) and error.errno == errno.ENOENT, error
            assert path + "?" in str(error)
        assert restored.statistics.compiled == 1
        restored.refactor(A)
        close(restored.solve(b), solver.solve(b))


def names_of_files_may_be_of_any_bytes():
    A = matrix()
    solver = warplu.Solver(A)
    solver.factor(A)
    for name in (b"/nowhere/\xff", "/nowhere/" + "\u00e4" * 600):
        error = raises(warplu.MissingFileError, solver.save, name)
        assert error.filename == name, error.filename
        assert error.status == warplu.Status.CANNOT_OPEN and "cannot open" in str(error), error
    raises(ValueError, solver.save, "a\0b")


def the_extension_may_be_loaded_twice():
    loaded = sys.modules.pop("warplu._warplu")
    from importlib import import_module
    other = import_module("warplu._warplu")
    sys.modules["warplu._warplu"] = loaded
    assert other is not loaded and other.Solver is not loaded.Solver
    A, values = matrix(), numpy.tile(matrix().data, 2)
    for of_solver, of_batch in ((loaded, other), (other, loaded), (loaded, loaded)):
        solver = of_solver.Solver(None, 60, A.indptr, A.indices, A.data, False, None)
        assert type(solver) is of_solver.Solver and of_batch.Batch(solver, 2, {}).factor(values) == 0
    raises(TypeError, other.Batch, None, 2, {})
    raises(TypeError, other.Batch, other.Batch(solver, 2, {}), 2, {})


def statuses_are_the_library_s():
    library = {name.removeprefix("WARPLU_"): number for name, (number, _) in _warplu.statuses().items()}
    assert {status.name: int(status) for status in warplu.Status} == library


def they_say_what_they_are():
    A = matrix()
    solver, lu = warplu.Solver(A), warplu.splu(A.astype(complex))
    assert repr(solver) == f"<warplu.Solver of 60 x 60 matrices, float64, {A.nnz} entries>", solver
    assert repr(lu) == f"<warplu.SuperLU of a 60 x 60 matrix, complex128, {A.nnz} entries>", lu
    assert repr(warplu.Batch(solver, 7)) == "<warplu.Batch of 7 systems, 60 x 60, float64>"
    assert "0 x 0" in repr(warplu.splu(scipy.sparse.csc_matrix((0, 0))))


def a_with_block_gives_the_memory_back():
    A, b = matrix(seed=41), numbers((60,))
    in_use = warplu.cache_statistics()["in_use"]
    with warplu.Solver(A) as solver, warplu.splu(A) as lu:
        close(solver.refactor_solve(A, b), lu.solve(b))
        with warplu.Batch(solver, 1) as batch:
            batch.refactor_solve(A.data[None], b[None])
        assert warplu.cache_statistics()["in_use"] == in_use + 1 and lu.L.shape == (60, 60)
    assert warplu.cache_statistics()["in_use"] == in_use
    for call in (lambda: solver.refactor(A), lambda: lu.solve(b), lambda: lu.refactor(A.data), lambda: lu.L, lambda: lu.solver.statistics,
                 lambda: batch.refactor_solve(A.data[None], b[None])):
        assert "closed" in str(raises(warplu.WrongPhaseError, call))
    for held in (solver, lu, batch):
        assert repr(held) == f"<warplu.{type(held).__name__}, closed>"
        held.close()


def nothing_leaks_into_the_module():
    assert sorted(dir(warplu)) == sorted([*warplu.__all__, "__version__"])
    for name in dir(warplu):
        assert getattr(warplu, name) is not None


def the_command_tells_versions():
    folder = os.path.dirname(os.path.dirname(warplu.__file__))
    found = subprocess.run([sys.executable, "-m", "warplu"], capture_output=True, text=True, check=True, cwd=folder,
                           env=dict(os.environ, PYTHONPATH=folder)).stdout
    assert found.startswith(f"warplu {warplu.__version__} ("), found


package.run([phases_go_one_after_the_other, right_hand_sides_of_any_number, solutions_go_where_they_are_asked_for,
             every_member_is_shown, every_option_is_taken, choices_are_the_header_s, wrong_options_are_refused, refusals_name_the_range,
             options_are_described, given_orders_have_no_choice_of_pivots,
             arrays_of_other_types_are_refused_by_the_extension, it_knows_its_factors, it_says_why_a_matrix_is_singular,
             warnings_say_why, warnings_point_at_the_call, new_pivots_are_no_warning, files_keep_what_was_found,
             names_of_files_may_be_of_any_bytes, the_extension_may_be_loaded_twice, statuses_are_the_library_s, they_say_what_they_are,
             a_with_block_gives_the_memory_back, nothing_leaks_into_the_module, the_command_tells_versions])
