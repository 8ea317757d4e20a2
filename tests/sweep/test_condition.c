/* Condition estimates of real matrices, of those in the folder that WARPLU_MATRICES names: small ones against
 * dense inverses in extended precision, nearly singular ones by their size. Determinants, growth and lists of
 * pivots agree with each other. */
#include <warplu/inspect.h>

#include "check.h"

#include "support/dense.h"
#include "system.h"
#include "support/options.h"

#include <math.h>
#include <string.h>

typedef struct known {
    const char *name;
    double least, most; /* of the condition number, to an order of magnitude */
    int exactly;        /* small enough for a dense inverse */
} known;

static const known list[] = {{"arc130", 1e9, 1e12, 1},
                             {"bfw398a", 1e3, 1e5, 1},
                             {"hor_131", 1e4, 1e6, 1},
                             {"impcol_a", 1e6, 1e10, 1},
                             {"494_bus", 1e6, 1e8, 1},
                             {"jpwh_991", 1e2, 1e4, 0},
                             {"add20", 1e4, 1e6, 0},
                             {"memplus", 1e5, 1e7, 0},
                             {"fpga_dcop_01", 1e20, INFINITY, 0},
                             {"ng_add20_dc1", 1e20, INFINITY, 0},
                             {"ng_smult20_dc1", 1e20, INFINITY, 0},
                             {"fidapex6", 1e20, INFINITY, 0}};

/* An estimate lies between a tenth of the exact number and the number, but for rounding: cond(A) times eps
 * and what |L| may add to it. */
static void compare_with_dense(const known *k, const warplu_mm_matrix *a, double condition, double skeel)
{
    int32_t n = a->nrow;
    double *dense = calloc((size_t)n * (size_t)n, sizeof *dense);
    long double mantissa, norm = 0.0L, of_inverse = 0.0L, cond = 0.0L;
    int64_t exponent;
    for (int32_t j = 0; j < n; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++)
            dense[(size_t)j * (size_t)n + (size_t)a->idx[q]] += a->values[q];
    long double *inverse = test_dense_inverse(n, dense, &mantissa, &exponent), *rows = calloc((size_t)n, sizeof *rows);
    long double *sums = calloc((size_t)n, sizeof *sums);
    CHECK(inverse != NULL);
    for (int32_t j = 0; inverse != NULL && j < n; j++) {
        long double sum = 0.0L, isum = 0.0L;
        for (int32_t i = 0; i < n; i++) {
            sum += fabsl((long double)dense[(size_t)j * (size_t)n + (size_t)i]);
            isum += fabsl(inverse[(size_t)j * (size_t)n + (size_t)i]);
            rows[i] += fabsl((long double)dense[(size_t)j * (size_t)n + (size_t)i]);
        }
        norm = fmaxl(norm, sum);
        of_inverse = fmaxl(of_inverse, isum);
    }
    for (int32_t j = 0; inverse != NULL && j < n; j++)
        for (int32_t i = 0; i < n; i++) sums[i] += fabsl(inverse[(size_t)j * (size_t)n + (size_t)i]) * rows[j];
    for (int32_t i = 0; i < n; i++) cond = fmaxl(cond, sums[i]);
    double ratio = (double)(condition / (norm * of_inverse)), skeel_ratio = (double)(skeel / cond);
    printf("# %-16s %.3f of ||A|| ||A^-1||, %.3f of cond(A)\n", k->name, ratio, skeel_ratio);
    CHECK_SAY(ratio >= 0.1 && ratio <= 1.0 + 1e-6, "%s: %g", k->name, ratio);
    CHECK_SAY(skeel_ratio >= 0.1 && skeel_ratio <= 1.0 + 1e-6, "%s: %g", k->name, skeel_ratio);
    free(dense);
    free(inverse);
    free(rows);
    free(sums);
}

static void ask(const known *k, const sweep_system *m)
{
    warplu_solver *s = NULL;
    double condition = 0.0, skeel = 0.0, growth = 0.0, mantissa = 0.0;
    int64_t exponent = 0;
    int32_t weak = 0;
    warplu_pivot weakest[1] = {{.ratio = 0.0}};
    const warplu_mm_matrix *a = &m->a;
    CHECK(check_create(&s) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, a->nrow, a->ptr, a->idx, a->values) == WARPLU_SUCCESS);
    warplu_status status = warplu_factor(s, a->values);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s: %s", k->name, warplu_get_message(s));
    for (int replay = 0; replay <= 1 && status >= 0; replay++) {
        CHECK(warplu_estimate_condition(s, a->values, &condition) == WARPLU_SUCCESS);
        CHECK(warplu_estimate_skeel_condition(s, a->values, NULL, &skeel) == WARPLU_SUCCESS);
        CHECK(warplu_compute_pivot_growth(s, a->values, &growth) == WARPLU_SUCCESS);
        CHECK(warplu_compute_determinant(s, &mantissa, &exponent) == WARPLU_SUCCESS);
        CHECK(warplu_list_pivots(s, a->values, 1e-8, 1, weakest, &weak) == WARPLU_SUCCESS);
        printf("# %-16s condition %8.2e  cond(A) %8.2e  growth %8.2e  det %.4f 2^%lld  %d weak\n", k->name, condition,
               skeel, growth, mantissa, (long long)exponent, (int)weak);
        CHECK_SAY(condition >= k->least && condition <= k->most, "%s: %g", k->name, condition);
        CHECK(growth > 0.0 && growth <= 1.0 && skeel >= 1.0 && fabs(mantissa) >= 0.5);
        CHECK(weak == 0 || weakest[0].ratio <= 1e-8);
        status = warplu_refactor(s, a->values);
    }
    if (k->exactly) compare_with_dense(k, a, condition, skeel);
    warplu_destroy(&s);
}

static void conditions(void)
{
    const char *folder = getenv("WARPLU_MATRICES");
    int found = 0;
    if (folder == NULL || folder[0] == '\0') SKIP("WARPLU_MATRICES is not set");
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        sweep_system m;
        if (sweep_read(folder, list[k].name, &m) < 0) {
            continue;
        }
        found++;
        ask(&list[k], &m);
        sweep_free(&m);
    }
    if (found == 0) SKIP("WARPLU_MATRICES holds none of these matrices");
}

int main(void)
{
    RUN(conditions);
    return check_done();
}
