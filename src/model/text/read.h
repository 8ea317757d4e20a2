/* Reads the text of a model (docs/models.md has the grammar) and checks it.
 *
 * Messages begin with NAME:LINE:COLUMN. WARPLU_BAD_FORMAT where the text breaks the grammar or its rules;
 * WARPLU_MODEL_EQUATIONS where equations do not match unknowns; WARPLU_OVERFLOW where something is too large to count;
 * WARPLU_CANNOT_OPEN and CANNOT_READ of files; WARPLU_OUT_OF_MEMORY. *out is NULL then. Cost: one pass over the text,
 * two over each element's expressions, and one for each instance. */
#ifndef WLU_MODEL_TEXT_READ_H
#define WLU_MODEL_TEXT_READ_H

#include "model/text/model.h"

/* Reads a text. `name` stands in messages, and files that the text names are relative to its folder. literal: 1 where
 * graphs keep what is written (graph.h). The text may go afterwards; the context has to outlive the model. */
warplu_status wlm_model_parse(wlu_context *ctx, const char *name, const char *text, int64_t length, int literal,
                              wlm_model **out);
/* Reads a file, with graphs that are not literal; path "-" is standard input. */
warplu_status wlm_model_read(wlu_context *ctx, const char *path, wlm_model **out);
/* Takes NULL, leaves NULL. */
void wlm_model_destroy(wlm_model **model);

#endif
