/* What the files that pack a stream share: pack.c (bundles), pack_singles.c (single records) and
 * pack_loads.c (load maps, ranges). */
#ifndef WLU_EXEC_CPU_PACK_H
#define WLU_EXEC_CPU_PACK_H

#include "exec/cpu/image.h"

enum { LANES = 8 };
enum { WORD_ALIGN = 16 }; /* words in 64 bytes */

/* Marks of slots. */
enum { LOADED = 1, JUDGED = 2, TARGET = 4 }; /* by a run; by a run or a load; of a record */

/* What the first pass finds of a bundle, for the second one: its records, and what its run has. Form WLU_RUN_NONE: they
 * are packed as single records. */
typedef struct wlu_pack_bundle {
    int32_t steps;
    uint8_t count, form, area;
} wlu_pack_bundle;

typedef struct wlu_cpu_packer {
    const wlu_program *program;
    const wlu_triangular *solve; /* whose stream it is; NULL: the factorization's, which is guarded */
    const wlu_stream *s;
    const wlu_loads *loads;
    wlu_place *place; /* of the runs of parts and tiles */
    int unit;         /* all scales of the load map are 1 */
    wlu_run *run;
    int32_t *word;
    int64_t
        area_end[WLU_SLOT_AREAS]; /* by area, from WLU_AREA_U on: the slot behind it; 0 of a solve, which has none */
    uint8_t *mark;                /* by slot */
    wlu_pack_bundle *bundle;      /* of vectors, in their order */
    int64_t nbundles;             /* so far in a pass */
    int64_t *order; /* by place: the record, of those packed one by one; differs from the place only in narrow spans */
    int64_t nruns, nwords; /* runs closed or open so far, words so far */
    wlu_run open;
} wlu_cpu_packer;

/* Room for the next words; NULL while they are only counted. */
static inline int32_t *wlu_pack_take(wlu_cpu_packer *p, int64_t count)
{
    int32_t *at = p->word != NULL ? p->word + p->nwords : NULL;
    p->nwords += count;
    return at;
}

/* Adds next to the open run if it is of its form, else closes that and opens next. */
void wlu_pack_extend(wlu_cpu_packer *p, wlu_run next);
/* Packs the records at the places first .. end - 1 one by one. */
void wlu_pack_singles(wlu_cpu_packer *p, int64_t first, int64_t end);

void wlu_pack_find_areas(wlu_cpu_packer *p);
/* The area that eight neighbouring targets are in; notes that their run judges them. */
wlu_area wlu_pack_area(wlu_cpu_packer *p, int64_t first);
/* Whether a bundle's targets from `first` on are all loaded by the load map; notes that the bundle does it. */
int wlu_pack_fuse(wlu_cpu_packer *p, int64_t first);
/* Puts the load map of eight slots from `first` on, or of the first count of them. */
void wlu_pack_map(wlu_cpu_packer *p, int64_t first, int64_t count);
/* Whether all scales are 1. */
int wlu_pack_is_unit(const wlu_loads *l);
void wlu_pack_mark_targets(wlu_cpu_packer *p);
/* Finds what ranges and each part's share of them are left when the runs have been counted. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_pack_find_ranges(wlu_cpu_packer *p, wlu_context *ctx, wlu_packed *out);
/* Puts the load maps of these ranges in front of the runs. */
void wlu_pack_put_ranges(wlu_cpu_packer *p, const wlu_cpu_ranges *load);

#endif
