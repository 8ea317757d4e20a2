/* The quality table. See quality.h. */
#include "quality.h"

#include <stdio.h>
#include <string.h>

static const char header[] = "matrix,lu_nnz,terms,levels,vectors,program_bytes\n";

void quality_add(quality_table *table, const char *name, const warplu_statistics *t)
{
    if (table->count == QUALITY_ROWS_MAX) return;
    quality_row *r = &table->row[table->count++];
    snprintf(r->name, sizeof r->name, "%s", name);
    r->lu_nnz = t->lu_nnz;
    r->terms = t->terms;
    r->levels = t->levels;
    r->vectors = t->vectors;
    r->bytes = t->program_bytes;
}

int quality_read(quality_table *table, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    table->count = 0;
    if (file == NULL) return 0;
    int good = fgets(line, sizeof line, file) != NULL && strcmp(line, header) == 0;
    while (good && fgets(line, sizeof line, file) != NULL && table->count < QUALITY_ROWS_MAX) {
        quality_row *r = &table->row[table->count++];
        good = sscanf(line, "%127[^,],%lld,%lld,%lld,%lld,%lld", r->name, &r->lu_nnz, &r->terms, &r->levels,
                      &r->vectors, &r->bytes) == 6;
    }
    fclose(file);
    return good;
}

int quality_write(const quality_table *table, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) return 0;
    fputs(header, file);
    for (int k = 0; k < table->count; k++) {
        const quality_row *r = &table->row[k];
        fprintf(file, "%s,%lld,%lld,%lld,%lld,%lld\n", r->name, r->lu_nnz, r->terms, r->levels, r->vectors, r->bytes);
    }
    int good = !ferror(file);
    return fclose(file) == 0 && good;
}

static int differs(const char *name, const char *what, long long expected, long long found)
{
    if (expected == found) return 0;
    printf("# quality: %s: %s %lld, was %lld (%+.1f %%)\n", name, what, found, expected,
           expected != 0 ? 100.0 * (double)(found - expected) / (double)expected : 100.0);
    return 1;
}

static const quality_row *find(const quality_table *table, const char *name)
{
    for (int k = 0; k < table->count; k++)
        if (strcmp(table->row[k].name, name) == 0) return &table->row[k];
    return NULL;
}

int quality_compare(const quality_table *expected, const quality_table *found)
{
    int count = 0;
    for (int k = 0; k < found->count; k++) {
        const quality_row *f = &found->row[k], *e = find(expected, f->name);
        if (e == NULL) {
            printf("# quality: %s is not in the table\n", f->name);
            count++;
            continue;
        }
        count += differs(f->name, "lu_nnz", e->lu_nnz, f->lu_nnz);
        count += differs(f->name, "terms", e->terms, f->terms);
        count += differs(f->name, "levels", e->levels, f->levels);
        count += differs(f->name, "vectors", e->vectors, f->vectors);
        count += differs(f->name, "program_bytes", e->bytes, f->bytes);
    }
    for (int k = 0; k < expected->count; k++)
        if (find(found, expected->row[k].name) == NULL) {
            printf("# quality: %s was not swept\n", expected->row[k].name);
            count++;
        }
    return count;
}
