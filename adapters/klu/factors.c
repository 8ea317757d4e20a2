/* See factors.h. */
#include "factors.h"

#include <warplu/cache.h>

#include <stdlib.h>

int wk_factors_create(wk_factors *f, int32_t n, int doubles)
{
    const size_t room = (size_t)n;
    *f = (wk_factors){.n = n, .doubles = doubles};
    f->row = malloc(room * sizeof *f->row);
    f->col = malloc(room * sizeof *f->col);
    f->block = malloc((room + 1) * sizeof *f->block);
    f->row_scale = malloc(room * sizeof *f->row_scale);
    f->col_scale = malloc(room * sizeof *f->col_scale);
    f->diagonal = malloc(room * sizeof *f->diagonal * (size_t)doubles);
    return f->row && f->col && f->block && f->row_scale && f->col_scale && f->diagonal;
}

void wk_factors_release(wk_factors *f)
{
    warplu_close_solver(&f->solver);
    free(f->row);
    free(f->col);
    free(f->block);
    free(f->row_scale);
    free(f->col_scale);
    free(f->diagonal);
    *f = (wk_factors){0};
}

/* The most entries that columns of one block have. */
static int64_t most_of_a_block(const wk_factors *f, const int64_t *ptr)
{
    int64_t most = 0;
    for (int32_t b = 0; b < f->blocks; b++) {
        int64_t entries = ptr[f->block[b + 1]] - ptr[f->block[b]];
        if (entries > most) most = entries;
    }
    return most;
}

static warplu_status read_order(wk_factors *f)
{
    int64_t *ptr = malloc(2 * ((size_t)f->n + 1) * sizeof *ptr);
    if (ptr == NULL) return WARPLU_OUT_OF_MEMORY;
    warplu_factors_view view = {.size = sizeof view,
                                .Lp = ptr,
                                .Up = ptr + f->n + 1,
                                .P = f->row,
                                .Q = f->col,
                                .R = f->row_scale,
                                .C = f->col_scale,
                                .block = f->block};
    warplu_status status = warplu_extract_factors(f->solver, &view);
    if (status == WARPLU_SUCCESS) {
        f->blocks = view.blocks;
        f->lnz = view.l_nnz;
        f->unz = view.u_nnz;
        f->nzoff = view.f_nnz;
        f->block_lnz = most_of_a_block(f, view.Lp);
        f->block_unz = most_of_a_block(f, view.Up);
    }
    free(ptr);
    return status;
}

warplu_status wk_factors_read(wk_factors *f, int *moved)
{
    int64_t number;
    warplu_status status = warplu_get_pivots_number(f->solver, &number);
    *moved = 0;
    if (status == WARPLU_SUCCESS && number != f->number) {
        status = read_order(f);
        *moved = 1;
        f->number = status == WARPLU_SUCCESS ? number : 0;
    }
    return status;
}
