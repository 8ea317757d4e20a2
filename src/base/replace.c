/* Whole files, old or new, nothing in between. See replace.h. */
#include "base/replace.h"

#include "base/nameless.h"
#include "base/system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NAME_BYTES = 48,     /* "./warplu-PID-K.tmp" */
    MOST_ATTEMPTS = 100, /* at a name nobody has */
    PATH_SHOWN = 256,
    PART_BYTES = 1 << 24 /* of one write or read; between two the caller may cancel */
};

warplu_status wlu_file_fail(wlu_context *ctx, const char *path, warplu_status status, const char *what, int error)
{
    char text[160];
    size_t length = strlen(path);
    wlu_system_describe(error, text, sizeof text);
    return wlu_fail(ctx, status, "%s: cannot %s: %s", length > PATH_SHOWN ? path + length - PATH_SHOWN : path, what,
                    text);
}

/* ---------------------------------------------------------------- writing */

/* The k-th temporary name, in the target's folder; of k < 0 the folder. */
static const char *name_temporary(const wlu_replacement *r, int k)
{
    const int length = wlu_system_folder_length(r->path) + 1;
    const size_t room = strlen(r->path) + NAME_BYTES;
    int used = snprintf(r->temporary, room, "%.*s", length > 0 ? length : 1, length > 0 ? r->path : ".");
    if (k >= 0) snprintf(r->temporary + used, room - (size_t)used, "/warplu-%ld-%d.tmp", (long)getpid(), k);
    return r->temporary;
}

/* Creates the file with the rights a new file gets here (mkstemp would make it private). */
static int create_named(const wlu_replacement *r)
{
    for (int k = 0; k < MOST_ATTEMPTS; k++) {
        int fd = wlu_system_open(name_temporary(r, k), WLU_OPEN_NEW);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

/* 0, or -1 with errno. A link takes nobody's place: it is renamed where something has the name. */
static int take_place_nameless(const wlu_replacement *r)
{
    wlu_signal_mask callers;
    if (wlu_nameless_link(r->nameless, r->path) == 0) return 0;
    if (errno != EEXIST) return -1;
    int failed = -1, error = EEXIST;
    wlu_system_block_signals(&callers, 0);
    for (int k = 0; k < MOST_ATTEMPTS && failed && error == EEXIST; k++) {
        failed = wlu_nameless_link(r->nameless, name_temporary(r, k));
        error = errno;
    }
    if (!failed && (failed = wlu_system_rename(r->temporary, r->path)) != 0) {
        error = errno;
        unlink(r->temporary);
    }
    wlu_system_restore_signals(&callers);
    errno = error;
    return failed;
}

warplu_status wlu_replace_begin(wlu_context *ctx, const char *path, wlu_replacement *out)
{
    struct stat info;
    *out = (wlu_replacement){.path = path, .nameless = -1, .fd = -1};
    int there = stat(path, &info) == 0;
    if (!there && (errno != ENOENT || path[0] == '\0')) return WARPLU_CANNOT_OPEN;
    if (there && !S_ISREG(info.st_mode)) {
        out->fd = wlu_system_open(path, WLU_OPEN_WRITE);
        return out->fd < 0 ? WARPLU_CANNOT_OPEN : WARPLU_SUCCESS;
    }
    out->temporary = WLU_ALLOC(ctx, (int64_t)strlen(path) + NAME_BYTES, char);
    if (out->temporary == NULL) return wlu_fail_memory(ctx, "name of a temporary file");
    out->fd = wlu_nameless_create(name_temporary(out, -1), &out->nameless);
    if (out->fd < 0) out->fd = create_named(out);
    if (out->fd >= 0) return WARPLU_SUCCESS;
    int error = errno;
    wlu_free(ctx, out->temporary);
    out->temporary = NULL;
    errno = error;
    return WARPLU_CANNOT_OPEN;
}

int wlu_replace_end(wlu_context *ctx, wlu_replacement *r, int keep)
{
    int failed = 0;
    if (r->temporary == NULL) return 0;
    if (keep) failed = r->nameless >= 0 ? take_place_nameless(r) : wlu_system_rename(r->temporary, r->path);
    int error = errno;
    if (r->nameless >= 0)
        close(r->nameless);
    else if (!keep || failed)
        unlink(r->temporary);
    wlu_free(ctx, r->temporary);
    *r = (wlu_replacement){.path = r->path, .nameless = -1, .fd = -1};
    errno = error;
    return failed;
}

/* 0, or the errno; ECANCELED where the caller's cancel function said so, which has been said. */
static int write_all(wlu_context *ctx, int fd, const uint8_t *bytes, int64_t size)
{
    while (size > 0) {
        if (wlu_poll_cancel(ctx) < 0) return ECANCELED;
        ssize_t n = write(fd, bytes, size < PART_BYTES ? (size_t)size : PART_BYTES);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        bytes += n;
        size -= n;
    }
    return 0;
}

/* Devices need no sync and may not know how. */
static int sync_file(int fd)
{
    return wlu_system_sync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
}

warplu_status wlu_file_write(wlu_context *ctx, const char *path, const void *bytes, int64_t size)
{
    wlu_replacement r;
    warplu_status status = wlu_replace_begin(ctx, path, &r);
    if (status == WARPLU_CANNOT_OPEN) return wlu_file_fail(ctx, path, status, "open for writing", errno);
    if (status < 0) return status;
    const char *what = "write";
    int error = write_all(ctx, r.fd, bytes, size);
    const int cancelled = error == ECANCELED;
    if (error == 0) error = sync_file(r.fd);
    if (close(r.fd) != 0 && error == 0) error = errno;
    if (wlu_replace_end(ctx, &r, error == 0) != 0) {
        error = errno;
        what = "take the place of the target";
    }
    if (cancelled) return WARPLU_CANCELLED;
    return error == 0 ? WARPLU_SUCCESS : wlu_file_fail(ctx, path, WARPLU_CANNOT_WRITE, what, error);
}

/* ---------------------------------------------------------------- reading */

warplu_status wlu_file_open(wlu_context *ctx, const char *path, int *fd, int64_t *size)
{
    struct stat info;
    *fd = wlu_system_open(path, WLU_OPEN_REGULAR); /* a pipe is refused, not waited for */
    if (*fd < 0) return wlu_file_fail(ctx, path, WARPLU_CANNOT_OPEN, "open for reading", errno);
    int error = fstat(*fd, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : !S_ISREG(info.st_mode) ? EINVAL : 0;
    if (error == 0) {
        *size = (int64_t)info.st_size;
        return WARPLU_SUCCESS;
    }
    close(*fd);
    *fd = -1;
    return wlu_file_fail(ctx, path, WARPLU_CANNOT_READ, "read as a regular file", error);
}

warplu_status wlu_file_read(wlu_context *ctx, const char *path, int fd, void *bytes, int64_t count)
{
    uint8_t *to = bytes;
    while (count > 0) {
        ssize_t n = read(fd, to, count < PART_BYTES ? (size_t)count : PART_BYTES);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return wlu_file_fail(ctx, path, WARPLU_CANNOT_READ, "read to its end", n < 0 ? errno : EIO);
        to += n;
        count -= n;
    }
    return WARPLU_SUCCESS;
}
