/* The Matrix Market reader: any bytes are a matrix in order, or an error that names the file, within the memory that
 * the text allows for; what is read and written reads the same again. */
#include "fuzz.h"

#include <warplu/matrix_market.h>
#include <warplu/warplu.h>

#include <math.h>
#include <unistd.h>
#include <zlib.h>

/* In memory where there is such a place: a matrix that is written waits for the disk. */
static char in_memory[] = "/dev/shm/fuzz-reader-XXXXXX", on_disk[] = "fuzz-reader-XXXXXX", *path;
static int fd = -1;
static warplu_mm_error error = {.size = sizeof error};

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

static int numbers_per_entry(const warplu_mm_matrix *m)
{
    return m->values == NULL ? 0 : m->typecode.field == WARPLU_MM_FIELD_COMPLEX ? 2 : 1;
}

static void check_matrix(const warplu_mm_matrix *m)
{
    int parts = numbers_per_entry(m);
    FUZZ_REQUIRE(m->nrow > 0 && m->ncol > 0 && m->ptr[0] == 0 && m->ptr[m->ncol] == m->nnz, "sizes");
    FUZZ_REQUIRE((m->values == NULL) == (m->typecode.field == WARPLU_MM_FIELD_PATTERN), "values");
    for (int32_t j = 0; j < m->ncol; j++) {
        FUZZ_REQUIRE(m->ptr[j] <= m->ptr[j + 1], "column %d", j);
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++)
            FUZZ_REQUIRE(m->idx[q] >= (q > m->ptr[j] ? m->idx[q - 1] + 1 : 0) && m->idx[q] < m->nrow, "entry %d", q);
    }
    for (int64_t q = 0; q < parts * m->nnz; q++) FUZZ_REQUIRE(isfinite(m->values[q]), "value %lld", (long long)q);
}

/* Small matrices are written and read back to the same bits. */
static void check_round_trip(const warplu_mm_options *options, const warplu_mm_matrix *m)
{
    warplu_mm_matrix again = {.size = sizeof again};
    int parts = numbers_per_entry(m);
    if (m->nnz > 100 || m->ncol > 1000) return;
    warplu_status status = warplu_mm_write(path, m, NULL, options, &error);
    FUZZ_REQUIRE(status == WARPLU_SUCCESS, "write: %s", error.text);
    close(fd); /* another file has taken the name */
    fd = -1;
    status = warplu_mm_read(path, options, &again, &error);
    FUZZ_REQUIRE(status == WARPLU_SUCCESS, "read again: %s", error.text);
    FUZZ_REQUIRE(again.nrow == m->nrow && again.ncol == m->ncol && again.nnz == m->nnz &&
                     memcmp(again.ptr, m->ptr, ((size_t)m->ncol + 1) * sizeof *m->ptr) == 0 &&
                     memcmp(again.idx, m->idx, (size_t)m->nnz * sizeof *m->idx) == 0,
                 "another pattern");
    FUZZ_REQUIRE(m->values == NULL ||
                     memcmp(again.values, m->values, (size_t)(parts * m->nnz) * sizeof *m->values) == 0,
                 "other values");
    warplu_mm_free(&again);
    unlink(path);
}

/* Bytes of text in the file, decompressed, as far as it can be. */
static int64_t text_bytes(void)
{
    static char part[1 << 16];
    int64_t bytes = 0;
    int got;
    gzFile gz = gzopen(path, "rb");
    FUZZ_REQUIRE(gz != NULL, "open");
    while ((got = gzread(gz, part, sizeof part)) > 0) bytes += got;
    gzclose(gz);
    return bytes;
}

typedef struct budget {
    int64_t left;
} budget;

/* The size stands before each block, which a sanitizer sees the end of. */
enum { BEFORE = 16 };

static void *allocate(size_t bytes, void *user)
{
    budget *b = user;
    b->left -= (int64_t)bytes;
    FUZZ_REQUIRE(b->left >= 0, "%zu bytes beyond what the text allows for", bytes);
    char *block = malloc(BEFORE + bytes);
    memcpy(block, &bytes, sizeof bytes);
    return block + BEFORE;
}

static void release(void *pointer, void *user)
{
    size_t bytes;
    memcpy(&bytes, (char *)pointer - BEFORE, sizeof bytes);
    ((budget *)user)->left += (int64_t)bytes;
    free((char *)pointer - BEFORE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    warplu_mm_matrix m = {.size = sizeof m};
    store(data, size);
    budget memory = {.left = WARPLU_MM_BYTES_FIXED + WARPLU_MM_BYTES_PER_BYTE * text_bytes()};
    const int64_t whole = memory.left;
    warplu_mm_options options;
    warplu_mm_init_options(&options);
    options.allocate = allocate;
    options.release = release;
    options.allocator_user = &memory;
    warplu_status status = warplu_mm_read(path, &options, &m, &error);
    if (status == WARPLU_SUCCESS) {
        check_matrix(&m);
        memory.left = INT64_MAX / 2; /* writing and reading again have a text of their own */
        check_round_trip(&options, &m);
        warplu_mm_free(&m);
        return 0;
    }
    FUZZ_REQUIRE(memory.left == whole, "%lld bytes are not freed", (long long)(whole - memory.left));
    FUZZ_REQUIRE(status == WARPLU_BAD_FORMAT || status == WARPLU_CANNOT_READ || status == WARPLU_NOT_FINITE ||
                     status == WARPLU_EMPTY || status == WARPLU_NOT_SQUARE || status == WARPLU_OVERFLOW ||
                     status == WARPLU_STRUCTURALLY_SINGULAR || status == WARPLU_EMPTY_COLUMNS,
                 "%s", warplu_status_name(status));
    FUZZ_REQUIRE(strncmp(error.text, path, strlen(path)) == 0, "message: %s", error.text);
    return 0;
}
