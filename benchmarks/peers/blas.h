/* Which libraries a plug-in really runs on, asked of the dynamic linker: what was configured, what the system's
 * alternatives point at and what LD_LIBRARY_PATH brings need not be the same. */
#ifndef WLU_PEER_BLAS_H
#define WLU_PEER_BLAS_H

#include <stddef.h>

enum { PEER_BLAS_TEXT = 64 };

/* The BLAS whose dgemm_ this program calls, in its own words where it has some (OpenBLAS, MKL), as its file's name
 * else, with its threads: "OpenBLAS 0.3.21 Zen, 1 thread". */
void peer_blas_name(char *text, size_t size);
/* The name of the file that holds a function, links resolved: "libblas.so.3.11.0". Empty where none does. */
void peer_library_file(const char *function, char *text, size_t size);

#endif
