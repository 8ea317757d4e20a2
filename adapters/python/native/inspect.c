/* Methods of Solver that tell what it knows (warplu/inspect.h, warplu/save.h). */
#include "wpy.h"

#include <stdlib.h>

#include <warplu/save.h>

static PyObject *solver_statistics(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    wpy_solver *s = (wpy_solver *)self;
    warplu_statistics statistics = {.size = sizeof statistics};
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = warplu_get_statistics(s->solver, &statistics);
    wpy_end(s, thread);
    return wpy_answer_with(status, wpy_statistics(&statistics));
}

static PyObject *solver_position(PyObject *self, PyObject *arguments)
{
    wpy_solver *s = (wpy_solver *)self;
    int row, column;
    int32_t position = -1;
    if (!PyArg_ParseTuple(arguments, "ii", &row, &column)) return NULL;
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = warplu_get_position(s->solver, row, column, &position);
    wpy_end(s, thread);
    return wpy_answer_with(status, PyLong_FromLong(position));
}

static PyObject *solver_singularity(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    wpy_solver *s = (wpy_solver *)self;
    warplu_singularity singularity = {.size = sizeof singularity};
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = warplu_get_singularity(s->solver, &singularity);
    wpy_end(s, thread);
    return wpy_answer_with(status, wpy_singularity(&singularity));
}

/* diagonal(out): the pivots go to out; the least and the largest magnitude */
static PyObject *solver_diagonal(PyObject *self, PyObject *out)
{
    wpy_solver *s = (wpy_solver *)self;
    double smallest = 0.0, largest = 0.0;
    wpy_array diagonal;
    if (!wpy_take(&diagonal, out, wpy_kind(s) | WPY_NONE | WPY_WRITABLE, s->n, "out")) return NULL;
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = warplu_extract_diagonal(s->solver, diagonal.data, &smallest, &largest);
    wpy_end(s, thread);
    wpy_release(&diagonal, 1);
    return wpy_answer_with(status, Py_BuildValue("dd", smallest, largest));
}

/* (real part, imaginary part, exponent of two) */
static PyObject *solver_determinant(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    wpy_solver *s = (wpy_solver *)self;
    double mantissa[2] = {0.0, 0.0};
    int64_t exponent = 0;
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = warplu_compute_determinant(s->solver, mantissa, &exponent);
    wpy_end(s, thread);
    return wpy_answer_with(status, Py_BuildValue("ddL", mantissa[0], mantissa[1], (long long)exponent));
}

/* A number that the library computes from the values of the factors at hand. */
static PyObject *number_of(PyObject *self, PyObject *object,
                           warplu_status call(warplu_solver *solver, const double *values, double *number))
{
    wpy_solver *s = (wpy_solver *)self;
    wpy_array values;
    double number = 0.0;
    if (!wpy_take(&values, object, wpy_kind(s), s->nnz, "values")) return NULL;
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = call(s->solver, values.data, &number);
    wpy_end(s, thread);
    wpy_release(&values, 1);
    return wpy_answer_with(status, PyFloat_FromDouble(number));
}

static PyObject *solver_condition(PyObject *self, PyObject *values)
{
    return number_of(self, values, warplu_estimate_condition);
}

static PyObject *solver_pivot_growth(PyObject *self, PyObject *values)
{
    return number_of(self, values, warplu_compute_pivot_growth);
}

/* skeel_condition(values, x or None) */
static PyObject *solver_skeel_condition(PyObject *self, PyObject *arguments)
{
    wpy_solver *s = (wpy_solver *)self;
    PyObject *values, *x;
    wpy_array a[2];
    double number = 0.0;
    if (!PyArg_ParseTuple(arguments, "OO", &values, &x)) return NULL;
    if (!wpy_take(&a[0], values, wpy_kind(s), s->nnz, "values")) return NULL;
    if (!wpy_take(&a[1], x, wpy_kind(s) | WPY_NONE, s->n, "x")) {
        wpy_release(a, 1);
        return NULL;
    }
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = warplu_estimate_skeel_condition(s->solver, a[0].data, a[1].data, &number);
    wpy_end(s, thread);
    wpy_release(a, 2);
    return wpy_answer_with(status, PyFloat_FromDouble(number));
}

/* error(values, b, x, transposed, forward): the backward error of x, or a bound of its forward error */
static PyObject *solver_error(PyObject *self, PyObject *arguments)
{
    wpy_solver *s = (wpy_solver *)self;
    PyObject *values, *b, *x;
    int transposed, forward;
    int32_t nrhs;
    wpy_array a[3];
    double number = 0.0;
    warplu_status status;
    if (!PyArg_ParseTuple(arguments, "OOOpp", &values, &b, &x, &transposed, &forward)) return NULL;
    if (!wpy_take(&a[2], values, wpy_kind(s), s->nnz, "values")) return NULL;
    if (!wpy_take_columns(s, b, x, 0, a, &nrhs)) {
        wpy_release(&a[2], 1);
        return NULL;
    }
    PyThreadState *thread = wpy_begin(s);
    if (forward)
        status = warplu_bound_forward_error(s->solver, transposed, a[2].data, nrhs, a[0].data, s->n, a[1].data, s->n,
                                            &number);
    else
        status = warplu_compute_backward_error(s->solver, transposed, a[2].data, nrhs, a[0].data, s->n, a[1].data, s->n,
                                               &number);
    wpy_end(s, thread);
    wpy_release(a, 3);
    return wpy_answer_with(status, PyFloat_FromDouble(number));
}

static PyObject *pivot_list(const warplu_pivot *pivots, int32_t count)
{
    PyObject *list = PyList_New(0);
    for (int32_t i = 0; list != NULL && i < count; i++) {
        const warplu_pivot *p = &pivots[i];
        PyObject *item = Py_BuildValue("iiiiddd", (int)p->row, (int)p->col, (int)p->position, (int)p->block, p->value,
                                       p->imaginary, p->ratio);
        if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* pivots(values, threshold, capacity): [(row, column, position, block, real part, imaginary part, ratio)] of the
 * weakest */
static PyObject *solver_pivots(PyObject *self, PyObject *arguments)
{
    wpy_solver *s = (wpy_solver *)self;
    PyObject *object;
    wpy_array values;
    double threshold;
    int capacity;
    int32_t count = 0;
    if (!PyArg_ParseTuple(arguments, "Odi", &object, &threshold, &capacity)) return NULL;
    if (capacity < 0) return PyErr_Format(PyExc_ValueError, "a capacity below 0");
    if (capacity > s->n) capacity = s->n;
    warplu_pivot *pivots = malloc((size_t)(capacity + 1) * sizeof *pivots);
    if (pivots == NULL) return PyErr_NoMemory();
    if (!wpy_take(&values, object, wpy_kind(s), s->nnz, "values")) {
        free(pivots);
        return NULL;
    }
    PyThreadState *thread = wpy_begin(s);
    warplu_status status =
        warplu_list_pivots(s->solver, values.data, threshold, capacity, capacity > 0 ? pivots : NULL, &count);
    wpy_end(s, thread);
    wpy_release(&values, 1);
    PyObject *list = status < 0 ? NULL : pivot_list(pivots, count < capacity ? count : capacity);
    free(pivots);
    return wpy_answer_with(status, list);
}

/* save(path, program) */
static PyObject *solver_save(PyObject *self, PyObject *arguments)
{
    wpy_solver *s = (wpy_solver *)self;
    PyObject *path;
    int program;
    if (!PyArg_ParseTuple(arguments, "O&p", PyUnicode_FSConverter, &path, &program)) return NULL;
    const char *name = PyBytes_AsString(path);
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = program ? warplu_save_program(s->solver, name) : warplu_save(s->solver, name);
    wpy_end(s, thread);
    Py_DECREF(path);
    return wpy_answer(status);
}

PyMethodDef wpy_inspect_methods[] = {
    {"statistics", solver_statistics, METH_NOARGS, NULL},
    {"position", solver_position, METH_VARARGS, NULL},
    {"singularity", solver_singularity, METH_NOARGS, NULL},
    {"diagonal", solver_diagonal, METH_O, NULL},
    {"determinant", solver_determinant, METH_NOARGS, NULL},
    {"condition", solver_condition, METH_O, NULL},
    {"pivot_growth", solver_pivot_growth, METH_O, NULL},
    {"skeel_condition", solver_skeel_condition, METH_VARARGS, NULL},
    {"error", solver_error, METH_VARARGS, NULL},
    {"pivots", solver_pivots, METH_VARARGS, NULL},
    {"save", solver_save, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
