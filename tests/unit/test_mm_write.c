/* Matrix Market writers: round trips to the same bits, fewest digits, a caller's locale, files that appear
 * whole or not at all; invented values; typecode strings. */
#include <dirent.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "io/matrix_market.h"
#include "base/replace.h"

static wlu_context ctx;
static char folder[] = "/tmp/warplu-mm-XXXXXX";
static char path[256];

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

    wlu_mm_matrix m;
    CHECK(wlu_mm_write_coordinate(&ctx, in_folder(name), ROWS, COLS, ptr, idx, values, "one\ntwo") == WARPLU_SUCCESS);
    CHECK(files_in_folder() == 1);
    CHECK_SAY(wlu_mm_read(&ctx, path, &m) == WARPLU_SUCCESS, "%s", ctx.last_message);
    CHECK(m.nrow == ROWS && m.ncol == COLS && m.nnz == nnz && m.duplicates == 0);
    CHECK(m.ptr != NULL && memcmp(m.ptr, ptr, sizeof ptr) == 0);
    CHECK(m.idx != NULL && memcmp(m.idx, idx, (size_t)nnz * sizeof *idx) == 0);
    CHECK(m.values != NULL && memcmp(m.values, values, (size_t)nnz * sizeof *values) == 0);
    wlu_mm_free(&ctx, &m);

    CHECK(wlu_mm_write_array(&ctx, path, ROWS, COLS, values, NULL) == WARPLU_SUCCESS);
    CHECK(wlu_mm_read(&ctx, path, &m) == WARPLU_SUCCESS);
    CHECK(m.typecode.format == WLU_MM_ARRAY && m.nnz == ROWS * COLS && m.nrow == ROWS);
    CHECK(m.values != NULL && memcmp(m.values, values, sizeof values) == 0);
    wlu_mm_free(&ctx, &m);

    CHECK(wlu_mm_write_coordinate(&ctx, path, ROWS, COLS, ptr, idx, NULL, NULL) == WARPLU_SUCCESS);
    CHECK(wlu_mm_read(&ctx, path, &m) == WARPLU_SUCCESS);
    CHECK(m.typecode.field == WLU_MM_PATTERN && m.nnz == nnz && m.values == NULL);
    wlu_mm_free(&ctx, &m);
    unlink(path);
}

static void round_trips(void)
{
    uint64_t seed = 77;
    printf("# seed 77\n");
    round_trip("plain.mtx", &seed);
    round_trip("packed.mtx.gz", &seed);
}

static void writers_print_the_fewest_digits(void)
{
    const double v[] = {0.1, 1, -0.0, 1.0 / 3, 0.30000000000000004, DBL_MAX, 0x1p-1074, 123456789};
    CHECK(wlu_mm_write_array(&ctx, in_folder("digits.mtx"), 8, 1, v, "a comment") == WARPLU_SUCCESS);
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
    const int32_t ptr[] = {0, 1}, idx[] = {0};
    const double one = 1, infinite = INFINITY;
    CHECK(wlu_mm_write_coordinate(&ctx, "/nowhere/at/all.mtx", 1, 1, ptr, idx, &one, NULL) == WARPLU_CANNOT_OPEN);
    CHECK_SAY(strstr(ctx.last_message, "No such file") != NULL, "%s", ctx.last_message);
    CHECK(wlu_mm_write_array(&ctx, folder, 1, 1, &one, NULL) == WARPLU_CANNOT_OPEN);
    CHECK_SAY(strstr(ctx.last_message, "Is a directory") != NULL, "%s", ctx.last_message);
    CHECK(files_in_folder() == 0);

    CHECK(wlu_mm_write_array(&ctx, in_folder("kept.mtx"), 1, 1, &one, NULL) == WARPLU_SUCCESS);
    CHECK(wlu_mm_write_array(&ctx, path, 1, 1, &infinite, NULL) == WARPLU_NOT_FINITE);
    CHECK(strstr(content(), "\n1\n") != NULL); /* the old file stands */
    CHECK(wlu_mm_write_coordinate(&ctx, path, 1, 1, ptr, idx, &infinite, NULL) == WARPLU_NOT_FINITE);
    CHECK(files_in_folder() == 1);
    unlink(path);

    CHECK(wlu_mm_write_array(&ctx, "/dev/null", 1, 1, &one, NULL) == WARPLU_SUCCESS);
    struct stat info;
    CHECK(stat("/dev/null", &info) == 0 && !S_ISREG(info.st_mode));
    if (stat("/dev/full", &info) == 0) {
        CHECK(wlu_mm_write_array(&ctx, "/dev/full", 1, 1, &one, NULL) == WARPLU_CANNOT_WRITE);
        CHECK_SAY(strstr(ctx.last_message, "No space left") != NULL, "%s", ctx.last_message);
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
    const double one = 1;
    static const char *const names[] = {"kept.mtx", "kept.mtx.gz"};
    for (int k = 0; k < 4; k++) {
        CHECK(wlu_mm_write_array(&ctx, in_folder(names[k / 2]), 1, 1, &one, NULL) == WARPLU_SUCCESS);
        ctx.cancel = stop;
        polls_left = k % 2;
        CHECK(wlu_mm_write_array(&ctx, path, COUNT, 1, numbers, NULL) == WARPLU_CANCELLED);
        ctx.cancel = NULL;
        wlu_mm_matrix m;
        CHECK(wlu_mm_read(&ctx, path, &m) == WARPLU_SUCCESS && m.nnz == 1); /* the old file stands */
        wlu_mm_free(&ctx, &m);
        CHECK(files_in_folder() == 1);
        unlink(path);
    }
}

/* A name as long as the file system takes, new and then replaced; one that is longer is refused before all the work. */
static void names_of_any_length(void)
{
    char name[256], long_path[sizeof folder + sizeof name + 1];
    const double one = 1;
    memset(name, 'n', sizeof name);
    for (int length = 255; length <= 256; length++) {
        wlu_replacement r;
        snprintf(long_path, sizeof long_path, "%s/%.*s", folder, length, name);
        warplu_status wanted = length == 255 ? WARPLU_SUCCESS : WARPLU_CANNOT_OPEN;
        CHECK(wlu_mm_write_array(&ctx, long_path, 1, 1, &one, NULL) == wanted);
        CHECK(wlu_mm_write_array(&ctx, long_path, 1, 1, &one, NULL) == wanted);
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
    const double v[] = {0.1, 2.2250738585072011e-308};
    const int32_t ptr[] = {0, 2}, idx[] = {0, 1};
    wlu_mm_matrix m;
    CHECK(wlu_mm_write_coordinate(&ctx, in_folder("comma.mtx"), 2, 1, ptr, idx, v, NULL) == WARPLU_SUCCESS);
    CHECK(wlu_mm_read(&ctx, path, &m) == WARPLU_SUCCESS);
    CHECK(m.values != NULL && memcmp(m.values, v, sizeof v) == 0);
    char text[8];
    sprintf(text, "%.1f", 0.5);
    CHECK(strcmp(text, "0,5") == 0);
    wlu_mm_free(&ctx, &m);
    unlink(path);
    setlocale(LC_NUMERIC, "C");
}

static void invented_values(void)
{
    const int32_t ptr[] = {0, 2, 5, 6}, idx[] = {0, 2, 0, 1, 2, 1};
    wlu_mm_matrix m, again;
    CHECK(wlu_mm_write_coordinate(&ctx, in_folder("pattern.mtx"), 3, 3, ptr, idx, NULL, NULL) == WARPLU_SUCCESS);
    CHECK(wlu_mm_read(&ctx, path, &m) == WARPLU_SUCCESS && wlu_mm_read(&ctx, path, &again) == WARPLU_SUCCESS);
    CHECK(wlu_mm_invent_values(&ctx, &m, 1) == WARPLU_SUCCESS &&
          wlu_mm_invent_values(&ctx, &again, 1) == WARPLU_SUCCESS);
    CHECK(memcmp(m.values, again.values, 6 * sizeof(double)) == 0);
    for (int j = 0; j < 2; j++) {
        double diagonal = 0, others = 0;
        for (int q = ptr[j]; q < ptr[j + 1]; q++) {
            CHECK(m.values[q] != 0 && fabs(m.values[q]) < 1);
            *(idx[q] == j ? &diagonal : &others) += fabs(m.values[q]);
        }
        CHECK(diagonal > others && diagonal > 0.5);
    }
    CHECK(m.typecode.field == WLU_MM_REAL && m.typecode.symmetry == WLU_MM_GENERAL);
    CHECK(wlu_mm_invent_values(&ctx, &m, 2) == WARPLU_INVALID_ARGUMENT);
    wlu_mm_free(&ctx, &m);
    wlu_mm_free(&ctx, &again);
    unlink(path);
}

static void typecode_strings(void)
{
    char text[64];
    const wlu_mm_typecode a = {WLU_MM_COORDINATE, WLU_MM_REAL, WLU_MM_GENERAL};
    const wlu_mm_typecode b = {WLU_MM_ARRAY, WLU_MM_COMPLEX, WLU_MM_SKEW_SYMMETRIC};
    wlu_mm_typecode_string(&a, text);
    CHECK(strcmp(text, "matrix coordinate real general") == 0);
    wlu_mm_typecode_string(&b, text);
    CHECK(strcmp(text, "matrix array complex skew-symmetric") == 0);
}

int main(void)
{
    wlu_context_init(&ctx, NULL);
    if (mkdtemp(folder) == NULL) {
        printf("Bail out! no temporary folder\n");
        return 1;
    }
    RUN(round_trips);
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
