/* See options.h. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int whole(const char *text, int most)
{
    char *end;
    long value = strtol(text, &end, 10);
    return end != text && *end == '\0' && value >= 1 && value <= most ? (int)value : 0;
}

double positive(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return end != text && *end == '\0' && value > 0.0 && isfinite(value) ? value : 0.0;
}

int read_method(const char *text, double *memory)
{
    *memory = strcmp(text, "trap") == 0;
    return *memory > 0.0 || strcmp(text, "be") == 0;
}

int read_arguments(int argc, char **argv, int (*read)(void *arguments, const char *option, const char *value),
                   void *arguments, void (*usage)(FILE *file))
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage(stdout);
        return 0;
    }
    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || !read(arguments, argv[i], argv[i + 1])) {
            usage(stderr);
            return 2;
        }
    return -1;
}

int open_file(const char *program, const char *name, FILE **file)
{
    *file = name != NULL ? fopen(name, "w") : NULL;
    if (name != NULL && *file == NULL) fprintf(stderr, "%s: %s: %s\n", program, name, strerror(errno));
    return name == NULL || *file != NULL;
}

int close_file(const char *program, const char *name, FILE *file)
{
    if (file == NULL) return 1;
    int bad = ferror(file);
    if (fclose(file) == 0 && !bad) return 1;
    fprintf(stderr, "%s: %s cannot be written\n", program, name);
    return 0;
}
