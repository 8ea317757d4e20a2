/* Lines of an element as they are written, and their parser. */
#ifndef WLU_MODEL_TEXT_LINES_H
#define WLU_MODEL_TEXT_LINES_H

#include "model/text/tree.h"

typedef enum wlm_line_type {
    WLM_LINE_PARAMETER,    /* name = value */
    WLM_LINE_STATE,        /* name = value [in second .. third] */
    WLM_LINE_DISCRETE,     /* name = value */
    WLM_LINE_UNKNOWN,      /* name = value */
    WLM_LINE_INPUT,        /* name = value, of the time and parameters */
    WLM_LINE_DEFINITION,   /* name = value */
    WLM_LINE_RATE,         /* name' = value */
    WLM_LINE_GATE,         /* name [= value]: second, third */
    WLM_LINE_CLOSING,      /* 0 = value */
    WLM_LINE_CONTRIBUTION, /* name, a PORT, += value */
    WLM_LINE_EVENT,
    WLM_LINE_LIMIT, /* at value, or when second rises: body's names are set to their values, by options */
    WLM_LINE_PART,  /* name = kind on second, its ports; body's names, of parameters, have their values */
    WLM_LINE_FOR    /* ranges: body */
} wlm_line_type;

typedef struct wlm_line {
    wlm_line_type type;
    wlm_place place;
    wlm_tree *name, *value, *second, *third; /* value may be a LIST of declarations */
    int32_t unit;                            /* of units.h */
    wlm_tree *ranges, *delay, *priority;
    int32_t kind;               /* PART */
    int falls, initially, late; /* of an event: 1 where the word stands there */
    struct wlm_line *body, *next;
} wlm_line;

/* Reads name = value {, name = value}, as DEFINITIONs; NULL after a failure: expected WHAT. */
wlm_line *wlm_parse_assignments(wlm_reading *r, const char *what);
/* part_lines.c: reads a part from behind `use`; NULL after a failure. */
wlm_line *wlm_parse_part(wlm_reading *r, wlm_line *line);
/* Reads lines and goes behind their `end`; *out is NULL where there are none. 0 after a failure. */
int wlm_parse_lines(wlm_reading *r, wlm_line **out);
/* event_options.c: reads the options of an event, up to its colon. */
void wlm_parse_event_options(wlm_reading *r, wlm_line *line);

#endif
