/* Expressions as they are written, and their parser.
 *
 * What stands in a row at one level (a - b + c, a * b / c, a and b and c) is one CHAIN of operands, each with how it
 * joins those before; so trees are as deep as brackets are nested, and that is limited by WLM_DEPTH_MOST. */
#ifndef WLU_MODEL_TEXT_TREE_H
#define WLU_MODEL_TEXT_TREE_H

#include "model/text/reading.h"

enum { WLM_DEPTH_MOST = 200 };

typedef enum wlm_tree_type {
    WLM_TREE_NUMBER,
    WLM_TREE_TIME,
    WLM_TREE_NAME,  /* name[index ...] */
    WLM_TREE_PORT,  /* name[index ...].quantity */
    WLM_TREE_CHAIN, /* first, and others by their join */
    WLM_TREE_UNARY, /* opcode(first) */
    WLM_TREE_POWER, /* first ^ its next */
    WLM_TREE_IF,    /* three operands */
    WLM_TREE_CALL,  /* function(first ...) */
    WLM_TREE_SUM,   /* name: from, to, body; body is NULL where it is a range alone */
    WLM_TREE_DDT,   /* first */
    WLM_TREE_LIST   /* { first ... } */
} wlm_tree_type;

/* How operands of chains join, beside operations. */
enum { WLM_JOIN_GREATER = WLM_OPCODES, WLM_JOIN_GREATER_EQUAL, WLM_JOIN_MOD, WLM_JOIN_DIV };

/* Functions beside operations. */
enum {
    WLM_BUILTIN_BEFORE = WLM_OPCODES - 1,
#define WLM_FUNCTION(name, least, most) WLM_BUILTIN_##name,
#include "model/text/functions.def"
#undef WLM_FUNCTION
};

typedef struct wlm_tree {
    wlm_tree_type type;
    wlm_place place;
    int what; /* opcode of UNARY; opcode or WLM_BUILTIN of CALL */
    int join; /* to what stands before it in a chain */
    double number;
    wlm_word name;
    struct wlm_tree *index;    /* the first; others follow by next */
    struct wlm_tree *quantity; /* a NAME */
    struct wlm_tree *first, *next;
} wlm_tree;

/* NULL after a failure. */
wlm_tree *wlm_parse_expression(wlm_reading *r);
/* name[index, ...] where the name has been read; brackets follow it without a blank. */
wlm_tree *wlm_parse_indices(wlm_reading *r, wlm_word name, wlm_place place);
/* I in A..B {, J in C..D}: SUMs without a body. */
wlm_tree *wlm_parse_ranges(wlm_reading *r);
/* One level deeper; 0 and a failure where that is too deep. Leave it by r->depth--. */
int wlm_enter(wlm_reading *r);

#endif
