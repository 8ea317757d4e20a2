/* Values of a matrix in the places of another one's pattern: of sequences and batches, whose files may hold their
 * entries in any order. */
#ifndef WLU_SAME_PATTERN_H
#define WLU_SAME_PATTERN_H

#include "load.h"

/* Reads a system whose entries are among those of a, the matrix of the file at a_path, and gives its values in a's
 * order: a->nnz of them, complex where a's are. An entry that it lacks is zero, or an error where whole is not 0.
 * O(nnz) beside the reading. WARPLU_PATTERN_MISMATCH, said with the file, the entry and what was expected; those of
 * load_as and load_system. */
warplu_status same_pattern_read(load_setup *s, const char *path, const char *a_path, const warplu_mm_matrix *a,
                                int whole, double *out);

#endif
