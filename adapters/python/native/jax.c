/* The call behind warplu.jax on CPUs: X = A^-1 B for values and right-hand sides with any leading dimensions, which are
 * broadcast against each other. A solver comes from the process' cache. Values that members next to each other share
 * are factored once, and solved with for all of these at once. XLA calls it on threads of its own, without the GIL, so
 * that it must not ask Python whether to stop. */
#include "wpy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "xla.h"

enum { PTR, IDX, VALUES, RHS, ARGUMENTS };
enum { MOST_RANK = 16, TEXT_BYTES = 512 };

/* An error for XLA, which copies the text. */
static xla_error *refuse(const xla_call *call, int code, const char *text)
{
    xla_error_create e = {.size = sizeof e, .message = text, .code = code};
    return call->api->create_error(&e);
}

static int64_t attribute(const xla_call *call, const char *name)
{
    for (int64_t i = 0; i < call->attributes.count; i++) {
        const xla_name *found = call->attributes.names[i];
        if (found->length != strlen(name) || memcmp(found->text, name, found->length) != 0) continue;
        if (call->attributes.kinds[i] != XLA_SCALAR_ATTRIBUTE) return -1;
        const xla_scalar *scalar = call->attributes.values[i];
        return scalar->type == XLA_S64   ? *(const int64_t *)scalar->value
               : scalar->type == XLA_S32 ? *(const int32_t *)scalar->value
                                         : -1;
    }
    return -1;
}

/* A system in the making. members: leading places of X; a place's values and right-hand side begin at multiples of nnz
 * and n, which strides tell. */
typedef struct jax_call {
    const xla_buffer *a[ARGUMENTS];
    const xla_buffer *x;
    int64_t n, nnz, members, doubles;
    int rank; /* of the leading dimensions */
    int64_t value_strides[MOST_RANK], rhs_strides[MOST_RANK];
    int storage, trans, nan;
} jax_call;

/* Strides of an operand's leading dimensions, in rows: 0 where it has one row for all. 0: they do not fit. */
static int find_strides(const jax_call *c, const xla_buffer *operand, int64_t *strides)
{
    int64_t step = 1;
    if (operand->rank - 1 != c->rank) return 0;
    for (int i = c->rank - 1; i >= 0; i--) {
        if (operand->dims[i] != 1 && operand->dims[i] != c->x->dims[i]) return 0;
        strides[i] = operand->dims[i] == 1 ? 0 : step;
        step *= operand->dims[i];
    }
    return 1;
}

static int64_t last_dim(const xla_buffer *b)
{
    return b->rank > 0 ? b->dims[b->rank - 1] : -1;
}

/* Reads the call; the text of what is wrong with it, or NULL. */
static const char *read_call(const xla_call *call, jax_call *c)
{
    if (call->arguments.count != ARGUMENTS || call->results.count != 1)
        return "four arguments and one result are needed";
    for (int i = 0; i < ARGUMENTS; i++) c->a[i] = call->arguments.buffers[i];
    c->x = call->results.buffers[0];
    c->storage = (int)attribute(call, "storage");
    c->trans = (int)attribute(call, "trans");
    c->nan = (int)attribute(call, "nan");
    c->nnz = last_dim(c->a[IDX]);
    c->n = last_dim(c->a[PTR]) - 1;
    c->rank = (int)c->x->rank - 1;
    if (c->a[PTR]->type != XLA_S32 || c->a[IDX]->type != XLA_S32) return "indptr and indices are int32";
    int type = c->x->type;
    if ((type != XLA_F64 && type != XLA_C128) || c->a[VALUES]->type != type || c->a[RHS]->type != type)
        return "values and b are float64 or complex128";
    c->doubles = type == XLA_C128 ? 2 : 1;
    if (c->rank < 0 || c->rank > MOST_RANK || last_dim(c->x) != c->n || last_dim(c->a[RHS]) != c->n ||
        last_dim(c->a[VALUES]) != c->nnz || c->n < 1 || c->n > INT32_MAX)
        return "shapes do not fit";
    const int32_t *ptr = c->a[PTR]->data;
    if (ptr[c->n] != c->nnz) return "indptr does not end with the number of indices";
    if (!find_strides(c, c->a[VALUES], c->value_strides) || !find_strides(c, c->a[RHS], c->rhs_strides))
        return "leading dimensions do not fit";
    c->members = 1;
    for (int i = 0; i < c->rank; i++) c->members *= c->x->dims[i];
    return c->storage < 0 || c->trans < 0 || c->nan < 0 ? "an attribute is missing" : NULL;
}

/* The row of an operand for a member. */
static int64_t row_of(const jax_call *c, const int64_t *strides, int64_t member)
{
    int64_t row = 0;
    for (int i = c->rank - 1; i >= 0; i--) {
        row += member % c->x->dims[i] * strides[i];
        member /= c->x->dims[i];
    }
    return row;
}

/* How many members from this one on share its values, with right-hand sides one after the other. */
static int64_t together(const jax_call *c, int64_t member)
{
    int64_t values = row_of(c, c->value_strides, member), rhs = row_of(c, c->rhs_strides, member), count = 1;
    while (member + count < c->members && count < INT32_MAX && row_of(c, c->value_strides, member + count) == values &&
           row_of(c, c->rhs_strides, member + count) == rhs + count)
        count++;
    return count;
}

/* Solves all members; what has no answer that keeps the promise becomes NaN, or ends the call. */
static int solve_members(const jax_call *c, warplu_solver *s)
{
    const double *values = c->a[VALUES]->data, *b = c->a[RHS]->data;
    double *x = c->x->data;
    int64_t row = c->n * c->doubles;
    for (int64_t m = 0, count; m < c->members; m += count) {
        count = together(c, m);
        warplu_status status =
            wpy_refactor_solve(s, values + row_of(c, c->value_strides, m) * c->nnz * c->doubles, c->trans,
                               (int32_t)count, b + row_of(c, c->rhs_strides, m) * row, x + m * row, (int32_t)c->n);
        if (status == WARPLU_SUCCESS || status == WARPLU_REPIVOTED) continue;
        if (!c->nan) return status;
        for (int64_t i = 0; i < count * row; i++) x[m * row + i] = NAN;
    }
    return WARPLU_SUCCESS;
}

static xla_error *execute(const xla_call *call)
{
    jax_call c;
    char text[TEXT_BYTES];
    warplu_solver *s = NULL;
    warplu_options options;
    const char *wrong = read_call(call, &c);
    if (wrong != NULL) return refuse(call, XLA_INVALID_ARGUMENT, wrong);
    warplu_init_options(&options);
    options.message = wpy_hear;
    options.storage = c.storage ? WARPLU_STORAGE_CSR : WARPLU_STORAGE_CSC;
    options.scalar = c.doubles == 2 ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
    wpy_forget_message();
    int status = warplu_open_solver(&s, wpy_cache(), &options, (int32_t)c.n, c.a[PTR]->data, c.a[IDX]->data,
                                    c.nan ? NULL : c.a[VALUES]->data);
    if (status >= 0) status = solve_members(&c, s);
    warplu_close_solver(&s);
    if (status == WARPLU_SUCCESS) return NULL;
    snprintf(text, sizeof text, "%s: %s", warplu_status_name(status), wpy_message(status));
    return refuse(call, XLA_INTERNAL, text);
}

/* The handler that XLA calls: first for what it is, then to execute. */
static xla_error *handle(xla_call *call)
{
    xla_extension *first = call->extensions;
    if (first != NULL && first->kind == XLA_METADATA) {
        xla_metadata *metadata = ((xla_metadata_extension *)first)->metadata;
        metadata->version.major = 0;
        metadata->version.minor = call->api->version.minor;
        metadata->traits = 0;
        return NULL;
    }
    if (call->size < sizeof *call || call->stage != XLA_EXECUTE)
        return refuse(call, XLA_INVALID_ARGUMENT, "warplu does not know this version of XLA's interface");
    return execute(call);
}

PyObject *wpy_jax_handler(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    if (wpy_cache() == NULL) return NULL;
    return PyCapsule_New((void *)handle, NULL, NULL);
}
