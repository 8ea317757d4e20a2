/* Which libraries a plug-in really runs on. See blas.h. */
#define _GNU_SOURCE
#include "blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int threads_function(void);
typedef char *text_function(void);
typedef void version_function(char *text, int size);

/* ISO C converts no object pointer to a function; POSIX wants it to work. */
#define FIND(function, name) \
    do { \
        void *found = dlsym(RTLD_DEFAULT, (name)); \
        memcpy(&(function), &found, sizeof found); \
    } while (0)

/* The path of what holds a function, or none; to be freed. */
static char *path_of(const char *function)
{
    Dl_info info;
    void *address = dlsym(RTLD_DEFAULT, function);
    if (address == NULL || dladdr(address, &info) == 0 || info.dli_fname == NULL) return NULL;
    return realpath(info.dli_fname, NULL);
}

void peer_library_file(const char *function, char *text, size_t size)
{
    char *path = path_of(function);
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    snprintf(text, size, "%s", slash != NULL ? slash + 1 : "");
    free(path);
}

static void append_threads(char *text, size_t size, const char *function)
{
    threads_function *threads;
    FIND(threads, function);
    if (threads == NULL) return;
    size_t used = strlen(text);
    int count = threads();
    snprintf(text + used, size - used, ", %d thread%s", count, count == 1 ? "" : "s");
}

/* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH Zen MAX_THREADS=64": the first two words and the kernels in use. */
static int openblas_name(char *text, size_t size)
{
    text_function *config, *core;
    char name[32] = "", version[32] = "";
    FIND(config, "openblas_get_config");
    FIND(core, "openblas_get_corename");
    if (config == NULL || sscanf(config(), "%31s %31s", name, version) < 1) return 0;
    snprintf(text, size, "%s %s %s", name, version, core != NULL ? core() : "");
    append_threads(text, size, "openblas_get_num_threads");
    return 1;
}

/* "Intel(R) oneAPI Math Kernel Library Version 2023.1-Product Build 20230303 for ...": the version. */
static int mkl_name(char *text, size_t size)
{
    version_function *version;
    char full[256] = "", number[32] = "";
    FIND(version, "mkl_get_version_string");
    if (version == NULL) return 0;
    version(full, sizeof full - 1);
    const char *at = strstr(full, "Version ");
    if (at == NULL || sscanf(at, "Version %31[^- ]", number) != 1) return 0;
    snprintf(text, size, "MKL %s", number);
    append_threads(text, size, "mkl_get_max_threads");
    return 1;
}

void peer_blas_name(char *text, size_t size)
{
    char *path = path_of("dgemm_");
    int named = 0;
    if (path != NULL && strstr(path, "openblas") != NULL) named = openblas_name(text, size);
    if (path != NULL && strstr(path, "mkl") != NULL) named = mkl_name(text, size);
    if (!named) peer_library_file("dgemm_", text, size);
    free(path);
}
