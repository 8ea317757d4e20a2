/* A band around a line over time, as an SVG picture. */
#ifndef PLOT_H
#define PLOT_H

#include <stdio.h>

typedef struct plot {
    const char *title, *line, *band;   /* what they are; without <, > and & */
    int count;                         /* points, 2 or more */
    const double *time;                /* s, ascending */
    const double *low, *middle, *high; /* V */
} plot;

void plot_write(const plot *p, FILE *file);

#endif
