/* Functions of a text, which calls are replaced by:
 *
 *     function f(a, b) = expression
 *     function f(a, b)          lines of definitions, each of which knows those before it; the one of the function's
 *       c = expression          own name is its value, and the last one
 *       f = expression
 *     end
 *
 * A function knows its arguments, constants and the functions above it: so none calls itself. A call builds its
 * operands once, and then the function's expressions with them in place of the arguments, as if they stood there: edges
 * and derivatives follow. Cost: the operations of the function for each call. */
#ifndef WLU_MODEL_TEXT_ROUTINE_H
#define WLU_MODEL_TEXT_ROUTINE_H

#include "model/text/reading.h"

/* The most arguments and definitions that one function has. */
enum { WLM_ROUTINE_NAMES_MOST = 64 };

typedef struct wlm_routine {
    char *name;
    wlm_word known[WLM_ROUTINE_NAMES_MOST];               /* arguments, then definitions */
    const struct wlm_tree *value[WLM_ROUTINE_NAMES_MOST]; /* of definitions; NULL of arguments */
    int32_t arguments, names;
    const struct wlm_tree *result;
    int32_t depth; /* of its expressions, with those of the functions that it calls */
    int is_open;   /* 1 while it is read */
    int has_pulse; /* 1 where it is no constant even of constants */
} wlm_routine;

/* Fails where a function has this name already. */
void wlm_refuse_routine(wlm_reading *r, wlm_word name, wlm_place place);
/* Returns the function of this name, or NULL. */
const wlm_routine *wlm_routine_find(const wlm_reading *r, wlm_word name);

#endif
