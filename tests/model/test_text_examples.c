/* Models that are read as they stand: those of examples/models, and those of docs/models.md, one a section.
 *
 *     test_text_examples FILE... */
#include "model/text/read.h"

#include <string.h>

#include "support/check.h"

enum { LINE_BYTES = 1024, TEXT_BYTES = 1 << 16 };

static const char *path;

static void check_text(const char *name, const char *text)
{
    wlu_context ctx;
    wlm_model *model;
    wlu_context_init(&ctx, NULL);
    warplu_status status = wlm_model_parse(&ctx, name, text, (int64_t)strlen(text), 0, &model);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s", ctx.last_message);
    wlm_model_destroy(&model);
}

static void model_is_read(void)
{
    wlu_context ctx;
    wlm_model *model;
    wlu_context_init(&ctx, NULL);
    CHECK_SAY(wlm_model_read(&ctx, path, &model) == WARPLU_SUCCESS, "%s", ctx.last_message);
    if (model != NULL) CHECK(model->uses > 0);
    wlm_model_destroy(&model);
}

/* Indented lines of each section from "## A cell" on. */
static void sections_are_read(void)
{
    static char line[LINE_BYTES], text[TEXT_BYTES], name[LINE_BYTES];
    int sections = 0, begun = 0;
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "## ", 3) == 0) {
            if (begun) check_text(name, text);
            begun |= strcmp(line, "## A cell\n") == 0;
            sections += begun;
            text[0] = '\0';
            line[strcspn(line, "\n")] = '\0';
            strcpy(name, line + 3);
        } else if (begun && strncmp(line, "    ", 4) == 0) {
            CHECK(strlen(text) + strlen(line) < sizeof text);
            strcat(text, line + 4);
        }
    }
    if (begun) check_text(name, text);
    CHECK_SAY(sections >= 5, "%d sections", sections);
    if (file != NULL) fclose(file);
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        path = argv[k];
        if (strcmp(path + strlen(path) - 3, ".md") == 0)
            RUN(sections_are_read);
        else
            RUN(model_is_read);
    }
    return check_done();
}
