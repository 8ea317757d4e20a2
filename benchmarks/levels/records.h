/* A scalar program on the device, shared by host and kernels. */
#ifndef SCALAR_RECORDS_H
#define SCALAR_RECORDS_H

#include <stdint.h>

#include "program/opcodes.h"

enum { SCALAR_THREADS = 128 };

/* MSUB: v[t] -= v[a] v[b]; DIV: v[t] /= v[a]. */
typedef struct scalar_records {
    const int32_t *t, *a, *b;
    const uint8_t *opcode;
} scalar_records;

/* opcode: of all its records; WLU_OPCODES: each record's own. */
typedef struct scalar_vector {
    int32_t first, count, opcode;
} scalar_vector;

#endif
