/* Structs of statistics as dictionaries. */
#include "wpy.h"

static const wpy_member of_solvers[] = {
    WPY_MEMBER(warplu_statistics, n),
    WPY_MEMBER(warplu_statistics, blocks),
    WPY_MEMBER(warplu_statistics, largest_block),
    WPY_MEMBER(warplu_statistics, ordering),
    WPY_MEMBER(warplu_statistics, candidates),
    WPY_MEMBER(warplu_statistics, height),
    WPY_MEMBER(warplu_statistics, nnz),
    WPY_MEMBER(warplu_statistics, ordering_loss),
    WPY_MEMBER(warplu_statistics, lu_nnz),
    WPY_MEMBER(warplu_statistics, f_nnz),
    WPY_MEMBER(warplu_statistics, terms),
    WPY_MEMBER(warplu_statistics, flops),
    WPY_MEMBER(warplu_statistics, solve_terms),
    WPY_MEMBER(warplu_statistics, compiled),
    WPY_MEMBER(warplu_statistics, levels),
    WPY_MEMBER(warplu_statistics, vectors),
    WPY_MEMBER(warplu_statistics, longest_vector),
    WPY_MEMBER(warplu_statistics, solve_levels),
    WPY_MEMBER(warplu_statistics, solve_vectors),
    WPY_MEMBER(warplu_statistics, slots),
    WPY_MEMBER(warplu_statistics, dot_pivots),
    WPY_MEMBER(warplu_statistics, tile_pivots),
    WPY_MEMBER(warplu_statistics, program_bytes),
    WPY_MEMBER(warplu_statistics, solve_program_bytes),
    WPY_MEMBER(warplu_statistics, state_bytes),
    WPY_MEMBER(warplu_statistics, threads),
    WPY_MEMBER(warplu_statistics, predicted_refactor_ns),
    WPY_MEMBER(warplu_statistics, analyze_ns),
    WPY_MEMBER(warplu_statistics, factor_ns),
    WPY_MEMBER(warplu_statistics, compile_ns),
    WPY_MEMBER(warplu_statistics, factors),
    WPY_MEMBER(warplu_statistics, refactors),
    WPY_MEMBER(warplu_statistics, repivots),
    WPY_MEMBER(warplu_statistics, solves),
    WPY_MEMBER(warplu_statistics, refined_solves),
    WPY_MEMBER(warplu_statistics, checked_solves),
    WPY_MEMBER(warplu_statistics, compilations),
    WPY_MEMBER(warplu_statistics, weak_replays),
    WPY_MEMBER(warplu_statistics, proven_replays),
    WPY_MEMBER(warplu_statistics, cached_programs),
    WPY_MEMBER(warplu_statistics, cache_bytes),
    WPY_MEMBER(warplu_statistics, cache_hits),
    WPY_MEMBER(warplu_statistics, verdict),
    WPY_MEMBER(warplu_statistics, pivot_growth),
    WPY_MEMBER(warplu_statistics, largest_l),
    WPY_MEMBER(warplu_statistics, largest_u),
    WPY_MEMBER(warplu_statistics, smallest_pivot),
    WPY_MEMBER(warplu_statistics, row_drift),
    WPY_MEMBER(warplu_statistics, all_checked),
    WPY_MEMBER(warplu_statistics, refinement_steps),
    WPY_MEMBER(warplu_statistics, backward_error),
    WPY_MEMBER(warplu_statistics, largest_pivot),
    {NULL, WPY_OF_INT, 0},
};

static const wpy_member of_batches[] = {
    WPY_MEMBER(warplu_batch_statistics, count),
    WPY_MEMBER(warplu_batch_statistics, one_by_one),
    WPY_MEMBER(warplu_batch_statistics, programs),
    WPY_MEMBER(warplu_batch_statistics, bytes),
    WPY_MEMBER(warplu_batch_statistics, compilations),
    WPY_MEMBER(warplu_batch_statistics, took_part),
    WPY_MEMBER(warplu_batch_statistics, replayed),
    WPY_MEMBER(warplu_batch_statistics, refined),
    WPY_MEMBER(warplu_batch_statistics, by_other_programs),
    WPY_MEMBER(warplu_batch_statistics, by_own_solvers),
    WPY_MEMBER(warplu_batch_statistics, failed),
    WPY_MEMBER(warplu_batch_statistics, worst_backward_error),
    WPY_MEMBER(warplu_batch_statistics, devices),
    {NULL, WPY_OF_INT, 0},
};

static const wpy_member of_caches[] = {
    WPY_MEMBER(warplu_cache_statistics, patterns),
    WPY_MEMBER(warplu_cache_statistics, idle),
    WPY_MEMBER(warplu_cache_statistics, in_use),
    WPY_MEMBER(warplu_cache_statistics, bytes),
    WPY_MEMBER(warplu_cache_statistics, reused),
    WPY_MEMBER(warplu_cache_statistics, cloned),
    WPY_MEMBER(warplu_cache_statistics, analyzed),
    WPY_MEMBER(warplu_cache_statistics, evicted),
    {NULL, WPY_OF_INT, 0},
};

static const wpy_member of_devices[] = {
    WPY_MEMBER(warplu_device_health, largest_l),
    WPY_MEMBER(warplu_device_health, largest_u),
    WPY_MEMBER(warplu_device_health, growth),
    WPY_MEMBER(warplu_device_health, smallest_pivot),
    WPY_MEMBER(warplu_device_health, drift),
    WPY_MEMBER(warplu_device_health, finite),
    WPY_MEMBER(warplu_device_health, verdict),
    WPY_MEMBER(warplu_device_health, generation),
    WPY_MEMBER(warplu_device_health, failed),
    WPY_MEMBER(warplu_device_health, backward_error),
    WPY_MEMBER(warplu_device_health, refinement_steps),
    WPY_MEMBER(warplu_device_health, inaccurate),
    {NULL, WPY_OF_INT, 0},
};

static const wpy_member of_singular[] = {
    WPY_MEMBER(warplu_singularity, status),
    WPY_MEMBER(warplu_singularity, column),
    WPY_MEMBER(warplu_singularity, row),
    WPY_MEMBER(warplu_singularity, position),
    WPY_MEMBER(warplu_singularity, zero_row),
    WPY_MEMBER(warplu_singularity, zero_column),
    WPY_MEMBER(warplu_singularity, empty_row_count),
    WPY_MEMBER(warplu_singularity, empty_column_count),
    WPY_MEMBER(warplu_singularity, zero_row_count),
    WPY_MEMBER(warplu_singularity, zero_column_count),
    WPY_MEMBER(warplu_singularity, dependent_row_count),
    WPY_MEMBER(warplu_singularity, dependent_column_count),
    {NULL, WPY_OF_INT, 0},
};

PyObject *wpy_statistics(const warplu_statistics *s)
{
    return wpy_show_members(s, of_solvers);
}

PyObject *wpy_batch_statistics(const warplu_batch_statistics *s)
{
    return wpy_show_members(s, of_batches);
}

PyObject *wpy_cache_statistics(const warplu_cache_statistics *s)
{
    return wpy_show_members(s, of_caches);
}

PyObject *wpy_health(const warplu_device_health *h)
{
    return wpy_show_members(h, of_devices);
}

PyObject *wpy_singularity(const warplu_singularity *s)
{
    const int32_t *rows = s->dependent_rows, *columns = s->dependent_columns;
    PyObject *d = wpy_show_members(s, of_singular);
    if (d == NULL) return NULL;
    if (wpy_add(d, "dependent_rows", Py_BuildValue("(ii)", (int)rows[0], (int)rows[1])) &&
        wpy_add(d, "dependent_columns", Py_BuildValue("(ii)", (int)columns[0], (int)columns[1])))
        return d;
    Py_DECREF(d);
    return NULL;
}
