/* Structs of the library as dictionaries and back, by tables of their members. */
#include "wpy.h"

#include <string.h>

/* The exception that is set, with the option's name and value. */
static int refuse(const char *name, const char *needed, PyObject *value)
{
    if (PyErr_ExceptionMatches(PyExc_OverflowError))
        PyErr_Format(PyExc_OverflowError, "option %s: %R does not fit", name, value);
    else if (PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError, "option %s: %s is needed, not %R", name, needed, value);
    return 0;
}

int wpy_read_int(PyObject *value, const char *name, int *number)
{
    int64_t found = PyLong_AsLongLong(value);
    if (found == -1 && PyErr_Occurred()) return refuse(name, "a whole number", value);
    if (found < INT32_MIN || found > INT32_MAX) {
        PyErr_Format(PyExc_OverflowError, "option %s: %lld does not fit", name, (long long)found);
        return 0;
    }
    *number = (int)found;
    return 1;
}

static int set_member(void *structure, const wpy_member *m, PyObject *value)
{
    char *at = (char *)structure + m->offset;
    if (m->type == WPY_OF_DOUBLE) {
        double number = PyFloat_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred()) return refuse(m->name, "a number", value);
        memcpy(at, &number, sizeof number);
        return 1;
    }
    if (m->type == WPY_OF_INT64) {
        int64_t number = PyLong_AsLongLong(value);
        if (number == -1 && PyErr_Occurred()) return refuse(m->name, "a whole number", value);
        memcpy(at, &number, sizeof number);
        return 1;
    }
    int number;
    if (!wpy_read_int(value, m->name, &number)) return 0;
    memcpy(at, &number, sizeof number);
    return 1;
}

static PyObject *get_member(const void *structure, const wpy_member *m)
{
    const void *at = (const char *)structure + m->offset;
    switch (m->type) {
    case WPY_OF_INT: return PyLong_FromLong(*(const int *)at);
    case WPY_OF_UNSIGNED: return PyLong_FromUnsignedLong(*(const unsigned *)at);
    case WPY_OF_INT64: return PyLong_FromLongLong(*(const int64_t *)at);
    case WPY_OF_DOUBLE: return PyFloat_FromDouble(*(const double *)at);
    }
    return NULL;
}

/* The member of a name, or NULL with an exception. */
static const wpy_member *find_member(const wpy_member *members, PyObject *key)
{
    for (const wpy_member *m = members; m->name != NULL; m++)
        if (PyUnicode_CompareWithASCIIString(key, m->name) == 0) return m;
    PyErr_Format(PyExc_TypeError, "there is no option %R", key);
    return NULL;
}

int wpy_read_members(void *structure, const wpy_member *members, PyObject *dictionary, const char *const *aside)
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
        const wpy_member *m = find_member(members, key);
        if (m == NULL || !set_member(structure, m, value)) return 0;
    }
    return 1;
}

int wpy_add(PyObject *dictionary, const char *name, PyObject *value)
{
    int added = value != NULL && PyDict_SetItemString(dictionary, name, value) == 0;
    Py_XDECREF(value);
    return added;
}

PyObject *wpy_show_members(const void *structure, const wpy_member *members)
{
    PyObject *dictionary = PyDict_New();
    for (const wpy_member *m = members; dictionary != NULL && m->name != NULL; m++)
        if (!wpy_add(dictionary, m->name, get_member(structure, m))) Py_CLEAR(dictionary);
    return dictionary;
}
