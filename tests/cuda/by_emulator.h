/* What a launch of the fake driver computes: the emulated device stands in for the kernels, on the arguments that the
 * launch was given, under a schedule that is another one every time. */
#ifndef WLU_TEST_BY_EMULATOR_H
#define WLU_TEST_BY_EMULATOR_H

#include "exec/device/image.h"
#include "emulator/lanes.h"
#include "exec/device/state.h"
#include "fake_cuda.h"

/* All kernels that the library launches, those of what slots are once for each; what blocks do in solves: the kinds of
 * tasks, and runs. */
enum { BY_EMULATOR_KERNELS = 2 * 9 + 12 + 16, BY_EMULATOR_RUNS = WLU_TASK_TILE_PATH_BACK + 1, BY_EMULATOR_TASKS };

typedef struct by_emulator {
    int any_grid;    /* launches need not fill the device */
    int give_up;     /* the next factorization gives up */
    int64_t wrong;   /* launches that were not what a kernel expects, or that the emulator refused */
    int64_t gathers; /* sums over duplicates */
    int64_t apart;   /* with panels in scratch memory */
    int64_t solves;  /* of right-hand sides, those that had come to their end not among them */
    int64_t looks;   /* at residuals, likewise */
    int64_t launches[BY_EMULATOR_KERNELS];
    int64_t tasks[2][3][BY_EMULATOR_TASKS]; /* by whether they are early, by what slots are */
    uint64_t seed;
    wlu_device_program program; /* of the last factorization, to be launched again as a graph would be */
    wlu_device_state state;
    unsigned grid, shared_bytes;
    const wlu_lanes *lanes; /* what its slots were */
} by_emulator;

/* Opens the driver at FAKE_CUDA_PATH, where the library will look for it too; its launches are `launch`. NULL: it is
 * missing. */
fake_cuda *by_emulator_open(void (*launch)(const fake_cuda_launch *launch, void *user), void *user);
/* A fake_cuda's `launch`; user: by_emulator. */
void by_emulator_launch(const fake_cuda_launch *launch, void *user);
/* Prints how often each kernel was launched, those of batches, complex ones, their calls on device pointers, or others,
 * and what blocks did in solves; returns what was not among it. */
int by_emulator_tell(const by_emulator *e);
int by_emulator_tell_batches(const by_emulator *e);
int by_emulator_tell_complex_batches(const by_emulator *e);
int by_emulator_tell_ledgers(const by_emulator *e);
/* The last factorization once more. */
void by_emulator_again(by_emulator *e);
/* An address of the device, of numbers of the host, and back. */
double *by_emulator_on_device(const double *x);
void *by_emulator_on_host(const void *x);
/* Pointers, one behind the other: those to the device become the host's. */
void by_emulator_bring(void *pointers, int count);

#endif
