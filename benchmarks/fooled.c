/* Replays that fool pivots chosen for other values: what KLU and warplu say, and what their answers are worth.
 *
 * Natural order, no matching, no block triangular form, so that pivots are those of the first matrix: the 2 by 2
 * matrices [1 1; 1 2] and [e 1; 1 2] with their mirror images, and the 3 by 3 ones [1 1 0; 0 1 .5; 1 1 1] and
 * [e 1 0; 0 1 e; 1 1 1] for e = 1e-1 to 1e-18, whose growth looks healthy where the answer is lost; their solution is
 * (1, 1, 2). KLU's row is its klu_refactor, reciprocal pivot growth and condition estimate after it, and the error of
 * klu_solve.
 *
 * Exit status 1 where warplu says success and the backward error is above 1e-10. */
#include <warplu/inspect.h>

#include "klu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 3 };
static const double ACCURATE = 1e-10;

typedef struct pair {
    const char *name;
    int32_t n;
    double first[MOST * MOST], then[MOST * MOST]; /* by columns, all entries */
    double b[MOST];
} pair;

static const int32_t ptr2[] = {0, 2, 4}, idx2[] = {0, 1, 0, 1};
static const int32_t ptr3[] = {0, 3, 6, 9}, idx3[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
static int wrong, rows;

static const int32_t *ptr_of(const pair *p)
{
    return p->n == 2 ? ptr2 : ptr3;
}

static const int32_t *idx_of(const pair *p)
{
    return p->n == 2 ? idx2 : idx3;
}

/* By the public definition, NaN where that cannot be had. */
static double error_of(const pair *p, int transposed, const double *x)
{
    warplu_solver *s = NULL;
    double omega = NAN;
    if (warplu_create(&s, NULL) >= 0 && warplu_analyze(s, p->n, ptr_of(p), idx_of(p), NULL) >= 0)
        warplu_compute_backward_error(s, transposed, p->then, 1, p->b, p->n, x, p->n, &omega);
    warplu_destroy(&s);
    return omega;
}

static void put_x(const pair *p, const double *x)
{
    char text[80] = "";
    for (int32_t i = 0; i < p->n; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%.6g", i ? ", " : "", x[i]);
    }
    printf(" %-34s", text);
}

/* The name without its prefix. */
static const char *status_name(warplu_status status)
{
    return warplu_status_name(status) + strlen("WARPLU_");
}

static void row_of_klu(const pair *p)
{
    peer_matrix a = {.n = p->n, .ptr = ptr_of(p), .idx = idx_of(p)};
    void *k = NULL;
    double x[MOST] = {0}, growth = NAN, condition = NAN;
    peer_request request = {.variant = PEER_KLU_SCALE_MAX, .threads = 1, .ordering = PEER_KLU_NATURAL};
    warplu_status status = peer_plugin.analyze(&a, &request, &k);
    if (status >= 0) status = peer_plugin.factor(k, p->first);
    if (status >= 0) status = peer_plugin.refactor(k, p->then);
    if (status >= 0) peer_klu_quality(k, p->then, &growth, &condition);
    if (status >= 0) status = peer_plugin.solve(k, p->b, x);
    printf("%-26s %-10s %-12s %-12s", p->name, "klu", status_name(status), "");
    put_x(p, x);
    printf(" %8.1e %8.1e %8.1e%s\n", growth, condition, error_of(p, 0, x),
           status == WARPLU_SUCCESS && !(error_of(p, 0, x) <= ACCURATE) ? "  fooled" : "");
    peer_plugin.destroy(&k);
}

static void row_of_warplu(const pair *p, warplu_check check, int transposed)
{
    warplu_options o;
    warplu_solver *s = NULL;
    warplu_statistics t = {.size = sizeof t};
    double x[MOST] = {0};
    warplu_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.btf = 0;
    o.check = check;
    warplu_status status = warplu_create(&s, &o), refactored;
    if (status >= 0) status = warplu_analyze(s, p->n, ptr_of(p), idx_of(p), NULL);
    if (status >= 0) status = warplu_factor(s, p->first);
    refactored = status;
    if (status >= 0) refactored = status = warplu_refactor(s, p->then);
    if (status >= 0)
        status =
            transposed ? warplu_solve_transposed(s, 1, p->b, p->n, x, p->n) : warplu_solve(s, 1, p->b, p->n, x, p->n);
    warplu_get_statistics(s, &t);
    double omega = error_of(p, transposed, x);
    int bad = (status == WARPLU_SUCCESS || status == WARPLU_REPIVOTED) && !(omega <= ACCURATE);
    printf("%-26s %-10s %-12s %-12s", "", transposed ? "warplu A'" : "warplu", status_name(refactored),
           status_name(status));
    put_x(p, x);
    printf(" %8.1e %8s %8.1e%s\n", t.pivot_growth, "", omega, bad ? "  WRONG" : "");
    rows++;
    wrong += bad;
    warplu_destroy(&s);
}

static void run(const pair *p)
{
    row_of_klu(p);
    row_of_warplu(p, WARPLU_CHECK_SUSPECT, 0);
    row_of_warplu(p, WARPLU_CHECK_SUSPECT, 1);
}

int main(void)
{
    static const pair small[] = {
        {"[1 1; 1 2] [e 1; 1 2]", 2, {1, 1, 1, 2}, {1e-16, 1, 1, 2}, {1, 3}},
        {"mirrored both ways", 2, {2, 1, 1, 1}, {2, 1, 1, 1e-16}, {3, 1}},
        {"rows mirrored", 2, {1, 1, 2, 1}, {1, 1e-16, 2, 1}, {3, 1}},
        {"columns mirrored", 2, {1, 2, 1, 1}, {1, 2, 1e-16, 1}, {1, 3}},
        {"weak first", 2, {1e-16, 1, 1, 2}, {1, 1, 1, 2}, {2, 3}},
    };
    printf("%-26s %-10s %-12s %-12s %-34s %8s %8s %8s\n", "first, then", "solver", "refactor", "solve", "x", "growth",
           "rcond", "error");
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) run(&small[k]);
    for (int k = 1; k <= 18; k++) {
        double e = pow(10.0, -k);
        char name[32];
        snprintf(name, sizeof name, "3 by 3, e = 1e-%d", k);
        pair p = {name, 3, {1, 0, 1, 1, 1, 1, 0, 0.5, 1}, {e, 0, 1, 1, 1, 1, 0, e, 1}, {1 + e, 1 + 2 * e, 4}};
        run(&p);
    }
    printf("%d answers of warplu, %d wrong with a success code\n", rows, wrong);
    return wrong > 0;
}
