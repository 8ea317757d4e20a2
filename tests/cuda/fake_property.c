/* Streams and memory of the fake driver's devices. See fake_property.h. A list: there are few. */
#include "fake_property.h"

#include <stdlib.h>

typedef struct fake_property {
    struct fake_property *next;
    const char *at;
    size_t bytes;
    int device;
} fake_property;

static fake_property *properties;

/* NULL: nobody's. */
static fake_property **find(const void *at)
{
    for (fake_property **p = &properties; *p != NULL; p = &(*p)->next)
        if ((const char *)at >= (*p)->at && (const char *)at < (*p)->at + (*p)->bytes) return p;
    return NULL;
}

void *fake_property_acquire(size_t bytes, int device)
{
    fake_property *p = malloc(sizeof *p);
    void *at = malloc(bytes);
    if (p == NULL || at == NULL) {
        free(p);
        free(at);
        return NULL;
    }
    *p = (fake_property){properties, at, bytes, device};
    properties = p;
    return at;
}

int fake_property_release(void *at)
{
    fake_property **p = find(at);
    if (p == NULL || (*p)->at != at) return 0;
    fake_property *found = *p;
    *p = found->next;
    free(found);
    free(at);
    return 1;
}

int fake_property_device(const void *at)
{
    fake_property **p = find(at);
    return p != NULL ? (*p)->device : -1;
}
