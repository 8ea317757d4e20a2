/* Counts of `phases` as the paper's tables, and as JSON. */
#include <stdio.h>
#include <string.h>

#include "phases_count.h"

/* Tables 1, 4 and 5 of the paper. */
static const struct {
    const char *file, *name; /* ours, theirs */
    int formulas, odes;
    double base_kb, unify_kb;
    const char *base, *base_kinds, *merge, *merge_kinds;
} paper[] = {
    {"luo_rudy_1991", "Luo-Rudy", 31, 8, 4.0, 5.4, "22 6 2 1 8", "14 6 2 1 3", "22 2 8", "16 2 3"},
    {"wang_buzsaki", "Wang", 1200, 400, 210.9, 91.6, "1000 100 100 400", "7 1 1 3", "1000 100 400", "7 1 3"},
    {"half_centre", "Rybak", 1362, 480, 291.3, 100.6, "842 280 40 480 200", "8 5 1 5 4", "842 40 480 200", "11 1 5 4"},
    {"ring", "LR-Ring", 2647, 640, 313.5, 104.1, "1924 562 81 80 640", "16 9 2 1 4", "1924 322 1 640", "18 6 1 4"},
    {"line", "LR-Line", 3298, 800, 387.1, 117.2, "2399 699 100 100 800", "15 7 1 1 3", "2399 399 800", "17 4 3"},
};

const char *const phases_configuration[PHASES_CONFIGURATIONS] = {"Base", "Reorder", "Redundant", "Unify", "Merge"};

wlm_phases_options phases_options(int configuration, int32_t stack)
{
    return (wlm_phases_options){configuration >= PHASES_REORDER, configuration >= PHASES_REDUNDANT,
                                configuration >= PHASES_UNIFY, configuration >= PHASES_MERGE, stack};
}

/* The paper's row of a model, or -1. */
static int row_of(const phases_model *m)
{
    for (int k = 0; k < (int)(sizeof paper / sizeof *paper); k++)
        if (strcmp(paper[k].file, m->name) == 0) return k;
    return -1;
}

static double kilobytes(const wlm_phases *p)
{
    return (4.0 * (double)p->words + (double)p->table_bytes) / 1000.0;
}

static void print_phases(const wlm_phases *p, int kinds)
{
    for (int32_t k = 0; k < p->phases; k++)
        printf("%s%d", k > 0 ? " " : "", (int)(kinds ? p->phase[k].kinds : p->phase[k].bytecodes));
    printf("\n");
}

static void print_table_1(const phases_model *m, int models)
{
    printf("table 1: formulas and ODEs; the deepest stack, sums unsplit and split\n");
    for (int k = 0; k < models; k++) {
        int row = row_of(&m[k]);
        printf("  %-16s %6d + %-6d stack %4d %3d", m[k].name, (int)m[k].of[0]->definitions, (int)m[k].of[0]->states,
               (int)m[k].stack_unsplit, (int)m[k].stack_least);
        if (row >= 0) printf("   paper, %s: %d + %d", paper[row].name, paper[row].formulas, paper[row].odes);
        printf("\n");
    }
}

static void print_table_4(const phases_model *m, int models)
{
    printf("table 4: kilobytes of bytecode and table\n  %-16s", "");
    for (int c = 0; c < PHASES_CONFIGURATIONS; c++) printf(" %9s", phases_configuration[c]);
    printf("   paper: Base, Unify\n");
    for (int k = 0; k < models; k++) {
        int row = row_of(&m[k]);
        printf("  %-16s", m[k].name);
        for (int c = 0; c < PHASES_CONFIGURATIONS; c++) printf(" %9.1f", kilobytes(m[k].of[c]));
        if (row >= 0) printf("   %.1f, %.1f", paper[row].base_kb, paper[row].unify_kb);
        printf("\n");
    }
}

static void print_table_5(const phases_model *m, int models)
{
    printf("table 5: bytecodes of each phase, and their kinds\n");
    for (int k = 0; k < models; k++) {
        int row = row_of(&m[k]);
        for (int merged = 0; merged < 2; merged++) {
            const wlm_phases *p = m[k].of[merged ? PHASES_MERGE : PHASES_BASE];
            for (int kinds = 0; kinds < 2; kinds++) {
                printf("  %-16s %-5s %-9s ", kinds + merged > 0 ? "" : m[k].name, merged ? "Merge" : "Base",
                       kinds ? "kinds" : "bytecodes");
                print_phases(p, kinds);
                if (row < 0) continue;
                printf("  %-16s %-5s %-9s %s\n", "", "", "  paper",
                       merged  ? kinds ? paper[row].merge_kinds : paper[row].merge
                       : kinds ? paper[row].base_kinds
                               : paper[row].base);
            }
        }
    }
}

void phases_print_tables(const phases_model *model, int models)
{
    print_table_1(model, models);
    print_table_4(model, models);
    print_table_5(model, models);
}

static void print_configuration(const phases_model *m, int c)
{
    const wlm_phases *p = m->of[c];
    const phases_time *t = &m->time[c];
    printf("%s\n    {\"switches\": \"%s\", \"code_bytes\": %lld, \"table_bytes\": %lld, \"threads\": %d, \"phases\": [",
           c > 0 ? "," : "", phases_configuration[c], 4 * (long long)p->words, (long long)p->table_bytes,
           (int)p->threads);
    for (int32_t k = 0; k < p->phases; k++)
        printf("%s{\"bytecodes\": %d, \"kinds\": %d, \"threads\": %d, \"longest\": %d}", k > 0 ? ", " : "",
               (int)p->phase[k].bytecodes, (int)p->phase[k].kinds, (int)p->phase[k].threads,
               (int)p->phase[k].instructions);
    printf("]");
    if (t->median_s > 0.0)
        printf(", \"s\": {\"median\": %.6f, \"min\": %.6f, \"max\": %.6f}", t->median_s, t->least_s, t->most_s);
    if (t->other_bits >= 0) printf(", \"other_bits\": %lld", (long long)t->other_bits);
    printf("}");
}

void phases_print_json(const phases_model *model, int models, const char *executor, const char *method, int64_t steps)
{
    printf("[");
    for (int k = 0; k < models; k++) {
        const phases_model *m = &model[k];
        printf("%s\n  {\"model\": \"%s\", \"formulas\": %d, \"odes\": %d, \"stack\": %d, \"stack_unsplit\": %d, "
               "\"stack_least\": %d, \"executor\": \"%s\", \"method\": \"%s\", \"steps\": %lld, \"by\": [",
               k > 0 ? "," : "", m->name, (int)m->of[0]->definitions, (int)m->of[0]->states, (int)m->of[0]->stack,
               (int)m->stack_unsplit, (int)m->stack_least, executor, method, (long long)steps);
        for (int c = 0; c < PHASES_CONFIGURATIONS; c++) print_configuration(m, c);
        printf("]}");
    }
    printf("\n]\n");
}
