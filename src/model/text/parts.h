/* Parts: elements that an element is made of. `use na = channel(m) with g = 3` within an element writes out the lines
 * of the element channel there, whose names become na.g, na.n and so on, and whose ports are those that are named.
 *
 * Lines of a part have a scope that ends at the part: nothing around it is known by its own name. */
#ifndef WLU_MODEL_TEXT_PARTS_H
#define WLU_MODEL_TEXT_PARTS_H

#include "model/text/lines.h"

typedef struct wlm_element_part {
    wlm_word name; /* with those of the parts around it: "soma.na" */
    const wlm_kind *kind;
    int32_t *port;        /* for each port of the kind the element's */
    const wlm_line *with; /* lines name = value, of the scope around */
    const struct wlm_scope *scope;
} wlm_element_part;

/* The lines of an element, for those that it is a part of; `lines` of the reading has one for each kind. */
typedef struct wlm_body {
    wlm_line *lines;
    int reads_rates;
} wlm_body;

/* Returns the part that names within the scope are of; NULL: none. */
const wlm_element_part *wlm_part_of(const struct wlm_scope *scope);

#endif
