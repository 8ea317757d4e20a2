/* Searches for wrong successes of one class: a family of matrices, a precision, A or A'. */
#ifndef WLU_ADVERSARIAL_SEARCH_H
#define WLU_ADVERSARIAL_SEARCH_H

#include "families.h"
#include "play.h"

/* Lineages: of the first kind each climbs towards a larger error of an unchecked success, of the second towards a
 * larger error beside how weak the health looks. */
enum { BY_ERROR = 4, BY_SURPRISE = 2, LINEAGES = BY_ERROR + BY_SURPRISE };

typedef struct lineage {
    genome g;
    int alive;
    double score;
    int64_t stale; /* children in a row that were no better */
} lineage;

typedef struct record {
    genome g; /* its right-hand sides as they were played */
    int alive;
    finding f;
    int64_t at; /* the evaluation that found it */
} record;

typedef struct search {
    family_kind family;
    warplu_precision precision;
    int transposed;
    uint64_t seed;
    int64_t evaluations, odd;
    counts count; /* of both directions */
    lineage lineage[LINEAGES];
    record worst, hidden, wrong; /* of all evaluations so far; wrong: the first, checked ones too */
} search;

/* Everything is drawn from seed and class alone. */
void search_begin(search *s, family_kind family, warplu_precision precision, int transposed, uint64_t seed);
void search_run(search *s, int64_t evaluations);
/* "triangle, double, A". Good until the next call. */
const char *search_name(const search *s);
void search_end(search *s);

#endif
