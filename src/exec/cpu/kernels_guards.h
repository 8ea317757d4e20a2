/* Kernels of the guards: maxima over areas of slots, the bound on growth; a part of kernels.h. */

/* Largest magnitude of v[0..count), by bits. */
static inline double largest_in(const double *v, int64_t count)
{
    v8 m = v8_zero();
    int64_t k = 0;
    for (; k + 8 <= count; k += 8) m = v8_max_bits(m, v8_abs(v8_load(v + k)));
    for (; k < count; k++) m = v8_max_bits(m, v8_set(fabs(v[k])));
    return largest_bits_of(m);
}

/* inverse[j] = wlu_inverse_power of the entry of column j that was largest when pivots were chosen. */
static inline void find_inverses(const wlu_guards *g, const double *source, int32_t n, double *inverse)
{
    int32_t j = 0;
    for (; j + 8 <= n; j += 8)
        v8_store(inverse + j,
                 v8_inverse_power(v8_abs(v8_mul(v8_load(g->a_scale + j), v8_gather(source, g->a_source + j)))));
    for (; j < n; j++) inverse[j] = wlu_inverse_power(fabs(g->a_scale[j] * source[g->a_source[j]]));
}

/* The largest computed |u| relative to those entries, by bits; not below 1. */
static inline double largest_relative(const wlu_program *p, wlu_state *state)
{
    const wlu_guards *g = &p->guard;
    const double *inverse = state->inverse, *u = state->v + p->u;
    v8 worst = v8_set(1.0);
    int64_t k = 0;
    for (; k + 8 <= g->count; k += 8)
        worst = v8_max_bits(worst, v8_mul(v8_abs(v8_load(u + k)), v8_gather(inverse, g->u_column + k)));
    for (; k < g->count; k++) worst = v8_max_bits(worst, v8_set(fabs(u[k]) * inverse[g->u_column[k]]));
    for (int32_t at = 0; at < p->tiles.m; at++) {
        int32_t j = p->tiles.position[at];
        worst = v8_max_bits(worst, v8_set(state->umax[j] * inverse[j]));
    }
    return largest_bits_of(worst);
}

/* Drift of the rows: change of the power of two at or below what was each row's largest entry. */
static inline double row_drift(const wlu_guards *g, const double *source, int32_t n)
{
    v8 worst = v8_set(1.0);
    int32_t k = 0;
    for (; k + 8 <= n; k += 8) {
        v8 now = v8_mul(v8_load(g->row_scale + k), v8_gather(source, g->row_source + k));
        v8 down = v8_inverse_power(v8_abs(now));
        worst = v8_max_bits(v8_max_bits(worst, down), v8_inverse_power(down));
    }
    for (; k < n; k++) {
        double down = wlu_inverse_power(fabs(g->row_scale[k] * source[g->row_source[k]]));
        worst = v8_max_bits(v8_max_bits(worst, v8_set(down)), v8_set(wlu_inverse_power(down)));
    }
    return largest_bits_of(worst);
}

static void run_guards(const wlu_program *p, wlu_state *state, const double *source)
{
    wlu_health *h = &state->health;
    const double *v = state->v;
    double l = largest_in(v + p->l, p->f - p->l);
    if (!(l <= h->largest_l)) h->largest_l = l;
    double largest_reciprocal = largest_in(v + p->reciprocal, p->n);
    h->smallest_pivot = 1.0 / largest_reciprocal;
    h->largest_u = largest_in(v + p->u, p->l - p->u);
    for (int32_t at = 0; at < p->tiles.m; at++)
        h->largest_u = wlu_larger_bits(h->largest_u, state->umax[p->tiles.position[at]]);
    h->finite = h->finite && isfinite(h->largest_l) && isfinite(largest_reciprocal) && isfinite(h->largest_u) &&
                isfinite(largest_in(v + p->f, p->reciprocal - p->f));
    h->drift = row_drift(&p->guard, source, p->n);
    find_inverses(&p->guard, source, p->n, state->inverse);
    double worst = largest_relative(p, state);
    h->growth = worst >= 1.0 ? 1.0 / worst : 0.0;
    if (!(h->growth >= p->guard.bound)) h->growth = wlu_exact_growth(p, state, source);
}
