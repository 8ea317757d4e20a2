/* METIS, opened when the first order is asked of it: most programs ask for none, and loading it with libklu takes a
 * twentieth of a millisecond. These functions stand in the place of METIS's own. Where there is no METIS they say so,
 * and analyses do without it.
 *
 * Once it is open it stays. The caller keeps calls apart (order_metis.c); threads may meet here. */
#include <dlfcn.h>
#include <metis.h>
#include <pthread.h>
#include <stddef.h>

typedef int node_nd(idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, idx_t *);
typedef int set_defaults(idx_t *);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static node_nd *order;
static set_defaults *defaults;

static void open_metis(void)
{
    void *metis = dlopen("libmetis.so.5", RTLD_NOW | RTLD_LOCAL);
    if (metis == NULL) metis = dlopen("libmetis.so", RTLD_NOW | RTLD_LOCAL);
    if (metis == NULL) return;
    *(void **)&defaults = dlsym(metis, "METIS_SetDefaultOptions");
    *(void **)&order = dlsym(metis, "METIS_NodeND");
}

int METIS_SetDefaultOptions(idx_t *options)
{
    pthread_once(&once, open_metis);
    return defaults != NULL ? defaults(options) : METIS_ERROR_INPUT;
}

int METIS_NodeND(idx_t *n, idx_t *ptr, idx_t *idx, idx_t *weights, idx_t *options, idx_t *perm, idx_t *inverse)
{
    pthread_once(&once, open_metis);
    return order != NULL && defaults != NULL ? order(n, ptr, idx, weights, options, perm, inverse) : METIS_ERROR_INPUT;
}
