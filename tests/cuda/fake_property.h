/* What devices of the fake driver have: streams and memory, each a block of the host. */
#ifndef WLU_FAKE_PROPERTY_H
#define WLU_FAKE_PROPERTY_H

#include <stddef.h>

/* A block of the device's; NULL: no memory. */
void *fake_property_acquire(size_t bytes, int device);
/* 0: there is no such block. */
int fake_property_release(void *at);
/* Whose the block is that has this byte; -1: nobody's. */
int fake_property_device(const void *at);

#endif
