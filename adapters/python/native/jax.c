/* The calls behind warplu.jax: reads what XLA hands over, has it answered on the platform, and makes errors of
 * statuses. */
#include "jax.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 640 };

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

/* Strides of an operand's leading dimensions, in rows: 0 where it has one row for all. 0: they do not fit. */
static int find_strides(const wpy_jax_call *c, const xla_buffer *operand, int64_t *strides)
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

/* Reads the call; the text of what is wrong with it, or NULL. The buffers themselves may be a device's. */
static const char *read_call(const xla_call *call, wpy_jax_call *c)
{
    if (call->arguments.count != WPY_ARGUMENTS || call->results.count != 1)
        return "four arguments and one result are needed";
    for (int i = 0; i < WPY_ARGUMENTS; i++) c->a[i] = call->arguments.buffers[i];
    c->x = call->results.buffers[0];
    c->storage = (int)attribute(call, "storage");
    c->trans = (int)attribute(call, "trans");
    c->nan = (int)attribute(call, "nan");
    c->key[0] = attribute(call, "key0");
    c->key[1] = attribute(call, "key1");
    c->nnz = last_dim(c->a[WPY_IDX]);
    c->n = last_dim(c->a[WPY_PTR]) - 1;
    c->rank = (int)c->x->rank - 1;
    if (c->a[WPY_PTR]->type != XLA_S32 || c->a[WPY_IDX]->type != XLA_S32) return "indptr and indices are int32";
    int type = c->x->type;
    if ((type != XLA_F64 && type != XLA_C128) || c->a[WPY_VALUES]->type != type || c->a[WPY_RHS]->type != type)
        return "values and b are float64 or complex128";
    c->doubles = type == XLA_C128 ? 2 : 1;
    if (c->rank < 0 || c->rank > WPY_MOST_RANK || last_dim(c->x) != c->n || last_dim(c->a[WPY_RHS]) != c->n ||
        last_dim(c->a[WPY_VALUES]) != c->nnz || c->n < 1 || c->n > INT32_MAX)
        return "shapes do not fit";
    if (!find_strides(c, c->a[WPY_VALUES], c->value_strides) || !find_strides(c, c->a[WPY_RHS], c->rhs_strides))
        return "leading dimensions do not fit";
    c->members = 1;
    for (int i = 0; i < c->rank; i++) c->members *= c->x->dims[i];
    return c->storage < 0 || c->trans < 0 || c->nan < 0 ? "an attribute is missing" : NULL;
}

/* ---------------------------------------------------------------- for the platforms */

/* The row of an operand for a member. */
static int64_t row_of(const wpy_jax_call *c, const int64_t *strides, int64_t member)
{
    int64_t row = 0;
    for (int i = c->rank - 1; i >= 0; i--) {
        row += member % c->x->dims[i] * strides[i];
        member /= c->x->dims[i];
    }
    return row;
}

const double *wpy_jax_values(const wpy_jax_call *c, int64_t member)
{
    return (const double *)c->a[WPY_VALUES]->data + row_of(c, c->value_strides, member) * c->nnz * c->doubles;
}

const double *wpy_jax_rhs(const wpy_jax_call *c, int64_t member)
{
    return (const double *)c->a[WPY_RHS]->data + row_of(c, c->rhs_strides, member) * c->n * c->doubles;
}

double *wpy_jax_x(const wpy_jax_call *c, int64_t member)
{
    return (double *)c->x->data + member * c->n * c->doubles;
}

void wpy_jax_options(const wpy_jax_call *c, warplu_options *options)
{
    warplu_init_options(options);
    options->message = wpy_hear;
    options->device = c->device;
    options->storage = c->storage ? WARPLU_STORAGE_CSR : WARPLU_STORAGE_CSC;
    options->scalar = c->doubles == 2 ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
}

warplu_status wpy_jax_open(const wpy_jax_call *c, const warplu_options *options, const int32_t *ptr, const int32_t *idx,
                           const double *values, warplu_solver **out)
{
    *out = NULL;
    if (ptr[c->n] == c->nnz) return warplu_open_solver(out, wpy_cache(), options, (int32_t)c->n, ptr, idx, values);
    wpy_hear(WARPLU_INVALID_ARGUMENT, "indptr does not end with the number of indices", NULL);
    return WARPLU_INVALID_ARGUMENT;
}

int wpy_jax_serves(warplu_status status)
{
    return status == WARPLU_SUCCESS || status == WARPLU_REPIVOTED;
}

/* ---------------------------------------------------------------- handlers */

static xla_error *execute(const xla_call *call, wpy_jax_call *c, warplu_status solve(const wpy_jax_call *c))
{
    char text[TEXT_BYTES];
    const char *wrong = read_call(call, c);
    if (wrong != NULL) return refuse(call, XLA_INVALID_ARGUMENT, wrong);
    wpy_forget_message();
    warplu_status status = c->members > 0 ? solve(c) : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS) return NULL;
    snprintf(text, sizeof text, "%s: %s", warplu_status_name(status), wpy_message(status));
    return refuse(call, status == WARPLU_INVALID_ARGUMENT ? XLA_INVALID_ARGUMENT : XLA_INTERNAL, text);
}

/* XLA calls a handler first for what it is. 1: it did; *answer is for it. */
static int introduce(xla_call *call, xla_error **answer)
{
    xla_extension *first = call->extensions;
    *answer = NULL;
    if (first != NULL && first->kind == XLA_METADATA) {
        xla_metadata *metadata = ((xla_metadata_extension *)first)->metadata;
        metadata->version.major = 0;
        metadata->version.minor = call->api->version.minor;
        metadata->traits = 0;
        return 1;
    }
    if (call->size >= sizeof *call && call->stage == XLA_EXECUTE) return 0;
    *answer = refuse(call, XLA_INVALID_ARGUMENT, "warplu does not know this version of XLA's interface");
    return 1;
}

static xla_error *handle_cpu(xla_call *call)
{
    xla_error *answer;
    wpy_jax_call c = {.stream = NULL};
    return introduce(call, &answer) ? answer : execute(call, &c, wpy_jax_on_cpu);
}

static xla_error *handle_cuda(xla_call *call)
{
    xla_error *answer;
    xla_stream_get stream = {.size = sizeof stream, .context = call->context};
    xla_device_get device = {.size = sizeof device, .context = call->context, .number = -1};
    if (introduce(call, &answer)) return answer;
    answer = call->api->get_stream(&stream);
    if (answer == NULL && call->api->size >= sizeof *call->api) answer = call->api->get_device(&device);
    if (answer != NULL) return answer;
    wpy_jax_call c = {.stream = stream.stream, .device = device.number};
    return execute(call, &c, wpy_jax_on_cuda);
}

/* {platform as JAX names it: handler} */
PyObject *wpy_jax_handlers(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    if (wpy_cache() == NULL || !wpy_jax_prepare()) return NULL;
    return Py_BuildValue("{s:N,s:N}", "cpu", PyCapsule_New((void *)handle_cpu, NULL, NULL), "CUDA",
                         PyCapsule_New((void *)handle_cuda, NULL, NULL));
}
