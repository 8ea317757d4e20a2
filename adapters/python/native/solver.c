/* The type Solver: a solver of the library with its analysis, factors and solves. Others of its methods are in
 * inspect.c, factors.c and device.c. */
#include "wpy.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <structmember.h>
#include <warplu/complex.h>
#include <warplu/save.h>

PyThreadState *wpy_begin(wpy_solver *s)
{
    PyThreadState *thread = PyEval_SaveThread();
    PyThread_acquire_lock(s->lock, WAIT_LOCK);
    wpy_forget_message();
    return thread;
}

void wpy_end(wpy_solver *s, PyThreadState *thread)
{
    PyThread_release_lock(s->lock);
    PyEval_RestoreThread(thread);
}

/* ---------------------------------------------------------------- numbers */

warplu_status wpy_solve(warplu_solver *s, int trans, int32_t nrhs, const double *b, double *x, int32_t n)
{
    if (trans == 0) return warplu_solve(s, nrhs, b, n, x, n);
    if (trans == 1) return warplu_solve_transposed(s, nrhs, b, n, x, n);
    return warplu_solve_conjugate_transposed(s, nrhs, b, n, x, n);
}

warplu_status wpy_refactor_solve(warplu_solver *s, const double *values, int trans, int32_t nrhs, const double *b,
                                 double *x, int32_t n)
{
    warplu_status refactored = warplu_refactor(s, values);
    if (refactored < 0) return refactored;
    warplu_status solved = wpy_solve(s, trans, nrhs, b, x, n);
    if (solved == WARPLU_UNCHECKED && trans != 0 && b != x) {
        refactored = warplu_refactor(s, values);
        if (refactored < 0) return refactored;
        solved = wpy_solve(s, trans, nrhs, b, x, n);
    }
    return solved != WARPLU_SUCCESS ? solved : refactored;
}

int wpy_take_columns(wpy_solver *s, PyObject *b, PyObject *x, int access, wpy_array arrays[2], int32_t *nrhs)
{
    arrays[1].held = 0;
    if (!wpy_take(&arrays[0], b, wpy_kind(s), -1, "b")) return 0;
    if (!wpy_take(&arrays[1], x, wpy_kind(s) | access, arrays[0].count, "x")) {
        wpy_release(arrays, 1);
        return 0;
    }
    if (arrays[0].count % s->n == 0 && arrays[0].count / s->n <= INT32_MAX) {
        *nrhs = (int32_t)(arrays[0].count / s->n);
        return 1;
    }
    PyErr_Format(PyExc_ValueError, "b has %lld numbers, which is no multiple of n = %d", (long long)arrays[0].count,
                 (int)s->n);
    wpy_release(arrays, 2);
    return 0;
}

static PyObject *factor_with(PyObject *self, PyObject *object,
                             warplu_status call(warplu_solver *solver, const double *values))
{
    wpy_solver *s = (wpy_solver *)self;
    wpy_array values;
    if (!wpy_take(&values, object, wpy_kind(s), s->nnz, "values")) return NULL;
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = call(s->solver, values.data);
    wpy_end(s, thread);
    wpy_release(&values, 1);
    return wpy_answer(status);
}

static PyObject *solver_factor(PyObject *self, PyObject *values)
{
    return factor_with(self, values, warplu_factor);
}

static PyObject *solver_refactor(PyObject *self, PyObject *values)
{
    return factor_with(self, values, warplu_refactor);
}

/* solve(b, x, trans) */
static PyObject *solver_solve(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    wpy_solver *s = (wpy_solver *)self;
    wpy_array arrays[2];
    int32_t nrhs;
    long trans = count == 3 ? PyLong_AsLong(arguments[2]) : -1;
    if (trans < 0 || trans > 2) return PyErr_Format(PyExc_TypeError, "solve(b, x, trans)");
    if (!wpy_take_columns(s, arguments[0], arguments[1], WPY_WRITABLE, arrays, &nrhs)) return NULL;
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = wpy_solve(s->solver, (int)trans, nrhs, arrays[0].data, arrays[1].data, s->n);
    wpy_end(s, thread);
    wpy_release(arrays, 2);
    return wpy_answer(status);
}

/* refactor_solve(values, b, x, trans) */
static PyObject *solver_refactor_solve(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    wpy_solver *s = (wpy_solver *)self;
    wpy_array arrays[3];
    int32_t nrhs;
    long trans = count == 4 ? PyLong_AsLong(arguments[3]) : -1;
    if (trans < 0 || trans > 2) return PyErr_Format(PyExc_TypeError, "refactor_solve(values, b, x, trans)");
    if (!wpy_take(&arrays[2], arguments[0], wpy_kind(s), s->nnz, "values")) return NULL;
    if (!wpy_take_columns(s, arguments[1], arguments[2], WPY_WRITABLE, arrays, &nrhs)) {
        wpy_release(&arrays[2], 1);
        return NULL;
    }
    PyThreadState *thread = wpy_begin(s);
    warplu_status status =
        wpy_refactor_solve(s->solver, arrays[2].data, (int)trans, nrhs, arrays[0].data, arrays[1].data, s->n);
    wpy_end(s, thread);
    wpy_release(arrays, 3);
    return wpy_answer(status);
}

/* ------------------------------------------------------------ the pattern */

/* Copies 32-bit indices, or narrows those of 64 bits, which the library has found to fit. NULL: no memory. */
static int32_t *copy_indices(const wpy_array *a, int64_t count)
{
    int32_t *copy = malloc((size_t)(count > 0 ? count : 1) * sizeof *copy);
    if (copy == NULL) return NULL;
    for (int64_t i = 0; i < count; i++)
        copy[i] = a->kind == WPY_INT64 ? (int32_t)((const int64_t *)a->data)[i] : ((const int32_t *)a->data)[i];
    return copy;
}

static int same_indices(const int32_t *mine, const wpy_array *a, int64_t count)
{
    if (a->kind == WPY_INT32) return count == 0 || memcmp(mine, a->data, (size_t)count * sizeof *mine) == 0;
    const int64_t *other = a->data;
    for (int64_t i = 0; i < count; i++)
        if (other[i] != mine[i]) return 0;
    return 1;
}

/* has_pattern(ptr, idx): whether values that come with these arrays are in this solver's order. */
static PyObject *solver_has_pattern(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    wpy_solver *s = (wpy_solver *)self;
    wpy_array a[2] = {{.held = 0}, {.held = 0}};
    if (count != 2) return PyErr_Format(PyExc_TypeError, "has_pattern(ptr, idx)");
    if (!wpy_take(&a[0], arguments[0], WPY_INT32 | WPY_INT64, -1, "indptr")) return NULL;
    if (!wpy_take(&a[1], arguments[1], WPY_INT32 | WPY_INT64, -1, "indices")) {
        wpy_release(a, 1);
        return NULL;
    }
    int same = a[0].count == (int64_t)s->n + 1 && a[1].count >= s->nnz && same_indices(s->ptr, &a[0], a[0].count) &&
               same_indices(s->idx, &a[1], s->nnz);
    wpy_release(a, 2);
    return PyBool_FromLong(same);
}

/* (ptr, idx), 32-bit indices as bytes */
static PyObject *solver_pattern(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const wpy_solver *s = (wpy_solver *)self;
    const Py_ssize_t bytes = sizeof *s->ptr;
    return Py_BuildValue("y#y#", (const char *)s->ptr, bytes * (s->n + 1), (const char *)s->idx,
                         bytes * (Py_ssize_t)s->nnz);
}

/* -------------------------------------------------------------- life time */

typedef struct plan {
    warplu_options options;
    int64_t n;
    wpy_array ptr, idx, values;
    int cached;       /* from the process' cache */
    const char *path; /* of a saved analysis, or NULL */
} plan;

/* Makes the solver with its analysis. Without the GIL; *out may be a solver after an error, too. */
static warplu_status make_solver(warplu_solver **out, warplu_cache *cache, const plan *p)
{
    int wide = p->ptr.kind == WPY_INT64;
    int32_t n = (int32_t)p->n;
    if (p->cached)
        return wide ? warplu_open_solver64(out, cache, &p->options, p->n, p->ptr.data, p->idx.data, p->values.data)
                    : warplu_open_solver(out, cache, &p->options, n, p->ptr.data, p->idx.data, p->values.data);
    warplu_status status = warplu_create(out, &p->options);
    if (status < 0) return status;
    if (p->path != NULL) {
        status = warplu_restore(*out, p->path);
        return status < 0 ? status : warplu_check_pattern(*out, n, p->ptr.data, p->idx.data);
    }
    return wide ? warplu_analyze64(*out, p->n, p->ptr.data, p->idx.data, p->values.data)
                : warplu_analyze(*out, n, p->ptr.data, p->idx.data, p->values.data);
}

/* Closes a solver that another thread may keep waiting, which may want the GIL. */
static void close_solver(warplu_solver **solver)
{
    PyThreadState *thread = PyEval_SaveThread();
    warplu_close_solver(solver);
    PyEval_RestoreThread(thread);
}

static PyObject *make_object(PyTypeObject *type, const plan *p)
{
    warplu_solver *solver = NULL;
    warplu_cache *cache = p->cached ? wpy_cache() : NULL;
    if (p->cached && cache == NULL) return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    wpy_forget_message();
    warplu_status status = make_solver(&solver, cache, p);
    if (status < 0) warplu_close_solver(&solver);
    PyEval_RestoreThread(thread);
    PyObject *answer = wpy_answer(status);
    wpy_solver *s = answer != NULL ? (wpy_solver *)PyType_GenericAlloc(type, 0) : NULL;
    Py_XDECREF(answer);
    if (s == NULL) {
        close_solver(&solver);
        return NULL;
    }
    s->solver = solver;
    s->lock = PyThread_allocate_lock();
    s->n = (int32_t)p->n;
    s->nnz = wpy_entries(&p->ptr);
    s->is_complex = p->options.scalar == WARPLU_SCALAR_COMPLEX;
    s->ptr = copy_indices(&p->ptr, p->n + 1);
    s->idx = copy_indices(&p->idx, s->nnz);
    if (s->lock != NULL && s->ptr != NULL && s->idx != NULL) return (PyObject *)s;
    Py_DECREF(s);
    return PyErr_NoMemory();
}

/* Solver(options, n, ptr, idx, values, cached, path) */
static PyObject *solver_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *options, *ptr, *idx, *values, *path_bytes = NULL, *path, *object = NULL;
    wpy_array orders[WPY_ORDERS];
    plan p = {.n = 0};
    long long n;
    if (keywords != NULL && PyDict_Size(keywords) > 0) return PyErr_Format(PyExc_TypeError, "Solver has no keywords");
    if (!PyArg_ParseTuple(arguments, "OLOOOpO", &options, &n, &ptr, &idx, &values, &p.cached, &path)) return NULL;
    p.n = n;
    if (path != Py_None) {
        if (!PyUnicode_FSConverter(path, &path_bytes)) return NULL;
        p.path = PyBytes_AsString(path_bytes);
    }
    int indices = p.path != NULL ? WPY_INT32 : WPY_INT32 | WPY_INT64;
    if (!wpy_read_options(options, &p.options, orders)) goto done;
    int kind = p.options.scalar == WARPLU_SCALAR_COMPLEX ? WPY_COMPLEX : WPY_REAL;
    if (wpy_take(&p.ptr, ptr, indices, -1, "indptr") && wpy_take(&p.idx, idx, indices, -1, "indices") &&
        wpy_take(&p.values, values, kind | WPY_NONE, -1, "data") && wpy_check_pattern(&p.ptr, &p.idx, &p.values, n) &&
        wpy_check_orders(orders, n))
        object = make_object(type, &p);
    wpy_release(&p.ptr, 1);
    wpy_release(&p.idx, 1);
    wpy_release(&p.values, 1);
    wpy_release(orders, WPY_ORDERS);
done:
    Py_XDECREF(path_bytes);
    return object;
}

static void solver_dealloc(PyObject *self)
{
    wpy_solver *s = (wpy_solver *)self;
    PyTypeObject *type = Py_TYPE(self);
    close_solver(&s->solver);
    if (s->lock != NULL) PyThread_free_lock(s->lock);
    free(s->ptr);
    free(s->idx);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* Each instance of the module has a type of its own: what they share is this file. */
wpy_solver *wpy_as_solver(PyObject *object)
{
    if (PyType_GetSlot(Py_TYPE(object), Py_tp_dealloc) == (void *)solver_dealloc) return (wpy_solver *)object;
    PyErr_SetString(PyExc_TypeError, "a solver is needed");
    return NULL;
}

/* ------------------------------------------------------------------- type */

static PyMethodDef call_methods[] = {
    {"factor", solver_factor, METH_O, NULL},
    {"refactor", solver_refactor, METH_O, NULL},
    {"solve", (PyCFunction)(void (*)(void))solver_solve, METH_FASTCALL, NULL},
    {"refactor_solve", (PyCFunction)(void (*)(void))solver_refactor_solve, METH_FASTCALL, NULL},
    {"has_pattern", (PyCFunction)(void (*)(void))solver_has_pattern, METH_FASTCALL, NULL},
    {"pattern", solver_pattern, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"n", T_INT, offsetof(wpy_solver, n), READONLY, NULL},
    {"nnz", T_LONGLONG, offsetof(wpy_solver, nnz), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* All methods in one list, as a type wants them; the type keeps it. */
static PyMethodDef *join_methods(void)
{
    PyMethodDef *parts[] = {call_methods, wpy_inspect_methods, wpy_factors_methods, wpy_device_methods};
    size_t count = 0;
    static PyMethodDef all[64];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (PyMethodDef *m = parts[i]; m->ml_name != NULL && count < sizeof all / sizeof *all - 1; m++)
            all[count++] = *m;
    return all;
}

PyObject *wpy_make_solver_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_new, (void *)solver_new},
        {Py_tp_dealloc, (void *)solver_dealloc},
        {Py_tp_methods, join_methods()},
        {Py_tp_members, members},
        {0, NULL},
    };
    PyType_Spec spec = {"warplu._warplu.Solver", sizeof(wpy_solver), 0, Py_TPFLAGS_DEFAULT, slots};
    return PyType_FromModuleAndSpec(module, &spec, NULL);
}
