/* Writes the kernel of a resident system: its head, the loop over steps and stages, what waits for all thread blocks,
 * and the combination of rates. Its arithmetic is explicit.c's and method/control.h's, operation by operation. */
#include <inttypes.h>

#include "model/device/instructions.h"
#include "model/elementary/algebra_ptx.h"
#include "model/method/control.h"
#include "model/system/resident_parts.h"

static V real(const wlm_resident_kernel *k, int32_t fd)
{
    return (V){k->w, fd, 0};
}

static void let(const wlm_resident_kernel *k, int32_t fd, V x)
{
    wlm_ptx_line(k->w, "mov.f64 %%fd%d, %s;", (int)fd, of_v(x).text);
}

static void jump_if(const wlm_resident_kernel *k, M m, const char *label)
{
    wlm_ptx_line(k->w, "@%%p%d bra %s;", (int)m.number, label);
}

/* --------------------------------------------------------------------- head */

static void head(wlm_ptx *w)
{
    const char *between = "(";
    wlm_ptx_line(w, ".version 7.0");
    wlm_ptx_line(w, ".target sm_80");
    wlm_ptx_line(w, ".address_size 64");
    wlm_ptx_line(w, ".visible .entry " WLM_RESIDENT_NAME);
#define WRITE_PARAMETER(name, type) \
    wlm_ptx_line(w, "%s.param ." #type " p" #name, between); \
    between = ",";
    WLM_RESIDENT_PARAMETERS(WRITE_PARAMETER)
#undef WRITE_PARAMETER
    wlm_ptx_line(w, ")");
    wlm_ptx_line(w, ".maxntid 128, 1, 1");
    wlm_ptx_line(w, "{");
}

static void load_parameters(wlm_ptx *w)
{
    static const struct {
        const char *type, *kind, *name;
        int number;
    } parameter[] = {
        {"u64", "rd", "block", WLM_RA_BLOCK}, {"u64", "rd", "y", WLM_RA_Y},       {"u64", "rd", "next", WLM_RA_NEXT},
        {"u64", "rd", "first", WLM_RA_FIRST}, {"u64", "rd", "last", WLM_RA_LAST}, {"f64", "fd", "t", WLM_RF_T},
        {"f64", "fd", "stop", WLM_RF_STOP},   {"f64", "fd", "want", WLM_RF_WANT}, {"f64", "fd", "from", WLM_RF_FROM},
        {"f64", "fd", "to", WLM_RF_TO},       {"u32", "r", "most", WLM_RW_MOST},  {"u32", "r", "blocks", WLM_RW_BLOCKS},
        {"u32", "r", "known", WLM_RW_KNOWN},
    };
    for (size_t i = 0; i < sizeof parameter / sizeof *parameter; i++)
        wlm_ptx_line(w, "ld.param.%s %%%s%d, [p%s];", parameter[i].type, parameter[i].kind, parameter[i].number,
                     parameter[i].name);
    for (int a = WLM_RA_BLOCK; a <= WLM_RA_LAST; a++)
        if (a != WLM_RA_AT && a != WLM_RA_RATES) wlm_ptx_line(w, "cvta.to.global.u64 %%rd%d, %%rd%d;", a, a);
}

/* Writes the thread's number, that of all threads, and whether it is the first one of its block or of all. */
static void find_thread(const wlm_resident_kernel *k)
{
    wlm_ptx *w = k->w;
    int32_t block = w->halves++, threads = w->halves++, thread = w->halves++;
    wlm_ptx_line(w, "mov.u32 %%r%d, %%ctaid.x;", (int)block);
    wlm_ptx_line(w, "mov.u32 %%r%d, %%ntid.x;", (int)threads);
    wlm_ptx_line(w, "mov.u32 %%r%d, %%tid.x;", (int)thread);
    wlm_ptx_line(w, "mad.lo.u32 %%r%d, %%r%d, %%r%d, %%r%d;", WLM_RW_THREAD, (int)block, (int)threads, (int)thread);
    wlm_ptx_line(w, "mad.lo.u32 %%r%d, %%r%d, %%r%d, 0;", WLM_RW_THREADS, WLM_RW_BLOCKS, (int)threads);
    wlm_ptx_line(w, "setp.eq.s32 %%p%d, %%r%d, 0;", WLM_RP_FIRST, (int)thread);
    wlm_ptx_line(w, "setp.eq.s32 %%p%d, %%r%d, 0;", WLM_RP_LEADS, WLM_RW_THREAD);
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_RW_DUE);
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_RW_STEPS);
}

/* ------------------------------------------------------------------ waiting */

/* Returns the address of a word of the record. */
static int32_t record(const wlm_resident_kernel *k, int word)
{
    int32_t at = k->w->words++;
    wlm_ptx_line(k->w, "add.u64 %%rd%d, %%rd%d, %" PRId64 ";", (int)at, WLM_RA_BLOCK,
                 k->plan->record + (int64_t)word * (int64_t)sizeof(double));
    return at;
}

/* Waits for all threads: the first one of each block counts, and looks until all blocks have. What threads have stored
 * before is there for all behind. is_end: SEES is whether a number was not finite; it is told between the last two
 * waits of a step alone, so that all blocks see the same. */
static void wait(const wlm_resident_kernel *k, int is_end)
{
    wlm_ptx *w = k->w;
    int32_t at = record(k, WLM_RESIDENT_COUNT), look = ++w->labels, behind = ++w->labels, count = w->halves++;
    int32_t early = w->truths++, bad = w->truths++;
    wlm_ptx_line(w, "setp.ne.s32 %%p%d, %%r%d, %%r%d;", (int)bad, WLM_RW_DUE, WLM_RW_DUE);
    wlm_ptx_line(w, "bar.sync 0;");
    wlm_ptx_line(w, "@!%%p%d bra L%d;", WLM_RP_FIRST, (int)behind);
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, %%r%d;", WLM_RW_DUE, WLM_RW_DUE, WLM_RW_BLOCKS);
    wlm_ptx_line(w, "red.release.gpu.global.add.u32 [%%rd%d], 1;", (int)at);
    wlm_ptx_line(w, "L%d: ld.acquire.gpu.global.u32 %%r%d, [%%rd%d];", (int)look, WLM_RW_SEEN, (int)at);
    wlm_ptx_line(w, "and.b32 %%r%d, %%r%d, 0x7fffffff;", (int)count, WLM_RW_SEEN);
    wlm_ptx_line(w, "setp.lt.u32 %%p%d, %%r%d, %%r%d;", (int)early, (int)count, WLM_RW_DUE);
    wlm_ptx_line(w, "@%%p%d bra L%d;", (int)early, (int)look);
    wlm_ptx_line(w, "setp.ne.s32 %%p%d, %%r%d, %%r%d;", (int)bad, (int)count, WLM_RW_SEEN);
    wlm_ptx_line(w, "L%d:", (int)behind);
    if (is_end)
        wlm_ptx_line(w, "bar.red.or.pred %%p%d, 0, %%p%d;", WLM_RP_SEES, (int)bad);
    else
        wlm_ptx_line(w, "bar.sync 0;");
}

/* Tells that a number is not finite. */
static void tell_bad(const wlm_resident_kernel *k)
{
    int32_t at = record(k, WLM_RESIDENT_COUNT);
    wlm_ptx_line(k->w, "@%%p%d red.relaxed.gpu.global.or.b32 [%%rd%d], 0x80000000;", WLM_RP_BAD, (int)at);
}

/* Makes the record's norm the greatest of all threads'; a NaN has more bits than any number. */
static void tell_norm(const wlm_resident_kernel *k)
{
    int32_t at = record(k, WLM_RESIDENT_NORM);
    I bits = v_bits(real(k, WLM_RF_NORM));
    wlm_ptx_line(k->w, "red.relaxed.gpu.global.max.u64 [%%rd%d], %s;", (int)at, of_i(bits).text);
}

/* ------------------------------------------------------------------- stages */

static int64_t rates_at(const wlm_resident_plan *p, int stage)
{
    return p->rates + (int64_t)stage * p->transient->n * (int64_t)sizeof(double);
}

/* Returns the register of the rates of a stage. */
static int base_of(const wlm_resident_plan *p, int stage)
{
    return stage == 0 ? WLM_RA_FIRST : stage == p->stages - 1 ? WLM_RA_LAST : WLM_RA_BLOCK;
}

static int64_t place_of(const wlm_resident_plan *p, int stage)
{
    return base_of(p, stage) == WLM_RA_BLOCK ? rates_at(p, stage) : 0;
}

/* Returns from + h sum_j by[j] k_j, over the rates of an unknown. */
static V combine(const wlm_resident_kernel *k, V from, const double *by, int stages, const V *rate)
{
    V h = real(k, WLM_RF_H);
    for (int j = 0; j < stages; j++)
        if (by[j] != 0.0) from = v_add(from, v_mul(v_mul(h, v_set(by[j])), rate[j]));
    return from;
}

/* Writes the rate of an unknown: of a node the sum of its contributions over its mass. */
static void find_rate(const wlm_resident_kernel *k, const wlm_resident_pass *pass, int stage, int32_t to)
{
    const wlm_resident_plan *p = k->plan;
    wlm_ptx *w = k->w;
    int32_t is_own = w->truths++, own = ++w->labels, behind = ++w->labels;
    wlm_ptx_line(w, "setp.ge.u32 %%p%d, %%r%d, %d;", (int)is_own, WLM_RW_ITEM, (int)p->transient->layout->node_n);
    wlm_ptx_line(w, "@%%p%d bra L%d;", (int)is_own, (int)own);
    V sum = real(k, wlm_resident_sum(k, pass, WLM_RW_ITEM));
    if (p->has_masses) sum = v_div(sum, real(k, wlm_resident_load(k, WLM_RA_BLOCK, p->mass, WLM_RW_ITEM)));
    let(k, to, sum);
    if (p->stages > 1) wlm_resident_store(k, base_of(p, stage), place_of(p, stage), WLM_RW_ITEM, sum.number);
    wlm_ptx_line(w, "bra L%d;", (int)behind);
    wlm_ptx_line(w, "L%d:", (int)own);
    let(k, to, real(k, wlm_resident_load(k, base_of(p, stage), place_of(p, stage), WLM_RW_ITEM)));
    wlm_ptx_line(w, "L%d:", (int)behind);
}

/* Takes note of a new number that is not finite, and of its error. */
static void judge(const wlm_resident_kernel *k, V y, V next, const V *rate)
{
    const wlm_transient *s = k->plan->transient;
    const wlm_explicit *e = s->facts->explicit;
    M bad = m_not(v_equal(v_mul(next, v_set(0.0)), v_set(0.0)));
    wlm_ptx_line(k->w, "or.pred %%p%d, %%p%d, %%p%d;", WLM_RP_BAD, WLM_RP_BAD, (int)bad.number);
    if (e == NULL || e->lower == 0 || s->options.step > 0.0) return;
    V error = combine(k, v_set(0.0), e->e, e->stages, rate), size = v_max(v_abs(y), v_abs(next));
    V over = v_add(v_set(s->of_steps.absolute), v_mul(v_set(s->of_steps.relative), size));
    V ratio = v_div(v_abs(error), over), norm = real(k, WLM_RF_NORM);
    let(k, WLM_RF_NORM, v_select(v_less_equal(ratio, norm), norm, ratio));
}

/* Writes what follows the rates of a stage: the state of the next one, or that at the end of the step. known: the
 * rates are there. */
static void write_combination(wlm_resident_kernel *k, int stage, int known)
{
    const wlm_resident_plan *p = k->plan;
    const wlm_explicit *e = p->transient->facts->explicit;
    int is_last = stage == e->stages - 1;
    V rate[WLM_STAGES_MOST];
    wlm_resident_open(k, p->transient->n);
    for (int j = 0; j < stage; j++) rate[j] = real(k, wlm_resident_load(k, base_of(p, j), place_of(p, j), WLM_RW_ITEM));
    rate[stage] = real(k, wlm_ptx_real(k->w));
    if (known)
        let(k, rate[stage].number, real(k, wlm_resident_load(k, base_of(p, stage), place_of(p, stage), WLM_RW_ITEM)));
    else
        find_rate(k, &p->pass[p->passes - 1], stage, rate[stage].number);
    V y = real(k, wlm_resident_load(k, WLM_RA_Y, 0, WLM_RW_ITEM));
    V to = combine(k, y, is_last ? e->b : e->a[stage + 1], stage + 1, rate);
    wlm_resident_store(k, is_last ? WLM_RA_NEXT : WLM_RA_BLOCK, is_last ? 0 : p->at, WLM_RW_ITEM, to.number);
    if (is_last) judge(k, y, to, rate);
    wlm_resident_close(k);
}

/* Writes the end of a step of Rush and Larsen's method: instances have written their states. */
static void write_gates(wlm_resident_kernel *k)
{
    const wlm_resident_plan *p = k->plan;
    wlm_ptx *w = k->w;
    int32_t is_own = w->truths++, next = wlm_ptx_real(w), own = ++w->labels, behind = ++w->labels;
    wlm_resident_open(k, p->transient->n);
    wlm_ptx_line(w, "setp.ge.u32 %%p%d, %%r%d, %d;", (int)is_own, WLM_RW_ITEM, (int)p->transient->layout->node_n);
    wlm_ptx_line(w, "@%%p%d bra L%d;", (int)is_own, (int)own);
    V rate = real(k, wlm_resident_sum(k, &p->pass[p->passes - 1], WLM_RW_ITEM));
    if (p->has_masses) rate = v_div(rate, real(k, wlm_resident_load(k, WLM_RA_BLOCK, p->mass, WLM_RW_ITEM)));
    V y = real(k, wlm_resident_load(k, WLM_RA_Y, 0, WLM_RW_ITEM));
    let(k, next, v_add(y, v_mul(real(k, WLM_RF_H), rate)));
    wlm_resident_store(k, WLM_RA_NEXT, 0, WLM_RW_ITEM, next);
    wlm_ptx_line(w, "bra L%d;", (int)behind);
    wlm_ptx_line(w, "L%d:", (int)own);
    let(k, next, real(k, wlm_resident_load(k, WLM_RA_NEXT, 0, WLM_RW_ITEM)));
    wlm_ptx_line(w, "L%d:", (int)behind);
    judge(k, real(k, next), real(k, next), NULL);
    wlm_resident_close(k);
}

/* Writes sums of a level where their targets are. */
static void write_sums(wlm_resident_kernel *k, const wlm_resident_pass *pass)
{
    if (pass->gather->targets == 0) return;
    wlm_resident_open(k, pass->gather->targets);
    int32_t sum = wlm_resident_sum(k, pass, WLM_RW_ITEM);
    wlm_resident_store(k, WLM_RA_BLOCK, k->plan->sums + (int64_t)pass->pass->first_sum * (int64_t)sizeof(double),
                       WLM_RW_ITEM, sum);
    wlm_resident_close(k);
}

/* Writes an evaluation: sums level by level, then rates. */
static warplu_status write_passes(wlm_resident_kernel *k)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t j = 0; j < k->plan->passes && status == WARPLU_SUCCESS; j++) {
        status = wlm_resident_run_banks(k, &k->plan->pass[j]);
        wait(k, 0);
        if (j + 1 == k->plan->passes) break;
        if (k->plan->pass[j].target != NULL) continue;
        write_sums(k, &k->plan->pass[j]);
        wait(k, 0);
    }
    return status;
}

/* Sets what a stage is evaluated with. */
static void begin_stage(const wlm_resident_kernel *k, int stage)
{
    const wlm_resident_plan *p = k->plan;
    const wlm_explicit *e = p->transient->facts->explicit;
    wlm_ptx *w = k->w;
    let(k, WLM_RF_TIME,
        wlm_control_stage_time(real(k, WLM_RF_T), real(k, WLM_RF_H), e != NULL ? e->c[stage] : 0.0,
                               real(k, WLM_RF_FROM), real(k, WLM_RF_TO)));
    if (stage == 0)
        wlm_ptx_line(w, "mov.b64 %%rd%d, %%rd%d;", WLM_RA_AT, WLM_RA_Y);
    else
        wlm_ptx_line(w, "add.u64 %%rd%d, %%rd%d, %" PRId64 ";", WLM_RA_AT, WLM_RA_BLOCK, p->at);
    wlm_ptx_line(w, "add.u64 %%rd%d, %%rd%d, %" PRId64 ";", WLM_RA_RATES, base_of(p, stage), place_of(p, stage));
    wlm_ptx_line(w, "mov.u32 %%r%d, %d;", WLM_RW_STAGE, stage);
}

/* Writes a step from T by H: stages share one text of the equations, and each has its combination. */
static warplu_status write_step(wlm_resident_kernel *k)
{
    const wlm_explicit *e = k->plan->transient->facts->explicit;
    wlm_ptx *w = k->w;
    int stages = e != NULL ? e->stages : 1;
    wlm_ptx_line(w, "setp.ne.s32 %%p%d, %%r%d, %%r%d;", WLM_RP_BAD, WLM_RW_DUE, WLM_RW_DUE);
    begin_stage(k, 0);
    if (e != NULL && e->repeats) {
        int32_t is = w->truths++;
        wlm_ptx_line(w, "setp.eq.s32 %%p%d, %%r%d, 0;", (int)is, WLM_RW_KNOWN);
        wlm_ptx_line(w, "@%%p%d bra evaluate;", (int)is);
        write_combination(k, 0, 1);
        wait(k, 0);
        begin_stage(k, 1);
    }
    wlm_ptx_line(w, "evaluate:");
    warplu_status status = write_passes(k);
    for (int stage = 0; stage < stages && status == WARPLU_SUCCESS; stage++) {
        int32_t other = ++w->labels, is = w->truths++;
        wlm_ptx_line(w, "setp.ne.s32 %%p%d, %%r%d, %d;", (int)is, WLM_RW_STAGE, stage);
        wlm_ptx_line(w, "@%%p%d bra L%d;", (int)is, (int)other);
        if (e != NULL)
            write_combination(k, stage, 0);
        else
            write_gates(k);
        if (stage + 1 < stages) {
            wait(k, 0);
            begin_stage(k, stage + 1);
            wlm_ptx_line(w, "bra evaluate;");
        }
        wlm_ptx_line(w, "L%d:", (int)other);
    }
    return status;
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
static warplu_status write_loop(wlm_resident_kernel *k)
{
    wlm_ptx *w = k->w;
    int32_t is_spent = w->truths++;
    V t = real(k, WLM_RF_T), stop = real(k, WLM_RF_STOP), want = real(k, WLM_RF_WANT);
    wlm_ptx_line(w, "loop:");
    jump_if(k, v_less_equal(stop, t), "finish");
    wlm_ptx_line(w, "setp.ge.u32 %%p%d, %%r%d, %%r%d;", (int)is_spent, WLM_RW_STEPS, WLM_RW_MOST);
    wlm_ptx_line(w, "@%%p%d bra finish;", (int)is_spent);
    wlm_length next = wlm_control_length(t, stop, want, want, want, want, 0, 0);
    let(k, WLM_RF_H, next.h);
    warplu_status status = write_step(k);
    tell_bad(k);
    wait(k, 1);
    wlm_ptx_line(w, "@%%p%d bra finish;", WLM_RP_SEES);
    wlm_taken taken = wlm_control_take(t, stop, want, next.h, want, next.ends, next.ends, 0);
    let(k, WLM_RF_T, taken.now);
    move_on(k);
    wlm_ptx_line(w, "bra loop;");
    return status;
}

/* Writes one step, whose error and numbers the host judges. */
static warplu_status write_attempt(wlm_resident_kernel *k)
{
    let(k, WLM_RF_H, real(k, WLM_RF_WANT));
    let(k, WLM_RF_NORM, v_set(0.0));
    warplu_status status = write_step(k);
    wlm_ptx_line(k->w, "@%%p%d mov.f64 %%fd%d, 0d7ff8000000000000;", WLM_RP_BAD, WLM_RF_NORM);
    tell_norm(k);
    return status;
}

static void write_end(const wlm_resident_kernel *k)
{
    wlm_ptx *w = k->w;
    wlm_ptx_line(w, "finish:");
    wlm_ptx_line(w, "@!%%p%d ret;", WLM_RP_LEADS);
    wlm_ptx_line(w, "st.global.f64 [%%rd%d], %%fd%d;", (int)record(k, WLM_RESIDENT_TIME), WLM_RF_T);
    wlm_ptx_line(w, "st.global.f64 [%%rd%d], %%fd%d;", (int)record(k, WLM_RESIDENT_LENGTH), WLM_RF_H);
    wlm_ptx_line(w, "st.global.u32 [%%rd%d], %%r%d;", (int)record(k, WLM_RESIDENT_STEPS), WLM_RW_STEPS);
    wlm_ptx_line(w, "ret;");
}

warplu_status wlm_resident_write(const wlm_resident_plan *plan, wlm_ptx *out)
{
    wlm_ptx lines;
    wlm_resident_kernel k = {.w = &lines, .plan = plan};
    wlm_ptx_init(&lines, plan->ctx);
    lines.reals = WLM_RF_COUNT, lines.words = WLM_RA_COUNT, lines.halves = WLM_RW_COUNT, lines.truths = WLM_RP_COUNT;
    load_parameters(&lines);
    find_thread(&k);
    wlm_ptx_line(&lines, "add.u64 %%rd%d, %%rd%d, %" PRId64 ";", WLM_RA_TABLES, WLM_RA_BLOCK, plan->tables);
    warplu_status status = plan->loops ? write_loop(&k) : write_attempt(&k);
    if (status == WARPLU_SUCCESS) {
        write_end(&k);
        head(out);
        wlm_ptx_declare(out, &lines);
        wlm_ptx_append(out, &lines);
        wlm_ptx_line(out, "}");
        status = wlm_ptx_status(out);
    }
    wlm_ptx_free(&lines);
    return status;
}
