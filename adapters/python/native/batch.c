/* The type Batch: many systems of one pattern at once (warplu/batch.h, warplu/batch_device.h). */
#include "wpy.h"

#include <stdlib.h>
#include <warplu/batch_device.h>

enum { MOST_DEVICES = 64 };

typedef struct wpy_batch {
    PyObject_HEAD warplu_batch *batch;
    PyThread_type_lock lock;
    int64_t count, n, value_count; /* members; the order; values of all members */
    int is_complex, shared_rhs;
} wpy_batch;

static PyThreadState *begin(wpy_batch *s)
{
    PyThreadState *thread = PyEval_SaveThread();
    PyThread_acquire_lock(s->lock, WAIT_LOCK);
    wpy_forget_message();
    return thread;
}

static void end(wpy_batch *s, PyThreadState *thread)
{
    PyThread_release_lock(s->lock);
    PyEval_RestoreThread(thread);
}

/* What a call takes. Arrays that a call has not are left at zero. */
enum { VALUES, MASK, RHS, SOLUTION, ARRAYS };
typedef struct batch_call {
    wpy_array a[ARRAYS];
    int transposed;
    int32_t nrhs;
} batch_call;

static int kind(const wpy_batch *s)
{
    return s->is_complex ? WPY_COMPLEX : WPY_REAL;
}

static int take_values(wpy_batch *s, batch_call *c, PyObject *values, PyObject *mask)
{
    if (values != NULL && !wpy_take(&c->a[VALUES], values, kind(s), s->value_count, "values")) return 0;
    int64_t count = mask == NULL || mask == Py_None ? -1 : s->count;
    if (wpy_take(&c->a[MASK], mask, WPY_BYTES | WPY_NONE, count, "mask")) return 1;
    wpy_release(c->a, ARRAYS);
    return 0;
}

static int take_columns(wpy_batch *s, batch_call *c, PyObject *b, PyObject *x)
{
    int64_t one = s->n * (s->shared_rhs ? 1 : s->count);
    if (wpy_take(&c->a[RHS], b, kind(s), -1, "b")) {
        c->nrhs = (int32_t)(c->a[RHS].count / one);
        if (c->a[RHS].count != c->nrhs * one)
            PyErr_Format(PyExc_ValueError, "b has %lld numbers, which is no multiple of %lld",
                         (long long)c->a[RHS].count, (long long)one);
        else if (wpy_take(&c->a[SOLUTION], x, kind(s) | WPY_WRITABLE, s->count * s->n * c->nrhs, "x"))
            return 1;
    }
    wpy_release(c->a, ARRAYS);
    return 0;
}

static PyObject *finish(wpy_batch *s, batch_call *c, PyThreadState *thread, warplu_status status)
{
    end(s, thread);
    wpy_release(c->a, ARRAYS);
    return wpy_answer(status);
}

static PyObject *batch_factor(PyObject *self, PyObject *values)
{
    wpy_batch *s = (wpy_batch *)self;
    batch_call c = {.nrhs = 0};
    if (!take_values(s, &c, values, NULL)) return NULL;
    PyThreadState *thread = begin(s);
    return finish(s, &c, thread, warplu_batch_factor(s->batch, c.a[VALUES].data));
}

/* refactor_solve(values, mask, transposed, b, x) */
static PyObject *batch_refactor_solve(PyObject *self, PyObject *arguments)
{
    wpy_batch *s = (wpy_batch *)self;
    PyObject *values, *mask, *b, *x;
    batch_call c = {.nrhs = 0};
    if (!PyArg_ParseTuple(arguments, "OOpOO", &values, &mask, &c.transposed, &b, &x)) return NULL;
    if (!take_values(s, &c, values, mask) || !take_columns(s, &c, b, x)) return NULL;
    PyThreadState *thread = begin(s);
    return finish(s, &c, thread,
                  warplu_batch_refactor_solve(s->batch, c.a[VALUES].data, c.a[MASK].data, c.transposed, c.nrhs,
                                              c.a[RHS].data, c.a[SOLUTION].data));
}

/* refactor(values, mask) */
static PyObject *batch_refactor(PyObject *self, PyObject *arguments)
{
    wpy_batch *s = (wpy_batch *)self;
    PyObject *values, *mask;
    batch_call c = {.nrhs = 0};
    if (!PyArg_ParseTuple(arguments, "OO", &values, &mask)) return NULL;
    if (!take_values(s, &c, values, mask)) return NULL;
    PyThreadState *thread = begin(s);
    return finish(s, &c, thread, warplu_batch_refactor(s->batch, c.a[VALUES].data, c.a[MASK].data));
}

/* solve(mask, transposed, b, x) */
static PyObject *batch_solve(PyObject *self, PyObject *arguments)
{
    wpy_batch *s = (wpy_batch *)self;
    PyObject *mask, *b, *x;
    batch_call c = {.nrhs = 0};
    if (!PyArg_ParseTuple(arguments, "OpOO", &mask, &c.transposed, &b, &x)) return NULL;
    if (!take_values(s, &c, NULL, mask) || !take_columns(s, &c, b, x)) return NULL;
    PyThreadState *thread = begin(s);
    return finish(
        s, &c, thread,
        warplu_batch_solve(s->batch, c.a[MASK].data, c.transposed, c.nrhs, c.a[RHS].data, c.a[SOLUTION].data));
}

/* prepare_transposed() */
static PyObject *batch_prepare_transposed(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    wpy_batch *s = (wpy_batch *)self;
    batch_call c = {.nrhs = 0};
    PyThreadState *thread = begin(s);
    return finish(s, &c, thread, warplu_batch_prepare_transposed(s->batch));
}

/* refactor_solve_device(values, mask, transposed, nrhs, b, x, stream): pointers as numbers */
static PyObject *batch_refactor_solve_device(PyObject *self, PyObject *arguments)
{
    wpy_batch *s = (wpy_batch *)self;
    unsigned long long values, mask, b, x, stream;
    int nrhs;
    batch_call c = {.nrhs = 0};
    if (!PyArg_ParseTuple(arguments, "KKpiKKK", &values, &mask, &c.transposed, &nrhs, &b, &x, &stream)) return NULL;
    PyThreadState *thread = begin(s);
    return finish(s, &c, thread,
                  warplu_batch_refactor_solve_device(
                      s->batch, (const double *)(uintptr_t)values, (const unsigned char *)(uintptr_t)mask, c.transposed,
                      nrhs, (const double *)(uintptr_t)b, (double *)(uintptr_t)x, (void *)(uintptr_t)stream));
}

/* finish_device(stream) */
static PyObject *batch_finish_device(PyObject *self, PyObject *object)
{
    wpy_batch *s = (wpy_batch *)self;
    batch_call c = {.nrhs = 0};
    void *stream = PyLong_AsVoidPtr(object);
    if (PyErr_Occurred()) return NULL;
    PyThreadState *thread = begin(s);
    return finish(s, &c, thread, warplu_batch_finish_device(s->batch, stream));
}

/* members(first, count): [(status, way, program, verdict, backward error, refinement steps)] */
static PyObject *batch_members(PyObject *self, PyObject *arguments)
{
    wpy_batch *s = (wpy_batch *)self;
    int first, count;
    if (!PyArg_ParseTuple(arguments, "ii", &first, &count)) return NULL;
    if (count < 0 || count > s->count) return PyErr_Format(PyExc_ValueError, "there are no such members");
    warplu_batch_member *members = calloc((size_t)count + 1, sizeof *members);
    if (members == NULL) return PyErr_NoMemory();
    PyThreadState *thread = begin(s);
    warplu_status status = warplu_batch_get_members(s->batch, first, count, members, sizeof *members);
    end(s, thread);
    PyObject *list = status < 0 ? NULL : PyList_New(0);
    for (int i = 0; list != NULL && i < count; i++) {
        const warplu_batch_member *m = &members[i];
        PyObject *item = Py_BuildValue("iiiidi", (int)m->status, (int)m->way, (int)m->program, (int)m->verdict,
                                       m->backward_error, (int)m->refinement_steps);
        if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    free(members);
    return wpy_answer_with(status, list);
}

static PyObject *batch_statistics(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    wpy_batch *s = (wpy_batch *)self;
    warplu_batch_statistics statistics = {.size = sizeof statistics};
    PyThreadState *thread = begin(s);
    warplu_status status = warplu_batch_get_statistics(s->batch, &statistics);
    end(s, thread);
    return wpy_answer_with(status, wpy_batch_statistics(&statistics));
}

/* Batch(solver, count, options) */
static PyObject *batch_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    (void)keywords;
    PyObject *object, *dictionary;
    int count, devices[MOST_DEVICES];
    warplu_batch_options options;
    warplu_batch *batch = NULL;
    if (!PyArg_ParseTuple(arguments, "OiO!", &object, &count, &PyDict_Type, &dictionary)) return NULL;
    wpy_solver *solver = wpy_as_solver(object);
    if (solver == NULL || !wpy_read_batch_options(dictionary, &options, devices, MOST_DEVICES)) return NULL;
    PyThreadState *thread = wpy_begin(solver);
    warplu_status status = warplu_batch_create(&batch, solver->solver, count, &options);
    wpy_end(solver, thread);
    PyObject *answer = wpy_answer(status);
    wpy_batch *s = answer != NULL ? (wpy_batch *)PyType_GenericAlloc(type, 0) : NULL;
    Py_XDECREF(answer);
    if (s == NULL) {
        warplu_batch_destroy(&batch);
        return NULL;
    }
    s->batch = batch;
    s->count = count;
    s->n = solver->n;
    s->value_count = solver->nnz * (options.shared_values ? 1 : count);
    s->shared_rhs = options.shared_rhs;
    s->is_complex = solver->is_complex;
    s->lock = PyThread_allocate_lock();
    if (s->lock != NULL) return (PyObject *)s;
    Py_DECREF(s);
    return PyErr_NoMemory();
}

static void batch_dealloc(PyObject *self)
{
    wpy_batch *s = (wpy_batch *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyThreadState *thread = PyEval_SaveThread();
    warplu_batch_destroy(&s->batch);
    PyEval_RestoreThread(thread);
    if (s->lock != NULL) PyThread_free_lock(s->lock);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"factor", batch_factor, METH_O, NULL},
    {"refactor_solve", batch_refactor_solve, METH_VARARGS, NULL},
    {"refactor", batch_refactor, METH_VARARGS, NULL},
    {"solve", batch_solve, METH_VARARGS, NULL},
    {"prepare_transposed", batch_prepare_transposed, METH_NOARGS, NULL},
    {"refactor_solve_device", batch_refactor_solve_device, METH_VARARGS, NULL},
    {"finish_device", batch_finish_device, METH_O, NULL},
    {"members", batch_members, METH_VARARGS, NULL},
    {"statistics", batch_statistics, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyObject *wpy_make_batch_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_new, (void *)batch_new},
        {Py_tp_dealloc, (void *)batch_dealloc},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    PyType_Spec spec = {"warplu._warplu.Batch", sizeof(wpy_batch), 0, Py_TPFLAGS_DEFAULT, slots};
    return PyType_FromModuleAndSpec(module, &spec, NULL);
}
