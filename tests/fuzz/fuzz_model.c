/* The reader of models' texts: any bytes are a model in order, or an error with its place, within a bound of memory. */
#include "fuzz.h"

#include "model/text/read.h"
#include <warplu/warplu.h>

#include <stdlib.h>
#include <string.h>

/* So that counts in the billions, which a text may have, are refused before they are filled. */
enum { BYTES_MOST = 1 << 23, BEFORE = 16 };

static int64_t bytes, blocks;

static void *allocate(size_t size, void *user)
{
    (void)user;
    if (size > BYTES_MOST || bytes + (int64_t)size > BYTES_MOST) return NULL;
    char *block = malloc(size + BEFORE);
    if (block == NULL) return NULL;
    memcpy(block, &size, sizeof size);
    bytes += (int64_t)size;
    blocks++;
    return block + BEFORE;
}

static void release(void *pointer, void *user)
{
    (void)user;
    size_t size;
    memcpy(&size, (char *)pointer - BEFORE, sizeof size);
    bytes -= (int64_t)size;
    blocks--;
    free((char *)pointer - BEFORE);
}

static void check_kind(const wlm_kind *kind)
{
    int32_t nodes = wlm_node_count(kind->graph);
    FUZZ_REQUIRE(kind->unknowns == kind->closings, "%d unknowns", kind->unknowns);
    for (int32_t k = 0; k < kind->states; k++)
        FUZZ_REQUIRE(kind->state[k].rate >= 0 && kind->state[k].rate < nodes && kind->state[k].initial >= 0, "state %d",
                     k);
    for (int32_t k = 0; k < kind->locals; k++)
        FUZZ_REQUIRE(kind->local[k].node >= 0 && kind->local[k].node < nodes && kind->local[k].place.line > 0,
                     "local %d", k);
    for (int32_t k = 0; k < kind->contributions; k++) {
        const wlm_contribution *c = &kind->contribution[k];
        FUZZ_REQUIRE(c->quantity >= 0 && c->quantity < kind->port_quantities, "contribution %d", k);
        FUZZ_REQUIRE(c->flow != WLM_NONE || c->charge != WLM_NONE, "contribution %d", k);
    }
}

static void check_use(const wlm_model *model, const wlm_use *use)
{
    const wlm_kind *kind = &model->kind[use->kind];
    FUZZ_REQUIRE(use->kind >= 0 && use->kind < model->kinds && use->count > 0, "use");
    for (int32_t p = 0; p < kind->ports; p++)
        for (int32_t k = 0; k < use->count; k++)
            FUZZ_REQUIRE(use->node[p][k] >= 0 && use->node[p][k] < model->set[use->set[p]].count, "node %d of port %d",
                         k, p);
    for (int32_t q = 0; q < kind->port_quantities; q++) {
        const wlm_set *set = &model->set[use->set[kind->port_quantity[q].port]];
        FUZZ_REQUIRE(use->quantity[q] >= 0 && use->quantity[q] < set->quantities, "quantity %d", q);
        FUZZ_REQUIRE(strcmp(set->quantity[use->quantity[q]].name, kind->port_quantity[q].name) == 0, "quantity %d", q);
    }
}

static void check_message(const wlu_context *ctx, warplu_status status)
{
    int line = 0, column = 0;
    int has_place = sscanf(ctx->last_message, "fuzz.wm:%d:%d: error: ", &line, &column) == 2;
    FUZZ_REQUIRE(status < 0 && ctx->last_message[0] != '\0' && strlen(ctx->last_message) < WLU_MESSAGE_BYTES,
                 "status %d", status);
    if (status == WARPLU_BAD_FORMAT || status == WARPLU_MODEL_EQUATIONS)
        FUZZ_REQUIRE((has_place && line > 0 && column > 0) || strstr(ctx->last_message, "expected") != NULL, "%s",
                     ctx->last_message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wlu_context ctx;
    wlm_model *model;
    warplu_options options;
    warplu_init_options(&options);
    options.allocate = allocate;
    options.release = release;
    wlu_context_init(&ctx, &options);
    warplu_status status = wlm_model_parse(&ctx, "fuzz.wm", (const char *)data, (int64_t)size, 0, &model);
    FUZZ_REQUIRE((status == WARPLU_SUCCESS) == (model != NULL), "status %d", status);
    if (model != NULL) {
        for (int32_t k = 0; k < model->kinds; k++) check_kind(&model->kind[k]);
        for (int32_t k = 0; k < model->uses; k++) check_use(model, &model->use[k]);
    } else {
        check_message(&ctx, status);
    }
    wlm_model_destroy(&model);
    FUZZ_REQUIRE(blocks == 0 && bytes == 0, "%lld blocks are left", (long long)blocks);
    return 0;
}
