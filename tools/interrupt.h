/* Signals that end the program, while it writes a file: the writer is asked to stop, removes what it has begun, and the
 * program ends by the signal after that.
 *
 *     interrupt_hold();
 *     status = write...              its context's cancel function is interrupt_asked
 *     interrupt_release();           does not return where a signal came
 *
 * Elsewhere, and a second time, they end it at once. Those that are ignored stay ignored. */
#ifndef WLU_INTERRUPT_H
#define WLU_INTERRUPT_H

void interrupt_hold(void);
void interrupt_release(void);
/* A warplu_cancel_fn: whether a signal has come since interrupt_hold. */
int interrupt_asked(void *user);

#endif
