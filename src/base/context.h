/* The context every internal object is made in: the caller's allocator, message and cancel functions.
 *
 * A context is owned by a solver (or a test, or the command line). wlu_fail() formats a message, hands it to
 * the caller's function, keeps it as the last message and returns the status, so that an error path reads
 *     return wlu_fail(ctx, WARPLU_SINGULAR, "column %d of block %d ...", j, b);
 * Allocation: sizes are counts times element sizes, checked for overflow; NULL means out of memory or
 * overflow, and a count of 0 gives a valid pointer. */
#ifndef WLU_BASE_CONTEXT_H
#define WLU_BASE_CONTEXT_H

#include <stddef.h>
#include <stdint.h>
#include <warplu/inspect.h>

enum { WLU_MESSAGE_BYTES = 512 };

typedef struct wlu_context {
    void *(*allocate)(size_t bytes, void *user);
    void *(*allocate_zeros)(size_t bytes, void *user); /* NULL: blocks of the other are cleared */
    void (*release)(void *pointer, void *user);
    void *allocator_user;
    warplu_message_fn message;
    void *message_user;
    warplu_cancel_fn cancel;
    void *cancel_user;
    char last_message[WLU_MESSAGE_BYTES];
    warplu_singularity singularity; /* of the last analysis or pivoting; status 0 if it was not singular */
    int unsplit;     /* 1, which tests and measurements set: vectors of the programs compiled here may mix opcodes */
    int first_index; /* of rows and columns in messages: 0; 1, as files count, for the command line */
} wlu_context;

/* Defaults (malloc, free, no callbacks), or what the options say. options may be NULL. */
void wlu_context_init(wlu_context *ctx, const warplu_options *options);

/* count elements of size bytes, uninitialized / zeroed. */
void *wlu_alloc(wlu_context *ctx, int64_t count, size_t size);
void *wlu_calloc(wlu_context *ctx, int64_t count, size_t size);
/* Moves old_count elements into a fresh array of new_count; NULL leaves the old one in place. */
void *wlu_resize(wlu_context *ctx, void *pointer, int64_t old_count, int64_t new_count, size_t size);
/* Takes NULL. */
void wlu_free(wlu_context *ctx, void *pointer);

#define WLU_ALLOC(ctx, count, type) ((type *)wlu_alloc((ctx), (count), sizeof(type)))
#define WLU_CALLOC(ctx, count, type) ((type *)wlu_calloc((ctx), (count), sizeof(type)))

/* Whether none of these pointers is NULL, as after many allocations in a row. */
#define WLU_ALL_THERE(...) \
    wlu_all_there((const void *const[]){__VA_ARGS__}, sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))
static inline int wlu_all_there(const void *const *pointers, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (pointers[k] == NULL) return 0;
    return 1;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
warplu_status
wlu_fail(wlu_context *ctx, warplu_status status, const char *format, ...);

/* Says "out of memory" for the phase named by what. */
warplu_status wlu_fail_memory(wlu_context *ctx, const char *what);

/* WARPLU_CANCELLED if the caller asks for it, else WARPLU_SUCCESS. */
warplu_status wlu_poll_cancel(wlu_context *ctx);

#endif
