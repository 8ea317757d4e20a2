/* Runs a model (docs/models.md), prints what it watches. Build: cc model.c $(pkg-config --cflags --libs warpmodel) */
#include <stdio.h>
#include <warplu/model.h>

enum { MOST = 64 };

static void say(warplu_status status, const char *text, void *user)
{
    (void)status, (void)user;
    fprintf(stderr, "%s\n", text);
}

static int print_row(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    (void)member, (void)user;
    printf("%g", t);
    for (int32_t k = 0; k < watched; k++) printf(" %.9g", values[k]);
    printf("\n");
    return 0;
}

int main(int argc, char **argv)
{
    warplu_model *model = NULL;
    warplu_sim *sim = NULL;
    warplu_model_options options;
    int64_t handle[MOST];
    int32_t count = 0;
    double to = 0.0, every = 0.0;
    int code = 1;

    warplu_model_init_options(&options);
    options.message = say;
    if (argc != 2 || warplu_model_read(&model, argv[1], &options) < 0) goto done;
    if (warplu_sim_create(&sim, model, NULL) < 0) goto done;
    warplu_model_get_times(model, &to, &every);
    printf("t");
    for (const char *name; count < MOST && (name = warplu_model_get_watch(model, count)) != NULL; count++) {
        if (warplu_sim_find(sim, name, &handle[count]) < 0) goto done;
        printf(" %s", name);
    }
    printf("\n");
    if (warplu_sim_watch(sim, handle, count, every > 0.0 ? every : to / 100.0, print_row, NULL) < 0) goto done;
    code = warplu_sim_run(sim, to) != WARPLU_SUCCESS;
done:
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
    return code;
}
