/* Four cell models as text, and as graphs of their rates: Hodgkin and Huxley 1952 (with rates shifted to rest at
 * -65 mV), Noble 1962, Beeler and Reuter 1977, Luo and Rudy 1991. The text: `x y z:` names the states, x' = is a rate, other
 * names are definitions that stand before their use. */
#include "cells.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char hodgkin_huxley[] = "V m h n:"
                                     "am = 0.1*(V+40)/(1-exp(-(V+40)/10)); bm = 4*exp(-(V+65)/18);"
                                     "ah = 0.07*exp(-(V+65)/20); bh = 1/(1+exp(-(V+35)/10));"
                                     "an = 0.01*(V+55)/(1-exp(-(V+55)/10)); bn = 0.125*exp(-(V+65)/80);"
                                     "m' = am*(1-m)-bm*m; h' = ah*(1-h)-bh*h; n' = an*(1-n)-bn*n;"
                                     "V' = -(120*m*m*m*h*(V-50)+36*n*n*n*n*(V+77)+0.3*(V+54.387)-10);";

static const char noble[] = "V m h n:"
                            "am = 0.1*(-V-48)/(exp((-V-48)/15)-1); bm = 0.12*(V+8)/(exp((V+8)/5)-1);"
                            "ah = 0.17*exp((-V-90)/20); bh = 1/(1+exp((-V-42)/10));"
                            "an = 0.0001*(-V-50)/(exp((-V-50)/10)-1); bn = 0.002*exp((-V-90)/80);"
                            "gk = 1.2*exp((-V-90)/50)+0.015*exp((V+90)/60);"
                            "ina = (400*m*m*m*h+0.14)*(V-40); ik = (gk+1.2*n*n*n*n)*(V+100); il = 0.075*(V+60);"
                            "m' = am*(1-m)-bm*m; h' = ah*(1-h)-bh*h; n' = an*(1-n)-bn*n;"
                            "V' = -(ina+ik+il)/12;";

static const char beeler_reuter[] =
    "V m h j d f x c:"
    "am = (V+47)/(1-exp(-0.1*(V+47))); bm = 40*exp(-0.056*(V+72));"
    "ah = 0.126*exp(-0.25*(V+77)); bh = 1.7/(exp(-0.082*(V+22.5))+1);"
    "aj = 0.055*exp(-0.25*(V+78))/(exp(-0.2*(V+78))+1); bj = 0.3/(exp(-0.1*(V+32))+1);"
    "ad = 0.095*exp(-0.01*(V-5))/(exp(-0.072*(V-5))+1); bd = 0.07*exp(-(V+44)/59)/(exp(0.05*(V+44))+1);"
    "af = 0.012*exp(-0.008*(V+28))/(exp(0.15*(V+28))+1); bf = 0.0065*exp(-0.02*(V+30))/(exp(-0.2*(V+30))+1);"
    "ax = 0.0005*exp(0.083*(V+50))/(exp(0.057*(V+50))+1); bx = 0.0013*exp(-0.06*(V+20))/(exp(-0.04*(V+20))+1);"
    "ik1 = 0.35*(4*(exp(0.04*(V+85))-1)/(exp(0.08*(V+53))+exp(0.04*(V+53)))+0.2*(V+23)/(1-exp(-0.04*(V+23))));"
    "ix = x*0.8*(exp(0.04*(V+77))-1)/exp(0.04*(V+35));"
    "ina = (4*m*m*m*h*j+0.003)*(V-50); es = -82.3-13.0287*ln(c*0.001); is = 0.09*d*f*(V-es);"
    "m' = am*(1-m)-bm*m; h' = ah*(1-h)-bh*h; j' = aj*(1-j)-bj*j; d' = ad*(1-d)-bd*d; f' = af*(1-f)-bf*f;"
    "x' = ax*(1-x)-bx*x; c' = -0.01*is+0.07*(0.0001-c); V' = -(ik1+ix+ina+is);";

static const char luo_rudy[] =
    "V m h j d f X c:"
    "late = V >= -40;"
    "am = 0.32*(V+47.13)/(1-exp(-0.1*(V+47.13))); bm = 0.08*exp(-V/11);"
    "ah = late ? 0 : 0.135*exp((80+V)/-6.8);"
    "bh = late ? 1/(0.13*(1+exp((V+10.66)/-11.1))) : 3.56*exp(0.079*V)+310000*exp(0.35*V);"
    "aj = late ? 0 : (-127140*exp(0.2444*V)-0.00003474*exp(-0.04391*V))*(V+37.78)/(1+exp(0.311*(V+79.23)));"
    "bj = late ? 0.3*exp(-0.0000002535*V)/(1+exp(-0.1*(V+32)))"
    " : 0.1212*exp(-0.01052*V)/(1+exp(-0.1378*(V+40.14)));"
    "ad = 0.095*exp(-0.01*(V-5))/(1+exp(-0.072*(V-5))); bd = 0.07*exp(-0.017*(V+44))/(1+exp(0.05*(V+44)));"
    "af = 0.012*exp(-0.008*(V+28))/(1+exp(0.15*(V+28))); bf = 0.0065*exp(-0.02*(V+30))/(1+exp(-0.2*(V+30)));"
    "aX = 0.0005*exp(0.083*(V+50))/(1+exp(0.057*(V+50))); bX = 0.0013*exp(-0.06*(V+20))/(1+exp(-0.04*(V+20)));"
    "Xi = V > -100 ? 2.837*(exp(0.04*(V+77))-1)/((V+77)*exp(0.04*(V+35))) : 1;"
    "ina = 23*m*m*m*h*j*(V-54.4); es = 7.7-13.0287*ln(c); isi = 0.09*d*f*(V-es);"
    "ik = 0.282*X*Xi*(V+77.0); ek1 = -87.26; ak1 = 1.02/(1+exp(0.2385*(V-ek1-59.215)));"
    "bk1 = (0.49124*exp(0.08032*(V-ek1+5.476))+exp(0.06175*(V-ek1-594.31)))/(1+exp(-0.5143*(V-ek1+4.753)));"
    "ik1 = 0.6047*ak1/(ak1+bk1)*(V-ek1); kp = 1/(1+exp((7.488-V)/5.98)); ikp = 0.0183*kp*(V-ek1);"
    "ib = 0.03921*(V+59.87);"
    "m' = am*(1-m)-bm*m; h' = ah*(1-h)-bh*h; j' = aj*(1-j)-bj*j; d' = ad*(1-d)-bd*d; f' = af*(1-f)-bf*f;"
    "X' = aX*(1-X)-bX*X; c' = -0.0001*isi+0.07*(0.0001-c); V' = -(ina+isi+ik+ik1+ikp+ib);";

const cell_text cell_texts[CELLS] = {{"hodgkin-huxley-1952", hodgkin_huxley},
                                     {"noble-1962", noble},
                                     {"beeler-reuter-1977", beeler_reuter},
                                     {"luo-rudy-1991", luo_rudy}};

enum { NAMES_MOST = 64, NAME_BYTES = 8 };

typedef struct reader {
    const char *at;
    wlm_graph *graph;
    char name[NAMES_MOST][NAME_BYTES];
    wlm_node node[NAMES_MOST];
    int names;
} reader;

static wlm_node choice(reader *r);

static void skip(reader *r)
{
    while (*r->at == ' ') r->at++;
}

/* 1, and what follows, where the text goes on with this. */
static int take(reader *r, const char *text)
{
    skip(r);
    if (strncmp(r->at, text, strlen(text)) != 0) return 0;
    r->at += strlen(text);
    return 1;
}

static void word(reader *r, char *name)
{
    int length = 0;
    skip(r);
    while (isalnum((unsigned char)*r->at) && length < NAME_BYTES - 1) name[length++] = *r->at++;
    name[length] = '\0';
}

static wlm_node *find(reader *r, const char *name)
{
    for (int k = 0; k < r->names; k++)
        if (strcmp(r->name[k], name) == 0) return &r->node[k];
    return NULL;
}

static wlm_node in_brackets(reader *r)
{
    wlm_node node = choice(r);
    if (!take(r, ")")) abort();
    return node;
}

static wlm_node primary(reader *r)
{
    char name[NAME_BYTES];
    skip(r);
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        double value = strtod(r->at, &end);
        r->at = end;
        return wlm_constant(r->graph, value);
    }
    if (take(r, "(")) return in_brackets(r);
    if (take(r, "-")) return wlm_unary(r->graph, WLM_NEG, primary(r));
    if (take(r, "exp(")) return wlm_unary(r->graph, WLM_EXP, in_brackets(r));
    if (take(r, "ln(")) return wlm_unary(r->graph, WLM_LOG, in_brackets(r));
    word(r, name);
    if (find(r, name) == NULL) abort();
    return *find(r, name);
}

static wlm_node product(reader *r)
{
    wlm_node node = primary(r);
    for (;;) {
        if (take(r, "*"))
            node = wlm_binary(r->graph, WLM_MUL, node, primary(r));
        else if (take(r, "/"))
            node = wlm_binary(r->graph, WLM_DIV, node, primary(r));
        else
            return node;
    }
}

static wlm_node sum(reader *r)
{
    wlm_node node = product(r);
    for (;;) {
        if (take(r, "+"))
            node = wlm_binary(r->graph, WLM_ADD, node, product(r));
        else if (take(r, "-"))
            node = wlm_binary(r->graph, WLM_SUB, node, product(r));
        else
            return node;
    }
}

static wlm_node choice(reader *r)
{
    wlm_node a = sum(r);
    if (take(r, ">=")) a = wlm_binary(r->graph, WLM_LE, sum(r), a);
    if (take(r, ">")) a = wlm_binary(r->graph, WLM_LT, sum(r), a);
    if (!take(r, "?")) return a;
    wlm_node b = sum(r);
    if (!take(r, ":")) abort();
    return wlm_ternary(r->graph, WLM_SELECT, a, b, sum(r));
}

static void define(reader *r, const char *name, wlm_node node)
{
    if (r->names == NAMES_MOST) abort();
    memcpy(r->name[r->names], name, NAME_BYTES);
    r->node[r->names++] = node;
}

int32_t read_cell(wlm_graph *graph, const char *text, wlm_node *rate)
{
    reader r = {.at = text, .graph = graph};
    char name[NAME_BYTES];
    int32_t states = 0;
    while (!take(&r, ":")) {
        word(&r, name);
        define(&r, name, wlm_input(graph, states++));
    }
    for (skip(&r); *r.at != '\0'; skip(&r)) {
        word(&r, name);
        int is_rate = take(&r, "'");
        if (!take(&r, "=")) abort();
        wlm_node node = choice(&r);
        if (is_rate)
            rate[find(&r, name) - r.node] = node;
        else
            define(&r, name, node);
        if (!take(&r, ";")) abort();
    }
    return states;
}
