/* Reduction of large angles: r = x - k pi / 2 for 2^32 <= x < infinity, by those 192 bits of 2 / pi that decide
 * about k modulo 4 and the fraction; those before make multiples of 4. 2 / pi is in words, of which four are
 * selected by halving; the product is by 32 bits. No number is nearer to a multiple of pi / 2 than 2^-62, and the
 * bits left out change the fraction by 2^-137.
 *
 * Source: Payne and Hanek, Radian reduction for trigonometric functions, 1983. */

/* 2^-22 2 / pi, a bit for each exponent from 2^32 on. */
#define WLM_TWO_OVER_PI_WORDS 19
static const uint64_t wlm_two_over_pi[WLM_TWO_OVER_PI_WORDS] = {
    0x0000028be60db939, 0x1054a7f09d5f47d4, 0xd377036d8a5664f1, 0x0e4107f9458eaf7a, 0xef1586dc91b8e909,
    0x374b801924bba827, 0x464873f877ac72c4, 0xa69cfba208d7d4ba, 0xed1213a671c09ad1, 0x7df904e64758e60d,
    0x4ce7d272117e2ef7, 0xe4a0ec7fe25fff78, 0x16603fbcbc462d68, 0x29b47db4d9fb3c9f, 0x2c26dd3d18fd9a79,
    0x7fa8b5d49eeb1faf, 0x97c5ecf41ce7de29, 0x4a4ba9afed7ec47e, 0x357421580cc11bf1};

/* Four words from word number index on, 0 to 15. */
WLM_INLINE void wlm_window(I index, I *four)
{
    I word[WLM_TWO_OVER_PI_WORDS];
    for (int k = 0; k < WLM_TWO_OVER_PI_WORDS; k++) word[k] = i_set(wlm_two_over_pi[k]);
    for (int step = 8; step > 0; step /= 2) {
        M further = i_equal(i_and(index, i_set((uint64_t)step)), i_set((uint64_t)step));
        for (int k = 0; k < step + 3; k++) word[k] = i_select(further, word[k + step], word[k]);
    }
    for (int k = 0; k < 4; k++) four[k] = word[k];
}

/* 32 bits at a time, lowest first: the lowest 192 bits of the product of x, 53 bits, and six such digits. Digit 0
 * is not made. */
WLM_INLINE void wlm_multiply_digits(I x, const I *a, I *product)
{
    const I lower = i_set(0xffffffff);
    I x_high = i_right(x, 32), sum = i_right(i_multiply_low(x, a[0]), 32);
    for (int k = 1; k < 6; k++) {
        I p = i_multiply_low(x, a[k]), q = i_multiply_low(x_high, a[k - 1]);
        sum = i_add(sum, i_add(i_and(p, lower), i_and(q, lower)));
        product[k] = i_and(sum, lower);
        sum = i_add(i_right(sum, 32), i_add(i_right(p, 32), i_right(q, 32)));
    }
}

/* A whole number below 2^32. */
WLM_INLINE V wlm_of_digit(I digit)
{
    return v_sub(v_of_bits(i_or(digit, i_set(0x4330000000000000))), v_set(0x1p52));
}

/* quadrant: its lowest bits are k modulo 4. */
WLM_INLINE wlm_pair wlm_reduce_large(V x, V *quadrant)
{
    I bits = v_bits(x), place = i_sub(i_right(bits, 52), i_set(1055));
    I whole = i_or(i_and(bits, i_set(0x000fffffffffffff)), i_set(0x0010000000000000));
    I four[4], digit[6], product[6];
    wlm_window(i_right(place, 6), four);
    I shift = i_and(place, i_set(63)), back = i_sub(i_set(64), shift);
    for (int k = 0; k < 3; k++) {
        I word = i_or(i_left_by(four[k], shift), i_right_by(four[k + 1], back));
        digit[5 - 2 * k] = i_right(word, 32);
        digit[4 - 2 * k] = word;
    }
    wlm_multiply_digits(whole, digit, product);

    I k = i_right(i_add(product[5], i_set(0x20000000)), 30);
    V first = v_fnma(wlm_of_digit(k), v_set(0x1p30), wlm_of_digit(product[5]));
    wlm_pair a = wlm_fast_sum(v_mul(first, v_set(0x1p-30)), v_mul(wlm_of_digit(product[4]), v_set(0x1p-62)));
    wlm_pair b = wlm_fast_sum(a.high, v_mul(wlm_of_digit(product[3]), v_set(0x1p-94)));
    wlm_pair c = wlm_fast_sum(b.high, v_mul(wlm_of_digit(product[2]), v_set(0x1p-126)));
    V low = v_fma(wlm_of_digit(product[1]), v_set(0x1p-158), v_add(v_add(a.low, b.low), c.low));
    wlm_pair fraction = wlm_fast_sum(c.high, low);

    wlm_pair r = wlm_product(fraction.high, v_set(0x1.921fb54442d18p0));
    r.low = v_fma(fraction.high, v_set(0x1.1a62633145c07p-54), v_fma(fraction.low, v_set(0x1.921fb54442d18p0), r.low));
    *quadrant = v_of_bits(k);
    return wlm_fast_sum(r.high, r.low);
}
