/* What the files of the extension _warplu share. The extension only translates: buffers to pointers, dictionaries to
 * structs, statuses to exceptions. What a call means is decided by the library and by the Python files beside it.
 *
 * It keeps to Python's limited API (3.11), so that one binary serves all later releases, and to the buffer protocol, so
 * that it does not depend on NumPy's. Every call of the library is made without the GIL. */
#ifndef WPY_H
#define WPY_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include <stddef.h>
#include <stdint.h>

#include <warplu/batch.h>
#include <warplu/cache.h>
#include <warplu/device.h>
#include <warplu/inspect.h>

/* ----------------------------------------------------------------- errors (errors.c) */

/* The library's message functions: texts go to a buffer of the thread; cancelling runs Python's signal handlers. */
void wpy_hear(warplu_status status, const char *text, void *user);
int wpy_interrupted(void *user);

/* Forgets the thread's message; before a call of the library. */
void wpy_forget_message(void);
/* The thread's message, or the status' text where there is none. */
const char *wpy_message(int status);
/* A call's answer for Python: the status as a number, with a warning where the Python files want one; NULL and an
 * exception for an error. The thread's message goes along. */
PyObject *wpy_answer(int status);
/* The same where the value of a success is something else: steals value, which may be NULL with an exception set. */
PyObject *wpy_answer_with(int status, PyObject *value);

/* ----------------------------------------------------------------- arrays (arrays.c) */

/* What a buffer may hold. */
enum {
    WPY_REAL = 1,
    WPY_COMPLEX = 2,
    WPY_INT32 = 4,
    WPY_INT64 = 8,
    WPY_BYTES = 16,
    WPY_NONE = 32, /* None, or no argument: data is NULL */
    WPY_WRITABLE = 64
};

typedef struct wpy_array {
    Py_buffer view;
    void *data;       /* NULL for None */
    int64_t count;    /* items; of complex numbers, complex ones */
    int kind;         /* one of those above */
    int held;         /* view is to be released */
    const char *name; /* for messages */
} wpy_array;

/* Takes a contiguous and aligned buffer of one of the kinds; count -1: of any length. 0 with an exception where it is
 * none; a is released then. */
int wpy_take(wpy_array *a, PyObject *object, int kinds, int64_t count, const char *name);
/* Takes any number of arrays, or NULL; releases all of them in any case. */
void wpy_release(wpy_array *a, int arrays);
/* n + 1 pointers and as many indices as they say, of one kind; the values' count is nnz, or they are none. */
int wpy_check_pattern(const wpy_array *ptr, const wpy_array *idx, const wpy_array *values, int64_t n);
/* The number of entries that a pattern's pointers end with; -1 where there are no pointers. */
int64_t wpy_entries(const wpy_array *ptr);

/* ---------------------------------------------------------------- members (members.c) */

typedef enum { WPY_OF_INT, WPY_OF_UNSIGNED, WPY_OF_INT64, WPY_OF_DOUBLE } wpy_type;

/* A member of a struct; a table of them ends with one that has no name. */
typedef struct wpy_member {
    const char *name;
    wpy_type type;
    size_t offset;
} wpy_member;

/* Enumerations are ints, or unsigned where none of their constants is negative. */
#define WPY_TYPE(number) \
    _Generic(number, int : WPY_OF_INT, unsigned : WPY_OF_UNSIGNED, int64_t : WPY_OF_INT64, double : WPY_OF_DOUBLE)
#define WPY_MEMBER(structure, member) \
    { \
#member, WPY_TYPE(((structure *)0)->member), offsetof(structure, member) \
    }

/* Sets what a dictionary says, but for its keys in aside (ended by NULL); 0 with an exception. */
int wpy_read_members(void *structure, const wpy_member *members, PyObject *dictionary, const char *const *aside);
/* A dictionary of all of them. */
PyObject *wpy_show_members(const void *structure, const wpy_member *members);
/* Adds a value, which it steals; 0 with an exception, and where there is none. */
int wpy_add(PyObject *dictionary, const char *name, PyObject *value);
/* A number that fits an int, for the option of that name; 0 with an exception. */
int wpy_read_int(PyObject *value, const char *name, int *number);

/* ---------------------------------------------------------------- options (options.c) */

/* Fills options from a dictionary of numbers, or None; arrays of orders are held until they are released. 0 with an
 * exception. */
enum { WPY_ORDERS = 2 };
int wpy_read_options(PyObject *dictionary, warplu_options *options, wpy_array orders[WPY_ORDERS]);
/* A pair of dictionaries, the defaults of solvers and of batches; a new reference. */
PyObject *wpy_show_defaults(void);
/* Each order that is there has n numbers. 0 with an exception. */
int wpy_check_orders(const wpy_array orders[WPY_ORDERS], int64_t n);
/* The same for batches; numbers of devices go to an array of that capacity. */
int wpy_read_batch_options(PyObject *dictionary, warplu_batch_options *options, int *devices, int capacity);

/* Dictionaries of the statistics' members; new references. */
PyObject *wpy_statistics(const warplu_statistics *s);
PyObject *wpy_batch_statistics(const warplu_batch_statistics *s);
PyObject *wpy_cache_statistics(const warplu_cache_statistics *s);
PyObject *wpy_health(const warplu_device_health *h);
PyObject *wpy_singularity(const warplu_singularity *s);

/* ---------------------------------------------------------------- solvers (solver.c) */

/* A solver that has an analysis, and keeps it: n and nnz never change. lock: held during each call, so that threads
 * that share the object take turns. ptr, idx: a copy of the pattern, which values come with. */
typedef struct wpy_solver {
    PyObject_HEAD warplu_solver *solver;
    PyThread_type_lock lock;
    int32_t n;
    int64_t nnz;
    int is_complex; /* 1: a number is two doubles */
    int32_t *ptr, *idx;
} wpy_solver;

/* Between these the GIL is released and the solver this thread's. */
PyThreadState *wpy_begin(wpy_solver *s);
void wpy_end(wpy_solver *s, PyThreadState *thread);

/* The kind of the solver's numbers. */
static inline int wpy_kind(const wpy_solver *s)
{
    return s->is_complex ? WPY_COMPLEX : WPY_REAL;
}

/* Factors with new values and solves; trans: 0, 1 (A') or 2 (A^H). A transposed solve that could not be checked, for
 * its replay had not kept the values, is done once more with these, unless x is b. */
warplu_status wpy_refactor_solve(warplu_solver *s, const double *values, int trans, int32_t nrhs, const double *b,
                                 double *x, int32_t n);
warplu_status wpy_solve(warplu_solver *s, int trans, int32_t nrhs, const double *b, double *x, int32_t n);

/* Takes B and X of whole columns of n, X to be written (WPY_WRITABLE) or read (0); 0 with an exception. *nrhs is their
 * number. */
int wpy_take_columns(wpy_solver *s, PyObject *b, PyObject *x, int access, wpy_array arrays[2], int32_t *nrhs);

/* The process' cache, made at its first use; NULL with an exception. */
warplu_cache *wpy_cache(void);

/* ---------------------------------------------------------------- methods and types */

/* Methods of solvers by file; solver.c joins them into the type. */
extern PyMethodDef wpy_inspect_methods[];
extern PyMethodDef wpy_factors_methods[];
extern PyMethodDef wpy_device_methods[];

PyObject *wpy_read_dlpack(PyObject *module, PyObject *capsule);
PyObject *wpy_jax_handlers(PyObject *module, PyObject *nothing);

/* Heap types; new references. */
PyObject *wpy_make_solver_type(PyObject *module);
PyObject *wpy_make_batch_type(PyObject *module);
/* The solver behind an object of the type, or NULL with an exception. */
wpy_solver *wpy_as_solver(PyObject *object);

#endif
