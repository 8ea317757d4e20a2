/* What the subcommands of warplu model share: a model from a file, and a simulation as options say. */
#ifndef WLU_MODEL_JOB_H
#define WLU_MODEL_JOB_H

#include <warplu/model.h>

#include "args.h"
#include "base/context.h"
#include "model_table.h"

enum { MODEL_SETS_MOST = 256 };

typedef struct model_request {
    int64_t members, threads, repeat, steps;
    double dt, cfl, relative, absolute, to, every;
    int method, executor, json;
    warplu_lanes lanes; /* AUTO unless a command needs others */
    const char *from, *watch, *out, *plot;
    args_list set;
    const char *set_items[MODEL_SETS_MOST];
} model_request;

/* What a subcommand works on; freed by model_close. */
typedef struct model_job {
    const model_request *q;
    const char *path;
    wlu_context ctx;
    warplu_model *model;
    warplu_sim *sim;
    const char *set_name[MODEL_SETS_MOST];
    char *set_text; /* where the names stand */
    double set_value[MODEL_SETS_MOST];
    char *watch_text;
    const char **name; /* watched */
    int64_t *handle;
    int32_t watched;
    int64_t members;
    model_table table;
    warplu_status status; /* of the run */
} model_job;

extern const char *const model_methods[];   /* by the numbers of warplu_method, ended by NULL */
extern const char *const model_executors[]; /* those that step models; by model_request's executor, ended by NULL */

#define MODEL_METHOD_OPTION(q) \
    { \
        .name = "method", .type = ARGS_CHOICE, .out = &(q).method, .choices = model_methods, \
        .help = "how it is stepped (auto: as the text says)" \
    }
#define MODEL_SET_OPTION(q) \
    { \
        .name = "set", .type = ARGS_LIST, .out = &(q).set, .value = "NAME=NUMBER", \
        .help = "a parameter of all members, as lr91.gna=20" \
    }
#define MODEL_DT_OPTION(q) \
    { \
        .name = "dt", .type = ARGS_REAL, .out = &(q).dt, .min = 1e-300, .max = 1e300, .value = "T", \
        .help = "steps of this length" \
    }
#define MODEL_CFL_OPTION(q) \
    { \
        .name = "cfl", .type = ARGS_REAL, .out = &(q).cfl, .min = 1e-300, .max = 1e300, .value = "C", \
        .help = "steps of C times the least limit" \
    }
#define MODEL_TO_OPTION(q) \
    { \
        .name = "to", .type = ARGS_REAL, .out = &(q).to, .min = 1e-300, .max = 1e300, .value = "T", \
        .help = "the end (as the text says)" \
    }
#define MODEL_THREADS_OPTION(q) \
    { \
        .name = "threads", .type = ARGS_INT, .out = &(q).threads, .min = 0, .max = 1024, .value = "N", \
        .help = "threads (1); 0: one for each processor" \
    }

void model_request_init(model_request *q);
void model_begin(model_job *job, const model_request *q, const char *path);
void model_close(model_job *job);

/* What goes wrong is said. */
warplu_status model_open(model_job *job);
warplu_status model_make_sim(model_job *job);
/* NAME=VALUE of each --set; 0 where one is none. */
int model_split_sets(model_job *job);
/* Names of --watch, or of the text's watch, and their handles; 0 where one is none. */
int model_list_watches(model_job *job);
/* Until when it runs, and how often rows come; 0 where nobody says. */
int model_times(model_job *job, double *to, double *every);

/* Other files. Arguments as those of cmd_model. */
int model_run(int argc, char **argv);
int model_bench(int argc, char **argv);

#endif
