/* Ranges of options: a table for each struct of options says what is taken, and what messages say of it. */
#ifndef WLU_SOLVER_RANGES_H
#define WLU_SOLVER_RANGES_H

#include <stddef.h>
#include <stdint.h>

typedef enum wlu_option_type { WLU_OPTION_INT, WLU_OPTION_INT64, WLU_OPTION_DOUBLE } wlu_option_type;

/* A member, an enumeration's as an int, and the numbers that it may be. most: INFINITY, there is no upper end; DBL_MAX,
 * infinity alone is refused. */
typedef struct wlu_option_range {
    const char *name;
    wlu_option_type type;
    size_t offset;
    double least, most;
} wlu_option_range;

#define WLU_OPTION_TYPE(number) \
    _Generic(number, int64_t : WLU_OPTION_INT64, double : WLU_OPTION_DOUBLE, default : WLU_OPTION_INT)
#define WLU_OPTION_RANGE(structure, member, least, most) \
    { \
#member, WLU_OPTION_TYPE(((structure *)0)->member), offsetof(structure, member), (least), (most) \
    }

/* An option that is refused, for messages: "option NAME: WHY". */
typedef struct wlu_wrong_option {
    const char *name;
    char why[96];
} wlu_wrong_option;

/* Whether the members of a struct are within their ranges; 0: *wrong is the first that is not. O(count). */
int wlu_options_hold(const void *options, const wlu_option_range *ranges, size_t count, wlu_wrong_option *wrong);

/* The same for one number. */
int wlu_option_holds(const wlu_option_range *range, double value, wlu_wrong_option *wrong);
/* *wrong says why, a text. */
void wlu_option_refuse(wlu_wrong_option *wrong, const char *name, const char *why);

#endif
