/* Parses the lines of an element into wlm_line, by recursive descent: declarations, equations, gates, events, loops.
 * Nothing is evaluated; that needs names which may come later. */
#include "model/text/lines.h"

#include "model/text/lexer.h"
#include "model/text/units.h"

static wlm_line *parse_line(wlm_reading *r);

static wlm_line *make(wlm_reading *r, wlm_line_type type)
{
    wlm_line *line = wlm_take_for(r, &r->scratch, 1, sizeof *line);
    if (line == NULL) return NULL;
    line->type = type;
    line->place = r->token.place;
    return line;
}

static void parse_range_of_state(wlm_reading *r, wlm_line *line)
{
    if (!wlm_takes_name(r, "in")) return;
    line->second = wlm_parse_expression(r);
    if (line->second == NULL || !wlm_needs(r, "..", "'..'")) return;
    line->third = wlm_parse_expression(r);
}

/* Reads a line from behind its word: param, state, discrete, unknown or input. */
static wlm_line *parse_declaration(wlm_reading *r, wlm_line *line)
{
    line->place = r->token.place;
    line->name = wlm_parse_name(r, "a name");
    if (line->name == NULL || !wlm_needs(r, "=", "'='")) return NULL;
    line->value = line->type == WLM_LINE_INPUT ? wlm_parse_expression(r) : wlm_parse_values(r);
    if (line->value == NULL) return NULL;
    line->unit = wlm_parse_unit(r);
    if (line->type == WLM_LINE_STATE) parse_range_of_state(r, line);
    return line;
}

static wlm_line *parse_gate(wlm_reading *r, wlm_line *line)
{
    line->place = r->token.place;
    line->name = wlm_parse_name(r, "the name of a gate");
    if (line->name == NULL) return NULL;
    if (wlm_takes(r, "=")) {
        line->value = wlm_parse_expression(r);
        if (line->value == NULL) return NULL;
    }
    if (!wlm_needs(r, ":", line->value == NULL ? "'=' or ':'" : "':'")) return NULL;
    line->second = wlm_parse_expression(r);
    if (line->second == NULL || !wlm_needs(r, ",", "',' and the gate's time constant")) return NULL;
    line->third = wlm_parse_expression(r);
    return line;
}

wlm_line *wlm_parse_assignments(wlm_reading *r, const char *what)
{
    wlm_line *first = NULL, **end = &first;
    do {
        wlm_line *line = make(r, WLM_LINE_DEFINITION);
        if (line == NULL) return NULL;
        line->name = wlm_parse_dotted(r, what);
        if (line->name == NULL || !wlm_needs(r, "=", "'='")) return NULL;
        line->value = wlm_parse_expression(r);
        *end = line;
        end = &line->next;
    } while (r->status == WARPLU_SUCCESS && wlm_takes(r, ","));
    return first;
}

static wlm_line *parse_limit(wlm_reading *r, wlm_line *line)
{
    line->value = wlm_parse_expression(r);
    return line;
}

static wlm_line *parse_event(wlm_reading *r, wlm_line *line)
{
    wlm_lexer lexer = r->lexer;
    wlm_token token = r->token;
    if (wlm_takes_name(r, "t") && wlm_takes(r, "=")) {
        line->value = wlm_parse_expression(r);
    } else {
        r->lexer = lexer;
        r->token = token;
        line->second = wlm_parse_expression(r);
    }
    wlm_parse_event_options(r, line);
    if (r->status != WARPLU_SUCCESS || !wlm_needs(r, ":", "':' and what the event sets")) return NULL;
    line->body = wlm_parse_assignments(r, "the name of a state");
    return line;
}

/* Reads what a loop repeats: a line, or lines and `end`. */
static wlm_line *parse_body(wlm_reading *r, wlm_line *line)
{
    if (wlm_takes(r, ":")) {
        line->body = parse_line(r);
        return line->body != NULL ? line : NULL;
    }
    if (r->token.type != WLM_TOKEN_LINE) return wlm_expected(r, "':' or the end of the line"), NULL;
    return wlm_parse_lines(r, &line->body) ? line : NULL;
}

/* Reads a loop; each further range is a loop within the one before it, and a level of depth. */
static wlm_line *parse_for(wlm_reading *r, wlm_line *line)
{
    int32_t depth = r->depth;
    line->ranges = wlm_parse_ranges(r);
    if (line->ranges == NULL) return NULL;
    for (const wlm_tree *range = line->ranges->next; range != NULL && wlm_enter(r);) range = range->next;
    line = r->status == WARPLU_SUCCESS ? parse_body(r, line) : NULL;
    r->depth = depth;
    return line;
}

/* Reads name = value, name' = value or port.quantity += value. */
static wlm_line *parse_equation(wlm_reading *r, wlm_line *line)
{
    line->name = wlm_parse_name(r, "a line of an element, or 'end'");
    if (line->name == NULL) return NULL;
    if (wlm_takes(r, ".")) {
        line->type = WLM_LINE_CONTRIBUTION;
        line->name->type = WLM_TREE_PORT;
        line->name->quantity = wlm_parse_name(r, "the name of a quantity");
        if (line->name->quantity == NULL || !wlm_needs(r, "+=", "'+='")) return NULL;
    } else if (wlm_takes(r, "'")) {
        line->type = WLM_LINE_RATE;
        if (!wlm_needs(r, "=", "'='")) return NULL;
    } else if (!wlm_needs(r, "=", "'=', ''' or '.'")) {
        return NULL;
    }
    line->value = wlm_parse_expression(r);
    if (line->type == WLM_LINE_DEFINITION && line->value != NULL) line->unit = wlm_parse_unit(r);
    return line;
}

static wlm_line *parse_closing(wlm_reading *r, wlm_line *line)
{
    if (r->token.number != 0.0) return wlm_expected(r, "a line of an element, or 'end'"), NULL;
    wlm_next(r);
    if (!wlm_needs(r, "=", "'='")) return NULL;
    line->value = wlm_parse_expression(r);
    return line;
}

static wlm_line *parse_statement(wlm_reading *r)
{
    static const struct {
        const char *word;
        wlm_line_type type;
        wlm_line *(*parse)(wlm_reading *r, wlm_line *line);
    } statements[] = {
        {"param", WLM_LINE_PARAMETER, parse_declaration},
        {"state", WLM_LINE_STATE, parse_declaration},
        {"discrete", WLM_LINE_DISCRETE, parse_declaration},
        {"unknown", WLM_LINE_UNKNOWN, parse_declaration},
        {"input", WLM_LINE_INPUT, parse_declaration},
        {"gate", WLM_LINE_GATE, parse_gate},
        {"event", WLM_LINE_EVENT, parse_event},
        {"limit", WLM_LINE_LIMIT, parse_limit},
        {"use", WLM_LINE_PART, wlm_parse_part},
        {"for", WLM_LINE_FOR, parse_for},
    };
    wlm_line *line = make(r, WLM_LINE_DEFINITION);
    if (line == NULL) return NULL;
    for (size_t k = 0; k < sizeof statements / sizeof *statements; k++)
        if (wlm_takes_name(r, statements[k].word)) {
            line->type = statements[k].type;
            return statements[k].parse(r, line);
        }
    if (r->token.type == WLM_TOKEN_NUMBER) {
        line->type = WLM_LINE_CLOSING;
        return parse_closing(r, line);
    }
    return parse_equation(r, line);
}

static wlm_line *parse_line(wlm_reading *r)
{
    wlm_line *line = wlm_enter(r) ? parse_statement(r) : NULL;
    r->depth--;
    return r->status == WARPLU_SUCCESS ? line : NULL;
}

int wlm_parse_lines(wlm_reading *r, wlm_line **out)
{
    wlm_line **end = out;
    while (r->status == WARPLU_SUCCESS) {
        if (r->token.type == WLM_TOKEN_LINE) {
            wlm_next(r);
            continue;
        }
        if (wlm_takes_name(r, "end")) return r->status == WARPLU_SUCCESS;
        if (r->token.type == WLM_TOKEN_END) return wlm_expected(r, "a line of an element, or 'end'"), 0;
        *end = parse_line(r);
        if (*end == NULL) return 0;
        end = &(*end)->next;
        if (!wlm_sees_name(r, "end")) wlm_needs_line_end(r);
    }
    return 0;
}
