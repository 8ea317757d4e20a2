/* Regions, and the pieces they are cut into. See pool.h. */
#include "base/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"

/* Before every block: whose it is, and its bytes; small ones are nobody's. */
typedef struct tag {
    wlu_pool *pool;
    size_t bytes;
} tag;

typedef struct region region;
typedef struct piece piece;

/* A block's or a hole's head; its bytes follow. */
struct piece {
    region *in;
    size_t bytes, before; /* of this piece, and of the one before it in its region, heads included */
    piece *next;          /* of the free ones; */
    piece *previous;      /* one that is in use is its own previous */
    size_t apart;
    tag tag;
};

/* At the front of its memory. */
struct region {
    region *next, *previous;
    size_t bytes, fresh; /* behind the first `fresh` bytes all is zero */
    char apart[32];
};

/* Smaller holes keep their pages. */
enum { HEAD = 64, HOLE_MIN = 1 << 16 };

_Static_assert(sizeof(piece) == HEAD && sizeof(region) == HEAD, "blocks begin at multiples of 64");

struct wlu_pool {
    pthread_mutex_t lock;
    int open;        /* it has its owner */
    int64_t blocks;  /* large ones */
    size_t held;     /* bytes of these, */
    size_t free;     /* and of holes */
    region *regions; /* a list */
    region *spare;   /* has no block; NULL: there is none */
    piece *holes;    /* a list */
};

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* ----------------------------------------------------------------- pieces */

static int is_used(const piece *p)
{
    return p->previous == p;
}

static void add_hole(wlu_pool *pool, piece *p)
{
    p->previous = NULL;
    p->next = pool->holes;
    pool->free += p->bytes;
    if (p->next != NULL) p->next->previous = p;
    pool->holes = p;
}

static void take_hole(wlu_pool *pool, piece *p)
{
    if (p->previous != NULL)
        p->previous->next = p->next;
    else
        pool->holes = p->next;
    if (p->next != NULL) p->next->previous = p->previous;
    pool->free -= p->bytes;
    p->previous = p;
}

static piece *first_of(region *r)
{
    return (piece *)((char *)r + HEAD);
}

/* NULL behind the last. */
static piece *behind(const piece *p)
{
    char *at = (char *)p + p->bytes, *end = (char *)p->in + p->in->bytes;
    return at < end ? (piece *)at : NULL;
}

/* The piece has so many bytes from now on; the one behind it is told. */
static void set_bytes(piece *p, size_t bytes)
{
    p->bytes = bytes;
    if (behind(p) != NULL) behind(p)->before = bytes;
}

/* What is left of it becomes a hole, where it is a large block at least. */
static void cut(wlu_pool *pool, piece *p, size_t bytes)
{
    size_t left = p->bytes - bytes;
    if (left < HEAD + WLU_POOL_LARGE) return;
    piece *hole = (piece *)((char *)p + bytes);
    *hole = (piece){.in = p->in};
    p->bytes = bytes;
    set_bytes(hole, left);
    hole->before = bytes;
    add_hole(pool, hole);
}

/* ---------------------------------------------------------------- regions */

static region *map_region(wlu_pool *pool, size_t bytes)
{
    region *r = wlu_map_huge_pages(bytes);
    if (r == NULL) return NULL;
    *r = (region){.next = pool->regions, .bytes = bytes, .fresh = 2 * HEAD};
    if (r->next != NULL) r->next->previous = r;
    pool->regions = r;
    piece *all = first_of(r);
    *all = (piece){.in = r, .bytes = bytes - HEAD};
    add_hole(pool, all);
    return r;
}

static void unmap_region(wlu_pool *pool, region *r)
{
    take_hole(pool, first_of(r));
    if (r->previous != NULL)
        r->previous->next = r->next;
    else
        pool->regions = r->next;
    if (r->next != NULL) r->next->previous = r->previous;
    wlu_unmap(r, r->bytes);
}

static void drop_spare(wlu_pool *pool)
{
    if (pool->spare != NULL) unmap_region(pool, pool->spare);
    pool->spare = NULL;
}

/* A region has lost its last block. */
static void leave_region(wlu_pool *pool, region *r)
{
    if (pool->spare == NULL && pool->open && r->bytes == WLU_HUGE_PAGE)
        pool->spare = r;
    else
        unmap_region(pool, r);
}

static piece *best_hole(const wlu_pool *pool, size_t bytes)
{
    piece *best = NULL;
    for (piece *p = pool->holes; p != NULL; p = p->next)
        if (p->bytes >= bytes && (best == NULL || p->bytes < best->bytes)) best = p;
    return best;
}

/* NULL where the system has no more. dirty: so many bytes at its front may not be zero. */
static piece *take_piece(wlu_pool *pool, size_t block, size_t *dirty)
{
    size_t bytes = HEAD + round_up(block, HEAD);
    piece *p = best_hole(pool, bytes);
    if (p == NULL) {
        region *r = map_region(pool, round_up(HEAD + bytes, WLU_HUGE_PAGE));
        if (r == NULL) return NULL;
        p = first_of(r);
    }
    region *r = p->in;
    if (r == pool->spare) pool->spare = NULL;
    take_hole(pool, p);
    cut(pool, p, bytes);
    size_t begin = (size_t)((char *)p - (char *)r) + HEAD, end = begin - HEAD + p->bytes + HEAD;
    *dirty = r->fresh > begin ? r->fresh - begin : 0;
    if (r->fresh < end) r->fresh = end; /* with the head of what follows */
    return p;
}

static void free_piece(wlu_pool *pool, piece *p)
{
    piece *next = behind(p), *before = p->before > 0 ? (piece *)((char *)p - p->before) : NULL;
    size_t bytes = p->bytes;
    if (next != NULL && !is_used(next)) {
        take_hole(pool, next);
        bytes += next->bytes;
    }
    if (before != NULL && !is_used(before)) {
        take_hole(pool, before);
        bytes += before->bytes;
        p = before;
    }
    set_bytes(p, bytes);
    add_hole(pool, p);
    if (bytes == p->in->bytes - HEAD) leave_region(pool, p->in);
}

/* ----------------------------------------------------------------- blocks */

/* Tells blocks of a region from those of malloc: their bytes are even. */
enum { IN_REGION = 1 };

static void *put_tag(tag *t, wlu_pool *pool, size_t bytes)
{
    *t = (tag){pool, bytes};
    return t + 1;
}

/* Of malloc, or of its calloc. */
static void *take_small(wlu_pool *pool, size_t bytes, int zeros)
{
    tag *t = zeros ? calloc(1, sizeof *t + bytes) : malloc(sizeof *t + bytes);
    return t != NULL ? put_tag(t, pool, bytes) : NULL;
}

static void *take_large(wlu_pool *pool, size_t bytes, int zeros)
{
    void *block = NULL;
    size_t dirty = 0;
    pthread_mutex_lock(&pool->lock);
    piece *p = pool->held + bytes >= WLU_POOL_BEGIN ? take_piece(pool, bytes, &dirty) : NULL;
    block = p != NULL ? put_tag(&p->tag, pool, bytes | IN_REGION) : take_small(pool, bytes, zeros);
    pool->held += block != NULL ? bytes : 0;
    pool->blocks += block != NULL;
    pthread_mutex_unlock(&pool->lock);
    if (block != NULL && zeros && dirty > 0) memset(block, 0, dirty < bytes ? dirty : bytes);
    return block;
}

static void *take(size_t bytes, wlu_pool *pool, int zeros)
{
    bytes = round_up(bytes, sizeof(tag));
    return bytes < WLU_POOL_LARGE ? take_small(NULL, bytes, zeros) : take_large(pool, bytes, zeros);
}

static void *allocate(size_t bytes, void *user)
{
    return take(bytes, user, 0);
}

static void *allocate_zeros(size_t bytes, void *user)
{
    return take(bytes, user, 1);
}

static void destroy_if_done(wlu_pool *pool)
{
    int done = !pool->open && pool->blocks == 0;
    pthread_mutex_unlock(&pool->lock);
    if (!done) return;
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

static void release(void *block, void *user)
{
    tag *t = (tag *)block - 1;
    wlu_pool *pool = t->pool;
    int in_region = (int)(t->bytes & IN_REGION);
    (void)user; /* perhaps another's */
    if (pool == NULL) {
        free(t);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->held -= t->bytes - (size_t)in_region;
    pool->blocks--;
    if (in_region)
        free_piece(pool, (piece *)((char *)block - HEAD));
    else
        free(t);
    destroy_if_done(pool);
}

/* ------------------------------------------------------------------ calls */

void wlu_pool_open(wlu_context *ctx)
{
    wlu_pool *pool = wlu_has_huge_pages() ? calloc(1, sizeof *pool) : NULL;
    if (pool == NULL) return;
    if (pthread_mutex_init(&pool->lock, NULL) != 0) {
        free(pool);
        return;
    }
    pool->open = 1;
    ctx->allocate = allocate;
    ctx->allocate_zeros = allocate_zeros;
    ctx->release = release;
    ctx->allocator_user = pool;
}

void wlu_pool_trim(wlu_context *ctx, int64_t most)
{
    if (ctx->release != release) return;
    wlu_pool *pool = ctx->allocator_user;
    pthread_mutex_lock(&pool->lock);
    if (pool->free > (size_t)most * (pool->held + WLU_HUGE_PAGE)) {
        drop_spare(pool);
        for (piece *p = pool->holes; p != NULL; p = p->next)
            if (p->bytes >= HOLE_MIN) wlu_drop_pages(p + 1, p->bytes - HEAD);
    }
    pthread_mutex_unlock(&pool->lock);
}

void wlu_pool_close(wlu_context *ctx)
{
    if (ctx->release != release) return;
    wlu_pool *pool = ctx->allocator_user;
    pthread_mutex_lock(&pool->lock);
    pool->open = 0;
    drop_spare(pool);
    destroy_if_done(pool);
}
