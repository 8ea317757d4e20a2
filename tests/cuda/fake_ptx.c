/* Modules of the fake driver that are texts. See fake_ptx.h. A list: there are few. */
#include "fake_ptx.h"

#include <stdlib.h>
#include <string.h>

/* Its address is the module's handle, that of `kernel` the function's. */
typedef struct fake_ptx {
    struct fake_ptx *next;
    ptx_module *kernel;
    int device;
} fake_ptx;

static fake_ptx *texts;

int fake_ptx_is_text(const void *image)
{
    static const char begin[] = {'.', 'v', 'e', 'r'};
    return memcmp(image, begin, sizeof begin) == 0;
}

wlu_cu_handle fake_ptx_load(const char *text, int device, char why[PTX_WHY_BYTES])
{
    fake_ptx *p = malloc(sizeof *p);
    ptx_module *kernel = ptx_read(text, why);
    if (p == NULL || kernel == NULL) {
        free(p);
        ptx_free(kernel);
        return NULL;
    }
    *p = (fake_ptx){texts, kernel, device};
    texts = p;
    return p;
}

static fake_ptx **find(wlu_cu_handle module, int device)
{
    for (fake_ptx **p = &texts; *p != NULL; p = &(*p)->next)
        if (*p == module && (*p)->device == device) return p;
    return NULL;
}

int fake_ptx_unload(wlu_cu_handle module, int device)
{
    fake_ptx **p = find(module, device);
    if (p == NULL) return 0;
    fake_ptx *found = *p;
    *p = found->next;
    ptx_free(found->kernel);
    free(found);
    return 1;
}

wlu_cu_handle fake_ptx_find(wlu_cu_handle module, int device, const char *name)
{
    fake_ptx **p = find(module, device);
    return p != NULL && strcmp((*p)->kernel->name, name) == 0 ? &(*p)->kernel : NULL;
}

const ptx_module *fake_ptx_of(wlu_cu_handle function, int device)
{
    for (fake_ptx *p = texts; p != NULL; p = p->next)
        if (function == &p->kernel && p->device == device) return p->kernel;
    return NULL;
}
