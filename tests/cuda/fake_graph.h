/* Kernels of the fake driver, and its graphs: lists of launches, with copies of their parameters, and of copies. */
#ifndef WLU_FAKE_GRAPH_H
#define WLU_FAKE_GRAPH_H

#include "fake_cuda.h"

enum { FAKE_PARAMETERS_MAX = 5 };

/* A kernel, whether a launch may have several rows of blocks, shared memory it takes, the bytes of its parameters, and
 * shared memory that it has been given on each device. */
typedef struct fake_kernel {
    const char *name;
    int sides, taken;
    size_t bytes[FAKE_PARAMETERS_MAX];
    int given[FAKE_CUDA_DEVICES];
} fake_kernel;

/* The driver's handle, and back. NULL: there is none, or it is another device's. */
wlu_cu_handle fake_kernel_find(const char *name, int device);
fake_kernel *fake_kernel_of(wlu_cu_handle function, int device);

typedef struct fake_graph fake_graph;

/* NULL: no memory. free takes NULL. */
fake_graph *fake_graph_create(void);
void fake_graph_free(fake_graph *g);
/* One more launch, one more copy, all of another; 0: no memory. */
int fake_graph_launches(fake_graph *g, const fake_kernel *kernel, const fake_cuda_launch *launch);
int fake_graph_copies(fake_graph *g, void *to, const void *from, size_t bytes);
int fake_graph_join(fake_graph *g, const fake_graph *other);
void fake_graph_run(fake_graph *g, void (*launch)(const fake_cuda_launch *));

#endif
