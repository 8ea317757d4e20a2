/* The banner of a Matrix Market file. Its words are taken in upper or lower case, further words are ignored, and a
 * typecode that does not exist is an error that names the word at fault. Cost: one line. */
#include "matrix_market/banner.h"

#include <string.h>

static const char *const object_names[] = {"matrix"};
static const char *const format_names[] = {"coordinate", "array"};
static const char *const field_names[] = {"real", "integer", "pattern", "complex"};
static const char *const field_words[] = {"real", "integer", "pattern", "complex", "unsigned-integer"};
static const char *const symmetry_names[] = {"general", "symmetric", "skew-symmetric", "hermitian"};

enum { OBJECTS = 1, FORMATS = 2, FIELDS = 4, FIELD_WORDS = 5, SYMMETRIES = 4 };

const char *wlu_mm_symmetry_name(warplu_mm_symmetry symmetry)
{
    return symmetry_names[symmetry];
}

int wlu_mm_parts(warplu_mm_field field)
{
    switch (field) {
    case WARPLU_MM_FIELD_PATTERN: return 0;
    case WARPLU_MM_FIELD_REAL:
    case WARPLU_MM_FIELD_INTEGER: return 1;
    case WARPLU_MM_FIELD_COMPLEX: return 2;
    }
    return 0;
}

/* The start of the next word of *text, which moves behind it. */
static char *next_word(char **text)
{
    char *word = wlu_skip_blanks(*text), *p = word;
    while (*p != '\0' && !wlu_is_blank(*p)) p++;
    *text = p;
    return word;
}

/* Whether the word is the name, which is in lower case. */
static int is_word(const char *word, const char *name)
{
    for (; *name != '\0'; word++, name++)
        if ((*word >= 'A' && *word <= 'Z' ? *word - 'A' + 'a' : *word) != *name) return 0;
    return *word == '\0' || wlu_is_blank(*word);
}

/* The number of the next word among the names; else fails and says what was expected. */
static warplu_status read_word(wlu_mm_input *in, char **text, const char *const *names, int count, const char *expected,
                               int *found)
{
    char *word = next_word(text);
    for (*found = 0; *found < count; ++*found)
        if (is_word(word, names[*found])) return WARPLU_SUCCESS;
    return wlu_mm_unexpected(in, WARPLU_BAD_FORMAT, word, "%s in the banner", expected);
}

/* Why there are no files of this typecode; NULL if there are. *word: the word at fault. */
static const char *find_conflict(const warplu_mm_typecode *t, const char **word)
{
    int pattern = t->field == WARPLU_MM_FIELD_PATTERN;
    *word = format_names[t->format];
    if (pattern && t->format == WARPLU_MM_FORMAT_ARRAY) return "coordinate for a pattern";
    *word = symmetry_names[t->symmetry];
    if (pattern && (t->symmetry == WARPLU_MM_SYMMETRY_SKEW_SYMMETRIC || t->symmetry == WARPLU_MM_SYMMETRY_HERMITIAN))
        return "general or symmetric for a pattern";
    *word = field_names[t->field];
    if (t->symmetry == WARPLU_MM_SYMMETRY_HERMITIAN && t->field != WARPLU_MM_FIELD_COMPLEX)
        return "complex for hermitian";
    return NULL;
}

int wlu_mm_typecode_exists(const warplu_mm_typecode *t)
{
    const char *word;
    return (unsigned)t->object < OBJECTS && (unsigned)t->format < FORMATS && (unsigned)t->field < FIELDS &&
           (unsigned)t->symmetry < SYMMETRIES && find_conflict(t, &word) == NULL;
}

warplu_status wlu_mm_read_banner(wlu_mm_input *in, wlu_mm_entries *e)
{
    warplu_status status = wlu_mm_next_line(in);
    if (status != WARPLU_SUCCESS) return status;
    char *text = in->line;
    char *word = text == NULL ? NULL : next_word(&text);
    if (word == NULL || !is_word(word, "%%matrixmarket"))
        return wlu_mm_unexpected(in, WARPLU_BAD_FORMAT, word, "the banner '%%%%MatrixMarket'");
    int object = 0, format = 0, field = 0, symmetry = 0;
    status = read_word(in, &text, object_names, OBJECTS, "'matrix'", &object);
    if (status == WARPLU_SUCCESS) status = read_word(in, &text, format_names, FORMATS, "coordinate or array", &format);
    if (status == WARPLU_SUCCESS)
        status = read_word(in, &text, field_words, FIELD_WORDS, "real, integer, unsigned-integer, pattern or complex",
                           &field);
    if (status == WARPLU_SUCCESS)
        status = read_word(in, &text, symmetry_names, SYMMETRIES, "general, symmetric, skew-symmetric or hermitian",
                           &symmetry);
    if (status != WARPLU_SUCCESS) return status;
    e->is_unsigned = field == FIELDS;
    if (e->is_unsigned) field = WARPLU_MM_FIELD_INTEGER;
    e->typecode = (warplu_mm_typecode){(warplu_mm_object)object, (warplu_mm_format)format, (warplu_mm_field)field,
                                       (warplu_mm_symmetry)symmetry};
    e->parts = wlu_mm_parts(e->typecode.field);
    const char *found, *expected = find_conflict(&e->typecode, &found);
    if (expected == NULL && e->is_unsigned && symmetry == WARPLU_MM_SYMMETRY_SKEW_SYMMETRIC) {
        expected = "general or symmetric for unsigned-integer";
        found = symmetry_names[symmetry];
    }
    if (expected == NULL) return WARPLU_SUCCESS;
    return wlu_mm_fail(in, WARPLU_BAD_FORMAT, "expected %s, found %s", expected, found);
}

void warplu_mm_print_typecode(const warplu_mm_typecode *typecode, char *out)
{
    *out = '\0';
    if (!wlu_mm_typecode_exists(typecode)) return;
    const char *const words[] = {object_names[typecode->object], format_names[typecode->format],
                                 field_names[typecode->field], symmetry_names[typecode->symmetry]};
    for (int k = 0; k < 4; k++) {
        size_t length = strlen(words[k]);
        memcpy(out, words[k], length);
        out += length;
        *out++ = k < 3 ? ' ' : '\0';
    }
}
