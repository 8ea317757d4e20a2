/* Solves that are refined by residuals in FP64, in one launch: a solve, the residual of what it has found, and, as long
 * as that asks for it, a correction, which is a solve for the residual, and the residual again; then the best x to the
 * caller. exec/residual/refine.c does the same on the host, by the functions of numerics/refine.h.
 *
 * All that is one queue, round by round: the solve's tasks; poison for the buffer of the next round, and a copy of the
 * values where they are the caller's; the rows, in as many shares as there are blocks; the numbers of x, which are
 * delivered where the rows have shown that no correction is wanted. Blocks take all of it by tickets. Before its share
 * of rows a block waits until all before it is finished, before its share of x, or the next round, until all rows are
 * judged. Who waits waits for tickets before its own, so that any grid makes progress.
 *
 * What goes into FP32 is scaled by its largest number, so that a launch before sets r = b; solves in FP64 take b. */
#include "residual.cuh"
#include "solve.cuh"

enum { KEPT_A_TICKET = POISON_A_TICKET, PAUSE_NS = 40 };
static_assert((int)THREADS == (int)WLU_TILE_THREADS, "a block of solves looks at rows");
static_assert(sizeof(wlu_row_sums) * WLU_REFINE_LONG_SUMS <= WLU_SOLVE_ROOM(sizeof(wlu_number)), "sums of a hub");

/* Bit of `judged`: this round is the last. */
static const uint32_t LAST = 1u << 31;

/* Where each kind of ticket of a round ends: tasks; poison; all of the work; rows; numbers of x. */
typedef struct refine_queue {
    uint32_t tasks, poisoned, work, rows, all;
} refine_queue;

static __device__ __forceinline__ uint32_t shares_of(int64_t all, int each)
{
    return (uint32_t)((all + each - 1) / each);
}

static __device__ __forceinline__ refine_queue queue_of(const wlu_device_solve &d, const wlu_device_state &s,
                                                        const wlu_device_refine &f)
{
    refine_queue q;
    q.tasks = (uint32_t)d.tasks;
    q.poisoned = q.tasks + shares_of(s.slots, POISON_A_TICKET);
    q.work = q.poisoned + (f.kept != NULL ? shares_of(f.keeps, KEPT_A_TICKET) : 0);
    q.rows = q.work + min(shares_of(d.n, ROWS_A_BLOCK), gridDim.x);
    q.all = q.rows + min(shares_of(d.n, THREADS), gridDim.x);
    return q;
}

/* A block's: of rows; the control of the round at hand; what has been counted where it waits. */
typedef struct refine_shared {
    residual_shared rows;
    wlu_refine_control control;
    uint32_t counted;
} refine_shared;

/* What a block has at hand of a round. */
typedef struct refine_round {
    uint32_t number;
    wlu_number *other;
    two_buffers slots;
    solve_target to;
} refine_round;

/* What blocks and earlier launches have left behind. */
static __device__ __forceinline__ wlu_refine_control read_refinement(const wlu_refine_control *c)
{
    wlu_refine_control now = *c;
    now.error = *(volatile const uint64_t *)&c->error;
    now.largest = *(volatile const uint64_t *)&c->largest;
    return now;
}

static __device__ __forceinline__ void begin_round(const wlu_device_solve &d, const wlu_solve_of &of, uint32_t number,
                                                   uint32_t generation, wlu_number *factors, wlu_device_state &s,
                                                   wlu_refine_control &control, refine_round &r)
{
    int64_t own = WLU_NUMBER_REALS * (int64_t)d.n * blockIdx.y;
    uint32_t turn = generation + number & 1;
    if (threadIdx.x == 0) control = read_refinement(of.refine + blockIdx.y);
    __syncthreads();
    r.number = number;
    r.other = turn ? s.v[0] : s.v[1];
    r.slots = buffers_of(d, factors, turn ? s.v[1] : s.v[0]);
    r.to.control = &control;
    r.to.before = (control.at ? of.trial[1] : of.trial[0]) + own;
    r.to.x = (control.at ? of.trial[0] : of.trial[1]) + own;
    s.scale = control.down;
}

/* By one thread, for its block and the barriers around this: what others have written before they counted is there;
 * what the block has written is there for who sees its count. */
static __device__ __forceinline__ uint32_t read_count(const uint32_t *count)
{
    uint32_t x;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(count) : "memory");
    return x;
}

static __device__ __forceinline__ uint32_t add_count(uint32_t *count, uint32_t more)
{
    uint32_t before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(count), "r"(more) : "memory");
    return before;
}

static __device__ __forceinline__ void write_count(uint32_t *count, uint32_t x)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(count), "r"(x) : "memory");
}

/* Waits until so much has been counted: all threads get the count. */
static __device__ __forceinline__ uint32_t wait_for_count(const uint32_t *count, uint32_t least, refine_shared &sh)
{
    if (threadIdx.x == 0)
        while ((sh.counted = read_count(count)) < least) __nanosleep(PAUSE_NS);
    __syncthreads();
    return sh.counted;
}

/* What the block has finished, and the largest numbers that it has seen, before it waits for others. */
static __device__ __forceinline__ void tell_finished(const wlu_device_state &s, tile_shared &sh, wlu_maxima &m,
                                                     uint32_t &finished)
{
    if (finished == 0) return;
    collect(s, sh, (int)threadIdx.x, m);
    maxima_clear(m);
    __syncthreads();
    if (threadIdx.x < WLU_AREAS) sh.largest.of[threadIdx.x] = 0;
    if (threadIdx.x == 0) add_count(&s.control->finished, finished);
    finished = 0;
}

/* A share of what has nothing to do with the solution. */
static __device__ __forceinline__ void run_chore(const wlu_device_solve &d, const wlu_device_state &s,
                                                 const wlu_device_refine &f, const refine_queue &q,
                                                 const refine_round &r, uint32_t k)
{
    int tid = (int)threadIdx.x;
    if (k < q.poisoned) {
        poison_share(s, r.other, d.zero, d.minus_one, (int64_t)(k - q.tasks) * POISON_A_TICKET, tid);
        return;
    }
    int64_t first = (int64_t)(k - q.poisoned) * KEPT_A_TICKET, end = min(first + KEPT_A_TICKET, f.keeps);
    if (r.number > 0 || blockIdx.y > 0) return;
    for (int64_t i = first + tid; i < end; i += THREADS) f.kept[i] = f.entries[i];
}

/* By the first thread of the block that has looked last: what comes next. */
static __device__ __forceinline__ void judge_round(const wlu_device_state &s, const wlu_device_refine &f,
                                                   wlu_refine_control *c, uint32_t number)
{
    wlu_refine_control now = read_refinement(c);
    wlu_refine_judge(&now, f.single, f.enough);
    if (number + 1 == (uint32_t)f.rounds) now.ended = 1;
    *c = now;
    s.control->largest.of[WLU_AREA_U] = 0;
    write_count(&s.control->judged, number + 1 | (now.ended ? LAST : 0));
}

/* Share j of so many of the rows, when all work of the launch until then is done: residuals, the largest error. */
static __device__ __forceinline__ void look_at_rows(const wlu_device_state &s, const wlu_refine_rows &rows,
                                                    const wlu_device_refine &f, const refine_round &r, uint32_t work,
                                                    uint32_t j, uint32_t shares, refine_shared &shared)
{
    int side = (int)blockIdx.y, lane = (int)threadIdx.x % WLU_WARP, n = rows.n;
    int64_t first = (int64_t)j * ROWS_A_BLOCK, apart = (int64_t)shares * ROWS_A_BLOCK, own = threadIdx.x / SUMS;
    wlu_refine_control *c = f.control + side;
    const double *b = f.b + f.ldb * side, *x = r.to.x;
    double *rest = f.r + WLU_NUMBER_REALS * (int64_t)n * side;
    residual_shared &sh = shared.rows;
    u64 error = 0, largest = 0;
    row_start next = fetch_row(rows, f.entries, b, first + own, lane);
    if (threadIdx.x == 0) sh.error = sh.largest = 0;
    wait_for_count(&s.control->finished, work, shared);
    double unknown = number(*(volatile u64 *)&s.control->largest.of[WLU_AREA_U]);
    for (; first < n; first += apart) {
        const row_start at = next;
        int64_t i = first + own;
        next = fetch_row(rows, f.entries, b, i + apart, lane);
        wlu_row_sums sums = sum_rows(rows, f.entries, x, at, lane);
        if (__syncthreads_or(at.end - at.begin > HUB)) sum_hubs(rows, f.entries, x, first, i, sh, &sums);
        if (i >= n || lane % SUMS != 0) continue;
        wlu_wide left = WLU_WIDE_SUB(at.b, sums.product);
        wlu_wide_put(rest, i, left);
        largest = max(largest, (u64)wlu_refine_size(left, __ldg(rows.power + i)));
        error = max(error, (u64)wlu_magnitude_bits(wlu_row_error(&sums, left, at.b, unknown, n, at.end - at.begin)));
    }
    __syncwarp();
    raise(&sh.error, error);
    raise(&sh.largest, largest);
    __syncthreads();
    if (threadIdx.x > 0) return;
    atomicMax((u64 *)&c->error, sh.error);
    atomicMax((u64 *)&c->largest, sh.largest);
    if (add_count(&s.control->looked, 1) + 1 == shares * (r.number + 1)) judge_round(s, f, c, r.number);
}

/* Share j of so many of the solution. */
static __device__ __forceinline__ void deliver(const wlu_device_refine &f, int n, uint32_t j, uint32_t shares)
{
    int side = (int)blockIdx.y;
    const wlu_refine_control c = read_refinement(f.control + side);
    const double *x = (c.at ? f.x[1] : f.x[0]) + WLU_NUMBER_REALS * (int64_t)n * side;
    double *out = f.out + f.ldx * side;
    bool withheld = *(volatile const uint32_t *)&f.factors->verdict >= f.withheld || !(c.best <= f.worst);
    for (int64_t i = (int64_t)j * THREADS + threadIdx.x; i < n; i += (int64_t)shares * THREADS)
        wlu_wide_put(out, i, wlu_refine_number(&c, withheld, wlu_wide_at(x, i)));
}

/* By the first thread of the last block of all right-hand sides: what they have come to. */
static __device__ __forceinline__ void tell_all(const wlu_device_refine &f)
{
    wlu_refined total = *f.total;
    for (int k = 0; k < (int)gridDim.y; k++) {
        const wlu_refine_control c = read_refinement(f.control + k);
        wlu_refined one = wlu_refined_none();
        wlu_refine_tell(&c, &one);
        wlu_refine_tell(&c, &total);
        f.each[k] = one;
        f.control[k] = wlu_refine_fresh(); /* for the next solve's first trial */
    }
    *f.total = total;
    *f.told = total;
    *f.departures = 0;
}

/* The last block of a right-hand side gets it ready for the next solve. */
static __device__ __forceinline__ void depart(const wlu_device_state &s, const wlu_device_refine &f, tile_shared &sh)
{
    if (!is_last(s, sh, (int)threadIdx.x) || threadIdx.x > 0) return;
    wlu_device_control now = read_control(s.control);
    wlu_device_control next = wlu_control_next(&now);
    next.generation = now.generation + (now.judged & ~LAST);
    s.health->largest_u = wlu_maximum(&now.largest, WLU_AREA_U);
    s.health->failed = now.failed;
    *s.control = next;
    s.health->generation = next.generation;
    if (gridDim.y == 1 || add_count(f.departures, 1) == gridDim.y - 1) tell_all(f);
}

template <bool EARLY>
static __device__ __forceinline__ void refine(const wlu_device_solve &d, const wlu_device_state &all,
                                              const wlu_solve_of &of, const wlu_refine_rows &rows,
                                              const wlu_device_refine &f)
{
    extern __shared__ __align__(16) char room[];
    __shared__ tile_shared sh;
    __shared__ refine_shared shared;
    __shared__ uint32_t ticket;
    wlu_device_state s = slice_of(all, of, (int)blockIdx.y);
    const refine_queue q = queue_of(d, s, f);
    uint32_t generation = *(volatile uint32_t *)&s.control->generation, finished = 0;
    uint32_t begun = *(volatile const uint32_t *)&of.control->begun;
    wlu_number *factors = begun & 1 ? of.v[0] : of.v[1];
    refine_round r;
    wlu_maxima m;
    shared.rows.sums = (wlu_row_sums *)room;
    begin_maxima(sh, m);
    begin_round(d, of, 0, generation, factors, s, shared.control, r);
    const bool idle = shared.control.idle;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) sh.ticket = atomicAdd(&s.control->tiles, 1u);
        __syncthreads();
        uint32_t number = sh.ticket / q.all, k = sh.ticket % q.all;
        if (number != r.number || k >= q.work) tell_finished(s, sh, m, finished);
        if (number != r.number) {
            if (idle) break;
            uint32_t judged = wait_for_count(&s.control->judged, number, shared);
            if ((judged & LAST) && (judged & ~LAST) <= number) break;
            s.source = f.r + WLU_NUMBER_REALS * (int64_t)d.n * blockIdx.y;
            begin_round(d, of, number, generation, factors, s, shared.control, r);
        }
        if (k < q.rows && idle) continue;
        if (k < q.tasks) {
            run_solve_task<EARLY>(d, s, of, r.slots, begun, k, r.to, room, &ticket, m);
            finished++;
            if (k + gridDim.x >= q.tasks) tell_finished(s, sh, m, finished); /* it may be what others wait for */
        } else if (k < q.work) {
            run_chore(d, s, f, q, r, k);
            finished++;
        } else if (k < q.rows) {
            look_at_rows(s, rows, f, r, q.work * (number + 1), k - q.work, q.rows - q.work, shared);
        } else {
            if (EARLY) wait_for_kernel_before();
            if (!idle && wait_for_count(&s.control->judged, number + 1, shared) != (number + 1 | LAST)) continue;
            deliver(f, d.n, k - q.rows, q.all - q.rows);
            break; /* there are no more shares than blocks */
        }
    }
    if (EARLY) wait_for_kernel_before(); /* or what comes behind this one would not */
    depart(s, f, sh);
}

extern "C" __global__ void __launch_bounds__(WLU_TILE_THREADS)
    WLU_NUMBER_NAME(wlu_refine)(const __grid_constant__ wlu_device_solve d,
                                const __grid_constant__ wlu_device_state all, const __grid_constant__ wlu_solve_of of,
                                const __grid_constant__ wlu_refine_rows rows,
                                const __grid_constant__ wlu_device_refine f)
{
    refine<false>(d, all, of, rows, f);
}

/* As a dependent launch behind the factorization: see wlu_solve_early. */
extern "C" __global__ void __launch_bounds__(WLU_TILE_THREADS)
    WLU_NUMBER_NAME(wlu_refine_early)(const __grid_constant__ wlu_device_solve d,
                                      const __grid_constant__ wlu_device_state all,
                                      const __grid_constant__ wlu_solve_of of,
                                      const __grid_constant__ wlu_refine_rows rows,
                                      const __grid_constant__ wlu_device_refine f)
{
    refine<true>(d, all, of, rows, f);
}

/* Before the first solution: r = b. */
extern "C" __global__ void __launch_bounds__(WLU_REFINE_THREADS)
    WLU_NUMBER_NAME(wlu_refine_begin)(const __grid_constant__ wlu_refine_rows rows,
                                      const __grid_constant__ wlu_device_refine f)
{
    __shared__ u64 largest;
    int side = (int)blockIdx.y;
    wlu_refine_control *c = f.control + side;
    const double *b = f.b + f.ldb * side;
    double *r = f.r + WLU_NUMBER_REALS * (int64_t)rows.n * side;
    u64 mine = 0;
    if (threadIdx.x == 0) largest = 0;
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < rows.n; i += (int64_t)gridDim.x * THREADS) {
        wlu_wide bi = wlu_wide_at(b, i);
        wlu_wide_put(r, i, bi);
        mine = max(mine, (u64)wlu_refine_size(bi, __ldg(rows.power + i)));
    }
    __syncwarp();
    raise(&largest, mine);
    __syncthreads();
    if (threadIdx.x > 0) return;
    atomicMax((u64 *)&c->largest, largest);
    __threadfence();
    if (atomicAdd(&c->departures, 1u) != gridDim.x - 1) return;
    __threadfence();
    wlu_refine_control now = read_refinement(c);
    wlu_refine_begin(&now, f.single);
    now.departures = 0;
    *c = now;
}
