/* GLU 3.0 as a peer: the published implementation of the hybrid right-looking method on GPUs (Peng and Tan, IEEE Design
 * and Test 37(3), 2020; He et al., IEEE TVLSI 24(3), 2016), in single precision, after MC64 and AMD on the host.
 *
 * It is a program, not a library: it reads a matrix from a file, analyzes and factors it once, and prints how long that
 * took. So each call here runs the user's program, and what is reported is the time that the program prints: for
 * analyze the sum of its host phases, in processor time, for factor and refactor its "Total GPU time", from allocating
 * device memory to the factors' return to the host; it has no shorter way for new values. CUDA is told to load its
 * kernels before that. It solves for a right-hand side of ones only, writes six digits and times nothing of it: there
 * is no solve. The variant -p perturbs small pivots. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "peer.h"

#ifndef WLU_GLU_PROGRAM
#error "WLU_GLU_PROGRAM: the path of GLU's lu_cmd"
#endif

enum { PERTURBED = 1 }; /* variant */
enum { CHILD_FAILED = 127, OUTPUT_TEXT = 8192 };

static const char *const ordering_names[] = {"amd", NULL};
static const char *const host_phases[] = {"Preprocessing time", "Symbolic time", "CSR time", "PredictLU time",
                                          "Leveling time"};
static const char gpu_time[] = "Total GPU time";

typedef struct glu_run {
    peer_matrix a;
    int perturb;
    FILE *matrix, *output; /* without names, so that nothing stays behind however this process ends */
    int64_t lu_nnz, reported_ns;
    char device[96];
} glu_run;

/* ----------------------------------------------------------------- program */

/* In the child, which it ends. */
static void become(const glu_run *g, const char *folder)
{
    char program[] = WLU_GLU_PROGRAM, in[] = "-i", perturb[] = "-p", matrix[32];
    char *arguments[] = {program, in, matrix, g->perturb ? perturb : NULL, NULL};
    snprintf(matrix, sizeof matrix, "/dev/fd/%d", fileno(g->matrix));
    int null = open("/dev/null", O_RDONLY), output = fileno(g->output);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the harness may kill this plug-in while the program runs */
#endif
    if (setenv("CUDA_MODULE_LOADING", "EAGER", 1) == 0 && chdir(folder) == 0 && dup2(null, 0) >= 0 &&
        dup2(output, 1) >= 0 && dup2(output, 2) >= 0)
        execv(program, arguments);
    _exit(CHILD_FAILED);
}

/* Runs the program in a folder of its own, for it writes x.dat where it stands; code is as waitpid tells it. */
static warplu_status run_child(const glu_run *g, int *code)
{
    char folder[] = "/tmp/warplu-glu-XXXXXX", written[64];
    warplu_status status = WARPLU_SUCCESS;
    if (mkdtemp(folder) == NULL) return peer_fail(WARPLU_CANNOT_WRITE, "a folder for GLU: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) become(g, folder);
    if (child < 0) status = peer_fail(WARPLU_OUT_OF_MEMORY, "fork: %s", strerror(errno));
    while (status >= 0 && waitpid(child, code, 0) < 0)
        if (errno != EINTR) status = peer_fail(WARPLU_INVALID_ARGUMENT, "waitpid: %s", strerror(errno));
    snprintf(written, sizeof written, "%s/x.dat", folder);
    unlink(written);
    rmdir(folder);
    return status;
}

static const char *after(const char *text, const char *label)
{
    const char *at = strstr(text, label);
    return at != NULL ? at + strlen(label) : NULL;
}

/* The line of the output with the word, as a failure. */
static warplu_status complain(warplu_status status, const char *text, const char *word)
{
    const char *at = strstr(text, word), *line = at;
    while (line != NULL && line > text && line[-1] != '\n') line--;
    return peer_fail(status, "GLU: %.*s", line != NULL ? (int)strcspn(line, "\n") : 0, line != NULL ? line : "");
}

/* Runs the program on the file written last; text is what it printed. Without a device it goes on and ends well. */
static warplu_status run_program(const glu_run *g, char *text)
{
    int code = 0;
    if (ftruncate(fileno(g->output), 0) != 0 || lseek(fileno(g->output), 0, SEEK_SET) != 0)
        return peer_fail(WARPLU_CANNOT_WRITE, "GLU's output: %s", strerror(errno));
    warplu_status status = run_child(g, &code);
    if (status < 0) return status;
    if (WIFEXITED(code) && WEXITSTATUS(code) == CHILD_FAILED)
        return peer_fail(WARPLU_CANNOT_OPEN, "%s cannot be run", WLU_GLU_PROGRAM);
    if (WIFSIGNALED(code)) return peer_fail(WARPLU_INVALID_ARGUMENT, "GLU ended by signal %d", WTERMSIG(code));
    ssize_t length = pread(fileno(g->output), text, OUTPUT_TEXT - 1, 0);
    if (length < 0) return peer_fail(WARPLU_CANNOT_READ, "GLU's output: %s", strerror(errno));
    text[length] = '\0';
    if (strstr(text, "No CUDA-capable GPU") != NULL) return complain(WARPLU_NO_DEVICE, text, "No CUDA-capable GPU");
    if (strstr(text, "cudaGetDeviceCount") != NULL) return complain(WARPLU_NO_DEVICE, text, "cudaGetDeviceCount");
    if (strstr(text, "out of memory") != NULL) return complain(WARPLU_OUT_OF_MEMORY, text, "out of memory");
    if (strstr(text, "NaN/Inf found") != NULL) return peer_fail(WARPLU_SINGULAR, "GLU: NaN or Inf in its factors");
    if (strstr(text, gpu_time) != NULL) return WARPLU_SUCCESS;
    if (strstr(text, " failed") != NULL) return complain(WARPLU_INVALID_ARGUMENT, text, " failed");
    return peer_fail(WARPLU_INVALID_ARGUMENT, "GLU printed no time, exit status %d", WEXITSTATUS(code));
}

/* The milliseconds behind the label, in nanoseconds; 0 where it is missing. */
static int64_t time_behind(const char *text, const char *label)
{
    const char *at = strstr(text, label);
    return at != NULL && (at = strchr(at, ':')) != NULL ? (int64_t)(strtod(at + 1, NULL) * 1e6) : 0;
}

/* ------------------------------------------------------------------- calls */

static void destroy(void **state)
{
    glu_run *g = *state;
    if (g == NULL) return;
    if (g->matrix != NULL) fclose(g->matrix);
    if (g->output != NULL) fclose(g->output);
    free(g);
    *state = NULL;
}

/* By columns, as the program wants it. */
static warplu_status stage_values(void *state, const double *values)
{
    glu_run *g = state;
    const peer_matrix *a = &g->a;
    FILE *f = g->matrix;
    rewind(f);
    int good = ftruncate(fileno(f), 0) == 0 && fprintf(f, "%d %d %d\n", a->n, a->n, a->ptr[a->n]) > 0;
    for (int32_t j = 0; j < a->n && good; j++)
        for (int32_t k = a->ptr[j]; k < a->ptr[j + 1] && good; k++)
            good = fprintf(f, "%d %d %.17g\n", a->idx[k] + 1, j + 1, values[k]) > 0;
    if (fflush(f) != 0) good = 0;
    rewind(f);
    return good ? WARPLU_SUCCESS : peer_fail(WARPLU_CANNOT_WRITE, "GLU's matrix: %s", strerror(errno));
}

static warplu_status analyze(const peer_matrix *a, const peer_request *request, void **state)
{
    glu_run *g = calloc(1, sizeof *g);
    char text[OUTPUT_TEXT];
    *state = g;
    if (g == NULL) return peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for the run");
    warplu_status status = WARPLU_SUCCESS;
    g->a = *a;
    g->perturb = request->variant == PERTURBED;
    g->lu_nnz = -1;
    g->matrix = tmpfile();
    g->output = tmpfile();
    if (g->matrix == NULL || g->output == NULL)
        status = peer_fail(WARPLU_CANNOT_WRITE, "files for GLU: %s", strerror(errno));
    if (status >= 0) status = stage_values(g, a->values);
    if (status >= 0) status = run_program(g, text);
    if (status < 0) {
        destroy(state);
        return status;
    }
    const char *entries = after(text, "Symbolic nonzero: "), *device = after(text, "Device 0: ");
    for (size_t k = 0; k < sizeof host_phases / sizeof host_phases[0]; k++)
        g->reported_ns += time_behind(text, host_phases[k]);
    if (entries != NULL) g->lu_nnz = strtoll(entries, NULL, 10);
    const char *end = device != NULL ? strstr(device, " has been selected") : NULL;
    if (end != NULL) snprintf(g->device, sizeof g->device, "%.*s", (int)(end - device), device);
    return WARPLU_SUCCESS;
}

static warplu_status factor(void *state, const double *values)
{
    glu_run *g = state;
    char text[OUTPUT_TEXT];
    (void)values;
    warplu_status status = run_program(g, text);
    if (status >= 0) g->reported_ns = time_behind(text, gpu_time);
    return status;
}

static int64_t reported_ns(const void *state)
{
    return ((const glu_run *)state)->reported_ns;
}

static warplu_status solve(void *state, const double *b, double *x)
{
    (void)state;
    (void)b;
    (void)x;
    return peer_fail(WARPLU_NOT_COMPILED, "GLU's program solves for no right-hand side but its own");
}

static void describe(const void *state, peer_facts *facts)
{
    const glu_run *g = state;
    snprintf(facts->version, sizeof facts->version, "GLU 3.0");
    snprintf(facts->ordering, sizeof facts->ordering, "%s", ordering_names[0]);
    snprintf(facts->settings, sizeof facts->settings, "single precision%s, times as the program tells them, %s",
             g->perturb ? ", -p" : "", g->device);
    facts->blocks = 1;
    facts->lu_nnz = g->lu_nnz;
}

const peer_functions peer_plugin = {.analyze = analyze,
                                    .stage_values = stage_values,
                                    .factor = factor,
                                    .refactor = factor,
                                    .reported_ns = reported_ns,
                                    .solve = solve,
                                    .describe = describe,
                                    .destroy = destroy,
                                    .orderings = ordering_names};
