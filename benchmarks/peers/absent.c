/* Systems without fork and sockets between processes: no peer's program is found, so that none is ever started. See
 * process.h. */
#include "process.h"

int peer_program(const peer *p, char *path, int64_t bytes)
{
    (void)p;
    (void)path;
    (void)bytes;
    return 0;
}

peer_process *peer_process_create(const peer *p, int threads, double limit_s)
{
    (void)p;
    (void)threads;
    (void)limit_s;
    return NULL;
}

void peer_process_destroy(peer_process **p)
{
    *p = NULL;
}

warplu_status peer_process_open(peer_process *p, const peer_system *system)
{
    (void)p;
    (void)system;
    return PEER_NOT_STARTED;
}

warplu_status peer_process_analyze(peer_process *p, int32_t ordering, int32_t attempt, int64_t *ns)
{
    (void)p;
    (void)ordering;
    (void)attempt;
    *ns = 0;
    return PEER_NOT_STARTED;
}

warplu_status peer_process_turn(peer_process *p, channel_op op, int32_t step, const turn *t, int64_t *ns,
                                int32_t *count)
{
    (void)p;
    (void)op;
    (void)step;
    (void)t;
    (void)ns;
    *count = 0;
    return PEER_NOT_STARTED;
}

warplu_status peer_process_begin_members(peer_process *p)
{
    (void)p;
    return PEER_NOT_STARTED;
}

warplu_status peer_process_pass(peer_process *p, const int64_t *anew, int64_t *refactor_ns, int64_t *solve_ns)
{
    (void)p;
    (void)anew;
    (void)refactor_ns;
    (void)solve_ns;
    return PEER_NOT_STARTED;
}

warplu_status peer_process_life(peer_process *p, const peer_life *life, int64_t *ns)
{
    (void)p;
    (void)life;
    (void)ns;
    return PEER_NOT_STARTED;
}

warplu_status peer_process_describe(peer_process *p, peer_facts *facts)
{
    (void)p;
    (void)facts;
    return PEER_NOT_STARTED;
}

void peer_process_pause(peer_process *p)
{
    (void)p;
}

void peer_process_stop(peer_process *p)
{
    (void)p;
}

void peer_process_limit(peer_process *p, double limit_s)
{
    (void)p;
    (void)limit_s;
}

const channel_memory *peer_process_memory(const peer_process *p)
{
    static const channel_memory none;
    (void)p;
    return &none;
}

const double *peer_process_solution(const peer_process *p)
{
    (void)p;
    return NULL;
}

const char *peer_process_message(const peer_process *p)
{
    (void)p;
    return "";
}
