/* The quality table: what the analysis and the compiler made of each matrix. Deterministic for one set of libraries;
 * orderings differ between versions of them. */
#ifndef WLU_SWEEP_QUALITY_H
#define WLU_SWEEP_QUALITY_H

#include <warplu/warplu.h>

typedef struct quality_row {
    char name[128];
    long long lu_nnz, terms, levels, vectors, bytes;
} quality_row;

enum { QUALITY_ROWS_MAX = 512 };
typedef struct quality_table {
    int count;
    quality_row row[QUALITY_ROWS_MAX];
} quality_table;

/* Appends a row. */
void quality_add(quality_table *table, const char *name, const warplu_statistics *t);
/* 0 if the file cannot be read or written. */
int quality_read(quality_table *table, const char *path);
int quality_write(const quality_table *table, const char *path);
/* Prints each difference as a comment and returns how many there are. */
int quality_compare(const quality_table *expected, const quality_table *found);

#endif
