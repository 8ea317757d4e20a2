/* The matrices and programs whose results are committed as hashes (hashes.csv): what the emulated device computes here and what a
 * GPU computes elsewhere has to be that. */
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

/* Builds case number k, its program compiled for a device. values, rhs: what is replayed and solved for; the caller frees them.
 * line: all but the hashes. */
warplu_status hashed_build(int k, test_build *b, double **values, double **rhs, hashed_line *line);

/* Reads the file; the caller frees the lines. Returns how many, -1 where the file cannot be read. */
int hashed_read(const char *path, hashed_line **lines);
int hashed_write(const char *path, const hashed_line *lines, int count);
/* The line of the same matrix, order and program, or NULL. */
const hashed_line *hashed_find(const hashed_line *lines, int count, const hashed_line *like);

#endif
