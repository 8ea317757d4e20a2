/* Statuses as Python's exceptions and warnings. Which class a status has is decided by warplu/_errors.py; here is the
 * way there, and the text: the library hands messages to the calling thread before a call returns, and they are kept in
 * a buffer of that thread until the GIL is back. */
#include "wpy.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 512 };
static _Thread_local char text[TEXT_BYTES];

void wpy_hear(warplu_status status, const char *message, void *user)
{
    (void)status, (void)user;
    snprintf(text, TEXT_BYTES, "%s", message);
}

/* Called without the GIL, by any thread of the library. Python's handlers run in the main thread alone. */
int wpy_interrupted(void *user)
{
    (void)user;
    PyGILState_STATE state = PyGILState_Ensure();
    int stop = PyErr_CheckSignals() != 0;
    PyGILState_Release(state);
    return stop;
}

void wpy_forget_message(void)
{
    text[0] = '\0';
}

const char *wpy_message(int status)
{
    return text[0] ? text : warplu_status_text(status);
}

/* Calls a function of warplu/_errors.py with status and text. Texts hold names of files, which need not be UTF-8. */
static PyObject *tell(const char *function, int status)
{
    const char *message = wpy_message(status);
    PyObject *decoded = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "backslashreplace");
    PyObject *module = decoded != NULL ? PyImport_ImportModule("warplu._errors") : NULL, *result = NULL;
    if (module != NULL) result = PyObject_CallMethod(module, function, "iO", status, decoded);
    Py_XDECREF(module);
    Py_XDECREF(decoded);
    return result;
}

PyObject *wpy_answer(int status)
{
    if (PyErr_Occurred()) return NULL; /* a signal handler's, during a call that it cancelled */
    if (status == 0) return PyLong_FromLong(0);
    PyObject *told = tell(status < 0 ? "fail" : "warn", status);
    if (told == NULL) return NULL;
    Py_DECREF(told);
    return PyLong_FromLong(status);
}

PyObject *wpy_answer_with(int status, PyObject *value)
{
    PyObject *number = wpy_answer(status);
    if (number == NULL) {
        Py_XDECREF(value);
        return NULL;
    }
    Py_DECREF(number);
    return value;
}
