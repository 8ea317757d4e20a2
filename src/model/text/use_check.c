/* Checks that the sets which ports are bound to have the quantities that the element reads or adds to, and of a type
 * that allows it. Adding to a fixed quantity is allowed and has no effect. */
#include "model/text/statements.h"
#include "model/text/units.h"

/* Returns the number of the set's quantity, or -1. */
static int32_t find_quantity(wlm_making *m, const wlm_port_quantity *wanted, const wlm_set *set)
{
    wlm_nearest nearest;
    wlm_nearest_init(&nearest, wlm_word_of(wanted->name));
    for (int32_t k = 0; k < set->quantities; k++) {
        if (wlm_word_is(nearest.wanted, set->quantity[k].name)) return k;
        wlm_nearest_try(&nearest, set->quantity[k].name);
    }
    wlm_fail_at(m->r, WARPLU_BAD_FORMAT, m->binding[wanted->port].place,
                "nodes '%.40s' have no '%.40s', which element %.40s uses as %.40s.%.40s at line " WLM_LINE_FORMAT "%s",
                set->name, wanted->name, m->kind->name, m->kind->port[wanted->port], wanted->name,
                WLM_LINE(wanted->place), wlm_nearest_text(&nearest));
    return -1;
}

static void check_contribution(wlm_making *m, const wlm_contribution *c)
{
    const wlm_port_quantity *wanted = &m->kind->port_quantity[c->quantity];
    const wlm_set *set = &m->r->model->set[m->use->set[wanted->port]];
    wlm_quantity_type type = set->quantity[m->use->quantity[c->quantity]].type;
    wlm_place place = m->binding[wanted->port].place;
    if (c->charge != WLM_NONE && (type == WLM_STORE || type == WLM_SUM))
        wlm_fail_at(m->r, WARPLU_BAD_FORMAT, place,
                    "'%.40s' of nodes '%.40s' is no balance, but element %.40s adds ddt(...) to %.40s.%.40s at "
                    "line " WLM_LINE_FORMAT "",
                    wanted->name, set->name, m->kind->name, m->kind->port[wanted->port], wanted->name,
                    WLM_LINE(c->place));
}

/* Compares units of the element's port with those of the nodes, which get them where they have none. What is added to a
 * fixed quantity has no effect, and any unit. */
static void check_units(wlm_making *m, int32_t k)
{
    wlm_reading *r = m->r;
    const wlm_port_quantity *q = &m->kind->port_quantity[k];
    wlm_quantity *of = &r->model->set[m->use->set[q->port]].quantity[m->use->quantity[k]];
    wlm_place place = m->binding[q->port].place;
    of->unit = wlm_unit_expect(r, place, of->unit, q->unit, "the element's", q->name);
    if (of->type == WLM_BALANCE)
        of->added = wlm_unit_expect(r, place, of->added, q->added, "what the element adds to", q->name);
    else if (of->type != WLM_FIXED)
        wlm_unit_expect(r, place, of->type == WLM_STORE ? wlm_unit_rate(r, of->unit) : of->unit, q->added,
                        "what the element adds to", q->name);
}

void wlm_bind_quantities(wlm_making *m)
{
    wlm_reading *r = m->r;
    const wlm_kind *kind = m->kind;
    m->use->set = wlm_take_for(r, r->kept, kind->ports, sizeof *m->use->set);
    m->use->quantity = wlm_take_for(r, r->kept, kind->port_quantities, sizeof *m->use->quantity);
    if (m->use->set == NULL || m->use->quantity == NULL) return;
    for (int32_t k = 0; k < kind->ports; k++) m->use->set[k] = m->binding[k].set;
    for (int32_t k = 0; k < kind->port_quantities && r->status == WARPLU_SUCCESS; k++)
        m->use->quantity[k] =
            find_quantity(m, &kind->port_quantity[k], &r->model->set[m->use->set[kind->port_quantity[k].port]]);
    for (int32_t k = 0; k < kind->contributions && r->status == WARPLU_SUCCESS; k++)
        check_contribution(m, &kind->contribution[k]);
    for (int32_t k = 0; k < kind->port_quantities && r->status == WARPLU_SUCCESS; k++) check_units(m, k);
}
