/* What the files that verify a packed stream share: verify.c (groups), verify_runs.c and verify_loads.c (loads, guards,
 * places). */
#ifndef WLU_EXEC_CPU_VERIFY_STATE_H
#define WLU_EXEC_CPU_VERIFY_STATE_H

#include "exec/cpu/pack.h"

typedef struct wlu_image_verifier {
    wlu_context *ctx;
    const wlu_program *p;
    const wlu_triangular *solve; /* whose stream it is; NULL: the factorization's */
    const wlu_stream *s;
    const wlu_loads *loads;
    const wlu_packed *packed;
    const char *name;
    int32_t *record;    /* by slot: the record whose target it is, or -1 */
    int32_t *done;      /* by record: 0, or 1 and the group that has run it */
    uint8_t *mark;      /* by slot: LOADED, JUDGED */
    int32_t group;      /* at hand */
    int64_t run, word;  /* at hand; next */
    int64_t first, end; /* the group's records */
    warplu_status status;
} wlu_image_verifier;

/* Functions answer whether what they check is as it has to be; where it is not, the status and the message say what is
 * wrong, and nothing more is to be checked. */

/* `holds` is; what: what is wrong if not. */
int wlu_image_check(wlu_image_verifier *v, int holds, const char *what, int64_t slot);
/* The next count words, or NULL where the stream ends before. */
const int32_t *wlu_image_take(wlu_image_verifier *v, int64_t count);

/* The next run. */
int wlu_image_check_run(wlu_image_verifier *v, const wlu_run *run);

/* The next load map is that of slots first .. first + count - 1, and nobody has loaded them. */
int wlu_image_check_map(wlu_image_verifier *v, int64_t first, int64_t count);
/* The slot counts for this area, and nobody has judged it. */
int wlu_image_judge(wlu_image_verifier *v, int64_t slot, int area);
/* The ranges that stand in front of the runs, and how they are shared. */
int wlu_image_check_loads(wlu_image_verifier *v);
/* The ranges that the guards look at; behind the runs: everything is loaded, and judged once. */
int wlu_image_check_judged(wlu_image_verifier *v);
/* Right-hand sides and solutions. */
int wlu_image_check_places(wlu_image_verifier *v, const wlu_cpu_solve *solve);

#endif
