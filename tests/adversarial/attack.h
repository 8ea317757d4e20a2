/* Attacks: what is done to the values of a matrix between two replays. */
#ifndef WLU_ADVERSARIAL_ATTACK_H
#define WLU_ADVERSARIAL_ATTACK_H

#include "support/matrices.h"

typedef enum attack_kind {
#define ATTACK(name, what) ATTACK_##name,
#include "attacks.def"
#undef ATTACK
    ATTACKS
} attack_kind;

typedef struct attack_site {
    test_matrix *m;                       /* its x is what is attacked */
    const double *first;                  /* values of the start */
    const int32_t *pivot_row, *pivot_col; /* n each: the entries in use as pivots */
    uint64_t seed;
} attack_site;

const char *attack_name(attack_kind kind);
/* Afterwards no entry that was finite is beyond 1e307, but for the attacks that say so. */
void attack_apply(attack_site *site, attack_kind kind);
/* 10^k or 10^-k: k to 16 in half of all draws, to 100, to 300. */
double attack_power(uint64_t *seed);

#endif
