/* Buffered text input over zlib's gzread, which passes plain files through and inflates gzip ones, told apart
 * by their first two bytes. A line is found with memchr and terminated in place, so that the scanners behind
 * need no bounds. A stream that breaks off (truncated, corrupt, I/O error) hands out its whole lines first;
 * the line it breaks in is never handed out, so that no half of a number is taken for a number.
 *
 * Ownership: the input owns its buffer, stream and number tables; wlu_mm_close releases what wlu_mm_open got
 * as far as making. Cost: the input, read once; WLU_MM_BUFFER_BYTES of memory and what zlib takes. */
#include "matrix_market/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/system.h"

enum {
    WLU_MM_BUFFER_BYTES = 1 << 18, /* 32 KiB to 1 MiB measured alike; also bounds a line */
    GZIP_BUFFER_BYTES = 1 << 16,
    NAME_SHOWN = 256, /* of a long path the end is shown: the message is worth more than the folder */
    FOUND_SHOWN = 40
};

static const char *shown_name(const char *name, const char **dots)
{
    size_t length = strlen(name);
    *dots = length > NAME_SHOWN ? "..." : "";
    return length > NAME_SHOWN ? name + length - NAME_SHOWN : name;
}

static warplu_status fail_to_open(wlu_mm_input *in, int error)
{
    char text[160];
    const char *dots, *name = shown_name(in->name, &dots);
    wlu_system_describe(error, text, sizeof text);
    return wlu_fail(in->ctx, WARPLU_CANNOT_OPEN, "%s%s: cannot open for reading: %s", dots, name, text);
}

warplu_status wlu_mm_open(wlu_mm_input *in, wlu_context *ctx, const char *path)
{
    memset(in, 0, sizeof *in);
    in->ctx = ctx;
    in->name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    in->buffer = WLU_ALLOC(ctx, WLU_MM_BUFFER_BYTES + 1, char);
    in->numbers = wlu_numbers_create(ctx);
    if (in->buffer == NULL || in->numbers == NULL) return wlu_fail_memory(ctx, "reading a matrix");

    const int fd = strcmp(path, "-") == 0 ? wlu_system_duplicate(STDIN_FILENO) : wlu_system_open(path, WLU_OPEN_READ);
    if (fd < 0) return fail_to_open(in, errno);
    struct stat info;
    int error = fstat(fd, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
    if (error != 0) {
        close(fd);
        return fail_to_open(in, error);
    }
    in->gz = gzdopen(fd, "rb");
    if (in->gz == NULL) {
        close(fd);
        return wlu_fail_memory(ctx, "reading a matrix");
    }
    gzbuffer(in->gz, GZIP_BUFFER_BYTES);
    return WARPLU_SUCCESS;
}

void wlu_mm_close(wlu_mm_input *in)
{
    if (in->gz != NULL) gzclose(in->gz); /* what it could report, refill has seen */
    in->gz = NULL;
    wlu_free(in->ctx, in->buffer);
    in->buffer = NULL;
    wlu_numbers_destroy(in->ctx, &in->numbers);
}

/* Notes why the stream ended, where it is not the end of the file. */
static void note_stream_error(wlu_mm_input *in)
{
    int code;
    const char *text = gzerror(in->gz, &code);
    if (code == Z_OK || code == Z_STREAM_END) return;
    if (code == Z_MEM_ERROR) {
        in->broken = WARPLU_OUT_OF_MEMORY;
        snprintf(in->reason, sizeof in->reason, "out of memory in zlib");
        return;
    }
    in->broken = WARPLU_CANNOT_READ;
    if (code == Z_ERRNO)
        wlu_system_describe(errno, in->reason, sizeof in->reason);
    else if (code == Z_BUF_ERROR)
        snprintf(in->reason, sizeof in->reason, "the truncated end of a gzip stream");
    else
        snprintf(in->reason, sizeof in->reason, "a corrupt gzip stream (%.80s)", text);
}

/* Moves the unfinished line to the buffer's front and fills up behind it. */
static void refill(wlu_mm_input *in)
{
    int64_t kept = in->filled - in->position;
    memmove(in->buffer, in->buffer + in->position, (size_t)kept);
    in->position = 0;
    in->filled = kept;
    unsigned room = (unsigned)(WLU_MM_BUFFER_BYTES - kept);
    errno = 0;
    int got = gzread(in->gz, in->buffer + kept, room);
    if (got > 0) {
        in->filled += got;
        in->text_bytes += got;
    }
    if (got < (int)room) {
        in->ended = 1;
        note_stream_error(in);
    }
}

warplu_status wlu_mm_next_line(wlu_mm_input *in)
{
    char *start = in->buffer + in->position;
    char *stop = memchr(start, '\n', (size_t)(in->filled - in->position));
    while (stop == NULL) {
        if (in->ended || in->filled - in->position == WLU_MM_BUFFER_BYTES) break;
        int64_t seen = in->filled - in->position;
        refill(in);
        start = in->buffer;
        stop = memchr(start + seen, '\n', (size_t)(in->filled - seen));
    }
    if (stop != NULL) {
        in->position = stop + 1 - in->buffer;
    } else if (!in->ended) {
        in->line_number++;
        return wlu_mm_fail(in, WARPLU_BAD_FORMAT, "expected a line shorter than %d bytes, found a longer one",
                           (int)WLU_MM_BUFFER_BYTES);
    } else if (in->broken != WARPLU_SUCCESS) {
        in->line_number++;
        return wlu_mm_fail(in, in->broken, "expected the rest of the file, found %s", in->reason);
    } else if (in->position == in->filled) {
        in->line = NULL;
        in->line_end = NULL;
        return WARPLU_SUCCESS;
    } else { /* a last line without its end */
        stop = in->buffer + in->filled;
        in->position = in->filled;
    }
    *stop = '\0'; /* the buffer has one byte to spare */
    in->line = start;
    in->line_end = stop;
    in->line_number++;
    return WARPLU_SUCCESS;
}

warplu_status wlu_mm_fail(wlu_mm_input *in, warplu_status status, const char *format, ...)
{
    char text[WLU_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *dots, *name = shown_name(in->name, &dots);
    in->failed_line = in->line_number > 0 ? in->line_number : 1;
    return wlu_fail(in->ctx, status, "%s%s:%lld: %s", dots, name, (long long)in->failed_line, text);
}

/* The word at found, quoted, with anything unprintable as '?'. out: FOUND_SHOWN + 8 bytes. */
static void quote_word(const wlu_mm_input *in, const char *found, char *out)
{
    if (found == NULL || in->line == NULL) {
        strcpy(out, "the end of the file");
        return;
    }
    while (found < in->line_end && wlu_is_blank(*found)) found++;
    if (found == in->line_end) {
        strcpy(out, "the end of the line");
        return;
    }
    int n = 0;
    out[n++] = '\'';
    for (; found < in->line_end && !wlu_is_blank(*found) && n <= FOUND_SHOWN; found++)
        out[n++] = *found > ' ' && *found <= '~' ? *found : '?';
    if (n > FOUND_SHOWN && found < in->line_end && !wlu_is_blank(*found)) {
        memcpy(out + n, "...", 3);
        n += 3;
    }
    out[n++] = '\'';
    out[n] = '\0';
}

warplu_status wlu_mm_unexpected(wlu_mm_input *in, warplu_status status, const char *found, const char *expected, ...)
{
    char text[200], word[FOUND_SHOWN + 8];
    va_list args;
    va_start(args, expected);
    vsnprintf(text, sizeof text, expected, args);
    va_end(args);
    quote_word(in, found, word);
    return wlu_mm_fail(in, status, "expected %s, found %s", text, word);
}
