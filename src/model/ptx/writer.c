/* Collects the text of kernels. See writer.h. */
#include "model/ptx/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_BYTES = 1 << 14, LINE_BYTES = 512 };

void wlm_ptx_init(wlm_ptx *writer, wlu_context *ctx)
{
    *writer = (wlm_ptx){.ctx = ctx};
}

void wlm_ptx_free(wlm_ptx *writer)
{
    wlu_free(writer->ctx, writer->text);
    wlm_ptx_init(writer, writer->ctx);
}

/* Adds bytes and the zero behind them. */
static void add(wlm_ptx *writer, const char *bytes, int64_t count)
{
    if (writer->out_of_memory) return;
    if (writer->length + count + 1 > writer->size) {
        int64_t size = writer->size > 0 ? writer->size : FIRST_BYTES;
        while (size < writer->length + count + 1) size *= 2;
        char *text = (char *)wlu_resize(writer->ctx, writer->text, writer->length, size, 1);
        if (text == NULL) {
            writer->out_of_memory = 1;
            return;
        }
        writer->text = text;
        writer->size = size;
    }
    memcpy(writer->text + writer->length, bytes, (size_t)count);
    writer->length += count;
    writer->text[writer->length] = '\0';
}

void wlm_ptx_line(wlm_ptx *writer, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    /* A line that is cut would be another instruction. */
    if (length < 0 || length >= (int)sizeof line - 1) {
        writer->out_of_memory = 1;
        return;
    }
    line[length] = '\n';
    add(writer, line, length + 1);
}

void wlm_ptx_begin(wlm_ptx *writer)
{
    wlm_ptx_line(writer, ".version 7.0");
    wlm_ptx_line(writer, ".target sm_80");
    wlm_ptx_line(writer, ".address_size 64");
}

void wlm_ptx_append(wlm_ptx *writer, const wlm_ptx *other)
{
    writer->out_of_memory |= other->out_of_memory;
    if (other->length > 0) add(writer, other->text, other->length);
}

void wlm_ptx_declare(wlm_ptx *head, const wlm_ptx *lines)
{
    const struct {
        const char *type, *name;
        int32_t count;
    } kinds[] = {{"f64", "fd", lines->reals},
                 {"b64", "rd", lines->words},
                 {"b32", "r", lines->halves},
                 {"pred", "p", lines->truths}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k].count > 0)
            wlm_ptx_line(head, ".reg .%s %%%s<%d>;", kinds[k].type, kinds[k].name, (int)kinds[k].count);
}

warplu_status wlm_ptx_status(const wlm_ptx *writer)
{
    return writer->out_of_memory ? wlu_fail_memory(writer->ctx, "the text of a kernel") : WARPLU_SUCCESS;
}
