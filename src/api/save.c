/* Saved analysis and pivots: files and the solver. The format is pivot/saved.h's. */
#include "solver/solver.h"
#include "base/clock.h"
#include "pivot/saved.h"
#include "base/replace.h"

#include <string.h>
#include <unistd.h>

warplu_status wlu_solver_save(warplu_solver *s, const char *path)
{
    if (s == NULL || path == NULL) return WARPLU_INVALID_ARGUMENT;
    if (s->analysis == NULL) return wlu_fail(&s->ctx, WARPLU_WRONG_PHASE, "save before analyze");
    const wlu_pivots *pivots = wlu_solver_pivots(s);
    const wlu_analysis *analysis =
        pivots != NULL ? s->current.plan->analysis : s->analysis; /* which the pivots refer to */
    int64_t size = wlu_saved_bytes(analysis, pivots);
    uint8_t *bytes = WLU_ALLOC(&s->ctx, size, uint8_t);
    if (bytes == NULL) return wlu_fail_memory(&s->ctx, "bytes to save");
    wlu_saved_encode(analysis, pivots, bytes);
    warplu_status status = wlu_file_write(&s->ctx, path, bytes, size);
    wlu_free(&s->ctx, bytes);
    return status;
}

/* The analysis and the pivots, if any, become the solver's; on failure they are released. Pivots are compiled when the
 * first values come, and nothing vouches for them. */
static warplu_status adopt(warplu_solver *s, wlu_analysis *analysis, wlu_pivots *pivots)
{
    static const int no_proofs[2] = {0, 0};
    wlu_plan *plan = NULL;
    wlu_workspace workspace;
    warplu_status status = wlu_workspace_create(&s->ctx, &s->options, analysis->a, NULL, &workspace);
    if (status == WARPLU_SUCCESS && pivots != NULL)
        status = wlu_plan_create(&s->ctx, wlu_solver_target(s, no_proofs), s->cost, analysis, pivots, &plan);
    if (status < 0) {
        wlu_pivots_destroy(&s->ctx, &pivots);
        wlu_analysis_destroy(&s->ctx, &analysis);
        wlu_workspace_free(&s->ctx, &workspace);
        return status;
    }
    wlu_solver_take_analysis(s, analysis, &workspace);
    s->current.plan = plan;
    if (plan != NULL) s->unsettled = WLU_SETTLED;
    s->ctx.singularity.status = WARPLU_SUCCESS;
    return WARPLU_SUCCESS;
}

warplu_status wlu_solver_restore(warplu_solver *s, const char *name, const uint8_t *bytes, int64_t size)
{
    wlu_analysis *analysis = NULL;
    wlu_pivots *pivots = NULL;
    int64_t begin = wlu_now_ns();
    warplu_status status = wlu_saved_decode(&s->ctx, name, bytes, size, &analysis, &pivots);
    if (status < 0) return status;
    analysis->analyze_ns = wlu_now_ns() - begin;
    return adopt(s, analysis, pivots);
}

/* The whole file, once its first bytes say that it is worth it; the caller frees it. */
static warplu_status read_file(wlu_context *ctx, const char *path, uint8_t **bytes, int64_t *size)
{
    uint8_t header[WLU_SAVED_HEADER_BYTES] = {0};
    int fd;
    *bytes = NULL;
    warplu_status status = wlu_file_open(ctx, path, &fd, size);
    if (status < 0) return status;
    int64_t known = *size < WLU_SAVED_HEADER_BYTES ? *size : WLU_SAVED_HEADER_BYTES;
    status = wlu_file_read(ctx, path, fd, header, known);
    if (status == WARPLU_SUCCESS) status = wlu_saved_check_header(ctx, path, header, *size);
    if (status == WARPLU_SUCCESS) {
        *bytes = WLU_ALLOC(ctx, *size, uint8_t);
        if (*bytes == NULL) status = wlu_fail_memory(ctx, "bytes of a saved analysis");
    }
    if (status == WARPLU_SUCCESS) {
        memcpy(*bytes, header, (size_t)known);
        status = wlu_file_read(ctx, path, fd, *bytes + known, *size - known);
    }
    close(fd);
    return status;
}

warplu_status wlu_solver_restore_file(warplu_solver *s, const char *path)
{
    if (s == NULL || path == NULL) return WARPLU_INVALID_ARGUMENT;
    uint8_t *bytes;
    int64_t size;
    warplu_status status = read_file(&s->ctx, path, &bytes, &size);
    if (status == WARPLU_SUCCESS) status = wlu_solver_restore(s, path, bytes, size);
    wlu_free(&s->ctx, bytes);
    return status;
}

/* The first line, counted as the pattern's columns, in which two patterns of one size differ; -1 if none. */
static int32_t first_difference(const wlu_pattern *a, const wlu_pattern *b)
{
    for (int32_t j = 0; j < a->n; j++) {
        int32_t count = a->p[j + 1] - a->p[j];
        if (count != b->p[j + 1] - b->p[j] || memcmp(a->i + a->p[j], b->i + b->p[j], (size_t)count * sizeof *a->i) != 0)
            return j;
    }
    return -1;
}

static int same_map(const wlu_pattern *a, const wlu_pattern *b)
{
    if (a->nvalues != b->nvalues || (a->map_ptr == NULL) != (b->map_ptr == NULL)) return 0;
    if (a->map_ptr != NULL && memcmp(a->map_ptr, b->map_ptr, ((size_t)a->nnz + 1) * sizeof *a->map_ptr) != 0) return 0;
    return memcmp(a->map, b->map, (size_t)a->nvalues * sizeof *a->map) == 0;
}

warplu_status warplu_check_pattern(warplu_solver *s, int32_t n, const int32_t *ptr, const int32_t *idx)
{
    if (s == NULL) return WARPLU_INVALID_ARGUMENT;
    if (s->analysis == NULL) return wlu_fail(&s->ctx, WARPLU_WRONG_PHASE, "check of a pattern before analyze");
    const wlu_pattern *a = s->analysis->a;
    wlu_pattern *b = NULL;
    if (n != a->n && n > 0)
        return wlu_fail(&s->ctx, WARPLU_PATTERN_MISMATCH, "the matrix has %d rows, the analyzed pattern %d", n, a->n);
    warplu_status status = wlu_pattern_create(&s->ctx, s->options.storage, n, ptr, idx, &b);
    if (status < 0) return status;
    int32_t j = first_difference(a, b);
    if (j >= 0)
        status = wlu_fail(&s->ctx, WARPLU_PATTERN_MISMATCH,
                          "column %d of the matrix and of the analyzed pattern hold other rows", j);
    else if (!same_map(a, b))
        status = wlu_fail(&s->ctx, WARPLU_PATTERN_MISMATCH,
                          "the matrix has the analyzed pattern, but its values come in another order");
    wlu_pattern_destroy(&s->ctx, &b);
    return status;
}
