/* Option tables: parsing, help text, usage errors with a hint. */
#include "args.h"

#include "commands.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 62, MAX_NAME = 31, HELP = 1000, FIRST = 1001, HELP_COLUMN = 25 };

int args_usage(const args_command *command, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cmd_say("%s: %s; try 'warplu %s --help'", command->name, text, command->name);
    return CMD_USAGE;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance of two short strings, by rows. */
static int distance(const char *a, const char *b)
{
    int row[MAX_NAME + 1];
    int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > MAX_NAME || nb > MAX_NAME) return MAX_NAME;
    for (int j = 0; j <= nb; j++) row[j] = j;
    for (int i = 1; i <= na; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int best = smaller(smaller(row[j], row[j - 1]) + 1, corner + (a[i - 1] != b[j - 1]));
            corner = row[j];
            row[j] = best;
        }
    }
    return row[nb];
}

const char *args_nearest(const char *text, const char *const *names, int count)
{
    const char *near = NULL;
    int best = 3;
    for (int k = 0; k < count; k++) {
        int d = distance(text, names[k]);
        if (d < best && d < (int)strlen(names[k])) {
            best = d;
            near = names[k];
        }
    }
    return near;
}

static int unknown_option(const args_command *command, const char *given)
{
    const char *names[MAX_OPTIONS + 1] = {"help"};
    char text[MAX_NAME + 1];
    int count = 1;
    for (const args_option *o = command->options; o->name != NULL; o++) names[count++] = o->name;
    const char *word = given + strspn(given, "-");
    size_t length = strcspn(word, "=");
    if (length > MAX_NAME) length = MAX_NAME;
    memcpy(text, word, length);
    text[length] = '\0';
    const char *near = strncmp(given, "--", 2) == 0 ? args_nearest(text, names, count) : NULL;
    if (near != NULL) return args_usage(command, "unknown option '%s' (did you mean '--%s'?)", given, near);
    return args_usage(command, "unknown option '%s'", given);
}

static int set_int(const args_command *command, const args_option *o, const char *text)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end != '\0') return args_usage(command, "--%s: expected an integer, found '%s'", o->name, text);
    if (errno != 0 || (double)v < o->min || (double)v > o->max)
        return args_usage(command, "--%s: expected %.0f to %.0f, found %s", o->name, o->min, o->max, text);
    *(int64_t *)o->out = v;
    return ARGS_RUN;
}

static int set_seed(const args_command *command, const args_option *o, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
        return args_usage(command, "--%s: expected an integer from 0 to 2^64 - 1, found '%s'", o->name, text);
    *(uint64_t *)o->out = v;
    return ARGS_RUN;
}

static int set_real(const args_command *command, const args_option *o, const char *text)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(v))
        return args_usage(command, "--%s: expected a number, found '%s'", o->name, text);
    if (v < o->min || v > o->max)
        return args_usage(command, "--%s: expected %g to %g, found %s", o->name, o->min, o->max, text);
    *(double *)o->out = v;
    return ARGS_RUN;
}

/* "amd|colamd|metis", as much of it as fits. */
static void join_choices(const args_option *o, char *out, size_t bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (int k = 0; o->choices[k] != NULL && used < bytes; k++)
        used += (size_t)snprintf(out + used, bytes - used, "%s%s", k > 0 ? "|" : "", o->choices[k]);
}

static int set_choice(const args_command *command, const args_option *o, const char *text)
{
    char list[160];
    for (int k = 0; o->choices[k] != NULL; k++)
        if (strcmp(text, o->choices[k]) == 0) {
            *(int *)o->out = k;
            return ARGS_RUN;
        }
    join_choices(o, list, sizeof list);
    return args_usage(command, "--%s: expected %s, found '%s'", o->name, list, text);
}

static int set_option(const args_command *command, const args_option *o, const char *text)
{
    args_list *list;
    switch (o->type) {
    case ARGS_FLAG: *(int *)o->out = 1; return ARGS_RUN;
    case ARGS_TEXT: *(const char **)o->out = text; return ARGS_RUN;
    case ARGS_INT: return set_int(command, o, text);
    case ARGS_SEED: return set_seed(command, o, text);
    case ARGS_REAL: return set_real(command, o, text);
    case ARGS_CHOICE: return set_choice(command, o, text);
    case ARGS_LIST:
        list = o->out;
        if (list->count >= list->capacity)
            return args_usage(command, "--%s: given more than %d times", o->name, list->capacity);
        list->items[list->count++] = text;
        return ARGS_RUN;
    }
    return CMD_USAGE;
}

/* One line of the option list, its text in a column of its own. */
static void help_option(const char *name, char letter, const char *value, const char *text)
{
    char left[240], dash[8] = "    ";
    if (letter != 0) snprintf(dash, sizeof dash, "-%c, ", letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", dash, name, value != NULL ? " " : "", value != NULL ? value : "");
    if (strlen(left) + 2 > HELP_COLUMN)
        printf("%s\n%*s", left, HELP_COLUMN, "");
    else
        printf("%-*s", HELP_COLUMN, left);
    for (; *text != '\0'; text++) {
        putchar(*text);
        if (*text == '\n') printf("%*s", HELP_COLUMN, "");
    }
    putchar('\n');
}

static void help(const args_command *command)
{
    printf("Usage: warplu %s %s\n\n", command->name, command->usage);
    if (command->about != NULL) printf("%s\n", command->about);
    printf("Options:\n");
    for (const args_option *o = command->options; o->name != NULL; o++) {
        char list[160] = "";
        const char *value = o->value;
        if (value == NULL && o->type == ARGS_CHOICE) {
            join_choices(o, list, sizeof list);
            value = list;
        }
        help_option(o->name, o->letter, value, o->help);
    }
    help_option("help", 'h', NULL, "print this text and exit");
    if (command->after != NULL) printf("\n%s", command->after);
}

/* getopt's tables for the command; returns the number of options of its own. */
static int getopt_tables(const args_command *command, struct option *longs, char *shorts)
{
    int count = 0;
    *shorts++ = ':';
    *shorts++ = 'h';
    longs[count] = (struct option){"help", no_argument, NULL, HELP};
    for (const args_option *o = command->options; o->name != NULL && count < MAX_OPTIONS; o++) {
        int takes = o->type == ARGS_FLAG ? no_argument : required_argument;
        longs[++count] = (struct option){o->name, takes, NULL, FIRST + (int)(o - command->options)};
        if (o->letter == 0) continue;
        *shorts++ = o->letter;
        if (takes == required_argument) *shorts++ = ':';
    }
    *shorts = '\0';
    longs[count + 1] = (struct option){NULL, 0, NULL, 0};
    return count;
}

/* The option that getopt_long's answer stands for, or NULL. */
static const args_option *find_option(const args_command *command, int count, int answer)
{
    if (answer >= FIRST && answer < FIRST + count) return &command->options[answer - FIRST];
    for (const args_option *o = command->options; o->name != NULL; o++)
        if (o->letter != 0 && o->letter == answer) return o;
    return NULL;
}

static int bad_option(const args_command *command, int count, int answer, char **argv)
{
    const args_option *o = find_option(command, count, optopt);
    char letter[3] = {'-', (char)optopt, '\0'};
    if (answer == ':' && o != NULL) return args_usage(command, "--%s: expected a value", o->name);
    if (optopt >= HELP) return args_usage(command, "--%s takes no value", o != NULL ? o->name : "help");
    return unknown_option(command, optopt > 0 ? letter : argv[optind - 1]);
}

int args_parse(const args_command *command, int argc, char **argv, int *first)
{
    struct option longs[MAX_OPTIONS + 2];
    char shorts[2 * MAX_OPTIONS + 4];
    int count = getopt_tables(command, longs, shorts);
    int answer;
    opterr = 0;
    optind = 1;
    while ((answer = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (answer == 'h' || answer == HELP) {
            help(command);
            return CMD_OK;
        }
        if (answer == '?' || answer == ':') return bad_option(command, count, answer, argv);
        int code = set_option(command, find_option(command, count, answer), optarg);
        if (code != ARGS_RUN) return code;
    }
    *first = optind;
    if (argc - optind < command->min_operands) return args_usage(command, "expected %s", command->operand);
    if (command->max_operands >= 0 && argc - optind > command->max_operands)
        return args_usage(command, "unexpected '%s'", argv[optind + command->max_operands]);
    return ARGS_RUN;
}
