/* Reports as text or JSON. See facts.h. */
#include "facts.h"

#include <inttypes.h>

enum { INDENT = 2, VALUE_COLUMN = 28, ROW_COLUMN = 12 };

void facts_begin(facts *f, FILE *out, int as_json)
{
    *f = (facts){.out = out, .as_json = as_json};
    if (!as_json) return;
    json_begin(&f->j, out);
    json_open(&f->j, NULL, '{');
}

void facts_end(facts *f)
{
    if (f->as_json) json_end(&f->j);
}

/* The name with blanks for underscores, padded to a width. */
static void put_name(const facts *f, const char *name, int width)
{
    int length = 0;
    for (; *name != '\0'; name++, length++) fputc(*name == '_' ? ' ' : *name, f->out);
    for (; length < width; length++) fputc(' ', f->out);
}

/* Opens a group: a bracket in JSON, a heading in text. */
static void open_group(facts *f, const char *name, char kind)
{
    if (f->as_json) {
        json_open(&f->j, name, kind);
        return;
    }
    fprintf(f->out, "%*s", INDENT * f->depth++, "");
    put_name(f, name, 0);
    fputs(":\n", f->out);
}

static void close_group(facts *f)
{
    if (f->as_json)
        json_close(&f->j);
    else
        f->depth--;
}

void facts_section(facts *f, const char *name)
{
    open_group(f, name, '{');
}

void facts_section_end(facts *f)
{
    close_group(f);
}

void facts_rows(facts *f, const char *name)
{
    open_group(f, name, '[');
}

void facts_rows_end(facts *f)
{
    close_group(f);
}

void facts_row(facts *f, const char *key, const char *name)
{
    f->in_row = 1;
    if (f->as_json) {
        json_open(&f->j, NULL, '{');
        json_text(&f->j, key, name);
    } else {
        fprintf(f->out, "%*s%-*s", INDENT * f->depth, "", ROW_COLUMN, name);
    }
}

void facts_row_end(facts *f)
{
    f->in_row = 0;
    if (f->as_json)
        json_close(&f->j);
    else
        fputc('\n', f->out);
}

/* Before and after a value in text. */
static void begin_fact(const facts *f, const char *name)
{
    int indent = f->in_row ? INDENT : INDENT * f->depth;
    fprintf(f->out, "%*s", indent, "");
    put_name(f, name, f->in_row ? 0 : VALUE_COLUMN - indent - 1);
    fputc(' ', f->out);
}

static void end_fact(const facts *f)
{
    if (!f->in_row) fputc('\n', f->out);
}

void facts_text(facts *f, const char *name, const char *value)
{
    if (f->as_json) {
        json_text(&f->j, name, value);
        return;
    }
    begin_fact(f, name);
    fputs(value != NULL ? value : "-", f->out);
    end_fact(f);
}

void facts_int(facts *f, const char *name, int64_t value)
{
    if (f->as_json) {
        json_int(&f->j, name, value);
        return;
    }
    begin_fact(f, name);
    fprintf(f->out, f->in_row ? "%-9" PRId64 : "%" PRId64, value);
    end_fact(f);
}

void facts_real(facts *f, const char *name, double value)
{
    if (f->as_json) {
        json_real(&f->j, name, value);
        return;
    }
    begin_fact(f, name);
    fprintf(f->out, f->in_row ? "%-9.4g" : "%.4g", value);
    end_fact(f);
}

void facts_bool(facts *f, const char *name, int value)
{
    if (f->as_json)
        json_bool(&f->j, name, value);
    else
        facts_text(f, name, value ? "yes" : "no");
}
