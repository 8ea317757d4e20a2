/* Kernels at the end of a solve, and for what vouches for it; a part of kernels.h. */

/* x in the caller's order: x is written in a row, what is gathered are slots. Returns its largest magnitude, by bits.
 */
static double run_store(const wlu_cpu_places *s, const double *v, double *x)
{
    v8 largest = v8_zero();
    int32_t i = 0;
    for (; i + 8 <= s->n; i += 8) {
        v8 a = v8_gather(v, s->place + i);
        if (s->scale != NULL) a = v8_mul(v8_load(s->scale + i), a);
        largest = v8_max_bits(largest, v8_abs(a));
        v8_store(x + i, a);
    }
    for (; i < s->n; i++) {
        x[i] = s->scale != NULL ? s->scale[i] * v[s->place[i]] : v[s->place[i]];
        largest = v8_max_bits(largest, v8_set(fabs(x[i])));
    }
    return largest_bits_of(largest);
}

/* r -= a x and w += |a||x| over a group's steps. */
static inline const int32_t *add_terms(const int32_t *word, int32_t steps, const double *entries, const double *x,
                                       v8 *r, v8 *w)
{
    v8 rest = *r, weight = *w;
    for (int32_t s = 0; s < steps; s++, word += 16) {
        v8 a = v8_gather(entries, word), y = v8_gather(x, word + 8);
        rest = v8_fnma(a, y, rest);
        weight = v8_fma(v8_abs(a), v8_abs(y), weight);
    }
    *r = rest;
    *w = weight;
    return word;
}

/* The largest of what rows say, by bits: a NaN stays. */
typedef struct row_errors {
    v8 error, denominator, inverse;
} row_errors;

static inline void judge_rows(row_errors *e, v8 r, v8 denominator)
{
    v8 inverse = v8_div(v8_set(1.0), denominator);
    e->error = v8_max_bits(e->error, v8_abs(v8_mul(r, inverse)));
    e->denominator = v8_max_bits(e->denominator, denominator);
    e->inverse = v8_max_bits(e->inverse, inverse);
}

static double run_weigh(const double *v, const uint16_t *upper, int64_t count)
{
    v8 largest = v8_zero();
    int64_t k = 0;
    for (; k + 8 <= count; k += 8)
        largest = v8_max_bits(largest, v8_abs(v8_mul(v8_load(v + k), v8_load_powers(upper + k))));
    for (; k < count; k++) largest = v8_max_bits(largest, v8_set(fabs(v[k] * wlu_power_of_upper(upper[k]))));
    return largest_bits_of(largest);
}

static double run_residual(const wlu_rows *rows, const double *entries, const double *b, const double *x, double tiny,
                           double *r, double *w)
{
    row_errors e = {v8_zero(), v8_zero(), v8_zero()};
    const int32_t *word = rows->word;
    int64_t place = 0;
    for (int64_t g = 0; g < rows->groups; g++, place += 8) {
        v8 rest = v8_gather(b, rows->row + place), weight = v8_zero(), size = v8_abs(rest);
        word = add_terms(word, rows->steps[g], entries, x, &rest, &weight);
        v8_store(r + place, rest);
        v8_store(w + place, weight);
        judge_rows(&e, rest, v8_fma(size, v8_set(1.0), weight));
    }
    for (int64_t g = rows->groups; g < rows->groups + rows->longs; g++, place++) {
        v8 rest = v8_zero(), weight = v8_zero();
        double bi = b[rows->row[place]];
        word = add_terms(word, rows->steps[g], entries, x, &rest, &weight);
        r[place] = bi + v8_tree(rest);
        w[place] = v8_tree(weight);
        judge_rows(&e, v8_set(r[place]), v8_set(w[place] + fabs(bi)));
    }
    double error = largest_bits_of(e.error);
    int usual = largest_bits_of(e.denominator) < INFINITY && largest_bits_of(e.inverse) <= 1.0 / tiny;
    return usual && error < INFINITY ? error : INFINITY;
}
