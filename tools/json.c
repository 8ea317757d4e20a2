/* JSON reports. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void quote(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
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
