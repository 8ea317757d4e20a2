/* Matrix Market writer: round trips to the same bits, every field, fewest digits, a caller's locale and rounding mode,
 * files that appear whole or not at all, arguments that are refused; invented values; typecodes. */
#include <dirent.h>
#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "base/replace.h"
#include "gen/invent.h"

static warplu_mm_options options;
static warplu_mm_error error = {.size = sizeof error};
static char folder[] = "/tmp/warplu-mm-XXXXXX";
static char path[256];

/* Values NULL: a pattern. */
static warplu_status write_coordinate(const char *file, int32_t nrow, int32_t ncol, int32_t *ptr, int32_t *idx,
                                      double *values, const char *comment)
{
    const warplu_mm_matrix m = {.size = sizeof m,
                                .typecode.field = values != NULL ? WARPLU_MM_FIELD_REAL : WARPLU_MM_FIELD_PATTERN,
                                .nrow = nrow,
                                .ncol = ncol,
                                .ptr = ptr,
                                .idx = idx,
                                .values = values};
    return warplu_mm_write(file, &m, comment, &options, &error);
}

static warplu_status write_array(const char *file, int32_t nrow, int32_t ncol, double *values, const char *comment)
{
    const warplu_mm_matrix m = {
        .size = sizeof m, .typecode.format = WARPLU_MM_FORMAT_ARRAY, .nrow = nrow, .ncol = ncol, .values = values};
    return warplu_mm_write(file, &m, comment, &options, &error);
}

static warplu_status read_path(warplu_mm_matrix *m)
{
    return warplu_mm_read(path, &options, m, &error);
}

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int files_in_folder(void)
{
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) count += e->d_name[0] != '.';
    if (d != NULL) closedir(d);
    return count;
}

static void free_nothing(void *pointer, void *user)
{
    (void)pointer;
    (void)user;
}

/* The whole file at path, "" where there is none. */
static const char *content(void)
{
    static char text[4096];
    FILE *f = fopen(path, "rb");
    size_t n = f == NULL ? 0 : fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    if (f != NULL) fclose(f);
    return text;
}

/* Random finite doubles of all magnitudes, subnormal ones and both zeros among them. */
static double random_double(uint64_t *seed)
{
    uint64_t bits = check_random(seed);
    double v;
    if (check_below(seed, 16) == 0) bits &= UINT64_C(0x800fffffffffffff);
    if (check_below(seed, 16) == 0) bits &= UINT64_C(0x8000000000000000);
    memcpy(&v, &bits, sizeof v);
    return isfinite(v) ? v : (double)check_below(seed, 1000) / 10;
}

static void round_trip(const char *name, uint64_t *seed)
{
    enum { ROWS = 300, COLS = 200 };
    static int32_t ptr[COLS + 1], idx[ROWS * COLS];
    static double values[ROWS * COLS];
    int32_t nnz = 0;
    for (int j = 0; j < COLS; j++) {
        for (int i = 0; i < ROWS; i++)
            if (check_below(seed, 4) == 0) idx[nnz++] = i;
        ptr[j + 1] = nnz;
    }
    for (int k = 0; k < ROWS * COLS; k++) values[k] = random_double(seed);

    warplu_mm_matrix m = {.size = sizeof m};
    CHECK(write_coordinate(in_folder(name), ROWS, COLS, ptr, idx, values, "one\ntwo") == WARPLU_SUCCESS);
    CHECK(files_in_folder() == 1);
    CHECK_SAY(read_path(&m) == WARPLU_SUCCESS, "%s", error.text);
    CHECK(m.nrow == ROWS && m.ncol == COLS && m.nnz == nnz && m.duplicates == 0);
    CHECK(m.ptr != NULL && memcmp(m.ptr, ptr, sizeof ptr) == 0);
    CHECK(m.idx != NULL && memcmp(m.idx, idx, (size_t)nnz * sizeof *idx) == 0);
    CHECK(m.values != NULL && memcmp(m.values, values, (size_t)nnz * sizeof *values) == 0);
    warplu_mm_free(&m);

    CHECK(write_array(path, ROWS, COLS, values, NULL) == WARPLU_SUCCESS);
    CHECK(read_path(&m) == WARPLU_SUCCESS);
    CHECK(m.typecode.format == WARPLU_MM_FORMAT_ARRAY && m.nnz == ROWS * COLS && m.nrow == ROWS);
    CHECK(m.values != NULL && memcmp(m.values, values, sizeof values) == 0);
    warplu_mm_free(&m);

    CHECK(write_coordinate(path, ROWS, COLS, ptr, idx, NULL, NULL) == WARPLU_SUCCESS);
    CHECK(read_path(&m) == WARPLU_SUCCESS);
    CHECK(m.typecode.field == WARPLU_MM_FIELD_PATTERN && m.nnz == nnz && m.values == NULL);
    warplu_mm_free(&m);
    unlink(path);
}

static void round_trips(void)
{
    uint64_t seed = 77;
    printf("# seed 77\n");
    round_trip("plain.mtx", &seed);
    round_trip("packed.mtx.gz", &seed);
}

/* Fields other than real, in both formats; what is read of a symmetric file is written whole. */
static void every_field_is_written(void)
{
    static double numbers[] = {0, -1, 0.1, 2, 1e300, -0.0}, whole[] = {0, -1, 9007199254740993.0, 1e22, 5, -0.0};
    static int32_t ptr[] = {0, 1, 3}, idx[] = {1, 0, 1};
    for (int k = 0; k < 4; k++) {
        int array = k % 2, parts = k < 2 ? 2 : 1;
        const warplu_mm_matrix m = {.size = sizeof m,
                                    .typecode = {.format = array ? WARPLU_MM_FORMAT_ARRAY : WARPLU_MM_FORMAT_COORDINATE,
                                                 .field = k < 2 ? WARPLU_MM_FIELD_COMPLEX : WARPLU_MM_FIELD_INTEGER,
                                                 .symmetry = WARPLU_MM_SYMMETRY_SYMMETRIC},
                                    .nrow = array ? 3 : 2,
                                    .ncol = array ? 1 : 2,
                                    .ptr = array ? NULL : ptr,
                                    .idx = array ? NULL : idx,
                                    .values = k < 2 ? numbers : whole};
        warplu_mm_matrix again = {.size = sizeof again};
        CHECK_SAY(warplu_mm_write(in_folder("field.mtx"), &m, NULL, NULL, &error) == WARPLU_SUCCESS, "%s", error.text);
        CHECK_SAY(warplu_mm_read(path, NULL, &again, &error) == WARPLU_SUCCESS, "%s", error.text);
        CHECK(again.typecode.field == m.typecode.field && again.typecode.format == m.typecode.format);
        CHECK(again.typecode.symmetry == WARPLU_MM_SYMMETRY_GENERAL && again.nnz == 3 && again.stored == 3);
        CHECK(again.values != NULL && memcmp(again.values, m.values, 3 * (size_t)parts * sizeof(double)) == 0);
        warplu_mm_free(&again);
    }
    unlink(path);
}

/* The sizes alone, of a file whose entries are missing too. */
static void sizes_are_read_alone(void)
{
    warplu_mm_matrix m = {.size = sizeof m};
    FILE *f = fopen(in_folder("sizes.mtx"), "wb");
    CHECK(f != NULL && fputs("%%MatrixMarket matrix coordinate real symmetric\n%\n 7 7 9\n1 1 1\n", f) > 0);
    if (f != NULL) fclose(f);
    CHECK(warplu_mm_read_sizes(path, NULL, &m, &error) == WARPLU_SUCCESS && error.status == WARPLU_SUCCESS);
    CHECK(m.nrow == 7 && m.ncol == 7 && m.stored == 9 && m.typecode.symmetry == WARPLU_MM_SYMMETRY_SYMMETRIC);
    CHECK(m.ptr == NULL && m.idx == NULL && m.values == NULL && m.nnz == 0);
    CHECK(warplu_mm_read(path, NULL, &m, &error) == WARPLU_BAD_FORMAT && error.line == 4 && m.stored == 1);
    CHECK(error.status == WARPLU_BAD_FORMAT && strncmp(error.text, path, strlen(path)) == 0);
    unlink(path);
}

/* Nothing is written, and no file is made, of a matrix that is none. */
static void wrong_arguments_are_refused(void)
{
    static int32_t ptr[] = {0, 1, 2}, idx[] = {0, 1}, falling[] = {0, 2, 1}, outside[] = {0, 2}, late[] = {1, 1, 2};
    static double values[] = {1, 2.5};
    const warplu_mm_matrix right = {
        .size = sizeof right, .nrow = 2, .ncol = 2, .ptr = ptr, .idx = idx, .values = values};
    warplu_mm_matrix wrong[11];
    for (int k = 0; k < 11; k++) wrong[k] = right;
    wrong[0].size = 0;
    wrong[1].nrow = 0;
    wrong[2].ptr = NULL;
    wrong[3].ptr = falling;
    wrong[4].ptr = late;
    wrong[5].idx = outside;
    wrong[6].values = NULL;
    wrong[7].typecode.field = WARPLU_MM_FIELD_INTEGER;
    wrong[8].typecode = (warplu_mm_typecode){.format = WARPLU_MM_FORMAT_ARRAY, .field = WARPLU_MM_FIELD_PATTERN};
    wrong[9].typecode.field = (warplu_mm_field)7;
    wrong[10].ncol = -1;
    in_folder("wrong.mtx");
    for (int k = 0; k < 11; k++)
        CHECK_SAY(warplu_mm_write(path, &wrong[k], NULL, NULL, &error) == WARPLU_INVALID_ARGUMENT &&
                      error.text[0] != '\0',
                  "%d: %s", k, error.text);
    CHECK(warplu_mm_write(NULL, &right, NULL, NULL, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_mm_write(path, NULL, NULL, NULL, NULL) == WARPLU_INVALID_ARGUMENT);
    warplu_mm_options half = {.size = sizeof half, .release = free_nothing}, none = {0};
    CHECK(warplu_mm_write(path, &right, NULL, &half, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_mm_write(path, &right, NULL, &none, NULL) == WARPLU_INVALID_ARGUMENT);
    warplu_mm_matrix large = {.size = sizeof large,
                              .typecode.format = WARPLU_MM_FORMAT_ARRAY,
                              .nrow = 65536,
                              .ncol = 65536,
                              .values = values};
    CHECK(warplu_mm_write(path, &large, NULL, NULL, &error) == WARPLU_OVERFLOW);
    CHECK(files_in_folder() == 0);
    CHECK(warplu_mm_read(NULL, NULL, &large, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_mm_read(path, NULL, NULL, &error) == WARPLU_INVALID_ARGUMENT && error.line == 0);
    CHECK(warplu_mm_read(path, NULL, &wrong[0], &error) == WARPLU_INVALID_ARGUMENT);
    warplu_mm_free(NULL);
}

/* The caller's rounding mode changes no number, and is the caller's again afterwards. */
static void rounding_modes(void)
{
    double v[] = {0.1, 2.2250738585072011e-308, 1.0 / 3};
    fesetround(FE_UPWARD);
    warplu_mm_matrix m = {.size = sizeof m};
    CHECK(write_array(in_folder("rounding.mtx"), 3, 1, v, NULL) == WARPLU_SUCCESS && read_path(&m) == WARPLU_SUCCESS);
    CHECK(fegetround() == FE_UPWARD);
    fesetround(FE_TONEAREST);
    CHECK(m.values != NULL && memcmp(m.values, v, sizeof v) == 0);
    CHECK(strstr(content(), "\n0.1\n") != NULL);
    warplu_mm_free(&m);
    unlink(path);
}

/* A caller's record of another size is filled as far as it goes. */
static void records_of_other_sizes(void)
{
    struct {
        warplu_mm_error error;
        char more[8];
    } newer = {.error.size = sizeof newer, .more = "kept"};
    warplu_mm_error older = {.size = offsetof(warplu_mm_error, text), .text = "kept"};
    warplu_mm_matrix m = {.size = sizeof m};
    CHECK(warplu_mm_read("/nowhere", NULL, &m, &newer.error) == WARPLU_CANNOT_OPEN);
    CHECK(newer.error.size == sizeof newer.error && newer.error.text[0] != '\0' && strcmp(newer.more, "kept") == 0);
    CHECK(warplu_mm_read("/nowhere", NULL, &m, &older) == WARPLU_CANNOT_OPEN);
    CHECK(older.status == WARPLU_CANNOT_OPEN && strcmp(older.text, "kept") == 0);
}

static void writers_print_the_fewest_digits(void)
{
    double v[] = {0.1, 1, -0.0, 1.0 / 3, 0.30000000000000004, DBL_MAX, 0x1p-1074, 123456789};
    CHECK(write_array(in_folder("digits.mtx"), 8, 1, v, "a comment") == WARPLU_SUCCESS);
    CHECK_SAY(strcmp(content(), "%%MatrixMarket matrix array real general\n% a comment\n8 1\n0.1\n1\n-0\n"
                                "0.3333333333333333\n0.30000000000000004\n1.7976931348623157e+308\n"
                                "4.94065645841247e-324\n123456789\n") == 0,
              "%s", content());
    struct stat info;
    mode_t mask = umask(022);
    umask(mask);
    CHECK(stat(path, &info) == 0 && (info.st_mode & 0777) == (0666 & ~mask));
    unlink(path);
}

static void writers_leave_nothing_behind(void)
{
    int32_t ptr[] = {0, 1}, idx[] = {0};
    double one = 1, infinite = INFINITY;
    CHECK(write_coordinate("/nowhere/at/all.mtx", 1, 1, ptr, idx, &one, NULL) == WARPLU_CANNOT_OPEN);
    CHECK_SAY(strstr(error.text, "No such file") != NULL, "%s", error.text);
    CHECK(write_array(folder, 1, 1, &one, NULL) == WARPLU_CANNOT_OPEN);
    CHECK_SAY(strstr(error.text, "Is a directory") != NULL, "%s", error.text);
    CHECK(files_in_folder() == 0);

    CHECK(write_array(in_folder("kept.mtx"), 1, 1, &one, NULL) == WARPLU_SUCCESS);
    CHECK(write_array(path, 1, 1, &infinite, NULL) == WARPLU_NOT_FINITE);
    CHECK(strstr(content(), "\n1\n") != NULL); /* the old file stands */
    CHECK(write_coordinate(path, 1, 1, ptr, idx, &infinite, NULL) == WARPLU_NOT_FINITE);
    CHECK(files_in_folder() == 1);
    unlink(path);

    CHECK(write_array("/dev/null", 1, 1, &one, NULL) == WARPLU_SUCCESS);
    struct stat info;
    CHECK(stat("/dev/null", &info) == 0 && !S_ISREG(info.st_mode));
    if (stat("/dev/full", &info) == 0) {
        CHECK(write_array("/dev/full", 1, 1, &one, NULL) == WARPLU_CANNOT_WRITE);
        CHECK_SAY(strstr(error.text, "No space left") != NULL, "%s", error.text);
    }
}

/* The polls that go by before the caller cancels. */
static int polls_left;

static int stop(void *user)
{
    (void)user;
    return polls_left-- <= 0;
}

static void writers_stop_when_asked(void)
{
    enum { COUNT = 100000 }; /* several buffers */
    static double numbers[COUNT];
    double one = 1;
    static const char *const names[] = {"kept.mtx", "kept.mtx.gz"};
    for (int k = 0; k < 4; k++) {
        CHECK(write_array(in_folder(names[k / 2]), 1, 1, &one, NULL) == WARPLU_SUCCESS);
        options.cancel = stop;
        polls_left = k % 2;
        CHECK(write_array(path, COUNT, 1, numbers, NULL) == WARPLU_CANCELLED);
        options.cancel = NULL;
        warplu_mm_matrix m = {.size = sizeof m};
        CHECK(read_path(&m) == WARPLU_SUCCESS && m.nnz == 1); /* the old file stands */
        warplu_mm_free(&m);
        CHECK(files_in_folder() == 1);
        unlink(path);
    }
}

/* A name as long as the file system takes, new and then replaced; one that is longer is refused before all the work. */
static void names_of_any_length(void)
{
    char name[256], long_path[sizeof folder + sizeof name + 1];
    double one = 1;
    memset(name, 'n', sizeof name);
    for (int length = 255; length <= 256; length++) {
        wlu_context ctx;
        wlu_replacement r;
        wlu_context_init(&ctx, NULL);
        snprintf(long_path, sizeof long_path, "%s/%.*s", folder, length, name);
        warplu_status wanted = length == 255 ? WARPLU_SUCCESS : WARPLU_CANNOT_OPEN;
        CHECK(write_array(long_path, 1, 1, &one, NULL) == wanted);
        CHECK(write_array(long_path, 1, 1, &one, NULL) == wanted);
        CHECK(files_in_folder() == (wanted == WARPLU_SUCCESS));
        CHECK(wlu_replace_begin(&ctx, long_path, &r) == wanted);
        if (r.fd >= 0) close(r.fd);
        CHECK(wlu_replace_end(&ctx, &r, 0) == 0);
        unlink(long_path);
    }
}

/* A caller's locale with a decimal comma changes nothing, neither in reading nor in writing. */
static void comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                        "fr_FR.UTF-8", "fr_FR.utf8", "es_ES.UTF-8"};
    const char *got = NULL;
    for (size_t k = 0; k < sizeof names / sizeof names[0] && got == NULL; k++) got = setlocale(LC_NUMERIC, names[k]);
    if (got == NULL) SKIP("no locale with a decimal comma is installed");
    double v[] = {0.1, 2.2250738585072011e-308};
    int32_t ptr[] = {0, 2}, idx[] = {0, 1};
    warplu_mm_matrix m = {.size = sizeof m};
    CHECK(write_coordinate(in_folder("comma.mtx"), 2, 1, ptr, idx, v, NULL) == WARPLU_SUCCESS);
    CHECK(read_path(&m) == WARPLU_SUCCESS);
    CHECK(m.values != NULL && memcmp(m.values, v, sizeof v) == 0);
    char text[8];
    sprintf(text, "%.1f", 0.5);
    CHECK(strcmp(text, "0,5") == 0);
    warplu_mm_free(&m);
    unlink(path);
    setlocale(LC_NUMERIC, "C");
}

static void invented_values(void)
{
    wlu_context ctx;
    int32_t ptr[] = {0, 2, 5, 6}, idx[] = {0, 2, 0, 1, 2, 1};
    warplu_mm_matrix m = {.size = sizeof m}, again = {.size = sizeof again};
    wlu_context_init(&ctx, NULL);
    CHECK(write_coordinate(in_folder("pattern.mtx"), 3, 3, ptr, idx, NULL, NULL) == WARPLU_SUCCESS);
    CHECK(read_path(&m) == WARPLU_SUCCESS && read_path(&again) == WARPLU_SUCCESS);
    CHECK(gen_invent_values(&ctx, &m, 1) == WARPLU_SUCCESS && gen_invent_values(&ctx, &again, 1) == WARPLU_SUCCESS);
    CHECK(memcmp(m.values, again.values, 6 * sizeof(double)) == 0);
    for (int j = 0; j < 2; j++) {
        double diagonal = 0, others = 0;
        for (int q = ptr[j]; q < ptr[j + 1]; q++) {
            CHECK(m.values[q] != 0 && fabs(m.values[q]) < 1);
            *(idx[q] == j ? &diagonal : &others) += fabs(m.values[q]);
        }
        CHECK(diagonal > others && diagonal > 0.5);
    }
    CHECK(m.typecode.field == WARPLU_MM_FIELD_REAL && m.typecode.symmetry == WARPLU_MM_SYMMETRY_GENERAL);
    CHECK(gen_invent_values(&ctx, &m, 2) == WARPLU_INVALID_ARGUMENT);
    warplu_mm_free(&m);
    warplu_mm_free(&again);
    unlink(path);
}

static void typecode_strings(void)
{
    char text[WARPLU_MM_TYPECODE_BYTES];
    const warplu_mm_typecode a = {.format = WARPLU_MM_FORMAT_COORDINATE};
    const warplu_mm_typecode b = {WARPLU_MM_OBJECT_MATRIX, WARPLU_MM_FORMAT_ARRAY, WARPLU_MM_FIELD_COMPLEX,
                                  WARPLU_MM_SYMMETRY_SKEW_SYMMETRIC};
    const warplu_mm_typecode none = {.format = WARPLU_MM_FORMAT_ARRAY, .field = WARPLU_MM_FIELD_PATTERN};
    warplu_mm_print_typecode(&a, text);
    CHECK(strcmp(text, "matrix coordinate real general") == 0);
    warplu_mm_print_typecode(&b, text);
    CHECK(strcmp(text, "matrix array complex skew-symmetric") == 0);
    warplu_mm_print_typecode(&none, text);
    CHECK(strcmp(text, "") == 0);
}

int main(void)
{
    warplu_mm_init_options(&options);
    if (mkdtemp(folder) == NULL) {
        printf("Bail out! no temporary folder\n");
        return 1;
    }
    RUN(round_trips);
    RUN(every_field_is_written);
    RUN(sizes_are_read_alone);
    RUN(wrong_arguments_are_refused);
    RUN(rounding_modes);
    RUN(records_of_other_sizes);
    RUN(writers_print_the_fewest_digits);
    RUN(writers_leave_nothing_behind);
    RUN(writers_stop_when_asked);
    RUN(names_of_any_length);
    RUN(comma_locale);
    RUN(invented_values);
    RUN(typecode_strings);
    rmdir(folder);
    return check_done();
}
