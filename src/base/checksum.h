/* CRC-32 as in gzip and PNG: polynomial 0x04c11db7, bits reflected, all ones before and after (ISO 3309).
 *
 * Sixteen bytes at a time by sixteen tables (M. Kounavis and F. Berry, Novel table lookup-based algorithms for
 * high-performance CRC generation, IEEE Transactions on Computers 57, 2008). The tables, 16 KiB, are made once in
 * a process. Cost: 1 ns a byte. */
#ifndef WLU_BASE_CHECKSUM_H
#define WLU_BASE_CHECKSUM_H

#include <stdint.h>

uint32_t wlu_crc32(const uint8_t *bytes, int64_t count);

#endif
