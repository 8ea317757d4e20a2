/* Roundings of a program's sums. See rounding.h. */
#include "lu/rounding.h"

/* Tiles begin .. end - 1 are solved for one by one. Rows below a tile lose one sum to it, those above it another. */
static void count_tiles(const wlu_tiles *t, const wlu_solve_region *region, int32_t *y_tiles, int32_t *x_tiles)
{
    for (int32_t at = region->first; at < region->behind; at++) y_tiles[t->position[at]] = x_tiles[t->position[at]] = 0;
    for (int32_t k = region->begin; k < region->end; k++) {
        const int32_t *row = t->row + t->row_ptr[k];
        for (int32_t q = 0; q < t->above[k]; q++) x_tiles[t->position[row[q]]]++;
        for (int32_t q = 0; q < t->below[k]; q++) y_tiles[t->position[row[t->above[k] + q]]]++;
    }
}

warplu_status wlu_lu_find_rounds(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots,
                                 const wlu_program *program, int transposed, wlu_rounds *out)
{
    const wlu_lu *lu = wlu_lu_of(program);
    const wlu_bounded_factors factors = wlu_pivots_bounded(a, pivots);
    const int64_t n = program->n;
    int32_t *tiles = WLU_ALLOC(ctx, 2 * n, int32_t);
    if (tiles == NULL) return wlu_fail_memory(ctx, "a bound on rounding");
    for (int64_t k = 0; k < 2 * n; k++) tiles[k] = -1;
    for (int32_t r = 0; r < program->solve.regions; r++)
        count_tiles(&lu->tiles, &program->solve.region[r], tiles, tiles + n);
    const wlu_sum_shapes shapes = {.whole = program->cost->record_terms,
                                   .piece = program->cost->partial_sum_terms,
                                   .tiled = lu->tiled,
                                   .y_tiles = tiles,
                                   .x_tiles = tiles + n};
    warplu_status status = wlu_rounds_find(ctx, &factors, &shapes, transposed, out);
    wlu_free(ctx, tiles);
    return status;
}

warplu_status wlu_lu_bound_program(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots,
                                   wlu_program *program)
{
    const wlu_bounded_factors factors = wlu_pivots_bounded(a, pivots);
    wlu_lu *lu = wlu_lu_edit(program);
    lu->line = WLU_ALLOC(ctx, program->n, double);
    if (lu->line == NULL) return wlu_fail_memory(ctx, "a bound on rounding");
    warplu_status status = wlu_lu_find_rounds(ctx, a, pivots, program, 0, &lu->rounds);
    return status < 0 ? status : wlu_bound_find(ctx, &factors, &lu->rounds, 0, &lu->guard.criteria.bound, lu->line);
}
