/* The objects that this library has handed out and not freed yet: which kind each is of. Programs free complex factors
 * by the function for real ones, hand in what another KLU of the process has made, and free twice: an object is
 * recognized by its address here, never by a cast. Any number of threads at once; O(1). */
#ifndef WK_REGISTRY_H
#define WK_REGISTRY_H

typedef enum wk_kind {
    WK_FOREIGN = 0,
    WK_SYMBOLIC_INT,
    WK_SYMBOLIC_LONG,
    WK_NUMERIC_INT,
    WK_NUMERIC_INT_COMPLEX,
    WK_NUMERIC_LONG,
    WK_NUMERIC_LONG_COMPLEX
} wk_kind;

/* 0: there is no memory. */
int wk_register(const void *object, wk_kind kind);
wk_kind wk_kind_of(const void *object);
/* Forgets the object, and returns what it was: of two threads that free it at once, one gets its kind. */
wk_kind wk_forget(const void *object);

#endif
