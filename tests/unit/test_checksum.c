/* CRC-32 against its published check value and its definition, bit by bit, for all lengths and alignments. */
#include "base/checksum.h"

#include "check.h"

enum { MOST = 300 };

/* The division of polynomials, a bit at a time. */
static uint32_t divide(const uint8_t *bytes, int count)
{
    uint32_t r = UINT32_MAX;
    for (int i = 0; i < 8 * count; i++) {
        const uint32_t bit = (uint32_t)bytes[i / 8] >> i % 8 & 1;
        r = ((r ^ bit) & 1) != 0 ? r >> 1 ^ 0xedb88320 : r >> 1;
    }
    return ~r;
}

static void gives_the_check_value(void)
{
    CHECK(wlu_crc32((const uint8_t *)"123456789", 9) == 0xcbf43926);
    CHECK(wlu_crc32((const uint8_t *)"", 0) == 0);
}

static void divides_polynomials(void)
{
    uint8_t bytes[MOST + 8];
    uint32_t random = 1;
    for (int i = 0; i < MOST + 8; i++) {
        random = random * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(random >> 24);
    }
    for (int first = 0; first < 8; first++)
        for (int count = 0; count <= MOST; count++)
            CHECK(wlu_crc32(bytes + first, count) == divide(bytes + first, count));
}

int main(void)
{
    RUN(gives_the_check_value);
    RUN(divides_polynomials);
    return check_done();
}
