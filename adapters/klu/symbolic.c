/* klu_defaults, klu_analyze, klu_analyze_given and klu_free_symbolic: a Symbolic is a copy of the pattern, and a solver
 * from the process's cache that has analyzed it and waits for the first klu_factor.
 *
 * Time: O(n + nnz) for a pattern that the cache knows, else an analysis by warplu. Whether an analysis is of real or of
 * complex values is a guess (wk_expects_complex). */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "foreign.h"
#include "process.h"

wk_flag WK_SHARED(defaults)(wk_common *common)
{
    WK_LEAVE(WK_SHARED(defaults), common);
    if (common == NULL) return 0;
    *common = (wk_common){.tol = 0.001,
                          .memgrow = 1.2,
                          .initmem_amd = 1.2,
                          .initmem = 10.0,
                          .btf = 1,
                          .ordering = WK_ORDER_AMD,
                          .scale = 2,
                          .halt_if_singular = 1,
                          .structural_rank = WK_EMPTY,
                          .numerical_rank = WK_EMPTY,
                          .singular_col = WK_EMPTY,
                          .noffdiag = WK_EMPTY,
                          .flops = WK_EMPTY,
                          .rcond = WK_EMPTY,
                          .condest = WK_EMPTY,
                          .rgrowth = WK_EMPTY};
    return 1;
}

static void release(wk_symbolic_object *s)
{
    if (s->shape != NULL) wk_shape_orphan(s->shape);
    free(s->shown.P);
    free(s->shown.Q);
    free(s->shown.R);
    free(s->shown.Lnz);
    free(s);
}

/* Room for everything, and the pattern; *status is KLU's. */
static wk_symbolic_object *create(wk_int n, const wk_int *Ap, const wk_int *Ai, wk_flag *status)
{
    *status = wk_check_pattern(n, Ap, Ai);
    if (*status != WK_OK) return NULL;
    const size_t room = (size_t)n;
    *status = WK_OUT_OF_MEMORY;
    wk_symbolic_object *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    wk_symbolic *t = &s->shown;
    t->P = malloc(room * sizeof *t->P);
    t->Q = malloc(room * sizeof *t->Q);
    t->R = malloc((room + 1) * sizeof *t->R);
    t->Lnz = malloc(room * sizeof *t->Lnz);
    if (t->P == NULL || t->Q == NULL || t->R == NULL || t->Lnz == NULL) goto fail;
    s->shape = wk_shape_create(n, Ap, Ai);
    if (s->shape == NULL) goto fail;
    t->n = n;
    t->nz = Ap[n];
    t->symmetry = t->est_flops = t->lnz = t->unz = WK_EMPTY;
    for (wk_int b = 0; b < n; b++) t->Lnz[b] = WK_EMPTY;
    s->accounted = sizeof *s + (4 * room + 1 + (size_t)Ap[n]) * sizeof *Ap + room * sizeof *t->Lnz;
    *status = WK_OK;
    return s;
fail:
    release(s);
    return NULL;
}

/* One block, as the matrix stands. */
static void show_natural_order(wk_symbolic *t)
{
    for (wk_int k = 0; k < t->n; k++) t->P[k] = t->Q[k] = k;
    t->nblocks = 1;
    t->maxblock = t->n;
    t->R[0] = 0;
    t->R[1] = t->n;
}

/* Entries above the diagonal blocks. place: n. */
static wk_int count_off_blocks(const wk_symbolic *t, const wk_shape *shape, wk_int *place)
{
    wk_int off = 0;
    if (t->nblocks == 1) return 0;
    for (wk_int b = 0; b < t->nblocks; b++)
        for (wk_int k = t->R[b]; k < t->R[b + 1]; k++) place[t->P[k]] = b;
    for (wk_int b = 0; b < t->nblocks; b++)
        for (wk_int k = t->R[b]; k < t->R[b + 1]; k++)
            for (wk_int p = shape->Ap[t->Q[k]]; p < shape->Ap[t->Q[k] + 1]; p++) off += place[shape->Ai[p]] != b;
    return off;
}

/* The order of the analysis. */
static int show_order(wk_symbolic *t, const wk_shape *shape)
{
    const size_t n = (size_t)t->n;
    int32_t blocks, *room = malloc((3 * n + 1) * sizeof *room), *P = room, *Q = P + n, *block = Q + n;
    wk_int *place = malloc(n * sizeof *place);
    int known =
        room != NULL && place != NULL && warplu_extract_order(shape->idle, P, Q, block, &blocks) == WARPLU_SUCCESS;
    if (known) {
        for (size_t k = 0; k < n; k++) {
            t->P[k] = P[k];
            t->Q[k] = Q[k];
        }
        t->nblocks = blocks;
        t->maxblock = 0;
        for (int32_t b = 0; b <= blocks; b++) {
            t->R[b] = block[b];
            if (b > 0 && t->R[b] - t->R[b - 1] > t->maxblock) t->maxblock = t->R[b] - t->R[b - 1];
        }
        t->nzoff = count_off_blocks(t, shape, place);
    }
    free(room);
    free(place);
    return known;
}

/* Analyzes what create has made; the object is released where that fails. As in KLU the rank is that of an analysis
 * that has looked for blocks by itself. */
static wk_symbolic *analyze(wk_symbolic_object *s, wk_int ordering, wk_common *common)
{
    wk_shape *shape = s->shape;
    wk_symbolic *t = &s->shown;
    warplu_options *o = &shape->options;
    o->btf = common->btf != 0;
    wk_take_options(common, o);
    o->scalar = wk_expects_complex() ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
    const int ranked = o->btf && ordering != WK_ORDER_GIVEN;
    t->ordering = ordering;
    t->do_btf = o->btf;
    t->structural_rank = ranked ? t->n : WK_EMPTY;
    warplu_status status = wk_shape_open(shape, o, &shape->idle);
    common->status = WK_OK;
    if (status == WARPLU_STRUCTURALLY_SINGULAR) {
        wk_shape_find_rank(shape);
        show_natural_order(t);
        if (ranked) t->structural_rank = shape->rank;
    } else if (status < 0) {
        common->status = wk_status_of(status);
    } else if (!show_order(t, shape)) {
        common->status = WK_OUT_OF_MEMORY;
    }
    if (common->status == WK_OK && !wk_register(t, WK_SYMBOLIC_KIND)) common->status = WK_OUT_OF_MEMORY;
    if (common->status != WK_OK) {
        release(s);
        return NULL;
    }
    common->structural_rank = t->structural_rank;
    wk_account(common, s->accounted);
    return t;
}

static wk_symbolic *analyze_by(wk_int n, wk_int *Ap, wk_int *Ai, wk_int ordering, const wk_int *Q, wk_common *common)
{
    if (common == NULL) return NULL;
    common->structural_rank = WK_EMPTY;
    common->status = WK_INVALID;
    if (ordering < WK_ORDER_AMD || ordering > WK_ORDER_USER) return NULL;
    wk_symbolic_object *s = create(n, Ap, Ai, &common->status);
    if (s == NULL) return NULL;
    wk_default_options(&s->shape->options);
    int status = WK_OK;
    if (ordering == WK_ORDER_GIVEN && Q == NULL) s->shape->options.ordering = WARPLU_ORDERING_NATURAL;
    if ((ordering == WK_ORDER_GIVEN && Q != NULL) || ordering == WK_ORDER_USER)
        status = wk_shape_order(s->shape, Q, common);
    if (status == WK_OK) return analyze(s, ordering, common);
    common->status = status;
    release(s);
    return NULL;
}

wk_symbolic *WK_SHARED(analyze)(wk_int n, wk_int *Ap, wk_int *Ai, wk_common *common)
{
    WK_LEAVE(WK_SHARED(analyze), n, Ap, Ai, common);
    const int64_t begin = wk_call_begin();
    wk_symbolic *analyzed = analyze_by(n, Ap, Ai, common != NULL ? (wk_int)common->ordering : 0, NULL, common);
    wk_call_end(WK_CALL_ANALYZE, begin);
    return analyzed;
}

wk_symbolic *WK_SHARED(analyze_given)(wk_int n, wk_int *Ap, wk_int *Ai, wk_int *P, wk_int *Q, wk_common *common)
{
    WK_LEAVE(WK_SHARED(analyze_given), n, Ap, Ai, P, Q, common);
    const int64_t begin = wk_call_begin();
    (void)P; /* rows are ordered by pivoting */
    wk_symbolic *analyzed = analyze_by(n, Ap, Ai, WK_ORDER_GIVEN, Q, common);
    wk_call_end(WK_CALL_ANALYZE, begin);
    return analyzed;
}

static int free_symbolic(wk_symbolic **symbolic, wk_common *common)
{
    if (wk_kind_of(*symbolic) != WK_SYMBOLIC_KIND || wk_forget(*symbolic) != WK_SYMBOLIC_KIND) {
        common->status = WK_INVALID;
        return 0;
    }
    wk_symbolic_object *s = (wk_symbolic_object *)*symbolic;
    common->memusage -= s->accounted;
    release(s);
    *symbolic = NULL;
    return 1;
}

wk_flag WK_SHARED(free_symbolic)(wk_symbolic **symbolic, wk_common *common)
{
    WK_LEAVE(WK_SHARED(free_symbolic), symbolic, common);
    if (common == NULL) return 0;
    if (symbolic == NULL || *symbolic == NULL) return 1;
    wk_forks_hold();
    const int freed = free_symbolic(symbolic, common);
    wk_forks_release();
    return freed;
}
