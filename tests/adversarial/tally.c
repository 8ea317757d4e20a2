/* Tables of what became of the answers. See tally.h. */
#include "tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

tally *tally_option(tallies *t, const char *name)
{
    int k = 0;
    while (k < TALLY_OPTIONS - 1 && t->option_name[k] != NULL && strcmp(t->option_name[k], name) != 0) k++;
    t->option_name[k] = name;
    return &t->option[k];
}

static void print_line(const char *name, const tally *t)
{
    if (t->replays == 0 && t->solves == 0) return;
    printf("# %-20s", name);
#define TALLY(name, head, what) printf(" %9" PRId64, t->name);
    TALLY_LIST
#undef TALLY
    printf(" %9.1e\n", t->worst);
}

static void print_options(const tallies *t)
{
    const char *last = "";
    for (int lines = 0; lines < TALLY_OPTIONS; lines++) { /* by name */
        int next = -1;
        for (int k = 0; k < TALLY_OPTIONS && t->option_name[k] != NULL; k++)
            if (strcmp(t->option_name[k], last) > 0 &&
                (next < 0 || strcmp(t->option_name[k], t->option_name[next]) < 0))
                next = k;
        if (next < 0) return;
        last = t->option_name[next];
        print_line(last, &t->option[next]);
    }
}

void tally_print(const tallies *t)
{
    printf("#\n# %-20s", "");
#define TALLY(name, head, what) printf(" %9s", head);
    TALLY_LIST
#undef TALLY
    printf(" %9s\n", "worst");
    print_line("start", &t->attack[TALLY_START]);
    for (int k = 0; k < ATTACKS; k++) print_line(attack_name((attack_kind)k), &t->attack[k]);
    printf("#\n");
    print_options(t);
    printf("#\n");
    print_line("total", &t->total);
    printf("#\n");
}
