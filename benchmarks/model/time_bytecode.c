/* The time of programs: bytecode beside the same program compiled by gcc -O3, once with the library's vectors, once
 * for one number at a time with the C library.
 *
 *     time_bytecode SOURCE SECONDS MODEL...
 *
 * Of each model's text the first kind of elements. SOURCE is the folder that holds src; the C compiler is $CC, else
 * gcc. ns a lane, each the least of many alternating runs over 1 024 lanes, thread time; and the geometric means of
 * the ratios. The first two must have the same bits, the third nearly the same numbers. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kind.h"
#include "model/exec/exec.h"
#include "model/text/read.h"
#include "print_c.h"

typedef void evaluation(const double *in, double *out, long blocks);

enum { PATH_BYTES = 512, COMMAND_BYTES = 4 * PATH_BYTES, WAYS = 3, LANES = 1024 };

typedef struct subject {
    wlu_context ctx;
    wlm_model *model;
    wlm_program *program;
    wlm_code *code;
    double *file, *in, *out[WAYS];
    evaluation *compiled[WAYS]; /* [0] is the bytecode's place */
    long blocks;
    double ns[WAYS]; /* a lane */
} subject;

static const char *isa_of_machine(void)
{
    return wlm_kernels_of(WLM_ISA_AVX512) != NULL ? "avx512"
           : wlm_kernels_of(WLM_ISA_AVX2) != NULL ? "avx2"
           : wlm_kernels_of(WLM_ISA_NEON) != NULL ? "neon"
                                                  : "portable";
}

static void fail(const char *what)
{
    fprintf(stderr, "time_bytecode: %s\n", what);
    exit(1);
}

/* Writes, compiles, loads. The folder is removed by the caller. */
static evaluation *compile_c(const wlm_program *p, const char *isa, const char *source, const char *folder)
{
    char path[PATH_BYTES], object[PATH_BYTES], command[COMMAND_BYTES];
    static int libraries;
    const char *compiler = getenv("CC") != NULL ? getenv("CC") : "gcc";
    snprintf(path, sizeof path, "%s/%s.c", folder, isa != NULL ? isa : "scalar");
    snprintf(object, sizeof object, "%s/%d.so", folder, ++libraries); /* a name is loaded once */
    FILE *text = fopen(path, "w");
    if (text == NULL) fail("cannot write C");
    print_c(p, isa, "evaluate", text);
    fclose(text);
    snprintf(command, sizeof command,
             "%s -std=c11 -O3 -march=native -ffp-contract=off -fno-math-errno -shared -fPIC -I%s/src -o %s %s -lm",
             compiler, source, object, path);
    if (system(command) != 0) fail("the compiler failed");
    void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    evaluation *found = NULL;
    if (library != NULL) *(void **)&found = dlsym(library, "evaluate");
    remove(path);
    remove(object);
    if (found == NULL) fail("cannot load what was compiled");
    return found;
}

static void run_bytecode(subject *s)
{
    size_t in = (size_t)s->program->inputs * WLM_LANES, out = (size_t)s->program->outputs * WLM_LANES;
    for (long k = 0; k < s->blocks; k++) {
        memcpy(s->file, s->in + (size_t)k * in, in * sizeof(double));
        wlm_run(s->code, s->file, WLM_LANES);
        memcpy(s->out[0] + (size_t)k * out, s->file + in, out * sizeof(double));
    }
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void time_ways(subject *s, double seconds)
{
    double start = now_ns();
    for (int way = 0; way < WAYS; way++) s->ns[way] = INFINITY;
    while (now_ns() - start < 1e9 * seconds) {
        for (int way = 0; way < WAYS; way++) {
            double before = now_ns();
            if (way == 0)
                run_bytecode(s);
            else
                s->compiled[way](s->in, s->out[way], s->blocks);
            s->ns[way] = fmin(s->ns[way], (now_ns() - before) / (double)(s->blocks * WLM_LANES));
        }
    }
}

static void need(const subject *s, warplu_status status)
{
    if (status != WARPLU_SUCCESS) fail(s->ctx.last_message);
}

static void prepare(subject *s, const char *path, const char *source, const char *folder)
{
    memset(s, 0, sizeof *s);
    wlu_context_init(&s->ctx, NULL);
    s->blocks = LANES / WLM_LANES;
    need(s, wlm_model_read(&s->ctx, path, &s->model));
    if (s->model->kinds == 0) fail("a model without elements");
    need(s, kind_compile(&s->ctx, &s->model->kind[0], &s->program));
    need(s, wlm_code_create(&s->ctx, s->program, WLM_ISA_BEST, &s->code));
    s->file = wlm_file_create(&s->ctx, s->program);
    s->in = aligned_alloc(64, (size_t)(s->program->inputs + 1) * LANES * sizeof(double));
    for (int way = 0; way < WAYS; way++)
        s->out[way] = aligned_alloc(64, (size_t)(s->program->outputs + 1) * LANES * sizeof(double));
    need(s, kind_inputs(&s->ctx, &s->model->kind[0], s->blocks, s->in));
    s->compiled[1] = compile_c(s->program, isa_of_machine(), source, folder);
    s->compiled[2] = compile_c(s->program, NULL, source, folder);
}

static void finish(subject *s)
{
    free(s->in);
    for (int way = 0; way < WAYS; way++) free(s->out[way]);
    wlm_file_free(&s->ctx, s->file);
    wlm_code_destroy(&s->ctx, &s->code);
    wlm_program_destroy(&s->ctx, &s->program);
    wlm_model_destroy(&s->model);
}

/* Compiled vectors have the same bits, the C library nearly the same numbers. */
static void compare(const subject *s)
{
    size_t numbers = (size_t)(s->program->outputs * s->blocks * WLM_LANES);
    if (memcmp(s->out[0], s->out[1], numbers * sizeof(double)) != 0) fail("other bits than those of compiled vectors");
    for (size_t k = 0; k < numbers; k++)
        if (!(fabs(s->out[0][k] - s->out[2][k]) <= 1e-7 * (1.0 + fabs(s->out[2][k])))) fail("other numbers than C's");
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/time_bytecode.XXXXXX";
    double vectors = 0.0, scalar = 0.0;
    if (argc < 4) fail("usage: time_bytecode SOURCE SECONDS MODEL...");
    if (mkdtemp(folder) == NULL) fail("no temporary folder");
    printf("%-22s %5s %5s %9s %9s %9s %7s %7s   %s\n", "element", "ops", "slots", "bytecode", "vectors", "scalar",
           "to vec", "scalar", isa_of_machine());
    for (int k = 3; k < argc; k++) {
        subject s;
        prepare(&s, argv[k], argv[1], folder);
        time_ways(&s, atof(argv[2]));
        compare(&s);
        printf("%-22s %5d %5d %9.2f %9.2f %9.2f %7.3f %7.2f\n", s.model->kind[0].name, s.program->instructions,
               s.program->slots, s.ns[0], s.ns[1], s.ns[2], s.ns[0] / s.ns[1], s.ns[2] / s.ns[0]);
        vectors += log(s.ns[0] / s.ns[1]) / (argc - 3);
        scalar += log(s.ns[2] / s.ns[0]) / (argc - 3);
        finish(&s);
    }
    printf("geometric means: bytecode takes %.3f of compiled vectors' time, scalar code %.2f of bytecode's\n",
           exp(vectors), exp(scalar));
    rmdir(folder);
    return 0;
}
