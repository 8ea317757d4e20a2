/* Delays for the stress test, included before the kernels that it builds a second time: where the kernels say
 * WLU_DELAY, a thread in sixteen lets up to 4096 cycles pass, and one in 4096 up to 2^18, as key, block, warp and clock
 * will have it. */
#define WLU_DELAY(key) delay_for((unsigned)(key))

static __device__ __noinline__ void delay_for(unsigned key)
{
    unsigned x = key * 2654435761u ^ (blockIdx.x * 64 + threadIdx.x / 32) * 2246822519u ^ (unsigned)clock64();
    x = (x ^ x >> 15) * 739982445u;
    x = (x ^ x >> 12) * 695872825u;
    x ^= x >> 15;
    if (x % 16 != 0) return;
    long long end = clock64() + (x / 16 % 256 == 0 ? x >> 12 & 0x3ffff : x >> 12 & 0xfff);
    while (clock64() < end) {
    }
}
