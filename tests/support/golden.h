/* Texts against committed ones, NAME.txt beside the test that makes them. In a header because check.h counts failures
 * per test file. */
#ifndef WLU_TEST_GOLDEN_H
#define WLU_TEST_GOLDEN_H

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline char *golden_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);
    if (file == NULL) return text;
    size_t got = fread(text, 1, (1 << 16) - 1, file);
    text[got] = '\0';
    fclose(file);
    return text;
}

static inline void golden_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    if (file == NULL) return;
    fputs(text, file);
    CHECK(fclose(file) == 0);
}

/* The first line that differs. */
static inline void golden_explain(const char *expected, const char *found)
{
    int line = 1;
    while (*expected != '\0' && *expected == *found) {
        line += *expected == '\n';
        expected++;
        found++;
    }
    printf("#   line %d: expected '%.*s', found '%.*s' from there on\n", line, (int)strcspn(expected, "\n"), expected,
           (int)strcspn(found, "\n"), found);
}

/* Notes a failure unless the text in the folder is what was found; or replaces it. */
static inline void golden_compare(const char *folder, const char *name, const char *found, int update)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.txt", folder, name);
    if (update) {
        golden_write(path, found);
        return;
    }
    char *expected = golden_read(path);
    CHECK_SAY(strcmp(expected, found) == 0, "%s; if the change is wanted, run the test with --update", path);
    if (strcmp(expected, found) != 0) golden_explain(expected, found);
    free(expected);
}

#endif
