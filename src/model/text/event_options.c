/* Parses what stands between an event's trigger and its colon. These words are no words of the language elsewhere:
 * where they stand no expression goes on. */
#include "model/text/lexer.h"
#include "model/text/lines.h"

/* Reads an expression behind its word, which may stand once. */
static void parse_once(wlm_reading *r, wlm_tree **out, const char *word)
{
    if (*out != NULL) wlm_fail_at(r, WARPLU_BAD_FORMAT, r->token.place, "the event has '%s' already", word);
    *out = wlm_parse_expression(r);
}

void wlm_parse_event_options(wlm_reading *r, wlm_line *line)
{
    while (r->status == WARPLU_SUCCESS) {
        if (wlm_takes_name(r, "falling")) {
            line->falls = 1;
        } else if (wlm_takes_name(r, "initially")) {
            line->initially = 1;
        } else if (wlm_takes_name(r, "priority")) {
            parse_once(r, &line->priority, "priority");
        } else if (wlm_takes_name(r, "delay")) {
            parse_once(r, &line->delay, "delay");
            if (r->status == WARPLU_SUCCESS) line->late = wlm_takes_name(r, "late");
        } else {
            break;
        }
    }
    if (line->value != NULL && (line->falls || line->initially))
        wlm_fail_at(r, WARPLU_BAD_FORMAT, line->place,
                    "expected no 'falling' and no 'initially' of an event with a time");
}
