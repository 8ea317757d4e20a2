/* Cases of hashes.csv, and the file. See hashed.h. */
#include "hashed.h"

#include "gen/gen.h"
#include "support/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES = TEST_SHAPES, SIZES = 3, LARGE = 2000, SMALL = 200, HUBS = 1, HUB = 1500 };

/* Names of programs: which pivots are tiled. The last one is what the cost model takes for CUDA. */
static const char *const programs[] = {"dot", "mixed", "tile", "device", "cuda"};
enum { PROGRAMS = sizeof programs / sizeof *programs };
static const int32_t sizes[SIZES] = {3, 17, 90};

/* Random shapes of each size, in each program, natural order, and a hub, whose chains the device has in pieces;
 * generated ones, small in each order, large by AMD. */
static int random_cases(void)
{
    return SHAPES * SIZES * PROGRAMS;
}

static int cases_of_precision(void)
{
    return random_cases() + HUBS + 3 * gen_kind_count;
}

/* Precisions of the cases, in this order; a suffix of the program's name. */
static const struct {
    warplu_precision precision;
    const char *suffix;
} precisions[] = {
    {WARPLU_PRECISION_DOUBLE, ""}, {WARPLU_PRECISION_SINGLE, ":single"}, {WARPLU_PRECISION_MIXED, ":mixed"}};

int hashed_count(void)
{
    return (int)(sizeof precisions / sizeof *precisions) * cases_of_precision();
}

static void draw_values(const test_matrix *m, double *values, double *rhs)
{
    uint64_t seed = 17;
    for (int32_t q = 0; q < m->nnz; q++) values[q] = m->x[q] * (1.0 + 0.25 * (double)(q % 7) / 8.0);
    for (int32_t i = 0; i < m->n; i++) rhs[i] = (double)(int32_t)(1 + (seed = seed * 69069 + 1) % 1000) / 256.0;
}

static warplu_status build(const test_matrix *m, warplu_ordering ordering, wlu_cost cost, test_build *b)
{
    warplu_options o;
    check_init_options(&o);
    o.ordering = ordering;
    warplu_status status = test_build_pivots(b, &o, m);
    return status < 0 ? status : test_build_program(b, &cost);
}

static void random_case(int k, test_matrix *m, hashed_line *line, wlu_cost *cost)
{
    int program = k % PROGRAMS, size = k / PROGRAMS % SIZES, shape = k / PROGRAMS / SIZES;
    uint64_t seed = 1000 + (uint64_t)(SIZES * shape + size);
    const test_recipe r = {.shape = (test_shape)shape,
                           .n = sizes[size],
                           .duplicates = size == 1,
                           .shuffled = size == 2,
                           .weak_diagonal = shape % 2};
    test_matrix_random(m, &seed, &r);
    *cost = program < TEST_REGIONS ? test_region_cost((test_region)program) : wlu_cost_cuda;
    snprintf(line->name, sizeof line->name, "%s", test_shape_name(r.shape));
    snprintf(line->order, sizeof line->order, "natural");
    snprintf(line->program, sizeof line->program, "%s", programs[program]);
}

static void hub_case(test_matrix *m, hashed_line *line)
{
    uint64_t seed = HUB;
    const test_recipe r = {.shape = TEST_ARROW, .n = HUB};
    test_matrix_random(m, &seed, &r);
    snprintf(line->name, sizeof line->name, "hub");
    snprintf(line->order, sizeof line->order, "natural");
    snprintf(line->program, sizeof line->program, "cuda");
}

static warplu_status generated_case(int k, wlu_context *ctx, gen_matrix *g, hashed_line *line)
{
    const gen_kind *kind = &gen_kinds[k / 3];
    gen_params params;
    gen_params_init(&params);
    params.size = k % 3 == 2 ? LARGE : SMALL;
    snprintf(line->name, sizeof line->name, "%s", kind->name);
    snprintf(line->order, sizeof line->order, "%s", k % 3 == 0 ? "natural" : "amd");
    snprintf(line->program, sizeof line->program, "cuda");
    return gen_build(ctx, kind, &params, g);
}

/* values, rhs: what is replayed and solved for; the caller frees them. line: all but the hashes. */
static warplu_status build_case(int k, test_build *b, double **values, double **rhs, hashed_line *line)
{
    wlu_context ctx;
    gen_matrix g = {0};
    test_matrix m = {0};
    wlu_cost cost = wlu_cost_cuda;
    warplu_status status = WARPLU_SUCCESS;
    int generated = k >= random_cases() + HUBS;
    wlu_context_init(&ctx, NULL);
    memset(line, 0, sizeof *line);
    if (generated) {
        status = generated_case(k - random_cases() - HUBS, &ctx, &g, line);
        if (status == WARPLU_SUCCESS)
            m = (test_matrix){.n = g.n, .nnz = g.ptr[g.n], .ptr = g.ptr, .idx = g.idx, .x = g.values};
    } else if (k >= random_cases()) {
        hub_case(&m, line);
    } else {
        random_case(k, &m, line, &cost);
    }
    line->n = m.n;
    *values = malloc((size_t)(m.nnz + 1) * sizeof **values);
    *rhs = malloc((size_t)(m.n + 1) * sizeof **rhs);
    draw_values(&m, *values, *rhs);
    if (status == WARPLU_SUCCESS)
        status = build(&m, strcmp(line->order, "amd") == 0 ? WARPLU_ORDERING_AMD : WARPLU_ORDERING_NATURAL, cost, b);
    if (generated)
        gen_matrix_free(&ctx, &g);
    else
        test_matrix_free(&m);
    return status;
}

static warplu_status replay(const wlu_target *target, test_build *b, const double *values, const double *rhs,
                            test_hashes *out)
{
    wlu_image *image = NULL;
    wlu_state *state = NULL;
    wlu_slots slots;
    int32_t n = b->program->n;
    double largest, *x = malloc((size_t)n * sizeof *x);
    warplu_status status = wlu_image_load(&b->ctx, target, b->program, &image);
    if (status == WARPLU_SUCCESS) status = wlu_state_create(&b->ctx, image, 1, NULL, &state);
    if (status == WARPLU_SUCCESS) status = wlu_state_refactor(&b->ctx, state, values);
    if (status == WARPLU_SUCCESS) status = wlu_state_solve(&b->ctx, state, WLU_STREAM_SOLVE, 1, rhs, n, x, n, &largest);
    if (status == WARPLU_SUCCESS) status = wlu_state_fetch(&b->ctx, state, 0, &slots);
    if (status == WARPLU_SUCCESS) *out = test_hash_slots(b, &slots, x);
    wlu_state_destroy(&b->ctx, &state);
    wlu_image_destroy(&b->ctx, &image);
    free(x);
    return status;
}

warplu_status hashed_compute(int number, const wlu_executor *of, hashed_line *line)
{
    test_build b;
    double *values, *rhs;
    int k = number % cases_of_precision(), which = number / cases_of_precision();
    wlu_target target = {.executor = of, .precision = precisions[which].precision};
    const wlu_cost *cost;
    wlu_context quiet;
    wlu_context_init(&quiet, NULL);
    warplu_status status = wlu_target_open(&quiet, &target, &cost);
    if (status < 0) return status;
    status = build_case(k, &b, &values, &rhs, line);
    strncat(line->program, precisions[which].suffix, sizeof line->program - strlen(line->program) - 1);
    if (status == WARPLU_SUCCESS) {
        status = replay(&target, &b, values, rhs, &line->hashes);
        if (status < 0) printf("# %s: %s\n", warplu_status_name(status), b.ctx.last_message);
        test_build_free(&b);
    }
    free(values);
    free(rhs);
    return status;
}

/* -------------------------------------------------------------------- file */

static const char header[] = "matrix,n,order,program,L,U,x";

int hashed_read(const char *path, hashed_line **lines)
{
    char text[256];
    int count = 0;
    FILE *file = fopen(path, "r");
    *lines = NULL;
    if (file == NULL) return -1;
    while (fgets(text, sizeof text, file) != NULL) {
        hashed_line x = {0};
        if (sscanf(text, "%31[^,],%" SCNd32 ",%31[^,],%31[^,],%" SCNx64 ",%" SCNx64 ",%" SCNx64, x.name, &x.n, x.order,
                   x.program, &x.hashes.l, &x.hashes.u, &x.hashes.x) != 7)
            continue;
        *lines = realloc(*lines, ((size_t)count + 1) * sizeof **lines);
        (*lines)[count++] = x;
    }
    fclose(file);
    return count;
}

int hashed_write(const char *path, const hashed_line *lines, int count)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) return 0;
    fprintf(file, "%s\n", header);
    for (int k = 0; k < count; k++)
        fprintf(file, "%s,%" PRId32 ",%s,%s,%016" PRIx64 ",%016" PRIx64 ",%016" PRIx64 "\n", lines[k].name, lines[k].n,
                lines[k].order, lines[k].program, lines[k].hashes.l, lines[k].hashes.u, lines[k].hashes.x);
    return fclose(file) == 0;
}

const hashed_line *hashed_find(const hashed_line *lines, int count, const hashed_line *like)
{
    for (int k = 0; k < count; k++)
        if (lines[k].n == like->n && strcmp(lines[k].name, like->name) == 0 &&
            strcmp(lines[k].order, like->order) == 0 && strcmp(lines[k].program, like->program) == 0)
            return &lines[k];
    return NULL;
}
