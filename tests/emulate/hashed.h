/* The matrices and programs whose results are committed as hashes (hashes.csv): what the emulated device computes here
 * and what a GPU computes elsewhere has to be that. */
#ifndef WLU_TEST_HASHED_H
#define WLU_TEST_HASHED_H

#include "support/hash.h"

enum { HASHED_NAME = 32 };

/* A line of the file. */
typedef struct hashed_line {
    char name[HASHED_NAME], order[HASHED_NAME], program[HASHED_NAME];
    int32_t n;
    test_hashes hashes;
} hashed_line;

int hashed_count(void);

/* What the executor, in the case's precision, makes of case number k: its program replayed once on values unlike those
 * that pivots were chosen for, and a right-hand side solved for. */
warplu_status hashed_compute(int k, const wlu_executor *executor, hashed_line *line);

/* Reads the file; the caller frees the lines. Returns how many, -1 where the file cannot be read. */
int hashed_read(const char *path, hashed_line **lines);
int hashed_write(const char *path, const hashed_line *lines, int count);
/* The line of the same matrix, order and program, or NULL. */
const hashed_line *hashed_find(const hashed_line *lines, int count, const hashed_line *like);

#endif
