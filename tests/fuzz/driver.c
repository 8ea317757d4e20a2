/* Runs a fuzz target without libFuzzer: every file of its corpus, then random mutations of them from a fixed seed. TAP.
 *
 *     fuzz_TARGET CORPUS [--runs N] [--seed S]
 *
 * Also "fuzz_TARGET FILE" for one input. Where the target ends the process, the input is in fuzz-crash. */
#include "fuzz.h"

#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INPUTS_MAX = 1000, BYTES_MAX = 4096, PATH_BYTES = 1024, RUNS = 20000 };

typedef struct bytes {
    size_t size;
    uint8_t *data;
} bytes;

static bytes inputs[INPUTS_MAX];
static int ninputs;
static uint64_t seed = 20260812;
static long long runs = RUNS;
static uint8_t current[BYTES_MAX];
static size_t current_size;

static void keep_input(void)
{
    static const char text[] = "# the input is in fuzz-crash\n";
    int fd = open("fuzz-crash", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || write(fd, current, current_size) < 0 || write(STDOUT_FILENO, text, sizeof text - 1) < 0) return;
    close(fd);
}

static void on_signal(int number)
{
    keep_input();
    signal(number, SIG_DFL);
    raise(number);
}

#if defined(__GNUC__)
/* Sanitizers end the process without a signal. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
#endif

static void watch(void)
{
    signal(SIGABRT, on_signal);
    signal(SIGFPE, on_signal);
#if defined(__GNUC__)
    if (__sanitizer_set_death_callback != NULL)
        __sanitizer_set_death_callback(keep_input);
    else
        signal(SIGSEGV, on_signal);
#endif
}

static void run_input(const uint8_t *data, size_t size)
{
    uint8_t *own = malloc(size + 1); /* of its own size, so that a sanitizer sees its end */
    memcpy(current, data, size);
    current_size = size;
    memcpy(own, data, size);
    LLVMFuzzerTestOneInput(own, size);
    free(own);
}

static int read_input(const char *path)
{
    uint8_t data[BYTES_MAX];
    FILE *file = fopen(path, "rb");
    if (file == NULL || ninputs == INPUTS_MAX) return 0;
    size_t size = fread(data, 1, sizeof data, file);
    int whole = feof(file) || fgetc(file) == EOF;
    fclose(file);
    if (!whole) return 0;
    inputs[ninputs].data = malloc(size + 1);
    memcpy(inputs[ninputs].data, data, size);
    inputs[ninputs++].size = size;
    return 1;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* A file, or all files of a folder in the order of their names. */
static int read_inputs(const char *path)
{
    static char names[INPUTS_MAX][256];
    char whole[PATH_BYTES];
    struct stat info;
    int count = 0;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) return read_input(path);
    DIR *folder = opendir(path);
    if (folder == NULL) return 0;
    for (struct dirent *e = readdir(folder); e != NULL && count < INPUTS_MAX; e = readdir(folder))
        if (e->d_name[0] != '.') snprintf(names[count++], sizeof names[0], "%s", e->d_name);
    closedir(folder);
    qsort(names, (size_t)count, sizeof names[0], by_name);
    for (int k = 0; k < count; k++) {
        int length = snprintf(whole, sizeof whole, "%s/%s", path, names[k]);
        if (length < 0 || (size_t)length >= sizeof whole || !read_input(whole)) return 0;
    }
    return count > 0;
}

/* ---------------------------------------------------------------- mutation */

static size_t below(size_t n)
{
    return n > 0 ? (size_t)(check_random(&seed) % n) : 0;
}

static void overwrite(uint8_t *data, size_t size)
{
    static const int32_t numbers[] = {0, 1, -1, 2, 0x7fffffff, (int32_t)-0x7fffffff - 1, 0x7ff00000, 0x00100000, 256};
    int32_t number = numbers[below(sizeof numbers / sizeof *numbers)];
    size_t width = (size_t)1 << below(3), at = below(size);
    if (at + width <= size) memcpy(data + at, &number, width);
}

/* Part of another input over or into this one. */
static size_t splice(uint8_t *data, size_t size)
{
    const bytes *other = &inputs[below((size_t)ninputs)];
    size_t from = below(other->size), count = below(other->size - from + 1), at = below(size + 1);
    if (at + count > BYTES_MAX) count = BYTES_MAX - at;
    if (count > 0) memcpy(data + at, other->data + from, count);
    return at + count > size ? at + count : size;
}

static size_t insert_or_delete(uint8_t *data, size_t size)
{
    size_t count = 1 + below(16), at = below(size + 1);
    if (below(2) && at + count <= size) {
        memmove(data + at, data + at + count, size - at - count);
        return size - count;
    }
    if (size + count > BYTES_MAX) return size;
    memmove(data + at + count, data + at, size - at);
    for (size_t k = 0; k < count; k++) data[at + k] = (uint8_t)check_random(&seed);
    return size + count;
}

static size_t mutate(uint8_t *data, size_t size)
{
    switch (below(8)) {
    case 0: return splice(data, size);
    case 1: return insert_or_delete(data, size);
    case 2: return below(8) ? size : below(size + 1);
    case 3: overwrite(data, size); return size;
    case 4:
    case 5:
        if (size > 0) data[below(size)] = (uint8_t)check_random(&seed);
        return size;
    default:
        if (size > 0) data[below(size)] ^= (uint8_t)(1 << below(8));
        return size;
    }
}

static void mutated_inputs(void)
{
    uint8_t data[BYTES_MAX];
    printf("# seed %llu, %lld runs\n", (unsigned long long)seed, runs);
    fflush(stdout);
    for (long long k = 0; k < runs; k++) {
        const bytes *from = &inputs[below((size_t)ninputs)];
        size_t size = from->size, changes = 1 + below(6);
        memcpy(data, from->data, size);
        for (size_t c = 0; c < changes; c++) size = mutate(data, size);
        run_input(data, size);
    }
}

static void corpus(void)
{
    for (int k = 0; k < ninputs; k++) run_input(inputs[k].data, inputs[k].size);
    printf("# %d inputs\n", ninputs);
}

int main(int argc, char **argv)
{
    for (int k = 2; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "--runs") == 0) runs = strtoll(argv[k + 1], NULL, 10);
        if (strcmp(argv[k], "--seed") == 0) seed = strtoull(argv[k + 1], NULL, 10);
    }
    if (argc < 2 || argc % 2 == 1 || seed == 0 || !read_inputs(argv[1])) {
        fprintf(stderr, "usage: %s CORPUS [--runs N] [--seed S]\n", argv[0]);
        return 2;
    }
    watch();
    RUN(corpus);
    if (ninputs > 1 || runs != RUNS) RUN(mutated_inputs);
    for (int k = 0; k < ninputs; k++) free(inputs[k].data);
    return check_done();
}
