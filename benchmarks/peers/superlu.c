/* SuperLU, the sequential one, as a peer (Demmel, Eisenstat, Gilbert, Li, Liu, SIAM J. Matrix Anal. Appl. 20(3), 1999;
 * Li, ACM TOMS 31(3), 2005): supernodal left-looking LU with partial pivoting on BLAS-2 and -3.
 *
 * The steps of its expert driver dgssvx, called one by one so that each falls into the call that it belongs to:
 * column order and elimination tree in analyze; equilibration (its default) and dgstrf in factor and refactor; row
 * scaling, dgstrs and column scaling in solve, without refinement (its default). A refactor is dgstrf with
 * SamePattern_SameRowPerm: order, tree and storage are used again, the structure of L and U is found again, and the
 * row pivots are kept down to the first that fails the threshold; from there on it pivots anew. With the default
 * threshold of 1 any pivot that is no longer the largest of its column fails.
 *
 * Everything stays at the defaults but, where asked for, the ordering. Variant 1 is the symmetric mode that the users'
 * guide has for matrices that are nearly symmetric or diagonally dominant, with the settings it gives there: A'+A
 * ordered by minimum degree, the diagonal kept where it is 0.001 of its column. */
#include "blas.h"
#include "peer.h"

#include <slu_ddefs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(int_t) == sizeof(int32_t), "SuperLU's index is int32_t");

enum { SYMMETRIC_MODE = 1 }; /* the variant */
static const double SYMMETRIC_THRESHOLD = 0.001;

enum { PANEL_COLUMNS = 1, RELAXED_COLUMNS = 2 }; /* what sp_ienv is asked for */

static const char *const names[] = {"colamd", "mmd_ata", "mmd_at_plus_a", "natural", NULL};
static const colperm_t orderings[] = {COLAMD, MMD_ATA, MMD_AT_PLUS_A, NATURAL};

typedef struct superlu_run {
    peer_matrix a;
    superlu_options_t options;
    SuperLUStat_t stat;
    SuperMatrix matrix, ordered, lower, upper; /* ordered: the columns of matrix in their order */
    GlobalLU_t global;                         /* storage that the next factorization uses again */
    double *values;                            /* of matrix, scaled in place */
    double *row_scale, *col_scale;             /* n each, in use as equed says */
    int *row_order, *col_order, *tree;         /* n each */
    const char *order_name;
    char equed[1]; /* N, R, C or B */
    int has_factors, usable;
} superlu_run;

static void drop_factors(superlu_run *s)
{
    if (s->has_factors) {
        Destroy_SuperNode_Matrix(&s->lower);
        Destroy_CompCol_Matrix(&s->upper);
    }
    s->has_factors = s->usable = 0;
}

static void destroy(void **state)
{
    superlu_run *s = *state;
    if (s == NULL) return;
    drop_factors(s);
    if (s->ordered.Store != NULL) Destroy_CompCol_Permuted(&s->ordered);
    if (s->matrix.Store != NULL) Destroy_SuperMatrix_Store(&s->matrix);
    if (s->stat.ops != NULL) StatFree(&s->stat);
    free(s->values);
    free(s->row_scale);
    free(s->col_scale);
    free(s->row_order);
    free(s->col_order);
    free(s->tree);
    free(s);
    *state = NULL;
}

static int allocate(superlu_run *s)
{
    size_t n = (size_t)s->a.n, nnz = (size_t)s->a.ptr[s->a.n];
    s->values = malloc((nnz + 1) * sizeof *s->values);
    s->row_scale = malloc(n * sizeof *s->row_scale);
    s->col_scale = malloc(n * sizeof *s->col_scale);
    s->row_order = malloc(n * sizeof *s->row_order);
    s->col_order = malloc(n * sizeof *s->col_order);
    s->tree = malloc(n * sizeof *s->tree);
    return s->values != NULL && s->row_scale != NULL && s->col_scale != NULL && s->row_order != NULL &&
           s->col_order != NULL && s->tree != NULL;
}

static void set_options(superlu_run *s, const peer_request *request)
{
    set_default_options(&s->options);
    s->options.PrintStat = NO;
    int place = request->ordering;
    if (request->variant == SYMMETRIC_MODE) {
        s->options.SymmetricMode = YES;
        s->options.DiagPivotThresh = SYMMETRIC_THRESHOLD;
        if (place == PEER_ORDERING_DEFAULT) place = 2;
    }
    s->options.ColPerm = place == PEER_ORDERING_GIVEN ? MY_PERMC : orderings[place];
    s->order_name = place == PEER_ORDERING_GIVEN ? "given" : names[place];
}

/* Reads the pattern, and A'A's or A'+A's. */
static void order(superlu_run *s, const peer_request *request)
{
    if (s->options.ColPerm == MY_PERMC) {
        for (int k = 0; k < s->a.n; k++) s->col_order[request->col_order[k]] = k;
    } else {
        get_perm_c((int)s->options.ColPerm, &s->matrix, s->col_order);
    }
    sp_preorder(&s->options, &s->matrix, s->col_order, s->tree, &s->ordered);
}

/* SuperLU takes the pattern as int *, and reads it only. */
static warplu_status analyze(const peer_matrix *a, const peer_request *request, void **state)
{
    superlu_run *s = calloc(1, sizeof *s);
    *state = s;
    if (s == NULL) return peer_fail(WARPLU_OUT_OF_MEMORY, "workspace");
    s->a = *a;
    if (!allocate(s)) {
        destroy(state);
        return peer_fail(WARPLU_OUT_OF_MEMORY, "workspace");
    }
    set_options(s, request);
    StatInit(&s->stat);
    dCreate_CompCol_Matrix(&s->matrix, a->n, a->n, a->ptr[a->n], s->values, (int *)(uintptr_t)a->idx,
                           (int *)(uintptr_t)a->ptr, SLU_NC, SLU_D, SLU_GE);
    order(s, request);
    return WARPLU_SUCCESS;
}

/* As dgssvx does: a matrix with a zero row or column stays as it is. */
static void equilibrate(superlu_run *s)
{
    double row_condition, col_condition, largest;
    int info;
    s->equed[0] = 'N';
    dgsequ(&s->matrix, s->row_scale, s->col_scale, &row_condition, &col_condition, &largest, &info);
    if (info == 0) dlaqgs(&s->matrix, s->row_scale, s->col_scale, row_condition, col_condition, largest, s->equed);
}

static warplu_status run_factor(superlu_run *s, const double *values, fact_t fact)
{
    int info = 0;
    memcpy(s->values, values, (size_t)s->a.ptr[s->a.n] * sizeof *values);
    equilibrate(s);
    s->options.Fact = fact;
    dgstrf(&s->options, &s->ordered, sp_ienv(RELAXED_COLUMNS), sp_ienv(PANEL_COLUMNS), s->tree, NULL, 0, s->col_order,
           s->row_order, &s->lower, &s->upper, &s->global, &s->stat, &info);
    s->usable = info == 0;
    if (info > s->a.n) { /* it left its storage half built: nothing there can be freed */
        s->has_factors = 0;
        return peer_fail(WARPLU_OUT_OF_MEMORY, "dgstrf: info %d, out of memory after %d bytes", info, info - s->a.n);
    }
    s->has_factors = 1;
    return s->usable ? WARPLU_SUCCESS : peer_fail(WARPLU_SINGULAR, "dgstrf: info %d, a zero pivot there", info);
}

static warplu_status factor(void *state, const double *values)
{
    superlu_run *s = state;
    drop_factors(s);
    return run_factor(s, values, DOFACT);
}

static warplu_status refactor(void *state, const double *values)
{
    superlu_run *s = state;
    return s->usable ? run_factor(s, values, SamePattern_SameRowPerm) : factor(state, values);
}

static warplu_status solve(void *state, const double *b, double *x)
{
    superlu_run *s = state;
    int n = s->a.n, info;
    int by_rows = s->equed[0] == 'R' || s->equed[0] == 'B', by_columns = s->equed[0] == 'C' || s->equed[0] == 'B';
    DNformat dense = {.lda = n, .nzval = x};
    SuperMatrix solution = {.Stype = SLU_DN, .Dtype = SLU_D, .Mtype = SLU_GE, .nrow = n, .ncol = 1, .Store = &dense};
    if (!s->usable) return peer_fail(WARPLU_WRONG_PHASE, "no factors");
    for (int i = 0; i < n; i++) x[i] = by_rows ? b[i] * s->row_scale[i] : b[i];
    dgstrs(NOTRANS, &s->lower, &s->upper, s->col_order, s->row_order, &solution, &s->stat, &info);
    if (info != 0) return peer_fail(WARPLU_INVALID_ARGUMENT, "dgstrs: info %d, an illegal argument", info);
    for (int i = 0; by_columns && i < n; i++) x[i] *= s->col_scale[i];
    return WARPLU_SUCCESS;
}

static const char *scaled_what(char equed)
{
    switch (equed) {
    case 'R': return "rows";
    case 'C': return "columns";
    case 'B': return "rows and columns";
    default: return "nothing";
    }
}

static void describe(const void *state, peer_facts *facts)
{
    const superlu_run *s = state;
    char blas[PEER_BLAS_TEXT], file[32];
    peer_blas_name(blas, sizeof blas);
    peer_library_file("dgstrf", file, sizeof file);
    snprintf(facts->version, sizeof facts->version, "%d.%d.%d (%s)", SUPERLU_MAJOR_VERSION, SUPERLU_MINOR_VERSION,
             SUPERLU_PATCH_VERSION, file);
    snprintf(facts->ordering, sizeof facts->ordering, "%s", s->order_name);
    snprintf(facts->settings, sizeof facts->settings,
             "%spivot threshold %g, refactor keeps pivots that pass it, equilibrated: %s; BLAS: %s",
             s->options.SymmetricMode == YES ? "symmetric mode, " : "", s->options.DiagPivotThresh,
             scaled_what(s->equed[0]), blas);
    facts->refinement_steps = 0;
    facts->perturbed = 0;
    if (!s->usable) return;
    mem_usage_t memory;
    dQuerySpace((SuperMatrix *)(uintptr_t)&s->lower, (SuperMatrix *)(uintptr_t)&s->upper, &memory);
    /* Both counts hold the diagonal. */
    facts->lu_nnz = (int64_t)((const SCformat *)s->lower.Store)->nnz + ((const NCformat *)s->upper.Store)->nnz - s->a.n;
    facts->bytes = (int64_t)memory.for_lu;
}

const peer_functions peer_plugin = {.analyze = analyze,
                                    .factor = factor,
                                    .refactor = refactor,
                                    .solve = solve,
                                    .describe = describe,
                                    .destroy = destroy,
                                    .orderings = names,
                                    .takes_order = 1};
