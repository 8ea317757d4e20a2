/* Large systems: values by hand, matrices by differences, sums in levels, names, structure, equal bits on threads and
 * instruction sets, and what renumbering and splitting may change. */
#include "model/system/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "networks.h"
#include "support/check.h"

static uint64_t seed = 20261126;

typedef struct bench {
    hand hand;
    wlu_context ctx;
    wlm_system *system;
    int32_t n;
    double *y, *f, *q, *values;
} bench;

static void open_system(bench *b, int threads, wlm_isa isa, int derivatives)
{
    wlm_system_options o;
    wlm_system_options_init(&o);
    o.threads = threads;
    o.isa = isa;
    o.derivatives = derivatives;
    wlu_context_init(&b->ctx, NULL);
    warplu_status status = wlm_system_create(&b->ctx, &b->hand.model, &o, &b->system);
    CHECK_SAY(status == WARPLU_SUCCESS, "%d: %s", (int)status, b->ctx.last_message);
    if (status != WARPLU_SUCCESS) abort();
    b->n = b->system->layout->n;
    int64_t entries = derivatives ? b->system->pattern.ptr[b->n] : 0;
    b->y = calloc((size_t)b->n, sizeof(double));
    b->f = calloc((size_t)b->n, sizeof(double));
    b->q = calloc((size_t)b->n, sizeof(double));
    b->values = calloc((size_t)entries + 1, sizeof(double));
    CHECK(wlm_system_initial(b->system, b->y) == WARPLU_SUCCESS);
}

static void close_system(bench *b)
{
    free(b->y);
    free(b->f);
    free(b->q);
    free(b->values);
    wlm_system_destroy(&b->system);
}

static void randomize(bench *b, double low, double high)
{
    for (int32_t i = 0; i < b->n; i++) b->y[i] = low + (high - low) * check_uniform(&seed);
}

/* f and q of a ladder by hand. */
static void test_ladder(void)
{
    bench b = {0};
    hand_begin(&b.hand);
    network_ladder(&b.hand, 131, 2.0, 3.0);
    open_system(&b, 1, WLM_ISA_BEST, 1);
    CHECK(b.n == 131 && b.system->layout->node_n == 131);
    randomize(&b, -1.0, 1.0);
    wlm_system_evaluate(b.system, 0.0, b.y, b.f, b.q);
    for (int32_t i = 0; i < b.n; i++) {
        double left = i > 0 ? b.y[i - 1] - b.y[i] : 0.0, right = i + 1 < b.n ? b.y[i + 1] - b.y[i] : -b.y[i];
        CHECK(fabs(b.f[i] - 2.0 * (left + right)) < 1e-14);
        CHECK(fabs(b.q[i] - 3.0 * b.y[i]) < 1e-14);
    }
    CHECK(b.system->pattern.ptr[b.n] == 3 * 131 - 2);
    wlm_system_stamp(b.system, 0.0, b.y, 10.0, -1.0, b.f, b.q, b.values);
    for (int32_t j = 0; j < b.n; j++)
        for (int32_t k = b.system->pattern.ptr[j]; k < b.system->pattern.ptr[j + 1]; k++) {
            int32_t i = b.system->pattern.idx[k];
            double expected = i == j ? 30.0 + (i == 0 ? 2.0 : 4.0) : -2.0;
            CHECK_SAY(b.values[k] == expected, "(%d, %d): %g", i, j, b.values[k]);
        }
    static const int32_t row[] = {0, 60, 130}; /* of rows, what adds most to them */
    static const char *const most[] = {"res[0] ", "res[59] ", "res[130] "};
    for (int32_t i = 0; i < 131; i++) b.y[i] = i < 60 ? 0.1 * i : 9.0 + 1e-3 * i;
    wlm_system_stamp(b.system, 0.0, b.y, 10.0, -1.0, b.f, b.q, b.values);
    for (int k = 0; k < 3; k++) {
        char text[100];
        wlm_system_blame(b.system, row[k], text, sizeof text);
        CHECK_SAY(strncmp(text, most[k], strlen(most[k])) == 0, "row %d: %s, not %s", row[k], text, most[k]);
    }
    close_system(&b);
    hand_end(&b.hand);
}

/* alpha dq + beta df by central differences, of all entries and of those outside the pattern. */
static void check_matrix(bench *b, double t, double alpha, double beta, double tolerance)
{
    int32_t n = b->n;
    double *dense = calloc((size_t)n * (size_t)n, sizeof *dense), *other = calloc(2 * (size_t)n, sizeof *other);
    wlm_system_stamp(b->system, t, b->y, alpha, beta, b->f, b->q, b->values);
    wlm_system_evaluate(b->system, t, b->y, other, other + n);
    CHECK(memcmp(other, b->f, (size_t)n * sizeof *other) == 0 &&
          memcmp(other + n, b->q, (size_t)n * sizeof *other) == 0);
    for (int32_t j = 0; j < n; j++)
        for (int32_t k = b->system->pattern.ptr[j]; k < b->system->pattern.ptr[j + 1]; k++)
            dense[(int64_t)j * n + b->system->pattern.idx[k]] = b->values[k];
    for (int32_t j = 0; j < n; j++) {
        double at = b->y[j], h = 1e-5 * (1.0 + fabs(at));
        b->y[j] = at + h;
        wlm_system_evaluate(b->system, t, b->y, b->f, b->q);
        b->y[j] = at - h;
        wlm_system_evaluate(b->system, t, b->y, other, other + n);
        b->y[j] = at;
        for (int32_t i = 0; i < n; i++) {
            double slope = (alpha * (b->q[i] - other[n + i]) + beta * (b->f[i] - other[i])) / (2.0 * h);
            double size = 1.0 + fabs(slope);
            CHECK_SAY(fabs(slope - dense[(int64_t)j * n + i]) <= tolerance * size, "(%d, %d): %g, by differences %g", i,
                      j, dense[(int64_t)j * n + i], slope);
        }
    }
    free(dense);
    free(other);
}

static void test_matrix(void)
{
    bench b = {0};
    hand_begin(&b.hand);
    network_cable(&b.hand, 70, 0.5);
    open_system(&b, 1, WLM_ISA_BEST, 1);
    CHECK(b.n == 210);
    randomize(&b, -0.5, 0.5);
    for (int32_t i = 0; i < 70; i++) b.y[i] = -60.0 + 80.0 * check_uniform(&seed);
    check_matrix(&b, 0.0, 0.7, -1.3, 1e-6);
    close_system(&b);
    hand_end(&b.hand);
}

static void test_sums(void)
{
    bench b = {0}, c = {0};
    hand_begin(&b.hand);
    network_sums(&b.hand, 0);
    open_system(&b, 1, WLM_ISA_BEST, 0);
    CHECK(b.n == 5 && b.system->layout->sums == 10 && b.system->layout->levels == 2);
    randomize(&b, 0.5, 1.5);
    wlm_system_evaluate(b.system, 0.0, b.y, b.f, b.q);
    double first[5] = {0}, second[5] = {0}, f[5] = {0};
    for (int i = 0; i < 10; i++) first[i % 5] += b.y[(3 * i + 1) % 5];
    for (int i = 0; i < 10; i++) second[i % 5] += first[(3 * i + 1) % 5] * first[(3 * i + 1) % 5];
    for (int i = 0; i < 10; i++) f[i % 5] -= 0.5 * second[(3 * i + 1) % 5];
    for (int i = 0; i < 5; i++) CHECK(fabs(f[i] - b.f[i]) < 1e-13 && b.q[i] == b.y[i]);
    /* As unknowns at their values their rows hold, and f is the same. */
    c.hand = b.hand;
    open_system(&c, 1, WLM_ISA_BEST, 1);
    CHECK(c.n == 15);
    for (int i = 0; i < 5; i++) c.y[i] = b.y[i], c.y[5 + i] = second[i], c.y[10 + i] = first[i];
    wlm_system_evaluate(c.system, 0.0, c.y, c.f, c.q);
    for (int i = 0; i < 15; i++) CHECK(fabs(c.f[i] - (i < 5 ? f[i] : 0.0)) < 1e-12 && (i < 5 || c.q[i] == 0.0));
    check_matrix(&c, 0.0, 1.0, 2.0, 1e-6);
    close_system(&c);
    close_system(&b);
    hand_end(&b.hand);
}

/* Long rows: a rail with 3003 resistors. */
static void test_rail(void)
{
    bench b = {0};
    hand_begin(&b.hand);
    int32_t rail = hand_set(&b.hand, "rail", 1), leaf = hand_set(&b.hand, "leaf", 3003);
    hand_quantity(&b.hand, rail, WLM_BALANCE, "v", 0.0);
    hand_quantity(&b.hand, leaf, WLM_BALANCE, "v", 0.0);
    wlm_use *use = hand_use(&b.hand, network_resistor(&b.hand, 1.0), 3003);
    hand_bind(&b.hand, use, 0, rail, 0, 0);
    hand_bind(&b.hand, use, 1, leaf, 0, 1);
    hand_finish_use(&b.hand, use);
    open_system(&b, 1, WLM_ISA_BEST, 1);
    randomize(&b, -1.0, 1.0);
    wlm_system_evaluate(b.system, 0.0, b.y, b.f, b.q);
    double sum = 0.0;
    for (int32_t i = 1; i < b.n; i++) sum += b.y[i] - b.y[0];
    CHECK(fabs(sum - b.f[0]) < 1e-11);
    close_system(&b);
    hand_end(&b.hand);
}

/* All bits of values and stamps of a cable that is long enough for threads. */
static void test_bits(void)
{
    enum { CELLS = 20000 };
    bench one = {0}, other = {0};
    hand_begin(&one.hand);
    network_cable(&one.hand, CELLS, 0.5);
    double *g = hand_values(&one.hand, &one.hand.model.use[0], "g");
    for (int32_t i = 0; i < CELLS; i++) g[i] = 3.0 + check_uniform(&seed);
    open_system(&one, 1, WLM_ISA_BEST, 1);
    wlm_system_stamp(one.system, 0.0, one.y, 1.5, -1.0, one.f, one.q, one.values);
    other.hand = one.hand;
    for (int k = 0; k < 4; k++) {
        int threads = k < 2 ? k + 2 : 1;
        wlm_isa isa = k < 2 ? WLM_ISA_BEST : k == 2 ? WLM_ISA_PORTABLE : WLM_ISA_AVX2;
        if (wlm_kernels_of(isa) == NULL) continue;
        open_system(&other, threads, isa, 1);
        wlm_system_stamp(other.system, 0.0, other.y, 1.5, -1.0, other.f, other.q, other.values);
        size_t entries = (size_t)one.system->pattern.ptr[one.n];
        CHECK(memcmp(one.f, other.f, (size_t)one.n * sizeof(double)) == 0);
        CHECK(memcmp(one.q, other.q, (size_t)one.n * sizeof(double)) == 0);
        CHECK(memcmp(one.values, other.values, entries * sizeof(double)) == 0);
        close_system(&other);
    }
    close_system(&one);
    hand_end(&one.hand);
}

static void test_names(void)
{
    static const struct {
        const char *name;
        int32_t number;
    } cases[] = {{"node[0].v", 0},  {"node[1].v", 1},  {"node[2].v", 2},  {"vsrc[0].i", 3},
                 {"vsrc[1].i", 4},  {"vsrc[2].i", -1}, {"node[3].v", -1}, {"node[-1].v", -1},
                 {"node[1].w", -1}, {"vsrc.", -1},     {"v", -1},         {"node[1]v", -1}};
    bench b = {0};
    hand_begin(&b.hand);
    network_ladder(&b.hand, 3, 1.0, 1.0);
    wlm_kind *source = network_source(&b.hand, 5.0, 0);
    for (int k = 0; k < 2; k++) { /* two uses of one kind: numbered on */
        wlm_use *use = hand_use(&b.hand, source, 1);
        hand_bind(&b.hand, use, 0, 0, k, 0);
        hand_bind(&b.hand, use, 1, 1, 0, 0);
        hand_finish_use(&b.hand, use);
    }
    open_system(&b, 1, WLM_ISA_BEST, 1);
    wlm_memory memory;
    char text[64];
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        CHECK_SAY(wlm_layout_find(b.system->layout, cases[k].name, &memory) == cases[k].number, "%s", cases[k].name);
    CHECK(wlm_layout_find(b.system->layout, "ground.v", &memory) == 0 && memory == WLM_MEMORY_FIXED);
    for (int32_t i = 0; i < b.n; i++) {
        wlm_layout_name(b.system->layout, WLM_MEMORY_UNKNOWNS, i, text, sizeof text);
        CHECK(strcmp(text, cases[i].name) == 0);
    }
    wlm_system_describe(b.system, 4, text, sizeof text);
    CHECK_SAY(strcmp(text, "vsrc[1].i (line 302, used in line 55)") == 0, "%s", text);
    close_system(&b);
    hand_end(&b.hand);
}

static void expect_refused(hand *h, int derivatives, const char *words)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlm_system_options o;
    wlm_system_options_init(&o);
    o.derivatives = derivatives;
    wlm_system *system = NULL;
    CHECK(wlm_system_create(&ctx, &h->model, &o, &system) == WARPLU_MODEL_EQUATIONS);
    CHECK_SAY(system == NULL && strstr(ctx.last_message, words) != NULL, "%s", ctx.last_message);
    wlm_system_destroy(&system);
    hand_end(h);
}

static void test_structure(void)
{
    hand h;
    hand_begin(&h); /* two ideal sources at one node */
    network_ladder(&h, 3, 1.0, 1.0);
    wlm_kind *source = network_source(&h, 5.0, 0);
    for (int k = 0; k < 2; k++) {
        wlm_use *use = hand_use(&h, source, 1);
        hand_bind(&h, use, 0, 0, 1, 0);
        hand_bind(&h, use, 1, 1, 0, 0);
        hand_finish_use(&h, use);
    }
    expect_refused(&h, 1, "vsrc[");
    hand_begin(&h); /* a node that nothing is bound to */
    network_ladder(&h, 3, 1.0, 1.0);
    hand_quantity(&h, hand_set(&h, "lonely", 1), WLM_BALANCE, "u", 0.0);
    expect_refused(&h, 1, "lonely.u");
    hand_begin(&h); /* an unknown without an equation */
    network_ladder(&h, 3, 1.0, 1.0);
    wlm_kind *open = hand_kind(&h, "open", 1);
    hand_add(&h, open, 0, "v", hand_unknown(&h, open, "i", 0.0), WLM_NONE);
    wlm_use *use = hand_use(&h, open, 1);
    hand_bind(&h, use, 0, 0, 0, 0);
    hand_finish_use(&h, use);
    expect_refused(&h, 0, "1 unknowns and 0 equations");
    hand_begin(&h);
    network_sums(&h, 1);
    expect_refused(&h, 0, "need others of them");
}

/* Nodes in another order, and instances shared out to several uses: the same values up to rounding. */
static void test_renumbered(void)
{
    enum { CELLS = 200 };
    bench a = {0}, b = {0};
    hand_begin(&a.hand);
    network_cable(&a.hand, CELLS, 0.5);
    hand_begin(&b.hand);
    network_cable(&b.hand, CELLS, 0.5);
    int32_t to[CELLS];
    for (int32_t i = 0; i < CELLS; i++) to[i] = i;
    for (int32_t i = CELLS - 1; i > 0; i--) {
        int32_t j = check_below(&seed, i + 1), keep = to[i];
        to[i] = to[j], to[j] = keep;
    }
    for (int32_t u = 0; u < 2; u++)
        for (int32_t p = 0; p < (u == 0 ? 1 : 2); p++)
            for (int32_t i = 0; i < b.hand.model.use[u].count; i++)
                b.hand.model.use[u].node[p][i] = to[b.hand.model.use[u].node[p][i]];
    wlm_use *rest = hand_use(&b.hand, &b.hand.model.kind[0], 77); /* the first 77 cells stand in a use of their own */
    wlm_use *cells = &b.hand.model.use[0];
    hand_bind(&b.hand, rest, 0, 0, 0, 0);
    hand_finish_use(&b.hand, rest);
    memcpy(rest->node[0], cells->node[0], 77 * sizeof(int32_t));
    memmove(cells->node[0], cells->node[0] + 77, (CELLS - 77) * sizeof(int32_t));
    cells->count -= 77;
    open_system(&a, 1, WLM_ISA_BEST, 1);
    open_system(&b, 1, WLM_ISA_BEST, 1);
    CHECK(a.n == b.n && a.system->pattern.ptr[a.n] == b.system->pattern.ptr[b.n]);
    randomize(&a, 0.0, 1.0);
    int32_t first_m = b.system->layout->block[b.system->layout->use_block[0]].first;
    int32_t rest_m = b.system->layout->block[b.system->layout->use_block[2]].first;
    int32_t place[3 * CELLS]; /* of a's unknowns in b */
    for (int32_t i = 0; i < CELLS; i++) {
        place[i] = to[i];
        for (int32_t s = 0; s < 2; s++)
            place[(s + 1) * CELLS + i] = i < 77 ? rest_m + 77 * s + i : first_m + (CELLS - 77) * s + i - 77;
    }
    for (int32_t i = 0; i < a.n; i++) b.y[place[i]] = a.y[i];
    wlm_system_evaluate(a.system, 0.0, a.y, a.f, a.q);
    wlm_system_evaluate(b.system, 0.0, b.y, b.f, b.q);
    for (int32_t i = 0; i < a.n; i++)
        CHECK(fabs(a.f[i] - b.f[place[i]]) <= 1e-13 * (1.0 + fabs(a.f[i])) && a.q[i] == b.q[place[i]]);
    close_system(&a);
    close_system(&b);
    hand_end(&a.hand);
    hand_end(&b.hand);
}

/* A resistor's current is one output, and so is its conductance: both ends and four entries have them with signs. */
static void test_signs(void)
{
    bench b = {0};
    hand_begin(&b.hand);
    network_ladder(&b.hand, 9, 2.0, 3.0);
    open_system(&b, 1, WLM_ISA_BEST, 1);
    const wlm_bank *values = &b.system->values.bank[1], *matrix = &b.system->matrix.bank[1];
    CHECK(values->count == 8 && values->outputs == 1 && values->addends == 2);
    CHECK(values->addend[0].minus != values->addend[1].minus);
    CHECK(matrix->outputs == 2 && matrix->addends == 6);
    CHECK(b.system->values.contributions == 9 + 8 + 1);
    close_system(&b);
    hand_end(&b.hand);
}

int main(void)
{
    RUN(test_ladder);
    RUN(test_signs);
    RUN(test_matrix);
    RUN(test_sums);
    RUN(test_rail);
    RUN(test_bits);
    RUN(test_names);
    RUN(test_structure);
    RUN(test_renumbered);
    return check_done();
}
