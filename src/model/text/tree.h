/* Expressions as they are written, and their parser.
 *
 * Operands of one level (a - b + c, a * b / c, a and b and c) are one CHAIN; each says how it joins those before it. So
 * trees are only as deep as brackets are nested, and WLM_DEPTH_MOST bounds that. */
#ifndef WLU_MODEL_TEXT_TREE_H
#define WLU_MODEL_TEXT_TREE_H

#include "model/text/reading.h"

enum { WLM_DEPTH_MOST = 200 };

typedef enum wlm_tree_type {
    WLM_TREE_NUMBER,
    WLM_TREE_TIME,
    WLM_TREE_STEP,
    WLM_TREE_NAME,  /* name[index ...] */
    WLM_TREE_PORT,  /* name[index ...].quantity */
    WLM_TREE_CHAIN, /* first, and others by their join */
    WLM_TREE_UNARY, /* opcode(first) */
    WLM_TREE_POWER, /* first ^ its next */
    WLM_TREE_IF,    /* three operands */
    WLM_TREE_CALL,  /* function(first ...) */
    WLM_TREE_APPLY, /* a function of the text on first ... */
    WLM_TREE_SUM,   /* name; operands from, to and body, which a range by itself does not have */
    WLM_TREE_DDT,   /* ddt(first) */
    WLM_TREE_RATE,  /* first' */
    WLM_TREE_LIST   /* { first ... } */
} wlm_tree_type;

/* The ways in which operands of chains join that are no opcodes. */
enum { WLM_JOIN_GREATER = WLM_OPCODES, WLM_JOIN_GREATER_EQUAL, WLM_JOIN_MOD, WLM_JOIN_DIV };

/* The functions that are no opcodes. */
enum {
    WLM_BUILTIN_BEFORE = WLM_OPCODES - 1,
#define WLM_FUNCTION(name, least, most) WLM_BUILTIN_##name,
#include "model/text/functions.def"
#undef WLM_FUNCTION
};

typedef struct wlm_tree {
    wlm_tree_type type;
    wlm_place place;
    int what; /* UNARY: its opcode; CALL: its opcode, or a WLM_BUILTIN */
    int join; /* how it joins the operands before it in a chain: an opcode, or a WLM_JOIN */
    double number;
    wlm_word name;
    struct wlm_tree *index;             /* the first index; others follow by next */
    struct wlm_tree *quantity;          /* PORT: a NAME; NAME of a part: what stands behind its dot */
    const struct wlm_routine *function; /* APPLY */
    const wlm_table *table;             /* CALL of lookup, whose only operand is `first` then */
    struct wlm_tree *first, *next;
} wlm_tree;

/* Reads an expression; NULL after a failure. */
wlm_tree *wlm_parse_expression(wlm_reading *r);
/* lookup.c: finds the table that the first operand of a lookup names, and takes that operand out. */
void wlm_take_table(wlm_reading *r, wlm_tree *call);
/* Reads the indices of name[index, ...], whose name has been read; brackets follow it without a blank. */
wlm_tree *wlm_parse_indices(wlm_reading *r, wlm_word name, wlm_place place);
/* Reads a name that is no reserved word, and its indices; NULL after a failure: expected WHAT. */
wlm_tree *wlm_parse_name(wlm_reading *r, const char *what);
/* Reads a name that may be of a part, as part.name: a NAME. */
wlm_tree *wlm_parse_dotted(wlm_reading *r, const char *what);
/* Reads { expression, ... } as a LIST, or one expression. */
wlm_tree *wlm_parse_values(wlm_reading *r);
/* Reads I in A..B {, J in C..D}, as SUMs without a body. */
wlm_tree *wlm_parse_ranges(wlm_reading *r);
/* Returns 1 where the language has a function of this name. */
int wlm_is_builtin(wlm_word name);
/* Goes one level deeper, which the caller leaves by r->depth--; 0 and a failure where that is too deep. */
int wlm_enter(wlm_reading *r);

#endif
