/* Chooses tiles for a device, and plans where the arrays of a resident system stand in its memory.
 *
 * A system of few instances is one tile of one thread block, which waits for nobody. One that the device's warps can
 * hold at once has a tile for each multiprocessor. Larger ones have tiles that share one, by four at a time: more would
 * leave threads too few registers, fewer too little to do while they wait for memory (one H200, 10^5 and 10^6 cells of
 * a pipe: one tile 20 and 110 us a step, two 12.2 and 132, four 12.1 and 95, six 13.2 and 107). Where tiles would
 * compute much more than there is, because all is near to all, there is one tile of all thread blocks. */
#include <string.h>

#include "model/system/resident_parts.h"

enum { ALIGN = 256, REAL = sizeof(double), WORD = sizeof(int32_t) };
/* Instances of a system for one thread block, of a tile at least, and of one that a multiprocessor may hold; threads of
 * a block; of those that share a multiprocessor, how many, and what shared memory keeps for itself. */
enum { ALONE = 512, TILE_LEAST = 128, HELD_MOST = 600, THREADS_LEAST = 128, THREADS_MOST = 512 };
enum { SHARING = 4, SHARING_THREADS = 256, SHARED_OWN = 2 << 10 };

/* Returns the place of so many bytes more. */
static int64_t take(wlm_resident_plan *p, int64_t bytes)
{
    int64_t at = p->bytes;
    p->bytes += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return at;
}

/* Returns the place of a copy of an array, each once; -1: there is no memory. */
static int64_t copy_of(wlm_resident_plan *p, const void *host, int64_t bytes)
{
    for (int32_t i = 0; i < p->items; i++)
        if (p->item[i].host == host && p->item[i].bytes == bytes) return p->item[i].at;
    if (p->items == p->room) {
        int32_t room = 2 * p->room + 64;
        wlm_resident_item *more = wlu_resize(p->ctx, p->item, p->items, room, sizeof *more);
        if (more == NULL) return -1;
        p->item = more;
        p->room = room;
    }
    int64_t at = take(p, bytes);
    p->item[p->items++] = (wlm_resident_item){host, bytes, at};
    return at;
}

static int64_t copy_words(wlm_resident_plan *p, const wlm_words *words)
{
    return words->count > 0 ? copy_of(p, words->word, words->count * WORD) : 0;
}

static int place_sums(wlm_resident_plan *p, const wlm_tile_sums *sums, wlm_resident_sums *at)
{
    at->word = copy_words(p, &sums->word);
    at->part = copy_words(p, &sums->part);
    at->begin = copy_words(p, &sums->begin);
    return at->word >= 0 && at->part >= 0 && at->begin >= 0;
}

static int place_parameters(wlm_resident_plan *p, const wlm_bank *bank, int64_t *parameter)
{
    for (int32_t i = 0; i < bank->inputs; i++) {
        const wlm_bank_input *in = &bank->input[i];
        int is = in->source == WLM_SOURCE_PARAMETER;
        parameter[i] = is ? copy_of(p, in->parameter, (int64_t)bank->count * REAL) : -1;
        if (is && parameter[i] < 0) return 0;
    }
    return 1;
}

static int place_pass(wlm_resident_plan *p, const wlm_tile_pass *from, wlm_resident_pass *to)
{
    to->parameter = WLU_CALLOC(p->ctx, from->pass->uses, int64_t *);
    if (to->parameter == NULL) return 0;
    for (int32_t u = 0; u < from->pass->uses; u++) {
        to->parameter[u] = WLU_ALLOC(p->ctx, from->pass->bank[u].inputs, int64_t);
        if (to->parameter[u] == NULL || !place_parameters(p, &from->pass->bank[u], to->parameter[u])) return 0;
    }
    to->use = copy_words(p, &from->use);
    to->local = copy_words(p, &from->local);
    to->row = copy_words(p, &from->row);
    return to->use >= 0 && to->local >= 0 && to->row >= 0 && place_sums(p, &from->sum, &to->sum);
}

/* ---------------------------------------------------------------- descriptions */

int32_t wlm_resident_described(const wlm_resident_plan *plan)
{
    return plan->tiles.passes * WLM_TILE_OF_PASS + WLM_TILE_OF_ALL;
}

static void describe(const wlm_resident_plan *p, int32_t tile, int32_t *to)
{
    const wlm_tiles *t = &p->tiles;
    for (int32_t k = 0; k < t->passes; k++) {
        const wlm_tile_pass *pass = &t->pass[k];
        *to++ = pass->first.word[tile];
        *to++ = pass->first.word[tile + 1];
        *to++ = pass->sum.first.word[tile];
        *to++ = pass->sum.first.word[tile + 1];
        *to++ = pass->sum_local.word[tile];
        const wlm_tile_sums *sums = k + 1 < t->passes ? &pass->sum : &t->rate;
        *to++ = sums->first_part.word[tile];
        *to++ = sums->first_part.word[tile + 1];
        *to++ = sums->part_local.word[tile];
    }
    *to++ = t->rate.first.word[tile];
    *to++ = t->rate.first.word[tile + 1];
    *to++ = t->state_first.word[tile];
    *to++ = t->state_first.word[tile + 1];
}

static int place_descriptions(wlm_resident_plan *p)
{
    int64_t words = wlm_resident_described(p), all = words * p->tiles.tiles;
    p->descriptions = WLU_ALLOC(p->ctx, all, int32_t);
    for (int32_t k = 0; p->descriptions != NULL && k < p->tiles.tiles; k++) describe(p, k, p->descriptions + k * words);
    p->description = p->descriptions != NULL ? copy_of(p, p->descriptions, all * WORD) : -1;
    return p->description >= 0;
}

/* --------------------------------------------------------------------- tiles */

static int64_t instances_of(const wlm_transient *s)
{
    const wlm_model *m = s->model;
    int64_t count = 0;
    for (int32_t u = 0; u < m->uses; u++) count += m->use[u].count;
    return count;
}

/* Returns about how many local numbers all tiles have: contributions, and a tenth for rims. */
static int64_t numbers_of(const wlm_transient *s)
{
    const wlm_system *system = s->system;
    int64_t numbers =
        s->facts->family == WLM_FAMILY_GATES ? system->update.contributions : system->values.contributions;
    for (int32_t k = 0; k < system->layout->levels; k++) numbers += system->level[k].contributions;
    return numbers + numbers / 10;
}

/* Returns how many tiles a system of so many instances is to have. room: bytes of local numbers. */
static int64_t tiles_for(const wlm_transient *s, int64_t instances, int64_t processors, int64_t room)
{
    int64_t tiles = instances <= ALONE ? 1 : instances / TILE_LEAST + 1, least = numbers_of(s) * REAL / room + 1;
    int64_t most = instances > HELD_MOST * processors ? SHARING * processors : processors;
    tiles = tiles < most ? tiles : most;
    return tiles >= least ? tiles : (least + most - 1) / most * most; /* so that all blocks have as many */
}

/* Makes tiles, and anew where their numbers do not fit shared memory or too much would be computed. */
static warplu_status make_tiles(wlm_resident_plan *p, wlm_device_size device)
{
    int64_t instances = instances_of(p->transient), room = device.shared_bytes / SHARING - SHARED_OWN;
    int64_t tiles = tiles_for(p->transient, instances, device.processors, room);
    for (;;) {
        warplu_status status = wlm_tiles_make(p->transient, (int32_t)tiles, &p->tiles);
        if (status != WARPLU_SUCCESS) return status;
        int64_t share = (p->tiles.numbers * (int64_t)REAL + room - 1) / room;
        int few = tiles * share > instances || p->tiles.computed > 2 * p->tiles.instances;
        p->shared = !few && share <= 1;
        if (p->shared || (few && tiles == 1)) return WARPLU_SUCCESS;
        tiles = few ? 1 : tiles * share;
        wlm_tiles_free(&p->tiles);
        if (few) return wlm_tiles_make(p->transient, 1, &p->tiles);
    }
}

/* Chooses threads so that what they read by can stay in registers; else as many as share a multiprocessor. */
static void choose_threads(wlm_resident_plan *p, wlm_device_size device)
{
    const wlm_tiles *t = &p->tiles;
    const int64_t most = wlm_tiles_items(t);
    p->threads = THREADS_LEAST;
    while (p->threads < most && p->threads < THREADS_MOST) p->threads *= 2;
    p->held = p->shared && t->tiles <= device.processors && most <= p->threads && t->rate.width > 0;
    p->sharing = p->held ? 1 : SHARING;
    if (!p->held) p->threads = SHARING_THREADS;
}

/* --------------------------------------------------------------------- whole */

/* Lists the tables that programs look up. */
static warplu_status list_tables(wlm_resident_plan *p)
{
    int32_t programs = 0, at = 0;
    const wlm_tiles *t = &p->tiles;
    for (int32_t k = 0; k < t->passes; k++) programs += t->pass[k].pass->uses;
    const wlm_program **program = WLU_ALLOC(p->ctx, programs, const wlm_program *);
    if (program == NULL) return wlu_fail_memory(p->ctx, "a network on a device");
    for (int32_t k = 0; k < t->passes; k++)
        for (int32_t u = 0; u < t->pass[k].pass->uses; u++) program[at++] = t->pass[k].pass->bank[u].program;
    warplu_status status = wlm_device_tables_create(p->ctx, program, programs, &p->tables);
    wlu_free(p->ctx, program);
    p->tables.word = WLM_RA_TABLES;
    p->lookup = take(p, p->tables.numbers * REAL);
    return status;
}

static int place_all(wlm_resident_plan *p)
{
    const wlm_transient *s = p->transient;
    const wlm_layout *l = s->system->layout;
    wlm_tiles *t = &p->tiles;
    p->record = take(p, WLM_RESIDENT_WORDS * REAL);
    for (int k = 0; k < 2; k++) p->y[k] = take(p, (int64_t)s->n * REAL);
    p->at = take(p, (int64_t)s->n * REAL);
    p->rates = take(p, p->stages * (int64_t)s->n * REAL);
    p->locals = take(p, (p->shared ? 0 : t->numbers) * (int64_t)REAL);
    p->mass = s->mass_is_1 ? 0 : copy_of(p, s->mass, (int64_t)l->node_n * REAL);
    p->fixed = copy_of(p, l->fixed_value, (int64_t)l->fixed * REAL);
    p->pass = WLU_CALLOC(p->ctx, t->passes, wlm_resident_pass);
    int fine = p->mass >= 0 && p->fixed >= 0 && p->pass != NULL;
    for (int32_t k = 0; fine && k < t->passes; k++) fine = place_pass(p, &t->pass[k], &p->pass[k]);
    p->node = copy_words(p, &t->node);
    p->state = copy_words(p, &t->state);
    p->state_local = copy_words(p, &t->state_local);
    return fine && p->node >= 0 && p->state >= 0 && p->state_local >= 0 && place_sums(p, &t->rate, &p->rate) &&
           place_descriptions(p);
}

warplu_status wlm_resident_plan_make(const wlm_transient *s, wlm_device_size device, wlm_resident_plan *out)
{
    const wlm_explicit *e = s->facts->explicit;
    *out = (wlm_resident_plan){.ctx = s->ctx, .transient = s, .stages = e != NULL ? e->stages : 1};
    out->loops = s->options.step > 0.0 && s->options.cfl == 0.0 && !s->events.has_sign;
    warplu_status status = make_tiles(out, device);
    if (status == WARPLU_SUCCESS) choose_threads(out, device);
    if (status == WARPLU_SUCCESS)
        status = place_all(out) ? list_tables(out) : wlu_fail_memory(s->ctx, "a network on a device");
    if (status != WARPLU_SUCCESS) wlm_resident_plan_free(out);
    return status;
}

void wlm_resident_plan_free(wlm_resident_plan *plan)
{
    wlm_tiles *t = &plan->tiles;
    for (int32_t k = 0; plan->pass != NULL && k < t->passes; k++) {
        int64_t **parameter = plan->pass[k].parameter;
        for (int32_t u = 0; parameter != NULL && u < t->pass[k].pass->uses; u++) wlu_free(plan->ctx, parameter[u]);
        wlu_free(plan->ctx, parameter);
    }
    wlu_free(plan->ctx, plan->pass);
    wlu_free(plan->ctx, plan->item);
    wlu_free(plan->ctx, plan->descriptions);
    wlm_tiles_free(t);
    wlm_device_tables_free(plan->ctx, &plan->tables);
}
