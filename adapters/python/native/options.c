/* Options of solvers and batches from dictionaries. Names of choices ("amd") are numbers already when they come here
 * (warplu/_options.py). */
#include "wpy.h"

#include <string.h>

static const wpy_member solver_members[] = {
    WPY_MEMBER(warplu_options, storage),
    WPY_MEMBER(warplu_options, ordering),
    WPY_MEMBER(warplu_options, btf),
    WPY_MEMBER(warplu_options, matching),
    WPY_MEMBER(warplu_options, scaling),
    WPY_MEMBER(warplu_options, pivot_tolerance),
    WPY_MEMBER(warplu_options, pivot_absolute),
    WPY_MEMBER(warplu_options, on_weak),
    WPY_MEMBER(warplu_options, check),
    WPY_MEMBER(warplu_options, max_refinement_steps),
    WPY_MEMBER(warplu_options, executor),
    WPY_MEMBER(warplu_options, device_strategy),
    WPY_MEMBER(warplu_options, precision),
    WPY_MEMBER(warplu_options, threads),
    WPY_MEMBER(warplu_options, expected_refactors),
    WPY_MEMBER(warplu_options, max_program_bytes),
    WPY_MEMBER(warplu_options, max_cache_bytes),
    WPY_MEMBER(warplu_options, max_factor_bytes),
    WPY_MEMBER(warplu_options, device),
    WPY_MEMBER(warplu_options, scalar),
    WPY_MEMBER(warplu_options, repeatable),
    {NULL, WPY_OF_INT, 0},
};

static const wpy_member batch_members[] = {
    WPY_MEMBER(warplu_batch_options, layout),
    WPY_MEMBER(warplu_batch_options, shared_values),
    WPY_MEMBER(warplu_batch_options, shared_rhs),
    WPY_MEMBER(warplu_batch_options, executor),
    WPY_MEMBER(warplu_batch_options, threads),
    WPY_MEMBER(warplu_batch_options, keep_factors),
    WPY_MEMBER(warplu_batch_options, repair),
    WPY_MEMBER(warplu_batch_options, sample),
    WPY_MEMBER(warplu_batch_options, max_factor_bytes),
    WPY_MEMBER(warplu_batch_options, fewer_devices),
    {NULL, WPY_OF_INT, 0},
};

int wpy_read_options(PyObject *dictionary, warplu_options *options, wpy_array orders[WPY_ORDERS])
{
    static const char *const aside[] = {"row_order", "col_order", NULL};
    memset(orders, 0, WPY_ORDERS * sizeof *orders);
    warplu_init_options(options);
    options->message = wpy_hear;
    options->cancel = wpy_interrupted;
    if (dictionary == NULL || dictionary == Py_None) return 1;
    if (!PyDict_Check(dictionary)) {
        PyErr_SetString(PyExc_TypeError, "options are a dictionary");
        return 0;
    }
    if (!wpy_read_members(options, solver_members, dictionary, aside)) return 0;
    for (int i = 0; i < WPY_ORDERS; i++) {
        PyObject *order = PyDict_GetItemString(dictionary, aside[i]);
        if (!wpy_take(&orders[i], order, WPY_INT32 | WPY_NONE, -1, aside[i])) {
            wpy_release(orders, i);
            return 0;
        }
    }
    options->row_order = orders[0].data;
    options->col_order = orders[1].data;
    return 1;
}

PyObject *wpy_show_defaults(void)
{
    warplu_options of_solvers;
    warplu_batch_options of_batches;
    warplu_init_options(&of_solvers);
    warplu_batch_init_options(&of_batches);
    return Py_BuildValue("NN", wpy_show_members(&of_solvers, solver_members),
                         wpy_show_members(&of_batches, batch_members));
}

int wpy_check_orders(const wpy_array orders[WPY_ORDERS], int64_t n)
{
    for (int i = 0; i < WPY_ORDERS; i++) {
        if (orders[i].data == NULL || orders[i].count == n) continue;
        PyErr_Format(PyExc_ValueError, "%s: %lld numbers where n = %lld", orders[i].name, (long long)orders[i].count,
                     (long long)n);
        return 0;
    }
    return 1;
}

int wpy_read_batch_options(PyObject *dictionary, warplu_batch_options *options, int *devices, int capacity)
{
    static const char *const aside[] = {"devices", NULL};
    warplu_batch_init_options(options);
    if (!wpy_read_members(options, batch_members, dictionary, aside)) return 0;
    PyObject *list = PyDict_GetItemString(dictionary, "devices");
    if (list == NULL || list == Py_None) return 1;
    if (!PyList_Check(list) || PyList_Size(list) > capacity) {
        PyErr_Format(PyExc_ValueError, "devices: a list of at most %d numbers", capacity);
        return 0;
    }
    options->devices = devices;
    options->device_count = (int32_t)PyList_Size(list);
    for (int i = 0; i < options->device_count; i++)
        if (!wpy_read_int(PyList_GetItem(list, i), "devices", &devices[i])) return 0;
    return 1;
}
