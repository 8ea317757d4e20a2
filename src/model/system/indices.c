/* Finds splices, and reads by them. */
#include "model/system/indices.h"

#include <string.h>

/* Splices pay where at most one instance of so many is read by itself. */
enum { LONE_SHARE = 4 };

/* Returns whether eight numbers can be read from a place on. */
static int is_readable(int32_t place, int32_t nodes)
{
    return place >= 0 && place <= nodes - WLM_SPLICE;
}

/* Splices up to eight instances: the run of the first one, and that of the last one. */
static wlm_splice splice_of(const int32_t *node, int32_t count, int32_t nodes)
{
    wlm_splice s = {node[0], node[count - 1] - (count - 1), 0};
    while (s.split < count && node[s.split] == s.low + s.split) s.split++;
    while (s.split < count && node[s.split] != s.high + s.split) s.split++;
    if (s.split == count) s.split = WLM_SPLICE, s.high = s.low;
    if (!is_readable(s.low, nodes)) s.low = 0, s.split = 0;
    if (!is_readable(s.high, nodes)) s.high = s.low, s.split = WLM_SPLICE;
    return s;
}

static int32_t spliced(const wlm_splice *s, int32_t k)
{
    return (k < s->split ? s->low : s->high) + k;
}

/* Lists splices and what they do not read, or counts the latter where `out` has no room. */
static int32_t list(const int32_t *node, int32_t count, int32_t nodes, wlm_indices *out)
{
    int32_t lone = 0;
    for (int32_t begin = 0; begin < count; begin += WLM_SPLICE) {
        int32_t here = count - begin < WLM_SPLICE ? count - begin : WLM_SPLICE;
        const wlm_splice s = splice_of(node + begin, here, nodes);
        if (out->splice != NULL && begin % WLM_LANES == 0) out->first_lone[begin / WLM_LANES] = lone;
        if (out->splice != NULL) out->splice[begin / WLM_SPLICE] = s;
        for (int32_t k = 0; k < here; k++) {
            if (node[begin + k] == spliced(&s, k)) continue;
            if (out->splice != NULL) out->lone[lone] = (wlm_lone){(begin + k) % WLM_LANES, node[begin + k]};
            lone++;
        }
    }
    return lone;
}

warplu_status wlm_indices_make(wlu_context *ctx, const int32_t *node, int32_t count, int32_t nodes, wlm_indices *out)
{
    *out = (wlm_indices){.node = node};
    if (nodes < WLM_SPLICE || count < WLM_SPLICE) return WARPLU_SUCCESS;
    const int32_t lone = list(node, count, nodes, out), chunks = (count + WLM_LANES - 1) / WLM_LANES;
    if (lone > count / LONE_SHARE) return WARPLU_SUCCESS;
    out->first_lone = WLU_ALLOC(ctx, (int64_t)chunks + 1, int32_t);
    out->lone = WLU_ALLOC(ctx, lone, wlm_lone);
    out->splice = WLU_ALLOC(ctx, (count + WLM_SPLICE - 1) / WLM_SPLICE, wlm_splice);
    if (!WLU_ALL_THERE(out->first_lone, out->lone, out->splice)) {
        wlm_indices_free(ctx, out);
        return wlu_fail_memory(ctx, "indices");
    }
    out->first_lone[chunks] = list(node, count, nodes, out);
    return WARPLU_SUCCESS;
}

void wlm_indices_free(wlu_context *ctx, wlm_indices *indices)
{
    wlu_free(ctx, indices->splice);
    wlu_free(ctx, indices->first_lone);
    wlu_free(ctx, indices->lone);
    memset(indices, 0, sizeof *indices);
}

void wlm_indices_read(const wlm_indices *s, const wlm_kernels *kernels, const double *from, int32_t begin,
                      int32_t lanes, double *to)
{
    if (s->splice == NULL) {
        for (int32_t i = 0; i < lanes; i++) to[i] = from[s->node[begin + i]];
        return;
    }
    kernels->splice(from, s->splice + begin / WLM_SPLICE, (lanes + WLM_SPLICE - 1) / WLM_SPLICE, to);
    const int32_t *first = s->first_lone + begin / WLM_LANES;
    for (const wlm_lone *l = s->lone + first[0]; l < s->lone + first[1]; l++) to[l->lane] = from[l->node];
}
