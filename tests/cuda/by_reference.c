/* The reference executor as the kernel. See by_reference.h. */
#include "by_reference.h"

#include <string.h>

double *by_reference_on_device(const double *x)
{
    return (double *)((uintptr_t)x + FAKE_CUDA_APART);
}

void *by_reference_on_host(const void *x)
{
    return (void *)((uintptr_t)x - FAKE_CUDA_APART);
}

static const wlu_program *match(const wlu_loaded *loaded, const wlu_device_state *s)
{
    const wlu_state *state = loaded->state;
    return state != NULL && state->device != NULL && state->device->state.control == s->control ? loaded->plan->program : NULL;
}

/* The program whose state is launched: in use, or kept by the cache. */
static const wlu_program *find_program(const by_reference *r, const wlu_device_state *s)
{
    const wlu_program *found = NULL;
    for (int q = 0; q < BY_REFERENCE_SOLVERS && found == NULL; q++) {
        warplu_solver *solver = r->solver[q] != NULL ? *r->solver[q] : NULL;
        if (solver == NULL) continue;
        found = match(&solver->at, s);
        for (int k = 0; k < solver->cache.count && found == NULL; k++) found = match(&solver->cache.kept[k], s);
    }
    return found;
}

static int is_poisoned(const double *v, const wlu_device_program *p)
{
    const uint64_t poison = WLU_POISON;
    for (int32_t k = 0; k < p->slots; k++)
        if (k == p->zero ? v[k] != 0.0 : memcmp(&v[k], &poison, sizeof poison) != 0) return 0;
    return 1;
}

static void write_poison(double *v, const wlu_device_program *p)
{
    const uint64_t poison = WLU_POISON;
    for (int32_t k = 0; k < p->slots; k++)
        if (k != p->zero) memcpy(&v[k], &poison, sizeof poison);
}

static void publish(by_reference *r, const wlu_program *p, const wlu_state *from, const double *source,
                    const wlu_device_program *placed, const wlu_device_state *s)
{
    wlu_device_control *control = by_reference_on_host(s->control);
    wlu_device_health *health = by_reference_on_host(s->health);
    const wlu_health *h = &from->health;
    double *v = by_reference_on_host(s->v[control->generation % 2]);
    r->wrong += !is_poisoned(v, placed);
    write_poison(by_reference_on_host(s->v[(control->generation + 1) % 2]), placed);
    memcpy(v, from->v, (size_t)p->trash * sizeof *v);
    memcpy(by_reference_on_host(s->umax), from->umax, WLU_TILE_WIDTH * (size_t)p->tiles.count * sizeof *v);
    *health = (wlu_device_health){h->largest_l, h->largest_u, wlu_first_growth(p, h->largest_u, source), h->smallest_pivot,
                                  h->drift, h->finite, 0, ++control->generation, (uint32_t)r->give_up};
    health->undecided = !(health->growth >= s->bound);
    r->undecided += health->undecided;
    r->give_up = 0;
}

void by_reference_launch(unsigned grid, unsigned shared_bytes, void **parameters, void *user)
{
    by_reference *r = user;
    r->program = *(wlu_device_program *)parameters[0];
    r->state = *(wlu_device_state *)parameters[1];
    r->grid = grid;
    r->shared_bytes = shared_bytes;
    const wlu_program *found = find_program(r, &r->state);
    size_t panel = sizeof(double) * WLU_TILE_WIDTH * (size_t)(r->program.panel_rows + 1);
    int apart = panel > FAKE_CUDA_SHARED - FAKE_CUDA_TAKEN;
    r->wrong += found == NULL || apart != (r->state.panels != NULL) || (!apart && shared_bytes < panel) ||
                grid % FAKE_CUDA_MULTIPROCESSORS != 0 || r->state.bundle_blocks != FAKE_CUDA_MULTIPROCESSORS;
    if (found == NULL) return;
    if (apart) memset(by_reference_on_host(r->state.panels), 0x5a, grid * panel);
    r->apart += apart;
    wlu_program gathered = *found; /* its source is the gathered entries */
    gathered.gather = NULL;
    wlu_context ctx;
    wlu_state *state = NULL;
    void *image = NULL;
    wlu_context_init(&ctx, NULL);
    const double *source = by_reference_on_host(r->state.source);
    if (wlu_executor_reference.load(&ctx, &gathered, &image) == WARPLU_SUCCESS &&
        wlu_state_create(&ctx, &gathered, &state) == WARPLU_SUCCESS &&
        wlu_executor_reference.refactor(&ctx, image, state, source) == WARPLU_SUCCESS)
        publish(r, &gathered, state, source, &r->program, &r->state);
    else
        r->wrong++;
    wlu_state_destroy(&ctx, &state);
    if (image != NULL) wlu_executor_reference.destroy(&ctx, &image);
}
