/* Statements outside of elements. Each reads from behind its word to the end of the line. */
#ifndef WLU_MODEL_TEXT_STATEMENTS_H
#define WLU_MODEL_TEXT_STATEMENTS_H

#include "model/text/build.h"
#include "model/text/csv.h"

/* A name of `watch`, or those of a range of nodes or instances; they are looked up at the end of the text. */
typedef struct wlm_asked_for {
    const wlm_tree *tree; /* a PORT, whose index is where a range begins */
    const wlm_tree *last; /* where it ends; NULL: there is no range */
    int is_sum;           /* 1: the sum over the range is watched */
    wlm_place place;
} wlm_asked_for;

/* The most values that sets and uses may have together. */
#define WLM_VALUES_MOST (INT64_C(1) << 27)

/* read.c: reads statements to the end of the text. */
void wlm_parse_statements(wlm_reading *r);
void wlm_parse_include(wlm_reading *r);
void wlm_parse_constant(wlm_reading *r);
void wlm_parse_function(wlm_reading *r);
void wlm_parse_nodes(wlm_reading *r);
void wlm_parse_use(wlm_reading *r);
void wlm_parse_run(wlm_reading *r);
void wlm_parse_watch(wlm_reading *r);
void wlm_parse_batch(wlm_reading *r);
void wlm_parse_table(wlm_reading *r);

/* How a port of a use is bound; use_bind.c makes instances of it. */
typedef struct wlm_binding {
    int32_t set;
    const wlm_tree *index; /* NULL: the set's only node */
    wlm_place place;
} wlm_binding;

typedef struct wlm_with {
    int32_t parameter;
    const wlm_tree *value;
} wlm_with;

typedef struct wlm_making {
    wlm_reading *r;
    wlm_use *use;
    const wlm_kind *kind;
    int32_t withs;
    wlm_binding *binding; /* one for each port */
    wlm_with *with;
    const wlm_tree *ranges; /* the ranges behind `over` */
    int32_t pairs;          /* the set of `over pairs`, or -1 */
    wlm_place over_place;
    wlm_csv *csv; /* the table of `from`; NULL: none */
    wlm_place csv_place;
} wlm_making;

/* use.c: find the element or set of a name, whose type is called `what`; the kind's parameter of a name. They return
 * its number, or -1. */
int32_t wlm_find_global(wlm_reading *r, wlm_word name, wlm_place place, wlm_global_type type, const char *what);
int32_t wlm_find_parameter(wlm_reading *r, const wlm_kind *kind, wlm_word name, wlm_place place);
/* Fills nodes, parameters and quantities of the use. */
void wlm_make_use(wlm_making *m);
/* use_check.c: finds the quantities of ports, which the sets have to have. */
void wlm_bind_quantities(wlm_making *m);

/* Returns a path that is relative to the text's folder, as paths in texts are; NULL after a failure. */
char *wlm_path_of(wlm_reading *r, wlm_word path);

/* end.c: checks that need the whole text. */
void wlm_check_balances(wlm_reading *r);
void wlm_check_watches(wlm_reading *r);
void wlm_check_cfl(wlm_reading *r);
/* sum_circles.c */
void wlm_check_sums(wlm_reading *r);
/* by_step.c */
void wlm_check_by_step(wlm_reading *r);

#endif
