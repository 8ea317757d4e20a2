/* Tables and their use. See checksum.h. */
#include "base/checksum.h"

#include <pthread.h>

enum { SLICES = 16, BYTES = 256 };

static const uint32_t POLYNOMIAL = 0xedb88320; /* reflected */

/* table[k][b]: the remainder of byte b with k zero bytes behind it. */
static uint32_t table[SLICES][BYTES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
    for (uint32_t b = 0; b < BYTES; b++) {
        uint32_t r = b;
        for (int bit = 0; bit < 8; bit++) r = (r & 1) != 0 ? r >> 1 ^ POLYNOMIAL : r >> 1;
        table[0][b] = r;
    }
    for (int k = 1; k < SLICES; k++)
        for (int b = 0; b < BYTES; b++) table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xff];
}

static uint32_t little_endian(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* What four bytes come to with k more behind them. */
static uint32_t fold(uint32_t four, int k)
{
    return table[k + 3][four & 0xff] ^ table[k + 2][four >> 8 & 0xff] ^ table[k + 1][four >> 16 & 0xff] ^
           table[k][four >> 24];
}

uint32_t wlu_crc32(const uint8_t *bytes, int64_t count)
{
    uint32_t r = UINT32_MAX;
    pthread_once(&once, make_tables);
    for (; count >= SLICES; bytes += SLICES, count -= SLICES)
        r = fold(little_endian(bytes) ^ r, 12) ^ fold(little_endian(bytes + 4), 8) ^ fold(little_endian(bytes + 8), 4) ^
            fold(little_endian(bytes + 12), 0);
    for (; count > 0; count--) r = r >> 8 ^ table[0][(r ^ *bytes++) & 0xff];
    return ~r;
}
