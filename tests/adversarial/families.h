/* Families of matrices: patterns and first values to begin a search from. */
#ifndef WLU_ADVERSARIAL_FAMILIES_H
#define WLU_ADVERSARIAL_FAMILIES_H

#include "support/matrices.h"

typedef enum family_kind {
#define FAMILY(name, what) FAMILY_##name,
#include "families.def"
#undef FAMILY
    FAMILIES
} family_kind;

const char *family_name(family_kind kind);
/* FAMILIES where there is none of that name. */
family_kind family_find(const char *name);
/* A matrix of at most so many unknowns (10 or more), without duplicates. */
void family_draw(family_kind kind, int32_t most, uint64_t *seed, test_matrix *m);

#endif
