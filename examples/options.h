/* Options and files of the examples about circuits. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdio.h>

/* A whole number from 1 to most, 0 if the text is none. */
int whole(const char *text, int most);
/* A positive number, 0 if the text is none. */
double positive(const char *text);
/* "be" or "trap": a circuit's memory. */
int read_method(const char *text, double *memory);
/* Options with a value each, which `read` takes: 1 if it knows the option and the value makes sense. -1: to go on;
 * else the exit status to end with, after --help or wrong usage. */
int read_arguments(int argc, char **argv, int (*read)(void *arguments, const char *option, const char *value),
                   void *arguments, void (*usage)(FILE *file));
/* Opens a file to write, if there is a name. program: who says what is wrong. */
int open_file(const char *program, const char *name, FILE **file);
/* Takes NULL. */
int close_file(const char *program, const char *name, FILE *file);

#endif
