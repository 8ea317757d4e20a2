/* Places of kept factors. The common program has one for each member, at the member's number, so that neighbours stay
 * neighbours; programs of other pivots have fewer, which members take and give back. O(1) each. */
#include "solver/batch/places.h"

#include "solver/solver.h"

warplu_status wlu_batch_make_places(warplu_batch *b, wlu_batch_program *p)
{
    int32_t places = p->state->places;
    p->vacant = WLU_ALLOC(wlu_batch_context(b), places, int32_t);
    if (p->vacant == NULL) return wlu_fail_memory(wlu_batch_context(b), "places of kept factors");
    while (p->vacancies < places) {
        p->vacant[p->vacancies] = places - 1 - p->vacancies;
        p->vacancies++;
    }
    return WARPLU_SUCCESS;
}

void wlu_batch_drop_solver(warplu_batch *b, int32_t member)
{
    if (b->own != NULL && b->own[member] != NULL) wlu_solver_destroy(&b->own[member]);
}

int wlu_batch_settle(warplu_batch *b, int32_t member, int32_t program)
{
    wlu_batch_service *s = &b->service[member];
    wlu_batch_program *to = program > 0 ? &b->program[program] : NULL;
    if (s->kept == program && (program == WLU_BY_SOLVER || s->place >= 0)) return 1;
    if (to != NULL && to->vacancies == 0) return 0;
    if (s->kept > 0) {
        wlu_batch_program *from = &b->program[s->kept];
        from->vacant[from->vacancies++] = s->place;
    }
    if (program != WLU_BY_SOLVER) wlu_batch_drop_solver(b, member);
    s->kept = program;
    s->place = to != NULL ? to->vacant[--to->vacancies] : program == 0 ? member : -1;
    s->factored = 0;
    return 1;
}
