/* Tiles on the emulated device. See tasks.h, cuda/tile.cuh and cuda/tile_sources.cuh: loads, sources through a ring of
 * chunks that are copied ahead, ready or not, elimination, publishing. */
#include "emulator/tasks.h"

enum { W = 8 };

static const wlu_device_tile *tile_of(const wlu_machine *m, const wlu_emulated_block *b)
{
    return &m->program->tile[b->tile];
}

/* Rows of the panel; the one behind it takes in what is nobody's. */
static int64_t rows_of(const wlu_device_tile *t)
{
    return (int64_t)t->above + t->width + t->below;
}

/* ------------------------------------------------------------------ loads */

/* As many as the block's threads look at together. */
static void ask_loads(wlu_machine *m, wlu_emulated_block *b)
{
    const wlu_device_tile *t = tile_of(m, b);
    for (int32_t k = b->loads; k < t->loads && k < b->loads + 4 * WLU_TILE_THREADS; k++) {
        const wlu_tile_load *x = &m->program->load[t->load + k];
        wlu_lane_bits *to = &b->staged[k - b->loads];
        if (x->power == WLU_FROM_STAGE) {
            *to = wlu_machine_peek(m, &b->agent, x->from);
            wlu_machine_want(m, &b->agent, x->from, to);
        } else {
            b->panel[x->at] = wlu_machine_source(m, x->from, (uint16_t)x->power);
        }
    }
}

static void put_loads(wlu_machine *m, wlu_emulated_block *b)
{
    const wlu_device_tile *t = tile_of(m, b);
    int32_t k = b->loads;
    for (; k < t->loads && k < b->loads + 4 * WLU_TILE_THREADS; k++) {
        const wlu_tile_load *x = &m->program->load[t->load + k];
        if (x->power == WLU_FROM_STAGE) b->panel[x->at] = wlu_machine_number(m, &b->agent, b->staged[k - b->loads]);
    }
    b->loads = k;
}

/* ---------------------------------------------------------------- sources */

static const wlu_device_source *source_of(const wlu_machine *m, const wlu_emulated_block *b, int32_t g)
{
    return &m->program->source[tile_of(m, b)->source + g];
}

static int32_t rows_in(const wlu_machine *m, const wlu_device_source *s, wlu_chunk c)
{
    int32_t most = WLU_TILE_CHUNK(wlu_machine_slot_bytes(m));
    return s->rows - c.row < most ? s->rows - c.row : most;
}

static int has_corner(const wlu_device_source *s, wlu_chunk c)
{
    return c.row == 0 && s->width - s->skip > 1;
}

static void go_on(const wlu_machine *m, const wlu_emulated_block *b, wlu_chunk *c)
{
    c->row += WLU_TILE_CHUNK(wlu_machine_slot_bytes(m));
    if (c->row < source_of(m, b, c->g)->rows) return;
    c->row = 0;
    c->g++;
}

/* Copies the chunk ahead to its stage as it is. */
static void copy_ahead(wlu_machine *m, wlu_emulated_block *b, wlu_emulated_stage *to)
{
    if (b->ahead.g >= tile_of(m, b)->sources) return;
    const wlu_device_source *s = source_of(m, b, b->ahead.g);
    for (int32_t k = 0; k < W * rows_in(m, s, b->ahead); k++)
        to->row[k] = wlu_machine_peek(m, &b->agent, s->lower + W * b->ahead.row + k);
    for (int32_t k = 0; k < W * s->width && has_corner(s, b->ahead); k++)
        to->corner[k] = wlu_machine_peek(m, &b->agent, s->diagonal + k);
    go_on(m, b, &b->ahead);
}

static void want_chunk(wlu_machine *m, wlu_emulated_block *b)
{
    const wlu_device_source *s = source_of(m, b, b->now.g);
    wlu_emulated_stage *x = &b->ring[b->at];
    for (int32_t k = 0; k < W * rows_in(m, s, b->now); k++)
        wlu_machine_want(m, &b->agent, s->lower + W * b->now.row + k, &x->row[k]);
    for (int32_t k = 0; k < W * s->width && has_corner(s, b->now); k++)
        wlu_machine_want(m, &b->agent, s->diagonal + k, &x->corner[k]);
}

static void begin_sources(wlu_machine *m, wlu_emulated_block *b)
{
    b->now = b->ahead = (wlu_chunk){0, 0};
    b->at = 0;
    b->phase = WLU_BLOCK_SOURCES;
    for (int k = 0; k < WLU_TILE_STAGES - 1; k++) copy_ahead(m, b, &b->ring[k]);
    if (tile_of(m, b)->sources > 0) want_chunk(m, b);
}

/* The panel's rows of the source's pivots, in one column: pivot i of the source at x[i]. */
static void read_pivots(const wlu_device_source *s, const wlu_lane_number *column, wlu_lane_number *x)
{
    for (int i = 0; i < W; i++)
        x[i] = i >= s->skip && i < s->width ? column[W * (s->at + i - s->skip)] : wlu_lane_zero();
}

static void apply_chunk(wlu_machine *m, wlu_emulated_block *b)
{
    const wlu_device_source *s = source_of(m, b, b->now.g);
    const wlu_emulated_stage *x = &b->ring[b->at];
    wlu_lane_number corner[W * W], row[W], u[W][W];
    int corners = has_corner(s, b->now);
    for (int k = 0; k < W * W; k++)
        corner[k] = corners && k < W * s->width ? wlu_machine_number(m, &b->agent, x->corner[k]) : wlu_lane_zero();
    for (int c = 0; c < W; c++) {
        read_pivots(s, b->panel + c, u[c]);
        if (corners) m->lanes->corner(s->skip, s->width, corner, u[c]);
        for (int i = s->skip; i < s->width; i++) b->panel[W * (s->at + i - s->skip) + c] = u[c][i];
    }
    for (int32_t r = 0; r < rows_in(m, s, b->now); r++) {
        wlu_lane_number *to = b->panel + W * (int64_t)m->program->target[s->target + b->now.row + r];
        for (int k = 0; k < W; k++) row[k] = wlu_machine_number(m, &b->agent, x->row[W * r + k]);
        for (int c = 0; c < W; c++) to[c] = m->lanes->apply(s->skip, s->width, row, u[c], to[c]);
    }
}

static void next_chunk(wlu_machine *m, wlu_emulated_block *b)
{
    apply_chunk(m, b);
    copy_ahead(m, b, &b->ring[(b->at + WLU_TILE_STAGES - 1) % WLU_TILE_STAGES]);
    go_on(m, b, &b->now);
    b->at = (b->at + 1) % WLU_TILE_STAGES;
    if (b->now.g < tile_of(m, b)->sources) want_chunk(m, b);
}

/* ------------------------------------------------------------ elimination */

static void publish_row(wlu_machine *m, wlu_emulated_block *b, int64_t row)
{
    for (int c = 0; c < W; c++)
        wlu_machine_publish(m, &b->agent, (int32_t)(tile_of(m, b)->panel + W * row + c), b->panel[W * row + c]);
}

static void look_l(wlu_emulated_block *b, int64_t row, int32_t pivots)
{
    for (int32_t c = 0; c < pivots; c++) wlu_agent_look(&b->agent, WLU_AREA_L, wlu_lane_size_of(b->panel[W * row + c]));
}

static void look_u(wlu_emulated_block *b, int64_t row, int32_t from, int32_t width)
{
    for (int32_t c = from; c < width; c++) {
        uint64_t bits = wlu_lane_size_of(b->panel[W * row + c]);
        if (bits > b->umax[c]) b->umax[c] = bits;
    }
}

/* Pivots, rows of L and the diagonal block, which others wait for. */
static void eliminate(wlu_machine *m, wlu_emulated_block *b)
{
    const wlu_device_tile *t = tile_of(m, b);
    int64_t first = t->above, rows = rows_of(t);
    wlu_lane_number reciprocal[W];
    for (int32_t j = 0; j < t->width; j++) {
        const wlu_lane_number *u = b->panel + W * (first + j);
        reciprocal[j] = m->lanes->invert(u[j]);
        for (int64_t r = first + j + 1; r < rows; r++) m->lanes->eliminate(j, reciprocal[j], u, b->panel + W * r);
    }
    for (int64_t r = first; r < rows; r++) {
        int32_t at = (int32_t)(r - first);
        publish_row(m, b, r);
        look_l(b, r, at < t->width ? at : t->width);
        if (at < t->width) look_u(b, r, at, t->width);
    }
    for (int32_t j = 0; j < t->width; j++) {
        wlu_machine_publish(m, &b->agent, t->reciprocal + j, reciprocal[j]);
        wlu_agent_look(&b->agent, WLU_AREA_RECIPROCAL, wlu_lane_size_of(reciprocal[j]));
    }
    b->phase = WLU_BLOCK_ABOVE;
}

static void publish_above(wlu_machine *m, wlu_emulated_block *b)
{
    const wlu_device_tile *t = tile_of(m, b);
    for (int64_t r = 0; r < t->above; r++) {
        publish_row(m, b, r);
        look_u(b, r, 0, t->width);
    }
    for (int c = 0; c < W; c++) {
        m->state->umax[W * (int64_t)t->tile + c] = wlu_double_of_bits(b->umax[c]);
        if (c < t->width) wlu_agent_look(&b->agent, WLU_AREA_U, b->umax[c]);
    }
    b->phase = WLU_BLOCK_TAKE;
}

/* ------------------------------------------------------------------- step */

void wlu_tile_begin(wlu_machine *m, wlu_emulated_block *b, int32_t tile)
{
    const wlu_device_tile *t = &m->program->tile[tile];
    b->tile = tile;
    b->agent.task = m->stream->bundles + tile;
    b->loads = 0;
    b->phase = WLU_BLOCK_LOADS;
    for (int64_t k = 0; k < W * (rows_of(t) + 1); k++) b->panel[k] = wlu_lane_zero();
    for (int c = 0; c < W; c++) b->umax[c] = 0;
    ask_loads(m, b);
}

wlu_step wlu_tile_step(wlu_machine *m, wlu_emulated_block *b)
{
    if (!wlu_machine_poll(m, &b->agent)) return WLU_STEP_WAITING;
    if (b->phase == WLU_BLOCK_LOADS) {
        put_loads(m, b);
        if (b->loads < tile_of(m, b)->loads)
            ask_loads(m, b);
        else
            begin_sources(m, b);
    } else if (b->phase == WLU_BLOCK_ELIMINATE) {
        eliminate(m, b);
    } else if (b->phase == WLU_BLOCK_ABOVE) {
        publish_above(m, b);
    } else if (b->now.g < tile_of(m, b)->sources) {
        next_chunk(m, b);
    } else {
        b->phase = WLU_BLOCK_ELIMINATE;
    }
    return WLU_STEP_MOVED;
}
