/* Options of the solver, by PETSc's database under the prefix of the factored matrix, which is the preconditioner's:
 * -sub_mat_warplu_threads 2 for the blocks of ASM. Names and defaults are those of warplu_options. */
#include "factor.h"

#include <stdio.h>

static _Thread_local char message[512];

static void hear(warplu_status status, const char *text, void *user)
{
    (void)user;
    snprintf(message, sizeof message, "%s: %s", warplu_status_name(status), text);
}

const char *wlu_petsc_message(void)
{
    return message;
}

/* Names in the order of the enumerations. */
static const char *const checks[] = {"off", "suspect", "always", "replays"};
static const char *const orderings[] = {"auto", "natural", "amd", "colamd", "metis", "given by PETSc"};
enum { NAMED_ORDERINGS = WARPLU_ORDERING_GIVEN };
static const char *const matchings[] = {"auto", "never", "always"};
static const char *const scalings[] = {"none", "sum", "max"};
static const char *const reactions[] = {"repivot", "refine", "report"};
static const char *const failures[] = {"fail", "keep"};

const char *wlu_petsc_check_name(warplu_check check)
{
    return checks[check];
}

const char *wlu_petsc_ordering_name(warplu_ordering ordering)
{
    return orderings[ordering];
}

/* The functions below are called between PetscOptionsBegin and PetscOptionsEnd, whose object they are given. */
static PetscErrorCode read_choices(PetscOptionItems *PetscOptionsObject, warplu_options *o, PetscBool *keep)
{
    PetscInt check = (PetscInt)o->check, ordering = (PetscInt)o->ordering, matching = (PetscInt)o->matching;
    PetscInt scaling = (PetscInt)o->scaling, reaction = (PetscInt)o->on_weak, failure = *keep ? 1 : 0;
    PetscBool btf = o->btf ? PETSC_TRUE : PETSC_FALSE;

    PetscFunctionBegin;
    PetscCall(PetscOptionsEList("-mat_warplu_check", "Solves checked by residuals", "None", checks,
                                PETSC_STATIC_ARRAY_LENGTH(checks), checks[check], &check, NULL));
    PetscCall(PetscOptionsEList("-mat_warplu_inaccurate", "Solutions short of the promise", "None", failures,
                                PETSC_STATIC_ARRAY_LENGTH(failures), failures[failure], &failure, NULL));
    PetscCall(PetscOptionsEList("-mat_warplu_ordering", "Ordering", "None", orderings, NAMED_ORDERINGS,
                                orderings[ordering], &ordering, NULL));
    PetscCall(PetscOptionsEList("-mat_warplu_matching", "Rows matched to columns by values", "None", matchings,
                                PETSC_STATIC_ARRAY_LENGTH(matchings), matchings[matching], &matching, NULL));
    PetscCall(PetscOptionsEList("-mat_warplu_scaling", "Scales of rows", "None", scalings,
                                PETSC_STATIC_ARRAY_LENGTH(scalings), scalings[scaling], &scaling, NULL));
    PetscCall(PetscOptionsEList("-mat_warplu_on_weak", "What weak pivots of a replay lead to", "None", reactions,
                                PETSC_STATIC_ARRAY_LENGTH(reactions), reactions[reaction], &reaction, NULL));
    PetscCall(PetscOptionsBool("-mat_warplu_btf", "Block triangular form", "None", btf, &btf, NULL));
    o->check = (warplu_check)check;
    o->ordering = (warplu_ordering)ordering;
    o->matching = (warplu_matching)matching;
    o->scaling = (warplu_scaling)scaling;
    o->on_weak = (warplu_on_weak)reaction;
    o->btf = btf == PETSC_TRUE;
    *keep = failure == 1 ? PETSC_TRUE : PETSC_FALSE;
    PetscFunctionReturn(0);
}

/* Bytes are read as real numbers: PetscInt may have 32 bits. */
static PetscErrorCode read_bytes(PetscOptionItems *PetscOptionsObject, const char *name, const char *text,
                                 int64_t *bytes)
{
    PetscReal number = (PetscReal)*bytes;

    PetscFunctionBegin;
    PetscCall(PetscOptionsReal(name, text, "None", number, &number, NULL));
    PetscCheck(number > -0x1p63 && number < 0x1p63, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "%s %g is out of range",
               name, (double)number);
    *bytes = (int64_t)number;
    PetscFunctionReturn(0);
}

static PetscErrorCode read_numbers(PetscOptionItems *PetscOptionsObject, warplu_options *o)
{
    PetscInt threads = o->threads, steps = o->max_refinement_steps;

    PetscFunctionBegin;
    PetscCall(
        PetscOptionsInt("-mat_warplu_threads", "Threads; 0: one for each processor", "None", threads, &threads, NULL));
    PetscCall(PetscOptionsInt("-mat_warplu_refinement_steps", "Most steps of refinement", "None", steps, &steps, NULL));
    o->threads = (int)PetscMax(-1, PetscMin(threads, 1 << 20));
    o->max_refinement_steps = (int)PetscMax(-1, PetscMin(steps, 1 << 20));
    PetscCall(PetscOptionsReal("-mat_warplu_pivot_tolerance", "The diagonal against its column's largest", "None",
                               o->pivot_tolerance, &o->pivot_tolerance, NULL));
    PetscCall(PetscOptionsReal("-mat_warplu_pivot_absolute", "Largest pivot that is refused", "None", o->pivot_absolute,
                               &o->pivot_absolute, NULL));
    PetscCall(PetscOptionsReal("-mat_warplu_expected_refactors", "Factorizations to come; 0: not known", "None",
                               o->expected_refactors, &o->expected_refactors, NULL));
    PetscCall(read_bytes(PetscOptionsObject, "-mat_warplu_max_program_bytes", "Most bytes of the program",
                         &o->max_program_bytes));
    PetscCall(read_bytes(PetscOptionsObject, "-mat_warplu_max_factor_bytes", "Most bytes of factors; 0: no limit",
                         &o->max_factor_bytes));
    PetscFunctionReturn(0);
}

PetscErrorCode wlu_petsc_read_options(Mat f)
{
    wlu_factor *lu = (wlu_factor *)f->data;
    warplu_options *o = &lu->options;

    PetscFunctionBegin;
    warplu_init_options(o);
    o->storage = WARPLU_STORAGE_CSR;
#if defined(PETSC_USE_COMPLEX)
    o->scalar = WARPLU_SCALAR_COMPLEX;
#endif
    o->message = hear;
    lu->keep = PETSC_FALSE;
    PetscOptionsBegin(PetscObjectComm((PetscObject)f), ((PetscObject)f)->prefix, "warplu Options", "Mat");
    PetscCall(read_choices(PetscOptionsObject, o, &lu->keep));
    PetscCall(read_numbers(PetscOptionsObject, o));
    PetscOptionsEnd();
    PetscFunctionReturn(0);
}
