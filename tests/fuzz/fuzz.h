/* Fuzz targets: one function that takes bytes, for libFuzzer or for our own driver (driver.c). A target ends the
 * process through fuzz_fail where something is wrong; everything else is for the sanitizers to see. */
#ifndef WLU_FUZZ_H
#define WLU_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_REQUIRE(condition, ...) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "# %s:%d: %s: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__); \
            fprintf(stderr, "\n"); \
            abort(); \
        } \
    } while (0)

/* Input that is taken apart; zeros follow its end. */
typedef struct fuzz_input {
    const uint8_t *data;
    size_t size;
} fuzz_input;

static inline unsigned fuzz_byte(fuzz_input *in)
{
    if (in->size == 0) return 0;
    in->size--;
    return *in->data++;
}

static inline uint64_t fuzz_bits(fuzz_input *in, int bytes)
{
    uint64_t v = 0;
    for (int k = 0; k < bytes; k++) v = v << 8 | fuzz_byte(in);
    return v;
}

#endif
