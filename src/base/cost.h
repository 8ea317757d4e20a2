/* Cost constants: what one unit of work takes on a back end, plain data handed down to the passes that choose
 * (ordering race, regions). Filled in by a back end; wlu_cost_cpu is the CPU's first table. */
#ifndef WLU_COST_H
#define WLU_COST_H

typedef struct wlu_cost {
    double ns_per_dot_term;    /* one operand pair of a DOT stream */
    double ns_per_dot_record;  /* one DOT, DOTS or RCP record */
    double ns_per_load;        /* one entry gathered, scaled, stored */
    double ns_per_tile;        /* one tile: its diagonal block, loop overhead */
    double ns_per_panel_row;   /* one row of eight numbers zeroed, loaded, scaled */
    double ns_per_tile_source; /* one tile updating another */
    double ns_per_tile_row;    /* one row of a panel touched by one source: index, load, store */
    double ns_per_tile_step;   /* eight multiply-subtracts: one row, one pivot */
    double ns_per_level;       /* one pivot of the critical path: its reciprocal, a product, a multiply-subtract */
    double ns_per_part;        /* work below which a thread is not worth its job and its handoffs */
    /* Shape, not time: a stream of more slots than stay in a cache is cut into chunks of this many scalar records. */
    double chunk_slots, chunk_records;
} wlu_cost;

extern const wlu_cost wlu_cost_cpu;

#endif
