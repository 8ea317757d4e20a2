/* Kernels at the end of a solve; a part of kernels.h. */

/* x in the caller's order: x is written in a row, what is gathered are slots. Returns its largest magnitude, by bits. */
static double run_store(const wlu_stores *s, const double *v, double *x)
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
