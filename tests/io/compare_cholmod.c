/* The reader against CHOLMOD's, bit for bit, on every *.mtx.gz in the folder WARPLU_MATRICES names. Skipped
 * with a reason where the variable or the library is missing. Prints TAP, a case for each file. */
#include <dirent.h>
#include <string.h>

#include "check.h"
#include <warplu/matrix_market.h>

#ifdef WLU_WITH_CHOLMOD

#include <zlib.h> /* first: CHOLMOD's header switches on names that zlib's would then want */
#include <suitesparse/cholmod.h>

static char path[4096];
static cholmod_common common;

/* CHOLMOD reads from a FILE and knows no gzip: an unpacked temporary file, at its beginning, or NULL. */
static FILE *unpack(void)
{
    static char bytes[1 << 16];
    int n = 0;
    FILE *f = tmpfile();
    gzFile gz = gzopen(path, "rb");
    while (f != NULL && gz != NULL && (n = gzread(gz, bytes, sizeof bytes)) > 0)
        if (fwrite(bytes, 1, (size_t)n, f) != (size_t)n) n = -1;
    if (gz != NULL) gzclose(gz);
    if (f != NULL && (gz == NULL || n < 0)) {
        fclose(f);
        f = NULL;
    }
    if (f != NULL) rewind(f);
    return f;
}

static int numbers_per_entry(const warplu_mm_matrix *m)
{
    return m->typecode.field == WARPLU_MM_FIELD_PATTERN ? 0 : m->typecode.field == WARPLU_MM_FIELD_COMPLEX ? 2 : 1;
}

/* CHOLMOD makes infinities of magnitudes of 1e308 and more, and its complex arithmetic may add -0 to +0. */
static int same_number(double ours, double theirs)
{
    return ours == theirs || ours >= 1e308 || ours <= -1e308;
}

/* All of CHOLMOD's matrix against all of ours. It sums duplicates in an order of its own, so as many values
 * may be rounded otherwise. */
static void compare_whole(const warplu_mm_matrix *m, cholmod_sparse *a)
{
    int parts = numbers_per_entry(m);
    CHECK(a != NULL && cholmod_sort(a, &common));
    if (a == NULL) return;
    const int32_t *p = a->p, *i = a->i;
    const double *x = a->x;
    int fits = (int64_t)a->nrow == m->nrow && (int64_t)a->ncol == m->ncol && p[a->ncol] == m->nnz;
    CHECK_SAY(fits, "%d entries, ours %lld", (int)p[a->ncol], (long long)m->nnz);
    if (!fits) return;
    CHECK(memcmp(p, m->ptr, (a->ncol + 1) * sizeof *p) == 0);
    CHECK(memcmp(i, m->idx, (size_t)m->nnz * sizeof *i) == 0);
    int64_t different = 0;
    for (int64_t q = 0; q < m->nnz * parts; q++) different += !same_number(m->values[q], x[q]);
    CHECK_SAY(different <= m->duplicates, "%lld values differ", (long long)different);
}

/* CHOLMOD's one triangle against ours, entry by entry. */
static void compare_triangle(const warplu_mm_matrix *m, const cholmod_sparse *a)
{
    const int32_t *p = a->p, *i = a->i;
    const double *x = a->x;
    int64_t both = 0, different = 0;
    for (int32_t j = 0; j < m->ncol && (int64_t)a->ncol == m->ncol; j++) {
        for (int32_t q = p[j]; q < p[j + 1]; q++) {
            int64_t k = m->ptr[j];
            while (k < m->ptr[j + 1] && m->idx[k] != i[q]) k++;
            both += k == m->ptr[j + 1] ? 0 : i[q] == j ? 1 : 2;
            different += k == m->ptr[j + 1] || !same_number(m->values[2 * k], x[2 * q]) ||
                         !same_number(m->values[2 * k + 1], x[2 * q + 1]);
        }
    }
    CHECK_SAY(both == m->nnz, "%lld entries, ours %lld", (long long)both, (long long)m->nnz);
    CHECK_SAY(different <= m->duplicates, "%lld values differ", (long long)different);
}

/* A symmetric file comes as one triangle: cholmod_copy expands it, but not a complex one. Pattern files come
 * with values of CHOLMOD's own: the pattern alone is compared. */
static void compare_sparse(const warplu_mm_matrix *m, cholmod_sparse *a)
{
    int parts = numbers_per_entry(m);
    CHECK(parts == 0 || a->xtype == (parts == 2 ? CHOLMOD_COMPLEX : CHOLMOD_REAL));
    if (a->stype == 0) {
        compare_whole(m, a);
    } else if (parts == 2) {
        compare_triangle(m, a);
    } else {
        cholmod_sparse *whole = cholmod_copy(a, 0, parts > 0, &common);
        compare_whole(m, whole);
        cholmod_free_sparse(&whole, &common);
    }
}

static void compare_dense(const warplu_mm_matrix *m, const cholmod_dense *d)
{
    int parts = numbers_per_entry(m);
    int fits = (int64_t)d->nrow == m->nrow && (int64_t)d->ncol == m->ncol && d->d == d->nrow &&
               d->xtype == (parts == 2 ? CHOLMOD_COMPLEX : CHOLMOD_REAL);
    const double *x = d->x;
    int64_t different = 0;
    CHECK(fits);
    for (int64_t q = 0; fits && q < m->nnz * parts; q++) different += !same_number(m->values[q], x[q]);
    CHECK_SAY(different == 0, "%lld values differ", (long long)different);
}

static void compare_file(void)
{
    warplu_mm_matrix m = {.size = sizeof m};
    warplu_mm_error error = {.size = sizeof error};
    warplu_status status = warplu_mm_read(path, NULL, &m, &error);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s", error.text);
    if (status != WARPLU_SUCCESS) return;
    int type = -1;
    FILE *f = unpack();
    CHECK(f != NULL);
    void *theirs = f != NULL ? cholmod_read_matrix(f, 1, &type, &common) : NULL;
    CHECK_SAY(theirs != NULL, "CHOLMOD reads it not, status %d", common.status);
    if (theirs != NULL && type == CHOLMOD_SPARSE) {
        CHECK(m.typecode.format == WARPLU_MM_FORMAT_COORDINATE);
        cholmod_sparse *a = theirs;
        compare_sparse(&m, a);
        cholmod_free_sparse(&a, &common);
    } else if (theirs != NULL && type == CHOLMOD_DENSE) {
        CHECK(m.typecode.format == WARPLU_MM_FORMAT_ARRAY);
        cholmod_dense *d = theirs;
        compare_dense(&m, d);
        cholmod_free_dense(&d, &common);
    }
    if (f != NULL) fclose(f);
    warplu_mm_free(&m);
}

int main(void)
{
    const char *folder = getenv("WARPLU_MATRICES"), *suffix = ".mtx.gz";
    if (folder == NULL || *folder == '\0') {
        printf("1..0 # SKIP WARPLU_MATRICES names no folder\n");
        return 0;
    }
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0) {
        printf("Bail out! cannot list %s\n", folder);
        return 1;
    }
    cholmod_start(&common);
    common.print = 0;
    for (int k = 0; k < count; k++) {
        const char *name = entries[k]->d_name;
        size_t length = strlen(name);
        if (length > strlen(suffix) && strcmp(name + length - strlen(suffix), suffix) == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, name);
            check_run(name, compare_file);
        }
        free(entries[k]);
    }
    free(entries);
    cholmod_finish(&common);
    return check_done();
}

#else

int main(void)
{
    (void)check_run;
    printf("1..0 # SKIP built without CHOLMOD\n");
    return 0;
}

#endif
