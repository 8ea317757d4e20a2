/* Dictionaries as options, by tables of members: name, type, offset. Names of choices ("amd") are numbers already when
 * they come here (warplu/_options.py). */
#include "wpy.h"

#include <stddef.h>
#include <string.h>

typedef enum { OF_INT, OF_INT32, OF_INT64, OF_DOUBLE } member_type;

typedef struct member {
    const char *name;
    member_type type;
    size_t offset;
} member;

#define MEMBER(struct_name, type, name) \
    { \
#name, type, offsetof(struct_name, name) \
    }

/* Enumerations are ints. */
static const member solver_members[] = {
    MEMBER(warplu_options, OF_INT, storage),
    MEMBER(warplu_options, OF_INT, ordering),
    MEMBER(warplu_options, OF_INT, btf),
    MEMBER(warplu_options, OF_INT, matching),
    MEMBER(warplu_options, OF_INT, scaling),
    MEMBER(warplu_options, OF_DOUBLE, pivot_tolerance),
    MEMBER(warplu_options, OF_DOUBLE, pivot_absolute),
    MEMBER(warplu_options, OF_INT, on_weak),
    MEMBER(warplu_options, OF_INT, check),
    MEMBER(warplu_options, OF_INT, max_refinement_steps),
    MEMBER(warplu_options, OF_INT, executor),
    MEMBER(warplu_options, OF_INT, device_strategy),
    MEMBER(warplu_options, OF_INT, precision),
    MEMBER(warplu_options, OF_INT, threads),
    MEMBER(warplu_options, OF_DOUBLE, expected_refactors),
    MEMBER(warplu_options, OF_INT64, max_program_bytes),
    MEMBER(warplu_options, OF_INT64, max_cache_bytes),
    MEMBER(warplu_options, OF_INT64, max_factor_bytes),
    MEMBER(warplu_options, OF_INT, device),
    MEMBER(warplu_options, OF_INT, scalar),
    MEMBER(warplu_options, OF_INT, repeatable),
    {NULL, OF_INT, 0},
};

static const member batch_members[] = {
    MEMBER(warplu_batch_options, OF_INT, layout),
    MEMBER(warplu_batch_options, OF_INT, shared_values),
    MEMBER(warplu_batch_options, OF_INT, shared_rhs),
    MEMBER(warplu_batch_options, OF_INT, executor),
    MEMBER(warplu_batch_options, OF_INT, threads),
    MEMBER(warplu_batch_options, OF_INT, keep_factors),
    MEMBER(warplu_batch_options, OF_INT, repair),
    MEMBER(warplu_batch_options, OF_INT32, sample),
    MEMBER(warplu_batch_options, OF_INT64, max_factor_bytes),
    MEMBER(warplu_batch_options, OF_INT, fewer_devices),
    {NULL, OF_INT, 0},
};

/* Sets a member from a Python number; 0 with an exception. */
static int set_member(void *options, const member *m, PyObject *value)
{
    char *at = (char *)options + m->offset;
    if (m->type == OF_DOUBLE) {
        double number = PyFloat_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred()) return 0;
        memcpy(at, &number, sizeof number);
        return 1;
    }
    int64_t number = PyLong_AsLongLong(value);
    if (number == -1 && PyErr_Occurred()) return 0;
    if (m->type == OF_INT64) {
        memcpy(at, &number, sizeof number);
        return 1;
    }
    if (number < INT32_MIN || number > INT32_MAX) {
        PyErr_Format(PyExc_OverflowError, "option %s: %lld does not fit", m->name, (long long)number);
        return 0;
    }
    int small = (int)number;
    memcpy(at, &small, sizeof small);
    return 1;
}

/* The member of a name, or NULL with an exception. */
static const member *find_member(const member *members, PyObject *key)
{
    for (const member *m = members; m->name != NULL; m++)
        if (PyUnicode_CompareWithASCIIString(key, m->name) == 0) return m;
    PyErr_Format(PyExc_TypeError, "there is no option %R", key);
    return NULL;
}

/* Sets what a dictionary says, but for its keys in aside (ended by NULL). */
static int read_members(void *options, const member *members, PyObject *dictionary, const char *const *aside)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(dictionary, &position, &key, &value)) {
        const char *const *other = aside;
        if (!PyUnicode_Check(key)) {
            PyErr_SetString(PyExc_TypeError, "names of options are strings");
            return 0;
        }
        while (*other != NULL && PyUnicode_CompareWithASCIIString(key, *other) != 0) other++;
        if (*other != NULL) continue;
        const member *m = find_member(members, key);
        if (m == NULL || !set_member(options, m, value)) return 0;
    }
    return 1;
}

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
    if (!read_members(options, solver_members, dictionary, aside)) return 0;
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
    warplu_init_batch_options(options);
    if (!read_members(options, batch_members, dictionary, aside)) return 0;
    PyObject *list = PyDict_GetItemString(dictionary, "devices");
    if (list == NULL || list == Py_None) return 1;
    if (!PyList_Check(list) || PyList_Size(list) > capacity) {
        PyErr_Format(PyExc_ValueError, "devices: a list of at most %d numbers", capacity);
        return 0;
    }
    options->devices = devices;
    options->device_count = (int32_t)PyList_Size(list);
    for (int i = 0; i < options->device_count; i++) {
        long number = PyLong_AsLong(PyList_GetItem(list, i));
        if (number == -1 && PyErr_Occurred()) return 0;
        devices[i] = (int)number;
    }
    return 1;
}
