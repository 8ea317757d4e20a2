/* The stages of a solver's growth (solver/grow.h) at drawn steps, instead of when they are paid for, so that they fall
 * among weak values, new pivots, clones and transposed solves. */
#ifndef WLU_ADVERSARIAL_STAGES_H
#define WLU_ADVERSARIAL_STAGES_H

#include <stdint.h>

#include <warplu/warplu.h>

/* Bit k: a stage is due at step k; at one in 2^halvings of them. */
uint32_t stages_draw(uint64_t *seed, int halvings);
/* The solver's next stage is due at its next refactor: the program, or where there is one, another order, which is
 * taken whether it is better or not. A caller's order stays. */
void stages_hasten(warplu_solver *s);

#endif
