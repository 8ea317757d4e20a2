/* Solvers by pattern. See pattern_cache.h. */
#include "solver/pattern_cache.h"

#include "base/sized.h"
#include "matrix/narrow.h"
#include "solver/options.h"
#include "solver/repeat.h"
#include "solver/replay.h"

warplu_status wlu_pattern_cache_create(warplu_cache **out, const warplu_cache_options *options)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    *out = NULL;
    if (options->max_bytes < 0) return WARPLU_INVALID_ARGUMENT;
    warplu_cache *c = WLU_CALLOC(&ctx, 1, warplu_cache);
    if (c == NULL) return WARPLU_OUT_OF_MEMORY;
    if (pthread_mutex_init(&c->lock, NULL) != 0) {
        wlu_free(&ctx, c);
        return WARPLU_OUT_OF_MEMORY;
    }
    c->ctx = ctx;
    c->max_bytes = options->max_bytes;
    *out = c;
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------- lists */

static void join_known(warplu_solver *s, wlu_known *k)
{
    s->cached.known = k;
    s->cached.before = NULL;
    s->cached.behind = k->solver;
    if (k->solver != NULL) k->solver->cached.before = s;
    k->solver = s;
}

static void leave_known(warplu_solver *s)
{
    wlu_membership *p = &s->cached;
    if (p->behind != NULL) p->behind->cached.before = p->before;
    if (p->before != NULL)
        p->before->cached.behind = p->behind;
    else
        p->known->solver = p->behind;
}

static void join_idle(warplu_cache *c, warplu_solver *s, int64_t bytes)
{
    wlu_membership *p = &s->cached;
    p->idle = 1;
    p->bytes = bytes;
    p->newer = NULL;
    p->older = c->newest;
    if (c->newest != NULL) c->newest->cached.newer = s;
    c->newest = s;
    if (c->oldest == NULL) c->oldest = s;
    c->told.idle++;
    c->told.bytes += bytes;
}

static void leave_idle(warplu_cache *c, warplu_solver *s)
{
    wlu_membership *p = &s->cached;
    if (p->newer != NULL)
        p->newer->cached.older = p->older;
    else
        c->newest = p->older;
    if (p->older != NULL)
        p->older->cached.newer = p->newer;
    else
        c->oldest = p->newer;
    p->idle = 0;
    c->told.idle--;
    c->told.bytes -= p->bytes;
}

static wlu_known **bucket_of(warplu_cache *c, uint64_t hash)
{
    return &c->bucket[hash % WLU_PATTERN_BUCKETS];
}

static wlu_known *find(warplu_cache *c, const wlu_sought *sought)
{
    wlu_known *k = *bucket_of(c, sought->hash);
    while (k != NULL && !wlu_pattern_key_fits(&k->key, sought)) k = k->next;
    return k;
}

/* A pattern that has neither solvers nor anybody who makes one is known no longer. */
static void drop_if_unused(warplu_cache *c, wlu_known *k)
{
    if (k->solver != NULL || k->pins > 0) return;
    wlu_known **at = bucket_of(c, k->key.hash);
    while (*at != k) at = &(*at)->next;
    *at = k->next;
    wlu_seed_release(&k->ctx, &k->seed);
    wlu_pattern_key_free(&c->ctx, &k->key);
    wlu_free(&c->ctx, k);
    c->told.patterns--;
}

/* ------------------------------------------------------------------ opening */

static int has_its_pattern(const warplu_solver *s)
{
    return s->counted.analyses == s->cached.analyses;
}

/* The solver closed last. */
static warplu_solver *take_idle(warplu_cache *c, wlu_known *k)
{
    warplu_solver *s = k->solver;
    while (s != NULL && !s->cached.idle) s = s->cached.behind;
    if (s == NULL) return NULL;
    leave_idle(c, s);
    c->told.in_use++;
    c->told.reused++;
    return s;
}

static void renew_seed(wlu_known *k, const warplu_solver *s)
{
    if (s->analysis == NULL || (s->current.plan == NULL && k->seed.plan != NULL)) return;
    wlu_seed_release(&k->ctx, &k->seed);
    k->seed = wlu_solver_seed(s);
}

/* From the first solver of the pattern whose turn is free and that has pivots. */
static void look_for_seed(wlu_known *k)
{
    for (warplu_solver *s = k->solver; s != NULL; s = s->cached.behind) {
        if (!wlu_turn_try(&s->turn)) continue;
        int serves = has_its_pattern(s) && s->current.plan != NULL;
        if (serves) renew_seed(k, s);
        wlu_turn_give(&s->turn);
        if (serves) return;
    }
}

static wlu_seed share_seed(const wlu_known *k)
{
    wlu_seed seed = k->seed;
    seed.analysis = wlu_analysis_share(seed.analysis);
    if (seed.plan != NULL) seed.plan = wlu_plan_share(seed.plan);
    return seed;
}

static void take_in(warplu_cache *c, wlu_known *k, warplu_solver *s)
{
    s->cached = (wlu_membership){.cache = c, .analyses = s->counted.analyses};
    join_known(s, k);
    c->told.in_use++;
}

/* A solver beside others of its pattern, whose seed the caller has shared and pinned. */
static warplu_status make_beside(warplu_solver **out, warplu_cache *c, wlu_known *k, wlu_seed *seed)
{
    wlu_context ctx = k->ctx;
    warplu_status status = wlu_solver_grow_from(out, &k->key.options, seed, NULL);
    wlu_seed_release(&ctx, seed);
    pthread_mutex_lock(&c->lock);
    k->pins--;
    if (status == WARPLU_SUCCESS) {
        take_in(c, k, *out);
        c->told.cloned++;
    }
    drop_if_unused(c, k);
    pthread_mutex_unlock(&c->lock);
    return status;
}

static warplu_status add_known(warplu_cache *c, const wlu_sought *sought, const warplu_solver *s, wlu_known **out)
{
    wlu_known *k = WLU_CALLOC(&c->ctx, 1, wlu_known), **bucket = bucket_of(c, sought->hash);
    if (k == NULL) return WARPLU_OUT_OF_MEMORY;
    if (wlu_pattern_key_create(&c->ctx, sought, &k->key) < 0) {
        wlu_free(&c->ctx, k);
        return WARPLU_OUT_OF_MEMORY;
    }
    k->ctx = s->ctx;
    k->seed = wlu_solver_seed(s);
    k->next = *bucket;
    *bucket = k;
    c->told.patterns++;
    *out = k;
    return WARPLU_SUCCESS;
}

/* Of a pattern that nobody knew when this began. */
static warplu_status analyze(warplu_solver *s, const wlu_sought *sought, const double *values)
{
    int32_t *ptr, *idx;
    if (!sought->wide) return wlu_solver_analyze(s, (int32_t)sought->n, sought->ptr, sought->idx, values);
    warplu_status status = wlu_narrow(&s->ctx, sought->n, sought->ptr64, sought->idx64, &ptr, &idx);
    if (status == WARPLU_SUCCESS) status = wlu_solver_analyze(s, (int32_t)sought->n, ptr, idx, values);
    wlu_free(&s->ctx, ptr);
    return status;
}

/* The device of a thread's current context is another for the next thread. */
static int may_be_kept(const warplu_solver *s)
{
    return s->options.device >= 0 || s->target.executor->device == NULL;
}

static warplu_status make_first(warplu_solver **out, warplu_cache *c, const wlu_sought *sought, const double *values)
{
    warplu_status status = wlu_solver_create(out, &sought->options);
    if (status < 0) return status;
    status = analyze(*out, sought, values);
    if (status == WARPLU_SUCCESS && may_be_kept(*out)) {
        pthread_mutex_lock(&c->lock);
        wlu_known *k = find(c, sought);
        if (k == NULL) status = add_known(c, sought, *out, &k);
        if (status == WARPLU_SUCCESS) take_in(c, k, *out);
        c->told.analyzed += status == WARPLU_SUCCESS;
        pthread_mutex_unlock(&c->lock);
        if (status < 0) wlu_fail_memory(&(*out)->ctx, "pattern in the cache");
    }
    if (status < 0) wlu_solver_destroy(out);
    return status;
}

warplu_status wlu_pattern_cache_open(warplu_solver **out, warplu_cache *c, wlu_sought *sought, const double *values)
{
    wlu_seed seed;
    wlu_wrong_option wrong;
    *out = NULL;
    if (wlu_options_check(&sought->options, &wrong) < 0 || !wlu_sought_is_readable(sought))
        return make_first(out, c, sought, values); /* says what is wrong */
    wlu_sought_hash(sought);
    pthread_mutex_lock(&c->lock);
    wlu_known *k = find(c, sought);
    if (k != NULL) *out = take_idle(c, k);
    int beside = k != NULL && *out == NULL;
    if (beside) {
        k->pins++;
        look_for_seed(k);
        seed = share_seed(k);
    }
    pthread_mutex_unlock(&c->lock);
    if (beside) return make_beside(out, c, k, &seed);
    if (*out == NULL) return make_first(out, c, sought, values);
    wlu_turn_take(&(*out)->turn); /* somebody may look for a seed */
    wlu_solver_begin_anew(*out);
    wlu_turn_give(&(*out)->turn);
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------ closing */

static int64_t bytes_of(const warplu_solver *s)
{
    const wlu_pattern *a = s->analysis->a;
    int64_t entries = (int64_t)a->doubles * 8 * a->nnz, bytes = (int64_t)sizeof *s + 24 * (int64_t)a->n + 8 * a->nnz;
    bytes += s->analysis->ncandidates * 8 * (int64_t)a->n + entries + 40 * wlu_vector_doubles(a);
    bytes += wlu_pattern_key_bytes(&s->cached.known->key) + wlu_cache_bytes(&s->cache);
    return bytes + (s->current.plan != NULL ? wlu_loaded_bytes(&s->current) : 0);
}

/* Ends a solver's time in the cache, under the lock. */
static void part(warplu_cache *c, warplu_solver *s)
{
    wlu_known *k = s->cached.known;
    leave_known(s);
    s->cached.cache = NULL;
    drop_if_unused(c, k);
}

/* Takes idle solvers out until the others fit; those taken out are linked by `older`. */
static warplu_solver *take_excess(warplu_cache *c)
{
    warplu_solver *excess = NULL;
    while (c->oldest != NULL && c->told.bytes > c->max_bytes) {
        warplu_solver *s = c->oldest;
        leave_idle(c, s);
        part(c, s);
        s->cached.older = excess;
        excess = s;
        c->told.evicted++;
    }
    return excess;
}

static void destroy_all(warplu_solver *list)
{
    while (list != NULL) {
        warplu_solver *s = list;
        list = s->cached.older;
        wlu_solver_destroy(&s);
    }
}

/* Unlocks, and frees a cache that its owner and its last solver are done with. */
static void unlock(warplu_cache *c)
{
    int done = c->destroyed && c->told.in_use == 0;
    pthread_mutex_unlock(&c->lock);
    if (!done) return;
    wlu_context ctx = c->ctx;
    pthread_mutex_destroy(&c->lock);
    wlu_free(&ctx, c);
}

void wlu_pattern_cache_forget(warplu_solver *s)
{
    warplu_cache *c = s->cached.cache;
    pthread_mutex_lock(&c->lock);
    c->told.in_use--;
    part(c, s);
    unlock(c);
}

void wlu_pattern_cache_close(warplu_solver **solver)
{
    warplu_solver *s = *solver, *excess;
    warplu_cache *c = s->cached.cache;
    *solver = NULL;
    wlu_turn_take(&s->turn); /* somebody may look for a seed */
    int unfinished = s->phase == WLU_ENQUEUED;
    wlu_solver_expect_factors(s);
    s->ctx.last_message[0] = '\0';
    wlu_turn_give(&s->turn);
    pthread_mutex_lock(&c->lock);
    c->told.in_use--;
    if (has_its_pattern(s) && !unfinished && !c->destroyed) {
        renew_seed(s->cached.known, s);
        leave_known(s);
        join_known(s, s->cached.known);
        join_idle(c, s, bytes_of(s));
        excess = take_excess(c);
    } else {
        part(c, s);
        s->cached.older = NULL;
        excess = s;
    }
    unlock(c);
    destroy_all(excess);
}

void wlu_pattern_cache_destroy(warplu_cache **cache)
{
    warplu_cache *c = *cache;
    *cache = NULL;
    pthread_mutex_lock(&c->lock);
    c->destroyed = 1;
    c->max_bytes = -1;
    warplu_solver *idle = take_excess(c);
    unlock(c);
    destroy_all(idle);
}

void wlu_pattern_cache_tell(warplu_cache *c, warplu_cache_statistics *t)
{
    pthread_mutex_lock(&c->lock);
    wlu_sized_give(t, &c->told, sizeof c->told);
    pthread_mutex_unlock(&c->lock);
}
