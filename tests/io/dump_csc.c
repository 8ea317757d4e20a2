/* Reads a Matrix Market file and writes the matrix to standard output in the machine's byte order: int64
 * nrow, ncol, nnz, stored, duplicates, parts (numbers per entry), array (0 or 1); int32 ptr, idx; double
 * values. */
#include <stdio.h>

#include "io/matrix_market.h"

int main(int argc, char **argv)
{
    wlu_context ctx;
    wlu_mm_matrix m;
    wlu_context_init(&ctx, NULL);
    if (argc != 2) {
        fprintf(stderr, "usage: dump_csc FILE\n");
        return 2;
    }
    if (wlu_mm_read(&ctx, argv[1], &m) != WARPLU_SUCCESS) {
        fprintf(stderr, "%s\n", ctx.last_message);
        return 1;
    }
    int parts = m.typecode.field == WLU_MM_PATTERN ? 0 : m.typecode.field == WLU_MM_COMPLEX ? 2 : 1;
    const int64_t head[] = {m.nrow, m.ncol, m.nnz, m.stored, m.duplicates, parts, m.typecode.format == WLU_MM_ARRAY};
    size_t nnz = (size_t)m.nnz, ptrs = (size_t)m.ncol + 1, numbers = nnz * (size_t)parts;
    int good = fwrite(head, sizeof head, 1, stdout) == 1 && fwrite(m.ptr, sizeof *m.ptr, ptrs, stdout) == ptrs &&
               fwrite(m.idx, sizeof *m.idx, nnz, stdout) == nnz &&
               (parts == 0 || fwrite(m.values, sizeof *m.values, numbers, stdout) == numbers) && fflush(stdout) == 0;
    wlu_mm_free(&ctx, &m);
    return good ? 0 : 1;
}
