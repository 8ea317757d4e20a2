/* Steps by list scheduling. See cuda_steps.h. */
#include "exec/batch/cuda_steps.h"

/* SLACK: a schedule is to be so much longer than it must be at least, a fifth. */
enum { NOBODY = -1, TAKEN = -2, SLACK = 5 };

/* Tasks that read a slot since it was written: a chain of links. */
typedef struct link {
    int32_t task, next;
} link;

typedef struct graph {
    wlu_group_tasks *tasks;
    int64_t slots;             /* of the stage's own */
    int32_t *writer, *readers; /* of a slot: the last so far; links since, or NOBODY */
    link *links;
    int64_t nlinks;
    int64_t *first;          /* of what comes after each task; while it is counted, and filled, one ahead */
    int32_t *after, *before; /* before: how many each comes after */
} graph;

typedef void (*edge_fn)(graph *g, int32_t from, int32_t to);

static void count_edge(graph *g, int32_t from, int32_t to)
{
    g->first[from + 2]++;
    g->before[to]++;
}

static void fill_edge(graph *g, int32_t from, int32_t to)
{
    g->after[g->first[from + 1]++] = to;
}

typedef struct visit {
    graph *g;
    edge_fn edge;
    int32_t task;
} visit;

/* A slot of the stage's own, or none. */
static int32_t own(const visit *v, int32_t slot)
{
    int64_t k = slot - v->g->tasks->stage->first;
    return k >= 0 && k < v->g->slots ? (int32_t)k : NOBODY;
}

/* After its writer. */
static void read_slot(const visit *v, int32_t slot)
{
    graph *g = v->g;
    int32_t k = own(v, slot);
    if (k < 0) return;
    if (g->writer[k] >= 0) v->edge(g, g->writer[k], v->task);
    g->links[g->nlinks] = (link){v->task, g->readers[k]};
    g->readers[k] = (int32_t)g->nlinks++;
}

/* After its writer, and all that have read it since. */
static void write_slot(const visit *v, int32_t slot)
{
    graph *g = v->g;
    int32_t k = own(v, slot);
    if (k < 0 || k == g->tasks->stage->spare) return;
    if (g->writer[k] >= 0) v->edge(g, g->writer[k], v->task);
    for (int32_t q = g->readers[k]; q >= 0; q = g->links[q].next)
        if (g->links[q].task != v->task) v->edge(g, g->links[q].task, v->task);
    g->writer[k] = v->task;
    g->readers[k] = NOBODY;
}

static void visit_all(graph *g, edge_fn edge)
{
    const wlu_group_tasks *s = g->tasks;
    for (int64_t k = 0; k < g->slots; k++) g->writer[k] = g->readers[k] = NOBODY;
    g->nlinks = 0;
    for (int32_t k = 0; k < s->count; k++) {
        const wlu_group_task *t = &s->task[k];
        const visit v = {g, edge, k};
        if (t->start >= 0) read_slot(&v, t->start);
        if (t->divisor >= 0) read_slot(&v, t->divisor);
        for (int32_t q = 0; q < t->terms; q++) {
            wlu_group_term term = wlu_group_term_of(s->stage, t, q);
            read_slot(&v, term.a);
            read_slot(&v, term.b);
        }
        write_slot(&v, t->target);
    }
}

static int64_t count_reads(const wlu_group_tasks *s)
{
    int64_t reads = 0;
    for (int64_t k = 0; k < s->count; k++) reads += 2 * (int64_t)s->task[k].terms + 3;
    return reads;
}

static void free_graph(wlu_context *ctx, graph *g)
{
    void *owned[] = {g->writer, g->readers, g->links, g->first, g->after, g->before};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
}

/* Who comes after whom. */
static warplu_status make_graph(wlu_context *ctx, wlu_group_tasks *s, graph *g)
{
    int64_t slots = wlu_group_slots(s->stage->stream, s->stage->spare + 1);
    *g = (graph){.tasks = s,
                 .slots = slots,
                 .writer = WLU_ALLOC(ctx, slots, int32_t),
                 .readers = WLU_ALLOC(ctx, slots, int32_t),
                 .links = WLU_ALLOC(ctx, count_reads(s), link),
                 .first = WLU_CALLOC(ctx, s->count + 2, int64_t),
                 .before = WLU_CALLOC(ctx, s->count, int32_t)};
    if (!WLU_ALL_THERE(g->writer, g->readers, g->links, g->first, g->before))
        return wlu_fail_memory(ctx, "steps of a batch");
    visit_all(g, count_edge);
    for (int64_t k = 0; k < s->count; k++) g->first[k + 2] += g->first[k + 1];
    g->after = WLU_ALLOC(ctx, g->first[s->count + 1], int32_t);
    if (g->after == NULL) return wlu_fail_memory(ctx, "steps of a batch");
    visit_all(g, fill_edge);
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------- ready */

/* Tasks that could come: a heap of them in their order, and lists by height, the tasks of the longest chain that begins
 * with each. A task that comes leaves one of the two, and is passed over in the other. */
typedef struct ready {
    const graph *g;
    int32_t *heap, *height, *list, *next; /* list: by height, 1 .. highest; next: TAKEN of those that have come */
    int32_t count, highest, left;
} ready;

static void heap_push(ready *r, int32_t task)
{
    int32_t k = r->count++;
    for (; k > 0 && r->heap[(k - 1) / 2] > task; k = (k - 1) / 2) r->heap[k] = r->heap[(k - 1) / 2];
    r->heap[k] = task;
}

static int32_t heap_pop(ready *r)
{
    int32_t top = r->heap[0], last = r->heap[--r->count], k = 0;
    for (int32_t child = 1; child < r->count; child = 2 * k + 1) {
        if (child + 1 < r->count && r->heap[child + 1] < r->heap[child]) child++;
        if (r->heap[child] >= last) break;
        r->heap[k] = r->heap[child];
        k = child;
    }
    r->heap[k] = last;
    return top;
}

static void add(ready *r, int32_t task)
{
    heap_push(r, task);
    r->next[task] = r->list[r->height[task]];
    r->list[r->height[task]] = task;
}

/* The highest from `least` on; *from: where none is above. NOBODY: none. */
static int32_t take_urgent(ready *r, int32_t least, int32_t *from)
{
    for (; *from >= least; --*from) {
        int32_t task = r->list[*from];
        if (task < 0) continue;
        r->list[*from] = r->next[task];
        if (r->g->before[task] == TAKEN) continue;
        return task;
    }
    return NOBODY;
}

static int32_t take_next(ready *r)
{
    while (r->count > 0) {
        int32_t task = heap_pop(r);
        if (r->g->before[task] != TAKEN) return task;
    }
    return NOBODY;
}

static void find_heights(ready *r)
{
    const graph *g = r->g;
    for (int64_t k = g->tasks->count - 1; k >= 0; k--) {
        int32_t most = 0;
        for (int64_t q = g->first[k]; q < g->first[k + 1]; q++)
            if (r->height[g->after[q]] > most) most = r->height[g->after[q]];
        r->height[k] = most + 1;
        if (most >= r->highest) r->highest = most + 1;
    }
}

/* Tasks of a step. planned: steps that there are to be; a task with as many behind it as are left comes at once. */
static int32_t fill_step(ready *r, int32_t step, int32_t planned, int32_t most, int32_t *taken)
{
    int32_t count = 0, from = r->highest, least = planned - step > 1 ? planned - step : 1, task;
    while (count < most && (task = take_urgent(r, least, &from)) != NOBODY) {
        r->g->before[task] = TAKEN;
        taken[count++] = task;
    }
    while (count < most && (task = take_next(r)) != NOBODY) {
        r->g->before[task] = TAKEN;
        taken[count++] = task;
    }
    return count;
}

static void run(ready *r, int32_t most, int32_t *taken, int32_t *steps)
{
    const graph *g = r->g;
    int64_t tasks = g->tasks->count, full = (tasks + most - 1) / most, longest = full > r->highest ? full : r->highest;
    int32_t planned = (int32_t)(longest + longest / SLACK);
    for (int32_t k = 0; k < tasks; k++)
        if (g->before[k] == 0) add(r, k);
    for (*steps = 0; tasks > 0; ++*steps) {
        int32_t count = fill_step(r, *steps, planned, most, taken);
        tasks -= count;
        for (int32_t k = 0; k < count; k++) g->tasks->task[taken[k]].step = *steps;
        for (int32_t k = 0; k < count; k++)
            for (int64_t q = g->first[taken[k]]; q < g->first[taken[k] + 1]; q++)
                if (--g->before[g->after[q]] == 0) add(r, g->after[q]);
    }
}

warplu_status wlu_group_steps_assign(wlu_context *ctx, wlu_group_tasks *s, int32_t most, int32_t *steps)
{
    graph g = {0};
    ready r = {.g = &g};
    int32_t *taken = WLU_ALLOC(ctx, most, int32_t);
    warplu_status status = taken == NULL ? wlu_fail_memory(ctx, "steps of a batch") : make_graph(ctx, s, &g);
    if (status == WARPLU_SUCCESS) {
        r.heap = WLU_ALLOC(ctx, s->count, int32_t);
        r.next = WLU_ALLOC(ctx, s->count, int32_t);
        r.height = WLU_ALLOC(ctx, s->count, int32_t);
        if (r.heap != NULL && r.next != NULL && r.height != NULL) {
            find_heights(&r);
            r.list = WLU_ALLOC(ctx, (int64_t)r.highest + 1, int32_t);
        }
        if (r.list == NULL) status = wlu_fail_memory(ctx, "steps of a batch");
    }
    if (status == WARPLU_SUCCESS) {
        for (int32_t k = 0; k <= r.highest; k++) r.list[k] = NOBODY;
        run(&r, most, taken, steps);
    }
    void *owned[] = {taken, r.heap, r.next, r.height, r.list};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    free_graph(ctx, &g);
    return status;
}
