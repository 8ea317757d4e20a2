/* Packs the entries of rows. See means_pack.h. */
#include "numerics/means_pack.h"

/* A window takes as long as some three entries of a gather. */
enum { WINDOW = WLU_MEAN_WINDOW, ENTRIES_OF_A_WINDOW = 3 };

static void put_place(wlu_mean_packer *p, int32_t at)
{
    p->at[p->ats++] = at;
}

static void put_weight(wlu_mean_packer *p, uint16_t weight)
{
    p->weight[p->weights++] = weight;
}

/* How many from the first on are in the window where it stands, which has to end within so many numbers. */
static int64_t window_of(const wlu_mean_entry *e, int64_t count, int64_t numbers)
{
    int64_t in = 1, first = e->at / WINDOW * WINDOW;
    if (first + WINDOW > numbers) return 1;
    while (in < count && e[in].at < first + WINDOW) in++;
    return in;
}

static void pack_window(wlu_mean_packer *p, const wlu_mean_entry *e, int64_t count)
{
    int32_t first = e->at / WINDOW * WINDOW;
    put_place(p, first);
    for (int32_t at = first; at < first + WINDOW; at++) {
        int here = count > 0 && e->at == at;
        put_weight(p, here ? e->weight : 0);
        e += here;
        count -= here;
    }
}

/* A row's entries: first windows, then single ones. */
static wlu_weighed_numbers pack_row(wlu_mean_packer *p, wlu_mean_entry *e, int64_t count, int64_t numbers)
{
    wlu_weighed_numbers to = {.window = p->at + p->ats, .window_weight = p->weight + p->weights};
    int64_t singles = 0, window;
    for (int64_t q = 0; q < count; q += window) {
        window = window_of(e + q, count - q, numbers);
        if (window >= ENTRIES_OF_A_WINDOW) {
            pack_window(p, e + q, window);
            to.windows++;
        } else { /* behind it nothing has been looked at */
            for (int64_t one = q; one < q + window; one++) e[singles++] = e[one];
        }
    }
    to.groups = (singles + WINDOW - 1) / WINDOW;
    to.single = p->at + p->ats;
    to.single_weight = p->weight + p->weights;
    for (int64_t q = 0; q < WINDOW * to.groups; q++) {
        put_place(p, e[q < singles ? q : singles - 1].at);
        put_weight(p, q < singles ? e[q].weight : 0);
    }
    return to;
}

void wlu_mean_reserve(const wlu_scattered *s, int32_t count, wlu_mean_packer *p)
{
    for (int32_t r = 0; r < count; r++) {
        int64_t entries = s->begin[r + 1] - s->begin[r];
        p->ats += entries + WINDOW;
        p->weights += WINDOW * entries / ENTRIES_OF_A_WINDOW + 2 * WINDOW;
    }
}

wlu_weighed_numbers wlu_mean_pack(wlu_mean_packer *p, const wlu_scattered *s, int32_t r, int64_t numbers)
{
    return pack_row(p, s->entry + s->begin[r], s->begin[r + 1] - s->begin[r], numbers);
}
