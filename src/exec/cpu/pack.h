/* What the files that pack a stream share: pack.c (bundles, loads, ranges) and pack_singles.c (single records). */
#ifndef WLU_EXEC_CPU_PACK_H
#define WLU_EXEC_CPU_PACK_H

#include "exec/cpu/image.h"

enum { LANES = 8 };

/* Marks of slots. */
enum { LOADED = 1, JUDGED = 2, TARGET = 4 }; /* by a run; by a run or a load; of a record */

typedef struct wlu_cpu_packer {
    const wlu_program *program;
    const wlu_triangular *solve; /* whose stream it is; NULL: the factorization's, which is guarded */
    const wlu_stream *s;
    const wlu_loads *loads;
    wlu_place *place; /* of the runs of parts and tiles */
    int unit;         /* all scales of the load map are 1 */
    wlu_run *run;
    int32_t *word;
    uint8_t *mark;         /* by slot */
    int64_t *order;        /* by place: the record; differs from the place only in narrow spans */
    int64_t nruns, nwords; /* runs closed or open so far, words so far */
    wlu_run open;
} wlu_cpu_packer;

static inline int64_t wlu_pack_length(const wlu_stream *s, int64_t r)
{
    return s->begin[r + 1] - s->begin[r];
}

/* Adds next to the open run if it is of its form, else closes that and opens next. */
void wlu_pack_extend(wlu_cpu_packer *p, wlu_run next);
/* Packs the group of single records that begins at place k, whose record is no longer than WLU_DOT_IN_ORDER_MAX;
 * returns the place behind it. */
int64_t wlu_pack_group(wlu_cpu_packer *p, int64_t k, int64_t end);

#endif
