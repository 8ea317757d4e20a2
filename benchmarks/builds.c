/* Two builds of the library beside each other in one process, a change's price without the machine's noise.
 *
 *     build/benchmarks/builds OLD/libwarplu.so NEW/libwarplu.so A.mtx B.mtx.gz ...
 *
 * Each matrix has its values changed by up to 5 %, six times. After forty refactorizations and solves the builds take
 * turns for a second: new over old, refactorizations and solves apart, medians of turns, and the solves that each of
 * them checked by residuals. Last come geometric means. Which build is made first moves a ratio by a percent or two, by
 * where memory lies: run it once more with the builds exchanged, and take the root of the quotient. Exit status 1 where
 * a build does not load or a matrix cannot be read or factored. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "turns.h"
#include <warplu/matrix_market.h>
#include <warplu/warplu.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OLD, NEW, BUILDS, SETS = 6, FIRST = 40, MOST_TURNS = 400, LEAST_TURNS = 7 };
static const double TURN_NS = 2e6, ALL_NS = 1e9, CHANGE = 0.05;

typedef struct build {
    void (*init_options)(warplu_options *);
    warplu_status (*create)(warplu_solver **, const warplu_options *);
    warplu_status (*analyze)(warplu_solver *, int32_t, const int32_t *, const int32_t *, const double *);
    warplu_status (*factor)(warplu_solver *, const double *);
    warplu_status (*refactor)(warplu_solver *, const double *);
    warplu_status (*solve)(warplu_solver *, int32_t, const double *, int32_t, double *, int32_t);
    warplu_status (*get_statistics)(const warplu_solver *, warplu_statistics *);
    void (*destroy)(warplu_solver **);
} build;

static int load(const char *path, build *b)
{
    void *handle = open_library("builds", path);
    int all = handle != NULL;
#define LOAD(name) all = all && find_function("builds", handle, "warplu_" #name, &b->name)
    LOAD(init_options);
    LOAD(create);
    LOAD(analyze);
    LOAD(factor);
    LOAD(refactor);
    LOAD(solve);
    LOAD(get_statistics);
    LOAD(destroy);
#undef LOAD
    return all;
}

typedef struct contest {
    warplu_mm_matrix a;
    warplu_solver *solver[BUILDS];
    double *values, *b, *x; /* SETS nnz, n, n */
    double refactor, solve; /* new over old */
    int64_t checked[BUILDS];
} contest;

static void draw(contest *c)
{
    srand48(5);
    for (int64_t q = 0; q < SETS * c->a.nnz; q++)
        c->values[q] = c->a.values[q % c->a.nnz] * (1.0 + CHANGE * (2.0 * drand48() - 1.0));
    for (int32_t i = 0; i < c->a.nrow; i++) c->b[i] = 2.0 * drand48() - 1.0;
}

/* Nanoseconds of so many refactorizations and solves, added. 0: one has failed. */
static int take_turn(const build *b, contest *c, int which, int steps, int64_t *refactor, int64_t *solve)
{
    int well = 1;
    *refactor = *solve = 0;
    for (int k = 0; k < steps && well; k++) {
        int64_t begin = wlu_now_ns(), middle;
        well = b->refactor(c->solver[which], c->values + k % SETS * c->a.nnz) >= 0;
        middle = wlu_now_ns();
        well = well && b->solve(c->solver[which], 1, c->b, c->a.nrow, c->x, c->a.nrow) >= 0;
        *refactor += middle - begin;
        *solve += wlu_now_ns() - middle;
    }
    return well;
}

static int open_solver(const build *b, contest *c, int which)
{
    warplu_options options;
    int64_t refactor, solve;
    b->init_options(&options);
    return b->create(&c->solver[which], &options) >= 0 &&
           b->analyze(c->solver[which], c->a.nrow, c->a.ptr, c->a.idx, c->a.values) >= 0 &&
           b->factor(c->solver[which], c->a.values) >= 0 && take_turn(b, c, which, FIRST, &refactor, &solve);
}

static int64_t checked_solves(const build *b, const warplu_solver *s)
{
    warplu_statistics t = {.size = sizeof t};
    return b->get_statistics(s, &t) >= 0 ? t.checked_solves : -1;
}

static int run(const build b[BUILDS], contest *c)
{
    double refactors[MOST_TURNS], solves[MOST_TURNS];
    int64_t refactor[BUILDS], solve[BUILDS];
    if (!open_solver(&b[OLD], c, OLD) || !open_solver(&b[NEW], c, NEW)) return 0;
    if (!take_turn(&b[OLD], c, OLD, SETS, &refactor[OLD], &solve[OLD])) return 0;
    double once = (double)(refactor[OLD] + solve[OLD]) / SETS;
    int steps = SETS * (int)fmax(TURN_NS / once / SETS, 1.0);
    int turns = (int)fmin(fmax(ALL_NS / (2.0 * steps * once), LEAST_TURNS), MOST_TURNS);
    for (int t = 0; t < turns; t++) {
        for (int k = 0; k < BUILDS; k++) {
            int which = (k + t) % BUILDS;
            if (!take_turn(&b[which], c, which, steps, &refactor[which], &solve[which])) return 0;
        }
        refactors[t] = (double)refactor[NEW] / (double)refactor[OLD];
        solves[t] = (double)solve[NEW] / (double)solve[OLD];
    }
    c->refactor = median(refactors, turns);
    c->solve = median(solves, turns);
    for (int k = 0; k < BUILDS; k++) c->checked[k] = checked_solves(&b[k], c->solver[k]);
    return 1;
}

static int compare_builds(const build b[BUILDS], const char *path, double logs[2])
{
    contest c = {.a = {.size = sizeof c.a}};
    warplu_mm_error error = {.size = sizeof error};
    if (warplu_mm_read(path, NULL, &c.a, &error) < 0 || c.a.values == NULL) {
        fprintf(stderr, "builds: %s%s\n", error.status < 0 ? error.text : path, error.status < 0 ? "" : ": no values");
        return 0;
    }
    c.values = malloc((size_t)(SETS * c.a.nnz) * sizeof *c.values);
    c.b = malloc((size_t)c.a.nrow * sizeof *c.b);
    c.x = malloc((size_t)c.a.nrow * sizeof *c.x);
    int well = c.values != NULL && c.b != NULL && c.x != NULL;
    if (well) draw(&c);
    well = well && run(b, &c);
    if (well) {
        logs[0] += log(c.refactor);
        logs[1] += log(c.solve);
        printf("%-40s refactor %.4f  solve %.4f  checked %lld, %lld\n", path, c.refactor, c.solve,
               (long long)c.checked[OLD], (long long)c.checked[NEW]);
    } else {
        fprintf(stderr, "builds: %s: not solved by both\n", path);
    }
    for (int k = 0; k < BUILDS; k++) b[k].destroy(&c.solver[k]);
    free(c.values);
    free(c.b);
    free(c.x);
    warplu_mm_free(&c.a);
    return well;
}

int main(int argc, char **argv)
{
    build b[BUILDS];
    double logs[2] = {0.0, 0.0};
    int well = 0;
    if (argc < 4) {
        fprintf(stderr, "usage: builds OLD.so NEW.so A.mtx ...\n");
        return 2;
    }
    if (!load(argv[1], &b[OLD]) || !load(argv[2], &b[NEW])) return 1;
    for (int k = 3; k < argc; k++) well += compare_builds(b, argv[k], logs);
    if (well > 0)
        printf("%d matrices, geometric means: refactor %.4f, solve %.4f\n", well, exp(logs[0] / well),
               exp(logs[1] / well));
    return well == argc - 3 ? 0 : 1;
}
