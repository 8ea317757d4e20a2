/* A peer in a process of its own. See process.h.
 *
 * Shared memory is a file without a name, mapped by both; commands go over a socket pair; both are inherited. What the
 * program prints goes to another such file, whose last line becomes the message when the program ends by itself. What a
 * program writes into the memory is not trusted: places are kept here, texts are ended. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spawn.h"

enum { NO_PROCESS = 0, CACHE_LINE = 64, WORDS = 256 };

struct peer_process {
    const peer *peer;
    int threads;
    double limit_s;
    pid_t pid;
    int paused, socket, memory_fd; /* the memory's file: 0 while there is none */
    FILE *printed;                 /* what the program prints */
    channel_memory *memory;
    channel_memory layout; /* where things are, as the harness laid them out */
    int64_t bytes;
    warplu_status ended; /* how the last program did; message says more */
    char message[CHANNEL_TEXT];
};

static warplu_status fail_system(peer_process *p, warplu_status status, const char *what)
{
    snprintf(p->message, sizeof p->message, "%s: %s", what, strerror(errno));
    return status;
}

/* --------------------------------------------------------- start and end */

/* What a program needs before it is started: the memory, and an empty file for what it prints. */
static warplu_status open_files(peer_process *p)
{
    if (p->memory_fd <= 0) p->memory_fd = peer_file();
    if (p->memory_fd < 0) return fail_system(p, PEER_NOT_STARTED, "shared memory");
    if (p->printed == NULL) {
        int fd = peer_file();
        p->printed = fd >= 0 ? fdopen(fd, "r+") : NULL;
    }
    if (p->printed == NULL || ftruncate(fileno(p->printed), 0) != 0 || fseek(p->printed, 0, SEEK_SET) != 0)
        return fail_system(p, PEER_NOT_STARTED, "a file for what it prints");
    return WARPLU_SUCCESS;
}

static warplu_status start(peer_process *p)
{
    char path[4096];
    int pair[2];
    if (p->pid != NO_PROCESS) return WARPLU_SUCCESS;
    if (!peer_program(p->peer, path, sizeof path)) {
        snprintf(p->message, sizeof p->message, "%s", p->peer->get);
        return WARPLU_NOT_COMPILED;
    }
    warplu_status status = open_files(p);
    if (status < 0) return status;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return fail_system(p, PEER_NOT_STARTED, "a socket");
    fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    fcntl(pair[1], F_SETFD, FD_CLOEXEC);
    pid_t pid = peer_spawn(path, p->threads, pair[1], p->memory_fd, fileno(p->printed));
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return fail_system(p, PEER_NOT_STARTED, "a process");
    }
    p->pid = pid;
    p->socket = pair[0];
    p->paused = 0;
    return WARPLU_SUCCESS;
}

/* Waits for the program to end, and ends it if that takes longer than a call may; how it did, as waitpid tells it. */
static int wait_end(peer_process *p)
{
    int how = 0;
    int64_t end = wlu_now_ns() + (int64_t)(p->limit_s * 1e9);
    pid_t found;
    while ((found = waitpid(p->pid, &how, WNOHANG)) == 0 || (found < 0 && errno == EINTR)) {
        if (wlu_now_ns() >= end) kill(p->pid, SIGKILL);
        poll(NULL, 0, 1);
    }
    close(p->socket);
    p->pid = NO_PROCESS;
    return how;
}

void peer_process_stop(peer_process *p)
{
    if (p->pid == NO_PROCESS) return;
    kill(p->pid, SIGKILL);
    wait_end(p);
}

/* The last line that is not empty of what the program printed. */
static void last_words(const peer_process *p, char words[WORDS])
{
    char line[WORDS];
    words[0] = '\0';
    rewind(p->printed);
    while (fgets(line, sizeof line, p->printed) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0') memcpy(words, line, sizeof line);
    }
}

/* The program has closed its end of the socket: it is ending. */
static warplu_status bury(peer_process *p)
{
    char words[WORDS];
    int how = wait_end(p);
    last_words(p, words);
    if (WIFSIGNALED(how))
        snprintf(p->message, sizeof p->message, "ended by signal %d%s%s", WTERMSIG(how), words[0] ? ": " : "", words);
    else
        snprintf(p->message, sizeof p->message, "ended with exit status %d%s%s", WEXITSTATUS(how), words[0] ? ": " : "",
                 words);
    return p->ended = PEER_ENDED;
}

/* Ends a program that does not do its part. */
static warplu_status give_up(peer_process *p, warplu_status status, const char *why)
{
    peer_process_stop(p);
    snprintf(p->message, sizeof p->message, "%s", why);
    return p->ended = status;
}

/* ---------------------------------------------------------------- commands */

static warplu_status time_out(peer_process *p)
{
    char why[64];
    snprintf(why, sizeof why, "no answer within %g s", p->limit_s);
    return give_up(p, PEER_TIMED_OUT, why);
}

static warplu_status read_answer(peer_process *p, channel_answer *answer)
{
    ssize_t bytes = read(p->socket, answer, sizeof *answer);
    if (bytes <= 0) return bury(p);
    int whole = bytes == (ssize_t)sizeof *answer && answer->count >= 0 && answer->count <= CHANNEL_CALLS;
    return whole ? WARPLU_SUCCESS : give_up(p, PEER_ENDED, "killed: it answered what makes no sense");
}

static warplu_status wait_answer(peer_process *p, channel_answer *answer)
{
    int64_t limit_ns = (int64_t)(p->limit_s * 1e9), end = wlu_now_ns() + limit_ns, begun = p->memory->begun;
    struct pollfd ready = {.fd = p->socket, .events = POLLIN};
    for (;;) {
        int64_t left_ms = (end - wlu_now_ns()) / 1000000 + 1;
        int found = poll(&ready, 1, left_ms < 0 ? 0 : left_ms > 1000000 ? 1000000 : (int)left_ms);
        if (found < 0 && errno != EINTR) return fail_system(p, PEER_ENDED, "poll");
        if (found > 0) return read_answer(p, answer);
        if (wlu_now_ns() < end) continue;
        if (p->memory->begun == begun) return time_out(p);
        begun = p->memory->begun;
        end = wlu_now_ns() + limit_ns;
    }
}

/* Whatever the program has written. */
static void end_texts(channel_memory *m)
{
    m->message[sizeof m->message - 1] = '\0';
    m->facts.version[sizeof m->facts.version - 1] = '\0';
    m->facts.ordering[sizeof m->facts.ordering - 1] = '\0';
    m->facts.settings[sizeof m->facts.settings - 1] = '\0';
    m->orderings[CHANNEL_ORDERINGS - 1][0] = '\0';
    for (int k = 0; k < CHANNEL_ORDERINGS; k++) m->orderings[k][sizeof m->orderings[k] - 1] = '\0';
}

static warplu_status command(peer_process *p, const channel_command *c, channel_answer *answer)
{
    *answer = (channel_answer){0};
    if (p->pid == NO_PROCESS) return p->ended;
    p->message[0] = '\0';
    if (p->paused) kill(p->pid, SIGCONT);
    p->paused = 0;
    if (send(p->socket, c, sizeof *c, MSG_NOSIGNAL) != (ssize_t)sizeof *c) return bury(p);
    warplu_status status = wait_answer(p, answer);
    if (status < 0) return status;
    end_texts(p->memory);
    snprintf(p->message, sizeof p->message, "%s", p->memory->message);
    return answer->status;
}

/* ------------------------------------------------------------------ memory */

static int64_t reserve(int64_t *at, int64_t bytes)
{
    int64_t here = (*at + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    *at = here + bytes;
    return here;
}

/* Places of the arrays; returns the bytes for all. */
static int64_t lay_out(const peer_system *s, channel_memory *m)
{
    int64_t n = s->n, nnz = s->ptr[s->n], real = s->doubles * (int64_t)sizeof(double), index = (int64_t)sizeof(int32_t);
    int64_t at = (int64_t)sizeof *m, word = (int64_t)sizeof(int64_t);
    int64_t times = (s->solves > s->steps ? s->solves : s->steps) * word;
    *m = (channel_memory){
        .n = s->n, .steps = s->steps, .solves = s->solves, .members = s->members, .doubles = s->doubles, .nnz = nnz};
    m->ptr_at = reserve(&at, (n + 1) * index);
    m->idx_at = reserve(&at, nnz * index);
    m->values_at = reserve(&at, s->steps * nnz * real);
    m->b_at = reserve(&at, n * real);
    m->x_at = reserve(&at, (s->members ? s->steps : 1) * n * real);
    m->anew_at = reserve(&at, s->steps * word);
    m->refactor_ns_at = reserve(&at, times);
    m->solve_ns_at = reserve(&at, times);
    m->row_order_at = s->row_order != NULL ? reserve(&at, n * index) : 0;
    m->col_order_at = s->col_order != NULL ? reserve(&at, n * index) : 0;
    return at;
}

static void fill(peer_process *p, int64_t at, const void *from, int64_t bytes)
{
    if (at > 0) memcpy((char *)p->memory + at, from, (size_t)bytes);
}

static void fill_all(peer_process *p, const peer_system *s)
{
    const channel_memory *m = &p->layout;
    int64_t n = s->n, real = s->doubles * (int64_t)sizeof(double), index = (int64_t)sizeof(int32_t);
    fill(p, m->ptr_at, s->ptr, (n + 1) * index);
    fill(p, m->idx_at, s->idx, m->nnz * index);
    for (int32_t k = 0; k < s->steps; k++) fill(p, m->values_at + k * m->nnz * real, s->values[k], m->nnz * real);
    fill(p, m->b_at, s->b, n * real);
    fill(p, m->row_order_at, s->row_order, n * index);
    fill(p, m->col_order_at, s->col_order, n * index);
}

/* A mapping of the file, with its pages reserved: a lack of them is found out here and not by a signal. */
static warplu_status map_memory(peer_process *p, int64_t bytes)
{
    if (p->memory != NULL) munmap(p->memory, (size_t)p->bytes);
    p->memory = NULL;
    errno = posix_fallocate(p->memory_fd, 0, bytes);
    if (errno != 0) return fail_system(p, WARPLU_OUT_OF_MEMORY, "shared memory");
    p->memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, p->memory_fd, 0);
    if (p->memory == MAP_FAILED) p->memory = NULL;
    if (p->memory == NULL) return fail_system(p, WARPLU_OUT_OF_MEMORY, "shared memory");
    p->bytes = bytes;
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------ public */

peer_process *peer_process_create(const peer *p, int threads, double limit_s)
{
    peer_process *process = calloc(1, sizeof *process);
    if (process == NULL) return NULL;
    *process = (peer_process){.peer = p, .threads = threads, .limit_s = limit_s, .ended = PEER_ENDED};
    return process;
}

void peer_process_destroy(peer_process **p)
{
    peer_process *process = *p;
    if (process == NULL) return;
    peer_process_stop(process);
    if (process->memory != NULL) munmap(process->memory, (size_t)process->bytes);
    if (process->memory_fd > 0) close(process->memory_fd);
    if (process->printed != NULL) fclose(process->printed);
    free(process);
    *p = NULL;
}

warplu_status peer_process_open(peer_process *p, const peer_system *system)
{
    channel_answer answer;
    p->message[0] = '\0';
    warplu_status status = start(p);
    if (status < 0) return status;
    int64_t bytes = lay_out(system, &p->layout);
    status = map_memory(p, bytes);
    if (status < 0) return status;
    *p->memory = p->layout;
    fill_all(p, system);
    return command(p, &(channel_command){.op = CHANNEL_OPEN, .bytes = bytes}, &answer);
}

static peer_request request_of(const peer_process *p, int32_t ordering, int32_t attempt)
{
    return (peer_request){.variant = p->peer->variant, .threads = p->threads, .ordering = ordering, .attempt = attempt};
}

warplu_status peer_process_analyze(peer_process *p, int32_t ordering, int32_t attempt, int64_t *ns)
{
    channel_answer answer;
    channel_command c = {.op = CHANNEL_ANALYZE, .request = request_of(p, ordering, attempt)};
    warplu_status status = command(p, &c, &answer);
    if (status >= 0) *ns = p->memory->ns[0];
    return status;
}

warplu_status peer_process_turn(peer_process *p, channel_op op, int32_t step, const turn *t, int64_t *ns,
                                int32_t *count)
{
    channel_answer answer = {0};
    channel_command c = {.op = op, .step = step, .calls = t->calls, .warm = t->warm, .budget_ns = t->budget_ns};
    warplu_status status = command(p, &c, &answer);
    *count = answer.count < t->calls ? answer.count : t->calls;
    for (int32_t k = 0; k < *count; k++) ns[k] = p->memory->ns[k];
    return status;
}

warplu_status peer_process_begin_members(peer_process *p)
{
    channel_answer answer;
    return command(p, &(channel_command){.op = CHANNEL_BEGIN_MEMBERS}, &answer);
}

warplu_status peer_process_pass(peer_process *p, const int64_t *anew, int64_t *refactor_ns, int64_t *solve_ns)
{
    channel_answer answer;
    int64_t bytes = p->layout.steps * (int64_t)sizeof *anew;
    fill(p, p->layout.anew_at, anew, bytes);
    warplu_status status = command(p, &(channel_command){.op = CHANNEL_PASS}, &answer);
    if (status < 0) return status;
    memcpy(refactor_ns, (const char *)p->memory + p->layout.refactor_ns_at, (size_t)bytes);
    memcpy(solve_ns, (const char *)p->memory + p->layout.solve_ns_at, (size_t)bytes);
    return status;
}

warplu_status peer_process_life(peer_process *p, const peer_life *life, int64_t *ns)
{
    channel_answer answer;
    channel_command c = {.op = CHANNEL_LIFE,
                         .calls = life->solves,
                         .warm = life->warm,
                         .request = request_of(p, life->ordering, life->attempt)};
    warplu_status status = command(p, &c, &answer);
    if (status < 0) return status;
    const char *memory = (const char *)p->memory;
    const int64_t *refactor_ns = (const int64_t *)(const void *)(memory + p->layout.refactor_ns_at);
    const int64_t *solve_ns = (const int64_t *)(const void *)(memory + p->layout.solve_ns_at);
    ns[0] = p->memory->ns[0];
    for (int32_t k = 0; k < life->solves; k++) {
        ns[1 + 2 * k] = refactor_ns[k];
        ns[2 + 2 * k] = solve_ns[k];
    }
    return status;
}

warplu_status peer_process_describe(peer_process *p, peer_facts *facts)
{
    channel_answer answer;
    warplu_status status = command(p, &(channel_command){.op = CHANNEL_DESCRIBE}, &answer);
    if (status >= 0) *facts = p->memory->facts;
    return status;
}

void peer_process_pause(peer_process *p)
{
    if (p->pid == NO_PROCESS || p->paused) return;
    kill(p->pid, SIGSTOP);
    p->paused = 1;
}

void peer_process_limit(peer_process *p, double limit_s)
{
    p->limit_s = limit_s;
}

const channel_memory *peer_process_memory(const peer_process *p)
{
    return p->memory;
}

const double *peer_process_solution(const peer_process *p)
{
    return (const double *)(const void *)((const char *)p->memory + p->layout.x_at);
}

const char *peer_process_message(const peer_process *p)
{
    return p->message;
}
