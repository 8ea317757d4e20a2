/* Units that agree: each word by itself and behind prefixes, each way to write a product, and equations whose units are
 * what they have to be, or not known. What does not agree, and how that is said, stands in bad/units.txt. */
#include "model/engines.h"

static int reads(const char *text, char *said)
{
    warplu_model *model = NULL;
    warplu_model_options options;
    warplu_model_init_options(&options);
    said[0] = '\0', last = said;
    options.message = take_message;
    warplu_status status = warplu_model_parse(&model, "test.wm", text, (int64_t)strlen(text), &options);
    warplu_model_destroy(&model);
    return status == WARPLU_SUCCESS;
}

static int body_reads(const char *body, char *said)
{
    char text[1024];
    snprintf(text, sizeof text, "const far = 3 [mm]\nelement e(p)\n%s\nend\nnodes n { store v = 0 }\nuse e(n)\n", body);
    return reads(text, said);
}

/* Compares two units of one dimension: whether they differ by a factor, "" by none. */
static void expect_factor(const char *a, const char *b, const char *factor)
{
    char said[512], body[400], expected[80];
    snprintf(body, sizeof body, "param a = 1 [%s]\nparam b = 1 [%s]\ny = a - b", a, b);
    snprintf(expected, sizeof expected, "], which differ by a factor of %s\n", factor);
    int read = body_reads(body, said);
    strcat(said, "\n");
    CHECK_SAY(factor[0] == '\0' ? read : !read && strstr(said, expected) != NULL, "%s, %s: %s", a, b, said);
}

static void words_are_what_they_are(void)
{
    static const char *const same[][3] = {
        {"g", "kg", "1000"},       {"rad", "1", ""},        {"sr", "1", ""},      {"%", "1", "100"},
        {"deg", "rad", "57.2958"}, {"min", "s", "60"},      {"h", "min", "60"},   {"d", "h", "24"},
        {"Hz", "1/s", ""},         {"N", "kg m/s^2", ""},   {"Pa", "N/m2", ""},   {"bar", "Pa", "100000"},
        {"mbar", "hPa", ""},       {"atm", "Pa", "101325"}, {"J", "N m", ""},     {"mmHg", "Pa", "133.322"},
        {"eV", "aJ", "6.24151"},   {"cal", "J", "4.184"},   {"W", "J/s", ""},     {"C", "A s", ""},
        {"V", "J/C", ""},          {"F", "C/V", ""},        {"ohm", "V/A", ""},   {"Ohm", "ohm", ""},
        {"S", "1/ohm", ""},        {"Wb", "V s", ""},       {"T", "Wb/m2", ""},   {"H", "Wb/A", ""},
        {"degC", "K", ""},         {"L", "dm^3", ""},       {"l", "L", ""},       {"M", "mol/l", ""},
        {"kat", "mol/s", ""},      {"Bq", "1/s", ""},       {"Gy", "J/kg", ""},   {"Sv", "Gy", ""},
        {"lm", "cd", ""},          {"lx", "lm/m2", ""},     {"mM", "mol/m3", ""}, {"kcal", "cal", "1000"},
    };
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) expect_factor(same[k][0], same[k][1], same[k][2]);
}

static void prefixes_are_powers_of_ten(void)
{
    static const char *const powers[][2] = {
        {"da", "10"},   {"d", "10"},    {"c", "100"},   {"m", "1000"},  {"u", "1e+06"}, {"\xc2\xb5", "1e+06"},
        {"n", "1e+09"}, {"p", "1e+12"}, {"f", "1e+15"}, {"a", "1e+18"}, {"h", "100"},   {"k", "1000"},
        {"M", "1e+06"}, {"G", "1e+09"}, {"T", "1e+12"}, {"P", "1e+15"},
    };
    for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
        char word[16];
        snprintf(word, sizeof word, "%sV", powers[k][0]);
        expect_factor(word, "V", powers[k][1]);
    }
    expect_factor("cd", "lm", "");   /* whole words first: no centiday, */
    expect_factor("min", "s", "60"); /* no milliinch */
}

static void products_are_written_in_many_ways(void)
{
    static const char *const same[][2] = {
        {"uA/cm2", "uA/cm^2"},
        {"uA/cm2", "uA cm^-2"},
        {"uA/cm2", " uA . cm-2 "},
        {"1/ms", "/ms"},
        {"1/ms", "ms^-1"},
        {"mS/mm^2", "kS/m2"},
        {"J/(mol K)", "J/mol/K"},
        {"J/(mol/K)", "J K/mol"},
        {"kg.m2.s-3.A-1", "V"},
        {"kg*m*m/s/s/s/A", "V"},
        {"m/s*s", "m"},
        {"1/(s/m)", "m/s"},
        {"1/(s m)K", "K/m/s"},
        {"1", "m/m"},
        {"V\t/ m", "V/m"},
    };
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) expect_factor(same[k][0], same[k][1], "");
}

static void expect_bodies(const char *const *bodies, size_t count)
{
    char said[512];
    for (size_t k = 0; k < count; k++) CHECK_SAY(body_reads(bodies[k], said), "%s: %s", bodies[k], said);
}

static void what_agrees_is_read(void)
{
    static const char *const bodies[] = {
        "param g = 36 [mS/cm^2]; param c = 1 [uF/cm2]; param e = -77 [mV]; state v = -65 [mV] in -200..200\n"
        "i = g*(v - e) [uA/cm2]\nv' = -i/c\nparam tau = 5 [ms]; gate n = 0.3: 1/(1 + exp(-v/10)), tau\n"
        "param on = 2 [ms]\ns = pulse(on, 1) + (if t < on then 1 else 0)\nevent t = on: v = e\nevent v - e: v = -65\n",
        "param a = 1 [cm2]; param b = 2 [cm]; y = sqrt(a) + b + a^(1/2) - a/b + 1/(1/b)\nz = rsqrt(a)*a + b",
        "param a = 1 [m]; param b = 2 [m]; y = sin(atan2(a, b)) + (a div b) + exp(a/b) + ln(b/a)^3\nz = a mod b + a",
        "param a[3] = {1, 2, 3} [K]; param w = a[0] [K]; y = sum(i in 0..2: a[i]) + w + abs(-w) + max(w, 3, a[1])",
        "param r = 8.314 [J/(mol K)]; param temp = 37 [degC]; param f = 96485 [C/mol]; param z = 2 [1]\n"
        "y = r*(temp + 273.15)/(z*f)*ln(z) [V]",
        "param x = far [mm]; y = x + far + 1 [mm]",
        "state x = 1 [mol]; param k = 1 [1/h]\nx' = -k*x\np.v += x' + k*x\nparam w = 1 [mol/h]\ny = w + x' + k*x",
        "unknown z = 0 [A]; param v = 1 [V]; param r = 1 [ohm]\n0 = z*r - v\ninput f = v*sin(t) + v [V]\ny = f + v + "
        "exp(-t)",
        "discrete n = 0 [m]; param a = 2 [m]\nevent t = 1 delay 2: n = n + a\ny = n + a",
    };
    expect_bodies(bodies, sizeof bodies / sizeof *bodies);
}

/* Numbers, what has no unit, and what is made of these agree with everything. */
static void what_is_not_known_agrees(void)
{
    static const char *const bodies[] = {
        "param a = 1 [mV]; param b = 1 [V]; param c = 1\ny = a + 1000*b + c + c*a + b/1000*1000\nz = 2*a < 3*b",
        "param a = 1 [mV]; param b = 1 [\"per person\"]; param d = 2 [ \"mV\" ]\ny = a + b + d*d\nz = exp(b)",
        "param a = 1 [mV]; param n = 2\ny = a^n + 1*a\nz = (a/a)^n + a/a\nw = exp(a/10) + cosh(2*a) + floor(a/3)",
        "param a = 1 [mV]\ny = sign(a) + (a > 3) + (not a) + pulse(1, 2) + (a and 1)\nz = a*0 + t",
    };
    expect_bodies(bodies, sizeof bodies / sizeof *bodies);
}

static void nodes_have_units(void)
{
    static const char text[] =
        "element r(a, b)\n  param r = 2 [ohm]\n  v = a.v - b.v [V]\n  va = a.v [V]\n  vb = b.v [V]\n"
        "  a.v += (a.v - b.v)/r\n  b.v += -(va - vb)/r\n  a.heat += v*v/r\nend\n"
        "element c(a, b)\n  param c = 2 [uF]\n  v = a.v - b.v\n  q = c*v\n  a.v += ddt(q) - 2*ddt(v)\n  b.v += "
        "-c*ddt(v)\nend\n"
        "nodes n { balance v = 1 [V]; sum heat [W] }\nnodes ground { fixed v = 0 [V]; store heat = 0 [J] }\n"
        "use r(n, ground)\nuse c(n, ground)\nelement hot(g)\n  param p = 1 [W]\n  g.heat += p\n  h = g.heat [J]\n  y = "
        "1*t < h\nend\n"
        "use hot(ground)\n";
    char said[512];
    CHECK_SAY(reads(text, said), "%s", said);
}

int main(void)
{
    RUN(words_are_what_they_are);
    RUN(prefixes_are_powers_of_ten);
    RUN(products_are_written_in_many_ways);
    RUN(what_agrees_is_read);
    RUN(what_is_not_known_agrees);
    RUN(nodes_have_units);
    return check_done();
}
