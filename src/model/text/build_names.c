/* Names as elements know them: with their indices, and with the parts that they are of. */
#include <stdio.h>
#include <string.h>

#include "model/text/build.h"
#include "model/text/parts.h"

/* Returns the name with its indices. */
static wlm_word indexed_name_of(wlm_builder *b, const wlm_tree *tree)
{
    enum { INDEX_BYTES = 16 };
    const int64_t most = INT32_MAX;
    wlm_word word = tree->name;
    if (tree->index == NULL) return word;
    int32_t count = 0, at = word.length;
    for (const wlm_tree *index = tree->index; index != NULL; index = index->next) count++;
    int64_t room = (int64_t)word.length + count * INDEX_BYTES + 2;
    char *text = wlm_take_for(b->r, &b->r->scratch, room, 1);
    if (text == NULL) return word;
    memcpy(text, word.text, (size_t)word.length);
    for (const wlm_tree *index = tree->index; index != NULL; index = index->next) {
        int64_t whole = wlm_whole_of(b, index, "an index", -most, most);
        at += snprintf(text + at, (size_t)(room - at), "%c%lld%s", index == tree->index ? '[' : ',', (long long)whole,
                       index->next == NULL ? "]" : "");
    }
    return (wlm_word){text, at};
}

/* Returns "before" "between" "behind". */
static wlm_word joined(wlm_reading *r, wlm_word before, const char *between, wlm_word behind)
{
    int32_t middle = (int32_t)strlen(between);
    int64_t length = (int64_t)before.length + middle + behind.length;
    char *text = length < INT32_MAX ? wlm_take_for(r, &r->scratch, length + 1, 1) : NULL;
    if (text == NULL) return wlm_fail_taking(r), behind;
    memcpy(text, before.text, (size_t)before.length);
    memcpy(text + before.length, between, (size_t)middle);
    memcpy(text + before.length + middle, behind.text, (size_t)behind.length);
    return (wlm_word){text, (int32_t)length};
}

wlm_word wlm_name_of(wlm_builder *b, const wlm_tree *tree)
{
    wlm_word name = indexed_name_of(b, tree);
    if (tree->type != WLM_TREE_NAME || tree->quantity == NULL) return name;
    return joined(b->r, name, ".", wlm_name_of(b, tree->quantity));
}

wlm_word wlm_dotted_name_of(wlm_builder *b, const wlm_tree *tree)
{
    return joined(b->r, wlm_name_of(b, tree), ".", wlm_name_of(b, tree->quantity));
}

const wlm_element_part *wlm_part_of(const wlm_scope *scope)
{
    while (scope != NULL && scope->part == NULL) scope = scope->outer;
    return scope != NULL ? scope->part : NULL;
}

wlm_word wlm_own_name(const wlm_builder *b, wlm_word name)
{
    const wlm_element_part *part = wlm_part_of(b->scope);
    return part != NULL ? joined(b->r, part->name, ".", name) : name;
}
