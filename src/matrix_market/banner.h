/* The banner of a Matrix Market file: its words and the typecode they spell. */
#ifndef WLU_MATRIX_MARKET_BANNER_H
#define WLU_MATRIX_MARKET_BANNER_H

#include "matrix_market/entries.h"
#include "matrix_market/text.h"

/* Reads the first line of the text into e->typecode and e->parts. WARPLU_BAD_FORMAT, WARPLU_CANNOT_READ. */
warplu_status wlu_mm_read_banner(wlu_mm_input *in, wlu_mm_entries *e);

/* Whether there are files of this typecode. */
int wlu_mm_typecode_exists(const warplu_mm_typecode *t);

/* Numbers an entry has: 0 of a pattern, 1, 2 if complex. */
int wlu_mm_parts(warplu_mm_field field);

const char *wlu_mm_symmetry_name(warplu_mm_symmetry symmetry);

#endif
