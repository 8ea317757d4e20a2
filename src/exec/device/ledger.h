/* What a batch's calls on device pointers do beside replays: which members a program takes, whose solutions are
 * withheld, numbers of some members on their way. For host, kernels and tests alike.
 *
 * The programs of a batch come one after the other; each takes the members that begin with it, the common program,
 * which comes last, all that are left. Which those are is known on the device alone, for masks are there, and a graph
 * that was captured before members moved to another program still serves all. So each program's list is made just
 * before its replays (wlu_batch_pick). Once all its right-hand sides are solved for, its members are judged
 * (wlu_batch_vouch).
 */
#ifndef WLU_EXEC_DEVICE_LEDGER_H
#define WLU_EXEC_DEVICE_LEDGER_H

#include "exec/device/group_solves.h"
#include "numerics/verdict.h"

/* Threads of the block that picks, of those that judge or copy. */
enum { WLU_LEDGER_PICKERS = 1024, WLU_LEDGER_THREADS = 256 };

/* A member's programs, in memory that host and device share: what its values begin with, what keeps its factors, and
 * what has factors of it there, each the number of a program, -1 none or a solver. place: in the state of `kept`. */
typedef struct wlu_ledger_entry {
    int32_t program, kept, place, factors;
} wlu_ledger_entry;

typedef enum wlu_ledger_column { WLU_LEDGER_PROGRAM, WLU_LEDGER_KEPT, WLU_LEDGER_FACTORS } wlu_ledger_column;

/* What has become of a member in a call: 0: it took no part; k + 1: program k has taken it; with WLU_LEDGER_OPEN:
 * nothing vouches for its answer. */
enum { WLU_LEDGER_OPEN = 128 };

/* Members that begin with a program, of those that are not taken; rest: all of these. fresh: none is taken yet.
 * The first `most` become the list, in order; *live: how many. */
typedef struct wlu_ledger_pick {
    const unsigned char *mask; /* NULL: all take part */
    const wlu_ledger_entry *entry;
    unsigned char *mark;
    int32_t *member, *place, *live;
    int32_t count, program, most;
    wlu_ledger_column column;
    int32_t rest, fresh;
} wlu_ledger_pick;

/* Which answers are vouched for: what solver/batch/judge.c knows without the numbers. */
typedef struct wlu_ledger_promise {
    int32_t mends;            /* what is not vouched for is withheld; 0: what is not finite */
    int32_t checks;           /* 0: finite solutions are enough */
    int32_t nrhs, transposed; /* nrhs 0: a replay alone */
    double error_most;        /* of checked solves: the componentwise error, as it is computed, is no more */
    wlu_bound bound;          /* of solves that are not checked */
} wlu_ledger_promise;

/* A judgement of the members of a list, and where their solutions are. */
typedef struct wlu_ledger_verdicts {
    wlu_ledger_promise promise;
    const wlu_group_result *told; /* NULL: there are no factors, and no solutions */
    unsigned char *mark;
    wlu_ledger_entry *entry;      /* a program's factors are there from now on; NULL: none are kept */
    const int32_t *member, *live; /* NULL: 0 .. count - 1 */
    int32_t count, program, n;
    int32_t doubles; /* of a number */
    double *x;
    int64_t by_member, by_column, by_number;
} wlu_ledger_verdicts;

/* One column of listed members, between where callers have it and a compact copy: number k of the i-th. */
typedef struct wlu_ledger_copy {
    double *at, *compact;
    int64_t by_member, by_number;
    const int32_t *member;
    int32_t count, numbers, doubles; /* doubles: of a number */
    int32_t back;                    /* from the copy */
} wlu_ledger_copy;

/* Whether the program takes the member. A mark is made of all that are fresh. */
WLU_PORTABLE int wlu_ledger_takes(const wlu_ledger_pick *p, int32_t m)
{
    const wlu_ledger_entry *e = &p->entry[m];
    if (p->fresh)
        p->mark[m] = 0;
    else if (p->mark[m] != 0)
        return 0;
    if (p->mask != NULL && !p->mask[m]) return 0;
    if (p->rest) return 1;
    if (p->column == WLU_LEDGER_PROGRAM) return e->program == p->program;
    return (p->column == WLU_LEDGER_KEPT ? e->kept : e->factors) == p->program;
}

/* It is number k of the list. The common program keeps the factors of member m in place m. */
WLU_PORTABLE void wlu_ledger_take(const wlu_ledger_pick *p, int32_t m, int32_t k)
{
    p->member[k] = m;
    p->place[k] = p->program > 0 ? p->entry[m].place : m;
    p->mark[m] = (unsigned char)(p->program + 1 + WLU_LEDGER_OPEN); /* until it is judged */
}

WLU_PORTABLE int wlu_ledger_vouches(const wlu_ledger_promise *p, const wlu_group_result *r)
{
    const double largest = 1.7976931348623157e308; /* DBL_MAX */
    if (!p->checks)
        return (r->health.finite || r->health.largest_u <= largest || r->health.smallest_pivot == 0.0) &&
               r->largest <= largest;
    if (p->nrhs == 0) return r->health.verdict != WLU_WEAK;
    double error = r->refined.backward_error;
    if (error != -1.0) return r->health.finite && error <= p->error_most;
    return r->largest <= largest && r->least >= wlu_least_solution(&r->health, &p->bound, p->transposed);
}

/* Whether the i-th member's solutions become NaN; its mark is made. one: a single thread makes it. */
WLU_PORTABLE int wlu_ledger_withholds(const wlu_ledger_verdicts *v, int32_t i, int one)
{
    const wlu_ledger_promise *p = &v->promise;
    int32_t m = v->member != NULL ? v->member[i] : i;
    int vouched = v->told != NULL && wlu_ledger_vouches(p, &v->told[m]);
    if (one) v->mark[m] = (unsigned char)(v->program + 1 + (vouched ? 0 : WLU_LEDGER_OPEN));
    if (one && v->entry != NULL) v->entry[m].factors = v->program;
    return !vouched && (v->told == NULL || p->mends || !p->checks || !v->told[m].health.finite);
}

/* Number k of a column becomes NaN. */
WLU_PORTABLE void wlu_ledger_withhold(const wlu_ledger_verdicts *v, double *x, int32_t column, int32_t k)
{
    for (int32_t part = 0; part < v->doubles; part++)
        x[column * v->by_column + k * v->by_number + part] = wlu_double_of_bits(WLU_CANONICAL_NAN);
}

WLU_PORTABLE int32_t wlu_ledger_count(const wlu_ledger_verdicts *v)
{
    return v->live != NULL && *v->live < v->count ? *v->live : v->count;
}

/* Number k of the i-th member. */
WLU_PORTABLE void wlu_ledger_move(const wlu_ledger_copy *c, int32_t i, int32_t k)
{
    double *at = c->at + c->member[i] * c->by_member + k * c->by_number,
           *compact = c->compact + c->doubles * ((int64_t)i * c->numbers + k);
    for (int32_t part = 0; part < c->doubles; part++) {
        if (c->back)
            at[part] = compact[part];
        else
            compact[part] = at[part];
    }
}

#endif
