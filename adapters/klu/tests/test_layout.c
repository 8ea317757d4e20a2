/* Our structures against those of an installed klu.h, member by member. Compiled where there is one of this
 * interface. */
#define WK_TYPES_ALONE
#include "../klu_abi.h"
#include "check.h"

#include <suitesparse/klu.h>

#ifdef WK_LONG
typedef klu_l_common their_common;
typedef klu_l_symbolic their_symbolic;
typedef klu_l_numeric their_numeric;
#else
typedef klu_common their_common;
typedef klu_symbolic their_symbolic;
typedef klu_numeric their_numeric;
#endif

static void same(const char *name, size_t our_offset, size_t offset, size_t our_size, size_t size)
{
    CHECK_SAY(our_offset == offset && our_size == size, "%s: at %zu, not %zu, of %zu bytes, not %zu", name, our_offset,
              offset, our_size, size);
}

#define SAME(kind, member) \
    same(#kind "." #member, offsetof(wk_##kind, member), offsetof(their_##kind, member), \
         sizeof(((wk_##kind *)0)->member), sizeof(((their_##kind *)0)->member))

static void common(void)
{
    CHECK(sizeof(wk_common) == sizeof(their_common));
    SAME(common, tol), SAME(common, memgrow), SAME(common, initmem_amd), SAME(common, initmem), SAME(common, maxwork);
    SAME(common, btf), SAME(common, ordering), SAME(common, scale), SAME(common, user_order), SAME(common, user_data);
    SAME(common, halt_if_singular), SAME(common, status), SAME(common, nrealloc), SAME(common, structural_rank);
    SAME(common, numerical_rank), SAME(common, singular_col), SAME(common, noffdiag), SAME(common, flops);
    SAME(common, rcond), SAME(common, condest), SAME(common, rgrowth), SAME(common, work), SAME(common, memusage);
    SAME(common, mempeak);
}

static void symbolic(void)
{
    CHECK(sizeof(wk_symbolic) == sizeof(their_symbolic));
    SAME(symbolic, symmetry), SAME(symbolic, est_flops), SAME(symbolic, lnz), SAME(symbolic, unz), SAME(symbolic, Lnz);
    SAME(symbolic, n), SAME(symbolic, nz), SAME(symbolic, P), SAME(symbolic, Q), SAME(symbolic, R);
    SAME(symbolic, nzoff), SAME(symbolic, nblocks), SAME(symbolic, maxblock), SAME(symbolic, ordering);
    SAME(symbolic, do_btf), SAME(symbolic, structural_rank);
}

static void numeric(void)
{
    CHECK(sizeof(wk_numeric) == sizeof(their_numeric));
    SAME(numeric, n), SAME(numeric, nblocks), SAME(numeric, lnz), SAME(numeric, unz), SAME(numeric, max_lnz_block);
    SAME(numeric, max_unz_block), SAME(numeric, Pnum), SAME(numeric, Pinv), SAME(numeric, Lip), SAME(numeric, Uip);
    SAME(numeric, Llen), SAME(numeric, Ulen), SAME(numeric, LUbx), SAME(numeric, LUsize), SAME(numeric, Udiag);
    SAME(numeric, Rs), SAME(numeric, worksize), SAME(numeric, Work), SAME(numeric, Xwork), SAME(numeric, Iwork);
    SAME(numeric, Offp), SAME(numeric, Offi), SAME(numeric, Offx), SAME(numeric, nzoff);
}

static void statuses(void)
{
    CHECK(KLU_OK == WK_OK && KLU_SINGULAR == WK_SINGULAR && KLU_OUT_OF_MEMORY == WK_OUT_OF_MEMORY);
    CHECK(KLU_INVALID == WK_INVALID && KLU_TOO_LARGE == WK_TOO_LARGE);
}

int main(void)
{
    RUN(common);
    RUN(symbolic);
    RUN(numeric);
    RUN(statuses);
    return check_done();
}
