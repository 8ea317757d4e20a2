/* Functions in headers that host and kernels share. */
#ifndef WLU_BASE_PORTABLE_H
#define WLU_BASE_PORTABLE_H

#if defined(__CUDACC__)
#define WLU_PORTABLE static __host__ __device__ __forceinline__
#else
#define WLU_PORTABLE static inline
#endif

#endif
