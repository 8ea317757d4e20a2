/* A solver's memory: blocks of a pool keep what is written to them, are zero where they are to be, are used again, go
 * back to the system when a stage is over, and outlive their owner. In builds without pools these are cases of malloc.
 */
#define _DEFAULT_SOURCE /* mincore */
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/huge_pages.h"
#include "base/pool.h"
#include "check.h"

enum { BLOCKS = 96, STEPS = 6000, PART = WLU_POOL_BEGIN / 3 };

typedef struct block {
    uint8_t *at;
    int64_t bytes;
    uint8_t mark;
} block;

static void open_context(wlu_context *ctx)
{
    wlu_context_init(ctx, NULL);
    wlu_pool_open(ctx);
}

/* All of its bytes are as expected. */
static int has_bytes(const block *b, uint8_t expected)
{
    return b->at[0] == expected && memcmp(b->at, b->at + 1, (size_t)b->bytes - 1) == 0;
}

/* Sizes from a byte to regions of several huge pages, most of them small. */
static int64_t any_size(uint64_t *state)
{
    int shift = (int)(check_random(state) % 23);
    return 1 + (int64_t)(check_random(state) % (UINT64_C(1) << shift));
}

static void take(wlu_context *ctx, block *b, uint64_t *state)
{
    int zeros = (int)(check_random(state) % 2);
    b->bytes = any_size(state);
    b->mark = (uint8_t)check_random(state);
    b->at = zeros ? WLU_CALLOC(ctx, b->bytes, uint8_t) : WLU_ALLOC(ctx, b->bytes, uint8_t);
    CHECK(b->at != NULL && (uintptr_t)b->at % _Alignof(max_align_t) == 0);
    if (zeros) CHECK_SAY(has_bytes(b, 0), "%lld bytes", (long long)b->bytes);
    memset(b->at, b->mark, (size_t)b->bytes);
}

static void give(wlu_context *ctx, block *b)
{
    CHECK_SAY(has_bytes(b, b->mark), "%lld bytes", (long long)b->bytes);
    wlu_free(ctx, b->at);
    b->at = NULL;
}

static void blocks_keep_what_they_hold(void)
{
    wlu_context ctx;
    block b[BLOCKS] = {{0}};
    uint64_t state = 1;
    open_context(&ctx);
    for (int step = 0; step < STEPS; step++) {
        block *any = &b[check_random(&state) % BLOCKS];
        if (any->at != NULL)
            give(&ctx, any);
        else
            take(&ctx, any, &state);
        if (step % 500 == 0) wlu_pool_trim(&ctx, step % 1000 == 0);
    }
    for (int k = 0; k < BLOCKS; k++)
        if (b[k].at != NULL) give(&ctx, &b[k]);
    wlu_pool_close(&ctx);
}

/* Whether the page that p is in is there; 0 too where nothing is mapped. */
static int is_resident(const void *p)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char there = 0;
    return mincore((void *)((uintptr_t)p / page * page), page, &there) == 0 && (there & 1);
}

static void room_is_used_again(void)
{
    wlu_context ctx;
    block b[4];
    open_context(&ctx);
    for (int k = 0; k < 4; k++) b[k].at = WLU_ALLOC(&ctx, PART, uint8_t);
    wlu_free(&ctx, b[2].at);
    uint8_t *again = WLU_ALLOC(&ctx, PART - 4096, uint8_t);
    if (wlu_has_huge_pages()) CHECK(again == b[2].at && b[3].at == b[2].at + PART + 64);
    wlu_free(&ctx, again);
    wlu_free(&ctx, b[3].at);
    again = WLU_ALLOC(&ctx, 2 * PART, uint8_t); /* both together */
    if (wlu_has_huge_pages()) CHECK(again == b[2].at);
    wlu_free(&ctx, again);
    for (int k = 0; k < 2; k++) wlu_free(&ctx, b[k].at);
    wlu_pool_close(&ctx);
}

static void room_goes_back(void)
{
    wlu_context ctx;
    block b[5];
    if (!wlu_has_huge_pages()) SKIP("no pools");
    open_context(&ctx);
    for (int k = 0; k < 5; k++) {
        b[k] = (block){.at = WLU_ALLOC(&ctx, PART, uint8_t), .bytes = PART, .mark = (uint8_t)(k + 1)};
        memset(b[k].at, b[k].mark, PART);
    }
    uint8_t *between = b[3].at + PART / 2, *last = b[4].at + PART / 2;
    wlu_free(&ctx, b[3].at);
    CHECK(is_resident(between));
    wlu_pool_trim(&ctx, 1); /* there is less room than blocks */
    CHECK(is_resident(between));
    wlu_pool_trim(&ctx, 0);
    CHECK(!is_resident(between));
    for (int k = 0; k < 5; k++)
        if (k != 3) give(&ctx, &b[k]);
    CHECK(is_resident(last)); /* a region is spared, */
    wlu_pool_trim(&ctx, 0);
    CHECK(!is_resident(last)); /* until then */
    wlu_pool_close(&ctx);
}

static void blocks_outlive_their_owner(void)
{
    wlu_context mine, other;
    block b[4];
    uint64_t state = 7;
    open_context(&mine);
    open_context(&other);
    for (int k = 0; k < 4; k++) {
        b[k] = (block){.at = WLU_ALLOC(&mine, PART, uint8_t), .bytes = PART, .mark = (uint8_t)check_random(&state)};
        memset(b[k].at, b[k].mark, PART);
    }
    const uint8_t *in_region = b[3].at;
    wlu_pool_close(&mine);
    for (int k = 0; k < 4; k++) give(&other, &b[k]);
    if (wlu_has_huge_pages()) CHECK(!is_resident(in_region));
    wlu_pool_close(&other);
}

enum { SHELF = 1024, ROUNDS = 20 };

typedef struct exchange {
    wlu_context *ctx;
    block (*shelf)[SHELF]; /* of each thread, which the other clears */
    pthread_barrier_t *turn;
    int me;
} exchange;

static void *exchange_blocks(void *argument)
{
    const exchange *e = argument;
    uint64_t state = (uint64_t)e->me + 3;
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < SHELF; k++) {
            block *b = &e->shelf[e->me][k];
            b->bytes = WLU_POOL_LARGE + (int64_t)(check_random(&state) % WLU_POOL_LARGE);
            b->at = WLU_ALLOC(e->ctx, b->bytes, uint8_t);
            b->mark = b->at[0] = b->at[b->bytes - 1] = (uint8_t)check_random(&state);
        }
        pthread_barrier_wait(e->turn);
        for (int k = 0; k < SHELF; k++) {
            block *b = &e->shelf[1 - e->me][k];
            CHECK(b->at[0] == b->mark && b->at[b->bytes - 1] == b->mark);
            wlu_free(e->ctx, b->at);
        }
        pthread_barrier_wait(e->turn);
    }
    return NULL;
}

/* As those of plans that clones share; both allocate in one pool too, which is more than solvers do. */
static void threads_free_each_others_blocks(void)
{
    wlu_context ctx;
    static block shelf[2][SHELF];
    pthread_barrier_t turn;
    pthread_t thread;
    open_context(&ctx);
    uint8_t *floor = WLU_ALLOC(&ctx, WLU_POOL_BEGIN, uint8_t); /* so that all large ones are in regions */
    pthread_barrier_init(&turn, NULL, 2);
    exchange e[2] = {{&ctx, shelf, &turn, 0}, {&ctx, shelf, &turn, 1}};
    CHECK(pthread_create(&thread, NULL, exchange_blocks, &e[1]) == 0);
    exchange_blocks(&e[0]);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&turn);
    wlu_free(&ctx, floor);
    wlu_pool_close(&ctx);
}

static void too_much_is_refused(void)
{
    wlu_context ctx;
    open_context(&ctx);
    if (wlu_has_huge_pages()) /* sanitizers end there */
        CHECK(wlu_alloc(&ctx, PTRDIFF_MAX, 1) == NULL && wlu_calloc(&ctx, PTRDIFF_MAX / 8, 8) == NULL);
    CHECK(wlu_alloc(&ctx, PTRDIFF_MAX, 2) == NULL && wlu_calloc(&ctx, -1, 8) == NULL);
    void *none = wlu_calloc(&ctx, 0, 8);
    CHECK(none != NULL);
    wlu_free(&ctx, none);
    wlu_free(&ctx, NULL);
    wlu_pool_close(&ctx);
}

int main(void)
{
    RUN(blocks_keep_what_they_hold);
    RUN(room_is_used_again);
    RUN(room_goes_back);
    RUN(blocks_outlive_their_owner);
    RUN(threads_free_each_others_blocks);
    RUN(too_much_is_refused);
    return check_done();
}
