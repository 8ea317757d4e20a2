/* Text of a kernel in PTX: lines, and numbers of registers of four kinds and of labels.
 *
 * Lines go into one growing buffer. Where memory ends, the writer remembers it, takes no more lines and says so in
 * the end, so that what writes need not ask. Registers must be declared before they are used and are counted only
 * then: the lines go into one writer and the head into another. Labels are L1, L2, ..., by ++labels. */
#ifndef WLU_MODEL_PTX_WRITER_H
#define WLU_MODEL_PTX_WRITER_H

#include "base/context.h"

typedef struct wlm_ptx {
    wlu_context *ctx;
    char *text; /* ends with a zero; NULL before the first line */
    int64_t length, size;
    int32_t reals, words, halves, truths, labels; /* %fd: 64-bit floating; %rd, %r: 64 and 32 bits; %p; L */
    int out_of_memory;
} wlm_ptx;

void wlm_ptx_init(wlm_ptx *writer, wlu_context *ctx);
void wlm_ptx_free(wlm_ptx *writer);

/* Adds a formatted line and its end. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void wlm_ptx_line(wlm_ptx *writer, const char *format, ...);
/* Begins a module: the version and the least device that it is for. */
void wlm_ptx_begin(wlm_ptx *writer);
/* Adds all text of another writer. */
void wlm_ptx_append(wlm_ptx *writer, const wlm_ptx *other);

/* Declares the registers that lines of another writer use. */
void wlm_ptx_declare(wlm_ptx *head, const wlm_ptx *lines);

/* Returns WARPLU_OUT_OF_MEMORY, with a message, where lines are missing. */
warplu_status wlm_ptx_status(const wlm_ptx *writer);

#endif
