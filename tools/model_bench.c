/* warplu model bench: what reading, compiling, an evaluation of f and a step take. Medians of repeats; of each a new
 * model and a new simulation. Steps are timed on the way to the end, in runs that grow, until they have taken 100
 * ms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "commands.h"
#include "json.h"
#include "model/api/members.h"
#include "model_job.h"

enum { REPEATS_MOST = 1000, EVALUATIONS = 16, MEMBERS = 1024 };
static const double ENOUGH_SECONDS = 0.1;
static const int64_t EVALUATION_NS = 2000000;

typedef struct times {
    double read, compile, evaluation, step; /* seconds; the last two for each lane */
} times;

typedef struct bench {
    model_job job;
    int64_t repeats;
    times *samples;
    times median;
    warplu_sim_statistics of_last;
} bench;

/* A program of f alone, of the unknowns' initial values, on full lanes: the shortest of some calls. NaN where the
 * simulation has none. */
static warplu_status time_evaluation(warplu_sim *sim, double *seconds)
{
    const wlm_members *m = wlm_members_of(sim);
    wlm_program *program = NULL;
    wlm_code *code = NULL;
    double *file = NULL;
    *seconds = NAN;
    if (m == NULL) return WARPLU_SUCCESS;
    const wlm_equations *e = m->equations;
    const int32_t inputs = 1 + e->n + e->lane_parameters + 1; /* the last one is the length of the step */
    warplu_status status = wlm_program_compile(e->graph, e->f, e->n, inputs, &program);
    if (status == WARPLU_SUCCESS) status = wlm_code_create(&sim->ctx, program, WLM_ISA_BEST, &code);
    if (status == WARPLU_SUCCESS && (file = wlm_file_create(&sim->ctx, program)) == NULL)
        status = wlu_fail_memory(&sim->ctx, "evaluation");
    if (status == WARPLU_SUCCESS) {
        for (int32_t i = 0; i < e->n; i++)
            for (int32_t k = 0; k < WLM_LANES; k++) file[(int64_t)(1 + i) * WLM_LANES + k] = m->state[i];
        for (int64_t end = wlu_now_ns() + EVALUATION_NS, now = 0; now < end;) {
            int64_t begin = wlu_now_ns();
            for (int k = 0; k < EVALUATIONS; k++) wlm_run(code, file, WLM_LANES);
            now = wlu_now_ns();
            *seconds = fmin(*seconds, (double)(now - begin) * 1e-9 / (EVALUATIONS * WLM_LANES));
        }
    }
    wlm_file_free(&sim->ctx, file);
    wlm_code_destroy(&sim->ctx, &code);
    wlm_program_destroy(&sim->ctx, &program);
    return status;
}

static warplu_status time_steps(bench *b, double to, double *seconds)
{
    warplu_sim *sim = b->job.sim;
    b->of_last.size = sizeof b->of_last;
    warplu_status status = WARPLU_SUCCESS;
    for (double t = to / 1024.0; status == WARPLU_SUCCESS && t <= to; t *= 2.0) {
        status = warplu_sim_run(sim, t);
        warplu_sim_get_statistics(sim, &b->of_last);
        if (b->of_last.run_seconds >= ENOUGH_SECONDS) break;
    }
    *seconds = b->of_last.run_seconds / (double)(b->of_last.steps + b->of_last.rejected);
    return status;
}

static int take_sample(bench *b, times *sample)
{
    double to, every;
    warplu_sim_destroy(&b->job.sim);
    warplu_model_destroy(&b->job.model);
    int64_t begin = wlu_now_ns();
    if (model_open(&b->job) < 0) return 0;
    int64_t read = wlu_now_ns();
    if (model_make_sim(&b->job) < 0) return 0;
    int64_t compiled = wlu_now_ns();
    sample->read = (double)(read - begin) * 1e-9, sample->compile = (double)(compiled - read) * 1e-9;
    if (!model_times(&b->job, &to, &every) || time_evaluation(b->job.sim, &sample->evaluation) < 0) return 0;
    warplu_status status = time_steps(b, to, &sample->step);
    if (status > 0) cmd_say("%s: %s", b->job.path, warplu_status_text(status));
    return status == WARPLU_SUCCESS;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the samples' number `number`. */
static double median_of(const bench *b, int number)
{
    double sorted[REPEATS_MOST];
    for (int64_t k = 0; k < b->repeats; k++) sorted[k] = ((const double *)&b->samples[k])[number];
    qsort(sorted, (size_t)b->repeats, sizeof *sorted, compare);
    return 0.5 * (sorted[(b->repeats - 1) / 2] + sorted[b->repeats / 2]);
}

/* Without --lanes: as many as fill them, where they are members. */
static int choose_lanes(bench *b, model_request *q)
{
    warplu_sim_statistics s = {.size = sizeof s};
    if (q->members > 0) return 1;
    q->members = 1;
    if (model_open(&b->job) < 0 || model_make_sim(&b->job) < 0) return 0;
    warplu_sim_get_statistics(b->job.sim, &s);
    if (s.lanes_are_members) q->members = MEMBERS;
    return 1;
}

static int measure(bench *b, model_request *q)
{
    b->samples = WLU_CALLOC(&b->job.ctx, b->repeats, times);
    if (b->samples == NULL) return wlu_fail_memory(&b->job.ctx, "samples") == WARPLU_SUCCESS;
    if (!model_split_sets(&b->job) || !choose_lanes(b, q)) return 0;
    for (int64_t k = 0; k < b->repeats; k++)
        if (!take_sample(b, &b->samples[k])) return 0;
    b->median = (times){median_of(b, 0), median_of(b, 1), median_of(b, 2), median_of(b, 3)};
    return 1;
}

static void put_json(const bench *b)
{
    json j;
    json_begin(&j, stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "model", b->job.path);
    json_text(&j, "method", model_methods[b->of_last.method]);
    json_int(&j, "unknowns", b->of_last.unknowns);
    json_int(&j, "operations", b->of_last.operations);
    json_int(&j, "lanes", b->of_last.members);
    json_int(&j, "repeats", b->repeats);
    json_real(&j, "read_seconds", b->median.read);
    json_real(&j, "compile_seconds", b->median.compile);
    json_real(&j, "evaluation_seconds", b->median.evaluation);
    json_real(&j, "step_seconds", b->median.step);
    json_end(&j);
}

static void put_text(const bench *b)
{
    printf("%-20s %s\n%-20s %s\n", "model", b->job.path, "method", model_methods[b->of_last.method]);
    printf("%-20s %lld\n", "unknowns", (long long)b->of_last.unknowns);
    printf("%-20s %lld\n", "operations", (long long)b->of_last.operations);
    printf("%-20s %lld\n", "lanes", (long long)b->of_last.members);
    printf("%-20s %.3f\n%-20s %.3f\n", "read ms", 1e3 * b->median.read, "compile ms", 1e3 * b->median.compile);
    if (!isnan(b->median.evaluation)) printf("%-20s %.2f\n", "evaluation ns", 1e9 * b->median.evaluation);
    printf("%-20s %.2f\n", "step ns", 1e9 * b->median.step);
}

int model_bench(int argc, char **argv)
{
    model_request q;
    int first;
    model_request_init(&q);
    q.repeat = 5;
    const args_option options[] = {
        {.name = "lanes",
         .type = ARGS_INT,
         .out = &q.members,
         .min = 1,
         .max = INT32_MAX,
         .value = "N",
         .help = "members that are stepped side by side (1024; 1 of\nmodels whose lanes are instances)"},
        {.name = "repeat",
         .type = ARGS_INT,
         .out = &q.repeat,
         .min = 1,
         .max = REPEATS_MOST,
         .value = "N",
         .help = "so many times (5)"},
        MODEL_METHOD_OPTION(q),
        MODEL_DT_OPTION(q),
        MODEL_CFL_OPTION(q),
        MODEL_TO_OPTION(q),
        MODEL_SET_OPTION(q),
        MODEL_THREADS_OPTION(q),
        {.name = "json", .type = ARGS_FLAG, .out = &q.json, .help = "as JSON, in seconds"},
        {.name = NULL},
    };
    const args_command command = {.name = "model bench",
                                  .usage = "FILE [OPTION]...",
                                  .about =
                                      "Times reading, compiling, an evaluation of the equations and a step, the last "
                                      "two for each lane.\nMedians.",
                                  .options = options,
                                  .min_operands = 1,
                                  .max_operands = 1,
                                  .operand = "a model"};
    int code = args_parse(&command, argc, argv, &first);
    if (code != ARGS_RUN) return code;
    bench b = {.repeats = q.repeat};
    model_begin(&b.job, &q, argv[first]);
    int good = measure(&b, &q);
    if (good && q.json) put_json(&b);
    if (good && !q.json) put_text(&b);
    wlu_free(&b.job.ctx, b.samples);
    model_close(&b.job);
    return good ? CMD_OK : CMD_ERROR;
}
