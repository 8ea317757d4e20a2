/* Kernels and graphs of the fake driver. See fake_graph.h. */
#include "fake_graph.h"

#include "exec/device/ledger.h"
#include "exec/device/refine.h"
#include "phases/memory.h"
#include "newton.h"
#include "stress.h"

#include <stdlib.h>
#include <string.h>

#define OF_SOLVE sizeof(wlu_device_solve), sizeof(wlu_device_state), sizeof(wlu_solve_of)

static fake_kernel kernels[] = {
    {"wlu_tile_flow", 0, FAKE_CUDA_TAKEN, {sizeof(wlu_device_program), sizeof(wlu_device_state)}, {0}},
    {"wlu_solve", 1, 512, {OF_SOLVE}, {0}},
    {"wlu_solve_early", 1, 512, {OF_SOLVE}, {0}},
    {"wlu_gather", 0, 0, {sizeof(wlu_device_gather), sizeof(double *), sizeof(double *)}, {0}},
    {"wlu_levels_load", 0, 0, {sizeof(wlu_level_loads), sizeof(double *), sizeof(double *)}, {0}},
    {"wlu_levels_vector", 0, 0, {sizeof(wlu_level_stream), sizeof(wlu_level_vector), sizeof(double *)}, {0}},
    {"wlu_levels_guard", 0, 0, {sizeof(wlu_level_program), sizeof(wlu_device_state)}, {0}},
    {"wlu_levels_store", 0, 0, {sizeof(wlu_level_solve), sizeof(wlu_device_state), sizeof(wlu_solve_of)}, {0}},
    {"wlu_tile_flow_single", 0, FAKE_CUDA_TAKEN_SINGLE, {sizeof(wlu_device_program), sizeof(wlu_device_state)}, {0}},
    {"wlu_solve_single", 1, 512, {OF_SOLVE}, {0}},
    {"wlu_solve_early_single", 1, 512, {OF_SOLVE}, {0}},
    {"wlu_levels_load_single", 0, 0, {sizeof(wlu_level_loads), sizeof(double *), sizeof(double *)}, {0}},
    {"wlu_levels_vector_single", 0, 0, {sizeof(wlu_level_stream), sizeof(wlu_level_vector), sizeof(double *)}, {0}},
    {"wlu_levels_guard_single", 0, 0, {sizeof(wlu_level_program), sizeof(wlu_device_state)}, {0}},
    {"wlu_levels_store_single", 0, 0, {sizeof(wlu_level_solve), sizeof(wlu_device_state), sizeof(wlu_solve_of)}, {0}},
    {"wlu_tile_flow_complex", 0, FAKE_CUDA_TAKEN_COMPLEX, {sizeof(wlu_device_program), sizeof(wlu_device_state)}, {0}},
    {"wlu_solve_complex", 1, 512, {OF_SOLVE}, {0}},
    {"wlu_solve_early_complex", 1, 512, {OF_SOLVE}, {0}},
    {"wlu_refine", 1, 512, {OF_SOLVE, sizeof(wlu_refine_rows), sizeof(wlu_device_refine)}, {0}},
    {"wlu_refine_early", 1, 512, {OF_SOLVE, sizeof(wlu_refine_rows), sizeof(wlu_device_refine)}, {0}},
    {"wlu_refine_begin", 1, 0, {sizeof(wlu_refine_rows), sizeof(wlu_device_refine)}, {0}},
    {"wlu_refine_single", 1, 512, {OF_SOLVE, sizeof(wlu_refine_rows), sizeof(wlu_device_refine)}, {0}},
    {"wlu_refine_early_single", 1, 512, {OF_SOLVE, sizeof(wlu_refine_rows), sizeof(wlu_device_refine)}, {0}},
    {"wlu_refine_begin_single", 1, 0, {sizeof(wlu_refine_rows), sizeof(wlu_device_refine)}, {0}},
    {"wlu_refine_complex", 1, 512, {OF_SOLVE, sizeof(wlu_refine_rows), sizeof(wlu_device_refine)}, {0}},
    {"wlu_refine_early_complex", 1, 512, {OF_SOLVE, sizeof(wlu_refine_rows), sizeof(wlu_device_refine)}, {0}},
    {"wlu_refine_begin_complex", 1, 0, {sizeof(wlu_refine_rows), sizeof(wlu_device_refine)}, {0}},
    {"wlu_batch_refactor", 0, 0, {sizeof(wlu_group_factor), sizeof(wlu_group_work)}, {0}},
    {"wlu_batch_refactor_single", 0, 0, {sizeof(wlu_group_factor), sizeof(wlu_group_work)}, {0}},
    {"wlu_batch_substitute", 0, 0, {sizeof(wlu_group_solve), sizeof(wlu_group_work), sizeof(wlu_group_step)}, {0}},
    {"wlu_batch_substitute_single",
     0,
     0,
     {sizeof(wlu_group_solve), sizeof(wlu_group_work), sizeof(wlu_group_step)},
     {0}},
    {"wlu_batch_refactor_complex", 0, 0, {sizeof(wlu_group_factor), sizeof(wlu_group_work)}, {0}},
    {"wlu_batch_substitute_complex",
     0,
     0,
     {sizeof(wlu_group_solve), sizeof(wlu_group_work), sizeof(wlu_group_step)},
     {0}},
    {"wlu_batch_in_complex", 1, 0, {sizeof(wlu_group_move), sizeof(wlu_group_work)}, {0}},
    {"wlu_batch_out_complex", 1, 0, {sizeof(wlu_group_move), sizeof(wlu_group_work)}, {0}},
    {"wlu_batch_look_complex", 0, 0, {sizeof(wlu_refine_rows), sizeof(wlu_group_work), sizeof(wlu_group_step)}, {0}},
    {"wlu_batch_deliver_complex", 0, 0, {sizeof(wlu_group_work), sizeof(wlu_group_step)}, {0}},
    {"wlu_batch_results_complex", 0, 0, {sizeof(wlu_group_work), sizeof(wlu_group_result *), sizeof(int)}, {0}},
    {"wlu_batch_in", 1, 0, {sizeof(wlu_group_move), sizeof(wlu_group_work)}, {0}},
    {"wlu_batch_out", 1, 0, {sizeof(wlu_group_move), sizeof(wlu_group_work)}, {0}},
    {"wlu_batch_look", 0, 0, {sizeof(wlu_refine_rows), sizeof(wlu_group_work), sizeof(wlu_group_step)}, {0}},
    {"wlu_batch_deliver", 0, 0, {sizeof(wlu_group_work), sizeof(wlu_group_step)}, {0}},
    {"wlu_batch_results", 0, 0, {sizeof(wlu_group_work), sizeof(wlu_group_result *), sizeof(int)}, {0}},
    {"wlu_batch_pick", 0, 0, {sizeof(wlu_ledger_pick)}, {0}},
    {"wlu_batch_vouch", 0, 0, {sizeof(wlu_ledger_verdicts)}, {0}},
    {"wlu_batch_copy", 0, 0, {sizeof(wlu_ledger_copy)}, {0}},
    {"wlm_phases_definitions", 0, 0, {sizeof(wlm_phases_memory), sizeof(int32_t)}, {0}},
    {"wlm_phases_euler", 0, 0, {sizeof(wlm_phases_memory), sizeof(int32_t)}, {0}},
    {"wlm_phases_rk4_first", 0, 0, {sizeof(wlm_phases_memory), sizeof(int32_t)}, {0}},
    {"wlm_phases_rk4_middle", 0, 0, {sizeof(wlm_phases_memory), sizeof(int32_t)}, {0}},
    {"wlm_phases_rk4_last", 0, 0, {sizeof(wlm_phases_memory), sizeof(int32_t)}, {0}},
    {"scalar_double",
     0,
     0,
     {4 * sizeof(void *), 3 * sizeof(int32_t), sizeof(void *)},
     {0}}, /* the benchmark levels' own */
    {"scalar_float", 0, 0, {4 * sizeof(void *), 3 * sizeof(int32_t), sizeof(void *)}, {0}},
    {"newton_stamp", 0, 0, {sizeof(newton_system)}, {0}}, /* the tests' own */
    {"newton_note", 0, 0, {sizeof(newton_system)}, {0}},
    {"stress_occupy", 0, 0, {sizeof(stress_occupation)}, {0}},
    {"stress_compare", 0, 0, {sizeof(stress_replay)}, {0}},
};

wlu_cu_handle fake_kernel_find(const char *name, int device)
{
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (strcmp(name, kernels[k].name) == 0) return &kernels[k].given[device];
    return NULL;
}

fake_kernel *fake_kernel_of(wlu_cu_handle function, int device)
{
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (function == &kernels[k].given[device]) return &kernels[k];
    return NULL;
}

/* Room for the largest parameter. */
typedef union fake_parameter {
    wlu_device_program program;
    wlu_device_state state;
    wlu_device_solve solve;
    wlu_solve_of of;
    wlu_level_program levels;
    wlu_level_solve levels_solve;
    wlu_refine_rows rows;
    wlu_device_refine refine;
    wlu_group_factor batch_factor;
    wlu_group_solve batch_solve;
    wlu_group_work batch_work;
    wlu_group_move batch_move;
    wlu_ledger_verdicts batch_verdicts;
    wlu_ledger_pick batch_pick;
    newton_system newton;
    stress_occupation occupation;
    stress_replay replay;
} fake_parameter;

/* A launch; or, of no kernel, a copy. */
typedef struct fake_node {
    fake_cuda_launch launch;
    fake_parameter parameter[FAKE_PARAMETERS_MAX];
    void *to;
    const void *from;
    size_t bytes;
} fake_node;

struct fake_graph {
    int64_t count;
    fake_node *node;
};

fake_graph *fake_graph_create(void)
{
    return calloc(1, sizeof(fake_graph));
}

void fake_graph_free(fake_graph *g)
{
    if (g != NULL) free(g->node);
    free(g);
}

static int append(fake_graph *g, const fake_node *nodes, int64_t count)
{
    fake_node *node = realloc(g->node, (size_t)(g->count + count + 1) * sizeof *node);
    if (node == NULL) return 0;
    g->node = node;
    if (count > 0) memcpy(node + g->count, nodes, (size_t)count * sizeof *node);
    g->count += count;
    return 1;
}

int fake_graph_launches(fake_graph *g, const fake_kernel *kernel, const fake_cuda_launch *launch)
{
    fake_node node = {.launch = *launch};
    for (int k = 0; k < FAKE_PARAMETERS_MAX && kernel->bytes[k] > 0; k++)
        memcpy(&node.parameter[k], launch->parameters[k], kernel->bytes[k]);
    return append(g, &node, 1);
}

int fake_graph_copies(fake_graph *g, void *to, const void *from, size_t bytes)
{
    const fake_node node = {.to = to, .from = from, .bytes = bytes};
    return append(g, &node, 1);
}

int fake_graph_join(fake_graph *g, const fake_graph *other)
{
    return append(g, other->node, other->count);
}

static void run_node(fake_node *node, void (*launch)(const fake_cuda_launch *))
{
    void *parameters[FAKE_PARAMETERS_MAX];
    fake_cuda_launch now = node->launch;
    for (int k = 0; k < FAKE_PARAMETERS_MAX; k++) parameters[k] = &node->parameter[k];
    now.parameters = parameters;
    if (now.kernel != NULL)
        launch(&now);
    else
        memcpy(node->to, node->from, node->bytes);
}

void fake_graph_run(fake_graph *g, void (*launch)(const fake_cuda_launch *))
{
    for (int64_t k = 0; k < g->count; k++) run_node(&g->node[k], launch);
}
