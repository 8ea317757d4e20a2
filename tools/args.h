/* Options of a subcommand as a table: parsed by getopt_long, and printed by --help.
 *
 *     int64_t size = 0;
 *     const args_option options[] = {
 *         {.name = "size", .type = ARGS_INT, .out = &size, .min = 1, .max = INT32_MAX, .value = "N",
 *          .help = "number of unknowns"},
 *         {.name = NULL},
 *     };
 *     args_command command = {.name = "gen", .usage = "KIND --size N", .options = options, ...};
 *     int first;
 *     int code = args_parse(&command, argc, argv, &first);
 *     if (code != ARGS_RUN) return code;
 *
 * An option not given leaves *out as it was: that is its default, to be named in its help text. --help is
 * added to every table. Options and operands may come in any order; "--" ends the options. */
#ifndef WLU_ARGS_H
#define WLU_ARGS_H

#include <stdint.h>

typedef enum args_type {
    ARGS_FLAG,   /* int: set to 1; takes no value */
    ARGS_TEXT,   /* const char *: the value, owned by argv */
    ARGS_INT,    /* int64_t between min and max, decimal */
    ARGS_SEED,   /* uint64_t, decimal */
    ARGS_REAL,   /* double between min and max, finite */
    ARGS_CHOICE, /* int: the place of the value in choices */
    ARGS_LIST    /* args_list: every value given, in turn */
} args_type;

typedef struct args_list {
    int count, capacity;
    const char **items; /* capacity places, given by the caller; one more value is a usage error */
} args_list;

typedef struct args_option {
    const char *name; /* without its dashes; NULL ends the table */
    char letter;      /* short form, or 0 */
    args_type type;
    void *out;
    double min, max;            /* of ARGS_INT and ARGS_REAL, inclusive; integers below 2^53 */
    const char *const *choices; /* of ARGS_CHOICE, ended by NULL */
    const char *value;          /* the value's name in the help text; NULL: the choices, or none for a flag */
    const char *help;           /* may hold newlines */
} args_option;

typedef struct args_command {
    const char *name;  /* "gen" */
    const char *usage; /* what follows it: "KIND --size N [OPTION]..." */
    const char *about; /* what it does, shown under the usage line; may be NULL */
    const char *after; /* shown under the options; may be NULL */
    const args_option *options;
    int min_operands, max_operands; /* max below 0: any number */
    const char *operand;            /* "a KIND", for "expected a KIND" */
} args_command;

enum { ARGS_RUN = -1 };

/* Parses argv[1..]; operands end up in argv[*first] .. argv[argc - 1]. ARGS_RUN, or the exit code to end
 * with: 0 after --help, 2 after a usage error, which has been said on standard error. */
int args_parse(const args_command *command, int argc, char **argv, int *first);

/* "warplu: gen: MESSAGE; try 'warplu gen --help'" on standard error; returns 2. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int args_usage(const args_command *command, const char *format, ...);

/* The one of names that text is likely a misspelling of, or NULL. */
const char *args_nearest(const char *text, const char *const *names, int count);

#endif
