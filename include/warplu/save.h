/* Analysis, pivots and their program in a file, so that the next process starts with a replay. Conventions as in
 * warplu/warplu.h. */
#ifndef WARPLU_SAVE_H
#define WARPLU_SAVE_H

#include <warplu/warplu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes what warplu_analyze and warplu_factor have found, the pivots if there are any, without values. The file
 * appears under its name only when it is complete and on the disk; after an error what stood there before stays. The
 * same solver gives the same bytes on the same kind of machine. The solver changes in nothing but its message.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_WRONG_PHASE             before warplu_analyze
 *   WARPLU_CANNOT_OPEN             the file cannot be made
 *   WARPLU_CANNOT_WRITE            the file cannot be written to its end
 *   WARPLU_OUT_OF_MEMORY
 *   WARPLU_CANCELLED */
WARPLU_API warplu_status warplu_save(warplu_solver *solver, const char *path);

/* Saves the program, too, so that the next process begins with a replay. A program that nobody has compiled yet is
 * compiled now, and replays from the next warplu_refactor on; that of a transposed solve is saved if it has been
 * compiled. The file grows by at most 8 bytes an unknown, 10 with threads: it has what was searched for, the rest
 * follows (docs/analysis.md).
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_WRONG_PHASE             before warplu_factor: there are no pivots
 *   WARPLU_PROGRAM_TOO_LARGE       no program fits max_program_bytes
 *   WARPLU_OVERFLOW                the program does not fit its types
 *   others                         as warplu_save */
WARPLU_API warplu_status warplu_save_program(warplu_solver *solver, const char *path);

/* Replaces the solver's analysis and pivots by those of a file. If the file has pivots, warplu_refactor replays
 * them, without a search; else it factors. They are compiled as pivots just chosen are (expected_refactors), and their
 * program gives the bits of the solver that saved them. Solves are checked until three in a row were accurate, as after
 * pivoting.
 *
 * A program of the file is used where it is for this solver: the same executor and strategy, the same number of threads
 * (options.threads), a release that understands it, and no more than max_program_bytes. warplu_restore then makes it,
 * without a search (compiled is 1 in the statistics), and the first warplu_refactor is a replay. A program that is not
 * is passed over, and the pivots are compiled as without it; so a file serves any solver. What a file says of a program
 * is checked like everything else: it is a program of these pivots, or the file is refused.
 *
 * From the file come the pattern and the order of the value array, block triangular form, orders, scales, pivots, what
 * these were worth, and the program. Everything else comes from the options of this solver; so does everything but the
 * order once it pivots again.
 *
 *   WARPLU_SUCCESS                 analysis and pivots are the file's; there are no factors yet
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_CANNOT_OPEN             the file does not open
 *   WARPLU_CANNOT_READ             an I/O error, or no regular file
 *   WARPLU_BAD_FORMAT              the file is truncated or corrupt, contradicts itself, or is no such file
 *   WARPLU_VERSION_MISMATCH        the file is of another version of the format
 *   WARPLU_PATTERN_MISMATCH        the file is of real values and the solver of complex ones, or the other way
 *   WARPLU_OUT_OF_MEMORY
 *   WARPLU_CANCELLED
 *
 * A file says nothing about values. Whether it belongs to a matrix, warplu_check_pattern tells. */
WARPLU_API warplu_status warplu_restore(warplu_solver *solver, const char *path);

/* Tells whether these arrays, read as by warplu_analyze, are the solver's pattern, with values in the same order.
 *
 *   WARPLU_SUCCESS                 they are
 *   WARPLU_PATTERN_MISMATCH        they are not; the message says where
 *   WARPLU_WRONG_PHASE             before warplu_analyze or warplu_restore
 *   WARPLU_INVALID_ARGUMENT        they are no pattern
 *   WARPLU_EMPTY                   n is 0
 *   WARPLU_OVERFLOW                a count does not fit its type
 *   WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_check_pattern(warplu_solver *solver, int32_t n, const int32_t *ptr, const int32_t *idx);

#ifdef __cplusplus
}
#endif
#endif
