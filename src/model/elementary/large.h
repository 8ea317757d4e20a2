/* Reduction of large angles: r = x - k pi / 2 for 2^21 <= x < infinity, by those 192 bits of 2 / pi that decide
 * about k modulo 4 and the fraction; those before make multiples of 4. 2 / pi is in words, of which four are
 * selected by halving; the product is by 32 bits. No number is nearer to a multiple of pi / 2 than 2^-62, and the
 * bits left out change the fraction by 2^-137.
 *
 * Source: Payne and Hanek, Radian reduction for trigonometric functions, 1983. */

/* 2^-33 2 / pi, a bit for each exponent from 2^21 on. */
#define WLM_TWO_OVER_PI_WORDS 19
WLM_TABLE_STORAGE const uint64_t wlm_two_over_pi[WLM_TWO_OVER_PI_WORDS] = {
    0x00000000517cc1b7, 0x27220a94fe13abe8, 0xfa9a6ee06db14acc, 0x9e21c820ff28b1d5, 0xef5de2b0db92371d,
    0x2126e97003249775, 0x04e8c90e7f0ef58e, 0x5894d39f74411afa, 0x975da24274ce3813, 0x5a2fbf209cc8eb1c,
    0xc1a99cfa4e422fc5, 0xdefc941d8ffc4bff, 0xef02cc07f79788c5, 0xad05368fb69b3f67, 0x93e584dba7a31fb3,
    0x4f2ff516ba93dd63, 0xf5f2f8bd9e839cfb, 0xc529497535fdafd8, 0x8fc6ae842b019823};

/* Selects four words of 2 / pi, from word number index (0 to 15) on. */
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

/* Computes the lowest 192 bits of the product of x, 53 bits, and six digits of 32 bits, the lowest first. Digit 0 of
 * the product is left out. */
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

/* Converts a whole number below 2^32. */
WLM_INLINE V wlm_of_digit(I digit)
{
    return v_sub(v_of_bits(i_or(digit, i_set(0x4330000000000000))), v_set(0x1p52));
}

/* Reduces x; the lowest bits of *quadrant are k modulo 4. */
WLM_INLINE wlm_pair wlm_reduce_large(V x, V *quadrant)
{
    I bits = v_bits(x), place = i_sub(i_right(bits, 52), i_set(1044));
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
