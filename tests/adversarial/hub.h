/* Matrices with hubs, which are rows and columns of very many entries, and values that long sums round badly. Beside
 * the pattern each entry has a role; values are made from roles and a few numbers (hub_genes), so that they can be
 * varied as a whole: equal ones, decimals, ones whose low bits are chosen. */
#ifndef WLU_ADVERSARIAL_HUB_H
#define WLU_ADVERSARIAL_HUB_H

#include "support/matrices.h"

typedef enum hub_shape {
    HUB_ARROW,    /* hubs, and unknowns that are coupled to these alone */
    HUB_BORDERED, /* blocks of a few unknowns, and hubs */
    HUB_STARS,    /* hubs of a hub, each with unknowns of its own */
    HUB_SUPPLY,   /* hubs with a long row alone, or a long column: entries of off-diagonal blocks */
    HUB_SHAPES
} hub_shape;

typedef enum hub_role {
    HUB_DIAGONAL,
    HUB_INNER,  /* within a block */
    HUB_ROW,    /* of a hub's row */
    HUB_COLUMN, /* of a hub's column */
    HUB_ROOT,   /* a hub's diagonal */
    HUB_BETWEEN /* two hubs */
} hub_role;

typedef struct hub_matrix {
    test_matrix m; /* by columns */
    hub_shape shape;
    int32_t hubs;
    int32_t *at;             /* hubs: which unknowns they are */
    int32_t *rows, *columns; /* hubs: entries of their rows and columns of those roles */
    uint8_t *role;           /* nnz */
    int32_t *hub, *place;    /* nnz: of rows and columns of hubs, whose, and which of its entries */
} hub_matrix;

/* How signs of a long line stand. */
typedef enum hub_order {
    HUB_PARTS,     /* + in its first part, - in the rest */
    HUB_FOUR,      /* the same twice */
    HUB_DOUBLING,  /* signs turn at powers of two */
    HUB_ALTERNATE, /* + - + - */
    HUB_LANES,     /* four + and four - */
    HUB_SCATTERED, /* at random */
    HUB_POSITIVE,
    HUB_ORDERS
} hub_order;

typedef struct hub_genes {
    double diagonal, inner, root, between; /* magnitudes by role, */
    double plain;                          /* of the long lines that have no parts, */
    double first, second;                  /* of those that have, of + and of -; second 0: their sum is 0 */
    double part;                           /* of a line that is + */
    double low;                            /* first is 1 + low times as large, second 1 - low times */
    double noise;                          /* each value differs by so much of itself */
    int digits;                            /* decimals that values are rounded to; 0: none */
    int columns;                           /* 1: columns of hubs have the parts; else rows */
    hub_order order;
    int turn;        /* complex values: which factor each role has */
    uint64_t random; /* of noise and scattered signs */
} hub_genes;

void hub_draw(hub_matrix *h, uint64_t *seed, hub_shape shape, int32_t n, int doubles);
void hub_free(hub_matrix *h);

/* Values under which known systems are solved to the last digits: hubs weigh little in them. */
hub_genes hub_benign(const hub_matrix *h, uint64_t *seed);
/* Hostile ones. limit: of line lengths squared times l times u, near which the library begins to check; digits of
 * chosen low bits are those of numbers with so many bits. */
hub_genes hub_hostile(const hub_matrix *h, uint64_t *seed, double limit, int bits);
hub_genes hub_mutate(const hub_genes *genes, uint64_t *seed);
/* The same with values that are hardly others. */
void hub_jitter(hub_genes *genes, uint64_t *seed);
/* Writes the values into h->m.x. */
void hub_express(hub_matrix *h, const hub_genes *genes);
void hub_print(const hub_matrix *h, const hub_genes *genes);

#endif
