/* The sections of warplu info. See info.h. */
#include "info.h"

#include "solver/solver.h"
#include "levels/scalar_levels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/btf.h>

_Static_assert(sizeof(int) == sizeof(int32_t), "BTF's int is int32_t");

/* -------------------------------------------------------------- structure */

static int ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Numbers the rows that have an entry anew, in their order: idx gets the entries' rows, rows room for nnz. Returns how
 * many there are. O(nnz log nnz), whatever nrow is. */
static int32_t number_rows(const warplu_mm_matrix *m, int32_t *idx, int32_t *rows)
{
    int32_t count = 0;
    memcpy(rows, m->idx, (size_t)m->nnz * sizeof *rows);
    qsort(rows, (size_t)m->nnz, sizeof *rows, ascending);
    for (int64_t q = 0; q < m->nnz; q++)
        if (count == 0 || rows[count - 1] != rows[q]) rows[count++] = rows[q];
    for (int64_t q = 0; q < m->nnz; q++)
        idx[q] = (int32_t)((int32_t *)bsearch(&m->idx[q], rows, (size_t)count, sizeof *rows, ascending) - rows);
    return count;
}

/* Size of a maximum matching of rows and columns, of any shape. Rows without entries are left out where they would
 * take more memory than the entries. */
static warplu_status structural_rank(wlu_context *ctx, const warplu_mm_matrix *m, int32_t *rank)
{
    const int64_t rows = m->nrow < m->nnz ? m->nrow : m->nnz;
    int32_t *match = WLU_ALLOC(ctx, rows, int32_t), *work = WLU_ALLOC(ctx, 5 * (int64_t)m->ncol, int32_t);
    int32_t *idx = m->nrow > m->nnz ? WLU_ALLOC(ctx, m->nnz, int32_t) : m->idx, nrow = m->nrow;
    double steps = 0;
    warplu_status status = WARPLU_SUCCESS;
    if (match == NULL || work == NULL || idx == NULL) {
        status = wlu_fail_memory(ctx, "structural rank");
    } else {
        if (idx != m->idx) nrow = number_rows(m, idx, match);
        *rank = btf_maxtrans(nrow, m->ncol, m->ptr, idx, 0.0, &steps, match, work);
    }
    wlu_free(ctx, match);
    wlu_free(ctx, work);
    if (idx != m->idx) wlu_free(ctx, idx);
    return status;
}

/* The place of (row, col), or -1. */
static int32_t find(const warplu_mm_matrix *m, int32_t row, int32_t col)
{
    int32_t low = m->ptr[col], high = m->ptr[col + 1];
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (m->idx[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->ptr[col + 1] && m->idx[low] == row ? low : -1;
}

static int equal_values(const warplu_mm_matrix *m, int32_t a, int32_t b)
{
    int width = m->typecode.field == WARPLU_MM_FIELD_COMPLEX ? 2 : 1;
    for (int k = 0; k < width; k++)
        if (m->values[(int64_t)width * a + k] != m->values[(int64_t)width * b + k]) return 0;
    return 1;
}

/* The parts of the off-diagonal entries whose mirror image is there, and equal; 1 where there are none. */
static void report_symmetry(facts *f, const warplu_mm_matrix *m)
{
    int64_t total = 0, mirrored = 0, equal = 0, diagonal = 0;
    for (int32_t j = 0; j < m->ncol; j++)
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
            if (m->idx[q] == j) {
                diagonal++;
                continue;
            }
            int32_t image = find(m, j, m->idx[q]);
            total++;
            mirrored += image >= 0;
            if (image >= 0 && m->values != NULL) equal += equal_values(m, q, image);
        }
    facts_real(f, "pattern_symmetry", total > 0 ? (double)mirrored / (double)total : 1.0);
    if (m->values != NULL) facts_real(f, "value_symmetry", total > 0 ? (double)equal / (double)total : 1.0);
    facts_int(f, "missing_diagonal", m->ncol - diagonal);
}

warplu_status info_structure(facts *f, wlu_context *ctx, const warplu_mm_matrix *m, const warplu_solver *solver)
{
    int32_t rank = 0;
    warplu_status status = structural_rank(ctx, m, &rank);
    if (status < 0) return status;
    facts_section(f, "structure");
    facts_int(f, "structural_rank", rank);
    if (m->nrow == m->ncol) report_symmetry(f, m);
    if (solver != NULL && solver->analysis != NULL) {
        facts_int(f, "blocks", solver->analysis->nblocks);
        facts_int(f, "largest_block", solver->analysis->largest_block);
        facts_real(f, "analyze_ms", (double)solver->analysis->analyze_ns / 1e6);
    }
    facts_section_end(f);
    return WARPLU_SUCCESS;
}

/* -------------------------------------------------------- orders, pivots */

void info_orderings(facts *f, const warplu_solver *solver)
{
    const wlu_analysis *an = solver->analysis;
    facts_rows(f, "candidates");
    for (int32_t k = 0; k < an->ncandidates; k++) {
        const wlu_candidate *c = &an->candidate[k];
        facts_row(f, "ordering", load_orderings[c->ordering]);
        facts_bool(f, "matched", c->matched);
        facts_bool(f, "joined", c->joined);
        facts_real(f, "predicted_terms", c->terms);
        facts_real(f, "predicted_lu_nnz", c->lu_nnz);
        facts_int(f, "predicted_height", c->height);
        facts_real(f, "predicted_refactor_ms", c->predicted_ns / 1e6);
        facts_real(f, "predicted_solve_ms", c->solve_ns / 1e6);
        facts_real(f, "order_ms", (double)c->order_ns / 1e6);
        facts_row_end(f);
    }
    facts_rows_end(f);
}

static warplu_statistics statistics_of(const warplu_solver *solver)
{
    warplu_statistics t = {.size = sizeof t};
    warplu_get_statistics(solver, &t);
    return t;
}

void info_pivots(facts *f, const warplu_solver *solver)
{
    warplu_statistics t = statistics_of(solver);
    facts_section(f, "pivots");
    facts_int(f, "lu_nnz", t.lu_nnz);
    facts_int(f, "f_nnz", t.f_nnz);
    facts_real(f, "fill", (double)t.lu_nnz / (double)t.nnz);
    facts_int(f, "terms", t.terms);
    facts_int(f, "flops", t.flops);
    facts_int(f, "solve_terms", t.solve_terms);
    facts_int(f, "height", t.height);
    facts_real(f, "ordering_loss", t.ordering_loss);
    facts_real(f, "pivot_growth", t.pivot_growth);
    facts_real(f, "largest_l", t.largest_l);
    facts_real(f, "smallest_pivot", t.smallest_pivot);
    facts_real(f, "factor_ms", t.factor_ns / 1e6);
    facts_section_end(f);
}

/* ---------------------------------------------------------------- program */

/* Vectors by the power of two at or below their number of records. */
static void report_widths(facts *f, const int64_t *vectors, const int64_t *records)
{
    char range[32];
    facts_rows(f, "widths");
    for (int k = 0; k < WLU_WIDTH_CLASSES; k++) {
        if (vectors[k] == 0) continue;
        snprintf(range, sizeof range, "%" PRId64 "..%" PRId64, INT64_C(1) << k, (INT64_C(2) << k) - 1);
        facts_row(f, "width", range);
        facts_int(f, "vectors", vectors[k]);
        if (records != NULL) facts_int(f, "records", records[k]);
        facts_row_end(f);
    }
    facts_rows_end(f);
}

/* What the streams of one program hold together, and what stands outside them. */
typedef struct stream_sums {
    int64_t terms, levels, vectors, longest;
    int64_t opcode[WLU_OPCODES];
    int64_t width_vectors[WLU_WIDTH_CLASSES], width_records[WLU_WIDTH_CLASSES];
} stream_sums;

static void add_stream(stream_sums *sums, const wlu_stream *s)
{
    sums->terms += s->nterms;
    sums->levels += s->nlevels;
    sums->vectors += s->nvectors;
    if (s->longest_vector > sums->longest) sums->longest = s->longest_vector;
    for (int64_t r = 0; r < s->nrecords; r++) sums->opcode[s->opcode[r]]++;
    for (int64_t v = 0; v < s->nvectors; v++) {
        int k = 0;
        while (k + 1 < WLU_WIDTH_CLASSES && s->vector[v].count >> (k + 1) > 0) k++;
        sums->width_vectors[k]++;
        sums->width_records[k] += s->vector[v].count;
    }
}

static void report_sums(facts *f, const stream_sums *sums)
{
    facts_int(f, "stream_terms", sums->terms);
    facts_int(f, "levels", sums->levels);
    facts_int(f, "vectors", sums->vectors);
    facts_int(f, "longest_vector", sums->longest);
    facts_section(f, "records");
    for (int k = 0; k < WLU_OPCODES; k++)
        if (sums->opcode[k] > 0) facts_int(f, wlu_opcode_table[k].name, sums->opcode[k]);
    facts_section_end(f);
    report_widths(f, sums->width_vectors, sums->width_records);
}

void info_program(facts *f, const warplu_solver *solver)
{
    const wlu_program *p = wlu_solver_program(solver);
    warplu_statistics t = statistics_of(solver);
    stream_sums factor = {0}, solve = {0};
    add_stream(&factor, &p->dot);
    factor.opcode[WLU_LOAD] = p->load.count + p->list.count;
    factor.opcode[WLU_TILE] = wlu_lu_of(p)->tiles.count;
    factor.opcode[WLU_GUARD] = p->n;
    add_stream(&solve, &p->solve.stream);
    solve.opcode[WLU_LOAD] = p->solve.load.count;
    for (int32_t r = 0; r < p->solve.regions; r++)
        solve.opcode[WLU_TILE] += p->solve.region[r].end - p->solve.region[r].begin;
    facts_section(f, "program");
    facts_int(f, "dot_pivots", t.dot_pivots);
    facts_int(f, "tile_pivots", t.tile_pivots);
    facts_int(f, "tile_terms", wlu_lu_of(p)->tiles.terms);
    facts_int(f, "tile_steps", wlu_lu_of(p)->tiles.steps);
    facts_int(f, "tiles", wlu_lu_of(p)->tiles.count);
    facts_int(f, "slots", t.slots);
    facts_int(f, "program_bytes", t.program_bytes);
    facts_int(f, "state_bytes", t.state_bytes);
    facts_real(f, "predicted_refactor_ms", t.predicted_refactor_ns / 1e6);
    facts_real(f, "compile_ms", t.compile_ns / 1e6);
    report_sums(f, &factor);
    facts_section_end(f);
    facts_section(f, "solve_program");
    facts_int(f, "program_bytes", t.solve_program_bytes);
    facts_int(f, "regions", p->solve.regions);
    report_sums(f, &solve);
    facts_section_end(f);
}

/* How warps would execute its vectors; shares of lanes. */
static void report_warps(facts *f, const char *name, const wlu_warps *w)
{
    facts_section(f, name);
    facts_int(f, "passes", w->passes);
    facts_int(f, "most_passes", w->most_passes);
    facts_real(f, "least_filling", w->least_filling);
    facts_real(f, "mean_filling", w->mean_filling);
    facts_real(f, "best_filling", w->best_filling);
    facts_real(f, "least_agreement", w->least_agreement);
    facts_real(f, "mean_agreement", w->mean_agreement);
    facts_real(f, "best_agreement", w->best_agreement);
    facts_section_end(f);
}

warplu_status info_scalar(facts *f, wlu_context *ctx, const warplu_solver *solver, int however_long)
{
    wlu_levels l;
    warplu_status status = WARPLU_SUCCESS;
    int skip = wlu_solver_pivots(solver)->terms > INFO_SCALAR_TERMS && !however_long;
    if (!skip) status = wlu_levels_find(ctx, solver->analysis->a, wlu_solver_pivots(solver), 1, &l);
    facts_section(f, "scalar_program");
    if (skip) facts_text(f, "skipped", "more than 10^8 terms; --scalar counts them all the same");
    if (!skip && status < 0) facts_text(f, "skipped", ctx->last_message);
    if (!skip && status >= 0) {
        facts_int(f, "instructions", l.records);
        facts_int(f, "multiply_subtracts", l.multiply_subtracts);
        facts_int(f, "divisions", l.divisions);
        facts_int(f, "vectors_unsplit", l.levels);
        facts_int(f, "vectors_split", l.vectors);
        facts_int(f, "longest_unsplit", l.longest_level);
        facts_int(f, "longest_split", l.longest_vector);
        report_widths(f, l.width, NULL);
        report_warps(f, "warps_unsplit", &l.unsplit);
        report_warps(f, "warps_split", &l.split);
    }
    facts_section_end(f);
    return status;
}
