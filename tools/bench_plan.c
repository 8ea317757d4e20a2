/* What a run of warplu bench is made of: its entries, from the lists that its options give. */
#include "base/team.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 4096, MOST_SOLVES = 1000000 };

typedef struct cut {
    const char *rest;
    char name[BENCH_NAME];
} cut;

/* The next name of a comma-separated list; 0 at its end. */
static int next_name(cut *c)
{
    size_t length = strcspn(c->rest, ",");
    if (*c->rest == '\0') return 0;
    snprintf(c->name, sizeof c->name, "%.*s", (int)length, c->rest);
    c->rest += length;
    c->rest += *c->rest == ',';
    return 1;
}

/* Adds the numbers of an option's list, if it was given. */
static int read_numbers(const args_command *command, const char *option, const char *list, int32_t most,
                        bench_numbers *numbers)
{
    if (list != NULL && *list == '\0') return args_usage(command, "--%s: expected a number", option);
    for (cut c = {.rest = list != NULL ? list : ""}; next_name(&c);) {
        char *end;
        long n = c.name[0] >= '0' && c.name[0] <= '9' ? strtol(c.name, &end, 10) : 0;
        if (n < 1 || n > most || *end != '\0')
            return args_usage(command, "--%s: expected numbers from 1 to %d, found '%s'", option, (int)most, c.name);
        int k = 0;
        while (k < numbers->length && numbers->of[k] != n) k++;
        if (k == BENCH_NUMBERS) return args_usage(command, "--%s: more than %d numbers", option, k);
        numbers->of[k] = (int32_t)n;
        if (k == numbers->length) numbers->length++;
    }
    return ARGS_RUN;
}

/* NULL where there is no place for one more. */
static bench_entry *add_entry(bench_plan *plan, const char *name, int threads)
{
    if (plan->count == BENCH_ENTRIES) return NULL;
    bench_entry *e = &plan->entry[plan->count++];
    e->name = name;
    e->threads = threads;
    return e;
}

static int too_many(const args_command *command)
{
    return args_usage(command, "more than %d entries", (int)BENCH_ENTRIES);
}

/* --------------------------------------------------------------- executors */

/* Of --executors; -1 for others. "cuda-device" is the cuda executor on device pointers. */
static int executor_choice(const char *name)
{
    int choice = 0;
    if (strcmp(name, BENCH_ON_DEVICE) == 0) return WARPLU_EXECUTOR_CUDA;
    while (load_executors[choice] != NULL && strcmp(name, load_executors[choice]) != 0) choice++;
    return load_executors[choice] != NULL ? choice : -1;
}

static int wrong_executor(const args_command *command, const char *name)
{
    char names[256] = "";
    for (int k = 0; load_executors[k] != NULL; k++) {
        strncat(names, load_executors[k], sizeof names - strlen(names) - 1);
        strncat(names, load_executors[k + 1] != NULL ? ", " : " or ", sizeof names - strlen(names) - 1);
    }
    return args_usage(command, "--executors: expected %s" BENCH_ON_DEVICE ", found '%s'", names, name);
}

/* What "auto" stands for here; itself where there is nothing. */
static const char *auto_name(const char *name)
{
    warplu_options o;
    wlu_context ctx;
    wlu_target target;
    const wlu_cost *cost;
    warplu_init_options(&o);
    wlu_context_init(&ctx, &o);
    return wlu_target_find(&ctx, &o, &target, &cost) == WARPLU_SUCCESS ? target.executor->name : name;
}

/* On each number of threads. "auto" goes by the name of what it stands for. */
static int add_executor(const args_command *command, bench_plan *plan, const char *name, const bench_numbers *counts)
{
    int choice = executor_choice(name), on_device = strcmp(name, BENCH_ON_DEVICE) == 0;
    if (choice < 0) return wrong_executor(command, name);
    name = on_device ? BENCH_ON_DEVICE : load_executors[choice];
    if (choice == WARPLU_EXECUTOR_AUTO) name = auto_name(name);
    for (int k = 0; k < counts->length; k++) {
        bench_entry *e = add_entry(plan, name, counts->of[k]);
        if (e == NULL) return too_many(command);
        e->executor = load_executor(choice);
        e->on_device = on_device;
        plan->show_both |= on_device;
        e->check = plan->setup.options.check;
        e->precision = plan->setup.options.precision;
        e->expected_refactors = plan->setup.options.expected_refactors;
    }
    return ARGS_RUN;
}

/* Each executor with each check of the list in turn. */
static int multiply_by_checks(const args_command *command, const char *list, bench_plan *plan)
{
    bench_entry single[BENCH_ENTRIES];
    int count = plan->count, choice;
    memcpy(single, plan->entry, sizeof single);
    plan->count = 0;
    for (cut c = {.rest = list}; next_name(&c);) {
        for (choice = 0; load_checks[choice] != NULL && strcmp(load_checks[choice], c.name) != 0;) choice++;
        if (load_checks[choice] == NULL)
            return args_usage(command, "--checks: expected off, suspect, always or replays, found '%s'", c.name);
        for (int k = 0; k < count; k++) {
            bench_entry *e = add_entry(plan, single[k].name, single[k].threads);
            if (e == NULL) return too_many(command);
            *e = single[k];
            e->check = (warplu_check)choice;
        }
    }
    return plan->count > 0 ? ARGS_RUN : args_usage(command, "--checks: expected a name");
}

/* ------------------------------------------------------------------- lives */

static int ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int read_horizons(const args_command *command, const bench_request *q, bench_plan *plan)
{
    bench_numbers *h = &plan->horizons;
    if (!q->lifecycle && (q->told || q->horizons != NULL))
        return args_usage(command, "--told and --horizons are for --lifecycle");
    if (!q->lifecycle) return ARGS_RUN;
    if (q->sequence || q->guards) return args_usage(command, "--lifecycle goes without --sequence and --guards");
    int code = read_numbers(command, "horizons", q->horizons != NULL ? q->horizons : BENCH_HORIZONS, MOST_SOLVES, h);
    qsort(h->of, (size_t)h->length, sizeof h->of[0], ascending);
    return code;
}

/* Each executor once more, behind all: one that is told the horizon. */
static int add_told(const args_command *command, bench_plan *plan)
{
    for (int k = 0, count = plan->count; k < count; k++) {
        bench_entry *e = add_entry(plan, plan->entry[k].name, plan->entry[k].threads);
        if (e == NULL) return too_many(command);
        *e = plan->entry[k];
        e->told = 1;
    }
    return ARGS_RUN;
}

/* ----------------------------------------------------------------- batches */

/* All processors, where nothing is said. */
static void add_processors(bench_numbers *counts)
{
    int all = wlu_team_processors();
    if (all > 1) counts->of[counts->length++] = all < WLU_TEAM_MOST ? all : WLU_TEAM_MOST;
}

static int check_batch(const args_command *command, const bench_request *q)
{
    int weak = q->weak_percent > 0.0;
    if (q->weak_kinds > 0 && !weak) return args_usage(command, "--weak-kinds is for --weak");
    if (weak && q->members == 0) return args_usage(command, "--weak is for --batch");
    if (q->members == 0) return ARGS_RUN;
    if (q->sequence || q->lifecycle || q->guards)
        return args_usage(command, "--batch goes without --sequence, --lifecycle and --guards");
    return ARGS_RUN;
}

/* Whether an executor has an entry that calls for members in this way. Threads are for calls of many; a device's for as
 * few as one would be waited for at length. */
static int goes(const bench_plan *plan, const bench_entry *e, bench_batching batching)
{
    switch (batching) {
    case BENCH_SINGLY: return e->threads == 1;
    case BENCH_OF_ONE: return e->threads == 1 && e->executor != WARPLU_EXECUTOR_CUDA;
    case BENCH_WEAKENED: return plan->weak_percent > 0.0 && (e->threads == 1 || wlu_executor_threads(e->executor));
    case BENCH_TOGETHER: return e->threads == 1 || wlu_executor_threads(e->executor);
    }
    return 0;
}

/* Each executor in each of these ways. */
static int add_batched(const args_command *command, bench_plan *plan)
{
    static const bench_batching ways[] = {BENCH_TOGETHER, BENCH_WEAKENED, BENCH_OF_ONE, BENCH_SINGLY};
    bench_entry single[BENCH_ENTRIES];
    int count = plan->count;
    memcpy(single, plan->entry, sizeof single);
    plan->count = 0;
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
        for (int k = 0; k < count; k++) {
            if (single[k].on_device) return args_usage(command, "--batch goes without " BENCH_ON_DEVICE);
            if (!goes(plan, &single[k], ways[way])) continue;
            bench_entry *e = add_entry(plan, single[k].name, single[k].threads);
            if (e == NULL) return too_many(command);
            *e = single[k];
            e->batching = ways[way];
        }
    return ARGS_RUN;
}

/* ------------------------------------------------------------------- peers */

static int is_there(const bench_plan *plan, const peer *p, const char *ordering, int threads)
{
    for (int k = plan->executors; k < plan->count; k++) {
        const bench_entry *e = &plan->entry[k];
        if (e->peer == p && e->threads == threads && strcmp(e->ordering, ordering) == 0) return 1;
    }
    return 0;
}

/* Once, however often it is asked for. */
static int add_process(const args_command *command, bench_plan *plan, const peer *p, const char *ordering, int threads)
{
    if (is_there(plan, p, ordering, threads)) return ARGS_RUN;
    bench_entry *e = add_entry(plan, p->name, threads);
    if (e == NULL) return too_many(command);
    e->peer = p;
    snprintf(e->ordering, sizeof e->ordering, "%s", ordering);
    e->process = peer_process_create(p, threads, plan->limit_s);
    if (e->process != NULL) return ARGS_RUN;
    wlu_fail_memory(&plan->setup.ctx, p->name);
    return CMD_ERROR;
}

/* A peer with each of the orderings asked for, on each number of threads, or on one where it knows no more. */
static int add_peer(const args_command *command, bench_plan *plan, const peer *p, const char *orderings,
                    const bench_numbers *counts)
{
    int many = p->threads == PEER_THREADS || (p->threads == PEER_THREADS_OF_BATCHES && plan->members > 0);
    int length = many ? counts->length : 1;
    for (cut c = {.rest = orderings}; next_name(&c);)
        for (int k = 0; k < length; k++) {
            int code = add_process(command, plan, p, c.name, counts->of[k]);
            if (code != ARGS_RUN) return code;
        }
    return ARGS_RUN;
}

/* All entries of a library, one entry by its own name, or all there are. */
static int add_peers(const args_command *command, bench_plan *plan, const char *name, const bench_request *q,
                     const bench_numbers *counts)
{
    int found = 0;
    for (int k = 0; k < peer_count; k++) {
        const peer *p = &peer_list[k];
        int whole = strcmp(name, "all") == 0 || strcmp(name, p->library) == 0;
        if (!whole && (found || strcmp(name, p->name) != 0)) continue;
        int code = add_peer(command, plan, p, q->peer_orderings, counts);
        if (code != ARGS_RUN) return code;
        found = 1;
    }
    return found ? ARGS_RUN : args_usage(command, "--peers: unknown peer '%s'; see --list-peers", name);
}

/* ------------------------------------------------------------------ public */

int bench_plan_make(const args_command *command, const bench_request *q, bench_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    plan->rhs = q->rhs;
    plan->repeat = q->repeat;
    plan->limit_s = q->limit_s;
    plan->as_json = q->as_json;
    plan->guards = q->guards;
    plan->members = (int32_t)q->members;
    plan->weak_percent = q->weak_percent;
    plan->weak_kinds = q->weak_kinds > 0 ? (int32_t)q->weak_kinds : 1;
    plan->seed = q->seed;
    plan->name_checks = q->checks != NULL;
    bench_numbers counts = {.length = 1, .of = {1}}; /* 1 comes first, whatever was asked for */
    int code = load_prepare(command, &q->load, &plan->setup);
    plan->setup.takes_complex = 1;
    plan->setup.turns = q->complex;
    if (code == ARGS_RUN) code = check_batch(command, q);
    if (code == ARGS_RUN) code = read_numbers(command, "threads", q->threads, MOST_THREADS, &counts);
    if (q->members > 0 && q->threads == NULL) add_processors(&counts);
    for (cut c = {.rest = q->executors}; code == ARGS_RUN && next_name(&c);)
        code = add_executor(command, plan, c.name, &counts);
    if (code == ARGS_RUN && q->checks != NULL) code = multiply_by_checks(command, q->checks, plan);
    if (code == ARGS_RUN) code = read_horizons(command, q, plan);
    if (code == ARGS_RUN && q->told) code = add_told(command, plan);
    if (code == ARGS_RUN && q->members > 0) code = add_batched(command, plan);
    plan->executors = plan->count;
    if (code == ARGS_RUN && plan->count == 0) code = args_usage(command, "--executors: expected a name");
    for (cut c = {.rest = q->peers != NULL ? q->peers : ""}; code == ARGS_RUN && next_name(&c);)
        code = add_peers(command, plan, c.name, q, &counts);
    return code;
}

void bench_plan_free(bench_plan *plan)
{
    for (int k = 0; k < plan->count; k++) peer_process_destroy(&plan->entry[k].process);
    load_free(&plan->setup);
}
