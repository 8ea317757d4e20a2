/* The CPU's kernels, each alone, against plain loops that state what docs/instruction-set.md asks for: equal bits, NaN
 * as a class, for every instruction set of this machine; and their times.
 *
 *   test_kernels [--kernel NAME] [--seed N] [--rounds N] [--bench]
 *
 * --kernel: the cases whose name begins so. --bench: times of them, nothing is compared but by the way. A round is one
 * random shape; its kind of numbers goes in turn. */
#include "check.h"

#include "kernel_run.h"

#include <string.h>

static struct {
    const char *kernel;
    uint64_t seed;
    int rounds, bench;
} options = {"", UINT64_C(20260731), 120, 0};

static kernel_run run;
static const kernel_case *current;

static void rounds(void)
{
    if (run.kernels == NULL) SKIP("not compiled");
    if (!wlu_instruction_set_supported(run.set)) SKIP("not on this machine");
    int most = options.rounds / check_every();
    if (most < KERNEL_NUMBERS) most = KERNEL_NUMBERS;
    for (int k = 0; k < most && run.failures == 0; k++) {
        run.seed = options.seed + UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(k + 1);
        if (run.seed == 0) run.seed = 1;
        run.numbers = run.bench ? KERNEL_ORDINARY : (kernel_numbers)(k % KERNEL_NUMBERS);
        current->run(&run, current->variant);
        CHECK_SAY(run.failures == 0, "seed %llu, round %d, numbers %d", (unsigned long long)options.seed, k,
                  (int)run.numbers);
        if (run.bench) break;
    }
}

static int run_group(kernel_cases cases)
{
    int count = 0;
    for (size_t k = 0; k < cases.count; k++) {
        current = &cases.of[k];
        if (strncmp(current->name, options.kernel, strlen(options.kernel)) != 0) continue;
        for (int set = 0; set < WLU_SIMD_SETS; set++) {
            char name[80];
            run = (kernel_run){.set = (wlu_instruction_set)set, .name = current->name, .bench = options.bench};
            run.kernels = wlu_instruction_set_kernels(run.set, 1);
            snprintf(name, sizeof name, "%s %s", current->name, wlu_instruction_set_name(run.set));
            if (options.bench)
                rounds();
            else
                check_run(name, rounds);
            count++;
        }
    }
    return count;
}

static int read_options(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        int last = k + 1 == argc;
        if (strcmp(argv[k], "--bench") == 0)
            options.bench = 1;
        else if (strcmp(argv[k], "--kernel") == 0 && !last)
            options.kernel = argv[++k];
        else if (strcmp(argv[k], "--seed") == 0 && !last)
            options.seed = strtoull(argv[++k], NULL, 0);
        else if (strcmp(argv[k], "--rounds") == 0 && !last)
            options.rounds = atoi(argv[++k]);
        else
            return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    if (!read_options(argc, argv)) {
        fprintf(stderr, "usage: test_kernels [--kernel NAME] [--seed N] [--rounds N] [--bench]\n");
        return EXIT_FAILURE;
    }
    printf("# seed %llu\n", (unsigned long long)options.seed);
    int count = run_group(kernel_primitive_cases());
    count += run_group(kernel_stream_cases());
    count += run_group(kernel_tile_cases());
    count += run_group(kernel_solve_cases());
    count += run_group(kernel_many_cases());
    count += run_group(kernel_guard_cases());
    if (count == 0) {
        fprintf(stderr, "no kernel is named %s\n", options.kernel);
        return EXIT_FAILURE;
    }
    return options.bench ? check_failures > 0 : check_done();
}
