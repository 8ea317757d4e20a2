/* Adds arrays element by element, term after term, and splices them (wlm_array_sum and wlm_splice of kernel.h). This is
 * a template, included by kernels.h behind an algebra. Sums of one to three terms have loops of their own; the last
 * vector of a sum begins where it ends with the array, so that no number stands alone. Cost: a load and an addition a
 * term and vector, and one store; two loads and a store a vector of a splice. */

static double sum_one(const wlm_array_sum *s, int32_t i)
{
    double sum = s->term[0].minus ? -s->term[0].from[i] : s->term[0].from[i];
    for (int k = 1; k < s->terms; k++) sum += s->term[k].minus ? -s->term[k].from[i] : s->term[k].from[i];
    return wlm_finished(&s->finish, i, sum);
}

WLM_INLINE void sum_vector(const wlm_array_sum *s, const int terms, const I *sign, int32_t i, double *to)
{
    V sum = v_of_bits(i_xor(v_bits(v_load(s->term[0].from + i)), sign[0]));
    for (int k = 1; k < terms; k++) sum = v_add(sum, v_of_bits(i_xor(v_bits(v_load(s->term[k].from + i)), sign[k])));
    if (s->finish.mass != NULL) sum = v_div(sum, v_load(s->finish.mass + i));
    if (s->finish.y != NULL) sum = v_add(v_load(s->finish.y + i), v_mul(v_set(s->finish.h), sum));
    v_store(to + i, sum);
}

WLM_INLINE void sum_terms(const wlm_array_sum *s, const int terms, int32_t count, double *to)
{
    I sign[WLM_SUM_TERMS];
    int32_t i = 0;
    if (count < WLM_WIDTH) {
        for (; i < count; i++) to[i] = sum_one(s, i);
        return;
    }
    for (int k = 0; k < terms; k++) sign[k] = i_set(s->term[k].minus ? WLM_SIGN_BIT : 0);
    for (; i + WLM_WIDTH <= count; i += WLM_WIDTH) sum_vector(s, terms, sign, i, to);
    if (i < count) sum_vector(s, terms, sign, count - WLM_WIDTH, to);
}

static void sum_arrays(const wlm_array_sum *s, int32_t count, double *to)
{
    switch (s->terms) {
    case 1: sum_terms(s, 1, count, to); break;
    case 2: sum_terms(s, 2, count, to); break;
    case 3: sum_terms(s, 3, count, to); break;
    default: sum_terms(s, s->terms, count, to);
    }
}

/* Eight numbers from place 8 - split on are those lanes below `split` that are taken from the first array. */
static const uint64_t below[16] = {~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL};

static void splice_arrays(const double *from, const wlm_splice *splice, int32_t count, double *to)
{
    for (int32_t k = 0; k < count; k++, to += WLM_SPLICE) {
        const wlm_splice s = splice[k];
        const uint64_t *const lower = below + WLM_SPLICE - s.split;
        WLM_UNROLL for (int lane = 0; lane < WLM_SPLICE; lane += WLM_WIDTH)
        {
            I low = v_bits(v_load((const double *)(const void *)(lower + lane)));
            I first = v_bits(v_load(from + s.low + lane)), second = v_bits(v_load(from + s.high + lane));
            v_store(to + lane, v_of_bits(i_xor(second, i_and(low, i_xor(first, second)))));
        }
    }
}
