/* Writes the kernel of a resident system: its head, and the loop over steps, by the arithmetic of method/control.h. */
#include <inttypes.h>

#include "model/system/resident_text.h"

/* --------------------------------------------------------------------- head */

static void head(wlm_ptx *w, const wlm_resident_plan *plan)
{
    const char *between = "(";
    wlm_ptx_begin(w);
    if (plan->shared) wlm_ptx_line(w, ".extern .shared .align 8 .b8 local[];");
    wlm_ptx_line(w, ".visible .entry " WLM_RESIDENT_NAME);
#define WRITE_PARAMETER(name, type, kind, number) \
    wlm_ptx_line(w, "%s.param ." #type " p" #name, between); \
    between = ",";
    WLM_RESIDENT_PARAMETERS(WRITE_PARAMETER)
#undef WRITE_PARAMETER
    wlm_ptx_line(w, ")");
    wlm_ptx_line(w, ".maxntid %d, 1, 1", (int)plan->threads);
    wlm_ptx_line(w, ".minnctapersm %d", (int)plan->sharing);
    wlm_ptx_line(w, "{");
}

static void load_parameters(wlm_ptx *w)
{
#define LOAD_PARAMETER(name, type, kind, number) \
    wlm_ptx_line(w, "ld.param." #type " %%" kind "%d, [p" #name "];", number);
    WLM_RESIDENT_PARAMETERS(LOAD_PARAMETER)
#undef LOAD_PARAMETER
    for (int a = WLM_RA_BLOCK; a <= WLM_RA_LAST; a++)
        if (a != WLM_RA_AT) wlm_ptx_line(w, "cvta.to.global.u64 %%rd%d, %%rd%d;", a, a);
}

/* Writes which thread this is, and of which warp, among those that share a tile. */
static void find_thread(const wlm_resident_kernel *k)
{
    const wlm_resident_plan *p = k->plan;
    wlm_ptx *w = k->w;
    int32_t thread = w->halves++, all = w->halves++;
    wlm_ptx_line(w, "mov.u32 %%r%d, %%ctaid.x;", WLM_RW_BLOCK);
    wlm_ptx_line(w, "mov.u32 %%r%d, %%tid.x;", (int)thread);
    wlm_ptx_line(w, "mad.lo.u32 %%r%d, %%r%d, %d, %%r%d;", (int)all, WLM_RW_BLOCK, (int)p->threads, (int)thread);
    wlm_ptx_line(w, "mov.u32 %%r%d, %%r%d;", WLM_RW_THREAD, (int)(p->shared ? thread : all));
    wlm_ptx_line(w, "mov.u32 %%r%d, %d;", WLM_RW_THREADS, (int)p->threads);
    if (!p->shared) wlm_ptx_line(w, "mad.lo.u32 %%r%d, %%r%d, %d, 0;", WLM_RW_THREADS, WLM_RW_BLOCKS, (int)p->threads);
    wlm_ptx_line(w, "shr.u32 %%r%d, %%r%d, 5;", WLM_RW_WARP, WLM_RW_THREAD);
    wlm_ptx_line(w, "shr.u32 %%r%d, %%r%d, 5;", WLM_RW_WARPS, WLM_RW_THREADS);
    wlm_ptx_line(w, "and.b32 %%r%d, %%r%d, 31;", WLM_RW_LANE, (int)thread);
    wlm_ptx_line(w, "setp.eq.s32 %%p%d, %%r%d, 0;", WLM_RP_FIRST, (int)thread);
    wlm_ptx_line(w, "setp.eq.s32 %%p%d, %%r%d, 0;", WLM_RP_LEADS, (int)all);
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_RW_DUE);
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_RW_STEPS);
    wlm_ptx_line(w, "add.u64 %%rd%d, %%rd%d, %" PRId64 ";", WLM_RA_TABLES, WLM_RA_BLOCK, p->lookup);
    if (p->shared)
        wlm_ptx_line(w, "mov.u64 %%rd%d, local;", WLM_RA_LOCAL);
    else
        wlm_ptx_line(w, "add.u64 %%rd%d, %%rd%d, %" PRId64 ";", WLM_RA_LOCAL, WLM_RA_BLOCK, p->locals);
}

/* Writes the two local numbers that stand in front of all others. */
static void write_nothing(const wlm_resident_kernel *k)
{
    static const char *const number[] = {"0d8000000000000000", "0d0000000000000000"};
    for (int i = WLM_TILE_NOTHING; i <= WLM_TILE_ZERO; i++) {
        int32_t at = k->w->halves++, real = k->w->reals++;
        wlm_ptx_line(k->w, "mov.u32 %%r%d, %d;", (int)at, i);
        wlm_ptx_line(k->w, "mov.f64 %%fd%d, %s;", (int)real, number[i]);
        wlm_resident_store_local(k, at, 0, real);
    }
}

/* --------------------------------------------------------------------- loop */

static void exchange(const wlm_resident_kernel *k, int a, int b)
{
    int32_t kept = k->w->words++;
    wlm_ptx_line(k->w, "mov.b64 %%rd%d, %%rd%d;", (int)kept, a);
    wlm_ptx_line(k->w, "mov.b64 %%rd%d, %%rd%d;", a, b);
    wlm_ptx_line(k->w, "mov.b64 %%rd%d, %%rd%d;", b, (int)kept);
}

/* Makes the end of a step the beginning of the next one, with its rates where the method has them. */
static void move_on(const wlm_resident_kernel *k)
{
    const wlm_explicit *e = k->plan->transient->facts->explicit;
    wlm_ptx_line(k->w, "add.u32 %%r%d, %%r%d, 1;", WLM_RW_STEPS, WLM_RW_STEPS);
    exchange(k, WLM_RA_Y, WLM_RA_NEXT);
    if (e == NULL || !e->repeats) return;
    exchange(k, WLM_RA_FIRST, WLM_RA_LAST);
    wlm_ptx_line(k->w, "mov.u32 %%r%d, 1;", WLM_RW_KNOWN);
}

/* Writes steps of a fixed length to the stop; the state that is left is Y. */
static warplu_status write_loop(const wlm_resident_kernel *k)
{
    wlm_ptx *w = k->w;
    int32_t is_spent = w->truths++;
    V t = wlm_resident_real(k, WLM_RF_T), stop = wlm_resident_real(k, WLM_RF_STOP),
      want = wlm_resident_real(k, WLM_RF_WANT);
    wlm_ptx_line(w, "loop:");
    wlm_resident_jump_if(k, v_less_equal(stop, t), "finish");
    wlm_ptx_line(w, "setp.ge.u32 %%p%d, %%r%d, %%r%d;", (int)is_spent, WLM_RW_STEPS, WLM_RW_MOST);
    wlm_ptx_line(w, "@%%p%d bra finish;", (int)is_spent);
    wlm_length next = wlm_control_length(t, stop, want, want, want, want, 0, 0);
    wlm_resident_let(k, WLM_RF_H, next.h);
    warplu_status status = wlm_resident_step(k);
    wlm_resident_tell_bad(k);
    wlm_resident_wait(k, 1);
    wlm_ptx_line(w, "@%%p%d bra finish;", WLM_RP_SEES);
    wlm_taken taken = wlm_control_take(t, stop, want, next.h, want, next.ends, next.ends, 0);
    wlm_resident_let(k, WLM_RF_T, taken.now);
    move_on(k);
    wlm_ptx_line(w, "bra loop;");
    return status;
}

/* Writes one step, whose error and numbers the host judges. */
static warplu_status write_attempt(const wlm_resident_kernel *k)
{
    wlm_resident_let(k, WLM_RF_H, wlm_resident_real(k, WLM_RF_WANT));
    wlm_resident_let(k, WLM_RF_NORM, v_set(0.0));
    warplu_status status = wlm_resident_step(k);
    wlm_ptx_line(k->w, "@%%p%d mov.f64 %%fd%d, 0d7ff8000000000000;", WLM_RP_BAD, WLM_RF_NORM);
    wlm_resident_tell_norm(k);
    return status;
}

static void write_end(const wlm_resident_kernel *k)
{
    wlm_ptx *w = k->w;
    wlm_ptx_line(w, "finish:");
    wlm_ptx_line(w, "@!%%p%d ret;", WLM_RP_LEADS);
    wlm_ptx_line(w, "st.global.f64 [%%rd%d], %%fd%d;", (int)wlm_resident_record(k, WLM_RESIDENT_TIME), WLM_RF_T);
    wlm_ptx_line(w, "st.global.f64 [%%rd%d], %%fd%d;", (int)wlm_resident_record(k, WLM_RESIDENT_LENGTH), WLM_RF_H);
    wlm_ptx_line(w, "st.global.u32 [%%rd%d], %%r%d;", (int)wlm_resident_record(k, WLM_RESIDENT_STEPS), WLM_RW_STEPS);
    wlm_ptx_line(w, "ret;");
}

/* Writes what threads do before the first step. */
static warplu_status write_begin(wlm_resident_kernel *k)
{
    warplu_status status = wlm_resident_open_slots(k);
    if (status != WARPLU_SUCCESS) return status;
    load_parameters(k->w);
    find_thread(k);
    write_nothing(k);
    wlm_ptx_line(k->w, "mov.u32 %%r%d, %s%d;", WLM_RW_TILE, k->plan->held ? "%r" : "",
                 k->plan->held ? WLM_RW_BLOCK : 0);
    if (k->plan->held || !k->plan->shared) wlm_resident_describe(k);
    if (k->plan->held) wlm_resident_hold(k);
    wlm_resident_wait_tile(k);
    return WARPLU_SUCCESS;
}

static void free_slots(const wlm_resident_kernel *k)
{
    for (int32_t p = 0; k->slot != NULL && p < k->plan->tiles.passes; p++) wlu_free(k->plan->ctx, k->slot[p].word);
    wlu_free(k->plan->ctx, k->slot);
}

warplu_status wlm_resident_write(const wlm_resident_plan *plan, wlm_ptx *out)
{
    wlm_ptx lines;
    wlm_resident_kernel k = {.w = &lines, .plan = plan};
    wlm_ptx_init(&lines, plan->ctx);
    lines.reals = WLM_RF_COUNT, lines.words = WLM_RA_COUNT, lines.truths = WLM_RP_COUNT;
    lines.halves = WLM_RW_DESCRIPTION + wlm_resident_described(plan);
    warplu_status status = write_begin(&k);
    if (status == WARPLU_SUCCESS) status = plan->loops ? write_loop(&k) : write_attempt(&k);
    if (status == WARPLU_SUCCESS) {
        write_end(&k);
        head(out, plan);
        wlm_ptx_declare(out, &lines);
        wlm_ptx_append(out, &lines);
        wlm_ptx_line(out, "}");
        status = wlm_ptx_status(out);
    }
    free_slots(&k);
    wlm_ptx_free(&lines);
    return status;
}
