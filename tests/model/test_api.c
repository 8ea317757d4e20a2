/* Calls of warplu/model.h one by one: what they answer to good and to bad arguments. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "api.h"

enum { SAID_BYTES = 512 };

static void listen(warplu_status status, const char *text, void *user)
{
    (void)status;
    snprintf(user, SAID_BYTES, "%s", text);
}

/* What a text is answered with; what is said goes to `said`. */
static warplu_status read_text(const char *text, char *said)
{
    warplu_model *model = (warplu_model *)said;
    warplu_model_options options;
    warplu_model_init_options(&options);
    options.message = listen, options.message_user = said;
    said[0] = '\0';
    warplu_status status = warplu_model_parse(&model, "test.wm", text, (int64_t)strlen(text), &options);
    CHECK((model == NULL) == (status < 0));
    warplu_model_destroy(&model);
    return status;
}

static void texts_are_judged(void)
{
    char said[SAID_BYTES];
    CHECK(read_text(decay_text, said) == WARPLU_SUCCESS && said[0] == '\0');
    CHECK(read_text("element e()\n  x = y\nend\nuse e()\n", said) == WARPLU_BAD_FORMAT);
    CHECK_SAY(strncmp(said, "test.wm:2:7: error: ", 20) == 0, "%s", said);
    CHECK(read_text("element e()\n  unknown x = 1\nend\nuse e()\n", said) == WARPLU_MODEL_EQUATIONS);
    CHECK_SAY(strncmp(said, "test.wm:2:11: error: ", 21) == 0, "%s", said);
}

static void models_want_their_arguments(void)
{
    warplu_model *model = (warplu_model *)&model;
    warplu_model_options options;
    warplu_model_init_options(NULL);
    warplu_model_init_options(&options);
    CHECK(options.size == sizeof options && options.allocate == NULL && options.message == NULL);
    CHECK(warplu_model_parse(NULL, "a", "", 0, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_model_parse(&model, NULL, "", 0, NULL) == WARPLU_INVALID_ARGUMENT && model == NULL);
    model = (warplu_model *)&model;
    CHECK(warplu_model_parse(&model, "a", NULL, 0, NULL) == WARPLU_INVALID_ARGUMENT && model == NULL);
    CHECK(warplu_model_parse(&model, "a", "", -1, NULL) == WARPLU_INVALID_ARGUMENT && model == NULL);
    model = (warplu_model *)&model;
    CHECK(warplu_model_read(&model, NULL, NULL) == WARPLU_INVALID_ARGUMENT && model == NULL);
    CHECK(warplu_model_read(NULL, "a", NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_model_read(&model, "/nowhere/a.wm", NULL) == WARPLU_CANNOT_OPEN && model == NULL);
    CHECK(warplu_model_read(&model, "/", NULL) < 0 && model == NULL);
    options.size--;
    CHECK(warplu_model_parse(&model, "a", "", 0, &options) == WARPLU_INVALID_ARGUMENT);
    warplu_model_init_options(&options);
    options.release = (void (*)(void *, void *))1;
    CHECK(warplu_model_parse(&model, "a", "", 0, &options) == WARPLU_INVALID_ARGUMENT);
    warplu_model_destroy(NULL);
    warplu_model_destroy(&model);
}

static void a_model_counts_what_it_holds(void)
{
    warplu_model *model = parsed("element gap(a, b)\n  param g = 1\n  flow = g*(a.v - b.v)\n  a.v += flow + ddt(a.v)\n"
                                 "  b.v += -flow\n  b.s += flow\n  b.w += 1\nend\n"
                                 "nodes cell[5] { balance v; store w; sum s; fixed z = 1 }\n"
                                 "use gap(cell[i], cell[(i + 1) mod 5]) over i in 0..4\n"
                                 "run tr-bdf2 to 3 every 0.5\nwatch cell[1].v, gap[2].flow\n");
    warplu_model_counts c = {.size = sizeof c};
    double to = 0.0, every = 0.0;
    CHECK(warplu_model_get_counts(model, &c) == WARPLU_SUCCESS);
    CHECK(c.kinds == 1 && c.sets == 1 && c.uses == 1 && c.nodes == 5 && c.instances == 5 && c.definitions == 5);
    CHECK(c.equations == 0 && c.balances == 5 && c.stores == 5 && c.sums == 5 && c.unknowns == 10 && c.watches == 2);
    CHECK(strcmp(warplu_model_get_watch(model, 1), "gap[2].flow") == 0);
    CHECK(warplu_model_get_watch(model, 2) == NULL && warplu_model_get_watch(model, -1) == NULL);
    CHECK(warplu_model_get_watch(NULL, 0) == NULL);
    warplu_model_get_times(model, &to, &every);
    CHECK(to == 3.0 && every == 0.5);
    warplu_model_get_times(model, NULL, NULL);
    warplu_model_get_times(NULL, &to, &every);
    CHECK(warplu_model_get_counts(NULL, &c) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_model_get_counts(model, NULL) == WARPLU_INVALID_ARGUMENT);
    c.size = 0;
    CHECK(warplu_model_get_counts(model, &c) == WARPLU_INVALID_ARGUMENT);
    warplu_model_destroy(&model);
}

static void refused(const warplu_model *model, const warplu_sim_options *options, warplu_status expected, int line)
{
    warplu_sim *sim = (warplu_sim *)&sim;
    warplu_status status = warplu_sim_create(&sim, model, options);
    CHECK_SAY(status == expected && sim == NULL, "line %d: %s", line, warplu_status_name(status));
}

#define REFUSED(expected, ...) \
    do { \
        warplu_sim_options tried = defaults(); \
        __VA_ARGS__; \
        refused(model, &tried, expected, __LINE__); \
    } while (0)

static void bad_options_are_refused(void)
{
    warplu_model *model = parsed(decay_text);
    const char *const none[] = {NULL}, *const wrong[] = {"cell.h"}, *const right[] = {"cell.g"};
    double infinite = INFINITY, one = 1.0;
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.size = 1);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.steps = -1);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.members = -1);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.method = (warplu_method)99);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.dt = -1.0);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.dt = NAN);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.relative = 1.0);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.absolute = infinite);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.threads = 1025);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.executor = (warplu_executor)99);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.executor = WARPLU_EXECUTOR_REFERENCE);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.device = -2);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.varying_count = 1);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.varying_count = 1, tried.varying = none);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.varying_count = 1, tried.varying = wrong);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.varying_count = 1, tried.varying = right, tried.members_file = "a.csv");
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.set_count = 1, tried.set = right);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.set_count = 1, tried.set = wrong, tried.set_value = &one);
    REFUSED(WARPLU_NOT_FINITE, tried.set_count = 1, tried.set = right, tried.set_value = &infinite);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.method = WARPLU_METHOD_RK4);
    REFUSED(WARPLU_CANNOT_OPEN, tried.members_file = "/nowhere/a.csv");
    REFUSED(WARPLU_OUT_OF_MEMORY, tried.members = INT64_C(1) << 58);
    CHECK(warplu_sim_create(NULL, model, NULL) == WARPLU_INVALID_ARGUMENT);
    refused(NULL, NULL, WARPLU_INVALID_ARGUMENT, __LINE__);
    warplu_model_destroy(&model);
}

static void equations_are_refused(void)
{
    warplu_model *model = parsed("element e()\n  unknown x = 1\n  state y = 1\n  y' = -y\n  0 = y - 1\nend\nuse e()\n");
    REFUSED(WARPLU_MODEL_EQUATIONS, tried.dt = 0.1);
    REFUSED(WARPLU_MODEL_EQUATIONS, tried.method = WARPLU_METHOD_RK4, tried.dt = 0.1);
    warplu_model_destroy(&model);
}

static void names_are_found(void)
{
    warplu_model *model = parsed(decay_text);
    const char *const varying[] = {"cell.g"};
    warplu_sim_options o = defaults();
    o.varying = varying, o.varying_count = 1;
    warplu_sim *sim = made(model, &o);
    int64_t handle;
    CHECK(handle_of(sim, "cell[0].x") == handle_of(sim, "cell.x"));
    CHECK(handle_of(sim, "cell.twice") != handle_of(sim, "cell.g"));
    CHECK(warplu_sim_find(sim, "cell.twise", &handle) == WARPLU_INVALID_ARGUMENT && handle == -1);
    CHECK_SAY(strstr(warplu_sim_get_message(sim), "did you mean 'cell.twice'?") != NULL, "%s",
              warplu_sim_get_message(sim));
    CHECK(warplu_sim_find(sim, "cell.x0", &handle) == WARPLU_INVALID_ARGUMENT); /* it is folded */
    CHECK(warplu_sim_find(sim, "", &handle) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_find(sim, NULL, &handle) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_find(NULL, "cell.x", &handle) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_find(sim, "cell.x", NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(strcmp(warplu_sim_get_message(NULL), "") == 0);
    warplu_sim_destroy(&sim);
    CHECK(sim == NULL);
    warplu_sim_destroy(&sim);
    warplu_sim_destroy(NULL);
    warplu_model_destroy(&model);
}

static void values_are_set_and_read(void)
{
    warplu_model *model = parsed(decay_text);
    const char *const varying[] = {"cell.x0"};
    warplu_sim_options o = defaults();
    o.members = 3, o.varying = varying, o.varying_count = 1;
    warplu_sim *sim = made(model, &o);
    double values[3] = {4.0, 5.0, 6.0}, infinite = INFINITY;
    int64_t x = handle_of(sim, "cell.x"), x0 = handle_of(sim, "cell.x0"), twice = handle_of(sim, "cell.twice");
    CHECK(value_of(sim, "cell.x", 1) == 1.0);
    CHECK(warplu_sim_set(sim, x, 2, 1, values) == WARPLU_SUCCESS);
    CHECK(warplu_sim_set(sim, x0, 0, 3, values) == WARPLU_SUCCESS);
    CHECK(value_of(sim, "cell.x", 0) == 4.0 && value_of(sim, "cell.x", 1) == 5.0);
    CHECK(value_of(sim, "cell.x", 2) == 4.0); /* set before: the parameter leaves it */
    CHECK(value_of(sim, "cell.x0", 2) == 6.0 && value_of(sim, "cell.twice", 1) == 10.0);
    CHECK(warplu_sim_set(sim, twice, 0, 1, values) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_set(sim, x, 0, 1, &infinite) == WARPLU_NOT_FINITE && value_of(sim, "cell.x", 0) == 4.0);
    CHECK(warplu_sim_set(sim, x, 0, 4, values) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_set(sim, x, -1, 1, values) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_set(sim, -1, 0, 1, values) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_set(sim, x, 0, 1, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_get(sim, x, 1, 3, values) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_get(sim, 1000, 0, 1, values) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_get(sim, x, 0, 1, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_get(NULL, x, 0, 1, values) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_run(sim, 0.5) == WARPLU_SUCCESS);
    CHECK(warplu_sim_set(sim, x0, 0, 1, values) == WARPLU_WRONG_PHASE);
    values[0] = 7.0;
    CHECK(warplu_sim_set(sim, x, 0, 1, values) == WARPLU_SUCCESS && value_of(sim, "cell.x", 0) == 7.0);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

/* Parameters with values of their own in instances vary by name and index, or once they are set alike. */
static void instances_that_differ(void)
{
    warplu_model *model = parsed("element e()\n  param g = 1\n  state x = g\n  x' = -x\nend\n"
                                 "use e() with g = i over i in 1..2\n");
    const char *const all[] = {"e.g"}, *const one[] = {"e[1].g"};
    double value = 5.0;
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.varying = all, tried.varying_count = 1);
    warplu_sim_options o = defaults();
    o.varying = one, o.varying_count = 1;
    warplu_sim *sim = made(model, &o);
    CHECK(value_of(sim, "e[1].g", 0) == 2.0 && value_of(sim, "e[0].x", 0) == 1.0);
    warplu_sim_destroy(&sim);
    o.varying = all, o.set = all, o.set_value = &value, o.set_count = 1;
    sim = made(model, &o);
    CHECK(value_of(sim, "e[1].x", 0) == 5.0 && value_of(sim, "e[0].x", 0) == 5.0);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

static void members_come_from_a_file(void)
{
    char path[] = "/tmp/warplu-api-XXXXXX";
    int fd = mkstemp(path);
    const char text[] = "cell.g,cell.x0\n1,2\n3,4\n";
    CHECK(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    warplu_model *model = parsed(decay_text);
    warplu_sim_options o = defaults();
    o.members_file = path;
    warplu_sim *sim = made(model, &o);
    warplu_sim_statistics s = {.size = sizeof s};
    CHECK(warplu_sim_get_statistics(sim, &s) == WARPLU_SUCCESS && s.members == 2 && s.unknowns == 1);
    CHECK(s.method == WARPLU_METHOD_RODAS4 && s.lanes_are_members == 1 && s.operations > 0);
    CHECK(value_of(sim, "cell.x", 1) == 4.0 && value_of(sim, "cell.g", 0) == 1.0);
    warplu_sim_destroy(&sim);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.members_file = path, tried.members = 3);
    const char *const both[] = {"cell.x0"}, *const one[] = {"cell[0].g"};
    const double value = 5.0;
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.members_file = path, tried.set = both, tried.set_value = &value,
            tried.set_count = 1);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.members_file = path, tried.set = one, tried.set_value = &value,
            tried.set_count = 1);
    CHECK(ftruncate(fd, 15) == 0); /* the names alone */
    REFUSED(WARPLU_BAD_FORMAT, tried.members_file = path);
    CHECK(pwrite(fd, "1,x\n", 4, 15) == 4);
    REFUSED(WARPLU_BAD_FORMAT, tried.members_file = path);
    CHECK(pwrite(fd, "cell.h", 6, 0) == 6 && pwrite(fd, "1,2\n", 4, 15) == 4);
    REFUSED(WARPLU_INVALID_ARGUMENT, tried.members_file = path);
    close(fd);
    unlink(path);
    warplu_model_destroy(&model);
}

static int count_lines(const char *line, void *user)
{
    CHECK(strchr(line, '\n') == NULL);
    return --*(int *)user == 0;
}

static void programs_are_shown(void)
{
    warplu_model *model = parsed(decay_text);
    warplu_sim *sim = made(model, NULL);
    int left = 1000000;
    warplu_sim_statistics s = {.size = 1};
    CHECK(warplu_sim_disassemble(sim, count_lines, &left) == WARPLU_SUCCESS && left < 1000000 - 5);
    left = 2;
    CHECK(warplu_sim_disassemble(sim, count_lines, &left) == WARPLU_CANNOT_WRITE && left == 0);
    CHECK(warplu_sim_disassemble(sim, NULL, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_disassemble(NULL, count_lines, &left) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_get_statistics(sim, &s) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_get_statistics(sim, NULL) == WARPLU_INVALID_ARGUMENT);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

int main(void)
{
    RUN(texts_are_judged);
    RUN(models_want_their_arguments);
    RUN(a_model_counts_what_it_holds);
    RUN(bad_options_are_refused);
    RUN(equations_are_refused);
    RUN(names_are_found);
    RUN(values_are_set_and_read);
    RUN(instances_that_differ);
    RUN(members_come_from_a_file);
    RUN(programs_are_shown);
    return check_done();
}
