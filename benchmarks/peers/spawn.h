/* Starts a peer's program: its threads told, its output caught, in a process group of its own, first to go when memory
 * runs out, and killed with the harness. */
#ifndef WLU_PEER_SPAWN_H
#define WLU_PEER_SPAWN_H

#include <sys/types.h>

/* A file without a name, closed when a program is started; -1 and errno. */
int peer_file(void);

/* The program at path, which is to inherit socket and memory; what it prints goes to printed. -1 and errno. A program
 * that cannot be started ends with 127. */
pid_t peer_spawn(const char *path, int threads, int socket, int memory, int printed);

#endif
