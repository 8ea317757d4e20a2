/* See plot.h. Plain SVG 1.1: a polygon, a polyline, axes with ticks at round numbers, and text. */
#include "plot.h"

#include <math.h>

enum { WIDTH = 800, HEIGHT = 480, LEFT = 70, RIGHT = 20, TOP = 60, BOTTOM = 55, TICKS = 6 };

/* An axis from the first tick at or below its numbers to the last; pixels may fall. */
typedef struct axis {
    double first, last, tick;
    double begin, end; /* in pixels */
} axis;

/* 1, 2 or 5 times a power of ten, so that about TICKS of them make the range. */
static double round_tick(double range)
{
    double power = pow(10.0, floor(log10(range / TICKS))), times = range / TICKS / power;
    return power * (times <= 1.0 ? 1.0 : times <= 2.0 ? 2.0 : times <= 5.0 ? 5.0 : 10.0);
}

static axis make_axis(double least, double most, double begin, double end)
{
    double tick = round_tick(most > least ? most - least : fmax(fabs(most), 1e-3));
    axis a = {floor(least / tick) * tick, ceil(most / tick) * tick, tick, begin, end};
    if (a.last <= a.first) a.last = a.first + tick;
    return a;
}

static double at(const axis *a, double value)
{
    return a->begin + (value - a->first) / (a->last - a->first) * (a->end - a->begin);
}

/* Seconds in a unit in which the longest time is from 1 to 1000. */
static double unit_of(double longest, const char **name)
{
    static const char *const names[] = {"s", "ms", "us", "ns", "ps", "fs"};
    double unit = 1.0;
    int k = 0;
    for (; k < 5 && longest < unit; k++) unit *= 1e-3;
    *name = names[k];
    return unit;
}

static void put_ticks(const axis *x, const axis *y, FILE *file)
{
    for (double v = x->first; v <= x->last + x->tick / 2.0; v += x->tick)
        fprintf(file,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                at(x, v), TOP, at(x, v), HEIGHT - BOTTOM, at(x, v), HEIGHT - BOTTOM + 18,
                fabs(v) < x->tick / 2.0 ? 0.0 : v);
    for (double v = y->first; v <= y->last + y->tick / 2.0; v += y->tick)
        fprintf(file,
                "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                LEFT, at(y, v), WIDTH - RIGHT, at(y, v), LEFT - 8, at(y, v) + 4.0, fabs(v) < y->tick / 2.0 ? 0.0 : v);
}

static void put_points(const plot *p, const axis *x, const axis *y, double unit, const double *values, int back,
                       FILE *file)
{
    for (int k = 0; k < p->count; k++) {
        int i = back ? p->count - 1 - k : k;
        fprintf(file, "%.2f,%.2f ", at(x, p->time[i] / unit), at(y, values[i]));
    }
}

static void put_words(const plot *p, const char *unit, FILE *file)
{
    fprintf(file, "<text x=\"%d\" y=\"24\" font-size=\"16\">%s</text>\n", LEFT, p->title);
    fprintf(file, "<line class=\"middle\" x1=\"%d\" y1=\"42\" x2=\"%d\" y2=\"42\"/><text x=\"%d\" y=\"46\">%s</text>\n",
            LEFT, LEFT + 30, LEFT + 38, p->line);
    fprintf(file,
            "<rect class=\"band\" x=\"%d\" y=\"35\" width=\"30\" height=\"14\"/><text x=\"%d\" y=\"46\">%s</text>\n",
            LEFT + 140, LEFT + 178, p->band);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">time, %s</text>\n", (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 14, unit);
    fprintf(file, "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">voltage, V</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2);
}

void plot_write(const plot *p, FILE *file)
{
    const char *name;
    double least = p->low[0], most = p->high[0], unit = unit_of(p->time[p->count - 1], &name);
    for (int k = 0; k < p->count; k++) {
        least = fmin(least, p->low[k]);
        most = fmax(most, p->high[k]);
    }
    axis x = make_axis(p->time[0] / unit, p->time[p->count - 1] / unit, LEFT, WIDTH - RIGHT);
    axis y = make_axis(least, most, HEIGHT - BOTTOM, TOP);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<style>.grid { stroke: #ddd } .band { fill: #9ecae1 } .middle { fill: none; stroke: #08519c; "
            "stroke-width: 1.5 } .frame { fill: none; stroke: #333 }</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_ticks(&x, &y, file);
    fputs("<polygon class=\"band\" points=\"", file);
    put_points(p, &x, &y, unit, p->low, 0, file);
    put_points(p, &x, &y, unit, p->high, 1, file);
    fputs("\"/>\n<polyline class=\"middle\" points=\"", file);
    put_points(p, &x, &y, unit, p->middle, 0, file);
    fprintf(file, "\"/>\n<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT, TOP,
            WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    put_words(p, name, file);
    fputs("</svg>\n", file);
}
