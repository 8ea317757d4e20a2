/* The Matrix Market reader: any bytes are a matrix in order, or an error that names the file; what is read and written
 * reads the same again. */
#include "fuzz.h"

#include "io/matrix_market.h"

#include <math.h>
#include <unistd.h>

/* Pointers to columns take 4 bytes each, whether these hold anything or not: no more than this at a time. */
enum { ALLOCATION_MAX = 1 << 26 };

/* In memory where there is such a place: a matrix that is written waits for the disk. */
static char in_memory[] = "/dev/shm/fuzz-reader-XXXXXX", on_disk[] = "fuzz-reader-XXXXXX", *path;
static int fd = -1;

static void remove_file(void)
{
    unlink(path);
}

static void store(const uint8_t *data, size_t size)
{
    if (path == NULL) {
        path = access("/dev/shm", W_OK) == 0 ? in_memory : on_disk;
        atexit(remove_file);
    }
    if (fd < 0) {
        memcpy(strrchr(path, '-') + 1, "XXXXXX", 6);
        fd = mkstemp(path);
    }
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size) {
        fprintf(stderr, "cannot write a temporary file\n");
        exit(2);
    }
}

static void check_matrix(const wlu_mm_matrix *m)
{
    int parts = m->values == NULL ? 0 : m->typecode.field == WLU_MM_COMPLEX ? 2 : 1;
    FUZZ_REQUIRE(m->nrow > 0 && m->ncol > 0 && m->ptr[0] == 0 && m->ptr[m->ncol] == m->nnz, "sizes");
    FUZZ_REQUIRE((m->values == NULL) == (m->typecode.field == WLU_MM_PATTERN), "values");
    for (int32_t j = 0; j < m->ncol; j++) {
        FUZZ_REQUIRE(m->ptr[j] <= m->ptr[j + 1], "column %d", j);
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++)
            FUZZ_REQUIRE(m->idx[q] >= (q > m->ptr[j] ? m->idx[q - 1] + 1 : 0) && m->idx[q] < m->nrow, "entry %d", q);
    }
    for (int64_t q = 0; q < parts * m->nnz; q++) FUZZ_REQUIRE(isfinite(m->values[q]), "value %lld", (long long)q);
}

/* Real matrices are written and read back to the same bits. */
static void check_round_trip(wlu_context *ctx, const wlu_mm_matrix *m)
{
    wlu_mm_matrix again;
    if (m->typecode.field == WLU_MM_COMPLEX || m->nnz > 100 || m->ncol > 1000) return;
    warplu_status status = wlu_mm_write_coordinate(ctx, path, m->nrow, m->ncol, m->ptr, m->idx, m->values, NULL);
    FUZZ_REQUIRE(status == WARPLU_SUCCESS, "write: %s", ctx->last_message);
    close(fd); /* another file has taken the name */
    fd = -1;
    status = wlu_mm_read(ctx, path, &again);
    FUZZ_REQUIRE(status == WARPLU_SUCCESS, "read again: %s", ctx->last_message);
    FUZZ_REQUIRE(again.nrow == m->nrow && again.ncol == m->ncol && again.nnz == m->nnz &&
                     memcmp(again.ptr, m->ptr, ((size_t)m->ncol + 1) * sizeof *m->ptr) == 0 &&
                     memcmp(again.idx, m->idx, (size_t)m->nnz * sizeof *m->idx) == 0,
                 "another pattern");
    FUZZ_REQUIRE(m->values == NULL || memcmp(again.values, m->values, (size_t)m->nnz * sizeof *m->values) == 0,
                 "other values");
    wlu_mm_free(ctx, &again);
    unlink(path);
}

static void *allocate(size_t bytes, void *user)
{
    (void)user;
    return bytes <= ALLOCATION_MAX ? malloc(bytes) : NULL;
}

static void release(void *pointer, void *user)
{
    (void)user;
    free(pointer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wlu_context ctx;
    wlu_mm_matrix m;
    store(data, size);
    warplu_options options;
    warplu_options_init(&options);
    options.allocate = allocate;
    options.release = release;
    wlu_context_init(&ctx, &options);
    warplu_status status = wlu_mm_read(&ctx, path, &m);
    if (status == WARPLU_SUCCESS) {
        check_matrix(&m);
        check_round_trip(&ctx, &m);
        wlu_mm_free(&ctx, &m);
        return 0;
    }
    FUZZ_REQUIRE(status == WARPLU_BAD_FORMAT || status == WARPLU_CANNOT_READ || status == WARPLU_NOT_FINITE ||
                     status == WARPLU_EMPTY || status == WARPLU_NOT_SQUARE || status == WARPLU_OVERFLOW ||
                     status == WARPLU_OUT_OF_MEMORY,
                 "%s", warplu_status_name(status));
    FUZZ_REQUIRE(strncmp(ctx.last_message, path, strlen(path)) == 0 || status == WARPLU_OUT_OF_MEMORY, "message: %s",
                 ctx.last_message);
    return 0;
}
