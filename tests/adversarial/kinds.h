/* Attacks that are drawn and not searched for: cases of five kinds, as many as it takes. */
#ifndef WLU_ADVERSARIAL_KINDS_H
#define WLU_ADVERSARIAL_KINDS_H

#include "genome.h"

typedef struct kind {
    const char *name, *what;
    void (*draw)(uint64_t *seed, genome *g);
} kind;

enum { KINDS = 5 };
extern const kind kinds[KINDS];

/* The same case with stages of growth, and in half of all draws a clone or a restored solver goes on. */
void kind_grow(genome *g, uint64_t *seed);

#endif
