/* What jax.c needs of XLA's foreign function interface: the C structs that a handler is called with, of its version 0.
 * Every struct begins with its size, so that later versions can append members; XLA documents the interface beside its
 * headers (xla/ffi/api). Declared here, so that building the package does not take JAX. */
#ifndef WPY_XLA_H
#define WPY_XLA_H

#include <stddef.h>
#include <stdint.h>

typedef struct xla_extension {
    size_t size;
    int kind; /* XLA_METADATA */
    struct xla_extension *next;
} xla_extension;

enum { XLA_METADATA = 1, XLA_EXECUTE = 3, XLA_STRING_ATTRIBUTE = 4, XLA_SCALAR_ATTRIBUTE = 3, XLA_BUFFER = 1 };

typedef struct xla_version {
    size_t size;
    xla_extension *extensions;
    int major, minor;
} xla_version;

/* Asked for before the first call. */
typedef struct xla_metadata {
    size_t size;
    xla_version version;
    uint32_t traits;
} xla_metadata;

typedef struct xla_metadata_extension {
    xla_extension base;
    xla_metadata *metadata;
} xla_metadata_extension;

enum { XLA_INVALID_ARGUMENT = 3, XLA_INTERNAL = 13 };
typedef struct xla_error xla_error;
typedef void xla_other(void);

typedef struct xla_error_create {
    size_t size;
    xla_extension *extensions;
    const char *message;
    int code;
} xla_error_create;

/* What a call on a device asks for: its stream, and the device's number. */
typedef struct xla_stream_get {
    size_t size;
    xla_extension *extensions;
    void *context, *stream;
} xla_stream_get;

typedef struct xla_device_get {
    size_t size;
    xla_extension *extensions;
    void *context;
    int32_t number;
} xla_device_get;

typedef struct xla_api {
    size_t size;
    xla_extension *extensions;
    xla_version version;
    const void *internal;
    xla_error *(*create_error)(xla_error_create *arguments);
    xla_other *of_errors[2], *of_handlers;
    xla_error *(*get_stream)(xla_stream_get *arguments);
    xla_other *of_types_states_memory_threads_futures_and_runs[12];
    xla_error *(*get_device)(xla_device_get *arguments); /* later than the others: size says whether it is there */
} xla_api;

enum { XLA_S32 = 4, XLA_S64 = 5, XLA_F64 = 12, XLA_C128 = 18 };

typedef struct xla_buffer {
    size_t size;
    xla_extension *extensions;
    int type;
    void *data;
    int64_t rank, *dims;
} xla_buffer;

/* Arguments, and results: kinds and pointers. */
typedef struct xla_buffers {
    size_t size;
    xla_extension *extensions;
    int64_t count;
    int *kinds;
    void **buffers;
} xla_buffers;

typedef struct xla_name {
    const char *text;
    size_t length;
} xla_name;

typedef struct xla_scalar {
    int type;
    void *value;
} xla_scalar;

typedef struct xla_attributes {
    size_t size;
    xla_extension *extensions;
    int64_t count;
    int *kinds;
    xla_name **names;
    void **values;
} xla_attributes;

typedef struct xla_call {
    size_t size;
    xla_extension *extensions;
    const xla_api *api;
    void *context;
    int stage;
    xla_buffers arguments, results;
    xla_attributes attributes;
} xla_call;

#endif
