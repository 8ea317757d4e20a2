/* Matrix Market reader: every format, field and symmetry; duplicates; malformed files (tests/bad, compiled in
 * as WLU_BAD_FILES) with status, line and message; gzip by content; the k-th allocation failing for every k.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <warplu/matrix_market.h>
#include <warplu/warplu.h>

#include "check.h"

static warplu_mm_error error = {.size = sizeof error};
static char folder[] = "/tmp/warplu-mm-XXXXXX";
static char path[256];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *file, const char *text, size_t length)
{
    FILE *f = fopen(file, "wb");
    if (f == NULL || fwrite(text, 1, length, f) != length || fclose(f) != 0) {
        printf("Bail out! cannot write %s\n", file);
        exit(1);
    }
}

/* Writes the text to a file and reads it as a matrix. */
static warplu_status read_text(const char *text, warplu_mm_matrix *m)
{
    write_bytes(in_folder("text.mtx"), text, strlen(text));
    return warplu_mm_read(path, NULL, m, &error);
}

/* A text made line by line. */
static char made_text[200000];
static size_t made_length;

static void append_text(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    made_length += (size_t)vsnprintf(made_text + made_length, sizeof made_text - made_length, format, args);
    va_end(args);
}

/* Compares a matrix with its dense image, column-major, parts numbers an entry; NAN marks "no entry". */
static int same_as_dense(const warplu_mm_matrix *m, int parts, const double *dense)
{
    int64_t seen = 0;
    if (m->ptr == NULL) return 0;
    for (int32_t j = 0; j < m->ncol; j++) {
        int32_t q = m->ptr[j];
        for (int32_t i = 0; i < m->nrow; i++) {
            const double *want = dense + ((int64_t)j * m->nrow + i) * (parts > 0 ? parts : 1);
            if (isnan(want[0])) continue;
            if (q >= m->ptr[j + 1] || m->idx[q] != i) return 0;
            for (int k = 0; k < parts; k++)
                if (memcmp(&m->values[(int64_t)q * parts + k], &want[k], sizeof(double)) != 0) return 0;
            q++;
            seen++;
        }
        if (q != m->ptr[j + 1]) return 0;
    }
    return m->ptr[0] == 0 && seen == m->nnz;
}

#define EXPECT(content, parts, wanted_nnz, ...) \
    do { \
        const double dense_[] = {__VA_ARGS__}; \
        warplu_mm_matrix m_ = {.size = sizeof m_}; \
        warplu_status status_ = read_text((content), &m_); \
        CHECK_SAY(status_ == WARPLU_SUCCESS, "%s", error.text); \
        if (status_ == WARPLU_SUCCESS) { \
            CHECK(m_.nnz == (wanted_nnz)); \
            CHECK(same_as_dense(&m_, (parts), dense_)); \
            CHECK(((parts) == 0) == (m_.values == NULL)); \
            warplu_mm_free(&m_); \
        } \
    } while (0)

#define BANNER "%%MatrixMarket matrix "
#define N NAN /* no entry */

static void coordinate_formats(void)
{
    EXPECT(BANNER "coordinate real general\n2 3 3\n2 1 1.5\n1 2 -2\n2 3 0\n", 1, 3, N, 1.5, -2, N, N, 0);
    EXPECT(BANNER "coordinate integer general\n2 2 2\n1 1 -7\n2 2 +9007199254740993\n", 1, 2, -7, N, N,
           9007199254740992.0);
    EXPECT(BANNER "coordinate unsigned-integer symmetric\n2 2 2\n1 1 4294967295\n2 1 0\n", 1, 3, 4294967295.0, 0, 0, N);
    EXPECT(BANNER "coordinate Unsigned-Integer general\n2 2 1\n2 1 +7\n", 1, 1, N, 7, N, N);
    EXPECT(BANNER "coordinate pattern general\n2 2 2\n2 1\n1 2\n", 0, 2, N, 1, 1, N);
    EXPECT(BANNER "coordinate complex general\n2 1 1\n2 1 1 -2\n", 2, 1, N, N, 1, -2);
    EXPECT(BANNER "coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n", 1, 3, 3, 4, 4, N);
    EXPECT(BANNER "coordinate real symmetric\n2 2 2\n1 2 4\n1 1 3\n", 1, 3, 3, 4, 4, N);
    EXPECT(BANNER "coordinate pattern symmetric\n3 3 2\n3 1\n2 2\n", 0, 3, N, N, 1, N, 1, N, 1, N, N);
    EXPECT(BANNER "coordinate integer skew-symmetric\n2 2 1\n2 1 4\n", 1, 2, N, 4, -4, N);
    EXPECT(BANNER "coordinate real skew-symmetric\n2 2 2\n1 2 4\n2 2 0\n", 1, 3, N, -4, 4, 0);
    EXPECT(BANNER "coordinate complex symmetric\n2 2 1\n2 1 1 2\n", 2, 2, N, N, 1, 2, 1, 2, N, N);
    EXPECT(BANNER "coordinate complex skew-symmetric\n2 2 1\n2 1 1 2\n", 2, 2, N, N, 1, 2, -1, -2, N, N);
    EXPECT(BANNER "coordinate complex hermitian\n2 2 2\n2 1 1 2\n2 2 5 0\n", 2, 3, N, N, 1, 2, 1, -2, 5, 0);
    EXPECT(BANNER "coordinate real general\n2 2 0\n", 1, 0, N, N, N, N);
}

static void array_formats(void)
{
    EXPECT(BANNER "array real general\n2 3\n1\n2\n3\n4\n5\n6\n", 1, 6, 1, 2, 3, 4, 5, 6);
    EXPECT(BANNER "array integer general\n2 1\n1\n0\n", 1, 2, 1, 0);
    EXPECT(BANNER "array complex general\n1 2\n1 2\n3 4\n", 2, 2, 1, 2, 3, 4);
    EXPECT(BANNER "array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 1, 9, 1, 2, 3, 2, 4, 5, 3, 5, 6);
    EXPECT(BANNER "array integer skew-symmetric\n3 3\n1\n2\n3\n", 1, 9, 0, 1, 2, -1, 0, 3, -2, -3, 0);
    EXPECT(BANNER "array real skew-symmetric\n1 1\n", 1, 1, 0);
    EXPECT(BANNER "array complex symmetric\n2 2\n1 2\n3 4\n5 6\n", 2, 4, 1, 2, 3, 4, 3, 4, 5, 6);
    EXPECT(BANNER "array complex hermitian\n2 2\n1 0\n3 4\n5 0\n", 2, 4, 1, 0, 3, 4, 3, -4, 5, 0);
}

/* SciPy's field is read as integer: so says the typecode. */
static void unsigned_integers_are_integers(void)
{
    warplu_mm_matrix m = {.size = sizeof m};
    char words[WARPLU_MM_TYPECODE_BYTES];
    CHECK(read_text(BANNER "array unsigned-integer general\n2 1\n3\n18446744073709551615\n", &m) == WARPLU_SUCCESS);
    CHECK(m.typecode.field == WARPLU_MM_FIELD_INTEGER && m.values[1] == 18446744073709551616.0);
    warplu_mm_print_typecode(&m.typecode, words);
    CHECK_SAY(strcmp(words, "matrix array integer general") == 0, "%s", words);
    warplu_mm_free(&m);
}

static void layout_is_free(void)
{
    EXPECT("%%matrixmarket MATRIX Coordinate REAL General\r\n% c\r\n\r\n%\r\n 1 1 1 \r\n\r\n\t1  1\t2.5 "
           "\r\n\r\n",
           1, 1, 2.5);
    EXPECT(BANNER "array real general\n1 1\n7", 1, 1, 7);
    EXPECT("%%MatrixMarket  matrix\tarray   real general  and more\n  % indented comment\n1 1\n-.5d+01\n", 1, 1, -5);
    EXPECT(BANNER "coordinate pattern general\n1 1 1\n1 1", 0, 1, 1);
}

static void duplicates_are_summed_in_file_order(void)
{
    warplu_mm_matrix m = {.size = sizeof m};
    /* (1e16 + 1) + -1e16 is 0, (1e16 + -1e16) + 1 would be 1: rows arrive unsorted on purpose */
    CHECK(read_text(BANNER "coordinate real general\n3 2 7\n3 1 1e16\n1 1 8\n3 1 1\n2 2 0\n2 1 5\n3 1 -1e16\n2 2 0\n",
                    &m) == WARPLU_SUCCESS);
    const double dense[] = {8, 5, 0, N, 0, N};
    CHECK(same_as_dense(&m, 1, dense));
    CHECK(m.stored == 7 && m.nnz == 4 && m.duplicates == 3 && m.zeros == 2);
    warplu_mm_free(&m);
    CHECK(m.ptr == NULL && m.idx == NULL && m.values == NULL);

    CHECK(read_text(BANNER "coordinate complex hermitian\n2 2 3\n2 1 1 2\n1 2 10 20\n2 1 0 0\n", &m) == WARPLU_SUCCESS);
    const double both[] = {N, N, 11, -18, 11, 18, N, N};
    CHECK(same_as_dense(&m, 2, both));
    CHECK(m.stored == 3 && m.nnz == 2 && m.duplicates == 4 && m.zeros == 0);
    warplu_mm_free(&m);

    CHECK(read_text(BANNER "coordinate pattern general\n2 2 3\n2 1\n1 1\n2 1\n", &m) == WARPLU_SUCCESS);
    CHECK(m.nnz == 2 && m.duplicates == 1 && m.zeros == 0 && m.values == NULL);
    warplu_mm_free(&m);
}

/* A random matrix in random entry order against a dense sum. */
static void unsorted_columns(void)
{
    enum { ROWS = 37, COLS = 11, COUNT = 900 };
    uint64_t seed = 20240607;
    static double dense[ROWS * COLS];
    for (int k = 0; k < ROWS * COLS; k++) dense[k] = NAN;
    made_length = 0;
    append_text("%scoordinate integer general\n%d %d %d\n", BANNER, ROWS, COLS, COUNT);
    for (int k = 0; k < COUNT; k++) {
        int i = check_below(&seed, ROWS), j = check_below(&seed, COLS), v = check_below(&seed, 19) - 9;
        double *d = dense + j * ROWS + i;
        *d = isnan(*d) ? v : *d + v;
        append_text("%d %d %d\n", i + 1, j + 1, v);
    }
    warplu_mm_matrix m = {.size = sizeof m};
    CHECK(read_text(made_text, &m) == WARPLU_SUCCESS);
    CHECK(same_as_dense(&m, 1, dense));
    CHECK(m.nnz + m.duplicates == COUNT);
    warplu_mm_free(&m);
}

/* ------------------------------------------------------------------- files */

/* Every line of tests/bad/EXPECTED: FILE STATUS SUBSTRING. */
static void malformed_files(void)
{
    char line[512], file[4096];
    int count = 0;
    FILE *list = fopen(WLU_BAD_FILES "/EXPECTED", "r");
    CHECK(list != NULL);
    while (list != NULL && fgets(line, sizeof line, list) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#') continue;
        char *status_name = strchr(line, ' '), *message;
        if (status_name == NULL || (message = strchr(status_name + 1, ' ')) == NULL) {
            CHECK_SAY(0, "%s", line);
            continue;
        }
        *status_name++ = '\0';
        *message++ = '\0';
        snprintf(file, sizeof file, "%s/%s", WLU_BAD_FILES, line);
        warplu_mm_matrix m = {.size = sizeof m};
        warplu_status status = warplu_mm_read(file, NULL, &m, &error);
        CHECK_SAY(strcmp(warplu_status_name(status), status_name) == 0, "%s: %s", file, warplu_status_name(status));
        CHECK_SAY(strstr(error.text, message) != NULL, "%s: %s", file, error.text);
        CHECK_SAY(strncmp(error.text, file, strlen(file)) == 0, "%s: %s", file, error.text);
        CHECK_SAY(error.status == status && error.line == strtoll(error.text + strlen(file) + 1, NULL, 10),
                  "%s: line %lld", error.text, (long long)error.line);
        CHECK(m.ptr == NULL && m.idx == NULL && m.values == NULL);
        count++;
    }
    if (list != NULL) fclose(list);
    CHECK_SAY(count >= 60, "%d files", count);
}

static void files_that_do_not_open(void)
{
    warplu_mm_matrix m = {.size = sizeof m};
    CHECK(warplu_mm_read("/nowhere/at/all.mtx", NULL, &m, &error) == WARPLU_CANNOT_OPEN);
    CHECK_SAY(strstr(error.text, "No such file or directory") != NULL, "%s", error.text);
    CHECK(warplu_mm_read(folder, NULL, &m, &error) == WARPLU_CANNOT_OPEN);
    CHECK_SAY(strstr(error.text, "Is a directory") != NULL, "%s", error.text);
    CHECK(m.ptr == NULL && m.nnz == 0);

    char longest[1024]; /* the message keeps what matters */
    memset(longest, 'a', sizeof longest);
    strcpy(longest + sizeof longest - 10, "/deep.mtx");
    CHECK(warplu_mm_read(longest, NULL, &m, &error) == WARPLU_CANNOT_OPEN);
    CHECK_SAY(strstr(error.text, "/deep.mtx: cannot open") != NULL, "%s", error.text);
}

/* Lines across the buffer's borders, and one longer than the buffer. */
static void long_lines(void)
{
    enum { LONG = 1 << 20, PADDING = 200000 };
    static char text[LONG + 1000];
    int n = sprintf(text, "%scoordinate real general\n%%", BANNER);
    memset(text + n, 'c', PADDING);
    n += PADDING;
    n += sprintf(text + n, "\n2 2 2\n1 1 %0*d\n", PADDING, 7);
    sprintf(text + n, "2 2 0.5\n");
    EXPECT(text, 1, 2, 7, N, N, 0.5);

    n = sprintf(text, "%scoordinate real general\n%%", BANNER);
    memset(text + n, 'c', LONG);
    strcpy(text + n + LONG, "\n1 1 0\n");
    warplu_mm_matrix m = {.size = sizeof m};
    CHECK(read_text(text, &m) == WARPLU_BAD_FORMAT);
    CHECK_SAY(strstr(error.text, ":2: expected a line shorter than") != NULL, "%s", error.text);
}

/* A gzip file may have any name, a plain one may end in .gz; concatenated streams are one text. */
static void compressed_by_content(void)
{
    const char *first = BANNER "coordinate real general\n2 2 2\n1 1 1", *second = "2.5\n2 2 3\n";
    char name[300];
    snprintf(name, sizeof name, "%s", in_folder("packed.mtx"));
    const char *const parts[] = {first, second};
    for (int k = 0; k < 2; k++) {
        gzFile gz = gzopen(name, k == 0 ? "wb" : "ab");
        CHECK(gz != NULL && gzputs(gz, parts[k]) > 0 && gzclose(gz) == Z_OK);
    }
    warplu_mm_matrix m = {.size = sizeof m};
    CHECK(warplu_mm_read(name, NULL, &m, &error) == WARPLU_SUCCESS);
    CHECK(m.nnz == 2 && m.values[0] == 12.5 && m.values[1] == 3);
    warplu_mm_free(&m);
    unlink(name);
    write_bytes(in_folder("plain.mtx.gz"), BANNER "array real general\n1 1\n4\n", 46);
    CHECK_SAY(warplu_mm_read(path, NULL, &m, &error) == WARPLU_SUCCESS, "%s", error.text);
    CHECK(m.nnz == 1 && m.values[0] == 4);
    warplu_mm_free(&m);
    unlink(path);
}

/* ------------------------------------------------------------------- sizes */

static void expect_sizes(const char *text, warplu_status wanted, const char *message, int32_t nrow, int32_t ncol)
{
    warplu_mm_matrix m = {.size = sizeof m};
    warplu_status status = read_text(text, &m);
    CHECK_SAY(status == wanted, "%s: %s", warplu_status_name(status), error.text);
    CHECK_SAY(wanted == WARPLU_SUCCESS || strstr(error.text, message) != NULL, "%s", error.text);
    CHECK(m.nrow == nrow && m.ncol == ncol && m.stored == 1);
    CHECK(wanted == WARPLU_SUCCESS || (m.ptr == NULL && m.idx == NULL && m.values == NULL));
    if (status == WARPLU_SUCCESS) warplu_mm_free(&m);
}

/* Columns beyond what the text could fill are refused at the size line; a byte of text allows for one more. */
static void sizes_beyond_the_text(void)
{
    const int32_t most = INT32_MAX;
    expect_sizes(BANNER "coordinate real general\n%\n2147483647 2147483647 1\n1 1 1\n", WARPLU_STRUCTURALLY_SINGULAR,
                 "text.mtx:3: expected 2147483647 entries or more, one in each column, found 1", most, most);
    expect_sizes(BANNER "coordinate pattern symmetric\n2000000 2000000 1\n2 1\n\n", WARPLU_STRUCTURALLY_SINGULAR,
                 "text.mtx:2: expected 2000000 entries or more, one in each column, found 2", 2000000, 2000000);
    expect_sizes(BANNER "coordinate real general\n3 2147483647 1\n1 1 1\n", WARPLU_EMPTY_COLUMNS,
                 "text.mtx:2: expected at most 1048643 columns in a text of 67 bytes, found 2147483647", 3, most);
    expect_sizes(BANNER "coordinate real general\n2147483647 3 1\n2147483647 1 1\n", WARPLU_SUCCESS, "", most, 3);
    expect_sizes(BANNER "coordinate real general\n9999999 1048646 1\n1 1 1\n", WARPLU_SUCCESS, "", 9999999, 1048646);
    expect_sizes(BANNER "coordinate real general\n9999999 1048647 1\n1 1 1\n", WARPLU_EMPTY_COLUMNS,
                 "text.mtx:2: expected at most 1048646 columns in a text of 70 bytes, found 1048647", 9999999, 1048647);
}

/* ------------------------------------------------------------- allocations */

static int64_t bytes_alive, bytes_most;

static void *weighing_allocate(size_t bytes, void *user)
{
    (void)user;
    size_t *p = malloc(bytes + 2 * sizeof *p);
    if (p == NULL) return NULL;
    *p = bytes;
    bytes_alive += (int64_t)bytes;
    if (bytes_alive > bytes_most) bytes_most = bytes_alive;
    return p + 2;
}

static void weighing_release(void *pointer, void *user)
{
    (void)user;
    size_t *p = (size_t *)pointer - 2;
    bytes_alive -= (int64_t)*p;
    free(p);
}

/* The most memory that reading the file took, against the bound; it is freed again. */
static void weigh(const char *what, int64_t text_bytes, warplu_status wanted)
{
    warplu_mm_options weighing;
    warplu_mm_matrix m = {.size = sizeof m};
    warplu_mm_init_options(&weighing);
    weighing.allocate = weighing_allocate;
    weighing.release = weighing_release;
    bytes_most = bytes_alive = 0;
    warplu_status status = warplu_mm_read(path, &weighing, &m, &error);
    CHECK_SAY(status == wanted, "%s: %s", what, error.text);
    CHECK_SAY(bytes_most <= WARPLU_MM_BYTES_FIXED + WARPLU_MM_BYTES_PER_BYTE * text_bytes, "%s: %lld bytes for %lld",
              what, (long long)bytes_most, (long long)text_bytes);
    if (status == WARPLU_SUCCESS) warplu_mm_free(&m);
    CHECK(bytes_alive == 0);
}

/* The kinds that take most for their text: entries as short as can be, out of order in one column, mirrored; as many
 * columns as the text allows for; a count that is not true. */
static void memory_is_bounded_by_the_text(void)
{
    enum { SIZE = 1500, COUNT = SIZE * (SIZE + 1) / 2 };
    static const struct {
        const char *banner, *value;
    } kinds[] = {{"coordinate pattern symmetric", ""},
                 {"coordinate real symmetric", " 1"},
                 {"coordinate complex hermitian", " 1 0"},
                 {"array real symmetric", "1"},
                 {"array complex symmetric", "1 1"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (int lie = 0; lie < 2; lie++) {
            if (!check_due()) continue;
            FILE *f = fopen(in_folder("weigh.mtx"), "wb");
            CHECK(f != NULL);
            if (f == NULL) return;
            int array = kinds[k].banner[0] == 'a', length = fprintf(f, "%s%s\n", BANNER, kinds[k].banner);
            int64_t columns = WARPLU_MM_FREE_COLUMNS + 4 * COUNT, size = lie ? 30000 : SIZE;
            length +=
                array ? fprintf(f, "%lld %lld\n", (long long)size, (long long)size)
                      : fprintf(f, "%lld %lld %d\n", (long long)columns, (long long)columns, lie ? INT32_MAX : COUNT);
            for (int q = 0; q < COUNT; q++)
                length +=
                    array ? fprintf(f, "%s\n", kinds[k].value) : fprintf(f, "%d 1%s\n", 9 - q % 9, kinds[k].value);
            fclose(f);
            weigh(kinds[k].banner, length, lie ? WARPLU_BAD_FORMAT : WARPLU_SUCCESS);
        }
    }
    unlink(path);
}

/* A gzip file's text is what it holds, not what it weighs. */
static void compressed_text_counts_as_text(void)
{
    const int64_t columns = WARPLU_MM_FREE_COLUMNS + 100000;
    for (int lines = 90000; lines <= 110000; lines += 20000) {
        gzFile gz = gzopen(in_folder("blank.mtx.gz"), "wb");
        CHECK(gz != NULL);
        if (gz == NULL) return;
        gzprintf(gz, "%s%s\n%lld %lld 1\n1 1 1\n", BANNER, "coordinate real general", (long long)columns,
                 (long long)columns);
        for (int k = 0; k < lines; k++) gzputs(gz, "\n");
        CHECK(gzclose(gz) == Z_OK);
        weigh("blank lines", lines + 100, lines < 100000 ? WARPLU_STRUCTURALLY_SINGULAR : WARPLU_SUCCESS);
    }
    unlink(path);
}

static int allocations_left, blocks;

static void *failing_allocate(size_t bytes, void *user)
{
    (void)user;
    if (allocations_left-- <= 0) return NULL;
    void *p = malloc(bytes);
    blocks += p != NULL;
    return p;
}

static void counting_release(void *pointer, void *user)
{
    (void)user;
    blocks--;
    free(pointer);
}

static void fail_each(const warplu_mm_options *failing, const char *text)
{
    write_bytes(in_folder("alloc.mtx"), text, strlen(text));
    for (int k = 0;; k++) {
        warplu_mm_matrix m = {.size = sizeof m};
        allocations_left = k;
        warplu_status status = warplu_mm_read(path, failing, &m, &error);
        if (status == WARPLU_SUCCESS) warplu_mm_free(&m);
        CHECK_SAY(blocks == 0, "%d blocks left after failure %d", blocks, k);
        if (status == WARPLU_SUCCESS) {
            CHECK(k > 4);
            break;
        }
        CHECK_SAY(status == WARPLU_OUT_OF_MEMORY && strstr(error.text, "memory") != NULL, "%d: %s", k, error.text);
        CHECK(m.ptr == NULL && m.idx == NULL && m.values == NULL);
        if (k > 100 || status != WARPLU_OUT_OF_MEMORY) break;
    }
    unlink(path);
}

static void each_allocation_fails(void)
{
    warplu_mm_options failing;
    warplu_mm_init_options(&failing);
    failing.allocate = failing_allocate;
    failing.release = counting_release;
    made_length = 0;
    append_text("%scoordinate real symmetric\n100 100 10000\n", BANNER);
    for (int k = 0; k < 10000; k++) /* unsorted, with duplicates, more than the first capacity */
        append_text("%d %d 1\n", 100 - k % 100, k / 200 + 1);
    fail_each(&failing, made_text);
    fail_each(&failing, BANNER "coordinate pattern general\n2 2 2\n2 1\n1 1\n");
    fail_each(&failing, BANNER "array complex hermitian\n2 2\n1 0\n3 4\n5 0\n");
    fail_each(&failing, BANNER "array real general\n2 1\n1\n3\n");
}

int main(void)
{
    if (mkdtemp(folder) == NULL) {
        printf("Bail out! no temporary folder\n");
        return 1;
    }
    RUN(coordinate_formats);
    RUN(array_formats);
    RUN(unsigned_integers_are_integers);
    RUN(layout_is_free);
    RUN(duplicates_are_summed_in_file_order);
    RUN(unsorted_columns);
    RUN(malformed_files);
    RUN(files_that_do_not_open);
    RUN(long_lines);
    RUN(compressed_by_content);
    RUN(sizes_beyond_the_text);
    RUN(memory_is_bounded_by_the_text);
    RUN(compressed_text_counts_as_text);
    RUN(each_allocation_fails);
    unlink(in_folder("text.mtx"));
    rmdir(folder);
    return check_done();
}
