/* warplu gen: writes a generated matrix, its right-hand side, or a sequence of both.
 *
 * A sequence of K steps puts _000, _001, ... before .mtx or .mtx.gz: one pattern, the values of K time steps. Its
 * path is a pattern of names: where something stands there that is no regular file, nothing is written beside it.
 * Files are written one by one, each complete or not there at all. What was made is said on standard error,
 * and with --json reported on standard output (on standard error where that carries the matrix). */
#include "args.h"
#include "commands.h"
#include "gen/gen.h"
#include "gen/turn.h"
#include "interrupt.h"
#include "machine.h"
#include "matrix_file.h"
#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096, MAX_STEPS = 1000000 };

typedef struct gen_request {
    const gen_kind *kind;
    gen_params params;
    int64_t size, layers, steps; /* layers and steps: 0 where not given */
    double density;              /* below 0 where not given */
    const char *output, *rhs;
    int sources, complex, report;
} gen_request;

/* The path of one step: path itself where no sequence was asked for. 0 if it does not fit. */
static int step_path(const gen_request *r, const char *path, int64_t step, char *out)
{
    static const char *const endings[] = {".mtx.gz", ".mtx"};
    size_t length = strlen(path), stem = length;
    for (size_t k = 0; k < sizeof endings / sizeof endings[0] && stem == length; k++) {
        size_t e = strlen(endings[k]);
        if (length >= e && strcmp(path + length - e, endings[k]) == 0) stem = length - e;
    }
    int used = r->steps == 0 ? snprintf(out, PATH_BYTES, "%s", path)
                             : snprintf(out, PATH_BYTES, "%.*s_%03" PRId64 "%s", (int)stem, path, step, path + stem);
    return used > 0 && used < PATH_BYTES;
}

/* How the matrix came about, as its file says it. */
static void describe(const gen_request *r, char *out, size_t bytes)
{
    const gen_params *p = &r->params;
    int used =
        snprintf(out, bytes, "warplu gen %s --size %" PRId64 " --seed %" PRIu64, r->kind->name, p->size, p->seed);
    if (r->kind->takes & GEN_LAYERS) used += snprintf(out + used, bytes - (size_t)used, " --layers %d", p->layers);
    if ((r->kind->takes & GEN_SOURCES) && p->sources) used += snprintf(out + used, bytes - (size_t)used, " --sources");
    if (r->kind->takes & GEN_DENSITY)
        used += snprintf(out + used, bytes - (size_t)used, " --density %.17g", p->density);
    if (r->complex) used += snprintf(out + used, bytes - (size_t)used, " --complex");
    if (r->steps > 0) snprintf(out + used, bytes - (size_t)used, ", step %" PRId64, p->step);
}

static warplu_status write_matrix(wlu_context *ctx, const gen_request *r, const gen_matrix *m, const char *path,
                                  const char *comment)
{
    warplu_mm_matrix file = {
        .size = sizeof file, .nrow = m->n, .ncol = m->n, .ptr = m->ptr, .idx = m->idx, .values = m->values};
    if (!r->complex) return matrix_file_write(ctx, path, &file, comment);
    double *values = WLU_ALLOC(ctx, 2 * (int64_t)m->ptr[m->n], double);
    if (values == NULL) return wlu_fail_memory(ctx, "complex values");
    gen_turn(m->n, m->ptr, m->idx, m->values, values);
    file.values = values;
    file.typecode.field = WARPLU_MM_FIELD_COMPLEX;
    warplu_status status = matrix_file_write(ctx, path, &file, comment);
    wlu_free(ctx, values);
    return status;
}

static warplu_status write_step(wlu_context *ctx, const gen_request *r, const gen_matrix *m)
{
    char path[PATH_BYTES], comment[256];
    describe(r, comment, sizeof comment);
    if (!step_path(r, r->output, r->params.step, path))
        return wlu_fail(ctx, WARPLU_CANNOT_OPEN, "path too long: %.80s...", r->output);
    warplu_status status = write_matrix(ctx, r, m, path, comment);
    if (status < 0 || r->rhs == NULL) return status;
    if (!step_path(r, r->rhs, r->params.step, path))
        return wlu_fail(ctx, WARPLU_CANNOT_OPEN, "path too long: %.80s...", r->rhs);
    return matrix_file_write_array(ctx, path, WARPLU_MM_FIELD_REAL, m->n, 1, m->rhs, comment);
}

static void report_files(json *j, const gen_request *r, const char *name, const char *path)
{
    char full[PATH_BYTES];
    int64_t count = r->steps > 0 ? r->steps : 1;
    if (path == NULL) return;
    json_open(j, name, '[');
    for (int64_t k = 0; k < count; k++)
        if (step_path(r, path, k, full)) json_text(j, NULL, full);
    json_close(j);
}

static void report(const gen_request *r, int32_t n, int64_t nnz)
{
    json j;
    int busy = strcmp(r->output, "-") == 0 || (r->rhs != NULL && strcmp(r->rhs, "-") == 0);
    if (!r->report) {
        cmd_say("%s: n %" PRId32 ", nnz %" PRId64 ", %" PRId64 " step%s", r->kind->name, n, nnz,
                r->steps > 0 ? r->steps : 1, r->steps > 1 ? "s" : "");
        return;
    }
    json_begin(&j, busy ? stderr : stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "version", warplu_version());
    json_text(&j, "kind", r->kind->name);
    json_int(&j, "size", r->params.size);
    json_uint(&j, "seed", r->params.seed);
    if (r->kind->takes & GEN_LAYERS) json_int(&j, "layers", r->params.layers);
    if (r->kind->takes & GEN_SOURCES) json_bool(&j, "sources", r->params.sources);
    if (r->kind->takes & GEN_DENSITY) json_real(&j, "density", r->params.density);
    json_bool(&j, "complex", r->complex);
    json_int(&j, "n", n);
    json_int(&j, "nnz", nnz);
    json_int(&j, "steps", r->steps > 0 ? r->steps : 1);
    report_files(&j, r, "matrices", r->output);
    report_files(&j, r, "right_hand_sides", r->rhs);
    json_end(&j);
}

/* Whether names can be made from the path: not where a device, a pipe, a folder or a link to whatever has it. */
static int check_pattern(const char *option, const char *path)
{
    machine_path found = path != NULL ? machine_look_at(path) : PATH_NOTHING;
    if (found == PATH_FILE || found == PATH_NOTHING) return 1;
    if (found == PATH_UNKNOWN)
        cmd_say("%s: cannot be used by --steps: %s", path, strerror(errno));
    else
        cmd_say("%s: is %s; --steps writes files beside --%s, which is to be one, or nothing yet", path,
                found == PATH_LINK     ? "a symbolic link"
                : found == PATH_FOLDER ? "a folder"
                                       : "no regular file",
                option);
    return 0;
}

static int generate(gen_request *r)
{
    wlu_context ctx;
    gen_matrix m = {0};
    int64_t count = r->steps > 0 ? r->steps : 1, nnz = 0;
    int32_t n = 0;
    warplu_status status = WARPLU_SUCCESS;
    if (r->steps > 0 && !(check_pattern("output", r->output) && check_pattern("rhs", r->rhs))) return CMD_ERROR;
    wlu_context_init(&ctx, NULL);
    ctx.message = cmd_message;
    ctx.cancel = interrupt_asked;
    for (int64_t k = 0; k < count && status >= 0; k++) {
        r->params.step = k;
        status = gen_build(&ctx, r->kind, &r->params, &m);
        if (status < 0) break;
        n = m.n;
        nnz = m.ptr[n];
        interrupt_hold();
        status = write_step(&ctx, r, &m);
        interrupt_release();
        gen_matrix_free(&ctx, &m);
    }
    if (status == WARPLU_INVALID_ARGUMENT) return CMD_USAGE;
    if (status < 0) return CMD_ERROR;
    report(r, n, nnz);
    return CMD_OK;
}

/* What the table of options cannot say; fills in params. ARGS_RUN or an exit code. */
static int check(const args_command *command, gen_request *r)
{
    const char *kind = r->kind->name;
    int takes = r->kind->takes;
    int to_output = strcmp(r->output, "-") == 0, to_rhs = r->rhs != NULL && strcmp(r->rhs, "-") == 0;
    if (r->size == 0) return args_usage(command, "expected --size N");
    if (r->layers != 0 && !(takes & GEN_LAYERS)) return args_usage(command, "%s takes no --layers", kind);
    if (r->sources && !(takes & GEN_SOURCES)) return args_usage(command, "%s takes no --sources", kind);
    if (r->density >= 0 && !(takes & GEN_DENSITY)) return args_usage(command, "%s takes no --density", kind);
    if (to_output && to_rhs) return args_usage(command, "--output and --rhs cannot both be standard output");
    if (r->rhs != NULL && strcmp(r->output, r->rhs) == 0)
        return args_usage(command, "--output and --rhs are the same file");
    if (r->steps > 0 && (to_output || to_rhs))
        return args_usage(command, "--steps writes files: expected --output PATH%s", to_rhs ? " and --rhs PATH" : "");
    r->params.size = r->size;
    r->params.sources = r->sources;
    if (r->layers != 0) r->params.layers = (int)r->layers;
    if (r->density >= 0) r->params.density = r->density;
    return ARGS_RUN;
}

static int find_kind(const args_command *command, const char *name, const gen_kind **out)
{
    const char *names[32];
    int count = gen_kind_count < 32 ? gen_kind_count : 32;
    *out = gen_kind_find(name);
    if (*out != NULL) return ARGS_RUN;
    for (int k = 0; k < count; k++) names[k] = gen_kinds[k].name;
    const char *near = args_nearest(name, names, count);
    if (near != NULL) return args_usage(command, "unknown kind '%s' (did you mean '%s'?)", name, near);
    return args_usage(command, "unknown kind '%s'", name);
}

#define GEN_KIND(name, smallest, takes, help) "  " #name ": " help ".\n"
static const char about[] = "Writes a generated sparse matrix as a Matrix Market file. The same arguments give the\n"
                            "same bytes on every machine. Kinds:\n"
#include "gen/kinds.def"
    ;
#undef GEN_KIND

int cmd_gen(int argc, char **argv)
{
    gen_request r = {.output = "-", .density = -1};
    int first;
    gen_params_init(&r.params);
    /* clang-format off */
    const args_option options[] = {
        {.name = "size", .letter = 'n', .type = ARGS_INT, .out = &r.size, .min = 1, .max = 9e15, .value = "N",
         .help = "unknowns wanted; the structure may give a few more or less"},
        {.name = "seed", .letter = 's', .type = ARGS_SEED, .out = &r.params.seed, .value = "S",
         .help = "seed of pattern and values (1)"},
        {.name = "steps", .type = ARGS_INT, .out = &r.steps, .min = 1, .max = MAX_STEPS, .value = "K",
         .help = "write the values of K time steps, one pattern, to\nPATH with _000, _001, ... before .mtx"},
        {.name = "output", .letter = 'o', .type = ARGS_TEXT, .out = &r.output, .value = "PATH",
         .help = "the matrix; .gz compresses, - is standard output (-)"},
        {.name = "rhs", .letter = 'b', .type = ARGS_TEXT, .out = &r.rhs, .value = "PATH",
         .help = "a right-hand side that goes with it (none)"},
        {.name = "layers", .type = ARGS_INT, .out = &r.layers, .min = 2, .max = 12, .value = "L",
         .help = "powergrid: metal layers (4)"},
        {.name = "sources", .type = ARGS_FLAG, .out = &r.sources,
         .help = "powergrid: pads are ideal sources with branch currents"},
        {.name = "density", .type = ARGS_REAL, .out = &r.density, .min = 0, .max = 1e9, .value = "D",
         .help = "random: entries off the diagonal per row, on average (1)"},
        {.name = "complex", .type = ARGS_FLAG, .out = &r.complex,
         .help = "complex values: a is a (1 + i t), t in [-1, 1] by its\nplace; right-hand sides are real"},
        {.name = "json", .type = ARGS_FLAG, .out = &r.report, .help = "report n, nnz and files as JSON"},
        {.name = NULL},
    };
    /* clang-format on */
    const args_command command = {.name = "gen",
                                  .usage = "KIND --size N [OPTION]...",
                                  .about = about,
                                  .options = options,
                                  .min_operands = 1,
                                  .max_operands = 1,
                                  .operand = "a KIND"};
    int code = args_parse(&command, argc, argv, &first);
    if (code == ARGS_RUN) code = find_kind(&command, argv[first], &r.kind);
    if (code == ARGS_RUN) code = check(&command, &r);
    return code == ARGS_RUN ? generate(&r) : code;
}
