/* A place in a text, for messages. */
#ifndef WLU_MODEL_METHOD_PLACE_H
#define WLU_MODEL_METHOD_PLACE_H

#include <stddef.h>
#include <stdint.h>

typedef struct wlm_place {
    int32_t line, column; /* from 1; line 0: nowhere */
    const char *file;     /* NULL: the model's own text; else the one that it includes */
} wlm_place;

/* The format of a line, "12" or "12 of parts.wm", and its arguments. */
#define WLM_LINE_FORMAT "%d%s%.80s"
#define WLM_LINE(place) (int)(place).line, (place).file != NULL ? " of " : "", (place).file != NULL ? (place).file : ""

#endif
