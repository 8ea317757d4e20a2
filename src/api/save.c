/* Saved analysis and pivots: files and the solver. The format is pivot/saved.h's. */
#include "api/save.h"

#include "base/clock.h"
#include "base/replace.h"
#include "pivot/saved.h"
#include "solver/replay.h"
#include "solver/solver.h"

#include <string.h>
#include <unistd.h>

static warplu_status save(warplu_solver *s, wlu_saved_program program, const char *path)
{
    const wlu_pivots *pivots = wlu_solver_pivots(s);
    const wlu_analysis *analysis =
        pivots != NULL ? s->current.plan->analysis : s->analysis; /* which the pivots refer to */
    int64_t size = wlu_saved_bytes(analysis, pivots, program);
    uint8_t *bytes = WLU_ALLOC(&s->ctx, size, uint8_t);
    if (bytes == NULL) return wlu_fail_memory(&s->ctx, "bytes to save");
    wlu_saved_encode(analysis, pivots, program, bytes);
    warplu_status status = wlu_file_write(&s->ctx, path, bytes, size);
    wlu_free(&s->ctx, bytes);
    return status;
}

warplu_status wlu_solver_save(warplu_solver *s, const char *path)
{
    return save(s, wlu_saved_no_program, path);
}

warplu_status wlu_solver_save_program(warplu_solver *s, const char *path)
{
    uint8_t *bytes = NULL;
    int64_t count = 0;
    warplu_status status = wlu_solver_make_program(s);
    if (status == WARPLU_SUCCESS) status = wlu_plan_save(&s->ctx, &s->options, s->current.plan, &bytes, &count);
    if (status == WARPLU_SUCCESS) status = save(s, (wlu_saved_program){bytes, count}, path);
    wlu_free(&s->ctx, bytes);
    return status;
}

warplu_status wlu_solver_restore(warplu_solver *s, const char *name, const uint8_t *bytes, int64_t size)
{
    wlu_analysis *analysis = NULL;
    wlu_pivots *pivots = NULL;
    int64_t begin = wlu_now_ns();
    wlu_saved_program program;
    warplu_status status = wlu_saved_decode(&s->ctx, name, bytes, size, &analysis, &pivots, &program);
    if (status < 0) return status;
    if (analysis->a->doubles != s->target.doubles) {
        status =
            wlu_fail(&s->ctx, WARPLU_PATTERN_MISMATCH, "%s: expected a file of %s values, found one of %s values", name,
                     s->target.doubles > 1 ? "complex" : "real", analysis->a->doubles > 1 ? "complex" : "real");
        wlu_pivots_destroy(&s->ctx, &pivots);
        wlu_analysis_destroy(&s->ctx, &analysis);
        return status;
    }
    analysis->analyze_ns = wlu_now_ns() - begin;
    return wlu_solver_adopt(s, name, analysis, pivots, program);
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
    uint8_t *bytes;
    int64_t size;
    warplu_status status = read_file(&s->ctx, path, &bytes, &size);
    if (status == WARPLU_SUCCESS) status = wlu_solver_restore(s, path, bytes, size);
    wlu_free(&s->ctx, bytes);
    return status;
}
