/* What -ksp_view shows of the factors, and MatGetInfo. Numbers are those of the solver's statistics; counts may include
 * those of an earlier matrix of the pattern, whose solver it was. */
#include "factor.h"

static warplu_statistics statistics_of(const wlu_factor *lu)
{
    warplu_statistics s = {.size = sizeof s};
    warplu_get_statistics(lu->solver, &s);
    return s;
}

PetscErrorCode wlu_petsc_info(Mat f, MatInfoType type, MatInfo *info)
{
    const wlu_factor *lu = (const wlu_factor *)f->data;

    PetscFunctionBegin;
    (void)type;
    PetscCall(PetscMemzero(info, sizeof *info));
    if (lu->solver != NULL) {
        warplu_statistics s = statistics_of(lu);
        info->block_size = 1.0;
        info->nz_allocated = info->nz_used = (PetscLogDouble)s.lu_nnz;
        info->memory = (PetscLogDouble)(s.program_bytes + s.solve_program_bytes + s.state_bytes + s.cache_bytes);
        info->fill_ratio_needed = s.nnz > 0 ? (PetscLogDouble)s.lu_nnz / (PetscLogDouble)s.nnz : 0.0;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode view_options(const wlu_factor *lu, PetscViewer viewer)
{
    const warplu_options *o = &lu->options;

    PetscFunctionBegin;
    PetscCall(PetscViewerASCIIPrintf(viewer, "warplu %s: check %s, pivot tolerance %g, threads %d, inaccurate %s\n",
                                     warplu_version(), wlu_petsc_check_name(o->check), o->pivot_tolerance, o->threads,
                                     lu->keep ? "keep" : "fail"));
    PetscFunctionReturn(0);
}

static PetscErrorCode view_numbers(const wlu_factor *lu, PetscViewer viewer)
{
    warplu_statistics s = statistics_of(lu);

    PetscFunctionBegin;
    PetscCall(PetscViewerASCIIPrintf(viewer, "  ordering %s, blocks %d, largest %d, nonzeros of L and U %" PRId64 "\n",
                                     wlu_petsc_ordering_name(s.ordering), (int)s.blocks, (int)s.largest_block,
                                     s.lu_nnz));
    if (s.compiled)
        PetscCall(PetscViewerASCIIPrintf(viewer, "  program of %" PRId64 " bytes, threads %" PRId64 "\n",
                                         s.program_bytes, s.threads));
    else
        PetscCall(PetscViewerASCIIPrintf(viewer, "  factors by columns, no program yet\n"));
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  factorizations %" PRId64 ", replays %" PRId64 ", pivoted again %" PRId64 "\n",
                                     s.factors, s.refactors, s.repivots));
    if (lu->options.executor == WARPLU_EXECUTOR_CUDA)
        PetscCall(PetscViewerASCIIPrintf(viewer,
                                         "  on a CUDA device, of numbers there: replays %" PRId64 ", solves %" PRId64
                                         ", made again on the host %" PRId64 "\n",
                                         lu->replays_on_device, lu->solves_on_device, lu->solved_again));
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  solves %" PRId64 ", checked %" PRId64 ", refined %" PRId64 ", unproven %" PRId64
                                     ", inaccurate %" PRId64 "\n",
                                     s.solves, s.checked_solves, s.refined_solves, lu->unchecked, lu->inaccurate));
    PetscFunctionReturn(0);
}

PetscErrorCode wlu_petsc_view(Mat f, PetscViewer viewer)
{
    const wlu_factor *lu = (const wlu_factor *)f->data;
    PetscViewerFormat format;
    PetscBool ascii;

    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
    if (!ascii) PetscFunctionReturn(0);
    PetscCall(PetscViewerGetFormat(viewer, &format));
    if (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL) PetscFunctionReturn(0);
    PetscCall(view_options(lu, viewer));
    if (lu->solver != NULL) PetscCall(view_numbers(lu, viewer));
    PetscFunctionReturn(0);
}
