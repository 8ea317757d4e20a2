/* Kernels at the end of a solve, and for what vouches for it; a part of kernels.h. */

/* x in the caller's order: x is written in a row, what is gathered are slots. Returns its largest magnitude, by bits.
 */
static double run_store(const wlu_cpu_places *s, const wlu_host_slots *slots, double *x)
{
    double *v = slots->v;
    v8 largest = v8_zero();
    int32_t i = 0;
    for (; i + 8 <= s->n; i += 8) {
        n8 a = n8_gather(v, s->place + i);
        if (s->scale != NULL) a = n8_scaled(v8_load(s->scale + i), a);
        largest = v8_max_bits(largest, n8_size(a));
        n8_store(x + WLU_NUMBER_REALS * (int64_t)i, a);
    }
    for (; i < s->n; i++) {
        wlu_number a = wlu_number_at(v, s->place[i]);
        if (s->scale != NULL) a = wlu_scaled(s->scale[i], a);
        wlu_number_put(x, i, a);
        largest = v8_max_bits(largest, v8_set(wlu_size(a)));
    }
    return largest_bits_of(largest);
}

/* r -= a x and w += |a||x| over a group's steps. */
static inline const int32_t *add_terms(const int32_t *word, int32_t steps, const double *entries, const double *x,
                                       n8 *r, v8 *w)
{
    n8 rest = *r;
    v8 weight = *w;
    for (int32_t s = 0; s < steps; s++, word += 16) {
        n8 a = n8_gather(entries, word), y = n8_gather(x, word + 8);
#ifdef WLU_COMPLEX
        n8 term = n8_mul(a, y);
        rest = n8_sub(rest, term);
        weight = v8_add(weight, n8_size(term));
#else
        rest = v8_fnma(a, y, rest);
        weight = v8_fma(v8_abs(a), v8_abs(y), weight);
#endif
    }
    *r = rest;
    *w = weight;
    return word;
}

/* The largest of what rows say, by bits: a NaN stays. */
typedef struct row_errors {
    v8 error, denominator, inverse;
} row_errors;

static inline void judge_rows(row_errors *e, n8 r, v8 denominator)
{
    v8 inverse = v8_div(v8_set(1.0), denominator);
    e->error = v8_max_bits(e->error, v8_abs(v8_mul(n8_modulus_bound(r), inverse)));
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

/* Two sums at a time, so that additions need not wait for each other. */
static double run_sum_weighed(const double *x, const wlu_weighed_numbers *w)
{
    v8 sum[2] = {v8_zero(), v8_zero()}, other = v8_zero();
    int64_t k = 0;
    for (; k + 2 <= w->windows; k += 2)
        for (int q = 0; q < 2; q++)
            sum[q] = v8_fma(n8_size(n8_load(x + WLU_NUMBER_REALS * (int64_t)w->window[k + q])),
                            v8_load_powers(w->window_weight + 8 * (k + q)), sum[q]);
    if (k < w->windows)
        sum[0] = v8_fma(n8_size(n8_load(x + WLU_NUMBER_REALS * (int64_t)w->window[k])),
                        v8_load_powers(w->window_weight + 8 * k), sum[0]);
    for (k = 0; k < w->groups; k++)
        other = v8_fma(n8_size(n8_gather(x, w->single + 8 * k)), v8_load_powers(w->single_weight + 8 * k), other);
    return v8_tree(v8_add(v8_add(sum[0], sum[1]), other));
}

/* One row more, unless it is settled; returns how many there are. */
static inline int32_t put_left(const wlu_mean_test *t, int32_t row, double needs, double size, wlu_left_rows *left,
                               int32_t count)
{
    left->row[count] = row;
    left->allowed[count] = size >= t->least && size <= DBL_MAX ? t->allowed * size : NAN;
    return count + !(needs < left->allowed[count]); /* nor where both are infinite */
}

static int32_t run_list_left(const wlu_mean_lines *rows, int32_t first, int32_t end, const double *numbers,
                             const int32_t *entry, const wlu_mean_test *t, wlu_left_rows *left)
{
    int32_t k = first, count = 0;
    const v8 share = v8_set(t->share), largest = v8_set(t->largest), allowed = v8_set(t->allowed);
    const v8 least = v8_set(t->least), most = v8_set(DBL_MAX);
    for (; k + 8 <= end; k += 8) {
        v8 needs = v8_mul(v8_load(rows->line + k), v8_fma(v8_load(rows->own + k), share, largest));
        v8 size = n8_size(n8_gather(numbers, entry + k));
        if (v8_all_greater(v8_mul(allowed, size), needs) && v8_all_greater(size, least) && v8_all_greater(most, size))
            continue;
        double need[8], of[8];
        v8_store(need, needs);
        v8_store(of, size);
        for (int q = 0; q < 8; q++) count = put_left(t, k + q, need[q], of[q], left, count);
    }
    for (; k < end; k++)
        count = put_left(t, k, rows->line[k] * fma(rows->own[k], t->share, t->largest),
                         wlu_size(wlu_number_at(numbers, entry[k])), left, count);
    return count;
}

static double run_residual(const wlu_rows *rows, const double *entries, const double *b, const double *x, double tiny,
                           double *r, double *w)
{
    row_errors e = {v8_zero(), v8_zero(), v8_zero()};
    const int32_t *word = rows->word;
    int64_t place = 0;
    for (int64_t g = 0; g < rows->groups; g++, place += 8) {
        n8 rest = n8_gather(b, rows->row + place);
        v8 weight = v8_zero(), size = n8_size(rest);
        word = add_terms(word, rows->steps[g], entries, x, &rest, &weight);
        n8_store(r + WLU_NUMBER_REALS * place, rest);
        v8_store(w + place, weight);
        judge_rows(&e, rest, v8_fma(size, v8_set(1.0), weight));
    }
    for (int64_t g = rows->groups; g < rows->groups + rows->longs; g++, place++) {
        n8 rest = n8_zero();
        v8 weight = v8_zero();
        wlu_number bi = wlu_number_at(b, rows->row[place]);
        word = add_terms(word, rows->steps[g], entries, x, &rest, &weight);
        wlu_number all = wlu_add(bi, n8_tree(rest));
        wlu_number_put(r, place, all);
        w[place] = v8_tree(weight);
        judge_rows(&e, n8_set(all), v8_set(w[place] + wlu_size(bi)));
    }
    double error = largest_bits_of(e.error);
    int usual = largest_bits_of(e.denominator) < INFINITY && largest_bits_of(e.inverse) <= 1.0 / tiny;
    return usual && error < INFINITY ? error : INFINITY;
}
