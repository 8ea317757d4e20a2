/* What models' texts say, construct by construct: values that are computed by hand. */
#include "text_check.h"

#include <stdio.h>
#include <unistd.h>

static const double port_values[] = {2.0, 3.0};
static const text_inputs inputs = {.time = 5.0, .port = port_values};

/* An expression of p.v = 2, p.w = 3, t = 5, the parameter a = 7 and the constant c = 11. */
static void expect(const char *expression, double expected)
{
    char text[1024];
    snprintf(text, sizeof text,
             "const c = 11\nelement e(p)\nparam a = 7\nfirst = p.v; second = p.w; x = %s\nend\n"
             "nodes n { fixed v = 2; fixed w = 3 }\nuse e(n)\n",
             expression);
    wlm_model *model = text_read(text);
    if (model == NULL) return;
    double value = text_local(model, "x", &inputs);
    CHECK_SAY(fabs(value - expected) <= 4e-16 * fabs(expected), "%s: %.17g, expected %.17g", expression, value,
              expected);
    wlm_model_destroy(&model);
}

static void operators_bind_as_in_mathematics(void)
{
    expect("1 + 2*3", 7);
    expect("(1 + 2)*3", 9);
    expect("10 - 4 - 3", 3);
    expect("10 - (4 - 3)", 9);
    expect("100/10/5", 2);
    expect("2*3/4*5", 7.5);
    expect("2^3^2", 512);
    expect("(2^3)^2", 64);
    expect("-2^2", -4);
    expect("(-2)^2", 4);
    expect("2^-1", 0.5);
    expect("-p.v^2", -4);
    expect("3*-p.v", -6);
    expect("- -p.v", 2);
    expect("+p.v", 2);
    expect("p.v - -p.w", 5);
    expect("p.v^0.5", sqrt(2));
    expect("p.v*p.w + a*c - t", 78);
}

static void conditions_are_numbers(void)
{
    expect("1 < 2", 1);
    expect("2 < 1", 0);
    expect("p.v < p.w", 1);
    expect("p.w <= 3", 1);
    expect("p.w > 3", 0);
    expect("p.w >= 3", 1);
    expect("p.w = 3", 1);
    expect("p.w == 2", 0);
    expect("p.w <> 3", 0);
    expect("p.w != 2", 1);
    expect("p.v < p.w and p.w < t", 1);
    expect("p.v > p.w or p.w > t", 0);
    expect("1 or 0 and 0", 1);
    expect("(1 or 0) and 0", 0);
    expect("not p.v > p.w", 1);
    expect("not 1 or 1", 1);
    expect("1 + 1 < 3", 1);
    expect("if p.v < p.w then 10 else 20", 10);
    expect("if p.v > p.w then 10 else if p.v > 1 then 20 else 30", 20);
    expect("1 + if p.v > p.w then 10 else 20 + 5", 26);
    expect("2*(if p.v > p.w then 10 else 20) + 5", 45);
}

static void functions_are_those_of_their_names(void)
{
    expect("abs(-p.v)", 2);
    expect("sign(-p.v)", -1);
    expect("floor(-2.5)", -3);
    expect("ceil(-2.5)", -2);
    expect("ceil(p.v + 0.1)", 3);
    expect("sqrt(p.v)", sqrt(2));
    expect("rsqrt(p.v)", 1 / sqrt(2));
    expect("exp(p.v)", exp(2));
    expect("ln(p.v)", log(2));
    expect("log10(p.v)", log10(2));
    expect("sin(p.v)", sin(2));
    expect("cos(p.v)", cos(2));
    expect("tan(p.v)", tan(2));
    expect("asin(p.v/5)", asin(0.4));
    expect("acos(p.v/5)", acos(0.4));
    expect("atan(p.v)", atan(2));
    expect("atan2(p.v, -p.w)", atan2(2, -3));
    expect("expm1(p.v/1e6)", expm1(2e-6));
    expect("log1p(p.v/1e6)", log1p(2e-6));
    expect("erf(p.v/4)", erf(0.5));
    expect("erfc(p.v)", erfc(2));
    expect("tanh(p.v)", tanh(2));
    expect("cosh(p.v)", cosh(2));
    expect("sinh(p.v)", sinh(2));
    expect("min(p.v, p.w)", 2);
    expect("max(p.v, p.w, 1, t, -8)", 5);
    expect("pi", 3.14159265358979323846);
    expect("ln(exp(1))", 1);
}

/* Beside a pulse the edges: the begin belongs to it, the end does not. */
static void pulses_are_one_within(void)
{
    expect("pulse(4, 2)", 1);
    expect("pulse(5, 1)", 1);
    expect("pulse(4, 1)", 0);
    expect("pulse(6, 1)", 0);
    expect("pulse(1, 1, 2)", 1);
    expect("pulse(0.5, 0.5, 2)", 0);
    expect("pulse(0, 1, 2)", 0);
    expect("pulse(6, 1, 2)", 0);
    expect("3*pulse(a - 3, 2)", 3);
    wlm_model *m = text_read("element e()\nparam d = 1\nx = pulse(d, 2) + pulse(d, 2) + pulse(d, 2, 3)\nend\nuse e\n");
    if (m == NULL) return;
    const wlm_kind *kind = &m->kind[0];
    CHECK(kind->pulses == 2 && kind->pulse[0].period == WLM_NONE);
    CHECK(text_value(kind, kind->pulse[1].delay, &inputs) == 1.0);
    CHECK(text_value(kind, kind->pulse[1].width, &inputs) == 2.0);
    CHECK(text_value(kind, kind->pulse[1].period, &inputs) == 3.0);
    wlm_model_destroy(&m);
}

static void whole_numbers_divide(void)
{
    expect("7 mod 3", 1);
    expect("-1 mod 80", 79);
    expect("7 div 2", 3);
    expect("-7 div 2", -4);
    expect("2*c div 3 mod 5", 2);
    expect("9007199254740991 mod 10", 1);
    expect("-9007199254740991 div 2", -4503599627370496);
    expect("sum(k in 1..4: k)", 10);
    expect("sum(k in 1..3: sum(j in 1..k: p.v*j))", 20);
    expect("sum(k in 3..2: k)", 0);
    expect("sum(k in 0..3: if k = 0 then 100 else p.v/k)", 100 + 2.0 + 1.0 + 2.0 / 3.0);
}

/* The sign of a remainder is the divisor's. */
static void reals_divide(void)
{
    expect("7.5 mod 2", 1.5);
    expect("-7.5 mod 2", 0.5);
    expect("7.5 mod -2", -0.5);
    expect("-7.5 mod -2", -1.5);
    expect("7.5 div 2", 3);
    expect("-7.5 div 2", -4);
    expect("p.v mod p.w", 2);
    expect("-p.v mod p.w", 1);
    expect("(p.v - a) div p.w", -2);
    expect("10*t mod a", 1);
    expect("t mod 0.75 + 2", 2.5);
    expect("100 - t mod p.w*2", 96);
    expect("sum(k in 1..4: (p.v + k) mod 3)", 0 + 1 + 2 + 0);
}

static void numbers_are_rounded_once(void)
{
    expect("0.1 + 0.2", 0.1 + 0.2);
    expect(".5", 0.5);
    expect("5.", 5);
    expect("1e3", 1000);
    expect("1.5E-3", 0.0015);
    expect("2.2250738585072014e-308", 2.2250738585072014e-308);
    expect("123456789012345678901234567890", 123456789012345678901234567890.0);
}

static void lines_end_where_they_should(void)
{
    wlm_model *m =
        text_read("\xef\xbb\xbf# mark\r\nelement e() # comment\r\n  a = 1 + \\\r\n    2; b = (a +\n\n  4) # more\n"
                  "\n;;c = b\nfor k in 0..1: d[k] = k\nend\nuse e");
    if (m == NULL) return;
    CHECK(text_local(m, "a", &inputs) == 3.0 && text_local(m, "b", &inputs) == 7.0);
    CHECK(text_local(m, "c", &inputs) == 7.0 && text_local(m, "d[1]", &inputs) == 1.0);
    CHECK(m->kind[0].place.line == 2 && m->kind[0].place.column == 9 && m->kind[0].local[1].place.line == 4);
    wlm_model_destroy(&m);
}

static void definitions_stand_behind_what_they_need(void)
{
    enum { CHAIN = 100000, LINE = 32 };
    wlm_model *m = text_read("element e()\na = b + c\nc = b*2\nb = d\nd = 3\nend\nuse e\n");
    if (m == NULL) return;
    CHECK(text_local(m, "a", &inputs) == 9.0 && m->kind[0].locals == 4);
    CHECK(strcmp(m->kind[0].local[0].name, "d") == 0 && strcmp(m->kind[0].local[3].name, "a") == 0);
    wlm_model_destroy(&m);
    char *text = malloc(CHAIN * LINE + 64); /* a chain that no recursion would survive */
    int at = sprintf(text, "element e()\n");
    for (int k = 0; k < CHAIN; k++) at += sprintf(text + at, "x%d = x%d + t\n", k, k + 1);
    sprintf(text + at, "x%d = 1\nend\nuse e\n", CHAIN);
    m = text_read(text);
    free(text);
    if (m == NULL) return;
    CHECK(text_local(m, "x0", &inputs) == 1.0 + 5.0 * CHAIN);
    wlm_model_destroy(&m);
}

static void loops_and_arrays(void)
{
    wlm_model *m =
        text_read("const n = 3\nelement e()\nparam a[2] = {10, 20}\nparam b[2,2] = {1, 2, 3, 4} [mV]\nparam z[2] = 5\n"
                  "for i in 0..1\n  for j in 0..1: f[i,j] = b[j,i] + a[i]\n  s[i] = sum(j in 0..1: f[i,j])\nend\n"
                  "for k in 0..n: p[k] = if k = 0 then 1 else 2*p[k - 1]\n"
                  "state y[2] = {a[1], 7}\nfor i in 0..1: y[i]' = -y[1 - i]\nend\nuse e with a[1] = 30\n");
    if (m == NULL) return;
    const double state[] = {1.5, 2.5};
    const text_inputs in = {.state = state};
    const wlm_kind *kind = &m->kind[0];
    CHECK(text_local(m, "f[0,1]", &in) == 13.0 && text_local(m, "f[1,0]", &in) == 22.0);
    CHECK(text_local(m, "s[1]", &in) == 46.0 && text_local(m, "p[3]", &in) == 8.0);
    CHECK(kind->parameters == 8 && strcmp(kind->parameter[3].name, "b[0,1]") == 0 && kind->parameter[3].value == 2.0);
    CHECK(kind->states == 2 && text_value(kind, kind->state[0].initial, &in) == 20.0);
    CHECK(text_value(kind, kind->state[0].rate, &in) == -2.5 && text_value(kind, kind->state[1].rate, &in) == -1.5);
    CHECK(m->use[0].uniform[1] == 30.0 && m->use[0].uniform[0] == 10.0 && m->use[0].parameter[1] == NULL);
    wlm_model_destroy(&m);
}

static void states_gates_unknowns_and_events(void)
{
    wlm_model *m = text_read("element e(p)\nparam k = 2\nstate x = 3*k in 0..10\nx' = -k*x\ngate m = 0.25: p.v, 4\n"
                             "state h = 1\ngate h: x, k\nunknown i = k\n0 = p.v - i*k\ninput u = k*t\n"
                             "event t = 3*k: x = 0, h = x + 1\nevent x - p.v: x = x/2\np.v += i\nend\n"
                             "nodes n { balance v = 1 }\nuse e(n)\n");
    if (m == NULL) return;
    const double state[] = {5.0, 0.5, 0.75}, unknown[] = {9.0}, port[] = {8.0};
    const text_inputs in = {.time = 4.0, .state = state, .unknown = unknown, .port = port};
    const wlm_kind *kind = &m->kind[0];
    const wlm_state *s = kind->state;
    CHECK(kind->states == 3 && s[0].least == 0.0 && s[0].most == 10.0 && s[1].least == -INFINITY &&
          s[1].most == INFINITY);
    CHECK(text_value(kind, s[0].initial, &in) == 6.0 && text_value(kind, s[0].rate, &in) == -10.0);
    CHECK(s[0].steady == WLM_NONE && s[0].tau == WLM_NONE);
    CHECK(text_value(kind, s[1].initial, &in) == 0.25 && text_value(kind, s[1].steady, &in) == 8.0);
    CHECK(text_value(kind, s[1].tau, &in) == 4.0 && text_value(kind, s[1].rate, &in) == (8.0 - 0.5) / 4.0);
    CHECK(text_value(kind, s[2].rate, &in) == (5.0 - 0.75) / 2.0);
    CHECK(kind->unknowns == 1 && kind->closings == 1 && text_value(kind, kind->unknown[0].initial, &in) == 2.0);
    CHECK(text_value(kind, kind->closing[0].node, &in) == 8.0 - 18.0 && kind->closing[0].place.line == 9);
    CHECK(text_local(m, "u", &in) == 8.0);
    CHECK(kind->events == 2 && kind->event[0].crossing == WLM_NONE && text_value(kind, kind->event[0].at, &in) == 6.0);
    CHECK(kind->event[0].assignments == 2 && kind->event[0].state[0] == 0 && kind->event[0].state[1] == 2);
    CHECK(text_value(kind, kind->event[0].value[1], &in) == 6.0);
    CHECK(kind->event[1].at == WLM_NONE && text_value(kind, kind->event[1].crossing, &in) == -3.0);
    CHECK(text_value(kind, kind->event[1].value[0], &in) == 2.5 && kind->event[1].place.line == 12);
    wlm_model_destroy(&m);
}

/* The one contribution of an element with p.v = 2, p.w = 3 and the parameter a = 7. */
static void expect_sum(const char *sum, double flow, double charge)
{
    char text[512];
    snprintf(text, sizeof text,
             "element e(p)\nparam a = 7\nfirst = p.v; second = p.w\np.v += %s\nend\n"
             "nodes n { balance v = 1; fixed w = 1 }\nuse e(n)\n",
             sum);
    wlm_model *m = text_read(text);
    if (m == NULL) return;
    const wlm_kind *kind = &m->kind[0];
    const wlm_contribution *c = kind->contribution;
    CHECK(kind->contributions == 1 && strcmp(kind->port_quantity[c->quantity].name, "v") == 0 && c->place.line == 4);
    CHECK_SAY(isnan(flow) ? c->flow == WLM_NONE : text_value(kind, c->flow, &inputs) == flow, "%s", sum);
    CHECK_SAY(isnan(charge) ? c->charge == WLM_NONE : text_value(kind, c->charge, &inputs) == charge, "%s", sum);
    wlm_model_destroy(&m);
}

static void contributions_are_flows_and_charges(void)
{
    expect_sum("p.v", 2, NAN);
    expect_sum("ddt(p.v)", NAN, 2);
    expect_sum("-ddt(p.v)", NAN, -2);
    expect_sum("p.w + ddt(a*p.v)", 3, 14);
    expect_sum("p.w - p.v - ddt(p.v) + ddt(p.w^2)", 1, 7);
    expect_sum("a*ddt(p.v)", NAN, 14);
    expect_sum("2*a*ddt(p.v)/4", NAN, 7);
    expect_sum("p.w*(p.v - 1) - a*(p.w + ddt(p.v))", 3 - 21, -14);
    expect_sum("-(p.w - ddt(p.v - p.w))", -3, -1);
    expect_sum("p.w\np.v += 10 - ddt(p.w)", 13, -3);
}

static void nodes_and_uses(void)
{
    wlm_model *m =
        text_read("const n = 4\nnodes cell[n] { balance v = -10*i; store x = i^2 sum s; fixed r[2] = 1/(i + 1) "
                  "}\nnodes one { balance v }\n"
                  "element gap(a, b[2])\nparam g = 1; param h = 2\ni = g*h*(a.v - b[0].v)\na.v += i; b[0].v += -i; "
                  "b[1].x += a.r[1]\na.s += 1\nend\n"
                  "use gap(cell[i], cell[(i + 1) mod n], cell[n - 1 - i]) with g = i + 0.5, h = 3 over i in 0..n - 1\n"
                  "use gap(cell[2*i + j], one, cell[j]) over i in 0..1, j in 0..1\n"
                  "use gap(cell[i], cell[j], cell[0]) over pairs(cell)\n"
                  "watch cell[2].v, gap[19].i, one.v, one[0].v, cell[1..n - 1].x, one[0..0].v; run tr-bdf2 dt 0.1 to "
                  "2*n every 0.5 rtol 1e-3 atol "
                  "1e-6\nbatch 12 from \"a.csv\"\n");
    if (m == NULL) return;
    const wlm_set *set = &m->set[0];
    CHECK(m->sets == 2 && set->count == 4 && set->quantities == 5 && m->set[1].count == 1);
    CHECK(set->quantity[0].type == WLM_BALANCE && set->quantity[0].value[3] == -30.0);
    CHECK(set->quantity[1].type == WLM_STORE && set->quantity[1].value[3] == 9.0);
    CHECK(set->quantity[2].type == WLM_SUM && set->quantity[2].value == NULL);
    CHECK(set->quantity[4].type == WLM_FIXED && set->quantity[4].value[1] == 0.5 &&
          strcmp(set->quantity[4].name, "r[1]") == 0);
    const wlm_use *u = m->use;
    CHECK(m->uses == 3 && u[0].count == 4 && u[1].count == 4 && u[2].count == 12 && u[0].place.line == 10);
    for (int k = 0; k < 4; k++) {
        CHECK(u[0].node[0][k] == k && u[0].node[1][k] == (k + 1) % 4 && u[0].node[2][k] == 3 - k);
        CHECK(u[0].parameter[0][k] == k + 0.5 && u[1].node[0][k] == k && u[1].node[1][k] == 0 &&
              u[1].node[2][k] == k % 2);
    }
    CHECK(u[0].parameter[1] == NULL && u[0].uniform[1] == 3.0 && u[1].uniform[1] == 2.0 && u[1].set[1] == 1);
    int pairs = 0;
    for (int k = 0; k < 12; k++) pairs |= 1 << (4 * u[2].node[0][k] + u[2].node[1][k]);
    CHECK(pairs == 0x7bde); /* all but those of a node with itself */
    CHECK(strcmp(m->watch[0].name, "cell[2].v") == 0 && strcmp(m->watch[1].name, "gap[19].i") == 0);
    CHECK(m->watches == 8 && strcmp(m->watch[4].name, "cell[1].x") == 0 && strcmp(m->watch[6].name, "cell[3].x") == 0);
    CHECK(strcmp(m->watch[7].name, "one.v") == 0 && strcmp(m->watch[2].name, "one.v") == 0 &&
          strcmp(m->watch[3].name, "one.v") == 0);
    CHECK(m->run.method == WLM_TR_BDF2 && m->run.dt == 0.1 && m->run.to == 8.0 && m->run.every == 0.5);
    CHECK(m->run.relative == 1e-3 && m->run.absolute == 1e-6 && m->batch == 12 && strcmp(m->batch_file, "a.csv") == 0);
    wlm_model_destroy(&m);
}

/* A file of this text; the name is the test's own. */
static const char *path = "test_model_text.csv";

static void write_file(const char *text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static const char *const table_model =
    "element e(p)\nparam g = 1; param h = 2\np.v += g + h\nend\nnodes n[3] { balance v = 0 }\n"
    "use e(n[node]) with h = 10*node from \"test_model_text.csv\"\n";

static void tables_have_instances(void)
{
    write_file("\xef\xbb\xbf\"g\", node\r\n1.5,2\r\n\n 2.5 , 0\n-3e0,1");
    wlm_model *m = text_read(table_model);
    if (m != NULL) {
        const wlm_use *u = &m->use[0];
        CHECK(u->count == 3 && u->node[0][0] == 2 && u->node[0][1] == 0 && u->node[0][2] == 1);
        CHECK(u->parameter[0][0] == 1.5 && u->parameter[0][2] == -3.0 && u->parameter[1][0] == 20.0);
    }
    wlm_model_destroy(&m);
    remove(path);
}

static void tables_have_places(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "test_model_text.csv:1:1: error: expected the name of a column, found the end of the file"},
        {"g,\n", "test_model_text.csv:1:3: error: expected the name of a column, found the end of the line"},
        {"g,g\n", "test_model_text.csv:1:3: error: expected another name for each column, found 'g'"},
        {"\"g\n", "test_model_text.csv:1:3: error: expected '\"' behind a name, found the end of the line"},
        {"g node\n", "test_model_text.csv:1:3: error: expected ',' or the end of the line, found 'node'"},
        {"g,node\n1\n", "test_model_text.csv:2:2: error: expected ',' and another number, found the end of the line"},
        {"g,node\n1,\n", "test_model_text.csv:2:3: error: expected a number, found the end of the line"},
        {"g,node\n1,0,3\n", "test_model_text.csv:2:4: error: expected the end of the line, found ','"},
        {"g,node\n1,0\n2,x\n", "test_model_text.csv:3:3: error: expected a number, found 'x'"},
        {"g,node\n1,nan\n", "test_model_text.csv:2:3: error: expected a number, found 'nan'"},
        {"g,node\n", "test.wm:6:38: error: expected at least one instance of element e, found none"},
        {"g,node\n1,7\n", "test.wm:6:9: error: instance 0 of e: there is no n[7], n has nodes 0 to 2"},
        {"h,node\n1,0\n", "test.wm:6:38: error: 'h' has a value already, by 'with'"},
        {"gg,node\n1,0\n2,1\n3,2\n",
         "test.wm:6:38: error: column 'gg' is no parameter of element e, and nothing uses it (did you mean 'g'?)"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        wlm_model *m;
        write_file(cases[k].text);
        wlu_context_init(&text_ctx, NULL);
        warplu_status status = wlm_model_parse(&text_ctx, "test.wm", table_model, (int64_t)strlen(table_model), 0, &m);
        CHECK_SAY(status == WARPLU_BAD_FORMAT && strcmp(text_ctx.last_message, cases[k].message) == 0, "%s",
                  text_ctx.last_message);
        wlm_model_destroy(&m);
    }
    remove(path);
}

/* Nesting is refused at a depth, whatever nests; what stands in a row has no limit. */
static void depth_is_limited(void)
{
    enum { DEEP = 100000 };
    static const char *const nests[] = {"(", "-", "not ", "sin(", "a[", "if ", "2^", "1*(", "for k in 0..1: "};
    static char text[32 * DEEP];
    for (size_t n = 0; n < sizeof nests / sizeof *nests; n++) {
        wlm_model *m;
        int at = sprintf(text, "element e()\n%s", n + 1 < sizeof nests / sizeof *nests ? "x = " : "");
        for (int k = 0; k < DEEP; k++) at += sprintf(text + at, "%s", nests[n]);
        wlu_context_init(&text_ctx, NULL);
        warplu_status status = wlm_model_parse(&text_ctx, "test.wm", text, at, 0, &m);
        CHECK_SAY(status == WARPLU_BAD_FORMAT && strstr(text_ctx.last_message, "nested more than 200 deep") != NULL,
                  "%s: %s", nests[n], text_ctx.last_message);
    }
    int at = sprintf(text, "element e()\nfor k in 0..0");
    for (int k = 0; k < DEEP; k++) at += sprintf(text + at, ", k in 0..0");
    at += sprintf(text + at, ": x = 1\nend\nuse e()\n");
    wlm_model *m;
    CHECK(wlm_model_parse(&text_ctx, "test.wm", text, at, 0, &m) == WARPLU_BAD_FORMAT);
    CHECK(strstr(text_ctx.last_message, "nested more than 200 deep") != NULL);
    at = sprintf(text, "element e()\nx = 0");
    for (int k = 0; k < DEEP; k++) at += sprintf(text + at, " + t");
    sprintf(text + at, "\nend\nuse e\n");
    m = text_read(text);
    if (m != NULL) CHECK(text_local(m, "x", &inputs) == 5.0 * DEEP);
    wlm_model_destroy(&m);
}

static void files_are_read(void)
{
    wlm_model *m;
    wlu_context_init(&text_ctx, NULL);
    write_file("element e()\nx = 3\nend\nuse e");
    CHECK(wlm_model_read(&text_ctx, path, &m) == WARPLU_SUCCESS && m != NULL);
    wlm_model_destroy(&m);
    wlm_model_destroy(&m);
    remove(path);
    CHECK(wlm_model_read(&text_ctx, path, &m) == WARPLU_CANNOT_OPEN && m == NULL);
    CHECK(wlm_model_read(&text_ctx, ".", &m) == WARPLU_CANNOT_READ && m == NULL);
}

int main(void)
{
    RUN(operators_bind_as_in_mathematics);
    RUN(conditions_are_numbers);
    RUN(functions_are_those_of_their_names);
    RUN(pulses_are_one_within);
    RUN(whole_numbers_divide);
    RUN(reals_divide);
    RUN(numbers_are_rounded_once);
    RUN(lines_end_where_they_should);
    RUN(definitions_stand_behind_what_they_need);
    RUN(loops_and_arrays);
    RUN(states_gates_unknowns_and_events);
    RUN(contributions_are_flows_and_charges);
    RUN(nodes_and_uses);
    RUN(tables_have_instances);
    RUN(tables_have_places);
    RUN(depth_is_limited);
    RUN(files_are_read);
    return check_done();
}
