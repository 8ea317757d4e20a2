/* Runs of examples/models by each method and engine that take them, against numbers that are committed: steps, rejected
 * ones, Newton's iterations, and the first and the last watched number where the run ends. Another error estimate,
 * factor or bound of an iteration takes other steps, though solutions are as good.
 *
 *     test_model_runs runs.csv FOLDER            compares
 *     test_model_runs runs.csv FOLDER --update   rewrites the file
 *
 * Counts are to be the same; numbers are within 1e-9, for the C library's pow chooses the steps' lengths. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "model/method/methods.h"

enum { LINE = 256 };

static const struct {
    const char *name;
    int outputs; /* how far: in times of `every` */
    int stiff;   /* explicit methods would take very many steps */
    int small;   /* 0: of too many unknowns for the small engine */
} models[] = {
    {"hires", 20, 1, 1},        {"pollution", 10, 1, 1},   {"robertson", 5, 1, 1},
    {"van_der_pol", 50, 1, 1},  {"noble_1962", 5, 0, 1},   {"hodgkin_huxley", 20, 0, 1},
    {"inverter_ring", 5, 1, 0}, {"wang_buzsaki", 5, 0, 0}, {"rc_ladder", 5, 1, 0},
    {"line", 5, 0, 0},
};

/* What a run has come to, as a line of the file. */
static int describe(warplu_sim *sim, const warplu_model *model, const char *key, char *line)
{
    warplu_sim_statistics t = {.size = sizeof t};
    warplu_model_counts counts = {.size = sizeof counts};
    if (warplu_sim_get_statistics(sim, &t) != WARPLU_SUCCESS) return 0;
    if (warplu_model_get_counts(model, &counts) != WARPLU_SUCCESS) return 0;
    snprintf(line, LINE, "%s,%lld,%lld,%lld,%.15g,%.15g", key, (long long)t.steps, (long long)t.rejected,
             (long long)t.newton_iterations, value_of(sim, warplu_model_get_watch(model, 0), 0),
             value_of(sim, warplu_model_get_watch(model, counts.watches - 1), 0));
    return 1;
}

/* 0: such a run cannot be made, or fails. */
static int run_of(const warplu_model *model, const char *key, wlm_method method, warplu_lanes lanes, int outputs,
                  char *line)
{
    double to, every;
    warplu_sim_options o = defaults();
    warplu_sim *sim = NULL;
    o.method = (warplu_method)method, o.lanes = lanes, o.members = 1, o.relative = 1e-3, o.absolute = 1e-6;
    warplu_model_get_times(model, &to, &every);
    if (warplu_sim_create(&sim, model, &o) != WARPLU_SUCCESS) return 0;
    const int made = warplu_sim_run(sim, outputs * every) == WARPLU_SUCCESS && describe(sim, model, key, line);
    warplu_sim_destroy(&sim);
    return made;
}

/* Two lines of one run: equal but for the rounding of the last two numbers. */
static int are_like(const char *a, const char *b)
{
    double x[2], y[2];
    const char *tail[2] = {a, b};
    for (int k = 0; k < 2; k++)
        for (int comma = 0; comma < 6; comma++) {
            tail[k] = strchr(tail[k], ',');
            if (tail[k]++ == NULL) return 0;
        }
    if (tail[0] - a != tail[1] - b || memcmp(a, b, (size_t)(tail[0] - a)) != 0) return 0;
    if (sscanf(tail[0], "%lf,%lf", &x[0], &x[1]) != 2 || sscanf(tail[1], "%lf,%lf", &y[0], &y[1]) != 2) return 0;
    return fabs(x[0] - y[0]) <= 1e-9 * fabs(x[0]) && fabs(x[1] - y[1]) <= 1e-9 * fabs(x[1]);
}

static const char *folder;
static FILE *file;
static int update;

static void compare(const char *line)
{
    char expected[LINE];
    if (update) {
        fprintf(file, "%s\n", line);
        return;
    }
    if (fgets(expected, sizeof expected, file) == NULL) expected[0] = '\0';
    expected[strcspn(expected, "\n")] = '\0';
    CHECK_SAY(are_like(expected, line), "%s\n#   expected %s\n#   if the change is wanted: --update", line, expected);
}

/* The file's first line. */
static void begin(void)
{
    static const char columns[] = "model,method,engine,steps,rejected,iterations,first,last\n";
    char line[LINE];
    if (update)
        fputs(columns, file);
    else
        CHECK(fgets(line, sizeof line, file) != NULL && strcmp(line, columns) == 0);
}

static void runs_are_the_committed_ones(void)
{
    char path[1024], key[LINE / 2], line[LINE];
    begin();
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        warplu_model *model = NULL;
        snprintf(path, sizeof path, "%s/%s.wm", folder, models[k].name);
        CHECK_SAY(warplu_model_read(&model, path, NULL) == WARPLU_SUCCESS, "%s", path);
        for (int m = 1; m < WLM_METHODS; m++)
            for (int large = !models[k].small; large < 2; large++) {
                const wlm_method method = (wlm_method)m;
                snprintf(key, sizeof key, "%s,%s,%s", models[k].name, wlm_method_of(method)->name,
                         large ? "large" : "small");
                if (models[k].stiff && wlm_method_of(method)->family == WLM_FAMILY_EXPLICIT) continue;
                if (run_of(model, key, method, large ? WARPLU_LANES_INSTANCES : WARPLU_LANES_MEMBERS, models[k].outputs,
                           line))
                    compare(line);
            }
        warplu_model_destroy(&model);
    }
    CHECK(update || fgets(line, sizeof line, file) == NULL);
}

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    update = argc > 3 && strcmp(argv[3], "--update") == 0;
    folder = argv[2];
    file = fopen(argv[1], update ? "w" : "r");
    if (file == NULL) return 2;
    RUN(runs_are_the_committed_ones);
    fclose(file);
    return check_done();
}
