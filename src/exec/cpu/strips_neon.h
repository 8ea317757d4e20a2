/* Strips of a tile, for kernels_tiles.h: so many columns that registers hold eight rows of U of them, 16, beside eight
 * of what these are subtracted from. A row of eight columns is four registers here, complex eight; of those U alone
 * would take all 32.
 *
 * Complex numbers stand as they do in memory, one a register, and beside them, turned, what imaginary parts of factors
 * multiply. */
#define WLU_STRIPS

/* Columns; rows at a time. */
enum { STRIP = WLU_NUMBER_REALS == 1 ? 4 : 1, STRIP_ROWS = 8 * WLU_NUMBER_REALS / 2 };

#ifdef WLU_COMPLEX
typedef float64x2_t strip;

typedef struct turned_strip {
    float64x2_t as_is, turned;
} turned_strip;

#define strip_load vld1q_f64
#define strip_store vst1q_f64

static inline turned_strip strip_turned(strip a)
{
    return (turned_strip){a, v2_turned(a)};
}

/* a - l u, for a number l in memory; as n8_fnma. */
static inline strip strip_fnma(const double *l, const turned_strip *u, strip a)
{
    float64x2_t by = vld1q_f64(l);
    return vfmaq_laneq_f64(vfmsq_laneq_f64(a, u->as_is, by, 0), u->turned, by, 1);
}
#else
typedef struct strip {
    float64x2_t lo, hi;
} strip;

typedef strip turned_strip;

static inline strip strip_load(const double *x)
{
    return (strip){vld1q_f64(x), vld1q_f64(x + 2)};
}

static inline void strip_store(double *x, strip a)
{
    vst1q_f64(x, a.lo);
    vst1q_f64(x + 2, a.hi);
}

#define strip_turned(a) (a)

static inline strip strip_fnma(const double *l, const turned_strip *u, strip a)
{
    float64x1_t by = vld1_f64(l);
    return (strip){vfmsq_lane_f64(a.lo, u->lo, by, 0), vfmsq_lane_f64(a.hi, u->hi, by, 0)};
}
#endif
