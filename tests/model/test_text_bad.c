/* Malformed models: each is refused, with its status, the place and the message of the tables in tests/model/bad.
 *
 *     test_text_bad TABLE...          TAP
 *     test_text_bad --print TABLE     the table as it should be by what is answered now
 *
 * A case is two lines. The first one is a letter and a text, in which \n is the end of a line; the second one,
 * indented, is the status and the message from the line's number on. The letter says what stands around the text: T
 * nothing, E an element with ports p and q, from line 2 on, U what a use needs, from line 8 on. */
#include "model/text/read.h"

#include <string.h>

#include "support/check.h"

enum { TEXT_BYTES = 1 << 16, LINE_BYTES = 8192 };

static const char *table_name;
static int is_printing;

static void append(char *text, const char *more)
{
    size_t at = strlen(text);
    for (; *more != '\0' && at + 1 < TEXT_BYTES; more++)
        if (more[0] == '\\' && more[1] == 'n')
            text[at++] = '\n', more++;
        else
            text[at++] = *more;
    text[at] = '\0';
}

static void whole_text(char letter, const char *body, char *text)
{
    text[0] = '\0';
    if (letter == 'E') append(text, "element e(p, q)\\n");
    if (letter == 'U')
        append(text, "const three = 3\\nelement e(p, q)\\n  param g = 1; param w[2] = 1; state x = 0; y = g*x\\n"
                     "  x' = y; p.v += g*(p.v - q.v) + ddt(p.v)\\n  q.v += 0 - p.v + q.k\\nend\\n"
                     "nodes n[4] { balance v = 0; fixed k = 1 } ; nodes other { balance v = 0 }\\n");
    append(text, body);
    if (letter == 'E') append(text, "\\nend\\n");
    append(text, "\\n");
}

/* STATUS LINE:COLUMN: error: ... */
static void answer_of(const char *text, char *answer)
{
    wlu_context ctx;
    wlm_model *model = NULL;
    wlu_context_init(&ctx, NULL);
    warplu_status status = wlm_model_parse(&ctx, "bad.wm", text, (int64_t)strlen(text), 0, &model);
    const char *said = ctx.last_message, *name = warplu_status_name(status);
    if (strncmp(said, "bad.wm:", 7) == 0) said += 7;
    CHECK_SAY((model == NULL) == (status != WARPLU_SUCCESS), "%s", text);
    snprintf(answer, LINE_BYTES, "%s %s", strncmp(name, "WARPLU_", 7) == 0 ? name + 7 : name, said);
    wlm_model_destroy(&model);
}

static void table_is_answered(void)
{
    static char line[LINE_BYTES], expected[LINE_BYTES], text[TEXT_BYTES], answer[LINE_BYTES];
    int cases = 0;
    FILE *file = fopen(table_name, "r");
    CHECK_SAY(file != NULL, "%s", table_name);
    if (file == NULL) return;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0') {
            if (is_printing) printf("%s\n", line);
            continue;
        }
        CHECK(strlen(line) > 1 && strchr("TEU", line[0]) != NULL && line[1] == ' ');
        whole_text(line[0], line + 2, text);
        answer_of(text, answer);
        if (is_printing) printf("%s\n", line);
        if (is_printing) printf("  %s\n", answer);
        if (fgets(expected, sizeof expected, file) == NULL) break;
        expected[strcspn(expected, "\n")] = '\0';
        cases++;
        if (!is_printing)
            CHECK_SAY(strcmp(expected + 2, answer) == 0, "%s\n#   expected %s\n#   found    %s", line, expected + 2,
                      answer);
        CHECK_SAY(strncmp(answer, "SUCCESS", 7) != 0, "%s", line);
    }
    fclose(file);
    if (!is_printing)
        printf("# %s: %d cases\n", strrchr(table_name, '/') != NULL ? strrchr(table_name, '/') + 1 : table_name, cases);
    CHECK(cases > 0);
}

int main(int argc, char **argv)
{
    is_printing = argc > 2 && strcmp(argv[1], "--print") == 0;
    for (int k = is_printing ? 2 : 1; k < argc; k++) {
        table_name = argv[k];
        if (is_printing)
            table_is_answered();
        else
            RUN(table_is_answered);
    }
    return is_printing ? 0 : check_done();
}
