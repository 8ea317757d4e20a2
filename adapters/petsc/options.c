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
static const char *const matchings[] = {"auto", "never", "always"};
static const char *const scalings[] = {"none", "sum", "max"};
static const char *const reactions[] = {"repivot", "refine", "report"};
static const char *const failures[] = {"fail", "keep"};
static const char *const executors[] = {"auto", "reference", "cpu", "cuda"};
static const char *const precisions[] = {"double", "single", "mixed"};

const char *wlu_petsc_check_name(warplu_check check)
{
    return checks[check];
}

const char *wlu_petsc_ordering_name(warplu_ordering ordering)
{
    return orderings[ordering];
}

/* One of several names; a number. PETSc's integers may have 32 bits, so that bytes are read as real numbers. */
typedef struct choice {
    const char *name, *text;
    const char *const *names;
    PetscInt count, value;
} choice;

typedef struct number {
    const char *name, *text;
    PetscReal value;
} number;

enum { CHECK, ORDERING, MATCHING, SCALING, REACTION, FAILURE, EXECUTOR, PRECISION, CHOICES };
enum { TOLERANCE, ABSOLUTE, EXPECTED, PROGRAM_BYTES, FACTOR_BYTES, THREADS, STEPS, NUMBERS };

static void list_choices(const warplu_options *o, choice *list)
{
    list[CHECK] = (choice){"-mat_warplu_check", "Solves checked by residuals", checks, 4, (PetscInt)o->check};
    list[ORDERING] = (choice){"-mat_warplu_ordering", "Ordering", orderings, 5, (PetscInt)o->ordering};
    list[MATCHING] = (choice){"-mat_warplu_matching", "Rows matched by values", matchings, 3, (PetscInt)o->matching};
    list[SCALING] = (choice){"-mat_warplu_scaling", "Scales of rows", scalings, 3, (PetscInt)o->scaling};
    list[REACTION] = (choice){"-mat_warplu_on_weak", "Weak pivots of a replay", reactions, 3, (PetscInt)o->on_weak};
    list[FAILURE] = (choice){"-mat_warplu_inaccurate", "Solutions short of the promise", failures, 2, 0};
    list[EXECUTOR] = (choice){"-mat_warplu_executor", "What factors and solves", executors, 4, (PetscInt)o->executor};
    list[PRECISION] = (choice){"-mat_warplu_precision", "Of the factors", precisions, 3, (PetscInt)o->precision};
}

static void list_numbers(const warplu_options *o, number *list)
{
    list[TOLERANCE] = (number){"-mat_warplu_pivot_tolerance", "Diagonal against its column", o->pivot_tolerance};
    list[ABSOLUTE] = (number){"-mat_warplu_pivot_absolute", "Largest pivot that is refused", o->pivot_absolute};
    list[EXPECTED] = (number){"-mat_warplu_expected_refactors", "Factorizations to come", o->expected_refactors};
    list[PROGRAM_BYTES] = (number){"-mat_warplu_max_program_bytes", "Limit", (PetscReal)o->max_program_bytes};
    list[FACTOR_BYTES] = (number){"-mat_warplu_max_factor_bytes", "Limit; 0: none", (PetscReal)o->max_factor_bytes};
    list[THREADS] = (number){"-mat_warplu_threads", "0: one for each processor", o->threads};
    list[STEPS] = (number){"-mat_warplu_refinement_steps", "Most steps of refinement", o->max_refinement_steps};
}

static void take(warplu_options *o, const choice *choices, const number *numbers)
{
    o->check = (warplu_check)choices[CHECK].value;
    o->ordering = (warplu_ordering)choices[ORDERING].value;
    o->matching = (warplu_matching)choices[MATCHING].value;
    o->scaling = (warplu_scaling)choices[SCALING].value;
    o->on_weak = (warplu_on_weak)choices[REACTION].value;
    o->executor = (warplu_executor)choices[EXECUTOR].value;
    o->precision = (warplu_precision)choices[PRECISION].value;
    o->pivot_tolerance = numbers[TOLERANCE].value;
    o->pivot_absolute = numbers[ABSOLUTE].value;
    o->expected_refactors = numbers[EXPECTED].value;
    o->max_program_bytes = (int64_t)numbers[PROGRAM_BYTES].value;
    o->max_factor_bytes = (int64_t)numbers[FACTOR_BYTES].value;
    o->threads = (int)numbers[THREADS].value;
    o->max_refinement_steps = (int)numbers[STEPS].value;
}

/* All between PetscOptionsBegin and PetscOptionsEnd is in one function: the type of what they share differs between
 * versions of PETSc. */
PetscErrorCode wlu_petsc_read_options(Mat f, Mat a)
{
    wlu_factor *lu = (wlu_factor *)f->data;
    choice choices[CHOICES];
    number numbers[NUMBERS];
    PetscBool btf;

    PetscFunctionBegin;
    warplu_init_options(&lu->options);
    btf = lu->options.btf ? PETSC_TRUE : PETSC_FALSE;
    list_choices(&lu->options, choices);
    list_numbers(&lu->options, numbers);
    PetscOptionsBegin(PetscObjectComm((PetscObject)f), ((PetscObject)f)->prefix, "warplu Options", "Mat");
    for (choice *c = choices; c < choices + CHOICES; c++)
        PetscCall(PetscOptionsEList(c->name, c->text, "None", c->names, c->count, c->names[c->value], &c->value, NULL));
    for (number *x = numbers; x < numbers + NUMBERS; x++) {
        PetscCall(PetscOptionsReal(x->name, x->text, "None", x->value, &x->value, NULL));
        int bounded = x == numbers + THREADS || x == numbers + STEPS;
        PetscCheck(PetscAbsReal(x->value) < (bounded ? 0x1p31 : 0x1p63), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
                   "%s %g is out of range", x->name, (double)x->value);
    }
    PetscCall(PetscOptionsBool("-mat_warplu_btf", "Block triangular form", "None", btf, &btf, NULL));
    PetscOptionsEnd();
    lu->options.btf = btf == PETSC_TRUE;
    take(&lu->options, choices, numbers);
    PetscCall(wlu_petsc_choose_executor(f, a));
    lu->keep = choices[FAILURE].value == 1 ? PETSC_TRUE : PETSC_FALSE;
    lu->options.storage = WARPLU_STORAGE_CSR;
#if defined(PETSC_USE_COMPLEX)
    lu->options.scalar = WARPLU_SCALAR_COMPLEX;
#endif
    lu->options.message = hear;
    PetscFunctionReturn(0);
}
