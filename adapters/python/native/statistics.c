/* Structs of statistics as dictionaries, member by member. */
#include "wpy.h"

/* Adds a member to the dictionary d, unless an earlier one failed; steals value. */
static PyObject *add(PyObject *d, const char *name, PyObject *value)
{
    if (d != NULL && (value == NULL || PyDict_SetItemString(d, name, value) < 0)) Py_CLEAR(d);
    Py_XDECREF(value);
    return d;
}

#define INTEGER(name) d = add(d, #name, PyLong_FromLongLong((long long)s->name))
#define REAL(name) d = add(d, #name, PyFloat_FromDouble(s->name))

static PyObject *add_structure(PyObject *d, const warplu_statistics *s)
{
    INTEGER(n);
    INTEGER(blocks);
    INTEGER(largest_block);
    INTEGER(ordering);
    INTEGER(candidates);
    INTEGER(height);
    INTEGER(nnz);
    REAL(ordering_loss);
    INTEGER(lu_nnz);
    INTEGER(f_nnz);
    INTEGER(terms);
    INTEGER(flops);
    INTEGER(solve_terms);
    return d;
}

static PyObject *add_program(PyObject *d, const warplu_statistics *s)
{
    INTEGER(compiled);
    INTEGER(levels);
    INTEGER(vectors);
    INTEGER(longest_vector);
    INTEGER(solve_levels);
    INTEGER(solve_vectors);
    INTEGER(slots);
    INTEGER(dot_pivots);
    INTEGER(tile_pivots);
    INTEGER(program_bytes);
    INTEGER(solve_program_bytes);
    INTEGER(state_bytes);
    INTEGER(threads);
    REAL(predicted_refactor_ns);
    REAL(analyze_ns);
    REAL(factor_ns);
    REAL(compile_ns);
    return d;
}

PyObject *wpy_statistics(const warplu_statistics *s)
{
    PyObject *d = add_program(add_structure(PyDict_New(), s), s);
    INTEGER(factors);
    INTEGER(refactors);
    INTEGER(repivots);
    INTEGER(solves);
    INTEGER(refined_solves);
    INTEGER(checked_solves);
    INTEGER(compilations);
    INTEGER(weak_replays);
    INTEGER(proven_replays);
    INTEGER(cached_programs);
    INTEGER(cache_bytes);
    INTEGER(cache_hits);
    INTEGER(verdict);
    REAL(pivot_growth);
    REAL(largest_l);
    REAL(largest_u);
    REAL(smallest_pivot);
    REAL(row_drift);
    INTEGER(all_checked);
    INTEGER(refinement_steps);
    REAL(backward_error);
    REAL(largest_pivot);
    return d;
}

PyObject *wpy_batch_statistics(const warplu_batch_statistics *s)
{
    PyObject *d = PyDict_New();
    INTEGER(count);
    INTEGER(one_by_one);
    INTEGER(programs);
    INTEGER(bytes);
    INTEGER(compilations);
    INTEGER(took_part);
    INTEGER(replayed);
    INTEGER(refined);
    INTEGER(by_other_programs);
    INTEGER(by_own_solvers);
    INTEGER(failed);
    REAL(worst_backward_error);
    INTEGER(devices);
    return d;
}

PyObject *wpy_cache_statistics(const warplu_cache_statistics *s)
{
    PyObject *d = PyDict_New();
    INTEGER(patterns);
    INTEGER(idle);
    INTEGER(in_use);
    INTEGER(bytes);
    INTEGER(reused);
    INTEGER(cloned);
    INTEGER(analyzed);
    INTEGER(evicted);
    return d;
}

PyObject *wpy_health(const warplu_device_health *s)
{
    PyObject *d = PyDict_New();
    REAL(largest_l);
    REAL(largest_u);
    REAL(growth);
    REAL(smallest_pivot);
    REAL(drift);
    INTEGER(finite);
    INTEGER(verdict);
    INTEGER(generation);
    INTEGER(failed);
    REAL(backward_error);
    INTEGER(refinement_steps);
    INTEGER(inaccurate);
    return d;
}

PyObject *wpy_singularity(const warplu_singularity *s)
{
    PyObject *d = PyDict_New();
    INTEGER(status);
    INTEGER(column);
    INTEGER(row);
    INTEGER(position);
    INTEGER(zero_row);
    INTEGER(zero_column);
    d = add(d, "dependent_rows", Py_BuildValue("(ii)", (int)s->dependent_rows[0], (int)s->dependent_rows[1]));
    d = add(d, "dependent_columns", Py_BuildValue("(ii)", (int)s->dependent_columns[0], (int)s->dependent_columns[1]));
    INTEGER(empty_row_count);
    INTEGER(empty_column_count);
    INTEGER(zero_row_count);
    INTEGER(zero_column_count);
    INTEGER(dependent_row_count);
    INTEGER(dependent_column_count);
    return d;
}
