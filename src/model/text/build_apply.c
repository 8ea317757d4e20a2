/* Puts the expressions of a function in the place of a call. The function's names are a scope on the stack, whose depth
 * is bounded when calls are read. */
#include "model/text/build.h"
#include "model/text/routine.h"

/* Gives a name of the function the value of an expression: a number where it is one, for conditions, indices and the
 * bounds of sums. */
static void bind(wlm_builder *b, wlm_scope *to, wlm_word name, const wlm_scope *outer, const wlm_tree *tree)
{
    int is_number = b->building == WLM_TO_NUMBER || wlm_is_constant(b, tree);
    wlm_value value = is_number ? wlm_constant_value(b, tree) : wlm_value_of(b, tree);
    *to = (wlm_scope){.name = name, .value = value.number, .outer = outer, .is_node = !is_number, .node = value.node};
}

wlm_value wlm_apply(wlm_builder *b, const wlm_tree *call)
{
    wlm_scope scope[WLM_ROUTINE_NAMES_MOST];
    const wlm_routine *f = call->function;
    const wlm_tree *around = b->call;
    const wlm_scope *before = b->scope;
    const wlm_tree *operand = call->first;
    for (int32_t k = 0; k < f->names; k++) {
        if (k == f->arguments) b->call = call;
        if (k >= f->arguments) b->scope = &scope[k - 1];
        bind(b, &scope[k], f->known[k], k > 0 ? &scope[k - 1] : NULL, k < f->arguments ? operand : f->value[k]);
        if (k < f->arguments) operand = operand->next;
    }
    b->call = call;
    b->scope = &scope[f->names - 1];
    wlm_value value = wlm_value_of(b, f->result);
    b->call = around;
    b->scope = before;
    return value;
}
