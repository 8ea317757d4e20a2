/* Orders of columns that callers give, once or by a function of theirs (klu_analyze_given, user_order). As in KLU they
 * hold within the diagonal blocks of the block triangular form, where Common->btf asks for that: a block's columns
 * stand as the caller has them, blocks in the order of the form. Factors of a whole matrix in such an order may have
 * many times the entries. Time: beside the caller's, that of an analysis in natural order. */
#include "objects.h"

#include <stdlib.h>
#include <warplu/cache.h>

#include "forks.h"

enum { SMALL = 3 }; /* blocks up to here have no order */

/* The form: pivot rows and columns, and where blocks begin. Without btf the matrix is one block as it stands. */
typedef struct form {
    int32_t n, blocks;
    int32_t *row, *col, *block; /* n, n, n + 1 */
} form;

static int create_form(form *f, const wk_shape *shape)
{
    f->n = (int32_t)shape->n;
    f->row = malloc((3 * (size_t)f->n + 1) * sizeof *f->row);
    if (f->row == NULL) return WK_OUT_OF_MEMORY;
    f->col = f->row + f->n;
    f->block = f->col + f->n;
    for (int32_t k = 0; k < f->n; k++) f->row[k] = f->col[k] = k;
    f->blocks = 1;
    f->block[0] = 0;
    f->block[1] = f->n;
    return WK_OK;
}

/* Of a matrix that is structurally singular nothing is asked: it gets no factors. */
static int find_form(form *f, const wk_shape *shape, int btf)
{
    int status = create_form(f, shape);
    if (status != WK_OK || !btf) return status;
    warplu_solver *solver = NULL;
    warplu_options options = shape->options;
    options.ordering = WARPLU_ORDERING_NATURAL;
    options.btf = 1;
    warplu_status found = wk_shape_open(shape, &options, &solver);
    if (found >= 0) found = warplu_extract_order(solver, f->row, f->col, f->block, &f->blocks);
    warplu_close_solver(&solver);
    return found < 0 && found != WARPLU_STRUCTURALLY_SINGULAR ? wk_status_of(found) : WK_OK;
}

/* Q, block by block. owner, next: n. */
static int sort_by_blocks(const form *f, const wk_int *Q, int32_t *owner, int32_t *next, int32_t *out)
{
    for (int32_t b = 0; b < f->blocks; b++) {
        next[b] = f->block[b];
        for (int32_t k = f->block[b]; k < f->block[b + 1]; k++) owner[f->col[k]] = b;
    }
    for (int32_t k = 0; k < f->n; k++) {
        if (Q[k] < 0 || Q[k] >= f->n || owner[Q[k]] < 0) return WK_INVALID;
        out[next[owner[Q[k]]]++] = (int32_t)Q[k];
        owner[Q[k]] = -1;
    }
    return WK_OK;
}

/* A diagonal block's entries in its own numbers. place: n, each row's position. */
static wk_int take_block(const form *f, int32_t b, const wk_shape *shape, const int32_t *place, wk_int *Bp, wk_int *Bi)
{
    const int32_t begin = f->block[b], size = f->block[b + 1] - begin;
    wk_int at = 0;
    for (int32_t k = 0; k < size; k++) {
        const int32_t j = f->col[begin + k];
        Bp[k] = at;
        for (wk_int p = shape->Ap[j]; p < shape->Ap[j + 1]; p++)
            if (place[shape->Ai[p]] >= begin) Bi[at++] = place[shape->Ai[p]] - begin;
    }
    Bp[size] = at;
    return size;
}

static wk_int ask_caller(wk_int size, wk_int *Bp, wk_int *Bi, wk_int *P, wk_common *common)
{
    const int depth = wk_forks_suspend();
    const wk_int answer = common->user_order(size, Bp, Bi, P, common);
    wk_forks_resume(depth);
    return answer;
}

/* Each block by the caller's function. Bp: n + 1; Bi: nz; P: n. */
static int ask_blocks(const form *f, const wk_shape *shape, const int32_t *place, wk_int *Bp, wk_int *Bi, wk_int *P,
                      int32_t *out, wk_common *common)
{
    for (int32_t b = 0; b < f->blocks; b++) {
        const wk_int size = take_block(f, b, shape, place, Bp, Bi);
        for (wk_int k = 0; k < size; k++) P[k] = k;
        if (size > SMALL && ask_caller(size, Bp, Bi, P, common) == 0) return WK_INVALID;
        for (wk_int k = 0; k < size; k++) {
            if (P[k] < 0 || P[k] >= size) return WK_INVALID;
            out[f->block[b] + k] = f->col[f->block[b] + P[k]];
        }
    }
    return WK_OK;
}

static int ask(const form *f, const wk_shape *shape, int32_t *out, wk_common *common)
{
    const size_t n = (size_t)f->n;
    int32_t *place = malloc(n * sizeof *place);
    wk_int *Bp = malloc((2 * n + 1 + (size_t)shape->nz) * sizeof *Bp);
    int status = WK_OUT_OF_MEMORY;
    if (place != NULL && Bp != NULL) {
        for (int32_t k = 0; k < f->n; k++) place[f->row[k]] = k;
        status = ask_blocks(f, shape, place, Bp, Bp + 2 * n + 1, Bp + n + 1, out, common);
    }
    free(place);
    free(Bp);
    return status;
}

static int sort(const form *f, const wk_int *Q, int32_t *out)
{
    int32_t *work = malloc(2 * (size_t)f->n * sizeof *work);
    const int status = work != NULL ? sort_by_blocks(f, Q, work, work + f->n, out) : WK_OUT_OF_MEMORY;
    free(work);
    return status;
}

int wk_shape_order(wk_shape *shape, const wk_int *Q, wk_common *common)
{
    form f = {.n = 0};
    if (Q == NULL && common->user_order == NULL) return WK_INVALID;
    shape->col_order = malloc((size_t)shape->n * sizeof *shape->col_order);
    int status = shape->col_order != NULL ? find_form(&f, shape, common->btf != 0) : WK_OUT_OF_MEMORY;
    if (status == WK_OK) status = Q != NULL ? sort(&f, Q, shape->col_order) : ask(&f, shape, shape->col_order, common);
    free(f.row);
    shape->options.ordering = WARPLU_ORDERING_GIVEN;
    shape->options.col_order = shape->col_order;
    return status;
}
