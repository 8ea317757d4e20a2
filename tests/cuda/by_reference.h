/* What a launch of the fake driver computes: the reference executor stands in for the kernel, on what the launch was given. */
#ifndef WLU_TEST_BY_REFERENCE_H
#define WLU_TEST_BY_REFERENCE_H

#include "api/solver.h"
#include "exec/cuda/replay.h"
#include "fake_cuda.h"

enum { BY_REFERENCE_SOLVERS = 2 };

typedef struct by_reference {
    warplu_solver **solver[BY_REFERENCE_SOLVERS]; /* whose replays are launched; NULL: there is none */
    int give_up;        /* the next launch gives up */
    int64_t wrong;      /* launches that were not what a kernel expects */
    int64_t undecided;  /* replays whose growth is */
    int64_t apart;      /* with panels in scratch memory */
    wlu_device_program program; /* of the last launch, to be launched again as a graph would be */
    wlu_device_state state;
    unsigned grid, shared_bytes;
} by_reference;

/* A fake_cuda's `launch`; user: by_reference. */
void by_reference_launch(unsigned grid, unsigned shared_bytes, void **parameters, void *user);
/* An address of the device, of numbers of the host, and back. */
double *by_reference_on_device(const double *x);
void *by_reference_on_host(const void *x);

#endif
