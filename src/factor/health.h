/* Health: what a factorization with frozen pivots shows of how well they fit the values. */
#ifndef WLU_HEALTH_H
#define WLU_HEALTH_H

/* In scaled values. */
typedef struct wlu_health {
    double largest_l;      /* largest |l| */
    double largest_u;      /* largest |u| within the blocks */
    double growth;         /* reciprocal pivot growth, at most 1; a bound from below where the guards' bound holds */
    double smallest_pivot; /* smallest |u_kk| */
    double drift;          /* largest factor, up or down, by which a row's largest entry has changed; a power of two */
    int finite;            /* every computed value is */
} wlu_health;

#endif
