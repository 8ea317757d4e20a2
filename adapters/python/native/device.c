/* Methods of Solver for numbers on a GPU (warplu/device.h), and DLPack's capsules read. Pointers and streams come as
 * numbers: what arrays they belong to, warplu/_device.py knows. */
#include "wpy.h"

/* ---------------------------------------------------------------- DLPack */

/* The structs of DLPack before its version 1, as a capsule "dltensor" holds them. */
typedef struct dl_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t dimensions;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *self);
} dl_managed;

static const char owned[] = "warplu.dltensor";

static void release_tensor(PyObject *capsule)
{
    dl_managed *managed = PyCapsule_GetPointer(capsule, owned);
    if (managed != NULL && managed->deleter != NULL) managed->deleter(managed);
}

static PyObject *sizes_of(const int64_t *sizes, int32_t count)
{
    PyObject *list = PyList_New(0);
    for (int32_t i = 0; list != NULL && i < count; i++) {
        PyObject *size = PyLong_FromLongLong(sizes[i]);
        if (size == NULL || PyList_Append(list, size) < 0) Py_CLEAR(list);
        Py_XDECREF(size);
    }
    return list;
}

/* read_dlpack(capsule): (owner, pointer, shape, strides or None, (code, bits, lanes), (device type, number)). The
 * tensor is the owner's from now on. */
PyObject *wpy_read_dlpack(PyObject *module, PyObject *capsule)
{
    (void)module;
    dl_managed *managed = PyCapsule_GetPointer(capsule, "dltensor");
    if (managed == NULL) return NULL;
    PyObject *owner = PyCapsule_New(managed, owned, release_tensor);
    if (owner == NULL) return NULL;
    if (PyCapsule_SetName(capsule, "used_dltensor") < 0) {
        PyCapsule_SetDestructor(owner, NULL);
        Py_DECREF(owner);
        return NULL;
    }
    const dl_tensor *t = &managed->tensor;
    PyObject *strides = t->strides != NULL ? sizes_of(t->strides, t->dimensions) : Py_NewRef(Py_None);
    unsigned long long pointer = (unsigned long long)(uintptr_t)t->data + t->byte_offset;
    return Py_BuildValue("NKNN(iii)(ii)", owner, pointer, sizes_of(t->shape, t->dimensions), strides, (int)t->code,
                         (int)t->bits, (int)t->lanes, (int)t->device_type, (int)t->device_id);
}

/* ---------------------------------------------------------------- calls */

typedef struct device_call {
    unsigned long long values, b, x, stream;
    int transposed, nrhs;
} device_call;

static const double *numbers(unsigned long long pointer)
{
    return (const double *)(uintptr_t)pointer;
}

/* refactor_device(values, stream) */
static PyObject *solver_refactor_device(PyObject *self, PyObject *arguments)
{
    wpy_solver *s = (wpy_solver *)self;
    device_call c;
    if (!PyArg_ParseTuple(arguments, "KK", &c.values, &c.stream)) return NULL;
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = warplu_refactor_device(s->solver, numbers(c.values), (void *)(uintptr_t)c.stream);
    wpy_end(s, thread);
    return wpy_answer(status);
}

/* solve_device(transposed, nrhs, b, x, stream) */
static PyObject *solver_solve_device(PyObject *self, PyObject *arguments)
{
    wpy_solver *s = (wpy_solver *)self;
    device_call c;
    if (!PyArg_ParseTuple(arguments, "piKKK", &c.transposed, &c.nrhs, &c.b, &c.x, &c.stream)) return NULL;
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = warplu_solve_device(s->solver, c.transposed, c.nrhs, numbers(c.b), s->n,
                                               (double *)(uintptr_t)c.x, s->n, (void *)(uintptr_t)c.stream);
    wpy_end(s, thread);
    return wpy_answer(status);
}

/* refactor_solve_device(values, transposed, nrhs, b, x, stream) */
static PyObject *solver_refactor_solve_device(PyObject *self, PyObject *arguments)
{
    wpy_solver *s = (wpy_solver *)self;
    device_call c;
    if (!PyArg_ParseTuple(arguments, "KpiKKK", &c.values, &c.transposed, &c.nrhs, &c.b, &c.x, &c.stream)) return NULL;
    PyThreadState *thread = wpy_begin(s);
    warplu_status status =
        warplu_refactor_solve_device(s->solver, numbers(c.values), c.transposed, c.nrhs, numbers(c.b), s->n,
                                     (double *)(uintptr_t)c.x, s->n, (void *)(uintptr_t)c.stream);
    wpy_end(s, thread);
    return wpy_answer(status);
}

/* finish_device(values on the host or None, stream) */
static PyObject *solver_finish_device(PyObject *self, PyObject *arguments)
{
    wpy_solver *s = (wpy_solver *)self;
    PyObject *object;
    unsigned long long stream;
    wpy_array values;
    if (!PyArg_ParseTuple(arguments, "OK", &object, &stream)) return NULL;
    int64_t count = object == Py_None ? -1 : s->nnz;
    if (!wpy_take(&values, object, wpy_kind(s) | WPY_NONE, count, "values")) return NULL;
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = warplu_finish_device(s->solver, values.data, (void *)(uintptr_t)stream);
    wpy_end(s, thread);
    wpy_release(&values, 1);
    return wpy_answer(status);
}

static PyObject *solver_device_health(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    wpy_solver *s = (wpy_solver *)self;
    warplu_device_health health = {.size = sizeof health};
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = warplu_get_device_health(s->solver, &health);
    wpy_end(s, thread);
    return wpy_answer_with(status, status < 0 ? NULL : wpy_health(&health));
}

PyMethodDef wpy_device_methods[] = {
    {"refactor_device", solver_refactor_device, METH_VARARGS, NULL},
    {"solve_device", solver_solve_device, METH_VARARGS, NULL},
    {"refactor_solve_device", solver_refactor_solve_device, METH_VARARGS, NULL},
    {"finish_device", solver_finish_device, METH_VARARGS, NULL},
    {"device_health", solver_device_health, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
