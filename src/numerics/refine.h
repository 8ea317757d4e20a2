/* Solutions refined by residuals in FP64: what the host and kernels compute alike (exec/residual/refine.h and
 * cuda/refine.cu).
 *
 * A right-hand side is solved for with the factors, then the residual r = b - A x is, and x becomes x + d, as long as
 * the componentwise backward error (Arioli, Demmel and Duff, SIAM J. Matrix Anal. Appl. 10, 1989) at least halves, is
 * above what is aimed at, and there were no more than WLU_REFINE_STEPS corrections (fewer of factors in FP64); the best
 * x counts. What goes into FP32 is scaled by a power of two that brings its largest number close to 1, so that
 * residuals neither underflow nor overflow there.
 *
 * Rows of A (columns, for A') are summed by eight accumulators, entry k of the row to number k mod 8, and the pairwise
 * tree, as long records are (docs/instruction-set.md); those of more than WLU_REFINE_LONG entries by 256 in the same
 * way, so that as many threads work on a hub's row. What computes them does not show in a bit.
 *
 * Compiled for either kind of numbers. Of complex ones, residuals are bounds of moduli from above, and denominators are
 * made of bounds from below (base/number.h): errors come out up to 1.3 times too large by the first form, 1.7 times by
 * the second, never too small. Unknowns and scales go by sizes, which are the magnitudes of real numbers. */
#ifndef WLU_NUMERICS_REFINE_H
#define WLU_NUMERICS_REFINE_H

#include "base/number.h"
#include "numerics/refined.h"
#include "numerics/sums.h"
#include "numerics/thresholds.h"

/* Corrections at most: in FP32 each of factors that are worth anything gains three digits, and three of them after a
 * first solution of as many digits are twelve; in FP64 one gains as many digits as the first solution had, five or more
 * of factors that are not weak; the last bits take another. */
enum { WLU_REFINE_STEPS = 3, WLU_REFINE_STEPS_DOUBLE = 2 };
enum { WLU_REFINE_SUMS = WLU_DOT_LANES, WLU_REFINE_LONG = 64, WLU_REFINE_LONG_SUMS = 256 };

/* Row i has entries begin[i] .. begin[i + 1] - 1: entry k is number source[k] of the entries, of unknown column[k]. */
typedef struct wlu_refine_rows {
    const int32_t *begin, *column, *source;
    const uint16_t *power; /* of the row: what the load of a right-hand side multiplies by */
    int32_t n;
    int32_t doubles; /* of a number */
    int32_t longest; /* row of A or of A': so many entries, at least 2 */
} wlu_refine_rows;

/* Of one right-hand side. largest and error are of what is under way, bits of magnitudes, zeros in between. */
typedef struct wlu_refine_control {
    uint64_t error, largest; /* of rows: backward errors; scaled residuals */
    double unknown;          /* largest magnitude of the trial, by bits */
    double best;             /* error of x[at]; infinity: there is none */
    double down, up;     /* powers of two: loads multiply the residual by one, stores what comes of it by the other */
    uint32_t ended, at;  /* ended: no more corrections; trials go to x[1 - at] */
    int32_t steps;       /* corrections that x[at] has */
    uint32_t departures; /* blocks that have gone */
    uint32_t idle;       /* it had ended before the first solution */
} wlu_refine_control;

/* Below this part of the usual one the second form is taken. Of complex numbers a denominator is between 0.853 and 1
 * times that of the moduli, and max|a| max|x|, by the size of x, between 0.653 and 1 times: the second form is taken
 * wherever the moduli are below half of the usual part, and nowhere above it. */
#define WLU_REFINE_SHARE (WLU_NUMBER_REALS > 1 ? 0.8 : 1.0)

/* A row's sums: A x, |A||x|, largest |a|. */
typedef struct wlu_row_sums {
    wlu_wide product;
    double weight, norm;
} wlu_row_sums;

/* Of no entries. */
WLU_PORTABLE wlu_row_sums wlu_row_begin(void)
{
    wlu_row_sums none;
    none.product = wlu_wide_of(0.0, 0.0);
    none.weight = none.norm = 0.0;
    return none;
}

/* One more entry of an accumulator's. NaN stays in product and weight. */
WLU_PORTABLE void wlu_row_add(wlu_row_sums *sums, wlu_wide a, wlu_wide x)
{
    double size = WLU_WIDE_INNER_MODULUS(a);
    sums->product = WLU_WIDE_FMA(a, x, sums->product);
    sums->weight = WLU_DOUBLE_FMA(size, WLU_WIDE_INNER_MODULUS(x), sums->weight);
    if (size > sums->norm) sums->norm = size;
}

/* One exchange of the pairwise tree. */
WLU_PORTABLE void wlu_row_join(wlu_row_sums *mine, const wlu_row_sums *partners)
{
    mine->product = WLU_WIDE_ADD(mine->product, partners->product);
    mine->weight = WLU_DOUBLE_ADD(mine->weight, partners->weight);
    if (partners->norm > mine->norm) mine->norm = partners->norm;
}

/* The row's part of the backward error: |r| / (|A||x| + |b|), or where that denominator is tiny, the second form;
 * infinity where sums may have left the range of numbers, or all are too small. unknown: largest |x|. As
 * src/numerics/backward_error.c has it, which scales such rows instead. */
WLU_PORTABLE double wlu_sums_error(const wlu_row_sums *s, wlu_wide r, wlu_wide b, double unknown, int32_t n)
{
    const wlu_thresholds t = wlu_thresholds_of(0);
    const double LOW = WLU_REFINE_SHARE * t.second_form * (2.0 * t.rounding) * n;
    double whole = WLU_DOUBLE_MUL(s->norm, unknown), size = WLU_WIDE_INNER_MODULUS(b), rest = WLU_WIDE_MODULUS_BOUND(r);
    if (unknown == 0.0 && size == 0.0) return 0.0;
    double denominator = WLU_DOUBLE_ADD(s->weight, size);
    double least = WLU_DOUBLE_ADD(WLU_DOUBLE_MUL(LOW, whole), WLU_DOUBLE_MUL(LOW, size)); /* finite where whole is */
    if (!(denominator > least)) denominator = WLU_DOUBLE_ADD(s->weight, whole);
    if (!(denominator >= t.row_least && denominator <= 1.7976931348623157e308))
        return wlu_double_of_bits(UINT64_C(0x7ff0000000000000));
    return WLU_DOUBLE_DIV(rest, denominator);
}

/* Roundings of a term in these sums of a row of so many entries, at most. doubles: of a number; parts of complex ones
 * have two a term, and sizes stand for their moduli. */
WLU_PORTABLE double wlu_refine_roundings(double entries, int doubles)
{
    double sums = entries <= WLU_REFINE_LONG ? entries / WLU_REFINE_SUMS + 6.0 : entries / WLU_REFINE_LONG_SUMS + 12.0;
    return doubles == 1 ? sums : WLU_DOUBLE_MUL(4.0, sums);
}

/* The same for a row of so many entries. Of a long one it is no less than the error of the equation as a whole, over
 * max|a| max|x| + |b| and with the roundings of its sums, by WLU_REFINE_LONG: so much of the promise for wholes rows
 * that are not long leave to a componentwise error. */
WLU_PORTABLE double wlu_row_error(const wlu_row_sums *s, wlu_wide r, wlu_wide b, double unknown, int32_t n,
                                  int32_t entries)
{
    double error = wlu_sums_error(s, r, b, unknown, n), size = WLU_WIDE_INNER_MODULUS(b);
    if (entries <= WLU_REFINE_LONG || !(error < wlu_double_of_bits(UINT64_C(0x7ff0000000000000)))) return error;
    double unseen = WLU_DOUBLE_MUL(wlu_refine_roundings(entries, WLU_NUMBER_REALS), wlu_thresholds_of(0).rounding);
    double rest = WLU_DOUBLE_FMA(unseen, WLU_DOUBLE_ADD(s->weight, size), WLU_WIDE_MODULUS_BOUND(r));
    double whole = WLU_DOUBLE_DIV(rest, WLU_DOUBLE_FMA(s->norm, unknown, size));
    return unknown == 0.0 ? error : wlu_larger_bits(error, WLU_DOUBLE_MUL(whole, 1.0 / WLU_REFINE_LONG));
}

/* An error by these sums, of rows of at most so many entries, up to which no equation is wrong by more than `accurate`
 * as a whole. Below 0: none. */
WLU_PORTABLE double wlu_refine_allowed(double accurate, double longest, int doubles)
{
    double entries = longest < WLU_REFINE_LONG ? longest : WLU_REFINE_LONG;
    return accurate / entries - wlu_refine_roundings(entries, doubles) * wlu_thresholds_of(0).rounding;
}

/* Bits of what a residual is in the scale of its row: not 0 unless the residual is, for one that underflows is not
 * solved. power: of the row. */
WLU_PORTABLE uint64_t wlu_refine_size(wlu_wide residual, uint16_t power)
{
    uint64_t bits = wlu_bits_of_double(WLU_WIDE_SIZE(WLU_WIDE_SCALED(wlu_power_of_upper(power), residual)));
    return bits == 0 && WLU_WIDE_SIZE(residual) != 0.0 ? 1 : bits;
}

/* Scales for the next correction, unless there is to be none: what goes into FP32 has some. single: the factors are
 * FP32. */
WLU_PORTABLE void wlu_refine_scale(wlu_refine_control *c, int single)
{
    double largest = wlu_double_of_bits(c->largest);
    int exponent = single ? wlu_exponent(largest) : 0;
    if (exponent < -1000) exponent = -1000;
    if (exponent > 1000) exponent = 1000;
    c->down = wlu_power_of_two(-exponent);
    c->up = wlu_power_of_two(exponent);
    if (!(largest > 0.0 && largest <= 1.7976931348623157e308)) c->ended = 1;
}

/* Before the first look. */
WLU_PORTABLE wlu_refine_control wlu_refine_fresh(void)
{
    wlu_refine_control c = {0, 0, 0.0, 0.0, 1.0, 1.0, 0, 0, -1, 0, 0};
    c.best = wlu_double_of_bits(UINT64_C(0x7ff0000000000000));
    return c;
}

/* Before the first solution: `largest` is that of the right-hand side. One that is zero has x = 0; one that is no
 * number none. */
WLU_PORTABLE void wlu_refine_begin(wlu_refine_control *c, int single)
{
    c->best = wlu_double_of_bits(c->largest == 0 ? 0 : UINT64_C(0x7ff0000000000000));
    c->ended = c->at = 0;
    c->steps = -1;
    wlu_refine_scale(c, single);
    c->idle = c->ended;
    c->error = c->largest = 0;
}

/* An error that needs no correction. What factors in FP64 give is corrected where the host corrects single solves, and
 * where rows of so many entries, the longest aside, might use up half of the promise for equations as wholes; in FP32,
 * or where all is to be as accurate as it can be, down to rounding. */
WLU_PORTABLE double wlu_refine_enough(int to_rounding, int32_t longest)
{
    const wlu_thresholds t = wlu_thresholds_of(0);
    double entries = longest < WLU_REFINE_LONG ? longest : WLU_REFINE_LONG;
    double whole = WLU_DOUBLE_DIV(WLU_DOUBLE_MUL(0.5, t.accurate), entries);
    double enough = whole < t.refined ? whole : t.refined;
    return to_rounding || enough < t.corrected ? t.corrected : enough;
}

/* The same for a member of a batch: the host judges equations as wholes itself. */
WLU_PORTABLE double wlu_refine_enough_of_member(int single)
{
    return single ? wlu_thresholds_of(0).corrected : wlu_thresholds_of(0).refined;
}

/* A trial's error and scaled residual are known. An error of at most `enough` is the last. */
WLU_PORTABLE void wlu_refine_judge(wlu_refine_control *c, int single, double enough)
{
    const wlu_thresholds t = wlu_thresholds_of(0);
    double error = wlu_double_of_bits(c->error), before = c->best;
    c->ended = 1;
    if (error < before) {
        c->best = error;
        c->at = 1 - c->at;
        c->steps++;
        if (error > enough && error <= before * t.correction_gain) {
            c->ended = 0;
            wlu_refine_scale(c, single);
        }
    }
    c->error = c->largest = 0;
}

/* A right-hand side's part of what is told. */
WLU_PORTABLE void wlu_refine_tell(const wlu_refine_control *c, wlu_refined *to)
{
    double before = to->backward_error == -1.0 ? 0.0 : to->backward_error;
    to->backward_error = wlu_larger_bits(before, c->best);
    if (c->steps > to->steps) to->steps = c->steps;
    to->inaccurate += !(c->best <= wlu_thresholds_of(0).accurate);
}

/* A number of the solution: `best`, that of x[at], unless there is none, or it is withheld. */
WLU_PORTABLE wlu_wide wlu_refine_number(const wlu_refine_control *c, int withheld, wlu_wide best)
{
    if (withheld || !(c->best < wlu_double_of_bits(UINT64_C(0x7ff0000000000000)))) return wlu_wide_withheld();
    return c->steps >= 0 ? best : wlu_wide_of(0.0, 0.0);
}

/* A number of a trial: what it was and what the solve has found for the scaled residual. */
WLU_PORTABLE wlu_wide wlu_refine_trial(const wlu_refine_control *c, wlu_wide before, wlu_wide found)
{
    return WLU_WIDE_ADD(c->steps >= 0 ? before : wlu_wide_of(0.0, 0.0), WLU_WIDE_SCALED(c->up, found));
}

#endif
