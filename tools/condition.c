/* Condition numbers, growth, determinant and weak pivots as facts. See condition.h. */
#include <warplu/inspect.h>

#include "condition.h"

#include <inttypes.h>
#include <stdio.h>

warplu_status condition_ask(warplu_solver *solver, const double *values, int is_complex, condition_facts *out)
{
    *out = (condition_facts){.forward_error = -1.0, .is_complex = is_complex};
    warplu_status status = warplu_estimate_condition(solver, values, &out->condition);
    if (status >= 0) status = warplu_estimate_skeel_condition(solver, values, NULL, &out->skeel);
    if (status >= 0) status = warplu_compute_pivot_growth(solver, values, &out->growth);
    if (status >= 0) status = warplu_compute_determinant(solver, out->mantissa, &out->exponent);
    if (status >= 0)
        status = warplu_list_pivots(solver, values, CONDITION_WEAK_PIVOT, CONDITION_LISTED, out->weakest, &out->weak);
    return status;
}

void condition_report(facts *f, const condition_facts *c)
{
    char place[32];
    facts_section(f, "condition");
    facts_real(f, "condition_estimate", c->condition);
    facts_real(f, "skeel_condition", c->skeel);
    if (c->forward_error != -1.0) facts_real(f, "forward_error", c->forward_error);
    facts_real(f, "pivot_growth", c->growth);
    facts_real(f, "determinant_mantissa", c->mantissa[0]);
    if (c->is_complex) facts_real(f, "determinant_imaginary", c->mantissa[1]);
    facts_int(f, "determinant_exponent", c->exponent);
    facts_int(f, "weak_pivots", c->weak);
    if (c->weak == 0 && !f->as_json) {
        facts_section_end(f);
        return;
    }
    facts_rows(f, "weakest");
    for (int32_t k = 0; k < c->weak && k < CONDITION_LISTED; k++) {
        const warplu_pivot *p = &c->weakest[k];
        snprintf(place, sizeof place, "%" PRId32 ",%" PRId32, p->row + 1, p->col + 1);
        facts_row(f, "place", place);
        facts_int(f, "row", (int64_t)p->row + 1);
        facts_int(f, "column", (int64_t)p->col + 1);
        facts_real(f, "value", p->value);
        if (c->is_complex) facts_real(f, "imaginary", p->imaginary);
        facts_real(f, "ratio", p->ratio);
        facts_row_end(f);
    }
    facts_rows_end(f);
    facts_section_end(f);
}
