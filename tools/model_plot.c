/* The drawing: panels below each other, with a frame, ticks at round numbers and one line a member. */
#include "model_table.h"

#include <math.h>

enum { WIDTH = 720, PANEL = 200, LEFT = 80, RIGHT = 20, TOP = 40, BETWEEN = 40, TICKS = 5 };

typedef struct range {
    double low, high;
} range;

static void widen(range *r, double x)
{
    if (!isfinite(x)) return;
    if (x < r->low) r->low = x;
    if (x > r->high) r->high = x;
}

static range settle(range r)
{
    if (!(r.low <= r.high)) return (range){0.0, 1.0};
    if (r.low == r.high) return (range){r.low - 0.5 * fmax(fabs(r.low), 1.0), r.high + 0.5 * fmax(fabs(r.high), 1.0)};
    return r;
}

static int64_t members_shown(const model_table *t)
{
    return t->members < MODEL_PLOT_MEMBERS ? t->members : MODEL_PLOT_MEMBERS;
}

static range times(const model_table *t)
{
    range r = {INFINITY, -INFINITY};
    for (int64_t m = 0; m < members_shown(t); m++)
        for (int64_t k = 0; k < t->filled[m]; k++) widen(&r, t->time[m * t->rows + k]);
    return settle(r);
}

static range values(const model_table *t, int64_t column)
{
    range r = {INFINITY, -INFINITY};
    for (int64_t m = 0; m < members_shown(t); m++)
        for (int64_t k = 0; k < t->filled[m]; k++) widen(&r, t->value[(m * t->rows + k) * t->columns + column]);
    return settle(r);
}

/* 1, 2 or 5 times a power of ten, so that a range has about TICKS of them. */
static double round_step(range r)
{
    double raw = r.high / TICKS - r.low / TICKS, power = pow(10.0, floor(log10(raw))), part = raw / power;
    return power * (part < 1.5 ? 1.0 : part < 3.5 ? 2.0 : part < 7.5 ? 5.0 : 10.0);
}

static double place(range r, double x, double from, double to)
{
    return from + (0.5 * x - 0.5 * r.low) / (0.5 * r.high - 0.5 * r.low) * (to - from);
}

static void draw_ticks(FILE *out, range x, range y, double top)
{
    double sx = round_step(x), sy = round_step(y), bottom = top + PANEL;
    double first = ceil(x.low / sx);
    for (int i = 0; i <= 2 * TICKS && (first + i) * sx <= x.high + 1e-9 * sx; i++) {
        double k = first + i;
        double at = place(x, k * sx, LEFT, WIDTH - RIGHT);
        fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"g\"/>", at, top, at, bottom);
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.6g</text>\n", at, bottom + 15.0, k * sx);
    }
    first = ceil(y.low / sy);
    for (int i = 0; i <= 2 * TICKS && (first + i) * sy <= y.high + 1e-9 * sy; i++) {
        double k = first + i;
        double at = place(y, k * sy, bottom, top);
        fprintf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"g\"/>", LEFT, at, WIDTH - RIGHT, at);
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n", LEFT - 6, at + 4.0, k * sy);
    }
}

static void draw_line(const model_table *t, int64_t member, int64_t column, range x, range y, double top, FILE *out)
{
    int open = 0;
    for (int64_t k = 0; k < t->filled[member]; k++) {
        int64_t at = member * t->rows + k;
        double v = t->value[at * t->columns + column];
        if (!isfinite(v)) {
            if (open) fputs("\"/>\n", out);
            open = 0;
            continue;
        }
        if (!open)
            fprintf(out, "<polyline class=\"l\" style=\"stroke:hsl(%d,70%%,40%%)\" points=\"",
                    (int)(member * 67 % 360));
        open = 1;
        fprintf(out, "%.2f,%.2f ", place(x, t->time[at], LEFT, WIDTH - RIGHT), place(y, v, top + PANEL, top));
    }
    if (open) fputs("\"/>\n", out);
}

/* Names and titles come from files: what SVG reads as markup is written as what it means. */
static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if ((unsigned char)*text < ' ')
            fputc('?', out);
        else
            fputc(*text, out);
    }
}

int model_table_plot(const model_table *table, const char *title, FILE *out)
{
    range x = times(table);
    double height = TOP + (double)table->columns * (PANEL + BETWEEN);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" font-family=\"sans-serif\" "
            "font-size=\"11\">\n<style>.g{stroke:#ddd}.l{fill:none;stroke-width:1.2}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"20\" font-size=\"14\">",
            WIDTH, height, LEFT);
    put_text(out, title);
    fputs("</text>\n", out);
    for (int64_t c = 0; c < table->columns; c++) {
        double top = TOP + (double)c * (PANEL + BETWEEN);
        range y = values(table, c);
        draw_ticks(out, x, y, top);
        fprintf(out,
                "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444\"/>\n<text x=\"%d\" "
                "y=\"%.1f\">",
                LEFT, top, WIDTH - LEFT - RIGHT, PANEL, LEFT + 6, top + 14.0);
        put_text(out, table->name[c]);
        fputs("</text>\n", out);
        for (int64_t m = 0; m < members_shown(table); m++) draw_line(table, m, c, x, y, top, out);
    }
    fputs("</svg>\n", out);
    return ferror(out) ? -1 : 0;
}
