/* Memory: an array of six-transistor cells with its word lines, bit lines, precharge and sense amplifiers,
 * one Newton step of a transient analysis by modified nodal analysis.
 *
 * A cell is two cross-coupled inverters and two access transistors; per cell there is a piece of word line
 * and of both bit lines, with resistance and capacitance. Each column ends in precharge transistors and a
 * latch with an input pair and a clocked tail. Supply, precharge, sense enable and the word line drivers are
 * ideal sources: a branch current each, a zero on the diagonal each; the supply's row and column are nearly
 * dense. Transistors make values unsymmetric, the latches' gates the pattern too. One word line at a time
 * rises and falls over eight steps; operating points follow it, so that transistors switch regions between
 * steps.
 *
 * Unknowns in the order of a netlist: supply, precharge, enable; row by row the driver, then cell by cell
 * word line, bit line, its complement, and both sides of the latch; column by column the sense amplifier;
 * last the branches: n = 5 rows columns + 2 rows + 3 columns + 6. */
#include "gen/gen.h"
#include "gen/mos.h"
#include "gen/random.h"
#include "gen/shape.h"
#include "gen/wave.h"

enum { BIT, ROW_ORDER, BETA, FARAD, OHM };
enum { SUPPLY, PRECHARGE, ENABLE, GLOBALS };
enum { WORD, BIT_LINE, BIT_LINE_BAR, SIDE, SIDE_BAR, CELL_NODES };
enum { OUT, OUT_BAR, TAIL, SENSE_NODES };
enum { ACCESS_STEPS = 8 };

typedef struct array {
    stamp *s;
    const gen_params *p;
    int64_t rows, cols;
    double h;           /* seconds */
    double volts;       /* supply */
    int64_t active_row; /* the one being read */
    double rise;        /* of its word line, 0 to 1 */
    int64_t device;     /* running number: each element's random index */
} array;

static int64_t unknowns(int64_t rows, int64_t cols)
{
    return CELL_NODES * rows * cols + 2 * rows + SENSE_NODES * cols + 2 * GLOBALS;
}

static int32_t driver(const array *a, int64_t row)
{
    return (int32_t)(GLOBALS + row * (1 + CELL_NODES * a->cols));
}

static int32_t cell(const array *a, int64_t row, int64_t col)
{
    return (int32_t)(driver(a, row) + 1 + CELL_NODES * col);
}

static int32_t sense(const array *a, int64_t col)
{
    return (int32_t)(driver(a, a->rows) + SENSE_NODES * col);
}

static int32_t branch(const array *a, int64_t number)
{
    return (int32_t)(sense(a, a->cols) + number);
}

static double spread(array *a, uint64_t stream, double typical)
{
    return typical * gen_between(a->p->seed, stream, a->device++, 0.9, 1.1);
}

static int stored_bit(const array *a, int64_t row, int64_t col)
{
    return gen_below(a->p->seed, BIT, row * a->cols + col, 2);
}

/* Volts on the bit line of a column (bar: on its complement): precharged, drawn down where the active cell
 * holds a 0. */
static double bit_line_volts(const array *a, int64_t col, int bar)
{
    int low = stored_bit(a, a->active_row, col) == bar;
    return a->volts * (low ? 1 - 0.25 * a->rise : 1.0);
}

static void mos(array *a, const mos_model *model, double beta, mos_terminal d, mos_terminal g, mos_terminal src)
{
    stamp_mos(a->s, model, spread(a, BETA, beta), d, g, src);
}

/* A transistor's overlap capacitance between two of its terminals. */
static void overlap(array *a, mos_terminal x, mos_terminal y)
{
    stamp_capacitor(a->s, x.node, y.node, spread(a, FARAD, 0.05e-15) / a->h, x.volts - y.volts);
}

static void load(array *a, mos_terminal x, double farad)
{
    stamp_capacitor(a->s, x.node, GEN_GROUND, spread(a, FARAD, farad) / a->h, x.volts);
}

static void wire(array *a, int32_t x, int32_t y, double ohm)
{
    stamp_conductance(a->s, x, y, 1.0 / spread(a, OHM, ohm));
}

static void emit_cell(array *a, int64_t row, int64_t col)
{
    int32_t at = cell(a, row, col);
    int bit = stored_bit(a, row, col);
    double rise = row == a->active_row ? a->rise : 0, low = 0.12 * a->volts * rise;
    mos_terminal ground = {GEN_GROUND, 0}, supply = {SUPPLY, a->volts};
    mos_terminal word = {at + WORD, a->volts * rise};
    mos_terminal line = {at + BIT_LINE, bit_line_volts(a, col, 0)};
    mos_terminal line_bar = {at + BIT_LINE_BAR, bit_line_volts(a, col, 1)};
    mos_terminal side = {at + SIDE, bit ? a->volts : low}, side_bar = {at + SIDE_BAR, bit ? low : a->volts};
    mos(a, &mos_p, 60e-6, side, side_bar, supply);
    mos(a, &mos_n, 240e-6, side, side_bar, ground);
    mos(a, &mos_p, 60e-6, side_bar, side, supply);
    mos(a, &mos_n, 240e-6, side_bar, side, ground);
    mos(a, &mos_n, 120e-6, line, word, side);
    mos(a, &mos_n, 120e-6, line_bar, word, side_bar);
    overlap(a, word, line);
    overlap(a, word, side);
    overlap(a, word, line_bar);
    overlap(a, word, side_bar);
    load(a, side, 0.8e-15);
    load(a, side_bar, 0.8e-15);
    load(a, word, 0.4e-15);
    load(a, line, 0.3e-15);
    load(a, line_bar, 0.3e-15);
    wire(a, col > 0 ? cell(a, row, col - 1) + WORD : driver(a, row), word.node, 8.0);
    if (row == 0) return;
    wire(a, cell(a, row - 1, col) + BIT_LINE, line.node, 3.0);
    wire(a, cell(a, row - 1, col) + BIT_LINE_BAR, line_bar.node, 3.0);
}

/* Precharge at the first row, the latch at the last. */
static void emit_column(array *a, int64_t col)
{
    int32_t at = sense(a, col), first = cell(a, 0, col), last = cell(a, a->rows - 1, col);
    int falls = stored_bit(a, a->active_row, col) == 0;
    double high = a->volts, low = a->volts * (1 - 0.9 * a->rise);
    mos_terminal ground = {GEN_GROUND, 0}, supply = {SUPPLY, a->volts};
    mos_terminal charge = {PRECHARGE, a->volts * a->rise}, enable = {ENABLE, a->volts * a->rise};
    mos_terminal line = {last + BIT_LINE, bit_line_volts(a, col, 0)};
    mos_terminal line_bar = {last + BIT_LINE_BAR, bit_line_volts(a, col, 1)};
    mos_terminal line_top = {first + BIT_LINE, line.volts}, bar_top = {first + BIT_LINE_BAR, line_bar.volts};
    mos_terminal out = {at + OUT, falls ? low : high}, out_bar = {at + OUT_BAR, falls ? high : low};
    mos_terminal tail = {at + TAIL, 0.5 * a->volts * (1 - a->rise)};
    mos(a, &mos_p, 480e-6, line_top, charge, supply);
    mos(a, &mos_p, 480e-6, bar_top, charge, supply);
    mos(a, &mos_p, 240e-6, out, charge, supply);
    mos(a, &mos_p, 240e-6, out_bar, charge, supply);
    mos(a, &mos_p, 240e-6, out, out_bar, supply);
    mos(a, &mos_p, 240e-6, out_bar, out, supply);
    mos(a, &mos_n, 480e-6, out, out_bar, tail);
    mos(a, &mos_n, 480e-6, out_bar, out, tail);
    mos(a, &mos_n, 480e-6, out, line_bar, tail);
    mos(a, &mos_n, 480e-6, out_bar, line, tail);
    mos(a, &mos_n, 960e-6, tail, enable, ground);
    load(a, out, 6e-15);
    load(a, out_bar, 6e-15);
    load(a, tail, 4e-15);
}

/* Rows near the root of the number of cells, at most a quarter fewer, and the columns closest to size. */
static void choose(array *a)
{
    int64_t root = gen_square_root(a->p->size / CELL_NODES), error = INT64_MAX;
    if (root < 1) root = 1;
    for (int64_t rows = root; rows > 0 && 4 * rows >= 3 * root && error > 0; rows--) {
        int64_t per_column = CELL_NODES * rows + SENSE_NODES;
        int64_t left = a->p->size - 2 * rows - 2 * GLOBALS;
        int64_t cols = (left + per_column / 2) / per_column;
        if (cols < 1) cols = 1;
        int64_t e = unknowns(rows, cols) - a->p->size;
        if (e < 0) e = -e;
        if (e >= error) continue;
        error = e;
        a->rows = rows;
        a->cols = cols;
    }
}

void gen_emit_memory(stamp *s, const gen_params *p)
{
    array a = {.s = s, .p = p, .volts = 1.2, .h = 1e-12 * gen_step_size(p->step)};
    choose(&a);
    /* An upper bound: at most 29 entries in a cell's rows and columns, and what hangs on them. */
    if (!stamp_begin(s, unknowns(a.rows, a.cols), 29 * a.rows * a.cols + 34 * a.cols + 8 * a.rows + 9)) return;
    double x = ((double)(p->step % ACCESS_STEPS) + 0.5) / ACCESS_STEPS;
    a.rise = 4 * x * (1 - x);
    a.active_row = gen_below(p->seed, ROW_ORDER, p->step / ACCESS_STEPS, (int32_t)a.rows);
    for (int64_t row = 0; row < a.rows; row++) {
        for (int64_t col = 0; col < a.cols; col++) emit_cell(&a, row, col);
    }
    for (int64_t col = 0; col < a.cols; col++) emit_column(&a, col);
    stamp_voltage_source(s, SUPPLY, branch(&a, SUPPLY), a.volts);
    stamp_voltage_source(s, PRECHARGE, branch(&a, PRECHARGE), a.volts * a.rise);
    stamp_voltage_source(s, ENABLE, branch(&a, ENABLE), a.volts * a.rise);
    for (int64_t row = 0; row < a.rows; row++)
        stamp_voltage_source(s, driver(&a, row), branch(&a, GLOBALS + row),
                             row == a.active_row ? a.volts * a.rise : 0.0);
}
