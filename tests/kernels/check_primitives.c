/* What the primitives of simd_*.h have to compute, lane by lane in plain C. */
#include "kernel_run.h"
#include "primitives.h"

#include "base/power.h"

#include <math.h>
#include <string.h>

static primitive *const *primitives_of(wlu_instruction_set set)
{
    static primitive *const *const primitives[WLU_SIMD_SETS] = {
#if defined(WLU_WITH_X86_KERNELS)
        [WLU_SIMD_AVX512] = test_primitives_avx512,
        [WLU_SIMD_AVX512_LOADS] = test_primitives_avx512_loads,
        [WLU_SIMD_AVX2] = test_primitives_avx2,
#endif
#if defined(WLU_WITH_NEON_KERNELS)
        [WLU_SIMD_NEON] = test_primitives_neon,
#endif
        [WLU_SIMD_PORTABLE] = test_primitives_portable,
    };
    return primitives[set];
}

static void draw(kernel_run *r, primitive_operands *o)
{
    int32_t place[PRIMITIVE_MEMORY];
    kernel_fill(r, o->a, 8);
    kernel_fill(r, o->b, 8);
    kernel_fill(r, o->c, 8);
    kernel_fill(r, o->rows[0], 64);
    kernel_fill(r, o->memory, PRIMITIVE_MEMORY);
    kernel_shuffle(r, place, PRIMITIVE_MEMORY);
    for (int k = 0; k < 8; k++) {
        for (int q = 0; q < 2; q++) o->magnitude[q][k] = fabs(kernel_number(r));
        o->index[k] = place[k];
        o->maybe[k] = kernel_below(r, 3) == 0 ? -1 : place[k];
        o->upper[k] = (uint16_t)(wlu_bits_of_double(kernel_power(r)) >> 48);
    }
    o->lane = (int)kernel_below(r, 8);
}

/* The exponent's bits taken from 2046: 2^-e for a magnitude in [2^e, 2^(e+1)). Zero and denormals have those of
 * 2^-1023, e = 1023 gives 0, what is infinite or no number -infinity. */
static double inverse_power(double magnitude)
{
    if (!isfinite(magnitude)) return -INFINITY;
    if (magnitude < 0x1p-1022) return 0x1p1023;
    return magnitude >= 0x1p1023 ? 0.0 : ldexp(1.0, -ilogb(magnitude));
}

static double upper_power(uint16_t upper)
{
    uint64_t bits = (uint64_t)upper << 48;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* One lane of the primitives that have eight. */
static double lane_of(primitive_name name, const primitive_operands *o, int k)
{
    switch (name) {
    case PRIMITIVE_zero: return 0.0;
    case PRIMITIVE_set: return o->a[0];
    case PRIMITIVE_load: return o->memory[1 + k];
    case PRIMITIVE_add: return o->a[k] + o->b[k];
    case PRIMITIVE_mul: return o->a[k] * o->b[k];
    case PRIMITIVE_div: return o->a[k] / o->b[k];
    case PRIMITIVE_fma: return fma(o->a[k], o->b[k], o->c[k]);
    case PRIMITIVE_fnma: return fma(-o->a[k], o->b[k], o->c[k]);
    case PRIMITIVE_abs: return fabs(o->a[k]);
    case PRIMITIVE_gather: return o->memory[o->index[k]];
    case PRIMITIVE_gather_or_zero: return o->maybe[k] < 0 ? 0.0 : o->memory[o->maybe[k]];
    case PRIMITIVE_load_powers: return upper_power(o->upper[k]);
    case PRIMITIVE_inverse_power: return inverse_power(o->magnitude[0][k]);
    case PRIMITIVE_max_bits: return kernel_larger(o->magnitude[0][k], o->magnitude[1][k]);
    case PRIMITIVE_greater_of: return o->a[k] > o->b[k] ? o->a[k] : o->b[k];
    case PRIMITIVE_select: return signbit(o->a[k]) ? o->b[k] : o->c[k];
    case PRIMITIVE_lane: return o->a[o->lane];
    case PRIMITIVE_from: return k < o->lane ? 0.0 : o->a[k];
    case PRIMITIVE_eliminate: return k < o->lane ? o->a[k] : k == o->lane ? o->b[k] : fma(-o->b[k], o->c[k], o->a[k]);
    case PRIMITIVE_trees: return kernel_tree(o->rows[k]);
    case PRIMITIVE_scatter:
    case PRIMITIVE_all_greater:
    case PRIMITIVE_first:
    case PRIMITIVE_tree:
    case PRIMITIVE_transpose:
    case PRIMITIVE_COUNT: break;
    }
    return NAN;
}

static void state(primitive_name name, const primitive_operands *o, double *out)
{
    switch (name) {
    case PRIMITIVE_first: out[0] = o->a[0]; break;
    case PRIMITIVE_all_greater:
        out[0] = 1.0;
        for (int k = 0; k < 8; k++)
            if (!(o->magnitude[0][k] > o->magnitude[1][o->lane])) out[0] = 0.0;
        break;
    case PRIMITIVE_tree: out[0] = kernel_tree(o->a); break;
    case PRIMITIVE_scatter:
        for (int k = 0; k < 8; k++) out[o->index[k]] = o->a[k];
        break;
    case PRIMITIVE_transpose:
        for (int k = 0; k < 64; k++) out[k] = o->rows[k % 8][k / 8];
        break;
    default:
        for (int k = 0; k < 8; k++) out[k] = lane_of(name, o, k);
        break;
    }
}

static void check(kernel_run *r, const void *variant)
{
    primitive_name name = *(const primitive_name *)variant;
    primitive *function = primitives_of(r->set)[name];
    primitive_operands o;
    double want[PRIMITIVE_MEMORY], got[PRIMITIVE_MEMORY];
    for (int k = 0; k < 16; k++) {
        draw(r, &o);
        kernel_fill(r, want, PRIMITIVE_MEMORY);
        memcpy(got, want, sizeof got);
        state(name, &o, want);
        function(&o, got);
        kernel_expect(r, "number", got, want, PRIMITIVE_MEMORY);
    }
    KERNEL_TIME(r, 8, function(&o, got));
}

kernel_cases kernel_primitive_cases(void)
{
    static const primitive_name names[] = {
#define X(name) PRIMITIVE_##name,
        PRIMITIVES(X)
#undef X
    };
    static const kernel_case cases[] = {
#define X(name) {"v8_" #name, check, &names[PRIMITIVE_##name]},
        PRIMITIVES(X)
#undef X
    };
    return KERNEL_CASES(cases);
}
