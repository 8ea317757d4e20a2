/* The time of steps of a network of cells, by the methods that large systems have for it.
 *
 *     time_cable MODEL [STEPS [STEP [THREADS]]]
 *
 * MODEL is a text, as examples/models/cable.wm; 200 steps of 0.02 on one thread. CPU time of a step, all threads
 * together: the least, and the median of all; wall time on average, and what of it the linear solves take. */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "model/system/transient.h"
#include "model/text/read.h"

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static warplu_status measure(wlm_transient *s, const wlm_transient_options *o, int steps, double *ms)
{
    warplu_status status = wlm_transient_run(s, 3 * o->step); /* compiles and factors */
    wlm_transient_statistics before, after;
    wlm_transient_get_statistics(s, &before);
    int64_t begin = wlu_now_ns();
    for (int k = 0; k < steps && status == WARPLU_SUCCESS; k++) {
        double cpu = cpu_ms();
        status = wlm_transient_run(s, (4 + k) * o->step);
        ms[k] = cpu_ms() - cpu;
    }
    if (status != WARPLU_SUCCESS) return status;
    double wall = (double)(wlu_now_ns() - begin) * 1e-6 / steps;
    wlm_transient_get_statistics(s, &after);
    qsort(ms, (size_t)steps, sizeof *ms, compare);
    printf("least %.2f, median %.2f ms of CPU time a step; %.2f ms of wall time, solves %.2f\n", ms[0], ms[steps / 2],
           wall, (after.solve_ns - before.solve_ns) * 1e-6 / steps);
    return WARPLU_SUCCESS;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        wlm_method method;
    } methods[] = {{"rush-larsen", WLM_RUSH_LARSEN}, {"split", WLM_SPLIT}};
    wlu_context ctx;
    wlm_model *model = NULL;
    wlu_context_init(&ctx, NULL);
    int steps = argc > 2 ? atoi(argv[2]) : 200;
    if (argc < 2 || steps < 1 || wlm_model_read(&ctx, argv[1], &model) != WARPLU_SUCCESS) {
        fprintf(stderr, "time_cable MODEL [STEPS [STEP [THREADS]]]: %s\n", ctx.last_message);
        return 1;
    }
    double *ms = calloc((size_t)steps, sizeof *ms);
    for (size_t k = 0; ms != NULL && k < sizeof methods / sizeof methods[0]; k++) {
        wlm_transient_options o;
        wlm_transient_options_init(&o);
        o.method = methods[k].method;
        o.step = argc > 3 ? atof(argv[3]) : 0.02;
        if (argc > 4) o.threads = atoi(argv[4]);
        wlm_transient *s = NULL;
        printf("%s: ", methods[k].name);
        if (wlm_transient_create(&ctx, model, &o, &s) != WARPLU_SUCCESS || measure(s, &o, steps, ms) != WARPLU_SUCCESS)
            printf("%s\n", ctx.last_message);
        wlm_transient_destroy(&s);
    }
    free(ms);
    wlm_model_destroy(&model);
    return 0;
}
