/* Coefficients of polynomials, the lowest power first. Made by tools/lib/minimax.sollya. */
#ifndef WLU_MODEL_ELEMENTARY_COEFFICIENTS_H
#define WLU_MODEL_ELEMENTARY_COEFFICIENTS_H

/* exp(x) from x^2 on, |x| < ln(2) / 2. Relative error 2^-57.875. */
static const double wlm_c_exp[] = {
    0x1.000000000000ap-1,  0x1.55555555554fep-3,  0x1.55555555506b9p-5, 0x1.1111111126b36p-7,  0x1.6c16c1847815bp-10,
    0x1.a01a012ff003ep-13, 0x1.a019995b5d22fp-16, 0x1.71df18e74a9ap-19, 0x1.28ae00ae17e66p-22, 0x1.ad92ff4e19a54p-26,
};

/* log(1 + x) from x^2 on, sqrt(1/2) <= 1 + x < sqrt(2). Relative error 2^-58.828125. */
static const double wlm_c_log[] = {
    -0x1p-1,
    0x1.5555555555574p-2,
    -0x1.ffffffffffebcp-3,
    0x1.9999999993b08p-3,
    -0x1.5555555566c6p-3,
    0x1.24924927cd24p-3,
    -0x1.fffffff734f49p-4,
    0x1.c71c7004e8275p-4,
    -0x1.999999e1e2d7bp-4,
    0x1.745d5ce76cc8cp-4,
    -0x1.55558d7d0d115p-4,
    0x1.3b0d43a43e5fep-4,
    -0x1.2487b20a96589p-4,
    0x1.116acb308e373p-4,
    -0x1.00e0413ec7f06p-4,
    0x1.dcaf7fc703965p-5,
    -0x1.b3ae3ca132098p-5,
    0x1.ba810695f710cp-5,
    -0x1.019435dadce9p-4,
    0x1.d6a821854b06bp-5,
    -0x1.92e8b1c0714dp-6,
};

/* log((1 + x) / (1 - x)) from x^5 on, |x| < 0.1716. Relative error 2^-67.9375. */
static const double wlm_c_pow[] = {
    0x1.9999999998b5ep-2, 0x1.2492493d9ca46p-2,  -0x1.8e76126b94ea9p-24, 0x1.c71ded356cfc7p-3,  -0x1.afcf4b35c917bp-15,
    0x1.759964288953p-3,  -0x1.30a3db30e8879p-8, 0x1.6a7c04606fd2ep-3,   -0x1.1c54f352c2e3ap-4, 0x1.df255f5e938a5p-3,
};

/* sin(x) from x^3 on, |x| < pi / 4. Relative error 2^-66.09375. */
static const double wlm_c_sin[] = {
    -0x1.5555555555555p-3, 0x1.11111111101d2p-7,  0x1.149454bea7102p-43,  -0x1.a01a01c406338p-13, 0x1.59aae60396047p-38,
    0x1.71ddb7aa927fp-19,  0x1.fe81d276863ebp-36, -0x1.af037c73a4596p-26, 0x1.daafed8d48c28p-36,  0x1.4bc01d232aaa4p-33,
};

/* cos(x) from x^4 on, |x| < pi / 4. Relative error 2^-60.484375. */
static const double wlm_c_cos[] = {
    0x1.5555555555c02p-5,  -0x1.6c16c1754fe6ap-10, 0x1.6459bfe4a07b7p-36, 0x1.a0199e13046c3p-16,
    0x1.f9d375335b979p-33, -0x1.2844900c2e08fp-22, 0x1.4ab4eb93cd13cp-32, 0x1.0e261f02a806p-29,
};

/* atan(x) from x^3 on, |x| < tan(pi / 8). Relative error 2^-66.34375. */
static const double wlm_c_atan[] = {
    -0x1.5555555555552p-2, 0x1.9999999988debp-3, 0x1.2fdfad04b9a7dp-33, -0x1.249249c964a82p-3,
    0x1.b2b30b72c7b0cp-24, 0x1.c71af2a1a2a8ap-4, 0x1.d962c33f240cbp-17, -0x1.74c5d89d16389p-4,
    0x1.09e39c23e70f1p-11, 0x1.33bd107a662aap-4, 0x1.02c6eef4f01bcp-8,  -0x1.1c57f87546e52p-4,
    -0x1.c9b860b961bb5p-7, 0x1.d47e0c13a86p-4,   -0x1.8f0a02f64ac9ep-4, 0x1.d3030151196b5p-6,
};

/* asin(x) from x^3 on, |x| < 1/2. Relative error 2^-60.109375. */
static const double wlm_c_asin[] = {
    0x1.555555555533ap-3, 0x1.3333333e5ad88p-4,   -0x1.a460a307131fp-27, 0x1.6db7ca50827b5p-5,  -0x1.4e776fd41868bp-17,
    0x1.f4449be590cdbp-6, -0x1.b4c57c82c6179p-10, 0x1.267f6533bed37p-5,  -0x1.58055e865a36cp-4, 0x1.aaad975fb0479p-2,
    -0x1.779a9aa6e7ffap0, 0x1.0b401f45363b2p2,    -0x1.214d9bdaab47dp3,  0x1.d9797bf3e7c5fp3,   -0x1.1a697c4fdf6dap4,
    0x1.d26ae392e318ap3,  -0x1.ddc62162f7cefp2,   0x1.d11800c995ccfp0,
};

#endif
