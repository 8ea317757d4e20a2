/* SuperLU_MT as a peer (Demmel, Gilbert, Li, SIAM J. Matrix Anal. Appl. 20(4), 1999): COLAMD or minimum degree,
 * supernodes and panels of columns, partial pivoting by threads that work down the column elimination tree.
 *
 * The analysis orders, and has pdgstrf_init find tree, column counts and permuted columns. factor is pdgstrf with
 * refact=NO; refactor is pdgstrf with refact=YES and usepr=YES: storage and tree kept, the symbolic work done again, as
 * it always does, and the last pivots taken wherever they pass the threshold. From the first column where one does not
 * it pivots anew. At the default threshold of 1 (variant 0) that is where another entry has become the largest; 0.001
 * (variant 1), KLU's, also takes diagonal entries that pass it, and keeps most pivots.
 *
 * It guesses how much storage the factors take, asking sp_ienv, and ends the process when that was too little: the
 * sp_ienv here stands in for the library's, guesses the same at first and four times as much at each further attempt.
 * A given order is the columns', postordered by their elimination tree. Everything else is left at its default. On more
 * than one thread version 4.0 takes more storage, and now and then gives wrong answers; its threads spin. */
#include <slu_mt_ddefs.h>

#include "blas.h"
#include "peer.h"

_Static_assert(sizeof(int_t) == sizeof(int32_t), "a library with 32-bit indices is wanted");

enum { DEFAULT_THRESHOLD = 0, SMALL_THRESHOLD = 1 }; /* variants */

/* What sp_ienv is asked for. */
enum {
    PANEL_SIZE = 1,
    RELAXED_SIZE = 2,
    LARGEST_SUPERNODE = 3,
    BLOCK_ROWS = 4,
    BLOCK_COLUMNS = 5,
    ENTRIES_L = 6,
    ENTRIES_U = 7,
    SUBSCRIPTS_L = 8
};

static const char *const superlu_orderings[] = {"colamd", "mmd-at-plus-a", "mmd-ata", "natural", NULL};
static const int_t ordering_codes[] = {3, 2, 1, 0};

typedef struct superlu_run {
    superlumt_options_t options;
    SuperMatrix a, permuted, l, u;
    NCformat columns;
    Gstat_t statistics;
    int_t *col_order, *row_order; /* n each; perm_c, perm_r */
    int initialized;              /* pdgstrf_init was called */
    int factored;                 /* l, u and row_order belong to each other */
    int32_t n, ordering;
} superlu_run;

/* ----------------------------------------------------------------- storage */

/* Entries of the next factorization; sp_ienv has no other way to know. */
static int_t guess_values, guess_subscripts;

static int_t times(int64_t nnz, int64_t growth)
{
    const int64_t most = INT32_MAX / 2;
    return (int_t)(nnz > most / growth ? most : nnz * growth);
}

static void guess_storage(int64_t nnz, int32_t attempt)
{
    int64_t growth = (int64_t)1 << (2 * (attempt < 6 ? attempt : 6));
    guess_values = times(nnz, 50 * growth);
    guess_subscripts = times(nnz, 30 * growth);
}

/* The library's own numbers but for the last three, which are counts where the library's are multiples of nnz. */
int_t sp_ienv(int_t what)
{
    switch (what) {
    case PANEL_SIZE: return 20;
    case RELAXED_SIZE: return 6;
    case LARGEST_SUPERNODE: return 200;
    case BLOCK_ROWS: return 200;
    case BLOCK_COLUMNS: return 100;
    case ENTRIES_L:
    case ENTRIES_U: return guess_values;
    case SUBSCRIPTS_L: return guess_subscripts;
    default: return 0;
    }
}

static void free_factors(superlu_run *s)
{
    if (s->l.Store != NULL) Destroy_SuperNode_SCP(&s->l);
    if (s->u.Store != NULL) Destroy_CompCol_NCP(&s->u);
    s->l.Store = s->u.Store = NULL;
    s->factored = 0;
}

static void destroy(void **state)
{
    superlu_run *s = *state;
    if (s == NULL) return;
    free_factors(s);
    if (s->initialized) {
        pxgstrf_finalize(&s->options, &s->permuted);
        StatFree(&s->statistics);
    }
    free(s->col_order);
    free(s->row_order);
    free(s);
    *state = NULL;
}

/* ---------------------------------------------------------------- analysis */

/* The library takes the pattern as int_t *, and reads it only. */
static void view_columns(superlu_run *s, const peer_matrix *a)
{
    s->columns = (NCformat){.nnz = a->ptr[a->n],
                            .nzval = (double *)(uintptr_t)a->values,
                            .rowind = (int_t *)(uintptr_t)a->idx,
                            .colptr = (int_t *)(uintptr_t)a->ptr};
    s->a = (SuperMatrix){
        .Stype = SLU_NC, .Dtype = SLU_D, .Mtype = SLU_GE, .nrow = a->n, .ncol = a->n, .Store = &s->columns};
}

static void order_columns(superlu_run *s, const peer_request *request)
{
    if (request->ordering == PEER_ORDERING_GIVEN) {
        for (int32_t k = 0; k < s->n; k++) s->col_order[request->col_order[k]] = k;
        return;
    }
    get_perm_c(ordering_codes[request->ordering], &s->a, s->col_order);
}

static warplu_status analyze(const peer_matrix *a, const peer_request *request, void **state)
{
    superlu_run *s = calloc(1, sizeof *s);
    *state = s;
    if (s != NULL) {
        s->col_order = malloc((size_t)a->n * sizeof *s->col_order);
        s->row_order = malloc((size_t)a->n * sizeof *s->row_order);
    }
    if (s == NULL || s->col_order == NULL || s->row_order == NULL) {
        destroy(state);
        return peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for the permutations");
    }
    s->n = a->n;
    s->ordering = request->ordering;
    guess_storage(a->ptr[a->n], request->attempt);
    view_columns(s, a);
    order_columns(s, request);
    int_t panel = sp_ienv(PANEL_SIZE), relaxed = sp_ienv(RELAXED_SIZE);
    double threshold = request->variant == SMALL_THRESHOLD ? 0.001 : 1.0;
    StatAlloc(a->n, request->threads, panel, relaxed, &s->statistics);
    StatInit(a->n, request->threads, &s->statistics);
    pdgstrf_init(request->threads, DOFACT, NOTRANS, NO, panel, relaxed, threshold, NO, 0.0, s->col_order, s->row_order,
                 NULL, 0, &s->a, &s->permuted, &s->options, &s->statistics);
    s->initialized = 1;
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------ factorization */

/* What pdgstrf_init would do for further values: they alone are new. */
static warplu_status run(superlu_run *s, const double *values, yes_no_t again)
{
    int_t info = 0;
    s->columns.nzval = ((NCPformat *)s->permuted.Store)->nzval = (double *)(uintptr_t)values;
    s->options.refact = s->options.usepr = again;
    pdgstrf(&s->options, &s->permuted, s->row_order, &s->l, &s->u, &s->statistics, &info);
    s->factored = info == 0;
    if (info == 0) return WARPLU_SUCCESS;
    if (info > 0 && info <= s->n)
        return peer_fail(WARPLU_SINGULAR, "pdgstrf: info %d, U is zero there on its diagonal", (int)info);
    return peer_fail(WARPLU_OUT_OF_MEMORY, "pdgstrf: info %d, not enough memory", (int)info);
}

static warplu_status factor(void *state, const double *values)
{
    superlu_run *s = state;
    free_factors(s);
    return run(s, values, NO);
}

static warplu_status refactor(void *state, const double *values)
{
    superlu_run *s = state;
    return s->factored ? run(s, values, YES) : factor(state, values);
}

static warplu_status solve(void *state, const double *b, double *x)
{
    superlu_run *s = state;
    int_t info = 0;
    if (!s->factored) return peer_fail(WARPLU_WRONG_PHASE, "no factors");
    DNformat vector = {.lda = s->n, .nzval = x};
    SuperMatrix right = {.Stype = SLU_DN, .Dtype = SLU_D, .Mtype = SLU_GE, .nrow = s->n, .ncol = 1, .Store = &vector};
    memcpy(x, b, (size_t)s->n * sizeof *x);
    dgstrs(NOTRANS, &s->l, &s->u, s->row_order, s->col_order, &right, &s->statistics, &info);
    return info == 0 ? WARPLU_SUCCESS : peer_fail(WARPLU_INVALID_ARGUMENT, "dgstrs: info %d", (int)info);
}

static void describe(const void *state, peer_facts *facts)
{
    superlu_run s = *(const superlu_run *)state;
    superlu_memusage_t memory;
    char blas[PEER_BLAS_TEXT];
    peer_blas_name(blas, sizeof blas);
    snprintf(facts->version, sizeof facts->version, "SuperLU_MT %d.%d.%d", SUPERLU_MT_MAJOR_VERSION,
             SUPERLU_MT_MINOR_VERSION, SUPERLU_MT_PATCH_VERSION);
    snprintf(facts->ordering, sizeof facts->ordering, "%s",
             s.ordering == PEER_ORDERING_GIVEN ? "given" : superlu_orderings[s.ordering]);
    snprintf(facts->settings, sizeof facts->settings, "threshold=%g, sp_ienv(7)=%d, %s", s.options.diag_pivot_thresh,
             (int)guess_values, blas);
    if (!s.factored) return;
    /* Both count the diagonal. */
    facts->lu_nnz = (int64_t)((const SCPformat *)s.l.Store)->nnz + ((const NCPformat *)s.u.Store)->nnz - s.n;
    superlu_dQuerySpace(s.options.nprocs, &s.l, &s.u, s.options.panel_size, &memory);
    facts->bytes = (int64_t)memory.total_needed;
}

const peer_functions peer_plugin = {.analyze = analyze,
                                    .factor = factor,
                                    .refactor = refactor,
                                    .solve = solve,
                                    .describe = describe,
                                    .destroy = destroy,
                                    .orderings = superlu_orderings,
                                    .takes_order = 1};
