/* A JSON emitter for reports: two-space indentation, one member a line, commas kept by the emitter.
 *
 *     json j;
 *     json_begin(&j, stdout);
 *     json_open(&j, NULL, '{');
 *     json_int(&j, "n", n);
 *     json_open(&j, "files", '[');
 *     json_text(&j, NULL, path);
 *     json_close(&j);
 *     json_end(&j);
 *
 * json_begin_line() puts the whole report on one line instead. name is NULL inside an array. Numbers that
 * JSON has no word for (NaN, infinities) become null. */
#ifndef WLU_JSON_H
#define WLU_JSON_H

#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 16 };

typedef struct json {
    FILE *out;
    int depth;
    int one_line;
    char close[JSON_DEPTH]; /* the bracket that ends each open level */
    int count[JSON_DEPTH];  /* members it has so far */
} json;

void json_begin(json *j, FILE *out);
void json_begin_line(json *j, FILE *out);
/* kind: '{' or '['. */
void json_open(json *j, const char *name, char kind);
void json_close(json *j);
/* Closes what is open and ends the line. */
void json_end(json *j);

void json_text(json *j, const char *name, const char *value); /* NULL becomes null */
void json_int(json *j, const char *name, int64_t value);
void json_uint(json *j, const char *name, uint64_t value);
void json_real(json *j, const char *name, double value); /* 17 digits at most, enough to read it back */
void json_bool(json *j, const char *name, int value);

#endif
