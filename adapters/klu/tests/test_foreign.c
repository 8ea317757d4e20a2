/* A library that holds a KLU before 1.3, whose klu_common has pointers to functions of memory, in a process that has
 * ours: its calls are its own, all of them and those that its KLU makes, and its klu_common is as it left it; the
 * program beside it is served. With WK_OLD this is the library, whose KLU answers with what it is called. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WK_OLD

#define OLD_API __attribute__((visibility("default")))

typedef struct old_common {
    double tol, memgrow, initmem_amd, initmem, maxwork;
    int btf, ordering, scale;
    void *(*malloc_memory)(size_t);
    void *(*realloc_memory)(void *, size_t);
    void (*free_memory)(void *);
    void *(*calloc_memory)(size_t, size_t);
    int (*user_order)(int, int *, int *, int *, struct old_common *);
    void *user_data;
    int halt_if_singular, status, nrealloc, structural_rank, numerical_rank, singular_col, noffdiag;
    double flops, rcond, condest, rgrowth, work;
    size_t memusage, mempeak;
} old_common;

OLD_API int klu_defaults(old_common *c);
OLD_API void *klu_malloc(size_t n, size_t size, old_common *c);
OLD_API void *klu_free(void *p, size_t n, size_t size, old_common *c);
OLD_API void *klu_analyze(int n, int *Ap, int *Ai, old_common *c);
OLD_API void *klu_factor(int *Ap, int *Ai, double *Ax, void *s, old_common *c);
OLD_API int klu_solve(void *s, void *f, int ldim, int nrhs, double *B, old_common *c);
OLD_API int klu_free_symbolic(void **s, old_common *c);
OLD_API int klu_free_numeric(void **f, old_common *c);
OLD_API int use_old(void);

int klu_defaults(old_common *c)
{
    memset(c, 0, sizeof *c);
    c->tol = 0.001;
    c->btf = c->halt_if_singular = 1;
    c->scale = 2;
    c->malloc_memory = malloc;
    c->realloc_memory = realloc;
    c->free_memory = free;
    c->calloc_memory = calloc;
    c->structural_rank = c->numerical_rank = c->singular_col = c->noffdiag = -1;
    c->flops = c->rcond = c->condest = c->rgrowth = -1;
    return 1;
}

void *klu_malloc(size_t n, size_t size, old_common *c)
{
    c->memusage += n * size;
    return c->malloc_memory(n * size);
}

void *klu_free(void *p, size_t n, size_t size, old_common *c)
{
    c->memusage -= n * size;
    c->free_memory(p);
    return NULL;
}

void *klu_analyze(int n, int *Ap, int *Ai, old_common *c)
{
    int *s = klu_malloc(1, 100, c);
    (void)Ap, (void)Ai;
    *s = 1000 + n;
    return s;
}

void *klu_factor(int *Ap, int *Ai, double *Ax, void *s, old_common *c)
{
    double *f = klu_malloc(1, 200, c);
    (void)Ap, (void)Ai, (void)s;
    *f = Ax[0];
    return f;
}

int klu_solve(void *s, void *f, int ldim, int nrhs, double *B, old_common *c)
{
    (void)s, (void)ldim, (void)nrhs;
    B[0] /= *(double *)f;
    c->singular_col = 4711;
    return 17;
}

int klu_free_symbolic(void **s, old_common *c)
{
    *s = klu_free(*s, 1, 100, c);
    return 1;
}

int klu_free_numeric(void **f, old_common *c)
{
    *f = klu_free(*f, 1, 200, c);
    return 1;
}

/* 0: all calls were answered by the functions above; else the number of the first one that was not. */
int use_old(void)
{
    int Ap[] = {0, 1}, Ai[] = {0};
    double Ax[] = {4.0}, b[] = {2.0};
    old_common c;
    if (klu_defaults(&c) != 1 || c.malloc_memory != malloc || c.halt_if_singular != 1 || c.rgrowth != -1) return 1;
    void *s = klu_analyze(1, Ap, Ai, &c);
    if (s == NULL || *(int *)s != 1001 || c.memusage != 100) return 2;
    void *f = klu_factor(Ap, Ai, Ax, s, &c);
    if (f == NULL || c.memusage != 300) return 3;
    if (klu_solve(s, f, 1, 1, b, &c) != 17 || b[0] != 0.5 || c.singular_col != 4711) return 4;
    if (klu_free_numeric(&f, &c) != 1 || klu_free_symbolic(&s, &c) != 1 || c.memusage != 0) return 5;
    return 0;
}

#else

#include <dlfcn.h>

#include "subject.h"

static void use_ours(void)
{
    subject a;
    uint64_t seed = 5;
    wk_common c;
    double b[MOST], x[MOST];
    CHECK(WK_SHARED(defaults)(&c) && c.halt_if_singular == 1 && c.user_order == NULL);
    make(&a, &seed, 20, 3, 0);
    wk_symbolic *s = WK_SHARED(analyze)(a.n, a.Ap, a.Ai, &c);
    wk_numeric *f = WK_NAME(factor)(a.Ap, a.Ai, a.Ax, s, &c);
    for (int i = 0; i < MOST; i++) b[i] = x[i] = uniform(&seed);
    CHECK(f != NULL && WK_NAME(solve)(s, f, a.n, 1, x, &c) && residual(&a, 0, x, b) < 1e-12);
    CHECK(WK_NAME(free_numeric)(&f, &c) && WK_SHARED(free_symbolic)(&s, &c));
}

static const char *path;

static void another_layout_is_left_alone(void)
{
    int (*use_old)(void);
    use_ours();
    void *old = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK_SAY(old != NULL, "%s", dlerror());
    if (old == NULL) return;
    *(void **)&use_old = dlsym(old, "use_old");
    for (int k = 0; k < 3; k++) {
        const int failed = use_old();
        CHECK_SAY(failed == 0, "call %d was not the library's own", failed);
        use_ours();
    }
}

int main(int argc, char **argv)
{
    path = argc > 1 ? argv[1] : "";
    RUN(another_layout_is_left_alone);
    return check_done();
}

#endif
