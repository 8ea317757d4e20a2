/* Arrays by the buffer protocol: contiguous, of a kind that the call names, long enough. */
#include "wpy.h"

#include <string.h>

/* The kind of a buffer's items by their format, as the struct module writes it; 0 for others. */
static int kind_of(const Py_buffer *view)
{
    const char *f = view->format != NULL ? view->format : "B";
    if (*f == '@' || *f == '=' || *f == '<') f++;
    if (strcmp(f, "d") == 0) return WPY_REAL;
    if (strcmp(f, "Zd") == 0) return WPY_COMPLEX;
    if (f[0] == '\0' || f[1] != '\0') return 0;
    if (strchr("ilq", f[0]) != NULL) return view->itemsize == 4 ? WPY_INT32 : view->itemsize == 8 ? WPY_INT64 : 0;
    return strchr("?bB", f[0]) != NULL ? WPY_BYTES : 0;
}

/* NumPy has arrays that are not: fields of packed records, pieces of files. */
static int is_aligned(const wpy_array *a)
{
    size_t alignment = a->kind == WPY_BYTES ? 1 : a->kind == WPY_INT32 ? sizeof(int32_t) : sizeof(int64_t);
    return (uintptr_t)a->data % alignment == 0;
}

int wpy_take(wpy_array *a, PyObject *object, int kinds, int64_t count, const char *name)
{
    memset(a, 0, sizeof *a);
    a->name = name;
    if (kinds & WPY_NONE && (object == NULL || object == Py_None)) return 1;
    int flags = PyBUF_FORMAT | PyBUF_ANY_CONTIGUOUS | (kinds & WPY_WRITABLE ? PyBUF_WRITABLE : 0);
    if (object == NULL || PyObject_GetBuffer(object, &a->view, flags) < 0) return 0;
    a->held = 1;
    a->kind = kind_of(&a->view);
    a->data = a->view.buf;
    a->count = a->view.itemsize > 0 ? a->view.len / a->view.itemsize : 0;
    int serves = (a->kind & kinds) != 0, fits = count < 0 || count == a->count;
    if (serves && fits && is_aligned(a)) return 1;
    if (serves && fits)
        PyErr_Format(PyExc_ValueError, "%s: the numbers are not aligned", name);
    else if (serves)
        PyErr_Format(PyExc_ValueError, "%s: %lld numbers where %lld are needed", name, (long long)a->count,
                     (long long)count);
    else
        PyErr_Format(PyExc_TypeError, "%s: an array of items '%s' of %zd bytes does not serve", name,
                     a->view.format != NULL ? a->view.format : "B", a->view.itemsize);
    wpy_release(a, 1);
    return 0;
}

void wpy_release(wpy_array *a, int arrays)
{
    for (int i = 0; i < arrays; i++) {
        if (a[i].held) PyBuffer_Release(&a[i].view);
        a[i].held = 0;
        a[i].data = NULL;
    }
}

int64_t wpy_entries(const wpy_array *ptr)
{
    if (ptr->count < 1) return -1;
    return ptr->kind == WPY_INT64 ? ((const int64_t *)ptr->data)[ptr->count - 1]
                                  : ((const int32_t *)ptr->data)[ptr->count - 1];
}

int wpy_check_pattern(const wpy_array *ptr, const wpy_array *idx, const wpy_array *values, int64_t n)
{
    int64_t entries = wpy_entries(ptr);
    if (n > INT32_MAX && ptr->kind == WPY_INT32) {
        PyErr_Format(PyExc_OverflowError, "n = %lld with indices of 32 bits", (long long)n);
        return 0;
    }
    if (ptr->count - 1 != n || entries < 0) {
        PyErr_Format(PyExc_ValueError, "indptr: %lld numbers for n = %lld, which end with %lld", (long long)ptr->count,
                     (long long)n, (long long)entries);
        return 0;
    }
    if (ptr->kind != idx->kind) {
        PyErr_SetString(PyExc_TypeError, "indptr and indices have integers of different sizes");
        return 0;
    }
    if (idx->count < entries || (values->data != NULL && values->count < entries)) {
        PyErr_Format(PyExc_ValueError, "%s: fewer numbers than the %lld entries of indptr",
                     idx->count < entries ? "indices" : "data", (long long)entries);
        return 0;
    }
    return 1;
}
