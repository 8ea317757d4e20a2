/* Reads a Matrix Market file and writes the matrix to standard output in the machine's byte order: int64
 * nrow, ncol, nnz, stored, duplicates, parts (numbers per entry), array (0 or 1); int32 ptr, idx; double
 * values. */
#include <stdio.h>

#include <warplu/matrix_market.h>

int main(int argc, char **argv)
{
    warplu_mm_matrix m = {.size = sizeof m};
    warplu_mm_error error = {.size = sizeof error};
    if (argc != 2) {
        fprintf(stderr, "usage: dump_csc FILE\n");
        return 2;
    }
    if (warplu_mm_read(argv[1], NULL, &m, &error) != WARPLU_SUCCESS) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    int parts = m.typecode.field == WARPLU_MM_FIELD_PATTERN ? 0 : m.typecode.field == WARPLU_MM_FIELD_COMPLEX ? 2 : 1;
    const int64_t head[] = {
        m.nrow, m.ncol, m.nnz, m.stored, m.duplicates, parts, m.typecode.format == WARPLU_MM_FORMAT_ARRAY};
    size_t nnz = (size_t)m.nnz, ptrs = (size_t)m.ncol + 1, numbers = nnz * (size_t)parts;
    int good = fwrite(head, sizeof head, 1, stdout) == 1 && fwrite(m.ptr, sizeof *m.ptr, ptrs, stdout) == ptrs &&
               fwrite(m.idx, sizeof *m.idx, nnz, stdout) == nnz &&
               (parts == 0 || fwrite(m.values, sizeof *m.values, numbers, stdout) == numbers) && fflush(stdout) == 0;
    warplu_mm_free(&m);
    return good ? 0 : 1;
}
