/* MUMPS, sequential, as a peer (Amestoy, Duff, L'Excellent, Koster, SIAM J. Matrix Anal. Appl. 23(1), 2001; Amestoy,
 * Guermouche, L'Excellent, Pralet, Parallel Computing 32(2), 2006): multifrontal LU on BLAS-3 over the pattern of
 * A + A', with threshold pivoting (0.01) inside the fronts and pivots delayed to the parents.
 *
 * The analysis sees the values of the first factorization, from which MUMPS may take a matching and scalings. A
 * refactor is its factorization (JOB 2) again under that analysis, MUMPS's way for equal patterns; it pivots anew.
 * Where its workspace turns out too small, factor does what its guide says: raises ICNTL(14) and factors again; the
 * raise stays. Everything stays at the defaults (no refinement, no detection of null pivots), but for silence and,
 * where asked for, the ordering. A given order comes with its rows moved such that the given pivots are the diagonal,
 * and then without MUMPS's own matching. */
#include "blas.h"
#include "peer.h"

#include <dmumps_c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(MUMPS_INT) == sizeof(int32_t), "MUMPS's integer is int32_t");

/* JOB's values, and the communicator that stands for all processes. */
enum { JOB_INIT = -1, JOB_END = -2, JOB_ANALYZE = 1, JOB_FACTOR = 2, JOB_SOLVE = 3, WORLD = -987654 };

/* The guide counts from 1. */
#define ICNTL(k) icntl[(k)-1]
#define INFOG(k) infog[(k)-1]

enum { TOO_SMALL_INTEGERS = -8, TOO_SMALL_REALS = -9 }; /* workspaces, by INFOG(1) */
enum { MOST_RELAXATION = 100000 };                      /* ICNTL(14), in percent */
static const double MEGABYTE = 1e6;

/* ICNTL(7)'s and INFOG(7)'s. */
enum { AMD = 0, GIVEN = 1, AMF = 2, SCOTCH = 3, PORD = 4, METIS = 5, QAMD = 6, AUTO = 7 };
static const char *const ordering_names[] = {"amd", "given", "amf", "scotch", "pord", "metis", "qamd", "auto"};

/* What this build of MUMPS has, the default first; start finds out. */
enum { ORDERINGS = 7, PROBE_ROWS = 50 };
static const char *names[ORDERINGS + 1];
static int orderings[ORDERINGS];

typedef struct mumps_run {
    peer_matrix a;
    DMUMPS_STRUC_C id;
    int *rows, *columns; /* of the entries, from 1 */
    int *place;          /* of rows, from 0; NULL: where they are */
    int *position;       /* of columns in the given order, from 1 */
    int first_relaxation;
    int has_instance, has_factors;
} mumps_run;

typedef struct code_text {
    int code;
    warplu_status status;
    const char *text;
} code_text;

static const code_text codes[] = {
    {-2, WARPLU_INVALID_ARGUMENT, "number of entries out of range"},
    {-4, WARPLU_INVALID_ARGUMENT, "no permutation"},
    {-5, WARPLU_OUT_OF_MEMORY, "no memory for reals in the analysis"},
    {-6, WARPLU_STRUCTURALLY_SINGULAR, "structurally singular"},
    {-7, WARPLU_OUT_OF_MEMORY, "no memory for integers in the analysis"},
    {TOO_SMALL_INTEGERS, WARPLU_OUT_OF_MEMORY, "integer workspace too small"},
    {TOO_SMALL_REALS, WARPLU_OUT_OF_MEMORY, "real workspace too small"},
    {-10, WARPLU_SINGULAR, "numerically singular"},
    {-11, WARPLU_OUT_OF_MEMORY, "real workspace too small for the solve"},
    {-13, WARPLU_OUT_OF_MEMORY, "an allocation failed"},
    {-14, WARPLU_OUT_OF_MEMORY, "integer workspace too small for the solve"},
    {-16, WARPLU_EMPTY, "n out of range"},
    {-19, WARPLU_OUT_OF_MEMORY, "maximum of memory too small"},
    {-51, WARPLU_OVERFLOW, "graph too large for the external ordering"},
    {-52, WARPLU_OVERFLOW, "graph too large for the ordering's integers"},
};

static void run_job(mumps_run *m, int job)
{
    m->id.job = job;
    dmumps_c(&m->id);
}

/* Above 0 it warns. */
static warplu_status status_of(const mumps_run *m, const char *job)
{
    int code = m->id.INFOG(1), detail = m->id.INFOG(2);
    if (code >= 0) return WARPLU_SUCCESS;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (codes[i].code == code)
            return peer_fail(codes[i].status, "%s: INFOG(1) %d, %s, INFOG(2) %d", job, code, codes[i].text, detail);
    }
    return peer_fail(WARPLU_INVALID_ARGUMENT, "%s: INFOG(1) %d, INFOG(2) %d", job, code, detail);
}

static void destroy(void **state)
{
    mumps_run *m = *state;
    if (m == NULL) return;
    if (m->has_instance) run_job(m, JOB_END);
    free(m->rows);
    free(m->columns);
    free(m->place);
    free(m->position);
    free(m);
    *state = NULL;
}

/* The entry (row_order[k], col_order[k]) comes to the diagonal of column col_order[k]. */
static int take_order(mumps_run *m, const peer_request *request)
{
    size_t n = (size_t)m->a.n;
    m->place = malloc(n * sizeof *m->place);
    m->position = malloc(n * sizeof *m->position);
    if (m->place == NULL || m->position == NULL) return 0;
    for (int k = 0; k < m->a.n; k++) {
        m->place[request->row_order[k]] = request->col_order[k];
        m->position[request->col_order[k]] = k + 1;
    }
    return 1;
}

/* MUMPS takes triplets. */
static int make_triplets(mumps_run *m)
{
    const peer_matrix *a = &m->a;
    size_t nnz = (size_t)a->ptr[a->n];
    m->rows = malloc((nnz + 1) * sizeof *m->rows);
    m->columns = malloc((nnz + 1) * sizeof *m->columns);
    if (m->rows == NULL || m->columns == NULL) return 0;
    for (int j = 0; j < a->n; j++) {
        for (int p = a->ptr[j]; p < a->ptr[j + 1]; p++) {
            m->rows[p] = (m->place != NULL ? m->place[a->idx[p]] : a->idx[p]) + 1;
            m->columns[p] = j + 1;
        }
    }
    return 1;
}

static warplu_status start_instance(mumps_run *m)
{
    m->id.par = 1;
    m->id.sym = 0;
    m->id.comm_fortran = WORLD;
    run_job(m, JOB_INIT);
    m->has_instance = m->id.INFOG(1) >= 0;
    m->id.ICNTL(1) = m->id.ICNTL(2) = m->id.ICNTL(3) = -1; /* no streams for errors, diagnostics, statistics */
    m->id.ICNTL(4) = 0;
    m->first_relaxation = m->id.ICNTL(14);
    return status_of(m, "JOB -1");
}

static warplu_status run_analysis(mumps_run *m, int ordering)
{
    m->id.n = m->a.n;
    m->id.nnz = m->a.ptr[m->a.n];
    m->id.irn = m->rows;
    m->id.jcn = m->columns;
    m->id.a = (double *)(uintptr_t)m->a.values; /* which it reads only */
    m->id.ICNTL(7) = ordering;
    if (ordering == GIVEN) {
        m->id.ICNTL(6) = 0;
        m->id.perm_in = m->position;
    }
    run_job(m, JOB_ANALYZE);
    warplu_status status = status_of(m, "JOB 1");
    if (status == WARPLU_SUCCESS && ordering != AUTO && m->id.INFOG(7) != ordering)
        return peer_fail(WARPLU_INVALID_ARGUMENT, "this MUMPS took the ordering %d for %s", m->id.INFOG(7),
                         ordering_names[ordering]);
    return status;
}

static warplu_status make_run(const peer_matrix *a, const peer_request *request, int ordering, void **state)
{
    mumps_run *m = calloc(1, sizeof *m);
    *state = m;
    if (m == NULL) return peer_fail(WARPLU_OUT_OF_MEMORY, "workspace");
    m->a = *a;
    warplu_status status = WARPLU_SUCCESS;
    if ((ordering == GIVEN && !take_order(m, request)) || !make_triplets(m))
        status = peer_fail(WARPLU_OUT_OF_MEMORY, "workspace");
    if (status == WARPLU_SUCCESS) status = start_instance(m);
    if (status == WARPLU_SUCCESS) status = run_analysis(m, ordering);
    if (status != WARPLU_SUCCESS) destroy(state);
    return status;
}

static warplu_status analyze(const peer_matrix *a, const peer_request *request, void **state)
{
    return make_run(a, request, request->ordering == PEER_ORDERING_GIVEN ? GIVEN : orderings[request->ordering], state);
}

/* MUMPS takes another ordering for one that it was built without, and says which: asked with a chain. */
static int has_ordering(int ordering)
{
    int32_t ptr[PROBE_ROWS + 1] = {0}, idx[3 * PROBE_ROWS];
    double values[3 * PROBE_ROWS];
    int32_t nnz = 0;
    void *state = NULL;
    for (int j = 0; j < PROBE_ROWS; j++) {
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < PROBE_ROWS; i++) {
            values[nnz] = i == j ? 4.0 : 1.0;
            idx[nnz++] = i;
        }
        ptr[j + 1] = nnz;
    }
    peer_matrix chain = {.n = PROBE_ROWS, .ptr = ptr, .idx = idx, .values = values};
    int has = make_run(&chain, NULL, ordering, &state) == WARPLU_SUCCESS;
    destroy(&state);
    return has;
}

static warplu_status start(void)
{
    static const int known[ORDERINGS] = {AUTO, AMD, AMF, SCOTCH, PORD, METIS, QAMD};
    int count = 0;
    if (names[0] != NULL) return WARPLU_SUCCESS;
    for (int k = 0; k < ORDERINGS; k++) {
        if (!has_ordering(known[k])) continue;
        orderings[count] = known[k];
        names[count++] = ordering_names[known[k]];
    }
    return count > 0 ? WARPLU_SUCCESS : WARPLU_INVALID_ARGUMENT;
}

static warplu_status factor(void *state, const double *values)
{
    mumps_run *m = state;
    m->id.a = (double *)(uintptr_t)values;
    run_job(m, JOB_FACTOR);
    while ((m->id.INFOG(1) == TOO_SMALL_INTEGERS || m->id.INFOG(1) == TOO_SMALL_REALS) &&
           m->id.ICNTL(14) < MOST_RELAXATION) {
        m->id.ICNTL(14) *= 2;
        run_job(m, JOB_FACTOR);
    }
    m->has_factors = m->id.INFOG(1) >= 0;
    return status_of(m, "JOB 2");
}

static warplu_status solve(void *state, const double *b, double *x)
{
    mumps_run *m = state;
    if (!m->has_factors) return peer_fail(WARPLU_WRONG_PHASE, "no factors");
    if (m->place == NULL) memcpy(x, b, (size_t)m->a.n * sizeof *x);
    for (int i = 0; m->place != NULL && i < m->a.n; i++) x[m->place[i]] = b[i];
    m->id.rhs = x;
    m->id.nrhs = 1;
    m->id.lrhs = m->a.n;
    run_job(m, JOB_SOLVE);
    return status_of(m, "JOB 3");
}

static void describe(const void *state, peer_facts *facts)
{
    const mumps_run *m = state;
    char blas[PEER_BLAS_TEXT], relaxation[48] = "";
    int used = m->id.INFOG(7);
    peer_blas_name(blas, sizeof blas);
    if (m->id.ICNTL(14) != m->first_relaxation)
        snprintf(relaxation, sizeof relaxation, "ICNTL(14) raised from %d to %d, ", m->first_relaxation,
                 m->id.ICNTL(14));
    snprintf(facts->version, sizeof facts->version, "%s", m->id.version_number);
    snprintf(facts->ordering, sizeof facts->ordering, "%s", used >= AMD && used <= AUTO ? ordering_names[used] : "");
    snprintf(facts->settings, sizeof facts->settings, "sequential, %sno frozen pivots: JOB 2 again; BLAS: %s",
             relaxation, blas);
    facts->refinement_steps = 0;
    facts->perturbed = 0;
    if (!m->has_factors) return;
    /* L and U with one diagonal, the zeros in the fronts among them; in millions where negative. */
    int64_t entries = m->id.INFOG(29);
    facts->lu_nnz = entries >= 0 ? entries : -entries * 1000000;
    facts->bytes = (int64_t)(m->id.INFOG(19) * MEGABYTE);
}

const peer_functions peer_plugin = {.start = start,
                                    .analyze = analyze,
                                    .factor = factor,
                                    .refactor = factor,
                                    .solve = solve,
                                    .describe = describe,
                                    .destroy = destroy,
                                    .orderings = names,
                                    .takes_order = 1};
