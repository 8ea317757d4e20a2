/* A report as named facts, for people and for programs from the same calls: text, one fact a line under
 * section headings, or one JSON object.
 *
 *     facts f;
 *     facts_begin(&f, stdout, as_json);
 *     facts_section(&f, "program");
 *     facts_int(&f, "program_bytes", bytes);     "  program bytes            123" or "program_bytes": 123
 *     facts_rows(&f, "orderings");               JSON: an array of objects
 *     facts_row(&f, "ordering", "amd");          text: one line that begins with the row's name
 *     facts_int(&f, "terms", terms);
 *     facts_row_end(&f);
 *     facts_rows_end(&f);
 *     facts_section_end(&f);
 *     facts_end(&f);
 *
 * A name is the JSON key; in text its underscores are blanks. */
#ifndef WLU_FACTS_H
#define WLU_FACTS_H

#include "json.h"

typedef struct facts {
    json j;
    FILE *out;
    int as_json;
    int depth;  /* of sections and rows that are open */
    int in_row; /* facts stand side by side on one line */
} facts;

void facts_begin(facts *f, FILE *out, int as_json);
void facts_end(facts *f);
/* A named group: an object in JSON, a heading in text. */
void facts_section(facts *f, const char *name);
void facts_section_end(facts *f);
void facts_rows(facts *f, const char *name);
void facts_row(facts *f, const char *key, const char *name);
void facts_row_end(facts *f);
void facts_rows_end(facts *f);

void facts_text(facts *f, const char *name, const char *value);
void facts_int(facts *f, const char *name, int64_t value);
void facts_real(facts *f, const char *name, double value); /* text: 4 digits */
void facts_bool(facts *f, const char *name, int value);

#endif
