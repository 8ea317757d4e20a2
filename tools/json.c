/* JSON reports. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Bytes of the UTF-8 character that text begins with; 0 where it is none. */
static int utf8_bytes(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    int bytes = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    for (int k = 1; k < bytes; k++)
        if ((c[k] & 0xc0) != 0x80) return 0;
    int outside = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf0 && c[1] < 0x90) ||
                  (c[0] == 0xf4 && c[1] >= 0x90);
    return outside ? 0 : bytes;
}

/* Names of files and what solvers say may be in any encoding; JSON is UTF-8. */
static void quote(FILE *out, const char *text)
{
    int bytes;
    fputc('"', out);
    for (; *text != '\0'; text += bytes > 0 ? bytes : 1) {
        unsigned char c = (unsigned char)*text;
        bytes = utf8_bytes(text);
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else if (bytes == 0)
            fputs("\\ufffd", out);
        else
            fwrite(text, 1, (size_t)bytes, out);
    }
    fputc('"', out);
}

static void new_line(const json *j)
{
    if (!j->one_line) fprintf(j->out, "\n%*s", 2 * j->depth, "");
}

/* Comma, line and name before a member. */
static void member(json *j, const char *name)
{
    if (j->depth == 0) return;
    if (j->count[j->depth - 1]++ > 0) fputs(j->one_line ? ", " : ",", j->out);
    new_line(j);
    if (name == NULL) return;
    quote(j->out, name);
    fputs(": ", j->out);
}

void json_begin(json *j, FILE *out)
{
    j->out = out;
    j->depth = j->one_line = 0;
}

void json_begin_line(json *j, FILE *out)
{
    json_begin(j, out);
    j->one_line = 1;
}

void json_open(json *j, const char *name, char kind)
{
    member(j, name);
    fputc(kind, j->out);
    if (j->depth == JSON_DEPTH) return;
    j->close[j->depth] = kind == '{' ? '}' : ']';
    j->count[j->depth++] = 0;
}

void json_close(json *j)
{
    if (j->depth == 0) return;
    j->depth--;
    if (j->count[j->depth] > 0) new_line(j);
    fputc(j->close[j->depth], j->out);
}

void json_end(json *j)
{
    while (j->depth > 0) json_close(j);
    fputc('\n', j->out);
}

void json_text(json *j, const char *name, const char *value)
{
    member(j, name);
    if (value == NULL)
        fputs("null", j->out);
    else
        quote(j->out, value);
}

void json_int(json *j, const char *name, int64_t value)
{
    member(j, name);
    fprintf(j->out, "%" PRId64, value);
}

void json_uint(json *j, const char *name, uint64_t value)
{
    member(j, name);
    fprintf(j->out, "%" PRIu64, value);
}

void json_real(json *j, const char *name, double value)
{
    char text[40];
    member(j, name);
    if (!isfinite(value)) {
        fputs("null", j->out);
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, j->out);
}

void json_bool(json *j, const char *name, int value)
{
    member(j, name);
    fputs(value ? "true" : "false", j->out);
}
