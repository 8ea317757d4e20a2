/* Coefficients of polynomials, the lowest power first. Made by tools/lib/minimax.sollya. */
#ifndef WLU_MODEL_ELEMENTARY_COEFFICIENTS_H
#define WLU_MODEL_ELEMENTARY_COEFFICIENTS_H

#if !defined(WLM_TABLE_STORAGE)
#define WLM_TABLE_STORAGE static
#endif

/* exp(x) from x^2 on, |x| < ln(2) / 2. Relative error 2^-57.875. */
WLM_TABLE_STORAGE const double wlm_c_exp[] = {
    0x1.000000000000ap-1,  0x1.55555555554fep-3,  0x1.55555555506b9p-5, 0x1.1111111126b36p-7,  0x1.6c16c1847815bp-10,
    0x1.a01a012ff003ep-13, 0x1.a019995b5d22fp-16, 0x1.71df18e74a9ap-19, 0x1.28ae00ae17e66p-22, 0x1.ad92ff4e19a54p-26,
};

/* log(1 + x) from x^2 on, sqrt(1/2) <= 1 + x < sqrt(2). Relative error 2^-58.828125. */
WLM_TABLE_STORAGE const double wlm_c_log[] = {
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

/* log((1 + x) / (1 - x)) from x^5 on, |x| < 0.1716. Relative error 2^-73.46875. */
WLM_TABLE_STORAGE const double wlm_c_pow[] = {
    0x1.9999999999996p-2, 0x1.2492492492f4cp-2, 0x1.c71c71c597639p-3, 0x1.745d1828e749ep-3,
    0x1.3b1364e71b3e6p-3, 0x1.11206ad8482b7p-3, 0x1.de3e174736ad9p-4, 0x1.eac0abbd9d8cep-4,
};

/* sin(x) from x^3 on, |x| < pi / 4. Relative error 2^-57.875. */
WLM_TABLE_STORAGE const double wlm_c_sin[] = {
    -0x1.5555555555548p-3, 0x1.111111110f75dp-7,   -0x1.a01a019bf222ep-13,
    0x1.71de355f05599p-19, -0x1.ae5e5471f5501p-26, 0x1.5d8e3511cdb44p-33,
};

/* cos(x) from x^4 on, |x| < pi / 4. Relative error 2^-63.9375. */
WLM_TABLE_STORAGE const double wlm_c_cos[] = {
    0x1.555555555554bp-5,   -0x1.6c16c16c15016p-10, 0x1.a01a019c8f3eep-16,
    -0x1.27e4f7f19d4b2p-22, 0x1.1ee9dbd0d86a6p-29,  -0x1.8fa681e385241p-37,
};

/* atan(x) from x^3 on, |x| < tan(pi / 8). Relative error 2^-59.4375. */
WLM_TABLE_STORAGE const double wlm_c_atan[] = {
    -0x1.555555555553dp-2, 0x1.999999999586dp-3, -0x1.24924922ad6edp-3, 0x1.c71c70e613401p-4,
    -0x1.745cf8dcacc2cp-4, 0x1.3b11191f75b4cp-4, -0x1.10ebb86a779eap-4, 0x1.df0f4dc53386ap-5,
    -0x1.9cd2cc3bcaa6cp-5, 0x1.37d5d6ce4ab2ep-5, -0x1.256ae1c81b21ep-6,
};

/* asin(x) from x^3 on, |x| < 1/2. Relative error 2^-59.859375. */
WLM_TABLE_STORAGE const double wlm_c_asin[] = {
    0x1.5555555555577p-3, 0x1.333333332e13p-4,   0x1.6db6db721283bp-5, 0x1.f1c71a94e2c9bp-6, 0x1.6e8bdee29a3e4p-6,
    0x1.1c49f0292c446p-6, 0x1.ca1f9315cb9f1p-7,  0x1.75855569dda8ap-7, 0x1.613dd05ce45a9p-7, 0x1.e5e0b8b4fe98ep-9,
    0x1.63a340d0f43fbp-6, -0x1.5807c00eaf133p-6, 0x1.0b4a22e09309dp-5,
};

/* erf(x) from x^3 on, |x| < 1/2. Relative error 2^-57.71875. */
WLM_TABLE_STORAGE const double wlm_c_erf[] = {
    -0x1.812746b0379c4p-2,  0x1.ce2f21a03e596p-4,  -0x1.b82ce30f7ef1p-6,   0x1.565bcc0a0f04cp-8,
    -0x1.c02d536dbd6fep-11, 0x1.f98e3b05db462p-14, -0x1.f22e6ecc35b81p-17, 0x1.8b926aafbd4eap-20,
};

/* erfc(z) exp(z^2) (1 + 2 z) from its constant - 5/4 on, x = (z - 15/4) / (z + 15/4), 1/2 < z < 28. Relative error
 * 2^-60.921875. */
WLM_TABLE_STORAGE const double wlm_c_erfc[] = {
    -0x1.992fa51511ec3p-7, -0x1.1f367683f89a7p-3,  0x1.d5f2948159d28p-9,   0x1.510169d0967f9p-4,
    -0x1.bda9309a28966p-4, 0x1.7a14188a99fffp-4,   -0x1.e0d0fa6dfc766p-5,  0x1.d0b0037daa45ap-6,
    -0x1.3f603c34f7145p-7, 0x1.cc3a0e3f502bap-10,  0x1.33fb261b6cbb1p-12,  -0x1.303fa12277898p-12,
    0x1.b143ef9652f73p-15, 0x1.778b3fae5f6d2p-16,  -0x1.8002be79fd0ffp-17, -0x1.055c58a4901f5p-20,
    0x1.d63526d20b4b4p-20, -0x1.e682550028f7cp-25, -0x1.14e16f7270834p-22, 0x1.7d6de7ef97c9bp-26,
    0x1.3ed45d7baa698p-25, -0x1.85a6ef333bb9bp-29, -0x1.0a3190512c6e4p-28,
};

#endif
