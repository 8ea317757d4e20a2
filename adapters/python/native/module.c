/* The module _warplu: its types, the process' cache of solvers, and spsolve, which works by it. */
#include "wpy.h"

#include <string.h>

/* One cache for the process, used by any number of threads; it lives as long as the process. Made under the GIL. */
static warplu_cache *cache;

warplu_cache *wpy_cache(void)
{
    if (cache == NULL && warplu_cache_create(&cache, NULL) < 0) PyErr_NoMemory();
    return cache;
}

static PyObject *cache_statistics(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    warplu_cache *shared = wpy_cache();
    warplu_cache_statistics statistics = {.size = sizeof statistics};
    if (shared == NULL) return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    warplu_status status = warplu_cache_get_statistics(shared, &statistics);
    PyEval_RestoreThread(thread);
    return wpy_answer_with(status, wpy_cache_statistics(&statistics));
}

enum { PTR, IDX, VALUES, RHS, SOLUTION, ARRAYS };

/* The arrays of spsolve; 0, without an exception, where they have to be converted first. */
static int take_system(wpy_array a[ARRAYS], PyObject *const *objects, int64_t n)
{
    if (wpy_take(&a[PTR], objects[PTR], WPY_INT32 | WPY_INT64, -1, "indptr") &&
        wpy_take(&a[IDX], objects[IDX], a[PTR].kind, -1, "indices") &&
        wpy_take(&a[VALUES], objects[VALUES], WPY_REAL | WPY_COMPLEX, -1, "data") &&
        wpy_take(&a[RHS], objects[RHS], a[VALUES].kind, -1, "b") &&
        wpy_take(&a[SOLUTION], objects[SOLUTION], a[VALUES].kind | WPY_WRITABLE, a[RHS].count, "x") && n > 0 &&
        a[RHS].count % n == 0 && a[RHS].count / n <= INT32_MAX && wpy_check_pattern(&a[PTR], &a[IDX], &a[VALUES], n))
        return 1;
    PyErr_Clear();
    wpy_release(a, ARRAYS);
    return 0;
}

/* Opens a solver, factors, solves, gives it back. Without the GIL. */
static warplu_status solve_system(warplu_cache *shared, const warplu_options *options, int64_t n,
                                  const wpy_array a[ARRAYS])
{
    warplu_solver *s = NULL;
    warplu_status status =
        a[PTR].kind == WPY_INT64
            ? warplu_open_solver64(&s, shared, options, n, a[PTR].data, a[IDX].data, a[VALUES].data)
            : warplu_open_solver(&s, shared, options, (int32_t)n, a[PTR].data, a[IDX].data, a[VALUES].data);
    if (status >= 0)
        status = wpy_refactor_solve(s, a[VALUES].data, 0, (int32_t)(a[RHS].count / n), a[RHS].data, a[SOLUTION].data,
                                    (int32_t)n);
    warplu_close_solver(&s);
    return status;
}

/* spsolve(indptr, indices, data, b, x, n, storage, options): the status; NotImplemented where an array is of another
 * type than those that are read as they are, or too short. b, x: columns of n numbers. */
static PyObject *spsolve(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    wpy_array a[ARRAYS], orders[WPY_ORDERS];
    warplu_options options;
    memset(a, 0, sizeof a);
    if (count != ARRAYS + 3) return PyErr_Format(PyExc_TypeError, "spsolve has %d arguments", ARRAYS + 3);
    int64_t n = PyLong_AsLongLong(arguments[ARRAYS]);
    long storage = PyLong_AsLong(arguments[ARRAYS + 1]);
    warplu_cache *shared = wpy_cache();
    if (PyErr_Occurred() || shared == NULL) return NULL;
    if (!take_system(a, arguments, n)) return Py_NewRef(Py_NotImplemented);
    if (!wpy_read_options(arguments[ARRAYS + 2], &options, orders)) {
        wpy_release(a, ARRAYS);
        return NULL;
    }
    options.storage = storage != 0 ? WARPLU_STORAGE_CSR : WARPLU_STORAGE_CSC;
    options.scalar = a[VALUES].kind == WPY_COMPLEX ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
    PyObject *answer = NULL;
    if (wpy_check_orders(orders, n)) {
        PyThreadState *thread = PyEval_SaveThread();
        wpy_forget_message();
        warplu_status status = solve_system(shared, &options, n, a);
        PyEval_RestoreThread(thread);
        answer = wpy_answer(status);
    }
    wpy_release(orders, WPY_ORDERS);
    wpy_release(a, ARRAYS);
    return answer;
}

/* {name of a status: (number, text)} */
static PyObject *statuses(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    static const int numbers[] = {
#define WARPLU_STATUS(name, value, text) value,
#include <warplu/status.def>
#undef WARPLU_STATUS
    };
    PyObject *all = PyDict_New();
    for (size_t i = 0; all != NULL && i < sizeof numbers / sizeof *numbers; i++) {
        PyObject *entry = Py_BuildValue("is", numbers[i], warplu_status_text(numbers[i]));
        if (entry == NULL || PyDict_SetItemString(all, warplu_status_name(numbers[i]), entry) < 0) Py_CLEAR(all);
        Py_XDECREF(entry);
    }
    return all;
}

static PyObject *default_options(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    return wpy_show_defaults();
}

static PyMethodDef functions[] = {
    {"spsolve", (PyCFunction)(void (*)(void))spsolve, METH_FASTCALL, NULL},
    {"cache_statistics", cache_statistics, METH_NOARGS, NULL},
    {"read_dlpack", wpy_read_dlpack, METH_O, NULL},
    {"jax_handlers", wpy_jax_handlers, METH_NOARGS, NULL},
    {"default_options", default_options, METH_NOARGS, NULL},
    {"statuses", statuses, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int add_type(PyObject *module, const char *name, PyObject *make(PyObject *module))
{
    PyObject *type = make(module);
    if (type == NULL) return -1;
    int added = PyModule_AddObjectRef(module, name, type);
    Py_DECREF(type);
    return added;
}

static int fill_module(PyObject *module)
{
    if (add_type(module, "Solver", wpy_make_solver_type) < 0) return -1;
    if (add_type(module, "Batch", wpy_make_batch_type) < 0) return -1;
    return PyModule_AddStringConstant(module, "version", warplu_version());
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)fill_module},
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_warplu",
    .m_doc = "What the package warplu is made of; not for use by itself.",
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__warplu(void);

PyMODINIT_FUNC PyInit__warplu(void)
{
    return PyModuleDef_Init(&definition);
}
